"""Whether a league is being played, by which process, how fast, and when: what `status` and the report show.

A runner holds a lock while it lives (`only_runner` in arena/league/store.py), and writes its process id into the lock's
file. Every few seconds it also renews a setting of the store, with the times of its first and of its last sign of life.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from arena.league.store import LOCK, Store

RUNS = "runs"
"""The setting."""
EVERY_S = 5.0
"""How often it is renewed."""
PLAYING = "playing"
"""The setting with the tables at which matches are being played, as lists of bots by seat."""
MOST_PLAYING = 64
"""Tables that are named; a cluster may have thousands."""
Tables = Iterable[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Runs:
    """When a league was played, in seconds since 1970, and what the last run has played."""

    first: int
    """When its first run began."""
    began: int
    """When its last run began."""
    seen: int
    """When its last run was last seen at work."""
    new: int
    """How many matches its last run has played."""

    @property
    def rate(self) -> float | None:
        """Matches of a second in the last run; None if it took less than a second."""
        took = self.seen - self.began
        return self.new / took if took > 0 else None


def runs_of(settings: dict[str, Any]) -> Runs | None:
    """What a store knows about its runs; None if an older arena has played it."""
    return Runs(**settings[RUNS]) if RUNS in settings else None


class Heartbeat:
    """Renews the setting while a league runs. A run goes on with another plan when the roster changes."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._before = 0
        """How many matches of this run were played by earlier plans."""
        now = int(clock())
        before = runs_of(store.settings())
        self._first, self._began = now if before is None else before.first, now
        self._next = clock()

    def beat(self, new: int, is_last: bool = False, playing: Tables = ()) -> None:
        """The runner is at work at these tables, and has played this many matches of its plan.

        `is_last`: the plan ends here.
        """
        now = self._clock()
        if now >= self._next or is_last:
            self._next = now + EVERY_S
            played = self._before + new
            runs = Runs(self._first, self._began, int(now), played)
            self._store.settle({RUNS: asdict(runs), PLAYING: [list(one) for one in islice(playing, MOST_PLAYING)]})
            self._before = played if is_last else self._before


def state_of(store: Store) -> str:
    """running, complete or stopped."""
    settings = store.settings()
    if runner(store.path.parent) is not None:
        return "running"
    return "complete" if settings.get("ended") or store.count_now() >= settings["planned"] else "stopped"


def runner(folder: Path) -> int | None:
    """The id of the process that runs this league: 0 if it is not known, None if there is none.

    A shared lock that is given back at once tells that; a runner that starts at this moment tries again.
    """
    try:
        fd = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return _process(fd) if error.errno == errno.EWOULDBLOCK else None
    finally:
        os.close(fd)
    return None


def _process(fd: int) -> int:
    with suppress(ValueError):
        return int(os.pread(fd, 32, 0))
    return 0
