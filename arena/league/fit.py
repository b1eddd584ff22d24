"""How strong the bots are: a fit of all results at once, in any order. Pure.

The chance that the bot in one seat ends above the bot in another is

    1 / (1 + 10 ** -((rating + seat effect of the one - rating - seat effect of the other) / 400))

with a tie as half a win (the Bradley-Terry model). Each size of table has its own seat effects; a bot has one rating
for all sizes in the fit. Every bot and every seat has also won half a virtual game against an average one, and lost
another half, so that bots that always win, or never played, stay finite. Newton's method finds the maximum of the
likelihood (likelihood.py). Ratings are shown with the mean START, seat effects with the mean 0.

The pairs of one match, and the matches of a shared deal, depend on each other. So the covariance is the sandwich
estimate A M A: A is the inverse of the information H (minus the second derivatives of the log likelihood), and M is the
sum over whole blocks of s s', where s is the block's vector of scores (first derivatives of the log likelihood). Each
virtual game is a block of its own. Scores at the maximum are smaller than at the truth, and a few blocks say little.
So there are three corrections for each parameter (a bot or a seat), whose effect vanishes with many blocks
(sandwich.py):

- G, the number of blocks, is the number of equal blocks that are worth as much: (sum w)^2 / sum w^2, where w counts the
  parameter's pairs in a block.
- M gets one more block: L H L, where L is diagonal and L^2 = max(M / H, min(1, 4 / G)) / G. That is as much as the
  blocks show, and at first not less than the model expects (after Morel, Bokossa and Neerchal, Biometrical Journal 45,
  2003, who add one share of H for all parameters).
- Intervals are Student's with G m / (m - 1) + 1 degrees of freedom, where m is the mean of w, because a sum of m tosses
  of a coin has lighter tails than a normal variable. For differences they are combined by Welch's formula, and are at
  most all blocks and one.

benchmarks/ratings.py measures how often the intervals contain the truth; docs/ratings.md shows it.
"""

import math
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from arena.league.elo import Result
from arena.league.outcomes import Outcomes
from arena.league.statistics import MOST_FREEDOM, Estimate, estimate, superiority

VIRTUAL = 0.5
"""Virtual games that every bot and every seat has won against an average one; it has lost as many."""
EQUAL = 6
"""Ratings that agree to this many decimals are equal. Rounding errors are below 1e-9, and differ between machines."""
THREADS = "OPENBLAS_NUM_THREADS"
"""The environment variable in which numpy's linear algebra looks for the number of its threads when it is imported."""


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """What a seat is worth at tables of this size, compared with the mean of their seats."""

    size: int
    seat: int
    elo: Estimate


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings of all bots at once. Those that played have the mean START; the lists are by bot.

    `sizes` are the sizes of the tables; if there are several, a rating is a mean over them (`pooled`). `covariance` is
    that of the ratings in Elo points squared, `freedom` the degrees of freedom. Bots of different `groups` never met,
    not even through other bots. `separations` have a byte for each pair of bots, 1 if they are separated.
    """

    bots: tuple[str, ...]
    ratings: tuple[Estimate, ...]
    covariance: tuple[Sequence[float], ...]
    freedom: tuple[float, ...]
    groups: tuple[int, ...]
    separations: tuple[bytes, ...]
    seats: tuple[SeatEffect, ...]
    sizes: tuple[int, ...]
    blocks: int
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)
    """By bot."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {bot: number for number, bot in enumerate(self.bots)})

    @property
    def pooled(self) -> bool:
        return len(self.sizes) > 1

    def rating(self, bot: str) -> Estimate:
        """Its interval is that of the difference from the mean of all bots that played."""
        return self.ratings[self._at(bot)]

    def difference(self, bot: str, other: str) -> Estimate:
        """How many Elo points better the first is."""
        i, j = self._at(bot), self._at(other)
        mine, theirs = self.covariance[i][i], self.covariance[j][j]
        value = self.ratings[i].value - self.ratings[j].value
        variance = mine + theirs - 2 * self.covariance[i][j]
        freedom = _welch((mine, self.freedom[i]), (theirs, self.freedom[j]))
        return estimate(value, variance, min(freedom, self.blocks + 1))

    def anchored(self, bot: str, anchor: Mapping[str, float]) -> Estimate:
        """Its rating on the scale on which these bots have these ratings, on average if there are several.

        Its interval is that of the difference from them.
        """
        i, held = self._at(bot), [self._at(one) for one in anchor]
        value = self.ratings[i].value + math.fsum(anchor[self.bots[j]] - self.ratings[j].value for j in held) / len(
            held
        )
        theirs = math.fsum(self.covariance[j][k] for j in held for k in held) / len(held) ** 2
        shared = math.fsum(self.covariance[i][j] for j in held) / len(held)
        variance = max(0.0, self.covariance[i][i] + theirs - 2 * shared)
        freedom = _welch((self.covariance[i][i], self.freedom[i]), (theirs, min(self.freedom[j] for j in held)))
        return estimate(value, variance, min(freedom, self.blocks + 1))

    def superiority(self, bot: str, other: str) -> float:
        """The probability that the first is better."""
        difference = self.difference(bot, other)
        return superiority(difference.value, difference.error)

    def separated(self, bot: str, other: str) -> bool:
        """Whether the interval of their difference excludes zero. Bots of different groups are never separated."""
        return bool(self.separations[self._at(bot)][self._at(other)])

    def separated_from(self, bot: str, others: Iterable[str]) -> list[bool]:
        """The same for many others."""
        row = self.separations[self._at(bot)]
        return [bool(row[self._at(other)]) for other in others]

    def order(self) -> tuple[str, ...]:
        """Best first; of equals, by name. Bots with the same record are equal, whatever rounding adds to one."""
        return tuple(sorted(self.bots, key=lambda bot: (-round(self.rating(bot).value, EQUAL), bot)))

    def _at(self, bot: str) -> int:
        return self._numbers[bot]


def fit(results: Iterable[Result] | Outcomes, bots: Iterable[str] = (), *, virtual: float = VIRTUAL) -> Fit:
    """The ratings that make the results most likely, for these bots and all that played.

    `virtual` is how many virtual games each bot and seat has won, and how many it has lost.
    """
    with _one_thread():  # a command that needs no ratings does not import numpy, which takes 0.1 s
        from arena.league import likelihood, sandwich
    outcomes = Outcomes.of(results)
    layout = likelihood.Layout.of(outcomes, bots)
    tables = likelihood.tables_of(outcomes, layout)
    groups = likelihood.groups(tables, len(layout.bots))
    found = sandwich.Sandwich.of(tables, likelihood.climb(tables, layout.count, virtual))
    ratings = found.bots(len(layout.bots))
    return Fit(
        bots=layout.bots,
        ratings=ratings.estimates(),
        covariance=tuple(array("d", row.tobytes()) for row in ratings.covariance),
        freedom=tuple(ratings.freedom.tolist()),
        groups=groups,
        separations=tuple(ratings.separations(min(MOST_FREEDOM, found.blocks + 1), groups)),
        seats=tuple(
            SeatEffect(len(size.seats), seat, effect)
            for size in tables
            for seat, effect in enumerate(found.contrasts(size.seats, size.seats, 0.0).estimates())
        ),
        sizes=tuple(len(size.seats) for size in tables),
        blocks=found.blocks,
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """In here numpy is imported such that it computes with one thread.

    The last digits of a product of matrices depend on the number of threads, and so on the machine. And a league must
    not take the cores from the bots that it plays.
    """
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        yield
    finally:
        os.environ.pop(THREADS, None)
        if before is not None:
            os.environ[THREADS] = before


def _welch(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of variances that have their own (Welch and Satterthwaite)."""
    below = math.fsum(variance * variance / freedom for variance, freedom in parts)
    together = math.fsum(variance for variance, _ in parts)
    return together * together / below if below else MOST_FREEDOM
