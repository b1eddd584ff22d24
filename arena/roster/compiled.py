"""Built-in bots that must be compiled: where they play, and what identifies them.

Their sources come with the arena, whose own folder may be read-only. So they are built elsewhere, in a cache, when they
first play (arena/match/compiling.py). What identifies such a bot is the digest of its sources, so it is the same bot on
every machine, whatever the compiler made, and it can be named and known again where it cannot be built.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

CACHE = "ARENA_CACHE"
"""The variable that names another folder for the cache."""
SOURCES = ("*.cpp", "*.hpp", "*.mk", "Makefile")


@cache
def digest_of_sources(folder: Path) -> str:
    """The digest of what such a bot is built from."""
    state = hashlib.sha256()
    for path in sources(folder):
        contents = path.read_bytes()
        state.update(b"%d:%s%d:%s" % (len(path.name), path.name.encode(), len(contents), contents))
    return state.hexdigest()[:32]


def sources(folder: Path) -> list[Path]:
    """The files that it is built from."""
    names = sorted(os.listdir(folder))
    return [folder / name for name in names if any(fnmatchcase(name, pattern) for pattern in SOURCES)]


def place(folder: Path, name: str) -> Path:
    """The folder in which a bot with these sources plays. It does not exist before the bot has been built."""
    return cache_folder() / f"{name}-{digest_of_sources(folder)[:16]}"


def cache_folder() -> Path:
    """Where all of them play."""
    if named := os.environ.get(CACHE, ""):
        return Path(named).absolute() / "built"
    if os.geteuid() == 0:
        return Path("/var/cache/dino-arena")  # bots of a root user are others, who cannot pass through its home folder
    base = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(RuntimeError):
        return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "dino-arena"
    return Path(tempfile.gettempdir(), f"dino-arena-{os.geteuid()}", "built")
