"""What plays the blocks of a league, wherever it does: on this machine (workers.py) or on many (arena/cluster).

An executor takes blocks from a supply, has them played, and reports an event for each match. It never writes the store:
only the runner does, so a match that is played twice, for whatever reason, counts once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import trio

from arena.league.wire import Assignment, Block, Setting
from arena.match.hosts import Host
from arena.sandbox.policy import Tier

Parts = Iterator[Iterator[Block]]
"""A plan. Each part is requested when all of the part before it has been played."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match has been played, or was void."""

    fixture: Assignment
    message: dict[str, Any]
    host: Host | None = None
    """The machine that played it, if it is known."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker ended while it played this match."""

    fixture: Assignment
    reason: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What the user should know at once about the workers; no match depends on it."""

    text: str


Event = Played | Lost | Notice
OnEvent = Callable[[Event], None]


class Executor(Protocol):
    """Plays everything that its parts hold."""

    def retry(self, fixture: Assignment) -> None:
        """Play this match once more."""

    async def work(self, on_event: OnEvent) -> None:
        """Play everything, and call `on_event` for each event at once: a part ends after its last event."""


Hire = Callable[[Setting, int, Parts], Executor]
"""Makes an executor for a league's setting, with this many workers where nothing else decides that."""


class Supply:
    """The blocks that need a worker: those of the plan, and the matches that must be played again.

    A block that was taken is busy until `finished` or `give_back` is called for it.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._blocks: Iterator[Block] = iter(())
        self._again: list[Block] = []
        self._busy = 0
        self._waiting = trio.lowlevel.ParkingLot()

    def retry(self, fixture: Assignment) -> None:
        """This match must be played once more."""
        self._again.append([fixture])

    def take(self) -> Block | None:
        """A block that can be played now; None if there is none at the moment."""
        block = self._again.pop(0) if self._again else next(self._blocks, None)
        self._busy += block is not None
        return block

    async def next(self) -> Block | None:
        """The next block; None when all matches have ended, because one that still runs may have to be played again."""
        while True:
            if block := self.take():
                return block
            if self._busy:
                await self._waiting.park()
                continue
            self._waiting.unpark_all()
            if (part := next(self._parts, None)) is None:
                return None
            self._blocks = part
            await trio.lowlevel.checkpoint()  # in a resumed league many parts in a row may have no blocks

    def finished(self) -> None:
        """A block that was taken has ended."""
        self._busy -= 1
        self._waiting.unpark_all()

    def give_back(self, block: Block) -> None:
        """Another worker should play what is left of a block that was taken."""
        if block:
            self._again.append(block)
        self.finished()


def too_weak(tier: str, least: str) -> str | None:
    """Why a worker whose best sandbox is `tier` gets no work in a league that needs `least`; None: it does."""
    if Tier(tier) >= least:
        return None
    return (
        f'its best sandbox is of tier {tier}, and the league needs {least} (min_tier = "{least}"). '
        "`arena doctor` shows there what is missing."
    )
