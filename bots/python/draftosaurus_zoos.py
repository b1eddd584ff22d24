"""Zoos of Draftosaurus that change as a game is played on: what both sides of the board have in common.

Pens whose worth follows from their contents are objects of draftosaurus_pens.py. The others are numbers: the King of
the Jungle, the island, the lookout and the quarantine hold one species (NONE: none), and of each bank of the bridge
counts how much it is ahead. `others` is what a zoo has to know of its rivals: by species, in summer the lead over the
rival who has most, in winter what the right neighbour has.

The sums are written out with comprehensions and `map`, because a policy spends nearly all of its time here.
"""

from __future__ import annotations

from draftosaurus_match import EMPTY, FREE, Match
from draftosaurus_pens import SPECIES, Contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NONE = -1
RIVER = [1.0] * 6
"""What each species gains in the River."""
KJ, SI, BL, LO, QZ, BR = range(6)
"""Where each of the COUNTED pens is in a list."""


class Zoo:
    """What both sides of the board have in common."""

    __slots__ = ("counts", "match", "pens", "river")

    def __init__(self, match: Match) -> None:
        self.match = match
        self.pens: list[Contents] = [pen.contents("") for pen in match.pens]
        self.counts = [0] * 6
        """By species, as the rules count a zoo."""
        self.river = 0

    def held_in(self) -> list[object]:
        """All that is in it, to be compared with another zoo of the match."""
        raise NotImplementedError

    def fill(self, pens: Mapping[str, str]) -> None:
        """Take over what a view shows and all zoos have."""
        self.pens = [pen.contents(pens.get(pen.name, "")) for pen in self.match.pens]
        self.river = len(pens.get("RV", ""))
        counted = "".join(dinos for pen, dinos in pens.items() if pen != "RV" or self.match.counts_river)
        self.counts = [counted.count(letter) for letter in SPECIES]

    def open_pens(self, face: int) -> list[int]:
        if face < EMPTY or face == FREE:
            return self.match.open[face]
        if face == EMPTY:
            return [k for k, pen in enumerate(self.pens) if not pen.size]
        return [k for k, pen in enumerate(self.pens) if not pen.rex]

    def best_pen(self, dino: int, turns: int, face: int) -> tuple[float, int]:
        """The gain of a species in the best of its open pens, and which that is; NONE is the River."""
        most, where = 1.0, NONE
        for k in self.open_pens(face):
            gain = self.pens[k].gains[turns][dino]
            if gain > most:
                most, where = gain, k
        return most, where

    def grow(self, dino: int, where: int) -> None:
        """Place a dinosaur in a pen, or in the River."""
        if where == NONE:
            self.river += 1
            self.counts[dino] += self.match.counts_river
            return
        grown = self.pens[where].after[dino]
        if grown is not None:
            self.pens[where] = grown
        self.counts[dino] += 1

    def put(self, dino: int, slot: str) -> None:
        """Place a dinosaur where it may go."""
        if slot == "RV":
            self.river += 1
            self.counts[dino] += self.match.counts_river
            return
        self.counts[dino] += 1
        for k, pen in enumerate(self.pens):
            if slot.startswith(pen.pen.name):
                self.pens[k] = pen.pen.slots(pen, dino)[slot]
                return
        self._put_counted(dino, slot)

    def _put_counted(self, dino: int, slot: str) -> None:
        raise NotImplementedError


def only(pens: Mapping[str, str], name: str) -> int:
    """The species in a pen for one."""
    return SPECIES.index(pens[name]) if pens.get(name) else NONE
