"""Kept copies of bots that do not run where they should play: they are built there, in the sandbox.

A league keeps a bot as it was on one machine, with what its build had made there, or without it. On a machine of
another kind, or with another C library, such a copy does not run (arena/roster/platforms.py). Then its build command
runs there, without a network, on a copy of the copy from which strange programs are removed, so that `make` does not
take them for its own. The result is a copy of its own next to the first one,

    DIGEST           as it was kept; DIGEST is that of the archive, and of this version of the bot
    DIGEST.RESULT    as it was built here; RESULT is the digest of all its files

read-only, and checked against its digest before each run. It is made once, also if several processes want it. The bot
keeps its version: the same sources, built by the same command.
"""

import fcntl
import os
import re
import shlex
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import trio

from arena.building.build import Way, build
from arena.errors import BuildFailed, FileError, LaunchError
from arena.match.excerpt import Excerpt
from arena.match.telling import telling_of_build
from arena.roster.archive import close, is_intact
from arena.roster.belongings import kept_digest
from arena.roster.copies import in_folder
from arena.roster.entries import Entry
from arena.roster.parts import locked, new_folder, put
from arena.roster.platforms import misfit, programs_of, strange
from arena.texts import SENTENCE, one_line

LIMIT_S = 900.0
"""How long a build may take."""
PAUSE_S = 0.2
"""Between two looks whether another process has built it."""
Tell = Callable[[str], None]


async def built_here(entry: Entry, tell: Tell) -> Entry:
    """The bot as it plays on this machine: the kept copy, or one that was built here. BuildFailed says why not.

    `tell` receives a sentence before a build begins.
    """
    if not entry.is_copy or (why := misfit(entry)) is None:
        return entry
    if not entry.build:
        raise BuildFailed(entry.name, f"cannot play on this machine: {why}, and its bot.toml has no `build`")
    async with _alone(entry.folder):
        if known := _known(entry):
            return known
        tell(f"{entry.name} is built in the sandbox: {why}")
        try:
            return await _built(entry)
        except (FileError, LaunchError, OSError) as error:
            raise _failure(entry, f": {error}") from None


@asynccontextmanager
async def _alone(folder: Path) -> AsyncIterator[None]:
    """While no other process builds the bot in this folder."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        while not _is_locked(fd):
            await trio.sleep(PAUSE_S)
        yield
    finally:
        os.close(fd)


def _is_locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _known(entry: Entry) -> Entry | None:
    """A copy that was built here before, or on a machine like this one that has the same folder."""
    for folder in sorted(entry.folder.parent.glob(f"{entry.folder.name}.*")):
        found = in_folder(entry, folder)
        if is_intact(folder, folder.suffix[1:]) and misfit(found) is None:
            return found
    return None


async def _built(entry: Entry) -> Entry:
    copies, printed = entry.folder.parent, Excerpt()
    with new_folder(copies) as part:
        _copy(entry.folder, part)
        bench = in_folder(entry, part)
        if (why := await build(bench, Way.SANDBOXED, printed.add, LIMIT_S)) is not None:
            raise _failure(entry, f" {why}{_telling(printed.text())}")
        if (why := misfit(bench)) is not None:
            raise _failure(entry, f" has ended without an error, and yet {why}")
        close(part)
        folder = copies / f"{entry.folder.name}.{kept_digest(replace(bench, is_copy=True))}"
        with locked(copies):
            put(part, folder)
    return in_folder(entry, folder)


def _telling(printed: str) -> str:
    """Of what a build printed, the first line that names an error, or else the last one."""
    lines = [line.strip() for line in telling_of_build(printed)]
    errors = [line for line in lines if re.search(r"\berror\b|not found", line, re.IGNORECASE)]
    return f". It printed: {one_line([*errors, *lines[-1:]][0], SENTENCE)}" if lines else ""


def _failure(entry: Entry, words: str) -> BuildFailed:
    command = one_line(shlex.join(entry.build), SENTENCE)
    return BuildFailed(entry.name, f"cannot be built in the sandbox on this machine: `{command}`{words}")


def _copy(folder: Path, part: Path) -> None:
    """What was kept, without programs that do not run here, and open for the results of a build."""
    left_out = {str(folder / name) for name in strange(programs_of(folder))}

    def ignored(parent: str, names: list[str]) -> list[str]:
        return [name for name in names if os.path.join(parent, name) in left_out]

    shutil.copytree(folder, part, symlinks=True, ignore=ignored, dirs_exist_ok=True)
    for parent, _, _ in os.walk(part):
        os.chmod(parent, 0o755)
