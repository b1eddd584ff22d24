"""A position of Draftosaurus, and the questions that every other module asks of it."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from engine.contract import Seat
from engine.draftosaurus.boards import QZ, Board, Zoo
from engine.draftosaurus.options import HAND, Choices, Setup

Group = tuple[str, ...]
"""Dinosaurs by seat."""


class Phase(StrEnum):
    """What happens next. Chance acts in the first three phases, no seat in the last."""

    FIRST = "first"
    DEAL = "deal"
    ROLL = "roll"
    PICK = "pick"
    PLACE = "place"
    DRAFT = "draft"
    DISCARD = "discard"
    QUARANTINE = "quarantine"
    OVER = "over"


# Phase.PICK takes 115 ns to look up in Python 3.11, PICK 15.
FIRST: Final = Phase.FIRST
DEAL: Final = Phase.DEAL
ROLL: Final = Phase.ROLL
PICK: Final = Phase.PICK
PLACE: Final = Phase.PLACE
DRAFT: Final = Phase.DRAFT
DISCARD: Final = Phase.DISCARD
QUARANTINE: Final = Phase.QUARANTINE
OVER: Final = Phase.OVER

IN_TURN: Final = frozenset((ROLL, PICK, PLACE, DRAFT, DISCARD))


# Not frozen, because a frozen dataclass takes 1.6 µs to make and these 0.3, and a match makes hundreds. Treat them as
# frozen: every step makes new ones.


@dataclass(slots=True, unsafe_hash=True)
class RoundStage:
    """What stays the same during a round."""

    setup: Setup
    game: int
    """0, or 1 in the winter half of summer_winter."""
    round: int
    first: Seat
    """The seat that rolled first in this game."""
    bag: str
    summer: tuple[Zoo, ...]
    """The final zoos of the summer half of summer_winter."""


@dataclass(slots=True, unsafe_hash=True, init=False)
class State:
    """A position."""

    stage: RoundStage
    phase: Phase
    turn: int
    die: str
    hands: Group
    zoos: tuple[Zoo, ...]
    picks: Group
    """Revealed and not yet placed."""
    drops: Group
    """Chosen with the pick and still in hand until the pick is placed."""
    box: Group
    """What each of two players has put back into the box, turn by turn."""

    # What follows from the rest, kept because the next step needs it again.
    rooms: tuple[int, ...]
    """What each zoo admits, as Board.room returns it."""
    actors: tuple[Seat, ...]
    choices: Choices

    # Written out, because that of a dataclass is not compiled with the rest: a playout takes 10 to 18 % less.
    def __init__(
        self,
        stage: RoundStage,
        phase: Phase,
        turn: int,
        die: str,
        hands: Group,
        zoos: tuple[Zoo, ...],
        picks: Group,
        drops: Group,
        box: Group,
        rooms: tuple[int, ...] = (),
        actors: tuple[Seat, ...] = (),
        choices: Choices = (),
    ) -> None:
        self.stage = stage
        self.phase = phase
        self.turn = turn
        self.die = die
        self.hands = hands
        self.zoos = zoos
        self.picks = picks
        self.drops = drops
        self.box = box
        self.rooms = rooms
        self.actors = actors
        self.choices = choices

    def __reduce__(self) -> tuple[Any, ...]:
        # A compiled class with an __init__ has no empty instances, which pickle would fill.
        return State, tuple(getattr(self, one.name) for one in fields(self))


def board(state: State) -> Board:
    """The board side in play."""
    return state.stage.setup.boards[state.stage.game]


def roller(state: State) -> Seat:
    """The seat that rolls the die this turn."""
    stage = state.stage
    return stage.setup.rollers[stage.round][stage.first][state.turn]


def face(state: State, seat: Seat) -> str:
    """The die as it binds this seat, "" if it does not (D-10)."""
    stage = state.stage
    return "" if seat == stage.setup.exempt[stage.round][stage.first][state.turn] else state.die


def quarantined(state: State) -> tuple[Seat, ...]:
    """The seats with a dinosaur in quarantine (D-46)."""
    k = board(state).pen_of.get(QZ)
    return () if k is None else tuple(seat for seat, zoo in enumerate(state.zoos) if zoo[k])


def hand_size(setup: Setup, phase: Phase, turn: int) -> int:
    """How many dinosaurs every hand holds (D-07, D-15)."""
    if phase not in IN_TURN:
        return 0
    taken = turn * (2 if setup.discards else 1)
    return HAND - taken - (phase in (PLACE, DISCARD))


def placed(setup: Setup, phase: Phase, round_: int, turn: int) -> int:
    """How many dinosaurs a player has placed by now."""
    return round_ * setup.turns + turn + (phase in (DISCARD, QUARANTINE, OVER))


def boxed(setup: Setup, phase: Phase, round_: int, turn: int) -> int:
    """How many dinosaurs a player has put back into the box by now (D-15)."""
    return (round_ * setup.turns + turn + (phase in (QUARANTINE, OVER))) * setup.discards


def bag_size(setup: Setup, phase: Phase, round_: int) -> int:
    """How many dinosaurs the bag holds."""
    dealt = round_ + (phase not in (FIRST, DEAL))
    return (setup.rounds - dealt) * HAND * setup.seats
