"""Is bot A better than bot B? The sequential test of a duel, and its units from results.

A duel's unit is two fixtures: A and B at one table, then the same with A and B exchanged, on one deal or on two. A
better seat helps each of them once, so only whole units count. They count in plan order, because units that happen to
be fast must not stop the test. On ranks a unit is worth 0, 1/4, 1/2, 3/4 or 1 to A.

The test is the generalised sequential probability ratio test on the mean of the units. With the shares s0 and s1 that
`low` and `high` Elo points would give, and with N units of this mean and variance, the log likelihood ratio is

    llr = N (s1 - s0) (2 mean - s0 - s1) / (2 variance)

The test looks at it after 16 units and then every 8. At ln((1 - beta) / alpha) or above the answer is yes, at
ln(beta / (1 - alpha)) or below it is no, and the answer is final: later units change nothing.

Units that are all equal have no variance, and would prove anything at once. So two virtual units lie one game's
deviation above and below the mean. After some hundred units they have no effect.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count

from arena.league.elo import Result, in_plan_order, outcome
from arena.league.statistics import (
    NORMAL,
    SCALE,
    Estimate,
    advantage,
    estimate,
    expected,
    superiority,
)

Unit = tuple[float, float]
"""What two games with A and B exchanged were worth to A: 0, 1/2 or 1 each, or points above B."""


class Answer(StrEnum):
    """Is A better than B?"""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Is A better by `high` Elo points, or only by `low`?

    `alpha` is the risk of a yes where `low` is true, `beta` that of a no where `high` is true. The test looks first
    after `least` units, then after every `every` more.
    """

    low: float = 0.0
    high: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    least: int = 16
    every: int = 8

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"a duel between {self.low} and {self.high} Elo: the first must be lower")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"a duel with risks {self.alpha} and {self.beta}: both must lie between 0 and 0.5")
        if self.least < 2 or self.every < 1:
            raise ValueError(f"a duel of {self.least} units, then every {self.every}: expected at least 2, then 1")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which the answer is no, and yes."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def answer(self, llr: float) -> Answer:
        no, yes = self.bounds
        if llr >= yes:
            return Answer.YES
        return Answer.NO if llr <= no else Answer.UNDECIDED


USUAL = Hypotheses()


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a duel stands. `units` is how many count: those up to the answer, or all.

    `elo` is estimated at the stop, where it tends to be too extreme, because luck that agrees with an answer brings it
    sooner. `games_more` is how many games the answer may still take, if the bots are as far apart as they seem.
    `counts` are the numbers of units worth 0, 1/4, 1/2, 3/4 and 1, if the duel is on ranks.
    """

    answer: Answer
    units: int
    llr: float
    bounds: tuple[float, float]
    elo: Estimate
    superiority: float
    games_more: int
    counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sums:
    """Over the units up to one look. Values are halves and quarters, so the sums are exact."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    game_squares: float = 0.0

    def add(self, unit: Unit) -> "_Sums":
        value = (unit[0] + unit[1]) / 2
        games = unit[0] ** 2 + unit[1] ** 2
        return _Sums(self.count + 1, self.total + value, self.squares + value**2, self.game_squares + games)


@dataclass(frozen=True, slots=True)
class _Sample:
    """Units as the test sees them: s0 and s1 are the means that `low` and `high` Elo would give."""

    count: int
    mean: float
    squares: float  # of deviations from the mean
    virtual: float  # deviation of the two virtual units
    s0: float
    s1: float
    share: float  # of wins that the mean stands for
    slope: float  # derivative of the share by the mean

    @property
    def variance(self) -> float:
        return (self.squares + 2 * self.virtual**2) / (self.count + 2)

    @property
    def step(self) -> float:
        """What a unit adds to the log likelihood ratio, on average."""
        return (self.s1 - self.s0) * (2 * self.mean - self.s0 - self.s1) / (2 * self.variance)

    @property
    def llr(self) -> float:
        return self.count * self.step

    @property
    def elo(self) -> Estimate:
        """With one more unit won and one more lost, so that it is finite."""
        count = self.count + 2
        share = (self.count * self.share + 1) / count
        error = math.sqrt(self.slope**2 * self.squares + 0.5) / count
        return estimate(advantage(share), (SCALE * error / (share * (1 - share))) ** 2, self.count - 1)


MOST_PULL = 100.0
"""A pull beyond this can reach only one bound, and the exponential would overflow."""
MOST_POWER = 600.0
"""With small risks the bounds are so far apart that less of a pull would do it."""
Measure = Callable[[_Sums, Hypotheses], _Sample]


def duel(units: Sequence[Unit], question: Hypotheses = USUAL) -> Comparison:
    """Is A better than B, going by who ranks above whom?"""
    judged = _judge(units, question, _on_rank)
    tally = Counter(first + second for first, second in units[: judged.units])
    return replace(judged, counts=tuple(tally[halves / 2] for halves in range(5)))


def duel_on_score(units: Sequence[Unit], question: Hypotheses = USUAL) -> Comparison:
    """Is A better than B, going by the points between them?

    Elo points are converted to the margin that gives their share of wins if margins are normally distributed.
    """
    return _judge(units, question, _on_score)


def _on_rank(sums: _Sums, question: Hypotheses) -> _Sample:
    mean = sums.total / sums.count if sums.count else 0.5
    squares = max(0.0, sums.squares - sums.total * mean)
    return _Sample(sums.count, mean, squares, 0.5, expected(question.low), expected(question.high), mean, 1.0)


def _on_score(sums: _Sums, question: Hypotheses) -> _Sample:
    """Margins in standard deviations of a single game. One virtual point keeps those above zero."""
    games = max(1, 2 * sums.count)
    deviation = math.sqrt(max(0.0, sums.game_squares - (2 * sums.total) ** 2 / games) / games + 1 / games)
    mean = 2 * sums.total / games / deviation
    squares = max(0.0, sums.squares / deviation**2 - sums.count * mean**2)
    s0, s1 = (NORMAL.inv_cdf(expected(elo)) for elo in (question.low, question.high))
    return _Sample(sums.count, mean, squares, 1.0, s0, s1, NORMAL.cdf(mean), NORMAL.pdf(mean))


def _judge(units: Sequence[Unit], question: Hypotheses, measure: Measure) -> Comparison:
    sample, answer = _at_stop(units, question, measure)
    more = 0 if answer is not Answer.UNDECIDED else _games_more(sample, question)
    elo = sample.elo
    los = superiority(elo.value, elo.error)
    return Comparison(answer, sample.count, sample.llr, question.bounds, elo, los, more)


def _at_stop(units: Sequence[Unit], question: Hypotheses, measure: Measure) -> tuple[_Sample, Answer]:
    """The units at the first look that gives an answer; all units if none does."""
    sums = _Sums()
    for unit in units:
        sums = sums.add(unit)
        if sums.count >= question.least and (sums.count - question.least) % question.every == 0:
            sample = measure(sums, question)
            answer = question.answer(sample.llr)
            if answer is not Answer.UNDECIDED:
                return sample, answer
    return measure(sums, question), Answer.UNDECIDED


def _games_more(sample: _Sample, question: Hypotheses) -> int:
    """How many games until the look at which a random walk with this drift is expected to be beyond a bound."""
    units = sample.count + math.ceil(_units_to_bound(sample, question))
    looks = max(0, math.ceil((units - question.least) / question.every))
    return 2 * (question.least + looks * question.every - sample.count)


def _units_to_bound(sample: _Sample, question: Hypotheses) -> float:
    """The expected time until a Brownian motion leaves the interval between the bounds; without drift, its limit."""
    no, yes = question.bounds
    at = min(yes, max(no, sample.llr))
    noise = (sample.s1 - sample.s0) ** 2 / sample.variance
    most = min(MOST_PULL, MOST_POWER / (yes - no))
    pull = max(-most, min(most, 2 * sample.step / noise))
    if abs(pull * (yes - no)) < 1e-6:
        return (yes - at) * (at - no) / noise
    ends_above = math.expm1(-pull * (at - no)) / math.expm1(-pull * (yes - no))
    return (no + (yes - no) * ends_above - at) / sample.step


def exchanges_by_rank(results: Iterable[Result], a: str, b: str) -> tuple[Unit, ...]:
    """A duel's units on ranks: 1 where A ranks above B, 1/2 for a tie. For `arena.league.duel.duel`."""
    return tuple(_exchanges(results, a, b, lambda result, at, other: outcome(result.ranks[at], result.ranks[other])))


def exchanges_by_score(results: Iterable[Result], a: str, b: str) -> tuple[Unit, ...]:
    """A duel's units on scores: A's points less B's. For `arena.league.duel.duel_on_score`."""
    return tuple(_exchanges(results, a, b, lambda result, at, other: result.scores[at] - result.scores[other]))


Worth = Callable[[Result, int, int], float]


def _exchanges(results: Iterable[Result], a: str, b: str, worth: Worth) -> Iterator[Unit]:
    """The blocks from 0 up to the first incomplete one: later ones must wait for it."""
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
            f"block {games[0].block} of a duel has {seats}: expected one match twice, with {a} and {b} exchanged"
        )
