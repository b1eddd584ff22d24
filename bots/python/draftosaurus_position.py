"""A position of Draftosaurus with nothing hidden, and how it goes on if all seats play by one cheap policy.

The policy: of the hand in front of it a seat picks the dinosaur whose best place gains most, and a little for what the
neighbour does not get then; it places it there; and it discards what the opponent would like most. A game of two
players takes a fraction of a millisecond.
"""

from __future__ import annotations

from draftosaurus_match import FREE, Match
from draftosaurus_pens import ALL
from draftosaurus_summer import SummerZoo
from draftosaurus_winter import WinterZoo
from draftosaurus_zoos import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PICK, PLACE, DISCARD = range(3)
"""Where in a turn a position is."""
LAST = 11
PER_REX = 0.04
"""How much of a point each T-Rex costs, because it decides between equal scores."""


def zoo_of(match: Match, pens: Mapping[str, str]) -> SummerZoo | WinterZoo:
    """The zoo that a view shows."""
    return SummerZoo.of(match, pens) if match.season == "summer" else WinterZoo.of(match, pens)


def others_of(
    match: Match, zoos: Sequence[SummerZoo | WinterZoo], picks: Sequence[int] | None = None
) -> list[list[int]]:
    """By seat: what its zoo has to know of the others, with the picks that they will place now."""
    counts = own = [zoo.counts for zoo in zoos]
    if picks is not None:
        counts = [row[:] for row in own]
        for row, dino in zip(counts, picks):
            row[dino] += 1
    if match.season == "winter":
        return counts[-1:] + counts[:-1]
    if len(counts) == 2:
        return [[a - b for a, b in zip(own[0], counts[1])], [a - b for a, b in zip(own[1], counts[0])]]
    return [
        [mine - most for mine, most in zip(row, map(max, *counts[:seat], *counts[seat + 1 :]))]
        for seat, row in enumerate(own)
    ]


class Manners:
    """The numbers of the policy that are not worths of pens."""

    def __init__(self, deny: float, spoil: float, horizon: int = 12) -> None:
        self.deny = deny
        """How much a pick counts what the next seat would have gained by it."""
        self.spoil = spoil
        """How much a discard counts what the player would still gain by it, against what the opponent would."""
        self.horizon = horizon
        """How many turns are played on, after the present one."""


class Position:
    """What lies on the table and in all hands, the bag in the order in which it will be drawn, and all dice to come."""

    __slots__ = ("bag", "faces", "free", "hands", "manners", "match", "turn", "zoos")

    def __init__(
        self,
        match: Match,
        manners: Manners,
        zoos: Sequence[SummerZoo | WinterZoo],
        hands: list[list[int]],
        bag: list[int],
        turn: int,
        free: list[int],
        faces: list[int],
    ) -> None:
        self.match = match
        self.manners = manners
        self.zoos = zoos
        self.hands = hands
        self.bag = bag
        self.turn = turn
        self.free = free
        """By turn: who is free of the die."""
        self.faces = faces
        """By turn."""

    def copy(self) -> Position:
        zoos = [zoo.copy() for zoo in self.zoos]
        hands = [hand[:] for hand in self.hands]
        return Position(self.match, self.manners, zoos, hands, self.bag[:], self.turn, self.free, self.faces)

    def others(self) -> list[list[int]]:
        return others_of(self.match, self.zoos)

    def play_on(
        self, stage: int, picks: list[int], seat: int = NONE, dino: int = NONE, slot: str = "", drop: int = NONE
    ) -> None:
        """Play on from this stage of the turn; `seat` first picks, places and discards as it is told."""
        end = min(LAST, self.turn + self.manners.horizon)
        self.play_turn(stage, picks, seat, dino, slot, drop)
        while self.turn <= end:
            if not self.turn % self.match.turns:
                self.deal()
            self.play_turn(PICK, [])

    def deal(self) -> None:
        for hand in self.hands:
            hand[:] = self.bag[-6:]
            del self.bag[-6:]

    def face(self, seat: int) -> int:
        return FREE if self.free[self.turn] == seat else self.faces[self.turn]

    def play_turn(
        self, stage: int, picks: list[int], seat: int = NONE, dino: int = NONE, slot: str = "", drop: int = NONE
    ) -> None:
        zoos, turns, others = self.zoos, LAST - self.turn, self.others()
        face, free = self.faces[self.turn], self.free[self.turn]
        if stage == PICK:
            picks = self.picks(turns, others)
            if dino >= 0:
                picks[seat] = dino
            for hand, picked in zip(self.hands, picks):
                hand.remove(picked)
        if stage <= PLACE:
            others = others_of(self.match, zoos, picks)
            for i, zoo in enumerate(zoos):
                if slot and i == seat:
                    zoo.put(picks[i], slot)
                else:
                    zoo.settle(picks[i], turns, FREE if i == free else face, others[i])
        if len(zoos) == 2:
            drops = self.drops(turns)
            if drop >= 0:
                drops[seat] = drop
            for hand, dropped in zip(self.hands, drops):
                hand.remove(dropped)
        self.hands = self.hands[-1:] + self.hands[:-1]
        self.turn += 1

    def picks(self, turns: int, others: list[list[int]]) -> list[int]:
        """What each seat picks by the policy."""
        hands, zoos = self.hands, self.zoos
        if len(hands[0]) == 1:
            return [hand[0] for hand in hands]
        face, free, deny = self.faces[self.turn], self.free[self.turn], self.manners.deny
        own = [zoo.gains(turns, FREE if i == free else face, others[i]) for i, zoo in enumerate(zoos)]
        if not deny:
            return [max(hand, key=row.__getitem__) for hand, row in zip(hands, own)]
        next_ = [zoo.gains(turns - 1, FREE, others[i]) for i, zoo in enumerate(zoos)]
        next_.append(next_[0])
        picked = []
        for i, hand in enumerate(hands):
            mine, theirs = own[i], next_[i + 1]
            picked.append(max(hand, key=[mine[dino] + deny * theirs[dino] for dino in ALL].__getitem__))
        return picked

    def drops(self, turns: int) -> list[int]:
        """What each of two players discards by the policy."""
        hands = self.hands
        if len(hands[0]) == 1:
            return [hand[0] for hand in hands]
        others, spoil = self.others(), self.manners.spoil
        one, two = (zoo.gains(turns - 1, FREE, others[i]) for i, zoo in enumerate(self.zoos))
        return [
            max(hands[0], key=[theirs - spoil * mine for mine, theirs in zip(one, two)].__getitem__),
            max(hands[1], key=[theirs - spoil * mine for mine, theirs in zip(two, one)].__getitem__),
        ]

    def scores(self) -> list[float]:
        """The final points by seat, equal ones decided by the T-Rexes; what is probable if the game is not over."""
        if self.turn <= LAST:
            turns = LAST + 1 - self.turn
            return [zoo.worth(turns, seen) for zoo, seen in zip(self.zoos, self.others())]
        if self.match.season == "winter":
            others = self.others()
            for zoo, seen in zip(self.zoos, others):
                if isinstance(zoo, WinterZoo):
                    zoo.release(seen)
        return [zoo.score(seen) - PER_REX * zoo.counts[0] for zoo, seen in zip(self.zoos, self.others())]
