"""The views of both games as types, for an editor to complete and mypy to check:

    view: views.Draftosaurus = question["view"]

`arena rules draftosaurus` and `arena rules dinodocus` tell what the fields mean.
"""

from typing import Any, Literal, NotRequired, TypedDict

Zoo = dict[str, str]
"""Pen -> its dinosaurs, as letters; empty pens are left out."""
Part = Literal["H", "A", "P", "T"]
"""Head, front legs, back legs or tail."""


class Draftosaurus(TypedDict):
    """All that a seat knows. Lists are by seat."""

    phase: str
    season: str
    game: int
    round: int
    turn: int
    seat: int
    seats: int
    options: dict[str, Any]
    first: int | None
    roller: int | None
    die: str | None
    bound: list[bool]
    zoos: list[Zoo]
    hands: list[str | None]
    hand_size: int
    bag_size: int
    per_species: int
    picks: list[str] | None
    discards: NotRequired[list[str]]
    """Of two players only, as `drops`."""
    drops: NotRequired[list[str | None]]
    summer: NotRequired[list[Zoo]]
    """The final summer zoos, in the winter half of the double game."""


class Dino(TypedDict):
    """A dinosaur on the table."""

    id: str
    owner: int
    name: str
    cards: list[str]
    diet: Literal["C", "H"]
    attack: int
    defence: int
    fern: bool
    periods: int
    closed: bool
    fed: bool
    starving: bool
    bonus: bool


class Offer(TypedDict):
    """A card that a seat offers."""

    seat: int
    card: str


class Dinodocus(TypedDict):
    """All that a seat knows. Lists are by seat, except `dinos` and `offers`."""

    phase: str
    turn: int
    current: int
    seat: int
    seats: int
    options: dict[str, Any]
    cards: dict[str, list[Any]]
    """Card -> attack, defence, diet (of heads, else None) and the numbers of the real dinosaurs that it is part of."""
    pool: int
    periods: int
    decks: dict[Part, int]
    discards: dict[Part, list[str]]
    made: int
    dinos: list[Dino]
    timelines: list[dict[str, int]]
    hands: list[list[str] | None]
    hand_sizes: list[int]
    hand_parts: list[dict[Part, int]] | None
    shown: list[list[str]]
    hidden: list[int | None]
    window: str | None
    round: int
    receiver: int | None
    offers: list[Offer]
    focus: str | None
    maker: int | None
    draw: Part | None
