"""Phases that few matches come to, and a match that does.

`arena check` asks a bot in every phase of a game. Where its own matches do not come to a phase, it plays one that is
known to: its chance, the other seats and the bot's own seat all follow from one seed. A game lists such matches in an
optional attribute `rare`:

    rare = {"alloc": RarePhase(seats=2, seat=1, seed=11)}

`find` finds them, and engine.conformance checks that they lead where they should.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from engine.contract import CHANCE, Game, Seat, Value
from engine.dice import Seed
from engine.playouts import Choose, at_random

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class RarePhase:
    """A match in which this seat has a choice in the phase."""

    seats: int
    seat: Seat
    seed: int
    options: Mapping[str, Value] = field(default_factory=dict)


def rare_phases(game: Game[Any]) -> Mapping[str, RarePhase]:
    """The rare phases that a game lists, each with a match that comes there."""
    listed: Mapping[str, RarePhase] = getattr(game, "rare", {})
    return listed


def own_choices(seed: int) -> Choose:
    """What the seat itself plays, each time it has a choice."""
    return at_random(Seed(seed), "own")


def other_choices(seed: int) -> Choose:
    """What the other seats play, one after the other in the order of `to_act`."""
    return at_random(Seed(seed), "others")


def phases(game: Game[S], match: RarePhase) -> Iterator[str]:
    """The phases in which the seat has a choice, in the order of the match."""
    state, dice = game.start(match.seats, match.options), Seed(match.seed)
    own, others = own_choices(match.seed), other_choices(match.seed)
    while actors := game.to_act(state):
        if actors == (CHANCE,):
            state = game.apply(state, {CHANCE: game.deal(state, dice)})
            continue
        actions = {seat: others(game.legal(state, seat)) for seat in actors if seat != match.seat}
        if match.seat in actors:
            legal = game.legal(state, match.seat)
            if len(legal) > 1:
                yield str(game.view(state, match.seat)["phase"])
            actions[match.seat] = own(legal) if len(legal) > 1 else legal[0]
        state = game.apply(state, actions)


def find(
    game: Game[S], phase: str, options: Mapping[str, Value] = MappingProxyType({}), seeds: Iterable[int] = range(1000)
) -> RarePhase | None:
    """The first match of these seeds that comes to a phase, with any number of seats; None if there is none."""
    tables = [(seats, seat) for seats in game.seats for seat in range(seats)]
    matches = (RarePhase(seats, seat, seed, dict(options)) for seed in seeds for seats, seat in tables)
    return next((match for match in matches if phase in phases(game, match)), None)
