"""The two sides of a zoo board: what each pen admits, and where the die lets a dinosaur go.

The rules are the small functions and tables of the first half. A `Board` compiles them, pen by pen and only as pens
come up, into look-ups, because a pen has few different contents, but the same zoo rarely comes up twice. A set of
placements is an integer with a bit for each species and slot. What a zoo admits (its `room`) is three such sets in one
integer: for faces that do not look into pens, for E, and for X. So every face is a mask, one `&` away.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from sys import intern
from typing import Final

from engine.draftosaurus.pieces import FACES, REX, SPECIES, Lookup, in_order

Zoo = tuple[str, ...]
"""The contents of each pen in board order, the River last."""

BLANK: Final = "......"
"""An empty pyramid, cell by cell; a pen with nothing in it is always "" in a zoo."""

# D-44: bricks that touch. Cells 0-2 are the bottom row, 3-4 the middle, 5 the top.
NEIGHBOURS: Final = ((1, 3), (0, 2, 3, 4), (1, 4), (0, 1, 4, 5), (1, 2, 3, 5), (3, 4))
ROWS: Final = ((0, 1, 2), (3, 4), (5,))

RV: Final = "RV"
QZ: Final = "QZ"


def anything(_pen: str, _dino: str) -> bool:
    return True


def one_species(pen: str, dino: str) -> bool:
    return not pen or dino in pen


def all_different(pen: str, dino: str) -> bool:
    return dino not in pen


def alternating(pen: str, dino: str) -> bool:
    if len(pen) < 2:
        return dino != pen
    return dino == pen[-2]


@dataclass(frozen=True, slots=True)
class Pen:
    """A pen with one row of dinosaurs."""

    name: str
    title: str
    regions: str
    bank: str
    rule: str
    capacity: int | None
    admits: Callable[[str, str], bool] = anything
    holds: str = "any species"
    ordered: bool = False

    @property
    def slots(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def written(self) -> str:
        return f"dinosaurs, of {' '.join(SPECIES)}"

    def open_slots(self, contents: str, dino: str) -> tuple[str, ...]:
        return self.slots if not self._full(contents) and self.admits(contents, dino) else ()

    def put(self, contents: str, dino: str, _slot: str) -> str:
        return intern(contents + dino) if self.ordered else in_order(contents + dino)

    def why_not(self, contents: str, _dino: str, _slot: str) -> tuple[str, str]:
        """Why a dinosaur is not admitted, and by which rule."""
        if self._full(contents):
            return f"the {self.title} is full with {contents}", self.rule
        return f"the {self.title} holds {self.holds} and has {contents}", self.rule

    def reads(self, text: str) -> bool:
        """Whether a person wrote contents as they are `written`."""
        return set(text) <= set(SPECIES)

    def spots(self, text: str) -> Iterator[tuple[str, str]]:
        """The (slot, dinosaur) pairs of contents written by a person."""
        for dino in text:
            yield self.name, dino

    def _full(self, contents: str) -> bool:
        return self.capacity is not None and len(contents) >= self.capacity


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The Pyramid: six cells, filled row by row, equal species never touching (D-43, D-44)."""

    name: str
    title: str
    regions: str
    bank: str
    left_to_right: bool

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(f"PY{cell}" for cell in range(6))

    @property
    def written(self) -> str:
        return f"six cells from the bottom left up, each . or one of {' '.join(SPECIES)}"

    def open_slots(self, contents: str, dino: str) -> tuple[str, ...]:
        cells = contents or BLANK
        return tuple(f"PY{cell}" for cell in self._next_cells(cells) if not self._touches(cells, dino, cell))

    def put(self, contents: str, dino: str, slot: str) -> str:
        cells, cell = contents or BLANK, int(slot[2])
        return intern(cells[:cell] + dino + cells[cell + 1 :])

    def why_not(self, contents: str, dino: str, slot: str) -> tuple[str, str]:
        """Why this cell is closed to this dinosaur, and by which rule."""
        cells, cell = contents or BLANK, int(slot[2])
        if cells[cell] != ".":
            return f"cell {cell} of the Pyramid holds {cells[cell]}", "D-43"
        if cell not in self._next_cells(cells):
            order = "row by row, from the left" if self.left_to_right else "row by row"
            return f"the Pyramid is filled {order} and has {cells}", "D-43"
        return f"cell {cell} of the Pyramid touches another {dino} in {cells}", "D-44"

    def reads(self, text: str) -> bool:
        return len(text) == len(BLANK) and set(text) <= {".", *SPECIES}

    def spots(self, text: str) -> Iterator[tuple[str, str]]:
        for cell, dino in enumerate(text):
            if dino != ".":
                yield f"PY{cell}", dino

    def _next_cells(self, cells: str) -> tuple[int, ...]:
        for row in ROWS:
            free = tuple(cell for cell in row if cells[cell] == ".")
            if free:
                return free[:1] if self.left_to_right else free
        return ()

    @staticmethod
    def _touches(cells: str, dino: str, cell: int) -> bool:
        return any(cells[other] == dino for other in NEIGHBOURS[cell])


River = Pen(RV, "River", "", "", "D-11", None)


def opens(face: str, pen: Pen | Pyramid, contents: str) -> bool:
    """Whether the die lets a dinosaur into a pen (D-20 to D-25), and always into the River (D-11, D-26)."""
    if pen is River or not face:
        return True
    if face == "E":
        return not contents
    if face == "X":
        return REX not in contents
    return face in pen.regions or face == pen.bank


class Board:
    """One side of the board under one set of options."""

    def __init__(self, season: str, pens: tuple[Pen | Pyramid, ...], whole_bridge: bool = False) -> None:
        self.season = season
        self.pens = (*pens, River)
        self.names = tuple(pen.name for pen in self.pens)
        self.slots = tuple(slot for pen in self.pens for slot in pen.slots)
        self.pen_of = {slot: k for k, pen in enumerate(self.pens) for slot in pen.slots}
        self.empty: Zoo = ("",) * len(self.pens)
        spots = [f"{dino}@{slot}" for dino in SPECIES for slot in self.slots]
        self._bit = {spot: 1 << i for i, spot in enumerate(spots)}
        self._layer = {"": 0, "E": len(spots), "X": 2 * len(spots)}
        """By how many bits each of the three sets of a room is shifted."""
        self._bridge = tuple(k for k, pen in enumerate(pens) if whole_bridge and pen.name in ("BL", "BR"))
        self._room = tuple(Lookup(partial(self._room_in, pen)) for pen in self.pens)
        self._differences = Lookup(self._difference)
        self._grow = {spot: (self.pen_of[spot[2:]], Lookup(partial(self._grown, spot))) for spot in spots}
        self.masks = {face: {dino: self._mask(face, dino) for dino in SPECIES} for face in ("", *FACES)}
        """By die face and species: the bits of a room that are placements."""
        self.listed = Lookup(self._list)
        """The placements of a room, by its bits behind a mask."""

    def room(self, zoo: Zoo) -> int:
        """All placements that the pens of a zoo admit, for every face of the die."""
        room = sum(room[contents] for room, contents in zip(self._room, zoo))
        for face in "EX":
            if not all(opens(face, self.pens[k], zoo[k]) for k in self._bridge):
                room &= ~sum(self._bits(SPECIES, self.pens[k].slots) << self._layer[face] for k in self._bridge)
        return room

    def placements(self, room: int, dino: str, face: str) -> tuple[str, ...]:
        """The legal placements of one dinosaur in canonical order (D-10)."""
        return self.listed[room & self.masks[face][dino]]

    def placed(self, zoo: Zoo, room: int, action: str) -> tuple[Zoo, int]:
        """The zoo and its room after a legal placement such as "D@FS"."""
        k, grow = self._grow[action]
        contents, change = grow[zoo[k]]
        pens = list(zoo)
        pens[k] = contents
        grown = tuple(pens)
        return grown, self.room(grown) if self._bridge else room ^ change

    def why_not(self, zoo: Zoo, dino: str, slot: str, face: str) -> tuple[str, str]:
        """The reason and the rule that close a slot to a dinosaur."""
        k = self.pen_of[slot]
        pen = self.pens[k]
        both = self._bridge if k in self._bridge else (k,)
        if not all(opens(face, pen, zoo[other]) for other in both):
            words, rule = FACES[face]
            return f"the die says {face} ({words}), which the {pen.title} is not", rule
        return pen.why_not(zoo[k], dino, slot)

    def moves(self, zoo: Zoo, room: int) -> tuple[str, ...]:
        """Where the quarantined dinosaur may go, as placements (D-46)."""
        return self.placements(room, zoo[self.pen_of[QZ]], "")

    def moved(self, zoo: Zoo, slot: str) -> Zoo:
        """The zoo after the quarantined dinosaur went to a slot that is open to it."""
        k = self.pen_of[QZ]
        grown, _ = self.placed(zoo, 0, f"{zoo[k]}@{slot}")
        return (*grown[:k], "", *grown[k + 1 :])

    def difference(self, before: Zoo, after: Zoo) -> str:
        """The placement that leads from one zoo to the other."""
        k = 0
        while after[k] == before[k] or not after[k]:
            k += 1
        return self._differences[k, before[k], after[k]]

    def _difference(self, key: tuple[int, str, str]) -> str:
        k, before, after = key
        options = self.listed[self._room[k][before]]
        return next(action for action in options if self._grow[action][1][before][0] == after)

    def _mask(self, face: str, dino: str) -> int:
        if face in self._layer:
            return self._bits(dino, self.slots) << self._layer[face]
        return sum(self._bits(dino, pen.slots) for pen in self.pens if opens(face, pen, ""))

    def _bits(self, dinos: str, slots: tuple[str, ...]) -> int:
        return sum(self._bit[f"{dino}@{slot}"] for dino in dinos for slot in slots)

    def _room_in(self, pen: Pen | Pyramid, contents: str) -> int:
        admitted = sum(self._bits(dino, pen.open_slots(contents, dino)) for dino in SPECIES)
        return sum(admitted << shift for face, shift in self._layer.items() if opens(face, pen, contents))

    def _grown(self, spot: str, contents: str) -> tuple[str, int]:
        """The contents of a pen after a placement, and the bits of the room that change."""
        k = self.pen_of[spot[2:]]
        grown = self.pens[k].put(contents, spot[0], spot[2:])
        return grown, self._room[k][contents] ^ self._room[k][grown]

    def _list(self, bits: int) -> tuple[str, ...]:
        flat = 0
        for shift in self._layer.values():
            flat |= bits >> shift & (1 << len(self._bit)) - 1
        return self.listed[flat] if flat != bits else tuple(spot for spot, bit in self._bit.items() if bits & bit)


@cache
def summer(prairie_capacity: int | None) -> Board:
    """The summer side (D-30 to D-35)."""
    return Board(
        "summer",
        (
            Pen("FS", "Forest of Sameness", "W", "L", "D-30", 6, one_species, "one species only"),
            Pen("WT", "Woody Trio", "W", "L", "D-33", 3),
            Pen("KJ", "King of the Jungle", "W", "R", "D-34", 1),
            Pen("PL", "Prairie of Love", "G", "L", "D-32", prairie_capacity),
            Pen("MD", "Meadow of Differences", "G", "R", "D-31", 6, all_different, "different species only"),
            Pen("SI", "Solitary Island", "G", "R", "D-35", 1),
        ),
    )


@cache
def winter(bridge_capacity: int | None, bridge_region: str, bridge_die_unit: str, pyramid_fill: str) -> Board:
    """The winter side (D-40 to D-46)."""
    left_region, right_region = {"split": ("W", "G"), "woods_only": ("W", "W"), "both": ("WG", "WG")}[bridge_region]
    alternate = "two species in turn"
    return Board(
        "winter",
        (
            Pen("WO", "Well-Ordered Wood", "W", "L", "D-40", 6, alternating, alternate, ordered=True),
            Pen("BL", "Lovers' Bridge (left)", left_region, "L", "D-41", bridge_capacity),
            Pen("LO", "Lookout", "W", "R", "D-45", 1),
            Pen(QZ, "Quarantine Zone", "G", "L", "D-46", 1),
            Pen("BR", "Lovers' Bridge (right)", right_region, "R", "D-41", bridge_capacity),
            Pyramid("PY", "Pyramid", "G", "R", pyramid_fill == "left_to_right"),
        ),
        whole_bridge=bridge_die_unit == "whole",
    )
