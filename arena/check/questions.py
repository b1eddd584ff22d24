"""Matches for one bot: the engine plays, the bot sits in one seat, and seeded choices play the others.

An ExamTable decides what to send next and plays the answers; it knows no process. Its messages are made by the same
functions as those of a referee (arena/match/messages.py). The same setting and the same answers give the same messages,
except for ids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from arena.match import messages
from arena.match.clock import TimeControl
from arena.match.faults import Fault, FaultKind
from arena.match.record import Decision, Header, Player, Status
from arena.match.referee import bot_seed
from engine.catalogue import game as find_game
from engine.contract import CHANCE, Event, Game, Value, why_not
from engine.dice import Seed
from engine.errors import SetupError
from engine.playouts import Choose, at_random, steps
from engine.rare import other_choices, own_choices, rare_phases
from protocol.messages import Decide, End, Plain, Start

MATCH = "check"
OTHERS = ("Zoë", "Ana", "Björn", "Chi", "Dana")
"""The other players. Names may have letters beyond ASCII."""
USED_US = 1000
"""The time in every `last`, so that equal matches have equal messages."""
MATCH_CLOCK = TimeControl(bank_ms=5_000, increment_ms=100)
"""Of the plain match. A bot is too slow if it exceeds this clock, whatever clock it receives elsewhere."""
SHORT_CLOCK = TimeControl(bank_ms=1_000, increment_ms=20)
"""What a bot receives elsewhere, so that one that plans its time does not think for minutes."""


@dataclass(frozen=True, slots=True)
class ExamSetting:
    """A match that can be played again."""

    game: str
    seats: int
    seat: int = 0
    options: Mapping[str, Value] = field(default_factory=dict)
    seed: int = 1
    clock: TimeControl = SHORT_CLOCK
    ask_forced: bool = False

    @property
    def where(self) -> dict[str, Any]:
        """For a finding."""
        options = {"options": dict(self.options)} if self.options else {}
        return {"game": self.game, "seats": self.seats, "seat": self.seat, **options}

    def __str__(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"{self.game} with {self.seats} players{options}"

    def header(self) -> Header:
        """The same for a referee."""
        others = iter(OTHERS)
        names = ["you" if seat == self.seat else next(others) for seat in range(self.seats)]
        return Header(
            match=MATCH,
            game=self.game,
            edition=find_game(self.game).edition,
            options=dict(self.options),
            seed=self.seed,
            players=tuple(Player(name, "", "", self.clock) for name in names),
            ask_forced=self.ask_forced,
        )


class ExamTable:
    """One match with the bot in one seat."""

    def __init__(self, setting: ExamSetting) -> None:
        self.setting = setting
        self.header = setting.header()
        self.game: Game[Any] = find_game(setting.game)
        self.state = self.game.start(setting.seats, setting.options)
        self.asked = 0
        """Questions so far."""
        self._last: Plain | None = None
        self._events: list[Event] = []
        self._faults: list[Fault] = []
        self._dice = Seed(setting.seed)
        self._choose = other_choices(setting.seed)

    def start(self, match: str = MATCH) -> Start:
        """The message that begins it."""
        seat = self.setting.seat
        return messages.start(replace(self.header, match=match), seat, bot_seed(self.header, seat))

    def question(self, number: int, bank_ms: int | None = None) -> Decide | None:
        """The next question, with this id; None if the game is over. The others play until the bot has a choice."""
        while actors := self.game.to_act(self.state):
            seat = self.setting.seat
            legal = self.game.legal(self.state, seat) if seat in actors else ()
            if len(legal) > 1 or (legal and self.setting.ask_forced):
                return self._decide(number, legal, bank_ms)
            self._apply(legal[0] if legal else None)
        return None

    def _decide(self, number: int, legal: Sequence[str], bank_ms: int | None) -> Decide:
        parts = self.game.public(self.state), self.game.private(self.state, self.setting.seat)
        clock = self.setting.clock if bank_ms is None else replace(self.setting.clock, bank_ms=bank_ms)
        events, self._events = self._events, []
        self.asked += 1
        return messages.decide(number, parts, legal, events, clock, self._last)

    def take(self, question: Decide, action: str) -> None:
        """Play the answer to this question."""
        self._take(question, action, Status.ACCEPTED, None)

    def refuse(self, question: Decide, kind: FaultKind, reason: str) -> None:
        """Play the fallback of a seat that gave no good answer."""
        self._fault(question, self.game.fallback(self.state, self.setting.seat), kind, reason)

    def overrule(self, question: Decide, action: str) -> None:
        """Play this instead of the answer, as if that had come too late."""
        self._fault(question, action, FaultKind.LATE, "the examiner wants the match to go another way")

    def _fault(self, question: Decide, action: str, kind: FaultKind, reason: str) -> None:
        self._faults.append(Fault(kind, self.setting.seat, self.asked, reason))
        self._take(question, action, Status(kind.value), reason)

    def _take(self, question: Decide, action: str, status: Status, reason: str | None) -> None:
        decision = Decision(self.setting.seat, action, status, USED_US, None, reason)
        self._last = messages.last(question.id, decision)
        self._apply(action)

    def why_not(self, action: str) -> str:
        """Why this action is not one of the legal ones, in the game's words."""
        return str(why_not(self.game, self.state, self.setting.seat, action))

    def end(self) -> End:
        """The message that ends it, with the present scores."""
        outcome = self.game.tally(self.state)
        void = "the examiner has seen enough of this match" if self.game.to_act(self.state) else None
        return messages.end(self.setting.seat, outcome, outcome.ranks, self._faults, void)

    def _apply(self, own: str | None) -> None:
        before, actors = self.state, self.game.to_act(self.state)
        if actors == (CHANCE,):
            actions = {CHANCE: self.game.deal(before, self._dice)}
        else:
            others = [seat for seat in actors if seat != self.setting.seat]
            actions = {seat: self._choose(self.game.legal(before, seat)) for seat in others}
            if own is not None:
                actions[self.setting.seat] = own
        self.state = self.game.apply(before, actions)
        (events,) = self.game.witnessed(before, self.state, [self.setting.seat])
        self._events += events


# Which matches there are


@cache
def variants(name: str) -> tuple[Mapping[str, Value], ...]:
    """The default rules, and every option that adds phases to those before."""
    game = find_game(name)
    seats = game.seats[0]
    seen = phases_of(game, seats, {})
    found: list[Mapping[str, Value]] = [{}]
    for option, described in game.options().items():
        for value in described.values:
            if value == described.default or type(value) is int:  # there are many amounts, and they do not add phases
                continue
            try:
                new = phases_of(game, seats, {option: value}) - seen
            except SetupError:  # impossible with so few players
                continue
            if new:
                seen |= new
                found.append({option: value})
    return tuple(found)


def phases_of(game: Game[Any], seats: int, options: Mapping[str, Value]) -> set[str]:
    """The phases of a random game."""
    dice = Seed(1)
    start = game.start(seats, options)
    states = [start, *(state for _, state in steps(game, start, dice, at_random(dice)))]
    return {str(game.view(state, None)["phase"]) for state in states if game.to_act(state) not in ((), (CHANCE,))}


def rare(name: str) -> dict[str, ExamSetting]:
    """Phases that few matches reach: for each a match whose seat reaches it, if it plays what `scripted` says."""
    listed = rare_phases(find_game(name))
    return {phase: ExamSetting(name, one.seats, one.seat, one.options, one.seed) for phase, one in listed.items()}


def scripted(setting: ExamSetting) -> Choose:
    """Choices for the bot's own seat."""
    return own_choices(setting.seed)


def settings(name: str) -> list[ExamSetting]:
    """Every player count of a game, under every variant."""
    pairs = [(options, seats) for options in variants(name) for seats in find_game(name).seats]
    return [ExamSetting(name, seats, i % seats, options, seed=i + 1) for i, (options, seats) in enumerate(pairs)]
