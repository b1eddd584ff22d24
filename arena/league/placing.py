"""Where is a bot on a frozen ladder? One rating from results, with the ratings of the rungs held. Pure.

Theory of operation. The chance that the bot in seat s ends above the rung j in seat t is that of arena/league/fit.py:

    1 / (1 + 10 ** -((rating + effect of s - rating of j - effect of t) / 400))

Only the rating is unknown: the ratings of the rungs and the effects of the seats are those of the ladder. The rating is
where the likelihood of all games between the bot and rungs is highest. Half a game that the bot has won against the
highest rung, and half a game that it has lost to the lowest, keep a bot finite that wins or loses all; between these
two rungs they cancel.

Two errors add up, because the matches of a placement and those of the ladder are independent:

    matches   the sandwich estimate of fit.py for one parameter, with the block (all rotations of a table) as its unit,
              and with the same corrections for few blocks
    rungs     w' C w, where C is the covariance of the rungs' ratings as they were frozen, and w says how much each rung
              weighs: its share of the information. If a rung were d points better than frozen, the rating would be
              w d points too low

The error of the difference from a rung j has w less the unit vector of j instead of w: a ladder that is known badly as
a whole can still say between which rungs a bot is.

Which tables come next follows from the results so far: the first parts have every rung once. Then each table has the
rungs that lower the sum of both errors most. A rung counts as known to STYLE points at best, because no bot is exactly
as strong against one opponent as its rating says; so the blocks spread over several rungs near the estimate.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import SettingError
from arena.league.elo import Result, outcome
from arena.league.statistics import (
    MOST_FREEDOM,
    NORMAL,
    SCALE,
    Estimate,
    estimate,
    expected,
    superiority,
)

HALF = 0.5
"""Games that the bot has won against the highest rung and lost to the lowest, before it has played."""
EXACT = 1e-9
"""Newton's last step, in log odds."""
MOST_STEP = 2.0
"""Log odds of one step: a longer one could jump over the maximum and back for ever."""
FEW = 4
"""As in arena/league/sandwich.py."""
STYLE = 10.0
"""Elo points by which a bot may be better or worse against a rung than its rating says, when tables are chosen."""
LEAST = 16
"""Blocks before a placement may end."""
BATCH, GROWTH = 8, 8
"""Blocks of a part; with more, an eighth of those that were played."""
SURE = 0.99
"""How surely the results against one rung must differ from what the rating says until a user reads about it."""
MISFIT = "ladder: expected rungs, ratings, covariance and seats that fit together. Name a whole ladder."
TIES = 6
"""Digits to which two choices are compared, because rounding differs between machines."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The rungs of a ladder, weakest first, with ratings that do not change any more."""

    rungs: tuple[str, ...]
    ratings: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    """Of the ratings, in Elo points squared."""
    seats: tuple[float, ...]
    """What each seat is worth at a table of this size, in Elo points."""

    def plain(self) -> dict[str, Any]:
        """As plain values; `from_plain` reads them."""
        return {
            "rungs": list(self.rungs),
            "ratings": list(self.ratings),
            "covariance": [list(row) for row in self.covariance],
            "seats": list(self.seats),
        }

    @classmethod
    def from_plain(cls, plain: object) -> "Scale":
        """SettingError if they are not those of a scale."""
        try:
            if not isinstance(plain, Mapping):
                raise TypeError
            rungs = tuple(map(str, plain["rungs"]))
            ratings = tuple(map(float, plain["ratings"]))
            covariance = tuple(tuple(map(float, row)) for row in plain["covariance"])
            seats = tuple(map(float, plain["seats"]))
        except (KeyError, TypeError, ValueError):
            raise SettingError(MISFIT) from None
        sizes = {len(rungs), len(ratings), len(covariance), len(set(rungs)), *map(len, covariance)}
        numbers = (*ratings, *seats, *(one for row in covariance for one in row))
        if len(sizes) != 1 or not rungs or not all(map(math.isfinite, numbers)):
            raise SettingError(MISFIT)
        return cls(rungs, ratings, covariance, seats)

    def error_of(self, weights: Sequence[float]) -> float:
        """The variance of a sum of the rungs' ratings with these weights."""
        rows = (sum(c * w for c, w in zip(row, weights)) for row in self.covariance)
        return max(0.0, math.fsum(mine * row for mine, row in zip(weights, rows)))


@dataclass(frozen=True, slots=True)
class Against:
    """How the bot fared against one rung: points won, points that its rating expects, and the chance to be better."""

    rung: str
    rating: float
    games: int
    points: float
    expected: float
    superiority: float
    surprise: float
    """Points won less points expected, in standard errors."""


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """Where a bot is. `rating` has the whole interval, `own` that of the matches alone, `rungs` that of the ladder."""

    bot: str
    rating: Estimate
    own: Estimate
    rungs: Estimate
    blocks: int
    against: tuple[Against, ...]
    """By rung, weakest first."""

    @property
    def below(self) -> Against | None:
        """The highest rung that is not above the bot; None: the bot is below all."""
        return next((one for one in reversed(self.against) if one.rating <= self.rating.value), None)

    @property
    def above(self) -> Against | None:
        """The lowest rung above the bot; None: the bot is above all."""
        return next((one for one in self.against if one.rating > self.rating.value), None)

    @property
    def misfit(self) -> Against | None:
        """The rung against which the results differ most from what one number says, if they surely do."""
        met = [one for one in self.against if one.games]
        worst = max(met, key=lambda one: abs(one.surprise), default=None)
        if worst is None or abs(worst.surprise) < NORMAL.inv_cdf(1 - (1 - SURE) / 2 / len(met)):
            return None
        return worst

    def is_within(self, until: float) -> bool:
        """Whether it is known to so many points, or as well as matches can show.

        The second is so if the ladder's own error is the larger part: then more matches would hardly help.
        """
        if self.blocks < LEAST:
            return False
        return _half(self.rating) <= until or _half(self.own) <= min(until, _half(self.rungs))


def _half(one: Estimate) -> float:
    return (one.high - one.low) / 2


@dataclass(slots=True)
class _Block:
    """The games of the bot in one block: the rung's number, the lead at rating 0 in log odds, and the points won."""

    games: list[tuple[int, float, float]]


@dataclass(frozen=True, slots=True)
class _Peak:
    """The rating with the highest likelihood, in log odds, and what the games say there."""

    strength: float
    known: tuple[float, ...]
    """Information of the real games, by rung."""
    virtual: float
    """Information of the virtual ones."""


def place(results: Iterable[Result], bot: str, scale: Scale) -> LadderPlace:
    """The place of a bot, from results in any order."""
    blocks = _blocks(results, bot, scale)
    peak = _climb([game for block in blocks for game in block.games], scale)
    own = _own(blocks, peak, scale)
    value, total = SCALE * peak.strength, math.fsum(peak.known)
    weights = [one / total if total else 1 / len(peak.known) for one in peak.known]
    known = scale.error_of(weights)
    sum_ = own.error**2 + known
    freedom = _freedom(blocks)
    whole = estimate(value, sum_, sum_**2 * freedom / own.error**4 if own.error else MOST_FREEDOM)
    against = tuple(_against(number, blocks, peak, scale, own, weights) for number in range(len(scale.rungs)))
    return LadderPlace(bot, whole, own, estimate(value, known, MOST_FREEDOM), len(blocks), against)


def _blocks(results: Iterable[Result], bot: str, scale: Scale) -> list[_Block]:
    numbers = {name: number for number, name in enumerate(scale.rungs)}
    found = defaultdict[int, _Block](lambda: _Block([]))
    for result in sorted(results, key=lambda one: one.index):
        seats = scale.seats if len(scale.seats) == len(result.bots) else (0.0,) * len(result.bots)
        mine = result.bots.index(bot)
        for seat, rung in enumerate(result.bots):
            if rung in numbers:
                number = numbers[rung]
                lead = (seats[mine] - seats[seat] - scale.ratings[number]) / SCALE
                points = outcome(result.ranks[mine], result.ranks[seat])
                found[result.block].games.append((number, lead, points))
    return [found[block] for block in sorted(found)]


def _chance(lead: float) -> float:
    return expected(SCALE * lead)


def _ends(scale: Scale) -> tuple[float, float]:
    """The ratings of the lowest and the highest rung, in log odds."""
    return min(scale.ratings) / SCALE, max(scale.ratings) / SCALE


def _climb(games: Sequence[tuple[int, float, float]], scale: Scale) -> _Peak:
    """Newton's method. The likelihood is strictly concave, so there is one maximum."""
    low, high = _ends(scale)
    alike = Counter(games)  # few rungs and seats: the same lead comes again and again
    at = (low + high) / 2
    while True:
        top, bottom = _chance(at - high), _chance(at - low)
        virtual = HALF * (top * (1 - top) + bottom * (1 - bottom))
        known = [0.0] * len(scale.rungs)
        slope = HALF * (1 - top) - HALF * bottom
        for (number, lead, points), count in alike.items():
            chance = _chance(at + lead)
            slope += count * (points - chance)
            known[number] += count * chance * (1 - chance)
        step = max(-MOST_STEP, min(MOST_STEP, slope / (math.fsum(known) + virtual)))
        if abs(step) < EXACT:
            return _Peak(at, tuple(known), virtual)
        at += step


def _freedom(blocks: Sequence[_Block]) -> float:
    """G m / (m - 1) + 1, as in arena/league/sandwich.py."""
    sizes = [len(block.games) for block in blocks]
    if not sizes or max(sizes) == 1:
        return MOST_FREEDOM
    worth, size = sum(sizes) ** 2 / sum(one * one for one in sizes), sum(sizes) / len(sizes)
    return worth * size / (size - 1) + 1


def _own(blocks: Sequence[_Block], peak: _Peak, scale: Scale) -> Estimate:
    """The rating with the error of the matches alone: A M A with the corrections of arena/league/sandwich.py."""
    low, high = _ends(scale)
    top, bottom = _chance(peak.strength - high), _chance(peak.strength - low)
    sums = [math.fsum(points - _chance(peak.strength + lead) for _, lead, points in one.games) for one in blocks]
    products, known = math.fsum(one * one for one in sums), math.fsum(peak.known)
    middle = products + HALF * ((1 - top) ** 2 + bottom**2)
    if known:
        sizes = [len(block.games) for block in blocks]
        worth = sum(sizes) ** 2 / sum(one * one for one in sizes)
        middle += known * max(products / known, min(1.0, FEW / worth)) / worth
    variance = middle / (known + peak.virtual) ** 2
    return estimate(SCALE * peak.strength, SCALE**2 * variance, _freedom(blocks))


def _against(
    number: int, blocks: Sequence[_Block], peak: _Peak, scale: Scale, own: Estimate, weights: Sequence[float]
) -> Against:
    games = [(lead, points) for block in blocks for rung, lead, points in block.games if rung == number]
    points, due = math.fsum(one for _, one in games), math.fsum(_chance(peak.strength + lead) for lead, _ in games)
    apart = [weight - (rung == number) for rung, weight in enumerate(weights)]
    error = math.sqrt(own.error**2 + scale.error_of(apart))
    value = SCALE * peak.strength
    spread = math.sqrt(peak.known[number] + (peak.known[number] * error / SCALE) ** 2)
    return Against(
        scale.rungs[number],
        scale.ratings[number],
        len(games),
        points,
        due,
        superiority(value - scale.ratings[number], error),
        (points - due) / spread if games else 0.0,
    )


# Which tables come next


def first_tables(scale: Scale, size: int) -> list[tuple[str, ...]]:
    """Every rung at least once, each with its neighbours. The bot has the seat that is left."""
    seats = size - 1
    _check_size(scale, size)
    starts = [*range(0, len(scale.rungs) - seats, seats), len(scale.rungs) - seats]
    return [scale.rungs[start : start + seats] for start in starts]


def part_length(played: int) -> int:
    """How many blocks the next part has after these."""
    return max(BATCH, played // GROWTH)


def next_tables(results: Iterable[Result], bot: str, scale: Scale, size: int) -> Iterator[tuple[str, ...]]:
    """Tables for ever, each with the rungs that lower the error of the bot's rating most."""
    _check_size(scale, size)
    blocks = _blocks(results, bot, scale)
    peak = _climb([game for block in blocks for game in block.games], scale)
    known = list(peak.known)
    chances = [_chance(peak.strength - rating / SCALE) for rating in scale.ratings]
    gains = [size * chance * (1 - chance) for chance in chances]
    while True:
        table = list[int]()
        while len(table) < size - 1:
            left = (rung for rung in range(len(gains)) if rung not in table)
            rung = min(left, key=lambda one: (round(_error_after(known, gains, one, scale), TIES), one))
            table.append(rung)
            known[rung] += gains[rung]
        yield tuple(scale.rungs[rung] for rung in sorted(table))


def _error_after(known: Sequence[float], gains: Sequence[float], rung: int, scale: Scale) -> float:
    """The variance of the rating after one more block with this rung."""
    after = [one + gains[rung] * (number == rung) for number, one in enumerate(known)]
    total = math.fsum(after)
    weights = [one / total for one in after]
    style = STYLE**2 * math.fsum(one * one for one in weights)
    return SCALE**2 / total + scale.error_of(weights) + style


def _check_size(scale: Scale, size: int) -> None:
    if len(scale.rungs) < size - 1:
        raise SettingError(
            f"ladder: a table of {size} needs {size - 1} rungs beside the bot, and the ladder has {len(scale.rungs)}."
        )
