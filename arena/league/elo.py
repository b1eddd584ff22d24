"""Results in plan order, and classic Elo from them: every pair at a table is a game for K / (n - 1) points.

Classic Elo is shown because it is well known. It never settles, so arena/league/fit.py decides the places.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from operator import attrgetter

from arena.league.statistics import expected

START = 1500.0
"""Where classic Elo begins, and the mean of the fitted ratings."""
K = 8.0
"""Points at stake in a match, by classic Elo."""


@dataclass(frozen=True, slots=True)
class Result:
    """A match that counts. A block is all rotations of one table."""

    index: int  # place in the plan
    block: int
    bots: tuple[str, ...]  # by seat
    ranks: tuple[int, ...]  # 1 is best, ties share
    scores: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 < len(self.bots) == len(self.ranks) == len(self.scores):
            raise ValueError(f"result {self.index}: {self.bots}, {self.ranks} and {self.scores} do not fit together")


def in_plan_order(results: Iterable[Result]) -> list[Result]:
    """Each result once. ValueError if two differ about one match."""
    ordered = sorted(set(results), key=attrgetter("index"))
    for before, after in pairwise(ordered):
        if before.index == after.index:
            raise ValueError(f"two results of match {after.index}: {before} and {after}. A match counts once.")
    return ordered


def outcome(rank: int, other: int) -> float:
    """1 for a win, 1/2 for a tie, 0 for a loss."""
    return 0.5 * (rank == other) + (rank < other)


def elo(results: Iterable[Result], *, k: float = K, start: float = START) -> dict[str, float]:
    """Classic Elo after all matches, in plan order, of the bots that played."""
    return elo_in_order(in_plan_order(results), k, start)


def elo_in_order(ordered: Iterable[Result], k: float = K, start: float = START) -> dict[str, float]:
    """The same of results that are in plan order already."""
    ratings: dict[str, float] = {}
    for result in ordered:
        before = [ratings.get(bot, start) for bot in result.bots]
        for bot, gain in zip(result.bots, _gains(result, before, k)):
            ratings[bot] = ratings.get(bot, start) + gain
    return dict(sorted(ratings.items()))


def _gains(result: Result, before: Sequence[float], k: float) -> list[float]:
    """By seat; what one bot gains from another, the other loses."""
    bots, ranks, stake = result.bots, result.ranks, k / (len(before) - 1)
    gains = [0.0] * len(before)
    for a, b in combinations(range(len(before)), 2):
        if bots[a] != bots[b]:
            gain = stake * (outcome(ranks[a], ranks[b]) - expected(before[a] - before[b]))
            gains[a] += gain
            gains[b] -= gain
    return gains
