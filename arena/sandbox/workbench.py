"""A program that builds a copy of a bot inside the sandbox: python -I -S -c SOURCE ENVIRONMENT COMMAND...

It starts in the bot's folder, which can only be read. It copies that into the scratch space and runs the command there,
with its own environment and ENVIRONMENT, which is JSON. If that went well, it writes every file that is new or changed
to stdout: a HEADER, the name, the contents. What the command prints goes to stderr. The reader of stdout trusts nothing
of it, because the bot's author controls everything that runs here.
"""

import json
import os
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Iterable

COPY = f"{os.environ.get('TMPDIR', '/tmp')}/bot"
HEADER = struct.Struct(">?HQ")
"""Whether it can be executed, the bytes of its name, and those of its contents."""
CANNOT = 125
"""The status if there is nothing to build."""
PIECE = 1 << 16


def main() -> int:
    """Copy, build, deliver; the exit status of the command."""
    environment, *command = sys.argv[1:]
    try:
        shutil.copytree(".", COPY, symlinks=True, ignore=special)
        before = survey()
    except (OSError, RecursionError, shutil.Error) as error:
        sys.stderr.write(f"The bot's folder cannot be copied into the sandbox: {str(error)[:500]}\n")
        return CANNOT
    try:
        status = subprocess.run(
            command, cwd=COPY, env=os.environ | json.loads(environment), stdin=subprocess.DEVNULL, stdout=2, check=False
        ).returncode
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return CANNOT
    if status == 0:
        deliver(path for path, found in survey().items() if before.get(path) != found)
    return status if status >= 0 else 128 - status


def special(folder: str, names: list[str]) -> list[str]:
    """What is neither a file nor a folder nor a link, and could keep us waiting."""
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return [n for n, m in modes.items() if not (stat.S_ISREG(m) or stat.S_ISDIR(m) or stat.S_ISLNK(m))]


def survey() -> dict[str, tuple[int, ...]]:
    """All files of the copy, with what changes when they do."""
    found: dict[str, tuple[int, ...]] = {}
    for parent, _, names in os.walk(COPY):
        for path in (os.path.join(parent, name) for name in names):
            known = os.lstat(path)
            if stat.S_ISREG(known.st_mode):
                found[path] = (known.st_size, known.st_mtime_ns, known.st_ino, known.st_mode)
    return found


def deliver(paths: Iterable[str]) -> None:
    """Write these files to stdout."""
    with open(1, "wb", closefd=False) as out:
        for path in paths:
            name = os.fsencode(os.path.relpath(path, COPY))
            with open(path, "rb") as file:
                known = os.fstat(file.fileno())
                out.write(HEADER.pack(bool(known.st_mode & stat.S_IXUSR), len(name), known.st_size) + name)
                shutil.copyfileobj(file, out, PIECE)


if __name__ == "__main__":
    sys.exit(main())
