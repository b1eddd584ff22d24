"""When to examine a bot again: whenever a file that counts for its digest has changed, except for the litter of tools.

The folder is looked at twice a second, which works on every file system. A change counts when two looks in a row are
equal, because editors write a file in several steps and a checkout writes many files.

What changes while the bot is examined may be the author's doing, or that of the build or of the bot itself, which may
write to its folder where it runs without a sandbox. A source file is the author's: the examination is useless and ends
at once. Of other files, what the build makes does not count, and the rest counts once in a row. A source that changes
in three examinations in a row is generated. So nothing that an examination itself changes can repeat it for ever.
"""

import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

import trio

from arena.check.languages import SUFFIXES
from arena.errors import FileError, RosterError
from arena.roster import digests, folders
from arena.roster.entries import Entry, find
from arena.roster.patterns import is_litter
from arena.roster.platforms import BUILT, RECIPES, SOURCES, named_files

LOOK_S = 0.5
SETTLE_S = 0.2
SHARE = 20
"""A look at a large folder takes at most one part in so many of the time."""
MOST_LOOKS = 25
"""Until a folder is taken as it is, because some program never stops writing to it."""
LOCK = re.compile(r"(^|/)(\.#[^/]*|#[^/]*#)$")
"""What Emacs writes next to a file while it is edited."""
EDITED = SOURCES | SUFFIXES.keys() | {".toml"}
GENERATED = 3
"""A source that changes in this many examinations in a row is not the author's doing."""

Picture = Mapping[str, object]
"""The files of a bot, by name, each with something that differs when it has changed."""


def looks_at(word: str) -> Callable[[], Picture]:
    """A function that looks at the files of a bot. RosterError if there is no such bot, nor a folder to wait in."""
    path = Path(word).expanduser()
    folder = path if path.is_dir() else path.parent
    if folder.is_dir() and (path.is_dir() or path.suffix == ".toml"):
        return lambda: _picture(lambda: _in_folder(folder))
    entry = find(word)
    return lambda: _picture(lambda: digests.stamp(entry))


def _in_folder(folder: Path) -> digests.Stamp:
    """Without the folders in it, whose times change with every temporary file."""
    return [folders.stamp_of(item.name, item.status) for item in folders.survey(folder) if not item.is_folder]


def _picture(stamp: Callable[[], digests.Stamp]) -> Picture:
    """Empty if the files cannot be read, as when their folder is gone: `find` says why."""
    try:
        return {row[0]: row for row in stamp() if not is_litter(row[0]) and not LOCK.search(row[0])}
    except FileError:
        return {}


def is_source(name: str) -> bool:
    """Whether authors write such a file, and programs do not."""
    path = Path(name)
    return path.parts[0] not in BUILT and (path.suffix in EDITED or path.name in RECIPES)


def differing(before: Picture, now: Picture) -> set[str]:
    """The names of the files that differ."""
    return {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}


class BotFiles:
    """The files of a bot, as they were when it was last examined."""

    def __init__(self, look: Callable[[], Picture]) -> None:
        self._look = look
        self._seen = look()
        self._pause_s = LOOK_S
        self._streaks = Counter[str]()
        """In how many examinations in a row a file has changed."""
        self._own = set[str]()
        """Files that the build or the bot writes when it is examined. They count only between examinations."""

    async def edited(self) -> set[str]:
        """Wait until a source changes, while the bot is examined."""
        while True:
            now = await self._settled()
            edited = {name for name in differing(self._seen, now) - self._own if is_source(name)}
            if edited:
                self._seen = now
                self._streaks = Counter({name: self._streaks[name] for name in edited})
                self._note(edited)
                return edited

    def during(self, made: Callable[[str], bool]) -> set[str]:
        """What changed while the bot was examined, and was not `made` by the build or by the bot itself."""
        now = self._look()
        changed = {name for name in differing(self._seen, now) if not made(name)} - self._own
        self._seen = now
        self._note(changed)
        return changed

    async def next(self) -> set[str]:
        """Wait until something changes, after the bot was examined."""
        self._streaks.clear()
        while not (changed := differing(self._seen, now := await self._settled())):
            pass
        self._seen = now
        self._own -= changed
        return changed

    @property
    def generated(self) -> list[str]:
        """Sources that do not count while the bot is examined."""
        return sorted(filter(is_source, self._own))

    def _note(self, changed: Iterable[str]) -> None:
        self._streaks.update(changed)
        self._own |= {name for name in changed if not is_source(name) or self._streaks[name] >= GENERATED}

    async def _settled(self) -> Picture:
        """The files after a pause; if they have changed, when they do not change any more."""
        await trio.sleep(self._pause_s)
        now = self._timed_look()
        for _ in range(MOST_LOOKS):
            if now == self._seen:
                break
            await trio.sleep(SETTLE_S)
            before, now = now, self._timed_look()
            if before == now:
                break
        return now

    def _timed_look(self) -> Picture:
        began = time.monotonic()
        picture = self._look()
        self._pause_s = max(LOOK_S, (time.monotonic() - began) * SHARE)
        return picture


def makes(entry: Entry) -> Callable[[str], bool]:
    """Whether the build of a bot makes a file of this name."""
    named = {str(Path(word)) for word in named_files(entry)}
    return lambda name: bool(entry.build) and (name in named or Path(name).parts[0] in BUILT)


class WatchAudience(Protocol):
    """Who is told what happens."""

    def changed(self, names: Sequence[str]) -> None:
        """Files have changed, so the bot is examined again."""

    def waiting(self, generated: Sequence[str]) -> None:
        """The examination is over. These sources change in every examination, and do not count in one."""

    def invalid(self, error: RosterError) -> None:
        """The bot cannot be examined as it is."""


async def watch(word: str, examine: Callable[[], Awaitable[object]], audience: WatchAudience) -> NoReturn:
    """Examine a bot, and again whenever its files change. A bot that is not valid is waited for."""
    files = BotFiles(looks_at(word))
    while True:
        changed = await _unless_edited(files, examine, audience) or files.during(_makes_now(word))
        if not changed:
            audience.waiting(files.generated)
            changed = await files.next()
        audience.changed(sorted(changed))


def _makes_now(word: str) -> Callable[[str], bool]:
    try:
        return makes(find(word))
    except RosterError:
        return lambda _: False


async def _unless_edited(
    files: BotFiles, examine: Callable[[], Awaitable[object]], audience: WatchAudience
) -> set[str]:
    """Examine, unless a source changes meanwhile. Returns which, or nothing if the examination came to its end."""
    edited: set[str] = set()
    async with trio.open_nursery() as nursery:

        async def stop_when_edited() -> None:
            edited.update(await files.edited())
            nursery.cancel_scope.cancel()

        nursery.start_soon(stop_when_edited)
        try:
            await examine()
        except RosterError as error:
            audience.invalid(error)
        nursery.cancel_scope.cancel()
    return edited
