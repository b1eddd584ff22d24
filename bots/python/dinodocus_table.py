"""A position of Dinodocus that is changed in place as a game is played on; cards are numbers, as in the engine."""

from collections.abc import Sequence
from typing import Any

HAND = 5
FERNS = 4
OLD = 4
"""From so many period cards on, the next one is worth 5 points; before that, one more than there are."""
PARTS = 4


def gain(periods: int) -> int:
    """What the next period card of a dinosaur is worth."""
    return periods + 1 if periods < OLD else OLD + 1


LENGTH = tuple(sum(map(gain, range(periods))) for periods in range(100))
"""What a dinosaur with so many period cards is worth."""


class Animal:
    """A dinosaur on the table. Fed is one that holds a fern, or has eaten this turn."""

    __slots__ = ("attack", "cards", "closed", "defence", "fed", "id", "meat", "owner", "periods", "strength")

    def __init__(
        self, id_: int, owner: int, meat: bool, attack: int, defence: int, fed: bool, periods: int, closed: bool,
        cards: list[int],
    ) -> None:  # fmt: skip
        self.id = id_
        self.owner = owner
        self.meat = meat
        self.attack = attack
        self.defence = defence
        self.strength = attack if attack > defence else defence
        self.fed = fed
        self.periods = periods
        self.closed = closed
        self.cards = cards

    def copy(self) -> "Animal":
        return Animal(
            self.id, self.owner, self.meat, self.attack, self.defence, self.fed, self.periods, self.closed,
            self.cards[:],
        )  # fmt: skip


class Table:
    """A position in the middle of a turn."""

    __slots__ = (
        "advanced", "animals", "cap", "current", "decks", "discards", "hands", "hidden", "made", "over", "periods",
        "points", "seats", "turn",
    )  # fmt: skip
    advanced: bool
    animals: list[Animal]
    cap: int
    current: int
    decks: list[list[int]]
    discards: list[list[int]]
    hands: list[list[int]]
    hidden: list[int]
    made: int
    over: bool
    periods: int
    points: list[int]
    seats: int
    turn: int


def table_of(state: Any, decks: Sequence[Sequence[int]]) -> Table:
    """The engine's position, with the cards of the decks in this order, the next one last."""
    table = Table()
    setup, fed, closed = state.setup, state.ate, state.closed
    table.seats, table.advanced, table.cap = setup.seats, setup.advanced, setup.turn_cap
    table.current, table.periods, table.turn, table.made = state.current, state.periods, state.turn, state.made
    table.over = state.phase.value == "over"
    table.hands = [list(hand) for hand in state.hands]
    table.decks = [list(deck) for deck in decks]
    table.discards = [list(pile) for pile in state.discards]
    table.hidden = list(state.hidden)
    table.points = [sum([LENGTH[count] for _, count in line]) for line in state.timelines]
    table.animals = [
        Animal(
            dino.id, dino.owner, dino.body.is_carnivore, 0 if dino.id in state.starving else dino.body.attack,
            dino.body.defence, dino.fern or dino.id in fed, dino.periods, dino.id in closed, list(dino.body.cards),
        )
        for dino in state.dinos
    ]  # fmt: skip
    return table
