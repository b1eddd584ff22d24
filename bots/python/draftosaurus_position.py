"""A position of Draftosaurus with nothing hidden, and how it goes on if all seats play by one cheap policy.

The policy: of the hand in front of it a seat picks the dinosaur whose best place gains most, and a little for what the
neighbour does not get then; it places it there; and it discards what the opponent would like most. A game of two
players takes a fraction of a millisecond.
"""

from __future__ import annotations

from draftosaurus_match import FREE, Match
from draftosaurus_summer import SummerZoo
from draftosaurus_winter import WinterZoo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from draftosaurus_tree import Path

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


class Position:
    """What lies on the table and in all hands, the bag in the order in which it will be drawn, and all dice to come."""

    __slots__ = ("bag", "faces", "free", "hands", "match", "turn", "zoos")

    def __init__(
        self,
        match: Match,
        zoos: Sequence[SummerZoo | WinterZoo],
        hands: list[list[int]],
        bag: list[int],
        turn: int,
        free: list[int],
        faces: list[int],
    ) -> None:
        self.match = match
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
        return Position(self.match, zoos, hands, self.bag[:], self.turn, self.free, self.faces)

    def others(self) -> list[list[int]]:
        return others_of(self.match, self.zoos)

    def play_on(self, stage: int, picks: list[int], last: int, path: Path | None = None) -> None:
        """Play on from this stage of the turn to the end of a turn; a path says what its seat does."""
        self.play_turn(stage, picks, path)
        while self.turn <= last:
            if not self.turn % self.match.turns:
                self.deal()
            if path is not None:
                path.turn()
            self.play_turn(PICK, [], path)

    def deal(self) -> None:
        for hand in self.hands:
            hand[:] = sorted(self.bag[-6:])
            del self.bag[-6:]

    def face(self, seat: int) -> int:
        return FREE if self.free[self.turn] == seat else self.faces[self.turn]

    def play_turn(self, stage: int, picks: list[int], path: Path | None = None) -> None:
        zoos, turns, others = self.zoos, LAST - self.turn, self.others()
        face, free = self.faces[self.turn], self.free[self.turn]
        if stage == PICK:
            picks = self.picks(turns, others, path)
            for hand, picked in zip(self.hands, picks):
                hand.remove(picked)
        if stage <= PLACE:
            others = others_of(self.match, zoos, picks)
            for i, zoo in enumerate(zoos):
                if path is not None and path.slot and i == path.seat:
                    zoo.put(picks[i], path.slot)
                else:
                    zoo.settle(picks[i], turns, FREE if i == free else face, others[i])
        if len(zoos) == 2:
            for hand, dropped in zip(self.hands, self.drops(turns, path)):
                hand.remove(dropped)
        self.hands = self.hands[-1:] + self.hands[:-1]
        self.turn += 1

    def picks(self, turns: int, others: list[list[int]], path: Path | None) -> list[int]:
        """What each seat picks."""
        hands, zoos = self.hands, self.zoos
        if len(hands[0]) == 1:
            return [hand[0] for hand in hands]
        face, free, deny = self.faces[self.turn], self.free[self.turn], self.match.manners.deny
        rows = [zoo.gains(turns, FREE if i == free else face, others[i]) for i, zoo in enumerate(zoos)]
        if deny:
            next_ = [zoo.gains(turns - 1, FREE, others[i]) for i, zoo in enumerate(zoos)]
            next_.append(next_[0])
            rows = [[mine + deny * gain for mine, gain in zip(row, next_[i + 1])] for i, row in enumerate(rows)]
        picked = [max(hand, key=row.__getitem__) for hand, row in zip(hands, rows)]
        if path is not None:
            seat = path.seat
            picked[seat] = path.picked(hands[seat], rows[seat], picked[seat])
        return picked

    def drops(self, turns: int, path: Path | None) -> list[int]:
        """What each of two players discards."""
        hands = self.hands
        if len(hands[0]) == 1:
            return [hand[0] for hand in hands]
        others = self.others()
        gains = [zoo.gains(turns - 1, FREE, others[i]) for i, zoo in enumerate(self.zoos)]
        spoils = [zoo.match.manners.spoil for zoo in self.zoos]
        rows = [
            [theirs - spoil * mine for mine, theirs in zip(one, two)]
            for one, two, spoil in zip(gains, reversed(gains), spoils)
        ]
        dropped = [max(hand, key=row.__getitem__) for hand, row in zip(hands, rows)]
        if path is not None:
            seat = path.seat
            dropped[seat] = path.dropped(hands[seat], rows[seat], dropped[seat])
        return dropped

    def scores(self) -> list[float]:
        """The final points by seat, equal ones decided by the T-Rexes; what is probable if the game is not over."""
        if self.turn <= LAST:
            turns = LAST + 1 - self.turn
            return [zoo.worth(self.match, turns, seen) for zoo, seen in zip(self.zoos, self.others())]
        if self.match.season == "winter":
            others = self.others()
            for zoo, seen in zip(self.zoos, others):
                if isinstance(zoo, WinterZoo):
                    zoo.release(seen)
        return [zoo.score(seen) - PER_REX * zoo.counts[0] for zoo, seen in zip(self.zoos, self.others())]
