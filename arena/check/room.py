"""What the exams of one bot share: how to start it, what is known about it, and what went wrong so far."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import trio

from arena.building.build import Way
from arena.check.probe import HELLO_S, Failed, Probe, open_probe
from arena.check.questions import MATCH_CLOCK, SHORT_CLOCK, ExamSetting
from arena.check.standby import Standby
from arena.match.launch import Launcher
from arena.roster.entries import Entry
from arena.sandbox.policy import Tier
from engine.catalogue import game as find_game
from engine.catalogue import names
from protocol.messages import Hello

AT_ONCE = 3
"""Processes that are examined at the same time."""


class Skipped(Exception):
    """An exam cannot be held; the text says why."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that went wrong in an exam."""

    exam: str
    id: str
    """The id of its finding, unless it is a consequence of another."""
    raw: str
    """The id of what was seen, without the situation."""
    seen: str
    stderr: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    follows: tuple[str, ...] = ()
    """Findings of which this is a consequence, if there are any."""
    level: str | None = None
    """If it is not the level of the finding."""
    advice: str = ""
    """What to do in this case, in addition to the fix of the finding."""
    is_retreat: bool = False
    """Whether it works without a sandbox, and is examined without one from then on."""


class Room:
    """What the exams of one bot share: how to start it, what is known about it, and what went wrong so far."""

    def __init__(self, entry: Entry, launchers: Mapping[Tier, Launcher], game: str | None, is_described: bool) -> None:
        self.entry = entry
        self.is_described = is_described
        self.launchers = launchers
        self.home = next(iter(launchers))
        """The tier of the exams: the best one, unless the bot only plays in `none`."""
        self.only = game
        self.way, self.build_s = Way.NO, 0
        """Whether and where it is built, and how long that may take."""
        self.hello_s = HELLO_S
        """How long it may take to start."""
        self.standby: Standby | None = None
        """Where processes wait, if the bot starts slowly."""
        self._here = names()
        self.exam = ""
        self.remark: str | None = None
        """A remark on an exam that was held."""
        self.hello: Hello | None = None
        self.troubles: list[Trouble] = []
        self.phases: set[tuple[str, str]] = set()
        """Games and phases in which it has answered."""
        self.passed: list[ExamSetting] = []
        """Matches that it can play in a new process."""

    def open(self, tier: Tier | None = None) -> AbstractAsyncContextManager[Probe]:
        """A new process."""
        if self.standby is not None and tier in (None, self.home):
            return self._lent(self.standby)
        return open_probe(self.entry, self.launchers[tier or self.home], self.hello_s)

    def starts_fast(self) -> None:
        """Each exam gets new processes of its own."""
        if self.standby is not None:
            self.standby.clear()
            self.standby = None

    @asynccontextmanager
    async def _lent(self, standby: Standby) -> AsyncIterator[Probe]:
        probe = await standby.new()
        try:
            yield probe
        except BaseException:
            probe.dismissed.set()
            raise
        standby.give_back(probe)

    def note(self, kind: str, seen: str, **more: Any) -> None:
        """Note a failure that did not happen in a conversation."""
        self.troubles.append(Trouble(self.exam, kind, kind, seen, **more))

    def failed(self, failed: Failed, special: str | None = None, follows: tuple[str, ...] = (), **where: Any) -> None:
        """Note a failure, perhaps in a special situation."""
        tier = {} if self.home == next(iter(self.launchers)) else {"tier": self.home.value}
        around = {**failed.where, **tier, **where}
        kind = special or failed.kind
        level = "error" if failed.kind == "stderr-flood" else None  # so much that an arena kills it
        self.troubles.append(
            Trouble(self.exam, kind, failed.kind, failed.seen, failed.stderr, around, follows, level, failed.advice)
        )

    def retreat(self, failed: Failed) -> None:
        """It fails only in the sandbox: hold the other exams without one."""
        self.failed(failed, None if failed.kind == "memory-limit" else "sandbox", tier=self.home.value)
        self.troubles[-1] = replace(self.troubles[-1], is_retreat=True)
        self.home = Tier.NONE
        if self.standby is not None:
            self.standby.clear()

    @contextmanager
    def situation(self, special: str | None, follows: tuple[str, ...] = (), **where: Any) -> Iterator[None]:
        """Note what fails in this block under the id of the situation."""
        try:
            yield
        except Failed as failed:
            self.failed(failed, special, follows, **where)

    async def together(self, *cases: Callable[[], Awaitable[None]]) -> None:
        """Hold these concurrently, at most AT_ONCE at a time."""
        limiter = trio.CapacityLimiter(AT_ONCE)

        async def hold(case: Callable[[], Awaitable[None]]) -> None:
            async with limiter:
                await case()

        async with trio.open_nursery() as nursery:
            for case in cases:
                nursery.start_soon(hold, case)

    @property
    def games(self) -> list[str]:
        """The games of this arena that it plays."""
        listed = [] if self.hello is None else list(dict.fromkeys(self.hello.games))
        return [game for game in listed if game in self._here and self.only in (None, game)]

    def base(self) -> ExamSetting:
        """The plain match."""
        game = self.games[0]
        return ExamSetting(game, find_game(game).seats[0], clock=MATCH_CLOCK)

    @property
    def last_seat(self) -> int:
        """Of the plain match, in which it sits in the first."""
        return self.base().seats - 1

    def brief(self, **changes: Any) -> ExamSetting:
        """The plain match with a shorter clock, for other exams."""
        return replace(self.base(), **{"clock": SHORT_CLOCK, **changes})
