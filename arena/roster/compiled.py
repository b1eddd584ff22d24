"""Built-in bots that must be compiled: they are built where they play, once, into a folder of the arena.

Their sources come with the arena, whose own folder may be read-only. So they are copied and built with the kit's own
means, and what they run is kept in a cache, under the digest of the sources: another arena has another folder. What
identifies such a bot is the digest of its sources, so it is the same bot on every machine, whatever the compiler made.

The build runs with the user's rights, as it does when the arena itself is installed: the sources are the arena's.
"""

import hashlib
import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from arena.errors import LaunchError
from arena.texts import SENTENCE, one_line

CACHE = "ARENA_CACHE"
"""The variable that names another folder for the cache."""
SOURCES = ("*.cpp", "*.hpp", "*.mk", "Makefile")
LOG = "build.log"
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
"""Variables by which a make above, such as that of `make test`, would have a say."""


@cache
def digest_of_sources(folder: Path) -> str:
    """The digest of what such a bot is built from."""
    state = hashlib.sha256()
    for path in _sources(folder):
        contents = path.read_bytes()
        state.update(b"%d:%s%d:%s" % (len(path.name), path.name.encode(), len(contents), contents))
    return state.hexdigest()[:32]


def place(folder: Path, name: str) -> Path:
    """The folder in which a bot with these sources plays. It may not exist yet."""
    return _cache_folder() / f"{name}-{digest_of_sources(folder)[:16]}"


def is_ready(folder: Path, name: str) -> bool:
    """Whether it has been built."""
    return (place(folder, name) / name).is_file()


def compile_here(folder: Path, name: str, command: Sequence[str]) -> Path:
    """The folder in which the bot plays; it is built if it has not been. LaunchError says what is missing."""
    target = place(folder, name)
    if (target / name).is_file():
        _check_owner(target.parent)
        return target
    _check_tools(name, command)
    try:
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        _check_owner(target.parent)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as bench:
            _build(folder, name, command, Path(bench), target)
    except OSError as error:
        raise LaunchError(
            f"{name} cannot be built in {target.parent}: {error.strerror}. Set {CACHE} to a folder of your own."
        ) from None
    return target


def _build(folder: Path, name: str, command: Sequence[str], bench: Path, target: Path) -> None:
    for path in _sources(folder):
        shutil.copy(path, bench)
    sys.stderr.write(f"arena: {name} is built, once: {target}\n")
    status = _run(command, bench)
    if status != 0 or not (bench / name).is_file():
        said = (bench / LOG).read_text("utf-8", "replace").strip().splitlines() or [f"status {status}"]
        told = next((line for line in said if "error" in line), said[-1])
        raise LaunchError(f"{name} cannot be built: {shlex.join(command)}: {one_line(told, SENTENCE)}")
    ready = bench / "ready"
    ready.mkdir()
    (bench / name).rename(ready / name)
    ready.chmod(0o755)  # whatever the umask is: a root user's bots are others
    (ready / name).chmod(0o755)
    with suppress(FileExistsError, OSError):  # another process was faster
        ready.rename(target)
    if not (target / name).is_file():
        raise LaunchError(f"{name} cannot be built in {target}: something else is there. Remove it.")


def _run(command: Sequence[str], folder: Path) -> int:
    """Run a command in a folder; its output goes to a file there. Returns its status.

    Not by `subprocess`: the look-up of bots is also part of reports, which import nothing that starts processes.
    """
    env = {key: value for key, value in os.environ.items() if key not in OF_MAKE}
    log = str(folder / LOG)
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, log, NEW, 0o600)]
    words = ["sh", "-c", 'cd "$0" && exec "$@" 2>&1', str(folder), *command]
    process = os.posix_spawn("/bin/sh", words, env, file_actions=files)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _sources(folder: Path) -> list[Path]:
    names = sorted(os.listdir(folder))
    return [folder / name for name in names if any(fnmatchcase(name, pattern) for pattern in SOURCES)]


def _check_tools(name: str, command: Sequence[str]) -> None:
    compiler = shlex.split(os.environ.get("CXX", "")) or ["g++"]
    if shutil.which(command[0]) is None or shutil.which(compiler[0]) is None:
        raise LaunchError(f"{name} needs make and a C++ compiler: sudo apt install g++ make")


def _cache_folder() -> Path:
    if named := os.environ.get(CACHE, ""):
        return Path(named).absolute() / "built"
    if os.geteuid() == 0:
        return Path("/var/cache/dino-arena")  # bots of a root user are others, who cannot pass through its home folder
    base = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(RuntimeError):
        return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "dino-arena"
    return Path(tempfile.gettempdir(), f"dino-arena-{os.geteuid()}", "built")


def _check_owner(folder: Path) -> None:
    """LaunchError if others could have put a program here."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise LaunchError(f"{folder} is not a folder that only this user can write to. Set {CACHE} to another")
