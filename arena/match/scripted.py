"""A match without processes, for tests: the test says what arrives from each seat and when, and reads what was sent.

    match = ScriptedMatch(GAME, seats=2)
    match.answer(0, "bid:3", used=0.2)  # seat 0 answers after 0.2 s
    match.time_is_up(0.6)               # 0.6 s after the question seat 1 has not answered
    record = match.finish()             # from here on all seats give their first legal action
    assert match.faults == [("late", 1)]

It drives the real Referee, so rules, clocks, faults, strikes and the record are those of a match between bots; only the
processes, the bytes and the waiting are left out. Time is a number that the test moves.
"""

from collections.abc import Sequence
from typing import Any

from arena.match.agenda import Heard
from arena.match.clock import TimeControl
from arena.match.faults import Broken
from arena.match.record import Header, MatchRecord, Player
from arena.match.referee import Referee
from engine.contract import Game
from protocol.messages import Decide, Message, Move, Ready

FAST = TimeControl(prepare_ms=1000, bank_ms=500, increment_ms=100)


def header(game: Game[Any], seats: int = 2, clock: TimeControl = FAST, **fields: Any) -> Header:
    """The header of a match between bot0, bot1, ...; `fields` are other fields of a Header, such as options or seed."""
    players = tuple(Player(f"bot{seat}", "1", "", clock) for seat in range(seats))
    usual: dict[str, Any] = {
        "match": "m",
        "game": game.name,
        "edition": game.edition,
        "options": {},
        "seed": 7,
        "players": players,
    }
    return Header(**usual | fields)


class ScriptedMatch:
    """One match. With `ready` all seats have said that they are, and the first questions are asked."""

    def __init__(
        self,
        game: Game[Any],
        seats: int = 2,
        *,
        broken: Sequence[Broken | None] = (),
        ready: bool = True,
        **fields: Any,
    ) -> None:
        self.referee = Referee(game, header(game, seats, **fields))
        self.sent: list[list[Message]] = [[] for _ in range(seats)]
        """The messages to each seat so far."""
        self.at = 0.0
        """The time in seconds when the open questions were asked, or when `time_is_up` was called last."""
        self.referee.begin(0.0, broken or [None] * seats)
        self.collect()
        if ready:
            for seat in range(seats):
                self.hear(seat, Ready())

    # What arrives

    def answer(self, seat: int, action: str | None = None, used: float = 0.0, cpu: float = 0.0) -> None:
        """The seat answers its question, with its first legal action unless another is given, after `used` seconds."""
        question = self.last(seat)
        self.hear(seat, Move(question.id, question.legal[0] if action is None else action), used, cpu)

    def hear(self, seat: int, item: Heard, used: float = 0.0, cpu: float = 0.0) -> None:
        """Anything else arrives from a seat: another message, a refused or stale one, or that the bot is Broken."""
        self.referee.heard(seat, item, self.at + used, self.at + cpu)
        self.collect()

    def time_is_up(self, later: float) -> None:
        """So many seconds pass, and the referee looks at the clock."""
        self.at += later
        self.referee.time_is_up(self.at)
        self.collect()

    def finish(self) -> MatchRecord:
        """All seats give their first legal action until the match is over; its record."""
        while not self.referee.over:
            for seat in range(len(self.sent)):
                if self.is_asked(seat):
                    self.answer(seat)
        return self.referee.record()

    # What was sent

    def collect(self) -> None:
        """Deliver what the referee sends. Call this after calling the referee itself."""
        for seat, message in self.referee.outbox():
            self.sent[seat].append(message)
            if isinstance(message, Decide):
                self.referee.asked(seat, self.at, self.at)

    def last(self, seat: int) -> Any:
        """The last message to a seat. Any, because the test knows which one it is."""
        return self.sent[seat][-1]

    def is_asked(self, seat: int) -> bool:
        """Whether the seat owes an answer, or its ready."""
        return self.referee.seats[seat].is_asked

    @property
    def faults(self) -> list[tuple[str, int | None]]:
        """The faults so far: kind and seat, None if no seat caused it."""
        return [(fault.kind.value, fault.seat) for fault in self.referee.faults]
