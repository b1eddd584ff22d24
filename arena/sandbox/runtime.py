"""Where a command's program is, and which files of the host it needs to see."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import filterfalse
from pathlib import Path
from typing import NamedTuple

from arena.errors import FileError, HostError
from arena.files import read, read_start
from arena.sandbox.root import SCRATCH, SYSTEM
from arena.texts import path as shown

PATHS = "/usr/local/bin:/usr/bin:/bin"
SHOWN, MOST_CONFIG, MOST_LINE = 3, 1 << 16, 256
"""Hidden files that are named; bytes of a pyvenv.cfg; bytes that are read of the first line of a script."""
STARTER = "env"
"""A program that executes another, which is one of its words: env X=1 /path/to/python ..."""
INSTALLED = ("bin", "lib", "lib32", "lib64", "libexec", "share", "conf", "jre", "pyvenv.cfg", "release")
"""What a program needs of the folder that it was installed in. `conf`, `jre` and `release` are Java's."""
NO_HOME = Path("/nonexistent")
"""As Debian calls it."""
WITHIN_SYSTEM = tuple(f"{folder}/" for folder in SYSTEM)


def search_path() -> str:
    """Those folders of our PATH that a bot can see too."""
    return _seen(os.environ.get("PATH", PATHS))


@cache
def _seen(folders: str) -> str:
    seen = [folder for folder in folders.split(":") if is_system(Path(folder))]
    return ":".join(dict.fromkeys([*seen, *PATHS.split(":")]))


def is_system(path: Path | str) -> bool:
    """Whether every bot sees it."""
    return f"{path}/".startswith(WITHIN_SYSTEM)


class Located(NamedTuple):
    """Where a bot's program is, and what it needs outside the system and its folder."""

    program: str
    shown: list[str]
    hidden: list[str]
    """What it names and cannot see."""


def locate(argv: Sequence[str], folder: Path) -> Located:
    """The program to execute, and its interpreter.

    A stranger writes the command and the first line of a script, and could name any file of the host. So a bot sees
    only programs that we would run ourselves: our own interpreter and what is on our PATH; and these only if they are
    executed, not if a command names them for another purpose.
    """
    name = argv[0]
    if "/" in name:
        program = plain(folder / name)
    else:
        found = shutil.which(name, path=search_path()) or shutil.which(name)
        program = Path(found) if found else folder / name
    others = [plain(folder / word) for word in argv[1:] if "/" in word] if os.path.basename(name) == STARTER else []
    needed, hidden = _needed([program, *filter(_is_program, others)], folder)
    shown = {part for path in needed if not path.is_relative_to(folder) for part in _installed(path)}
    return Located(
        str(program) if "/" in name or program.exists() else name,
        sorted(filterfalse(is_system, shown)),
        sorted(hidden)[:SHOWN],
    )


def runtime(argv: Sequence[str]) -> str:
    """The name of the program that runs a bot, given its located command: `java`, also by env, a link or a first line.

    Of files in the bot's own folder only the first line of a script counts, because the kernel obeys it.
    """
    words, program = list(argv), Path(argv[0])
    if not is_system(program) and program.parent not in _our_folders(os.environ.get("PATH", PATHS)):
        words = _first_line(program) if _is_program(program) else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    found = shutil.which(words[0], path=search_path()) if words else None
    return os.path.basename(os.path.realpath(found)) if found else ""


def plain(path: Path) -> Path:
    """The path without detours."""
    return Path("/" + os.path.normpath(path).lstrip("/"))


def _needed(named: list[Path], folder: Path) -> tuple[set[Path], set[str]]:
    """Follow links, virtual environments and #! lines to everything that has to be visible; and what must not be."""
    needed, hidden = set[Path](), set[str]()
    queue = [(path, True) for path in named]
    while queue:
        path, is_strangers_word = queue.pop()
        if path in needed or not os.path.lexists(path):
            continue
        if is_strangers_word and not _may_be_named(path, folder):
            hidden.add(shown(path))
            continue
        if not _is_program(path):
            continue  # what is not executed is not needed
        needed.add(path)
        queue += [(other, path.is_relative_to(folder)) for other in _leads_to(path)]
    return needed, hidden


def _may_be_named(path: Path, folder: Path) -> bool:
    """Whether a bot in this folder may say that this is its program."""
    if path.is_relative_to(folder):
        path, folder = Path(os.path.realpath(path.parent), path.name), Path(os.path.realpath(folder))
        return path.is_relative_to(folder) or is_system(path)
    return is_system(path) or path.parent in _our_folders(os.environ.get("PATH", PATHS))


@cache
def _our_folders(path: str) -> frozenset[Path]:
    """The folders of the programs that we would run."""
    folders = [Path(folder) for folder in path.split(":") if folder.startswith("/")]
    return frozenset(map(plain, (*folders, Path(sys.executable).parent, Path(os.path.realpath(sys.executable)).parent)))


def _is_program(path: Path) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _leads_to(path: Path) -> Iterator[Path]:
    """What else a program needs: the target of a link, or the interpreter of a script."""
    config = path.parent.parent / "pyvenv.cfg"
    if config.is_file() and not config.is_symlink():
        yield from _homes(config)
    if path.is_symlink():
        yield plain(path.parent / os.readlink(path))
    elif path.is_file():
        yield from _interpreter(path)


def _homes(config: Path) -> list[Path]:
    """The interpreter that a virtual environment was made from."""
    try:
        text = read(config, MOST_CONFIG).decode("utf-8", "replace")
    except FileError:
        return []
    pairs = (line.partition("=")[::2] for line in text.splitlines())
    bin_folder = {key.strip(): value.strip() for key, value in pairs}.get("home")
    return [plain(Path(bin_folder) / "python3")] if bin_folder else []


def _interpreter(path: Path) -> list[Path]:
    """What a script names in its first line."""
    return [plain(Path(word)) for word in _first_line(path)[:1]]


def _first_line(path: Path) -> list[str]:
    """The words of the first line of a script: its interpreter and its arguments."""
    try:
        first = read_start(path, MOST_LINE).partition(b"\n")[0]
    except FileError:
        return []  # a bot cannot read it either
    return [os.fsdecode(word) for word in first[2:].split()] if first.startswith(b"#!/") else []


def _installed(program: Path) -> list[str]:
    """What was installed with a program: /x/bin, /x/lib ... for /x/bin/program if there is a /x/lib; else it alone.

    Never /x itself, which may hold other things, nor the target of a link that is outside of /x. If the path has links,
    both paths are listed: the named one and the real one.
    """
    prefix, yours = program.parent.parent, home()
    is_shared = yours.is_relative_to(prefix) or prefix == yours / ".local"
    if program.parent.name != "bin" or is_shared or not (prefix / "lib").is_dir():
        return [str(program), os.path.realpath(program)]
    real = os.path.realpath(prefix)
    parts = [part for part in INSTALLED if os.path.realpath(f"{real}/{part}").startswith(f"{real}/")]
    return [f"{place}/{part}" for place in (prefix, real) for part in parts if os.path.lexists(f"{real}/{part}")]


def home() -> Path:
    """The user's home folder; one that does not exist if there is neither HOME nor an entry in /etc/passwd."""
    try:
        return Path.home()
    except RuntimeError:
        return NO_HOME


def check_folder(folder: Path) -> None:
    """HostError if a bot must not have this folder: it sees all of it."""
    if home().is_relative_to(folder):
        raise HostError(
            f"a bot in {folder} would see all of your files. Put it into a folder of its own, or use --sandbox none."
        )
    if folder.is_relative_to(SCRATCH):
        raise HostError(
            f"{folder}: a bot has its own {SCRATCH}, so its folder cannot be in this one. Move it elsewhere."
        )
    if not folder.is_dir():
        raise HostError(f"{folder}: the folder of a bot does not exist.")
    if os.geteuid() == 0 and folder.stat().st_mode & 0o005 != 0o005:
        raise HostError(
            f"bots that root starts run under user numbers of their own, which may not read {folder}. "
            f"Run: chmod -R o+rX {folder}"
        )


def stand_in(program: str) -> str:
    """Instead of our interpreter in a closed folder such as /root: one of the same version that every user can run.

    It is good enough for bots that bring along what they need.
    """
    if program != sys.executable or _closed_part(program) is None:
        return program
    return shutil.which("python{}.{}".format(*sys.version_info), path=search_path()) or program


def check_reach(*paths: str) -> None:
    """HostError if a bot that root starts cannot reach these paths through the folders of the host."""
    for path in paths:
        if closed := _closed_part(path):
            raise HostError(
                f"bots that root starts run under user numbers of their own, which cannot reach {path} in the tier "
                f"lite: {closed} is closed to others. Use a file elsewhere, or the tier full."
            )


def _closed_part(path: str) -> Path | None:
    """The folder on the way to a file, by its name and by its real path, that only its owner or group can pass."""
    named, real = Path(path), Path(os.path.realpath(path))
    for part in dict.fromkeys((named, *named.parents, real, *real.parents)):
        with suppress(OSError):  # a missing folder blocks nothing
            mode = part.stat().st_mode
            if mode & 0o111 and not mode & 0o001:
                return part
    return None
