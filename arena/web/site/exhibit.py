"""One league on the site: when to look at its store again, and what to publish."""

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from arena.league.heartbeat import runner
from arena.league.report.facts import League
from arena.league.store import FILE, Store, read_store
from arena.web.site.edition import Edition, bot_slug, public, rated_league, status_of
from arena.web.site.ledger import LeagueLedger

SETTLED_NS = 100_000_000
"""A file that was written less than this ago may be written again without a new time."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """How often a league is looked at, in seconds. Reading and rating may take only a share of the time.

    What they take is CPU time: on a busy machine the same look lasts longer, and the page would show old results.
    """

    look_s: float = 4.0
    """Between two looks for new results."""
    rate_s: float = 4.0
    """Between two fits of the ratings."""
    share: float = 0.02
    """Of one core that looks and fits may take."""
    patience_s: float = 0.1
    """How long a page waits for a newer edition before it shows the one that is there."""

    def pause(self, least: float, took: float) -> float:
        return max(least, took / self.share)


USUAL = Tempo()
EAGER = Tempo(0.0, 0.0, math.inf, 600.0)
"""For files that are written once, and for tests."""


class Exhibit:
    """A league that is shown. `refresh` is called by one thread at a time; `edition` is what it has published."""

    def __init__(
        self,
        folder: Path,
        slug: str,
        tempo: Tempo = USUAL,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = time.thread_time,
    ) -> None:
        self.folder, self.slug = folder, slug
        self.edition: Edition | None = None
        self._tempo, self._clock, self._spent = tempo, clock, spent
        self._ledger: LeagueLedger | None = None
        self._league: League | None = None
        self._rated = 0
        self._seen: object = None
        self._next_look = self._next_rating = clock()

    def is_due(self) -> bool:
        """Whether there may be something new, and it is time to look."""
        if self._clock() < self._next_look:
            return False
        stamp = self._stamp()
        return self.edition is None or stamp is None or stamp != self._seen or self._is_rating_late()

    def _is_rating_late(self) -> bool:
        return (
            self._ledger is not None and self._rated != len(self._ledger.index) and self._clock() >= self._next_rating
        )

    def refresh(self) -> Edition:
        """Read what is new, and publish it. StoreError if the league cannot be read."""
        began = self._spent()
        try:
            with read_store(self.folder) as store:
                seen = self._stamp()
                self.edition = self._published(store)
                self._seen = seen
            return self.edition
        finally:
            self._next_look = self._clock() + self._tempo.pause(self._tempo.look_s, self._spent() - began)

    def _published(self, store: Store) -> Edition:
        settings, lineup = store.settings(), store.lineup()
        ledger = self._read(store)
        if self._league is None or (self._rated != len(ledger.index) and self._clock() >= self._next_rating):
            self._rate(store, ledger)
        assert self._league is not None
        bots = {*self._league.bots, *self._league.fit.bots, *ledger.index.bots, *lineup.labels.values()}
        return Edition(
            number=1 if self.edition is None else self.edition.number + 1,
            slug=self.slug,
            folder=self.folder,
            settings=public(settings),
            lineup=lineup,
            status=status_of(store, settings, ledger),
            league=self._league,
            rated=self._rated,
            index=ledger.index,
            count=len(ledger.index),
            seats={key: replace(tally) for key, tally in ledger.seats.items()},
            slugs={bot: bot_slug(bot) for bot in sorted(bots)},
        )

    def _read(self, store: Store) -> LeagueLedger:
        """The ledger with all results. When the roster has changed, versions have other labels, and it begins again."""
        lineup = store.lineup()
        ledger = self._ledger
        if ledger is None or ledger.lineup.labels != lineup.labels or ledger.lineup.keys != lineup.keys:
            ledger = self._ledger = LeagueLedger.of(store, lineup)
            self._league = None
        else:
            ledger.grow(store)
        return ledger

    def _rate(self, store: Store, ledger: LeagueLedger) -> None:
        began = self._spent()
        self._league, self._rated = rated_league(store, store.settings(), ledger), len(ledger.index)
        self._next_rating = self._clock() + self._tempo.pause(self._tempo.rate_s, self._spent() - began)

    def _stamp(self) -> object:
        """What changes when a process writes to the store, or begins or ends to run it; None: it is being written."""
        stamps = [_stamp_of(self.folder / name) for name in (FILE, f"{FILE}-wal")]
        return None if None in stamps else (*stamps, runner(self.folder))


def _stamp_of(path: Path) -> tuple[int, ...] | str | None:
    """None if the file has just been written, so that a later write may leave the same stamp."""
    try:
        found = os.stat(path)
    except OSError:
        return "missing"
    if time.time_ns() - found.st_mtime_ns < SETTLED_NS:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
