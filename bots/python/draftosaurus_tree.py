"""A tree of what one seat picks and discards while games are played on, and what came of it.

A node is what the seat has done since the question, whatever the dice and the hands were: so the answers of many deals
add up, and what a seat may do is looked at anew each time. An action is taken the more often the better it did, the
more the policy thinks of it, and the less it was tried (an upper confidence bound). Behind an action that was taken
before there is a node; where the tree ends, the seat plays by the policy.
"""

from __future__ import annotations

from math import log, sqrt

from draftosaurus_zoos import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EXPLORE = 0.3
"""How much it counts that an action was tried less often than it could have been."""
TRUST = 0.1
"""What a point of the policy's estimate is worth, for an action that has not been tried."""


class Arm:
    """An action of a node."""

    __slots__ = ("chances", "node", "total", "visits")

    def __init__(self) -> None:
        self.chances = self.visits = 0
        self.total = 0.0
        self.node: Node | None = None


class Node:
    """What the seat has done so far."""

    __slots__ = ("arms", "total", "visits")

    def __init__(self) -> None:
        self.arms: dict[int, Arm] = {}
        self.visits = 0
        self.total = 0.0


class Path:
    """The way of one playout: first what the seat is told to do in this turn, then through the tree."""

    __slots__ = ("_node", "_steps", "dino", "drop", "seat", "slot")

    def __init__(self, root: Node, seat: int, dino: int = NONE, slot: str = "", drop: int = NONE) -> None:
        self.seat = seat
        self.dino = dino
        self.slot = slot
        self.drop = drop
        self._node: Node | None = root
        self._steps: list[tuple[Node, Arm]] = []

    def picked(self, hand: Iterable[int], row: Sequence[float], policy: int) -> int:
        """What the seat picks, where the policy thinks so much of each species."""
        return self._choose(hand, row, policy) if self.dino < 0 else self.dino

    def dropped(self, hand: Iterable[int], row: Sequence[float], policy: int) -> int:
        """What the seat discards."""
        return self._choose(hand, row, policy) if self.drop < 0 else self.drop

    def turn(self) -> None:
        """The next turn begins."""
        self.dino, self.slot, self.drop = NONE, "", NONE

    def learn(self, value: float) -> None:
        """What came of it."""
        for node, arm in self._steps:
            node.visits += 1
            node.total += value
            arm.visits += 1
            arm.total += value

    def _choose(self, hand: Iterable[int], row: Sequence[float], policy: int) -> int:
        node, options = self._node, set(hand)
        if node is None or len(options) == 1:
            return policy
        arms, usual = node.arms, node.total / node.visits if node.visits else 0.5
        best, most, taken = policy, -1e9, None
        for dino in options:
            arm = arms.get(dino) or arms.setdefault(dino, Arm())
            arm.chances += 1
            visits = arm.visits
            bound = arm.total / visits if visits else usual
            bound += EXPLORE * sqrt(log(1 + arm.chances) / (visits + 1)) + TRUST * row[dino] / (visits + 1)
            if bound > most:
                best, most, taken = dino, bound, arm
        if taken is not None:
            self._steps.append((node, taken))
            if taken.node is None and taken.visits:
                taken.node = Node()
            self._node = taken.node
        return best
