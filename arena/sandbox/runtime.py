"""Where a command's program lives, and what it needs to be shown of the host."""

import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from arena.errors import LaunchError
from arena.sandbox.root import SYSTEM

PATHS = "/usr/local/bin:/usr/bin:/bin"
WITHIN_SYSTEM = tuple(f"{folder}/" for folder in SYSTEM)


def search_path() -> str:
    """Those folders of our PATH that a bot can see too."""
    return _seen(os.environ.get("PATH", PATHS))


@cache
def _seen(folders: str) -> str:
    seen = [folder for folder in folders.split(":") if is_system(Path(folder))]
    return ":".join(dict.fromkeys([*seen, *PATHS.split(":")]))


def is_system(path: Path) -> bool:
    """Whether every bot sees it anyway."""
    return f"{path}/".startswith(WITHIN_SYSTEM)


def locate(argv: Sequence[str], folder: Path) -> tuple[str, list[str]]:
    """The program to execute, and the folders outside the system that it needs: those of its interpreter."""
    name = argv[0]
    if "/" in name:
        program = Path(os.path.normpath(folder / name))
    else:
        found = shutil.which(name, path=search_path()) or shutil.which(name)
        program = Path(found) if found else folder / name
    named = [Path(os.path.normpath(folder / word)) for word in argv[1:] if "/" in word]  # env X=1 /path/to/python ...
    others = [path for path in named if os.path.isfile(path) and os.access(path, os.X_OK)]
    return (str(program) if "/" in name or program.exists() else name), sorted(_needed([program, *others], folder))


def _needed(programs: list[Path], folder: Path) -> set[str]:
    """Follow links, virtual environments and #! lines to everything that has to be visible."""
    needed: set[Path] = set()
    queue = programs
    while queue:
        path = queue.pop()
        if path in needed or not path.exists():
            continue
        needed.add(path)
        if path.is_symlink():
            queue.append(Path(os.path.normpath(path.parent / os.readlink(path))))
        config = path.parent.parent / "pyvenv.cfg"
        if config.is_file():
            queue += _homes(config)
        queue += _interpreter(path)
    shown = {_prefix(path) for path in needed}
    return {str(path) for path in shown if not is_system(path) and not path.is_relative_to(folder)}


def _homes(config: Path) -> list[Path]:
    """The interpreter that a virtual environment was made from."""
    pairs = (line.partition("=")[::2] for line in config.read_text("utf-8", "replace").splitlines())
    home = {key.strip(): value.strip() for key, value in pairs}.get("home")
    return [Path(home) / "python3"] if home else []


def _interpreter(path: Path) -> list[Path]:
    """What a script names in its first line."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        first = file.readline(256)
    words = first[2:].split()
    return [Path(os.fsdecode(words[0]))] if first.startswith(b"#!") and words else []


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
        raise LaunchError(
            f"a bot in {folder} would see all of your files. Put it into a folder of its own, or say --sandbox none."
        )
    if os.geteuid() == 0 and folder.stat().st_mode & 0o005 != 0o005:
        raise LaunchError(
            f"bots of a root user run under numbers of their own, which may not read {folder}. "
            f"Run: chmod -R o+rX {folder}"
        )


def check_reach(program: str) -> None:
    """Without a root of its own, a bot of a root user reaches its program by the host's folders, or does not."""
    path = Path(program).resolve()
    for part in (path, *path.parents):
        if part.exists() and not part.stat().st_mode & 0o001:
            raise LaunchError(
                f"bots of a root user run under numbers of their own, which in the tier lite cannot reach {path}: "
                f"{part} is closed to others. Use a program outside it, or the tier full."
            )
