"""How strong the bots are: from results to ratings, intervals, ranks and standings. Pure, and free of order.

Two numbers are made of the same results. Classic Elo goes through the matches in plan order, and every pair at a table
is a game for K / (n - 1) points. It is the number that everybody knows; it never settles, and ranks nobody.

The rank comes from a fit of all results at once. The chance that the bot in one seat ends above the bot in another is

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
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, chain, combinations, count, groupby, pairwise
from operator import attrgetter, mul
from types import MappingProxyType

from arena.statistics import MOST_FREEDOM, SCALE, Estimate, Unit, estimate, expected, superiority

START = 1500.0
"""Where classic Elo begins, and the mean of the fitted ratings."""
K = 8.0
"""Points at stake in a match, by classic Elo."""
EXACT = 1e-7
"""Newton's last step, in log odds; the error after it is about its square."""
SLACK = 1e-12
"""By how much of itself the likelihood may fall in a step: that is rounding."""
VIRTUAL = 0.5
"""Virtual games that every bot and every seat has won against an average one, and as many lost."""
FEW = 4
"""Up to so many blocks the variance that the model expects is believed rather than less that is seen."""


@dataclass(frozen=True, slots=True)
class Result:
    """A match that counts. Blocks are fixtures that share a deal."""

    index: int  # place in the plan
    block: int
    bots: tuple[str, ...]  # by seat
    ranks: tuple[int, ...]  # 1 is best, ties share
    scores: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 < len(self.bots) == len(self.ranks) == len(self.scores):
            raise ValueError(f"result {self.index}: {self.bots}, {self.ranks} and {self.scores} are not of one table")


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
    return _elo(in_plan_order(results), k, start)


def _elo(ordered: Iterable[Result], k: float, start: float) -> dict[str, float]:
    ratings: dict[str, float] = {}
    for result in ordered:
        before = [ratings.get(bot, start) for bot in result.bots]
        for bot, gain in zip(result.bots, _gains(result, before, k)):
            ratings[bot] = ratings.get(bot, start) + gain
    return dict(sorted(ratings.items()))


def _gains(result: Result, before: Sequence[float], k: float) -> list[float]:
    """By seat; what one wins of another, the other loses."""
    bots, ranks, stake = result.bots, result.ranks, k / (len(before) - 1)
    gains = [0.0] * len(before)
    for a, b in combinations(range(len(before)), 2):
        if bots[a] != bots[b]:
            gain = stake * (outcome(ranks[a], ranks[b]) - expected(before[a] - before[b]))
            gains[a] += gain
            gains[b] -= gain
    return gains


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
    return _fit(in_plan_order(results), bots, virtual)


def _fit(ordered: Sequence[Result], bots: Iterable[str], virtual: float) -> Fit:
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


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table. The rating ranks; classic Elo, scores and margins are shown beside it.

    `best` and `worst` are the places that the bot may have: only bots that are separated from it are surely above or
    below. A `tier` is the bots that are not separated from the first of them. The margin is the mean of its points
    less the mean of the others at the table.
    """

    best: int
    worst: int
    tier: int
    bot: str
    rating: Estimate
    elo: float
    games: int
    blocks: int
    wins: int  # first alone
    shared: int  # first with others
    mean_score: float | None  # None without a game
    mean_rank: float | None
    margin: float | None
    faults: int
    not_separated: tuple[str, ...]  # best first

    @property
    def rank(self) -> str:
        return f"{self.best}" if self.best == self.worst else f"{self.best}-{self.worst}"


NO_FAULTS: Mapping[str, int] = MappingProxyType({})


def standings(
    results: Iterable[Result],
    bots: Iterable[str] = (),
    faults: Mapping[str, int] = NO_FAULTS,
    *,
    fitted: Fit | None = None,
) -> tuple[Standing, ...]:
    """The table, best first, then those that have not played; the same whatever order the results come in.

    Whoever has the fit of these results and bots already may give it.
    """
    ordered = in_plan_order(results)
    fitted = fitted or _fit(ordered, bots, VIRTUAL)
    tallies, classic = _tallies(ordered), _elo(ordered, K, START)
    order = sorted(fitted.order(), key=lambda bot: bot not in tallies)
    apart = {bot: tuple(other for other in order if fitted.separated(bot, other)) for bot in order}
    tiers, places = _tiers(order, apart), {bot: place for place, bot in enumerate(order)}

    def standing(place: int, bot: str) -> Standing:
        above = sum(places[other] < place for other in apart[bot])
        tally = tallies.get(bot, _Tally())
        return Standing(
            best=above + 1,
            worst=len(order) - (len(apart[bot]) - above),
            tier=tiers[bot],
            bot=bot,
            rating=fitted.rating(bot),
            elo=classic.get(bot, START),
            games=tally.games,
            blocks=len(tally.blocks),
            wins=tally.wins,
            shared=tally.shared,
            mean_score=tally.mean(tally.scores),
            mean_rank=tally.mean(tally.ranks),
            margin=tally.margin(),
            faults=faults.get(bot, 0),
            not_separated=tuple(other for other in order if other != bot and other not in apart[bot]),
        )

    return tuple(standing(place, bot) for place, bot in enumerate(order))


def _tiers(order: Sequence[str], apart: Mapping[str, Container[str]]) -> dict[str, int]:
    """A bot that is separated from the first of a tier opens the next."""
    tiers: dict[str, int] = {}
    first, tier = "", 0
    for bot in order:
        if not tier or bot in apart[first]:
            first, tier = bot, tier + 1
        tiers[bot] = tier
    return tiers


@dataclass(slots=True)
class _Tally:
    """What a bot did. Sums are of integers, so that they are exact."""

    games: int = 0
    wins: int = 0
    shared: int = 0
    scores: int = 0
    ranks: int = 0
    leads: dict[int, int] = field(default_factory=dict)  # by size: own points times size less the table's
    blocks: set[int] = field(default_factory=set)

    def mean(self, total: float) -> float | None:
        return total / self.games if self.games else None

    def margin(self) -> float | None:
        return self.mean(math.fsum(lead / (size - 1) for size, lead in sorted(self.leads.items())))


def _tallies(ordered: Iterable[Result]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for result in ordered:
        size, points, firsts = len(result.bots), sum(result.scores), result.ranks.count(1)
        for bot, rank, score in zip(result.bots, result.ranks, result.scores):
            tally = tallies[bot]
            tally.games += 1
            tally.wins += rank == firsts == 1
            tally.shared += rank == 1 < firsts
            tally.scores += score
            tally.ranks += rank
            tally.leads[size] = tally.leads.get(size, 0) + score * size - points
            tally.blocks.add(result.block)
    return dict(tallies)


def exchanges_by_rank(results: Iterable[Result], a: str, b: str) -> tuple[Unit, ...]:
    """A duel's units on ranks: 1 where A ranks above B, 1/2 for a tie. For `arena.statistics.duel`."""
    return tuple(_exchanges(results, a, b, lambda result, at, other: outcome(result.ranks[at], result.ranks[other])))


def exchanges_by_score(results: Iterable[Result], a: str, b: str) -> tuple[Unit, ...]:
    """A duel's units on scores: A's points less B's. For `arena.statistics.duel_on_score`."""
    return tuple(_exchanges(results, a, b, lambda result, at, other: result.scores[at] - result.scores[other]))


Worth = Callable[[Result, int, int], float]


def _exchanges(results: Iterable[Result], a: str, b: str, worth: Worth) -> Iterator[Unit]:
    """The blocks from 0 on, up to the first that is not whole: what comes after it came too early."""
    blocks: dict[int, list[Result]] = defaultdict(list)
    for result in in_plan_order(results):
        blocks[result.block].append(result)
    for block in count():
        games = blocks.get(block, [])
        if len(games) < 2:
            return
        _check_exchange(games, a, b)
        first, second = games
        seat, other = first.bots.index(a), first.bots.index(b)
        yield worth(first, seat, other), worth(second, other, seat)


def _check_exchange(games: Sequence[Result], a: str, b: str) -> None:
    exchanged = tuple({a: b, b: a}.get(bot, bot) for bot in games[0].bots)
    if len(games) > 2 or games[0].bots.count(a) != 1 or games[0].bots.count(b) != 1 or games[1].bots != exchanged:
        seats = " and ".join(str(game.bots) for game in games)
        raise ValueError(
            f"block {games[0].block} of a duel has {seats}: expected one match, and it with {a}, {b} exchanged"
        )
