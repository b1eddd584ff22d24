"""How strong the bots are: a fit of all results at once, in any order. Pure.

The chance that the bot in one seat ends above the bot in another is

    1 / (1 + 10 ** -((rating + seat effect of the one - rating - seat effect of the other) / 400))

with a tie as half a win (the Bradley-Terry model). Each size of table has its own seat effects; a bot has one rating
for all sizes in the fit. Every bot and every seat has also won half a virtual game against an average one, and lost
another half, so that bots that always win, or never played, stay finite. Newton's method finds the maximum of the
likelihood, on counts of pairs. Ratings are shown with the mean START, seat effects with the mean 0.

The pairs of one match, and the matches of a shared deal, depend on each other. So the covariance is the sandwich
estimate A M A: A is the inverse of the information H (minus the second derivatives of the log likelihood), and M is the
sum over whole blocks of s s', where s is the block's vector of scores (first derivatives of the log likelihood). Each
virtual game is a block of its own. Scores at the maximum are smaller than at the truth, and a few blocks say little.
So there are three corrections for each parameter (a bot or a seat), whose effect vanishes with many blocks:

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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, groupby
from operator import attrgetter, mul

from arena.league.elo import START, Result, in_plan_order, outcome
from arena.league.statistics import MOST_FREEDOM, SCALE, Estimate, estimate, expected, superiority

EXACT = 1e-7
"""Newton's last step, in log odds; the error after it is about its square."""
SLACK = 1e-12
"""The relative fall of the likelihood in a step that counts as rounding."""
VIRTUAL = 0.5
"""Virtual games that every bot and every seat has won against an average one; it has lost as many."""
FEW = 4
"""Up to this many blocks, a variance that is smaller than the model expects is not believed."""


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
    not even through other bots.
    """

    bots: tuple[str, ...]
    ratings: tuple[Estimate, ...]
    covariance: tuple[tuple[float, ...], ...]
    freedom: tuple[float, ...]
    groups: tuple[int, ...]
    seats: tuple[SeatEffect, ...]
    sizes: tuple[int, ...]
    blocks: int

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
        variance = mine + theirs - 2 * self.covariance[min(i, j)][max(i, j)]
        freedom = _welch((mine, self.freedom[i]), (theirs, self.freedom[j]))
        return estimate(value, variance, min(freedom, self.blocks + 1))

    def superiority(self, bot: str, other: str) -> float:
        """The probability that the first is better."""
        difference = self.difference(bot, other)
        return superiority(difference.value, difference.error)

    def separated(self, bot: str, other: str) -> bool:
        """Whether the interval of their difference excludes zero. Bots of different groups are never separated."""
        difference = self.difference(bot, other)
        met = self.groups[self._at(bot)] == self.groups[self._at(other)]
        return met and not difference.low <= 0 <= difference.high

    def order(self) -> tuple[str, ...]:
        """Best first; of equals, by name."""
        return tuple(sorted(self.bots, key=lambda bot: (-self.rating(bot).value, bot)))

    def _at(self, bot: str) -> int:
        return self.bots.index(bot)


def fit(results: Iterable[Result], bots: Iterable[str] = (), *, virtual: float = VIRTUAL) -> Fit:
    """The ratings that make the results most likely, for these bots and all that played.

    `virtual` is how many virtual games each bot and seat has won, and how many it has lost.
    """
    return fit_in_order(in_plan_order(results), bots, virtual)


def fit_in_order(ordered: Sequence[Result], bots: Iterable[str], virtual: float = VIRTUAL) -> Fit:
    """`fit` for results that are already in plan order."""
    layout = _Layout.of(ordered, bots)
    cells = _cells(ordered, layout)
    peak = _climb(tuple(cells.values()), layout.count, virtual)
    blocks = _Blocks.of(ordered, layout, peak.chances(cells))
    found = _Found(peak.strengths, _covariance(peak, blocks), blocks.freedom)
    every = range(len(layout.bots))
    played = [bot for bot in every if blocks.worth[bot]] or every
    return Fit(
        bots=layout.bots,
        ratings=found.estimates(every, played, START),
        covariance=found.spread(every, played),
        freedom=tuple(found.freedom[: len(layout.bots)]),
        groups=_groups(len(layout.bots), cells.values()),
        seats=tuple(_seat_effects(layout, found)),
        sizes=layout.sizes,
        blocks=blocks.count,
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The numbers of the parameters: the bots from 0 on, then the seats of each size of table."""

    bots: tuple[str, ...]
    sizes: tuple[int, ...]
    numbers: Mapping[str, int]
    """By bot."""
    first_seats: Mapping[int, int]
    """By size of table, the number of its seat 0."""
    count: int
    """How many parameters there are: the order of all vectors and matrices below."""

    @classmethod
    def of(cls, ordered: Iterable[Result], bots: Iterable[str]) -> "_Layout":
        names = sorted({*bots, *chain.from_iterable(result.bots for result in ordered)})
        sizes = sorted({len(result.bots) for result in ordered})
        firsts = list(accumulate(sizes, initial=len(names)))
        numbers = {name: number for number, name in enumerate(names)}
        return cls(tuple(names), tuple(sizes), numbers, dict(zip(sizes, firsts)), firsts[-1])

    def places(self, result: Result) -> list[int]:
        """By seat, the place: bot * count + seat as one integer, which is faster to look up than a pair."""
        first, count, numbers = self.first_seats[len(result.bots)], self.count, self.numbers
        return [numbers[bot] * count + first + seat for seat, bot in enumerate(result.bots)]


Pair = tuple[int, int]
"""Two places at one table, the lower number first."""
Chances = defaultdict[int, defaultdict[int, float]]
"""By place and other place, the chance to end above; 0 for a place and itself, and for two copies of one bot."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """All games between two bots in these seats; the cells are all that the likelihood depends on."""

    bot: int
    seat: int
    other: int
    other_seat: int
    games: int
    won: float

    def chance(self, strengths: Sequence[float]) -> float:
        return 0.5 + 0.5 * math.tanh(self.lead(strengths) / 2)

    def lead(self, strengths: Sequence[float]) -> float:
        mine, theirs = strengths[self.bot] + strengths[self.seat], strengths[self.other] + strengths[self.other_seat]
        return mine - theirs


def _cells(ordered: Iterable[Result], layout: _Layout) -> dict[Pair, _Cell]:
    halves = _half_points(ordered, layout)
    met = {(min(place, other), max(place, other)) for place, row in halves.items() for other in row}
    cells = {}
    for place, other in sorted(met):
        mine, theirs = halves[place][other], halves[other][place]
        cell = _Cell(*divmod(place, layout.count), *divmod(other, layout.count), (mine + theirs) // 2, mine / 2)
        if cell.bot != cell.other:  # games between copies of a bot do not depend on its rating
            cells[place, other] = cell
    return cells


def _half_points(ordered: Iterable[Result], layout: _Layout) -> defaultdict[int, defaultdict[int, int]]:
    """Twice the points of each place against each other. Nested dicts of integers are twice as fast as one of pairs."""
    halves: defaultdict[int, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for result in ordered:
        places, ranks = layout.places(result), result.ranks
        for seat, place in enumerate(places):
            rank, row = ranks[seat], halves[place]
            for other in range(seat):
                if rank < ranks[other]:
                    row[places[other]] += 2
                elif rank > ranks[other]:
                    halves[places[other]][place] += 2
                else:
                    row[places[other]] += 1
                    halves[places[other]][place] += 1
    return halves


@dataclass(frozen=True, slots=True)
class _Peak:
    """The maximum of the likelihood: strengths in log odds, and the information H there."""

    strengths: list[float]
    information: list[list[float]]
    virtual: float

    def chances(self, cells: Mapping[Pair, _Cell]) -> Chances:
        chances: Chances = defaultdict(lambda: defaultdict(float))
        for (place, other), cell in cells.items():
            chance = cell.chance(self.strengths)
            chances[place][other] = chance
            chances[other][place] = 1 - chance
        return chances


def _climb(cells: Sequence[_Cell], count: int, virtual: float) -> _Peak:
    """Newton's method. The virtual games make the likelihood strictly concave, so there is exactly one maximum."""
    strengths = [0.0] * count
    height = _height(cells, strengths, virtual)
    while True:
        slope, information = _derivatives(cells, strengths, virtual)
        step = _solved(_cholesky(information), slope)
        there = [at + by for at, by in zip(strengths, step)]
        if max(map(abs, step), default=0.0) < EXACT:
            return _Peak(there, information, virtual)
        while (now := _height(cells, there, virtual)) < height - SLACK * abs(height):
            there = [(at + to) / 2 for at, to in zip(strengths, there)]  # the step went too far: halve it
        strengths, height = there, now


def _height(cells: Sequence[_Cell], strengths: Sequence[float], virtual: float) -> float:
    """The log likelihood."""
    leads = (cell.lead(strengths) for cell in cells)
    real = math.fsum(cell.won * lead - cell.games * _softplus(lead) for cell, lead in zip(cells, leads))
    return real + virtual * math.fsum(at - 2 * _softplus(at) for at in strengths)


def _softplus(x: float) -> float:
    """ln(1 + e^x)"""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _derivatives(
    cells: Sequence[_Cell], strengths: Sequence[float], virtual: float
) -> tuple[list[float], list[list[float]]]:
    """The gradient of the log likelihood, and the information H: minus its second derivatives.

    A cell with the lead x = bot + seat - other - other seat adds (won - games p) dx to the gradient and
    games p (1 - p) dx dx' to H, where p is the chance and dx has 1 for bot and seat and -1 for the other two. A
    virtual game against an average one has the parameter itself as its lead.
    """
    slope, information = [0.0] * len(strengths), [[0.0] * len(strengths) for _ in strengths]
    for cell in cells:
        chance = cell.chance(strengths)
        surprise, weight = cell.won - cell.games * chance, cell.games * chance * (1 - chance)
        signs = ((cell.bot, 1), (cell.seat, 1), (cell.other, -1), (cell.other_seat, -1))
        for k, sign in signs:
            slope[k] += sign * surprise
            row = information[k]
            for other, other_sign in signs:
                row[other] += sign * other_sign * weight
    for k, at in enumerate(strengths):
        chance = expected(SCALE * at)
        slope[k] += virtual * (1 - 2 * chance)
        information[k][k] += 2 * virtual * chance * (1 - chance)
    return slope, information


@dataclass(frozen=True, slots=True)
class _Blocks:
    """What the blocks say about the variance, by number of the parameter."""

    count: int
    """Blocks in which different bots met."""
    products: list[list[float]]
    """The sum over blocks of s s', the middle of the sandwich before its corrections."""
    worth: list[float]
    """G: how many equal blocks are worth as much."""
    freedom: list[float]
    """Degrees of freedom."""

    @classmethod
    def of(cls, ordered: Iterable[Result], layout: _Layout, chances: Chances) -> "_Blocks":
        products = [[0.0] * layout.count for _ in range(layout.count)]
        sizes: list[list[int]] = [[] for _ in range(layout.count)]
        count = 0
        for _, block in groupby(sorted(ordered, key=_BLOCK), key=_BLOCK):
            scores, pairs = _block_scores(block, layout, chances)
            count += bool(scores)
            for k, score in scores.items():
                sizes[k].append(pairs[k])
                row = products[k]
                for other, other_score in scores.items():
                    row[other] += score * other_score
        return cls(count, products, [_worth(own) for own in sizes], [_freedom(own) for own in sizes])


_BLOCK = attrgetter("block")


def _block_scores(
    block: Iterable[Result], layout: _Layout, chances: Chances
) -> tuple[dict[int, float], dict[int, int]]:
    """The scores s of one block (points won minus points expected), and from how many pairs, by number."""
    scores: dict[int, float] = defaultdict(float)
    pairs: dict[int, int] = defaultdict(int)
    for result in block:
        places = layout.places(result)
        for place, (points, others) in zip(places, _points(result)):
            if others:
                surprise = points - sum(map(chances[place].__getitem__, places))
                for k in divmod(place, layout.count):
                    scores[k] += surprise
                    pairs[k] += others
    return scores, pairs


def _points(result: Result) -> Sequence[tuple[float, int]]:
    """By seat, the points won from other bots, and the number of those bots."""
    if len(set(result.bots)) == len(result.bots):
        return _points_of(result.ranks)
    return tuple(_points_from(seat, result) for seat in range(len(result.bots)))


@lru_cache(maxsize=8192)  # six seats have 4,683 orders with ties
def _points_of(ranks: tuple[int, ...]) -> Sequence[tuple[float, int]]:
    return tuple((sum(outcome(rank, other) for other in ranks) - 0.5, len(ranks) - 1) for rank in ranks)


def _points_from(seat: int, result: Result) -> tuple[float, int]:
    others = [rank for bot, rank in zip(result.bots, result.ranks) if bot != result.bots[seat]]
    return sum(outcome(result.ranks[seat], other) for other in others), len(others)


def _worth(sizes: Sequence[int]) -> float:
    """How many blocks of equal size are worth as much; 0 without blocks."""
    return sum(sizes) ** 2 / sum(size * size for size in sizes) if sizes else 0.0


def _freedom(sizes: Sequence[int]) -> float:
    """Degrees of freedom: G m / (m - 1) + 1, where m is the mean size; sums of m coin tosses have light tails.

    With m = 1 the variance is known, and it is also known for a bot that has not played: it has only virtual games.
    """
    if sum(sizes) == len(sizes):
        return MOST_FREEDOM
    return _worth(sizes) / (1 - len(sizes) / sum(sizes)) + 1


def _covariance(peak: _Peak, blocks: _Blocks) -> list[list[float]]:
    """The sandwich A M A, where A is the inverse of H."""
    lower = _cholesky(peak.information)
    units = ([float(k == other) for other in range(len(lower))] for k in range(len(lower)))
    inverse = [_solved(lower, unit) for unit in units]
    return _product(_product(inverse, _middle(peak, blocks)), inverse)


def _middle(peak: _Peak, blocks: _Blocks) -> list[list[float]]:
    """M: the products of the blocks' scores, the correction L H L for few blocks, and the virtual games."""
    chances = [expected(SCALE * at) for at in peak.strengths]
    known = [row.copy() for row in peak.information]  # H of the real games only
    for k, chance in enumerate(chances):
        known[k][k] -= 2 * peak.virtual * chance * (1 - chance)
    lack = [_lack(blocks.products[k][k], known[k][k], worth) for k, worth in enumerate(blocks.worth)]
    middle = [
        [product + lack[k] * lack[other] * known[k][other] for other, product in enumerate(row)]
        for k, row in enumerate(blocks.products)
    ]
    for k, chance in enumerate(chances):
        middle[k][k] += peak.virtual * (chance**2 + (1 - chance) ** 2)
    return middle


def _lack(seen: float, known: float, worth: float) -> float:
    """An entry of L: the square root of max(M / H, min(1, 4 / G)) / G."""
    return math.sqrt(max(min(1.0, FEW / worth), seen / known) / worth) if worth else 0.0


def _cholesky(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """L of matrix = L L', for a positive definite matrix; the zeros above the diagonal are left out."""
    lower: list[list[float]] = []
    for k, row in enumerate(matrix):
        mine: list[float] = []
        for other in range(k):
            theirs = lower[other]
            mine.append((row[other] - sum(map(mul, mine, theirs))) / theirs[other])
        mine.append(math.sqrt(row[k] - sum(map(mul, mine, mine))))
        lower.append(mine)
    return lower


def _solved(lower: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """x of L L' x = right: forward substitution for L y = right, then backward for L' x = y."""
    half: list[float] = []
    for row, value in zip(lower, right):
        half.append((value - sum(map(mul, row, half))) / row[-1])
    for k in reversed(range(len(half))):
        half[k] /= lower[k][k]
        for other in range(k):
            half[other] -= lower[k][other] * half[k]
    return half


def _product(left: Sequence[Sequence[float]], symmetric: Sequence[Sequence[float]]) -> list[list[float]]:
    """Of two matrices. Rows of the second serve as its columns, because it is symmetric."""
    return [[sum(map(mul, row, column)) for column in symmetric] for row in left]


@dataclass(frozen=True, slots=True)
class _Found:
    """Strengths with their covariance and degrees of freedom, in log odds; only differences mean anything."""

    strengths: list[float]
    covariance: list[list[float]]
    freedom: list[float]

    def spread(self, group: Sequence[int], base: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """The covariance of the parameters of a group, each minus the mean of the base, in Elo points squared.

        Cov(x - m, y - m) = Cov(x, y) - Cov(x, m) - Cov(y, m) + Var(m), where m is the mean of the base.
        """
        with_base = {k: _mean(self.covariance[k][other] for other in base) for k in {*group, *base}}
        of_base = _mean(with_base[k] for k in base)

        def entry(k: int, other: int) -> float:
            return SCALE**2 * (self.covariance[k][other] - with_base[k] - with_base[other] + of_base)

        return tuple(tuple(entry(min(k, other), max(k, other)) for other in group) for k in group)

    def estimates(self, group: Sequence[int], base: Sequence[int], mean: float) -> tuple[Estimate, ...]:
        middle = _mean(self.strengths[k] for k in base)
        spread = self.spread(group, base)
        return tuple(
            estimate(mean + SCALE * (self.strengths[k] - middle), spread[at][at], self.freedom[k])
            for at, k in enumerate(group)
        )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else 0.0


def _welch(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of variances that have their own (Welch and Satterthwaite)."""
    below = math.fsum(variance**2 / freedom for variance, freedom in parts)
    return math.fsum(variance for variance, _ in parts) ** 2 / below if below else MOST_FREEDOM


def _seat_effects(layout: _Layout, found: _Found) -> Iterator[SeatEffect]:
    for size, first in layout.first_seats.items():
        seats = range(first, first + size)
        for seat, effect in enumerate(found.estimates(seats, seats, 0.0)):
            yield SeatEffect(size, seat, effect)


def _groups(count: int, cells: Iterable[_Cell]) -> tuple[int, ...]:
    """By bot, the lowest number among the bots that games connect it to."""
    groups = list(range(count))
    for bot, other in sorted({(cell.bot, cell.other) for cell in cells}):
        mine, theirs = groups[bot], groups[other]
        if mine != theirs:
            groups = [min(mine, theirs) if group in (mine, theirs) else group for group in groups]
    return tuple(groups)
