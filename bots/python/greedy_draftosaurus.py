"""greedy at Draftosaurus: takes what promises the most points, looking a little ahead.

Theory of operation. `Table.worth` estimates the final points of a zoo: what its pens score now, and what those that
can still grow will probably score, given the dinosaurs still to come. An action is worth what the zoo is worth after
it, and a pick what its best placement is worth. A discard is worth what it takes from the neighbour who gets the hand
next. Views hold everything, so nothing is remembered. Equal actions are decided by the order of `legal`.
"""

from __future__ import annotations

import dinobot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

Zoo = dict[str, str]
"""Pen -> its dinosaurs; empty pens are left out or ""."""

TURNS = 12
SPECIES = "TDCSGP"
PENS = {"summer": ("FS", "WT", "KJ", "PL", "MD", "SI", "RV"), "winter": ("WO", "BL", "LO", "QZ", "BR", "PY", "RV")}
ROOM = {"FS": 6, "WT": 3, "KJ": 1, "PL": 6, "MD": 6, "SI": 1, "WO": 6, "LO": 1, "QZ": 1}
ROOM_OPTION = {"PL": "prairie_capacity", "BL": "bridge_capacity", "BR": "bridge_capacity"}
OPENED = {
    "W": ("FS", "WT", "KJ", "WO", "BL", "LO"),
    "G": ("PL", "MD", "SI", "QZ", "BR", "PY"),
    "L": ("FS", "WT", "PL", "WO", "BL", "QZ"),
    "R": ("KJ", "MD", "SI", "LO", "BR", "PY"),
}
BLANK = "......"
ROWS = ((0, 1, 2), (3, 4), (5,))
TOUCHING = ((1, 3), (0, 2, 3, 4), (1, 4), (0, 1, 4, 5), (1, 2, 3, 5), (3, 4))

SAMENESS = (0, 2, 4, 8, 12, 18, 24)
DIFFERENCES = (0, 1, 3, 6, 10, 15, 21)
PYRAMID = (0, 2, 4, 6, 10, 14, 21)

# Guesses, found by playing against itself.
PACE = 0.33
"""Dinosaurs that each turn to come will add to a pen whose points rise with every dinosaur."""
SINGLE = 1.5
"""Points of a dinosaur that may still find its partner."""
SAVED = 4
"""Points of a pen for one dinosaur that is kept empty for a good one."""
DENIAL = 0.3
"""How much a point that the neighbour does not get is worth."""

SLOTS = {*PENS["summer"], *PENS["winter"], *(f"PY{cell}" for cell in range(6))} - {"PY"}


def read(action: str) -> tuple[str, str, str] | None:
    """T@FSxD -> T, FS, D; each may be missing. None: it is of a kind that came after this bot.

    A regular expression would be shorter, but `re` takes longer to import than all of this bot.
    """
    head, cross, drop = action.partition("x")
    dino, at, slot = head.removesuffix("=").replace(">", "@").partition("@")
    is_known = dino in ("", "Q", *SPECIES) and (slot in SLOTS or not at) and (drop in (*SPECIES,) or not cross)
    return (dino, slot, drop) if is_known else None


def put(zoo: Zoo, dino: str, slot: str) -> Zoo:
    """The zoo with one dinosaur more."""
    if not slot.startswith("PY"):
        return {**zoo, slot: zoo.get(slot, "") + dino}
    cells, cell = zoo.get("PY") or BLANK, int(slot[2])
    return {**zoo, "PY": cells[:cell] + dino + cells[cell + 1 :]}


def grown(points: tuple[int, ...], filled: int, turns: int) -> float:
    """The points of a pen that goes on growing at its PACE for so many turns."""
    reach = min(filled + turns * PACE, len(points) - 1)
    below = min(int(reach), len(points) - 2)
    return points[below] + (reach - below) * (points[below + 1] - points[below])


class Table:
    """What lies on the table, for all to see."""

    def __init__(self, season: str, options: dict[str, Any], zoos: list[Zoo]) -> None:
        self.season = season
        self.options = options
        self.zoos = zoos

    @classmethod
    def of(cls, view: dict[str, Any]) -> Table:
        return cls(view["season"], view["options"], view["zoos"])

    def best(self, seat: int, dino: str, die: str | None) -> float:
        """What a seat's zoo is worth once this dinosaur stands in its best place."""
        zoo = self.zoos[seat]
        return max(self.worth(seat, put(zoo, dino, slot)) for slot in self.slots(zoo, dino, die))

    def worth(self, seat: int, zoo: Zoo) -> float:
        """The points that a zoo will probably have in the end, if it is this seat's."""
        if guest := zoo.get("QZ"):
            rest = {**zoo, "QZ": ""}
            return max(self.worth(seat, put(rest, guest, slot)) for slot in self.slots(rest, guest) if slot != "QZ")
        turns = max(0, TURNS - len("".join(zoo.values()).replace(".", "")))
        pens = self.summer(seat, zoo, turns) if self.season == "summer" else self.winter(seat, zoo, turns)
        rex = sum("T" in contents for pen, contents in zoo.items() if pen != "RV")
        return pens + rex + len(zoo.get("RV", ""))

    def summer(self, seat: int, zoo: Zoo, turns: int) -> float:
        trio, prairie = len(zoo.get("WT", "")), zoo.get("PL", "")
        pairs = sum(prairie.count(dino) // 2 for dino in SPECIES)
        return (
            grown(SAMENESS, len(zoo.get("FS", "")), turns)
            + grown(DIFFERENCES, len(zoo.get("MD", "")), turns)
            + (self.options.get("trio_points", 7) * trio / 3 if trio + turns >= 3 else 0)
            + 5 * pairs
            + min(SINGLE * (len(prairie) - 2 * pairs), turns)
            + self.king(seat, zoo, turns)
            + self.island(zoo, turns)
        )

    def winter(self, seat: int, zoo: Zoo, turns: int) -> float:
        left, right = zoo.get("BL", ""), zoo.get("BR", "")
        couples = sum(min(left.count(dino), right.count(dino)) for dino in SPECIES)
        return (
            grown(SAMENESS, len(zoo.get("WO", "")), turns)
            + grown(PYRAMID, len(zoo.get("PY", "").replace(".", "")), turns)
            + 6 * couples
            + min(SINGLE * (len(left + right) - 2 * couples), turns)
            + self.lookout(seat, zoo, turns)
        )

    def king(self, seat: int, zoo: Zoo, turns: int) -> float:
        if not (dino := zoo.get("KJ")):
            return min(SAVED, turns)
        rival = max(self.count(other, dino) for other in self.zoos[:seat] + self.zoos[seat + 1 :])
        lead = self.count(zoo, dino) - rival
        return 7 * min(1, max(0, 0.5 + (lead + 0.5) / (turns + 1)))  # certain once no turn is left

    def island(self, zoo: Zoo, turns: int) -> float:
        if not (dino := zoo.get("SI")):
            return min(SAVED, turns)
        return 7 if self.count(zoo, dino) == 1 else 0

    def lookout(self, seat: int, zoo: Zoo, turns: int) -> float:
        if not (dino := zoo.get("LO")):
            return min(SAVED, turns)
        return 2 * (self.count(self.zoos[seat - 1], dino) + turns / len(SPECIES))

    def count(self, zoo: Zoo, dino: str) -> int:
        """How many of a species are in a zoo; option `zoo_scope` says whether the River is part of it."""
        river = self.options.get("zoo_scope", "all") == "all"
        return sum(contents.count(dino) for pen, contents in zoo.items() if river or pen != "RV")

    def slots(self, zoo: Zoo, dino: str, die: str | None = None) -> Iterator[str]:
        """Where a dinosaur may go, under a face of the die or under none.

        The bridge is taken to be split: its other variants only blur the look ahead, as placements come with `legal`.
        """
        for pen in PENS[self.season]:
            contents = zoo.get(pen, "")
            if die and pen != "RV" and not opens(die, pen, contents):
                continue
            if pen == "PY":
                yield from self.cells(contents or BLANK, dino)
            elif self.admits(pen, contents, dino):
                yield pen

    def admits(self, pen: str, contents: str, dino: str) -> bool:
        room = self.options.get(ROOM_OPTION.get(pen, ""), ROOM.get(pen))
        if room is not None and len(contents) >= room:
            return False
        if pen == "WO":
            return dino == contents[-2] if len(contents) > 1 else dino != contents
        return dino not in contents if pen == "MD" else pen != "FS" or not contents or dino in contents

    def cells(self, cells: str, dino: str) -> list[str]:
        rows = [[cell for cell in row if cells[cell] == "."] for row in ROWS]
        free = next((row for row in rows if row), [])
        if self.options.get("pyramid_fill") == "left_to_right":
            free = free[:1]
        return [f"PY{cell}" for cell in free if all(cells[other] != dino for other in TOUCHING[cell])]


def opens(die: str, pen: str, contents: str) -> bool:
    """Whether a face of the die opens a pen."""
    if die == "E":
        return not contents
    return "T" not in contents if die == "X" else pen in OPENED[die]


class GreedyPlayer:
    """Weighs every legal action on its own."""

    def __init__(self, start: dinobot.Message) -> None:
        self.seat: int = start["seat"]
        self.neighbour = (self.seat + 1) % start["seats"]

    def decide(self, question: dinobot.Message) -> str:
        view: dict[str, Any] = question["view"]
        legal: list[str] = question["legal"]
        if view["season"] not in PENS:
            return legal[0]
        table = Table.of(view)
        die = view["die"] if view["bound"][self.seat] else None
        return max(legal, key=lambda action: self.value(table, die, action))

    def value(self, table: Table, die: str | None, action: str) -> float:
        """What an action is worth; all are alike if they are of a kind that came after this bot."""
        if not (parts := read(action)):
            return 0
        dino, slot, drop = parts
        denied = DENIAL * table.best(self.neighbour, drop, None) if drop else 0
        if dino == "Q":
            return self.moved(table, slot)
        if slot:
            return denied + table.worth(self.seat, put(table.zoos[self.seat], dino, slot))
        return denied + table.best(self.seat, dino, die) if dino else denied

    def moved(self, table: Table, slot: str) -> float:
        """What the zoo is worth after the quarantine; no slot is to stay there."""
        zoo = table.zoos[self.seat]
        rest = {**zoo, "QZ": ""}
        return table.worth(self.seat, put(rest, zoo["QZ"], slot) if slot else rest)
