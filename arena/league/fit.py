"""How strong the bots are: a fit of all results at once, whatever their order. Pure.

The chance that the bot in one seat ends above the bot in another is

    1 / (1 + 10 ** -((rating + seat effect of the one - rating - seat effect of the other) / 400))

with a tie as half a win (Bradley and Terry's model). Seat effects belong to a size of table; ratings are one for all
sizes in the fit. Every bot and every seat has also won half a virtual game against an average one, and lost another
half: bots that always win, or never played, stay finite. Newton's method finds the maximum of the likelihood, on counts
of pairs. Ratings are shown with the mean START, seat effects with the mean 0.

The pairs of one match, and the matches of a shared deal, depend on each other. So the covariance is A M A, where A is
the inverse of the information H, and M sums the products of the scores (derivatives of the likelihood) of whole blocks;
each virtual game is a block of its own. Scores at the maximum are smaller than at the truth, and few of them tell
little. So three things are done, by parameter (a bot or a seat), each of which fades as blocks come in:

- G, the number of blocks, is the number of equal ones that are worth as much: (sum w)^2 / sum w^2, where w counts the
  parameter's pairs in a block.
- M gets one block more: L H L, where L is diagonal and L^2 = max(M / H, min(1, 4 / G)) / G. That is as much as the
  blocks show, and at first not less than the model expects (after Morel, Bokossa and Neerchal, Biometrical Journal 45,
  2003, who add one share of H for all parameters).
- Intervals are Student's with G m / (m - 1) + 1 degrees of freedom, where m is the mean of w: a sum of m tosses of a
  coin has lighter tails than a normal variable. For differences they are added up by Welch's formula, and are never
  more than all blocks and one.

How often the intervals hold the truth is measured by benchmarks/ratings.py; docs/ratings.md shows it.
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
"""By how much of itself the likelihood may fall in a step: that is rounding."""
VIRTUAL = 0.5
"""Virtual games that every bot and every seat has won against an average one, and as many lost."""
FEW = 4
"""Up to so many blocks the variance that the model expects is believed rather than less that is seen."""


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """What a seat is worth at tables of this size, against the mean of its seats."""

    size: int
    seat: int
    elo: Estimate


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings of all bots at once. Those that played have the mean START; the lists are by bot.

    `sizes` are the sizes of the tables; if there are several, a rating is a mean over them (`pooled`). `covariance` is
    that of the ratings, `freedom` the degrees of freedom. Bots of different `groups` never met, even through others.
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
        """Its interval is that of the distance from the mean of all."""
        return self.ratings[self._at(bot)]

    def difference(self, bot: str, other: str) -> Estimate:
        """By how many points the first is better."""
        i, j = self._at(bot), self._at(other)
        mine, theirs = self.covariance[i][i], self.covariance[j][j]
        value = self.ratings[i].value - self.ratings[j].value
        variance = mine + theirs - 2 * self.covariance[min(i, j)][max(i, j)]
        freedom = _welch((mine, self.freedom[i]), (theirs, self.freedom[j]))
        return estimate(value, variance, min(freedom, self.blocks + 1))

    def superiority(self, bot: str, other: str) -> float:
        """How likely it is that the first is better."""
        difference = self.difference(bot, other)
        return superiority(difference.value, difference.error)

    def separated(self, bot: str, other: str) -> bool:
        """Whether the interval of their difference leaves out zero."""
        difference = self.difference(bot, other)
        met = self.groups[self._at(bot)] == self.groups[self._at(other)]
        return met and not difference.low <= 0 <= difference.high

    def order(self) -> tuple[str, ...]:
        """Best first; of equals, by name."""
        return tuple(sorted(self.bots, key=lambda bot: (-self.rating(bot).value, bot)))

    def _at(self, bot: str) -> int:
        return self.bots.index(bot)


def fit(results: Iterable[Result], bots: Iterable[str] = (), *, virtual: float = VIRTUAL) -> Fit:
    """The ratings that make the results most likely, of these bots and all that played.

    `virtual` is how many virtual games each has won, and how many lost.
    """
    return fit_in_order(in_plan_order(results), bots, virtual)


def fit_in_order(ordered: Sequence[Result], bots: Iterable[str], virtual: float = VIRTUAL) -> Fit:
    """The same of results that are in plan order already."""
    layout = _Layout.of(ordered, bots)
    cells = _cells(ordered, layout)
    peak = _climb(tuple(cells.values()), layout.count, virtual)
    blocks = _Blocks.of(ordered, layout, peak.chances(cells))
    found = _Found(peak.strengths, _covariance(peak, blocks), blocks.freedom)
    everybody = range(len(layout.bots))
    played = [bot for bot in everybody if blocks.worth[bot]] or everybody
    return Fit(
        bots=layout.bots,
        ratings=found.estimates(everybody, played, START),
        covariance=found.spread(everybody, played),
        freedom=tuple(found.freedom[: len(layout.bots)]),
        groups=_groups(len(layout.bots), cells.values()),
        seats=tuple(_seat_effects(layout, found)),
        sizes=layout.sizes,
        blocks=blocks.count,
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """What is fitted, by number: the bots, then the seats of each size of table."""

    bots: tuple[str, ...]
    sizes: tuple[int, ...]
    numbers: Mapping[str, int]
    first_seats: Mapping[int, int]
    count: int

    @classmethod
    def of(cls, ordered: Iterable[Result], bots: Iterable[str]) -> "_Layout":
        names = sorted({*bots, *chain.from_iterable(result.bots for result in ordered)})
        sizes = sorted({len(result.bots) for result in ordered})
        firsts = list(accumulate(sizes, initial=len(names)))
        numbers = {name: number for number, name in enumerate(names)}
        return cls(tuple(names), tuple(sizes), numbers, dict(zip(sizes, firsts)), firsts[-1])

    def places(self, result: Result) -> list[int]:
        """By seat, bot and seat as one number: integers are quicker to look up than pairs of them."""
        first, count, numbers = self.first_seats[len(result.bots)], self.count, self.numbers
        return [numbers[bot] * count + first + seat for seat, bot in enumerate(result.bots)]


Pair = tuple[int, int]
"""Two places at one table, the lower number first."""
Chances = defaultdict[int, defaultdict[int, float]]
"""By place and other place; 0 for a place and itself, and for two copies of one bot."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """All games between two bots in these seats."""

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
        if cell.bot != cell.other:  # copies say nothing about bots
            cells[place, other] = cell
    return cells


def _half_points(ordered: Iterable[Result], layout: _Layout) -> defaultdict[int, defaultdict[int, int]]:
    """Of each place against each other. Rows of integers are filled twice as fast as one table of pairs."""
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
    """The maximum of the likelihood, in log odds, and the information there."""

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
    """Newton's method; the virtual games make sure that there is one maximum."""
    strengths = [0.0] * count
    height = _height(cells, strengths, virtual)
    while True:
        slope, information = _derivatives(cells, strengths, virtual)
        step = _solved(_cholesky(information), slope)
        there = [at + by for at, by in zip(strengths, step)]
        if max(map(abs, step), default=0.0) < EXACT:
            return _Peak(there, information, virtual)
        while (now := _height(cells, there, virtual)) < height - SLACK * abs(height):
            there = [(at + to) / 2 for at, to in zip(strengths, there)]  # too far, and down again
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
    """First ones, and second ones with the sign turned."""
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
    """What the blocks that tell anything tell, by number.

    That is products of their scores, summed; how many equal blocks they are worth; and degrees of freedom.
    """

    count: int
    products: list[list[float]]
    worth: list[float]
    freedom: list[float]

    @classmethod
    def of(cls, ordered: Iterable[Result], layout: _Layout, chances: Chances) -> "_Blocks":
        products = [[0.0] * layout.count for _ in range(layout.count)]
        sizes: list[list[int]] = [[] for _ in range(layout.count)]
        telling = 0
        for _, block in groupby(sorted(ordered, key=_BLOCK), key=_BLOCK):
            scores, pairs = _told_by(block, layout, chances)
            telling += bool(scores)
            for k, score in scores.items():
                sizes[k].append(pairs[k])
                row = products[k]
                for other, other_score in scores.items():
                    row[other] += score * other_score
        return cls(telling, products, [_worth(own) for own in sizes], [_freedom(own) for own in sizes])


_BLOCK = attrgetter("block")


def _told_by(block: Iterable[Result], layout: _Layout, chances: Chances) -> tuple[dict[int, float], dict[int, int]]:
    """Scores of one block, and from how many pairs they are, by number."""
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
    """By seat, points won from other bots, and how many those are."""
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
    """How many blocks of equal size tell as much; 0 of none."""
    return sum(sizes) ** 2 / sum(size * size for size in sizes) if sizes else 0.0


def _freedom(sizes: Sequence[int]) -> float:
    """Sums of m tosses of a coin have lighter tails than the normal distribution: G m / (m - 1) blocks' worth.

    A bot that has not played has the variance of its virtual games, which is known.
    """
    if sum(sizes) == len(sizes):
        return MOST_FREEDOM
    return _worth(sizes) / (1 - len(sizes) / sum(sizes)) + 1


def _covariance(peak: _Peak, blocks: _Blocks) -> list[list[float]]:
    lower = _cholesky(peak.information)
    units = ([float(k == other) for other in range(len(lower))] for k in range(len(lower)))
    inverse = [_solved(lower, unit) for unit in units]
    return _product(_product(inverse, _middle(peak, blocks)), inverse)


def _middle(peak: _Peak, blocks: _Blocks) -> list[list[float]]:
    """The products of the blocks' scores, those of the virtual games, and what few blocks lack."""
    chances = [expected(SCALE * at) for at in peak.strengths]
    known = [row.copy() for row in peak.information]
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
    """By what one block more is to be multiplied, on either side."""
    return math.sqrt(max(min(1.0, FEW / worth), seen / known) / worth) if worth else 0.0


def _cholesky(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """The lower triangle whose product with its transpose is this positive matrix, without the zeros."""
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
    """x of L L' x = right."""
    half: list[float] = []
    for row, value in zip(lower, right):
        half.append((value - sum(map(mul, row, half))) / row[-1])
    for k in reversed(range(len(half))):
        half[k] /= lower[k][k]
        for other in range(k):
            half[other] -= lower[k][other] * half[k]
    return half


def _product(left: Sequence[Sequence[float]], symmetric: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[sum(map(mul, row, column)) for column in symmetric] for row in left]


@dataclass(frozen=True, slots=True)
class _Found:
    """Strengths with their covariance and degrees of freedom, in log odds; only differences mean anything."""

    strengths: list[float]
    covariance: list[list[float]]
    freedom: list[float]

    def spread(self, group: Sequence[int], base: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """The covariance of a group of numbers, each measured from the mean of the base, in Elo points."""
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
    """The degrees of freedom of a sum of variances, each with its own."""
    below = math.fsum(variance**2 / freedom for variance, freedom in parts)
    return math.fsum(variance for variance, _ in parts) ** 2 / below if below else MOST_FREEDOM


def _seat_effects(layout: _Layout, found: _Found) -> Iterator[SeatEffect]:
    for size, first in layout.first_seats.items():
        seats = range(first, first + size)
        for seat, effect in enumerate(found.estimates(seats, seats, 0.0)):
            yield SeatEffect(size, seat, effect)


def _groups(count: int, cells: Iterable[_Cell]) -> tuple[int, ...]:
    """By bot, the lowest number among those it is connected to by games."""
    groups = list(range(count))
    for bot, other in sorted({(cell.bot, cell.other) for cell in cells}):
        mine, theirs = groups[bot], groups[other]
        if mine != theirs:
            groups = [min(mine, theirs) if group in (mine, theirs) else group for group in groups]
    return tuple(groups)
