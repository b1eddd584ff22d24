"""What stays the same in a match of Draftosaurus: options, and tables of what may go where and what it brings."""

from __future__ import annotations

from draftosaurus_pens import Forest, Meadow, Pen, Prairie, Pyramid, Table, Trio, Weights, Wood, later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FACES = "WGLREX"
EMPTY, NO_REX, FREE = 4, 5, 6
"""The faces that look into pens, and a turn without the die."""
OPENED = {
    "W": ("FS", "WT", "KJ", "WO", "LO"),
    "G": ("PL", "MD", "SI", "QZ", "PY"),
    "L": ("FS", "WT", "PL", "WO", "BL", "QZ"),
    "R": ("KJ", "MD", "SI", "LO", "BR", "PY"),
}
BRIDGE = {"split": ("W", "G"), "woods_only": ("W", "W"), "both": ("WG", "WG")}
"""In which regions the banks of the bridge are."""
COUNTED = ("KJ", "SI", "BL", "LO", "QZ", "BR")
"""The pens that are known by what they count, instead of by their contents."""
SUPPLY = {2: 8, 3: 6, 4: 8, 5: 10}
KING, SOLITARY, LOOKOUT, BRIDGE_COUPLE = 7, 7, 2, 6
MOST = 12
"""Dinosaurs in a zoo, so no lead is greater."""
LEADS = (*range(MOST + 1), *range(-MOST, 0))
"""0 to 12, then -12 to -1: where Python looks for a lead as an index."""


class Manners:
    """The numbers of a policy that are not worths of pens."""

    def __init__(self, deny: float, spoil: float) -> None:
        self.deny = deny
        """How much a pick counts what the next seat would have gained by it."""
        self.spoil = spoil
        """How much a discard counts what the player would still gain by it, against what the opponent would."""


class Match:
    """One board under the options of a match, as those see it who play by these weights and manners."""

    def __init__(
        self, season: str, seats: int, options: dict[str, Any], weights: Weights, manners: Manners | None = None
    ) -> None:
        self.season = season
        self.seats = seats
        self.options = options
        self.weights = weights
        self.manners = manners or Manners(0.0, 0.8)
        self.supply = SUPPLY[seats]
        self.turns = 3 if seats == 2 else 6
        """Turns in a round."""
        self.counts_river: bool = options.get("zoo_scope", "all") == "all"
        self.may_stay: bool = options.get("quarantine_move") == "may"
        self.is_one_bridge: bool = options.get("bridge_die_unit") == "whole"
        self.bank_room: int = options.get("bridge_capacity") or MOST
        self.pens = self._summer() if season == "summer" else self._winter()
        opened = [self._opened(face) for face in FACES[:EMPTY]]
        self.open = [[k for k, pen in enumerate(self.pens) if pen.name in names] for names in opened]
        self.open += [[], [], list(range(len(self.pens)))]
        """By face: which of the pens it opens; a zoo knows what the faces open that look into pens."""
        self.counted_open = [[name in names for name in COUNTED] for names in opened] + [[True] * len(COUNTED)] * 3
        """By face: whether it opens each counted pen; those that look into pens are asked elsewhere."""
        # What is gained, by turns to come after the placement.
        self.king = Table(lambda turns: [self._king(lead, turns) for lead in LEADS])
        self.crown = Table(lambda turns: [self._king(lead + 1, turns) - self.later("KJ", turns) for lead in LEADS])
        self.island = Table(lambda turns: [SOLITARY + self.later("SI1", turns), -self.later("SI", turns)])
        self.bank = Table(lambda turns: [self._bank(ahead, turns) for ahead in LEADS])
        self.lookout = Table(lambda turns: [self.later("LO1", turns) - self.later("LO", turns)])
        self.guest = Table(lambda turns: [self.later("QZ1", turns) - self.later("QZ", turns)])

    def later(self, feature: str, turns: int) -> float:
        return later(self.weights, feature, turns)

    def free_seats(self, first: int) -> list[int]:
        """By turn of the game: the seat that the die does not bind, -1 for none."""
        keeps = self.seats == 5 and self.options.get("five_player_last_turn") == "all_bound"
        moves = self.turns - keeps
        places = (divmod(turn, self.turns) for turn in range(12))
        return [-1 if turn == moves else (first + round_ * moves + turn) % self.seats for round_, turn in places]

    def _summer(self) -> tuple[Pen, ...]:
        trio = Trio("WT", 3, self.weights)
        trio.full = self.options.get("trio_points", 7)
        prairie = Prairie("PL", self.options.get("prairie_capacity", 6), self.weights)
        return Forest("FS", 6, self.weights), trio, prairie, Meadow("MD", 6, self.weights)

    def _winter(self) -> tuple[Pen, ...]:
        pyramid = Pyramid("PY", 6, self.weights)
        pyramid.left_to_right = self.options.get("pyramid_fill") == "left_to_right"
        return Wood("WO", 6, self.weights), pyramid

    def _opened(self, face: str) -> tuple[str, ...]:
        regions = BRIDGE[self.options.get("bridge_region", "split")]
        return (*OPENED[face], *[bank for bank, region in zip(("BL", "BR"), regions) if face in region])

    def _king(self, lead: int, turns: int) -> float:
        """What the King of the Jungle is worth with such a lead."""
        return KING * (lead >= 0) + self.later(f"KJ{min(3, max(-3, lead))}", turns)

    def _bank(self, ahead: int, turns: int) -> float:
        """What one more of a species brings to a bank of the bridge that has so many more of it than the other."""
        return BRIDGE_COUPLE * (ahead < 0) + self._alone(ahead + 1, turns) - self._alone(ahead, turns)

    def alone(self, ahead: list[int], turns: int) -> float:
        """What all those are worth that have no partner on the other bank."""
        return sum(self._alone(lead, turns) for lead in ahead)

    def _alone(self, ahead: int, turns: int) -> float:
        """What those are worth that have no partner on the other bank."""
        alone = abs(ahead)
        return self.later("BR1", turns) * min(alone, 1) + self.later("BR2", turns) * max(0, alone - 1)
