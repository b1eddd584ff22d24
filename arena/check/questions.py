"""Matches for one bot: the engine plays, the bot sits in one seat, and seeded choices play the others.

A Table knows what to say next and what an answer leads to; it knows no process. The same setting and the same answers
give the same messages, to the letter but for ids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

from engine.catalogue import game as find_game
from engine.contract import CHANCE, Game, Value, why_not
from engine.dice import Seed
from engine.errors import SetupError
from engine.playouts import Choose, at_random, steps
from engine.rare import other_choices, own_choices, rare_phases
from protocol.messages import Plain

PLAYERS = ("Zoë", "Ana", "Björn", "Chi", "Dana")
"""The others. Names may have letters beyond ASCII."""
BOT_SEED = 2**62 + 4711
"""It needs more bits than a float has."""
USED_MS = 1
"""What every `last` tells of the time, so that equal matches are told equally."""
PREPARE_MS = 10_000


@dataclass(frozen=True, slots=True)
class Clock:
    """What a bot is told of its time."""

    bank_ms: int
    increment_ms: int


MATCH_CLOCK = Clock(5_000, 100)
"""Of the plain match. By this it is judged whether a bot is too slow, whatever it is told elsewhere."""
SHORT_CLOCK = Clock(1_000, 20)
"""What is told elsewhere, so that a bot that plans its time does not think for minutes."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A match that can be played again."""

    game: str
    seats: int
    seat: int = 0
    options: Mapping[str, Value] = field(default_factory=dict)
    seed: int = 1
    clock: Clock = SHORT_CLOCK
    ask_forced: bool = False

    @property
    def where(self) -> dict[str, Any]:
        """For a finding."""
        options = {"options": dict(self.options)} if self.options else {}
        return {"game": self.game, "seats": self.seats, "seat": self.seat, **options}

    def __str__(self) -> str:
        told = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"{self.game} with {self.seats} players{told}"


class Table:
    """One match with the bot in one seat."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.game: Game[Any] = find_game(setting.game)
        self.state = self.game.start(setting.seats, setting.options)
        self.last: Plain | None = None
        self.asked = 0
        """Questions so far."""
        self._events: list[Plain] = []
        self._dice = Seed(setting.seed)
        self._choose = other_choices(setting.seed)

    def start(self, match: str = "check") -> Plain:
        """The message that begins it."""
        setting = self.setting
        others = iter(PLAYERS)
        return {
            "type": "start",
            "match": match,
            "game": setting.game,
            "edition": self.game.edition,
            "options": dict(setting.options),
            "seat": setting.seat,
            "seats": setting.seats,
            "players": ["you" if seat == setting.seat else next(others) for seat in range(setting.seats)],
            "clock": {"prepare_ms": PREPARE_MS, **asdict(setting.clock)},
            "bot_seed": BOT_SEED,
        }

    def question(self, number: int, bank_ms: int | None = None) -> Plain | None:
        """The next question, with this id; None if the game is over. Play goes on until the bot has a choice."""
        while actors := self.game.to_act(self.state):
            seat = self.setting.seat
            legal = self.game.legal(self.state, seat) if seat in actors else ()
            if len(legal) > 1 or (legal and self.setting.ask_forced):
                return self._decide(number, legal, bank_ms)
            self._apply(legal[0] if legal else None)
        return None

    def _decide(self, number: int, legal: Sequence[str], bank_ms: int | None) -> Plain:
        view = self.game.view(self.state, self.setting.seat)
        clock = self.setting.clock if bank_ms is None else replace(self.setting.clock, bank_ms=bank_ms)
        events, self._events = self._events, []
        self.asked += 1
        decide = {"type": "decide", "id": number, "phase": view["phase"], "view": view, "legal": list(legal)}
        decide |= {"events": events, "clock": asdict(clock)}
        return decide if self.last is None else {**decide, "last": self.last}

    def take(self, question: Plain, action: str) -> None:
        """Play the answer to this question."""
        self._take(question, action, "accepted", None)

    def refuse(self, question: Plain, status: str, reason: str) -> None:
        """Play what is played for a seat that gave no good answer."""
        self._take(question, self.game.fallback(self.state, self.setting.seat), status, reason)

    def overrule(self, question: Plain, action: str) -> None:
        """Play this instead of the answer, as if that had come too late."""
        self._take(question, action, "late", "the examiner wants the match to go another way")

    def _take(self, question: Plain, action: str, status: str, reason: str | None) -> None:
        self.last = {"id": question["id"], "status": status, "played": action, "used_ms": USED_MS, "reason": reason}
        self._apply(action)

    def why_not(self, action: str) -> str:
        """Why this action is not one of the legal ones, in the game's words."""
        return str(why_not(self.game, self.state, self.setting.seat, action))

    def end(self) -> Plain:
        """The message that ends it, with the scores of now."""
        outcome = self.game.tally(self.state)
        end: Plain = {"type": "end", "scores": list(outcome.scores), "ranks": list(outcome.ranks)}
        end |= {"outcome": {"breakdown": [dict(part) for part in outcome.breakdown]}, "faults": []}
        if self.game.to_act(self.state):
            end["void"] = "the examiner has seen enough of this match"
        return end

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
        self._events += self.game.events(before, self.state, self.setting.seat)


# Which matches there are


@cache
def variants(name: str) -> tuple[Mapping[str, Value], ...]:
    """The default rules, and every option by which phases are added to those before."""
    game = find_game(name)
    seats = game.seats[0]
    seen = _phases(game, seats, {})
    found: list[Mapping[str, Value]] = [{}]
    for option, described in game.options().items():
        for value in described.values:
            if value == described.default or type(value) is int:  # amounts are many, and add no phase
                continue
            try:
                new = _phases(game, seats, {option: value}) - seen
            except SetupError:  # not with so few players
                continue
            if new:
                seen |= new
                found.append({option: value})
    return tuple(found)


def _phases(game: Game[Any], seats: int, options: Mapping[str, Value]) -> set[str]:
    """The phases that a random game comes through."""
    dice = Seed(1)
    start = game.start(seats, options)
    states = [start, *(state for _, state in steps(game, start, dice, at_random(dice)))]
    return {str(game.view(state, None)["phase"]) for state in states if game.to_act(state) not in ((), (CHANCE,))}


def rare(name: str) -> dict[str, Setting]:
    """Phases to which few matches come: a match in which the seat comes there, if it plays what `scripted` says."""
    listed = rare_phases(find_game(name))
    return {phase: Setting(name, one.seats, one.seat, one.options, one.seed) for phase, one in listed.items()}


def scripted(setting: Setting) -> Choose:
    """Choices for the bot's own seat."""
    return own_choices(setting.seed)


def settings(name: str) -> list[Setting]:
    """Every player count of a game, under every variant."""
    pairs = [(options, seats) for options in variants(name) for seats in find_game(name).seats]
    return [Setting(name, seats, i % seats, options, seed=i + 1) for i, (options, seats) in enumerate(pairs)]
