"""The bridge between a match and the pages of its persons: trio in a thread of its own, and the loop of the server.

Theory of operation. A match runs in its own thread, so that no page delays the clocks of its bots. Everything else
belongs to one thread, the loop's. Values cross in two ways only, and neither waits: `post` calls a function in the
loop (`call_soon_threadsafe`), and trio's token calls one in the match. What crosses is never changed afterwards.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import trio

from arena.errors import ArenaError
from arena.match import person
from arena.match.play import MatchSetup
from arena.match.record import MatchRecord
from arena.match.referee import Referee
from arena.running import innermost
from arena.web.play.telling import SeatSight
from engine.contract import Game
from protocol.messages import Decide, End, Start

Post = Callable[[Callable[[], None]], None]
"""Has a function called in the loop, soon and in order, from any thread."""


class Audience(Protocol):
    """Who hears of a match, in the loop. The first argument is the seat."""

    def begun(self, seat: int, start: Start) -> None:
        """The seat's match begins."""

    def asked(self, seat: int, question: Decide) -> None:
        """The seat must decide."""

    def seen(self, seat: int, seen: SeatSight) -> None:
        """A step was played."""

    def told_end(self, seat: int, end: End) -> None:
        """The seat's match is over."""

    def recorded(self, record: MatchRecord) -> None:
        """The record is kept."""

    def failed(self, error: BaseException) -> None:
        """The match broke off, and there is no record."""


@dataclass(slots=True)
class Desk:
    """A person's seat in the match. A Person of arena.match.person, who looks at a page and answers from it."""

    seat: int
    audience: Audience
    post: Post
    _open: int | None = None
    """The question that waits for an answer."""
    _has_left: bool = False
    _answer: str | None = None
    _is_answered: trio.Event = field(default_factory=trio.Event)

    def begin(self, start: Start) -> None:
        self.post(partial(self.audience.begun, self.seat, start))

    async def decide(self, question: Decide) -> str | None:
        if self._has_left:
            return None
        self._open, self._is_answered = question.id, trio.Event()
        self.post(partial(self.audience.asked, self.seat, question))
        try:
            await self._is_answered.wait()
        finally:
            self._open = None
        return self._answer

    def wait(self) -> None:
        """The page knows by itself that the others are thinking."""

    def end(self, end: End) -> None:
        self.post(partial(self.audience.told_end, self.seat, end))

    # Called in the match's thread

    def take(self, question: int, action: str) -> None:
        """The answer to a question; without effect if it is not open any more."""
        if question == self._open:
            self._answer = action
            self._is_answered.set()

    def leave(self) -> None:
        self._has_left = True
        self._answer = None
        self._is_answered.set()


class MatchThread:
    """One match of persons and bots. All methods are called in the loop."""

    def __init__(
        self,
        game: Game[Any],
        setup: MatchSetup,
        audience: Audience,
        post: Post,
        keep: Callable[[MatchRecord], MatchRecord],
    ) -> None:
        self._game = game
        self._setup = setup
        self._audience = audience
        self._post = post
        self._keep = keep
        self._desks = {
            seat: Desk(seat, audience, post)
            for seat, entry in enumerate(setup.entries)
            if entry.command is person.PERSON
        }
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._early: list[Callable[[], object]] = []
        """What was said before the match could hear it."""
        self._thread = threading.Thread(target=self._run, name=f"match of {setup.game}")

    def start(self) -> None:
        self._thread.start()

    def answer(self, seat: int, question: int, action: str) -> None:
        self._tell(partial(self._desks[seat].take, question, action))

    def leave(self, seat: int) -> None:
        """The person leaves; the arena plays on for the seat."""
        self._tell(self._desks[seat].leave)

    def stop(self) -> None:
        """End the match and its bots now; nothing is recorded."""
        self._tell(self._scope.cancel)

    def join(self) -> None:
        """Wait until its thread has ended, as after `stop`."""
        self._thread.join()

    def _tell(self, said: Callable[[], object]) -> None:
        if self._token is None:
            self._early.append(said)
            return
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(said)

    def _heard(self, token: trio.lowlevel.TrioToken) -> None:
        self._token = token
        early, self._early = self._early, []
        for said in early:
            self._tell(said)

    # In the thread of the match

    def _run(self) -> None:
        try:
            record = trio.run(self._play)
        except BaseException as error:  # whatever it is, the people at the table must hear of it
            found = innermost(error) if isinstance(error, BaseExceptionGroup) else error
            self._post(partial(self._audience.failed, found))
        else:
            self._post(partial(self._audience.recorded, record))

    async def _play(self) -> MatchRecord:
        self._post(partial(self._heard, trio.lowlevel.current_trio_token()))
        with self._scope:
            match = await person.play(self._setup, list(self._desks.values()), self._watch)
            return self._keep(match.record())
        raise MatchStopped("The arena was stopped before the match was over.")

    def _watch(self, referee: Referee) -> None:
        """After each step: what each person's seat may know now. Faults show as what the arena does about them."""
        out = tuple(seat.index for seat in referee.seats if seat.out is not None)
        for index in self._desks:
            events = tuple(referee.seats[index].events)
            seen = SeatSight(self._game.view(referee.state, index), events, out)
            self._post(partial(self._audience.seen, index, seen))


class MatchStopped(ArenaError):
    """A match was ended before it was over."""
