"""What a view of Draftosaurus leaves open, and positions that fit it: hands, bag and dice drawn at random."""

from __future__ import annotations

from draftosaurus_match import FACES, FREE, Match
from draftosaurus_pens import SPECIES
from draftosaurus_position import DISCARD, LAST, PICK, PLACE, Position, others_of, zoo_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random
    from typing import Any

STAGES = {"pick": PICK, "draft": PICK, "place": PLACE, "discard": DISCARD, "quarantine": DISCARD}
UNKNOWN = "?"


class Deals:
    """All positions that fit a view."""

    def __init__(self, view: dict[str, Any], match: Match, greedy: Match | None = None) -> None:
        """`greedy` are the tables of rivals who play like greedy."""
        self.match = match
        self.stage = STAGES[view["phase"]]
        self.turn: int = (view["round"] - 1) * match.turns + view["turn"] - 1
        self.free = match.free_seats(view["first"])
        self.face = FACES.find(view["die"]) if view["die"] else 0
        self.picks = [SPECIES.index(letter) for letter in view["picks"] or ()]
        self.zoos = [zoo_of(match, pens) for pens in view["zoos"]]
        self.greedy = [zoo_of(greedy, pens) for pens in view["zoos"]] if greedy else self.zoos
        """The same zoos, as greedy sees them."""
        self.turns = LAST - self.turn
        self.hands = self._hands(view)
        """Known dinosaurs by seat."""
        self.hand_size: int = view["hand_size"]
        self.unseen = self._unseen(view)

    def _hands(self, view: dict[str, Any]) -> list[list[int]]:
        dropping = view.get("drops") or [None] * self.match.seats
        known = [drop or "" if hand is None else hand for hand, drop in zip(view["hands"], dropping)]
        return [[SPECIES.index(letter) for letter in hand] for hand in known]

    def _unseen(self, view: dict[str, Any]) -> list[int]:
        """All dinosaurs that may be in an unknown hand, in the bag or unseen in the box."""
        left = [self.match.supply] * 6
        seen = [*(dinos for zoo in view["zoos"] for dinos in zoo.values()), *view.get("discards", ())]
        for letter in "".join(seen):
            if letter in SPECIES:
                left[SPECIES.index(letter)] -= 1
        for dino in (*self.picks, *(dino for hand in self.hands for dino in hand)):
            left[dino] -= 1
        return [dino for dino, count in enumerate(left) for _ in range(count)]

    def face_of(self, seat: int) -> int:
        """The die as it binds a seat now."""
        return FREE if self.free[self.turn] == seat else self.face

    def seen(self) -> list[list[int]]:
        """By seat: what its zoo has to know of the others, with the picks that they will place now."""
        return others_of(self.match, self.zoos, self.picks or None)

    def is_known(self) -> bool:
        """Whether only one position fits: the unseen dinosaurs are all in one hand."""
        missing = [self.hand_size - len(hand) for hand in self.hands]
        return sum(missing) == max(missing) == len(self.unseen)

    def known(self) -> Position:
        """That position. The dice to come are not known."""
        hands = [hand + self.unseen * (len(hand) < self.hand_size) for hand in self.hands]
        zoos = [zoo.copy() for zoo in self.zoos]
        return Position(self.match, zoos, hands, [], self.turn, self.free, [self.face] * 12)

    def draw(self, chance: Random, likely: Sequence[float] = ()) -> Position:
        """One of them, each as likely as the other; and how likely is it of each seat that it plays like greedy?"""
        unseen = self.unseen[:]
        chance.shuffle(unseen)
        hands = []
        for hand in self.hands:
            missing = self.hand_size - len(hand)
            hands.append(sorted(hand + unseen[len(unseen) - missing :]))
            del unseen[len(unseen) - missing :]
        faces = [int(6 * chance.random()) for _ in range(12)]
        faces[self.turn] = self.face
        zoos = [zoo.copy() for zoo in self.zoos]
        for seat, share in enumerate(likely):
            if chance.random() < share:
                zoos[seat] = self.greedy[seat].copy()
        return Position(self.match, zoos, hands, unseen, self.turn, self.free, faces)
