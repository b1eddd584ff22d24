"""All leagues of a site: which there are, their editions, and who waits for the next one.

Everything here runs in the server's event loop, except that one thread reads stores. Leagues are looked at while
somebody looks at them: a site without viewers does nothing.
"""

import asyncio
import os
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

from arena.errors import StoreError
from arena.league.store import FILE
from arena.web.site.edition import Edition
from arena.web.site.exhibit import USUAL, Exhibit, Tempo

T = TypeVar("T")
RESERVED = frozenset(("api", "events", "index.html", "play", "rules", "static", "about.html"))
"""First words of addresses that are not leagues."""
LIST_S = 2.0
"""How long a list of the leagues is right."""
FIRST_S = 2.0
"""How long a page waits for the first edition before it says that the league is being read."""
BEAT_S = 15.0
"""How often a stream without news says that it is still there."""
MOST_WATCHERS = 1000


class Hall:
    """The leagues of these folders; a folder is a league's, or has those of leagues in it."""

    def __init__(self, sources: Sequence[Path], tempo: Tempo = USUAL) -> None:
        self._sources, self._tempo = tuple(sources), tempo
        self._exhibits: dict[str, Exhibit] = {}
        self._slugs: dict[Path, str] = {}
        self._listed = -LIST_S
        self._reader = ThreadPoolExecutor(1, "reader")
        self._looks: dict[str, asyncio.Task[None]] = {}
        self._news = asyncio.Event()
        self._is_closing = False
        self._watched: Counter[str | None] = Counter()
        """How many viewers each league has; None stands for those of all."""
        self._ticker: asyncio.Task[None] | None = None
        self.troubles: dict[str, str] = {}
        """By league, why it cannot be read."""

    # Which leagues there are

    def exhibits(self) -> dict[str, Exhibit]:
        """All leagues by their part of addresses. New ones are found after a moment."""
        if time.monotonic() - self._listed >= LIST_S:
            self._listed = time.monotonic()
            folders = [folder for source in self._sources for folder in folders_of(source)]
            for folder in folders:
                self._add(folder)
            gone = [slug for slug, one in self._exhibits.items() if one.folder not in folders]
            for slug in gone:
                self._slugs.pop(self._exhibits.pop(slug).folder, None)
        return dict(sorted(self._exhibits.items()))

    def _add(self, folder: Path) -> None:
        if folder not in self._slugs:
            slug = self._slugs[folder] = free_slug(folder.name, {*self._exhibits, *RESERVED})
            self._exhibits[slug] = Exhibit(folder, slug, self._tempo)

    # Editions

    async def edition(self, slug: str) -> Edition | None:
        """The league as it is now, or as it was a moment ago if reading it takes longer. None: it is being read.

        KeyError if there is no such league, StoreError if it cannot be read.
        """
        exhibit = self.exhibits()[slug]
        if exhibit.edition is not None and not exhibit.is_due():
            return exhibit.edition
        look = self._look(exhibit)
        patience = max(FIRST_S, self._tempo.patience_s) if exhibit.edition is None else self._tempo.patience_s
        await asyncio.wait([look], timeout=patience)
        if exhibit.edition is None and slug in self.troubles:
            raise StoreError(self.troubles[slug])
        return exhibit.edition

    async def look_at_all(self) -> None:
        """See whether any league has news, and wait for a moment for those that were never read."""
        due = [exhibit for exhibit in self.exhibits().values() if exhibit.is_due()]
        looks = {exhibit.slug: self._look(exhibit) for exhibit in due}
        new = [looks[one.slug] for one in due if one.edition is None and one.slug not in self.troubles]
        if new:
            await asyncio.wait(new, timeout=max(FIRST_S, self._tempo.patience_s))

    def _look(self, exhibit: Exhibit) -> asyncio.Task[None]:
        """The task that reads a league. There is at most one for each."""
        if exhibit.slug not in self._looks:
            task = asyncio.create_task(self._refreshed(exhibit))
            self._looks[exhibit.slug] = task
            task.add_done_callback(lambda _: self._looks.pop(exhibit.slug, None))
        return self._looks[exhibit.slug]

    async def _refreshed(self, exhibit: Exhibit) -> None:
        try:
            await self.read(exhibit.refresh)
            self.troubles.pop(exhibit.slug, None)
        except StoreError as error:
            self.troubles[exhibit.slug] = str(error)
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def read(self, work: Callable[[], T]) -> T:
        """Do this in the thread that reads, one thing after another."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)

    # Who waits

    async def watch(self, slug: str | None) -> AsyncIterator[str]:
        """The number of a league's edition, or those of all leagues, whenever it changes; empty if nothing does."""
        self._watched[slug] += 1
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(self._tick())
        try:
            said = None
            while not self._is_closing:
                news, numbers = self._news, self._numbers(slug)
                yield numbers if numbers != said else ""
                said = numbers
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), BEAT_S)
        finally:
            self._watched[slug] -= 1

    @property
    def watchers(self) -> int:
        return self._watched.total()

    def _numbers(self, slug: str | None) -> str:
        shown = [one for one in self.exhibits().values() if slug in (None, one.slug)]
        return " ".join(f"{one.slug}:{one.edition.number if one.edition else 0}" for one in shown)

    async def _tick(self) -> None:
        """Look at the leagues that are watched, as long as there are any: once for all viewers."""
        while self.watchers and not self._is_closing:
            for exhibit in self.exhibits().values():
                if (self._watched[exhibit.slug] or self._watched[None]) and exhibit.is_due():
                    self._look(exhibit)
            await asyncio.sleep(max(0.02, self._tempo.look_s / 4))

    # Its life

    @asynccontextmanager
    async def lifespan(self, _app: object) -> AsyncIterator[None]:
        for exhibit in self.exhibits().values():
            self._look(exhibit)
        try:
            yield
        finally:
            self.close()
            self._reader.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """End all streams, so that the server can end."""
        self._is_closing = True
        self._news.set()


def folders_of(source: Path) -> list[Path]:
    """The folders of leagues that are here: this one, or those in it."""
    if os.path.isfile(source / FILE):
        return [source]
    return sorted(path.parent for path in source.glob(f"*/{FILE}"))


def free_slug(name: str, taken: set[str]) -> str:
    """A part of addresses that looks like this name and is not taken."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:64] or "league"
    numbered = (f"{slug}-{number}" for number in range(2, 1 << 20))
    return slug if slug not in taken else next(one for one in numbered if one not in taken)
