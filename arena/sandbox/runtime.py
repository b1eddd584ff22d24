"""Where a command's program lives, and what it needs to be shown of the host."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.errors import HostError
from arena.sandbox.root import SCRATCH, SYSTEM

PATHS = "/usr/local/bin:/usr/bin:/bin"
SHOWN, MOST_CONFIG = 3, 1 << 16
"""Hidden files that are named; bytes that are read of a pyvenv.cfg."""
WITHIN_SYSTEM = tuple(f"{folder}/" for folder in SYSTEM)


def search_path() -> str:
    """Those folders of our PATH that a bot can see too."""
    return _seen(os.environ.get("PATH", PATHS))


@cache
def _seen(folders: str) -> str:
    seen = [folder for folder in folders.split(":") if is_system(Path(folder))]
    return ":".join(dict.fromkeys([*seen, *PATHS.split(":")]))


def is_system(path: Path | str) -> bool:
    """Whether every bot sees it anyway."""
    return f"{path}/".startswith(WITHIN_SYSTEM)


class Located(NamedTuple):
    """Where a bot's program is, and what it needs outside the system and its folder."""

    program: str
    shown: list[str]
    hidden: list[str]
    """What it names and does not get to see."""


def locate(argv: Sequence[str], folder: Path) -> Located:
    """The program to execute, and its interpreter.

    A command, and the first line of a script, are a stranger's words, who could name any file of the host. So nothing
    else is shown than programs that we would run ourselves: our own interpreter, and what lies on our PATH.
    """
    name = argv[0]
    if "/" in name:
        program = plain(folder / name)
    else:
        found = shutil.which(name, path=search_path()) or shutil.which(name)
        program = Path(found) if found else folder / name
    others = [plain(folder / word) for word in argv[1:] if "/" in word]  # env X=1 /path/to/python ...
    named = [program, *filter(_is_program, others)]
    needed, hidden = _needed(named, folder)
    prefixes = {_prefix(path) for path in needed if not path.is_relative_to(folder)}
    shown = {path for prefix in prefixes for path in (str(prefix), os.path.realpath(prefix)) if not is_system(path)}
    return Located(str(program) if "/" in name or program.exists() else name, sorted(shown), sorted(hidden)[:SHOWN])


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
            hidden.add(_printable(path))
            continue
        if not _is_program(path):
            continue  # what is not executed is not needed, whoever names it
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
    """Where the programs lie that we would run."""
    folders = [Path(folder) for folder in path.split(":") if folder.startswith("/")]
    return frozenset(map(plain, (*folders, Path(sys.executable).parent, Path(os.path.realpath(sys.executable)).parent)))


def _is_program(path: Path) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _printable(path: Path) -> str:
    """A name that may be of a stranger's making, for people to read."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "?" for char in text)[:256]


def _leads_to(path: Path) -> Iterator[Path]:
    """What a program needs besides: the file that a link stands for, or else the interpreter of a script."""
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
        with config.open("rb") as file:
            text = file.read(MOST_CONFIG).decode("utf-8", "replace")
    except OSError:
        return []
    pairs = (line.partition("=")[::2] for line in text.splitlines())
    home = {key.strip(): value.strip() for key, value in pairs}.get("home")
    return [plain(Path(home) / "python3")] if home else []


def _interpreter(path: Path) -> list[Path]:
    """What a script names in its first line."""
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return []  # nor can a bot read it
    words = first[2:].split()
    return [plain(Path(os.fsdecode(words[0])))] if first.startswith(b"#!/") and words else []


def _prefix(program: Path) -> Path:
    """The folder of an installed program: /x for /x/bin/program if there is also /x/lib; else the program alone."""
    prefix = program.parent.parent
    home = Path.home()
    if program.parent.name == "bin" and (prefix / "lib").is_dir() and not home.is_relative_to(prefix):
        return program if prefix == home / ".local" else prefix
    return program


def check_folder(folder: Path) -> None:
    """A bot sees all of its folder, so this has to be one of its own."""
    if Path.home().is_relative_to(folder):
        raise HostError(
            f"a bot in {folder} would see all of your files. Put it into a folder of its own, or say --sandbox none."
        )
    if folder.is_relative_to(SCRATCH):
        raise HostError(f"{folder}: bots have a {SCRATCH} of their own, and cannot lie in this one. Move it elsewhere.")
    if not folder.is_dir():
        raise HostError(f"{folder}: the folder of a bot is not there.")
    if os.geteuid() == 0 and folder.stat().st_mode & 0o005 != 0o005:
        raise HostError(
            f"bots of a root user run under numbers of their own, which may not read {folder}. "
            f"Run: chmod -R o+rX {folder}"
        )


def check_reach(program: str) -> None:
    """Without a root of its own, a bot of a root user reaches its program by the host's folders, or does not."""
    path = Path(program).resolve()
    for part in (path, *path.parents):
        if part.exists() and part.stat().st_mode & 0o111 and not part.stat().st_mode & 0o001:
            raise HostError(
                f"bots of a root user run under numbers of their own, which in the tier lite cannot reach {path}: "
                f"{part} is closed to others. Use a program outside it, or the tier full."
            )
