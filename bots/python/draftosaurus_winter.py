"""A winter zoo of Draftosaurus: what each species would gain in it, and what it scores."""

from __future__ import annotations

from draftosaurus_match import BRIDGE_COUPLE, EMPTY, FREE, LOOKOUT, NO_REX, Match
from draftosaurus_pens import REX, SPECIES
from draftosaurus_zoos import BL, BR, LO, NONE, QZ, RIVER, Zoo, only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BANKS = (BL, BR)


class WinterZoo(Zoo):
    """A zoo on the winter side."""

    __slots__ = ("ahead", "couples", "guest", "held", "lookout", "rexes")

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.lookout = self.guest = NONE
        self.ahead = [0] * 6
        """By species: how many more the left bank has than the right one."""
        self.held = [0, 0]
        self.rexes = [False, False]
        """By bank: how many dinosaurs it holds, and whether a T-Rex is among them."""
        self.couples = 0

    def copy(self) -> WinterZoo:
        new = WinterZoo.__new__(WinterZoo)
        new.match, new.pens, new.counts, new.river = self.match, self.pens[:], self.counts[:], self.river
        new.lookout, new.guest, new.couples = self.lookout, self.guest, self.couples
        new.ahead, new.held, new.rexes = self.ahead[:], self.held[:], self.rexes[:]
        return new

    def held_in(self) -> list[object]:
        return [self.pens, self.counts, self.lookout, self.guest, self.ahead, self.held]

    def open_banks(self, face: int) -> list[int]:
        """0 is the left bank, 1 the right one."""
        match, held, rexes = self.match, self.held, self.rexes
        if face < EMPTY:
            opened = match.counted_open[face]
            banks = [bank for bank in (0, 1) if opened[BANKS[bank]]]
        elif face == FREE:
            banks = [0, 1]
        else:
            shut = rexes if face == NO_REX else held
            if match.is_one_bridge and any(shut):
                return []
            banks = [bank for bank in (0, 1) if not shut[bank]]
        return [bank for bank in banks if held[bank] < match.bank_room]

    def rows(self, turns: int, face: int, others: list[int]) -> list[list[float]]:
        """What each species gains in each open pen but the quarantine."""
        pens, match = self.pens, self.match
        rows = [pens[k].gains[turns] for k in self.open_pens(face)]
        gained = match.bank[turns]
        for bank in self.open_banks(face):
            rows.append([gained[-ahead] for ahead in self.ahead] if bank else [gained[ahead] for ahead in self.ahead])
            rows[-1][REX] += not self.rexes[bank]
        if self.lookout < 0 and match.counted_open[face][LO]:
            (later,) = match.lookout[turns]
            rows.append([LOOKOUT * count + later for count in others])
            rows[-1][REX] += 1
        return rows

    def best(self, turns: int, face: int, others: list[int]) -> list[float]:
        rows = self.rows(turns, face, others)
        return list(map(max, RIVER, *rows)) if rows else RIVER[:]

    def gains(self, turns: int, face: int, others: list[int]) -> list[float]:
        """What each species would bring in its best place, with so many turns to come after it."""
        best = self.best(turns, face, others)
        if self.guest < 0 and self.match.counted_open[face][QZ]:
            (later,) = self.match.guest[turns]
            free = best if face == FREE else self.best(turns, FREE, others)
            best = [max(gain, there + later) for gain, there in zip(best, free)]
        return best

    def count(self, best: list[float], turns: int, others: list[int]) -> None:
        """Nothing in an own winter zoo counts a species wherever it stands."""

    def places(self, dino: int, turns: int, face: int, others: list[int]) -> dict[str, float]:
        """Where a species may go, and what it gains there, without what it gains wherever it goes."""
        found = self._places(dino, turns, face, others)
        if self.guest < 0 and self.match.counted_open[face][QZ]:
            found["QZ"] = max(self._places(dino, turns, FREE, others).values()) + self.match.guest[turns][0]
        return found

    def _places(self, dino: int, turns: int, face: int, others: list[int]) -> dict[str, float]:
        match, found = self.match, {"RV": 1.0}
        for k in self.open_pens(face):
            now = self.pens[k]
            worth = now.worth[turns]
            for slot, grown in now.pen.slots(now, dino).items():
                found[slot] = grown.worth[turns] - worth
        for bank in self.open_banks(face):
            ahead = -self.ahead[dino] if bank else self.ahead[dino]
            found["BR" if bank else "BL"] = match.bank[turns][ahead] + (dino == REX and not self.rexes[bank])
        if self.lookout < 0 and match.counted_open[face][LO]:
            found["LO"] = LOOKOUT * others[dino] + match.lookout[turns][0] + (dino == REX)
        return found

    def settle(self, dino: int, turns: int, face: int, others: list[int]) -> None:
        """Place a dinosaur where it gains most."""
        match = self.match
        most, where = self.best_pen(dino, turns, face)
        slot, opened, rex = "", match.counted_open[face], dino == REX
        for bank in self.open_banks(face):
            gain = match.bank[turns][-self.ahead[dino] if bank else self.ahead[dino]] + (rex and not self.rexes[bank])
            if gain > most:
                most, slot = gain, "BR" if bank else "BL"
        if self.lookout < 0 and opened[LO]:
            gain = LOOKOUT * others[dino] + match.lookout[turns][0] + rex
            if gain > most:
                most, slot = gain, "LO"
        if self.guest < 0 and opened[QZ] and self.best(turns, FREE, others)[dino] + match.guest[turns][0] > most:
            slot = "QZ"
        if slot:
            self.counts[dino] += 1
            self._put_counted(dino, slot)
        else:
            self.grow(dino, where)

    def _cross(self, dino: int, bank: int) -> None:
        """Put a dinosaur on a bank of the bridge."""
        ahead = self.ahead[dino]
        self.couples += ahead > 0 if bank else ahead < 0
        self.ahead[dino] += -1 if bank else 1
        self.held[bank] += 1
        if dino == REX:
            self.rexes[bank] = True

    def _put_counted(self, dino: int, slot: str) -> None:
        if slot == "LO":
            self.lookout = dino
        elif slot == "QZ":
            self.guest = dino
        else:
            self._cross(dino, slot == "BR")

    def worth(self, match: Match, turns: int, others: list[int]) -> float:
        """The points that the zoo will probably have in the end, with so many turns to come, by this match's tables."""
        worth = float(self.river + BRIDGE_COUPLE * self.couples + sum(self.rexes))
        worth += match.alone(self.ahead, turns)
        for pen in self.pens:
            worth += pen.fair[turns]
        if self.lookout < 0:
            worth += match.later("LO", turns)
        else:
            worth += LOOKOUT * others[self.lookout] + match.later("LO1", turns) + (self.lookout == REX)
        if self.guest < 0:
            return worth + match.later("QZ", turns)
        worth += self.best(turns, FREE, others)[self.guest] + match.later("QZ1", turns)
        return worth

    def release(self, others: list[int]) -> None:
        """Move the quarantined dinosaur to where it scores most."""
        if (dino := self.guest) < 0:
            return
        places = self._places(dino, 0, FREE, others)
        self.move(max(places, key=places.__getitem__))

    def move(self, slot: str) -> None:
        """Move the quarantined dinosaur."""
        dino, self.guest = self.guest, NONE
        self.counts[dino] -= 1
        self.put(dino, slot)

    def score(self, others: list[int]) -> int:
        """The points, as if the game ended here."""
        points = self.river + BRIDGE_COUPLE * self.couples + sum(self.rexes) + (self.guest == REX)
        for pen in self.pens:
            points += pen.points
        if self.lookout >= 0:
            points += LOOKOUT * others[self.lookout] + (self.lookout == REX)
        return points

    @classmethod
    def of(cls, match: Match, pens: Mapping[str, str]) -> WinterZoo:
        """The zoo that a view shows."""
        zoo = cls(match)
        zoo.fill(pens)
        for bank, name in enumerate(("BL", "BR")):
            for letter in pens.get(name, ""):
                zoo._cross(SPECIES.index(letter), bank)
        zoo.lookout, zoo.guest = only(pens, "LO"), only(pens, "QZ")
        return zoo
