"""A summer zoo of Draftosaurus: what each species would gain in it, and what it scores."""

from __future__ import annotations

from draftosaurus_match import KING, SOLITARY, Match
from draftosaurus_pens import REX
from draftosaurus_zoos import KJ, NONE, RIVER, SI, Zoo, only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class SummerZoo(Zoo):
    """A zoo on the summer side."""

    __slots__ = ("island", "king")

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.king = self.island = NONE

    def copy(self) -> SummerZoo:
        new = SummerZoo.__new__(SummerZoo)
        new.match, new.pens, new.counts, new.river = self.match, self.pens[:], self.counts[:], self.river
        new.king, new.island = self.king, self.island
        return new

    def held_in(self) -> list[object]:
        return [self.pens, self.counts, self.king, self.island]

    def gains(self, turns: int, face: int, others: list[int]) -> list[float]:
        """What each species would bring in its best place, with so many turns to come after it."""
        pens, match = self.pens, self.match
        rows = [pens[k].gains[turns] for k in self.open_pens(face)]
        opened = match.counted_open[face]
        if self.king < 0 and opened[KJ]:
            crown = match.crown[turns]
            rows.append([crown[lead] for lead in others])
            rows[-1][REX] += 1
        if self.island < 0 and opened[SI]:
            sole, spoiled = match.island[turns]
            sole += spoiled
            rows.append([spoiled if count else sole for count in self.counts])
            rows[-1][REX] += 1
        best = list(map(max, RIVER, *rows)) if rows else RIVER[:]
        self.count(best, turns, others)
        return best

    def count(self, best: list[float], turns: int, others: list[int]) -> None:
        """Add what one more of a species means for the pens that count it in the whole zoo."""
        if self.king >= 0:
            king, lead = self.match.king[turns], others[self.king]
            best[self.king] += king[lead + 1] - king[lead]
        if self.island >= 0 and self.counts[self.island] == 1:
            best[self.island] -= self.match.island[turns][0]

    def places(self, dino: int, turns: int, face: int, others: list[int]) -> dict[str, float]:
        """Where a species may go, and what it gains there, without what it gains wherever it goes."""
        found = {"RV": 1.0}
        for k in self.open_pens(face):
            now = self.pens[k]
            worth = now.worth[turns]
            for slot, grown in now.pen.slots(now, dino).items():
                found[slot] = grown.worth[turns] - worth
        opened = self.match.counted_open[face]
        if self.king < 0 and opened[KJ]:
            found["KJ"] = self.match.crown[turns][others[dino]] + (dino == REX)
        if self.island < 0 and opened[SI]:
            sole, spoiled = self.match.island[turns]
            found["SI"] = spoiled + sole * (not self.counts[dino]) + (dino == REX)
        return found

    def settle(self, dino: int, turns: int, face: int, others: list[int]) -> None:
        """Place a dinosaur where it gains most."""
        match = self.match
        most, where = self.best_pen(dino, turns, face)
        slot, opened = "", match.counted_open[face]
        if self.king < 0 and opened[KJ]:
            gain = match.crown[turns][others[dino]] + (dino == REX)
            if gain > most:
                most, slot = gain, "KJ"
        if self.island < 0 and opened[SI]:
            sole, spoiled = match.island[turns]
            if spoiled + sole * (not self.counts[dino]) + (dino == REX) > most:
                slot = "SI"
        if slot:
            self.counts[dino] += 1
            self._put_counted(dino, slot)
        else:
            self.grow(dino, where)

    def _put_counted(self, dino: int, slot: str) -> None:
        if slot == "KJ":
            self.king = dino
        else:
            self.island = dino

    def worth(self, match: Match, turns: int, others: list[int]) -> float:
        """The points that the zoo will probably have in the end, with so many turns to come, by this match's tables."""
        worth = float(self.river)
        for pen in self.pens:
            worth += pen.fair[turns]
        if self.king >= 0:
            worth += match.king[turns][others[self.king]] + (self.king == REX)
        else:
            worth += match.later("KJ", turns)
        island: list[float] = match.island[turns]
        if self.island < 0:
            worth -= island[1]
        else:
            worth += island[0] * (self.counts[self.island] == 1) + (self.island == REX)
        return worth

    def score(self, others: list[int]) -> int:
        """The points, as if the game ended here."""
        points = self.river
        for pen in self.pens:
            points += pen.points
        if self.king >= 0:
            points += KING * (others[self.king] >= 0) + (self.king == REX)
        if self.island >= 0:
            points += SOLITARY * (self.counts[self.island] == 1) + (self.island == REX)
        return points

    @classmethod
    def of(cls, match: Match, pens: Mapping[str, str]) -> SummerZoo:
        """The zoo that a view shows."""
        zoo = cls(match)
        zoo.fill(pens)
        zoo.king, zoo.island = only(pens, "KJ"), only(pens, "SI")
        return zoo
