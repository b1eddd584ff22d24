"""How sure the strengths are: the covariance A M A, its degrees of freedom, and which bots are separated. Pure.

arena/league/fit.py says what these are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.league.elo import START
from arena.league.likelihood import AT_ONCE, Matrix, Numbers, Peak, PlayedGames, Tables, Vector, chances
from arena.league.statistics import CONFIDENCE, MOST_FREEDOM, NEARLY, SCALE, Estimate, estimate, t_quantile

FEW = 4
"""Up to this many blocks, a variance that is smaller than the model expects is not believed."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """What the blocks say about the variance, by number of the parameter."""

    count: int
    """Blocks in which different bots met."""
    products: Matrix
    """The sum over blocks of s s', the middle of the sandwich before its corrections."""
    worth: Vector
    """G: how many equal blocks are worth as much; 0 without blocks."""
    freedom: Vector
    """Degrees of freedom."""

    @classmethod
    def of(cls, tables: Sequence[Tables], strengths: Vector) -> "Blocks":
        count, products = 0, np.zeros((len(strengths), len(strengths)))
        blocks, pairs, squares = (np.zeros(len(strengths)) for _ in range(3))
        for scores in _scores(tables, strengths):
            count += scores.add_products(products)
            for sums, power in ((blocks, 0), (pairs, 1), (squares, 2)):
                sums += np.bincount(scores.parameters, scores.pairs**power, len(sums))
        worth = _ratio(pairs**2, squares)
        return cls(count, products, worth, _freedom(worth, blocks, pairs))


def _ratio(above: Vector, below: Vector, otherwise: float = 0.0) -> Vector:
    """`otherwise` where nothing is below."""
    return np.divide(above, below, out=np.full_like(below, otherwise), where=below > 0)


def _freedom(worth: Vector, blocks: Vector, pairs: Vector) -> Vector:
    """Degrees of freedom: G m / (m - 1) + 1, where m is the mean size; sums of m coin tosses have light tails.

    With m = 1 the variance is known, and it is also known for a bot that has not played: it has only virtual games.
    """
    is_known = pairs == blocks
    share = np.where(is_known, 0.0, _ratio(blocks, pairs))
    return np.where(is_known, MOST_FREEDOM, worth / (1 - share) + 1)


@dataclass(frozen=True, slots=True)
class _Scores:
    """The scores s of some blocks (points won minus points expected), in the order of block and parameter."""

    blocks: Numbers
    parameters: Numbers
    values: Vector
    pairs: Vector
    """From how many pairs."""

    def add_products(self, products: Matrix) -> int:
        """Add s s' of each block. Returns how many blocks there are."""
        starts = np.flatnonzero(np.diff(self.blocks, prepend=-1))
        lengths = np.diff(starts, append=len(self.blocks))
        for length in np.unique(lengths):
            mine, step = starts[lengths == length], max(1, AT_ONCE // length**2)
            for first in range(0, len(mine), step):
                rows = mine[first : first + step, np.newaxis] + np.arange(length)
                numbers, values = self.parameters[rows], self.values[rows]
                keys = numbers[:, :, np.newaxis] * len(products) + numbers[:, np.newaxis]
                np.add.at(products.reshape(-1), keys, values[:, :, np.newaxis] * values[:, np.newaxis])
        return len(starts)


def _scores(tables: Sequence[Tables], strengths: Vector) -> Iterator[_Scores]:
    """Of all blocks, some at a time: of at most AT_ONCE pairs if they are rotations of one table."""
    end = max((int(size.blocks[-1]) + 1 for size in tables), default=0)
    step = max(1, AT_ONCE // max((size.halves.shape[0] * len(size.seats) for size in tables), default=1))
    for first in range(0, end, step):
        bounds = [np.searchsorted(size.blocks, (first, first + step)).tolist() for size in tables]
        parts = [_scores_by_seat(size.part(*bound), strengths) for size, bound in zip(tables, bounds)]
        keys, values, pairs = (np.concatenate(column) for column in zip(*parts))
        found, at = np.unique(keys, return_inverse=True)
        sums = (np.bincount(at, column).astype(float) for column in (values, pairs))
        yield _Scores(*np.divmod(found, len(strengths)), *sums)


def _scores_by_seat(tables: Tables, strengths: Vector) -> tuple[Numbers, Vector, Vector]:
    """Of each seat at each table with a game, first for its bot, then for the seat itself: block and parameter as one
    number, score, and number of games."""
    games = PlayedGames.of(tables, strengths)
    rows = tables.blocks.astype(np.intp) * len(strengths)
    keys = np.stack([rows + tables.bots, rows + tables.seats[:, np.newaxis]])
    scores, pairs = (np.broadcast_to(values, keys.shape) for values in (games.surprises(), games.numbers()))
    has_games = pairs > 0
    return keys[has_games], scores[has_games], pairs[has_games]


def _middle(peak: Peak, blocks: Blocks) -> Matrix:
    """M: the products of the blocks' scores, the correction L H L for few blocks, and the virtual games."""
    chance, diagonal = chances(peak.strengths), np.diag_indices_from(peak.information)
    known = peak.information.copy()
    known[diagonal] -= 2 * peak.virtual * chance * (1 - chance)  # H of the real games only
    seen = _ratio(blocks.products[diagonal], known[diagonal])
    least = np.minimum(1.0, _ratio(np.full_like(seen, FEW), blocks.worth))
    lack = np.sqrt(_ratio(np.maximum(least, seen), blocks.worth))
    middle = blocks.products + lack[:, np.newaxis] * lack * known
    middle[diagonal] += peak.virtual * (chance**2 + (1 - chance) ** 2)
    return middle


@dataclass(frozen=True, slots=True)
class Sandwich:
    """The strengths with their covariance and degrees of freedom, in log odds."""

    strengths: Vector
    covariance: Matrix
    freedom: Vector
    has_games: NDArray[np.bool_]
    blocks: int
    """How many blocks there are in which different bots met."""

    @classmethod
    def of(cls, tables: Sequence[Tables], peak: Peak) -> "Sandwich":
        """A M A, where A is the inverse of H."""
        blocks, outer = Blocks.of(tables, peak.strengths), np.linalg.inv(peak.information)
        rough = outer @ _middle(peak, blocks) @ outer
        covariance = (rough + rough.T) / 2  # if H is nearly singular, its errors cancel only with both halves
        return cls(peak.strengths, covariance, blocks.freedom, blocks.worth > 0, blocks.count)

    def bots(self, count: int) -> "Contrasts":
        """The first `count` parameters. Those with a game, or all if there is none, have the mean START."""
        every = np.arange(count)
        return self.contrasts(every, every[self.has_games[:count]] if self.has_games.any() else every, START)

    def contrasts(self, group: Numbers, base: Numbers, mean: float) -> "Contrasts":
        """The parameters of a group, each minus the mean of the base, for which this value is shown.

        Cov(x - m, y - m) = Cov(x, y) - Cov(x, m) - Cov(y, m) + Var(m), where m is the mean of the base.
        """
        with_base = _mean(self.covariance[:, base])
        own, spread = with_base[group], self.covariance[np.ix_(group, group)]
        covariance = SCALE**2 * (spread - (own[:, np.newaxis] + own) + _mean(with_base[base]))
        values = mean + SCALE * (self.strengths[group] - _mean(self.strengths[base]))
        return Contrasts(values, covariance, self.freedom[group])


def _mean(values: Matrix) -> Vector:
    """Of each row; 0 if it is empty."""
    found: Vector = values.sum(axis=-1) / max(1, values.shape[-1])
    return found


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Differences from a mean, in Elo points: only differences of strengths mean anything."""

    values: Vector
    covariance: Matrix
    """Symmetric to the last bit."""
    freedom: Vector

    def estimates(self) -> tuple[Estimate, ...]:
        columns = zip(self.values.tolist(), np.diag(self.covariance).tolist(), self.freedom.tolist())
        return tuple(estimate(*one) for one in columns)

    def separations(self, most_freedom: int, groups: Sequence[int]) -> Iterator[bytes]:
        """For each parameter a byte for each other, 1 if they are separated: what `Fit.difference` says, of all pairs.

        Those of different groups are never separated.
        """
        variances, probability = np.diag(self.covariance), (1 + CONFIDENCE) / 2
        for value, row, own, freedom, group in zip(self.values, self.covariance, variances, self.freedom, groups):
            below = own * own / freedom + variances * variances / self.freedom
            together = _ratio((own + variances) ** 2, below, MOST_FREEDOM)
            whole, at = np.unique((np.clip(together, 1, most_freedom) + NEARLY).astype(int), return_inverse=True)
            quantiles = np.array([t_quantile(probability, one) for one in whole.tolist()])
            reach = np.sqrt(np.maximum(0.0, own + variances - 2 * row)) * quantiles[at]
            are_apart = (np.abs(value - self.values) > reach) & np.equal(groups, group)
            yield are_apart.tobytes()
