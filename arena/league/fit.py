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
from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from arena.league.algebra import Matrix, cholesky, inverse, product, solved, symmetric_product, zeros
from arena.league.elo import START, Result, outcome
from arena.league.outcomes import Outcomes, Table
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
    covariance: tuple[Sequence[float], ...]
    freedom: tuple[float, ...]
    groups: tuple[int, ...]
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
        variance = mine + theirs - 2 * self.covariance[min(i, j)][max(i, j)]
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
        theirs = math.fsum(self._between(j, k) for j in held for k in held) / len(held) ** 2
        shared = math.fsum(self._between(i, j) for j in held) / len(held)
        variance = max(0.0, self.covariance[i][i] + theirs - 2 * shared)
        freedom = _welch((self.covariance[i][i], self.freedom[i]), (theirs, min(self.freedom[j] for j in held)))
        return estimate(value, variance, min(freedom, self.blocks + 1))

    def _between(self, i: int, j: int) -> float:
        return self.covariance[min(i, j)][max(i, j)]

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
        return self._numbers[bot]


def fit(results: Iterable[Result] | Outcomes, bots: Iterable[str] = (), *, virtual: float = VIRTUAL) -> Fit:
    """The ratings that make the results most likely, for these bots and all that played.

    `virtual` is how many virtual games each bot and seat has won, and how many it has lost.
    """
    outcomes = Outcomes.of(results)
    layout = _Layout.of(outcomes, bots)
    cells = _Cells.of(outcomes, layout)
    peak, groups = _climb(cells, layout, virtual), _groups(layout, cells)
    del cells  # with a thousand bots they need more memory than all the rest
    blocks = _Blocks.of(outcomes, layout, layout.totals(peak.strengths))
    found = _Found(peak.strengths, _covariance(peak, blocks), blocks.freedom)
    every = range(len(layout.bots))
    played = [bot for bot in every if blocks.worth[bot]] or every
    return Fit(
        bots=layout.bots,
        ratings=found.estimates(every, played, START),
        covariance=found.spread(every, played),
        freedom=tuple(found.freedom[: len(layout.bots)]),
        groups=groups,
        seats=tuple(_seat_effects(layout, found)),
        sizes=layout.sizes,
        blocks=blocks.count,
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The numbers of the parameters: the bots from 0 on, then the seats of each size of table.

    A place is a bot in a seat, as one integer: bot * all seats + seat.
    """

    bots: tuple[str, ...]
    sizes: tuple[int, ...]
    numbers: Sequence[int]
    """Our number of each bot, by its number in the outcomes; -1 if it is not ours."""
    first_seats: Mapping[int, int]
    """By size of table, the number of its seat 0."""
    count: int
    """How many parameters there are: the order of all vectors and matrices below."""

    @classmethod
    def of(cls, outcomes: Outcomes, bots: Iterable[str]) -> "_Layout":
        names, sizes = sorted({*bots, *outcomes.played()}), outcomes.sizes()
        firsts = list(accumulate(sizes, initial=len(names)))
        numbers = {name: number for number, name in enumerate(names)}
        ours = [numbers.get(bot, -1) for bot in outcomes.bots]
        return cls(tuple(names), tuple(sizes), ours, dict(zip(sizes, firsts)), firsts[-1])

    @property
    def seats(self) -> int:
        """Of all sizes."""
        return self.count - len(self.bots)

    def places(self, seated: Sequence[int]) -> list[int]:
        """By seat, from the numbers of the bots in the outcomes."""
        seats, numbers, first = self.seats, self.numbers, self.first_seats[len(seated)] - len(self.bots)
        return [numbers[bot] * seats + first + seat for seat, bot in enumerate(seated)]

    def parameters(self, place: int) -> tuple[int, int]:
        """The numbers of its bot and of its seat."""
        bot, seat = divmod(place, self.seats)
        return bot, len(self.bots) + seat

    def totals(self, strengths: Sequence[float]) -> list[float]:
        """By place, the strength of its bot and its seat together."""
        bots, seats = strengths[: len(self.bots)], strengths[len(self.bots) :]
        return [bot + seat for bot in bots for seat in seats]


@dataclass(frozen=True, slots=True)
class _Cells:
    """All games between two places, the lower number first: all that the likelihood depends on.

    Four columns, in the order of the places: a million results of a thousand bots have four million cells.
    """

    places: "array[int]"
    others: "array[int]"
    games: "array[int]"
    halves: "array[int]"
    """Twice the points of the first."""

    @classmethod
    def of(cls, outcomes: Outcomes, layout: _Layout) -> "_Cells":
        cells, limit = cls(*(array("i") for _ in range(4))), len(layout.bots) * layout.seats
        meetings = _meetings(outcomes, layout, limit)
        for first in range(0, limit, layout.seats or 1):
            for pair, found in groupby(sorted(meetings.popleft()), _pair):  # given back when they are counted
                seat, other = divmod(pair, limit)
                cells.add(first + seat, other, [meeting % POINTS for meeting in found])
        return cells

    def add(self, place: int, other: int, halves: Sequence[int]) -> None:
        self.places.append(place)
        self.others.append(other)
        self.games.append(len(halves))
        self.halves.append(sum(halves))

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        return zip(self.places, self.others, self.games, self.halves)


POINTS = 4
"""A meeting is one integer: (seat of one * all places + place of the other) * POINTS + twice the points of the one."""


def _pair(meeting: int) -> int:
    return meeting // POINTS


def _meetings(outcomes: Outcomes, layout: _Layout, limit: int) -> deque["array[int]"]:
    """Of all tables, by the first bot. Copies of a bot do not meet: their games do not depend on its rating."""
    width = "i" if layout.seats * limit * POINTS < 2**31 else "q"
    found = deque(array(width) for _ in layout.bots)
    for seated, ranks in outcomes.tables():
        ordered = sorted(zip(layout.places(seated), ranks))
        for at, (place, rank) in enumerate(ordered):
            bot, seat = divmod(place, layout.seats)
            for other, other_rank in ordered[at + 1 :]:
                if other // layout.seats != bot:
                    halves = (rank <= other_rank) + (rank < other_rank)
                    found[bot].append((seat * limit + other) * POINTS + halves)
    return found


@dataclass(frozen=True, slots=True)
class _Peak:
    """The maximum of the likelihood: strengths in log odds, and the information H there."""

    strengths: list[float]
    information: Matrix
    virtual: float


def _chance(lead: float) -> float:
    return 0.5 + 0.5 * math.tanh(lead / 2)


def _climb(cells: _Cells, layout: _Layout, virtual: float) -> _Peak:
    """Newton's method. The virtual games make the likelihood strictly concave, so there is exactly one maximum."""
    strengths = [0.0] * layout.count
    height = _height(cells, layout, strengths, virtual)
    while True:
        slope, information = _derivatives(cells, layout, strengths, virtual)
        step = solved(cholesky(information), slope)
        there = [at + by for at, by in zip(strengths, step)]
        if max(map(abs, step), default=0.0) < EXACT:
            return _Peak(there, information, virtual)
        while (now := _height(cells, layout, there, virtual)) < height - SLACK * abs(height):
            there = [(at + to) / 2 for at, to in zip(strengths, there)]  # the step went too far: halve it
        strengths, height = there, now


def _height(cells: _Cells, layout: _Layout, strengths: Sequence[float], virtual: float) -> float:
    """The log likelihood."""
    totals = layout.totals(strengths)
    leads = (totals[place] - totals[other] for place, other in zip(cells.places, cells.others))
    parts = zip(cells.games, cells.halves, leads)
    real = math.fsum(halves / 2 * lead - games * _softplus(lead) for games, halves, lead in parts)
    return real + virtual * math.fsum(at - 2 * _softplus(at) for at in strengths)


def _softplus(x: float) -> float:
    """ln(1 + e^x)"""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _derivatives(
    cells: _Cells, layout: _Layout, strengths: Sequence[float], virtual: float
) -> tuple[list[float], Matrix]:
    """The gradient of the log likelihood, and the information H: minus its second derivatives.

    A cell with the lead x = bot + seat - other - other seat adds (won - games p) dx to the gradient and
    games p (1 - p) dx dx' to H, where p is the chance and dx has 1 for bot and seat and -1 for the other two. What
    depends on one place only is added up by place first. A virtual game against an average one has the parameter
    itself as its lead.
    """
    totals, information = layout.totals(strengths), zeros(layout.count)
    slopes, weights = [0.0] * len(totals), [0.0] * len(totals)
    parameters = [layout.parameters(place) for place in range(len(totals))]
    for place, other, games, halves in cells:
        chance = 0.5 + 0.5 * math.tanh((totals[place] - totals[other]) / 2)  # a call takes as long as the rest of it
        surprise, weight = halves / 2 - games * chance, games * chance * (1 - chance)
        slopes[place] += surprise
        slopes[other] -= surprise
        weights[place] += weight
        weights[other] += weight
        (bot, seat), (rival, rival_seat) = parameters[place], parameters[other]
        information[bot][rival] -= weight
        information[rival_seat][bot] -= weight
        row = information[seat]
        row[rival] -= weight
        row[rival_seat] -= weight
    slope = _by_parameter(information, slopes, weights, parameters)
    for k, at in enumerate(strengths):
        chance = expected(SCALE * at)
        slope[k] += virtual * (1 - 2 * chance)
        information[k][k] += 2 * virtual * chance * (1 - chance)
    return slope, information


def _by_parameter(
    information: Matrix,
    slopes: Sequence[float],
    weights: Sequence[float],
    parameters: Sequence[tuple[int, int]],
) -> list[float]:
    """The gradient from the sums by place. H gets their weights, and becomes symmetric."""
    for k, row in enumerate(information):
        for other in range(k):
            row[other] = information[other][k] = row[other] + information[other][k]
    slope = [0.0] * len(information)
    for (bot, seat), surprise, weight in zip(parameters, slopes, weights):
        for k, other in ((bot, seat), (seat, bot)):
            slope[k] += surprise
            information[k][k] += weight
            information[k][other] += weight
    return slope


@dataclass(frozen=True, slots=True)
class _Blocks:
    """What the blocks say about the variance, by number of the parameter."""

    count: int
    """Blocks in which different bots met."""
    products: Matrix
    """The sum over blocks of s s', the middle of the sandwich before its corrections."""
    worth: list[float]
    """G: how many equal blocks are worth as much."""
    freedom: list[float]
    """Degrees of freedom."""

    @classmethod
    def of(cls, outcomes: Outcomes, layout: _Layout, totals: Sequence[float]) -> "_Blocks":
        products, sizes = zeros(layout.count), [_Sizes() for _ in range(layout.count)]
        count = 0
        for block in outcomes.by_block():
            scores, pairs = _block_scores(block, layout, totals)
            count += bool(scores)
            for k, score in scores.items():
                sizes[k].add(pairs[k])
                row = products[k]
                for other, other_score in scores.items():
                    row[other] += score * other_score
        return cls(count, products, [own.worth for own in sizes], [own.freedom for own in sizes])


def _block_scores(
    block: Iterable[Table], layout: _Layout, totals: Sequence[float]
) -> tuple[dict[int, float], dict[int, int]]:
    """The scores s of one block (points won minus points expected), and from how many pairs, by number."""
    scores: dict[int, float] = defaultdict(float)
    pairs: dict[int, int] = defaultdict(int)
    for seated, ranks in block:
        places = layout.places(seated)
        for place, surprise, others in zip(places, *_surprises(seated, ranks, [totals[place] for place in places])):
            if others:
                for k in layout.parameters(place):
                    scores[k] += surprise
                    pairs[k] += others
    return scores, pairs


def _surprises(bots: Sequence[int], ranks: Sequence[int], strengths: list[float]) -> tuple[list[float], list[int]]:
    """By seat, the points won from other bots minus those expected, and the number of those bots."""
    surprises, others = [0.0] * len(bots), [0] * len(bots)
    for one in range(1, len(bots)):
        for other in range(one):
            if bots[one] != bots[other]:
                surprise = outcome(ranks[one], ranks[other]) - _chance(strengths[one] - strengths[other])
                surprises[one] += surprise
                surprises[other] -= surprise
                others[one] += 1
                others[other] += 1
    return surprises, others


@dataclass(slots=True)
class _Sizes:
    """The sizes of a parameter's blocks, in pairs: how many, their sum, and the sum of their squares."""

    blocks: int = 0
    pairs: int = 0
    squares: int = 0

    def add(self, pairs: int) -> None:
        self.blocks += 1
        self.pairs += pairs
        self.squares += pairs * pairs

    @property
    def worth(self) -> float:
        """How many blocks of equal size are worth as much; 0 without blocks."""
        return self.pairs**2 / self.squares if self.blocks else 0.0

    @property
    def freedom(self) -> float:
        """Degrees of freedom: G m / (m - 1) + 1, where m is the mean size; sums of m coin tosses have light tails.

        With m = 1 the variance is known, and it is also known for a bot that has not played: it has only virtual games.
        """
        if self.pairs == self.blocks:
            return MOST_FREEDOM
        return self.worth / (1 - self.blocks / self.pairs) + 1


def _covariance(peak: _Peak, blocks: _Blocks) -> Matrix:
    """The sandwich A M A, where A is the inverse of H."""
    outer = inverse(cholesky(peak.information))
    return symmetric_product(product(outer, _middle(peak, blocks)), outer)


def _middle(peak: _Peak, blocks: _Blocks) -> Matrix:
    """M: the products of the blocks' scores, the correction L H L for few blocks, and the virtual games."""
    chances = [expected(SCALE * at) for at in peak.strengths]
    known = [array("d", row) for row in peak.information]  # H of the real games only
    for k, chance in enumerate(chances):
        known[k][k] -= 2 * peak.virtual * chance * (1 - chance)
    lack = [_lack(blocks.products[k][k], known[k][k], worth) for k, worth in enumerate(blocks.worth)]
    middle = [
        array("d", (seen + lack[k] * lack[other] * known[k][other] for other, seen in enumerate(row)))
        for k, row in enumerate(blocks.products)
    ]
    for k, chance in enumerate(chances):
        middle[k][k] += peak.virtual * (chance**2 + (1 - chance) ** 2)
    return middle


def _lack(seen: float, known: float, worth: float) -> float:
    """An entry of L: the square root of max(M / H, min(1, 4 / G)) / G."""
    return math.sqrt(max(min(1.0, FEW / worth), seen / known) / worth) if worth else 0.0


@dataclass(frozen=True, slots=True)
class _Found:
    """Strengths with their covariance and degrees of freedom, in log odds; only differences mean anything."""

    strengths: list[float]
    covariance: Matrix
    freedom: list[float]

    def spread(self, group: Sequence[int], base: Sequence[int]) -> tuple[Sequence[float], ...]:
        """The covariance of the parameters of a group, each minus the mean of the base, in Elo points squared.

        Cov(x - m, y - m) = Cov(x, y) - Cov(x, m) - Cov(y, m) + Var(m), where m is the mean of the base.
        """
        with_base = self._with(base)
        of_base = _mean(with_base[k] for k in base)

        def entry(k: int, other: int) -> float:
            return SCALE**2 * (self.covariance[k][other] - with_base[k] - with_base[other] + of_base)

        return tuple(array("d", [entry(min(k, other), max(k, other)) for other in group]) for k in group)

    def _with(self, base: Sequence[int]) -> list[float]:
        """The covariance of each parameter with the mean of the base."""
        return [_mean(row[other] for other in base) for row in self.covariance]

    def estimates(self, group: Sequence[int], base: Sequence[int], mean: float) -> tuple[Estimate, ...]:
        middle, with_base = _mean(self.strengths[k] for k in base), self._with(base)
        of_base = _mean(with_base[k] for k in base)
        variances = (SCALE**2 * (self.covariance[k][k] - 2 * with_base[k] + of_base) for k in group)
        return tuple(
            estimate(mean + SCALE * (self.strengths[k] - middle), variance, self.freedom[k])
            for k, variance in zip(group, variances)
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


def _groups(layout: _Layout, cells: _Cells) -> tuple[int, ...]:
    """By bot, the lowest number among the bots that games connect it to."""
    lower = list(range(len(layout.bots)))

    def lowest(bot: int) -> int:
        while lower[bot] != bot:
            lower[bot] = bot = lower[lower[bot]]
        return bot

    for place, other in zip(cells.places, cells.others):
        one, another = sorted((lowest(place // layout.seats), lowest(other // layout.seats)))
        lower[another] = one
    return tuple(map(lowest, lower))
