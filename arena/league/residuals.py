"""Whether the hosts of a league differ in what they do to bots. Pure.

All seats of a match have the same host, so a slow host makes no match unfair by itself. It shows in single bots: one
that thinks long gets less time there, answers late, or finds worse moves, and scores less than the fit of all results
expects; its opponents score more. So for each bot on each host there are two questions: does it score other than
expected, and is it late more often than elsewhere?

Both are answered in the same way. Let r be what was seen in a match minus what was expected: points minus those of the
fit, or 1 for a match with a late answer, each minus the bot's mean of that. With f, the share of the bot's games that
this host played, the sum of (1 - f) r over the matches on this host minus f r over the others is zero but for noise,
whatever the bot's rating. Matches of a block depend on each other, so the variance is the sum of squares over blocks. A
sum divided by the root of its own squares has tails that are no heavier than the normal ones, also with a few blocks.
Many tests find something by chance, so the probability of each is multiplied by their number (Bonferroni).
tests/league/test_residuals.py measures how often equal hosts cause an alarm.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median
from typing import Any, Protocol

from arena.league.elo import outcome
from arena.league.fit import Fit
from arena.league.statistics import NORMAL, expected
from arena.match.faults import FaultKind
from arena.match.hosts import Host

ALARM = 0.05
"""Hosts differ if so small a probability, or a smaller one, remains after all tests are counted."""
EVEN = 1e-18
"""Squares up to this are rounding."""

Place = tuple[str, str, int]
"""What stays the same of a host: its name, kind of processor and cores. Its speed is measured again after each boot."""


class HostedRow(Protocol):
    """What is needed of a result; arena.league.store.Row has it."""

    @property
    def match(self) -> str: ...
    @property
    def block(self) -> int: ...
    @property
    def bots(self) -> Sequence[str]: ...
    @property
    def ranks(self) -> Sequence[int]: ...
    @property
    def faults(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def times(self) -> Sequence[Mapping[str, int]]: ...


@dataclass(frozen=True, slots=True)
class Residual:
    """How a bot did on a host, compared with what was expected: a mean per game or match, and its standard error."""

    bot: str
    value: float
    error: float
    chance: float
    """The probability of so large a value if hosts do not matter, before the number of tests is taken into account."""


@dataclass(frozen=True, slots=True)
class HostLine:
    """What is known of one host."""

    place: Place
    speeds: tuple[int, ...]
    """All that were measured, slowest first."""
    matches: int
    late: int
    """How often a bot was late in a match."""
    pace: float | None
    """Time for a decision compared with that on all hosts, the median over bots; None if it is not known."""
    scores: tuple[Residual, ...]
    """Points per game above or below those expected, by bot, the most unlikely first."""
    lateness: tuple[Residual, ...]
    """Matches with a late answer above or below the bot's mean, by bot, the most unlikely first."""

    @property
    def name(self) -> str:
        return self.place[0]


@dataclass(frozen=True, slots=True)
class HostComparison:
    """The hosts of a league, by name, and how many tests compare them."""

    lines: tuple[HostLine, ...]
    tests: int

    @property
    def chance(self) -> float:
        """The probability of the most unlikely residual if hosts do not matter, with all tests taken into account."""
        found = [one.chance for line in self.lines for one in (*line.scores, *line.lateness)]
        return min(1.0, self.tests * min(found)) if found else 1.0

    @property
    def differ(self) -> bool:
        return self.chance <= ALARM

    def is_unlikely(self, residual: Residual) -> bool:
        """Whether this one alone shows that hosts differ."""
        return self.tests * residual.chance <= ALARM


NOT_COMPARED = HostComparison((), 0)
"""That of a single host, and of results whose hosts are not known."""


def compare_hosts(rows: Iterable[HostedRow], hosts: Mapping[str, Host], fit: Fit) -> HostComparison:
    """Compare the hosts of these results; `hosts` has the host of each match for which it is known.

    The others count as played elsewhere. `fit` is that of all these results. One host is not compared with anything.
    """
    if len({host.place for host in hosts.values()}) < 2:
        return NOT_COMPARED
    tallies: dict[Place, _HostTally] = defaultdict(_HostTally)
    scores, lateness, pace = _Contrasts(), _Contrasts(), _Pace()
    points = _Points.of(fit)
    for row in rows:
        host = hosts.get(row.match)
        place = host.place if host else None
        late = {fault["seat"] for fault in row.faults if fault["kind"] == FaultKind.LATE}
        if host and place:
            tallies[place].add(host.speed, len(late))
        for bot, surprise, games in points.surprises(row):
            scores.add(bot, place, row.block, surprise, games)
        for seat, bot in enumerate(row.bots):
            lateness.add(bot, place, row.block, float(seat in late), 1)
        pace.add(row, place)
    lines = tuple(
        _line(place, tallies[place], pace, scores.residuals(place), lateness.residuals(place))
        for place in sorted(tallies)
    )
    return HostComparison(lines, sum(len(line.scores) + len(line.lateness) for line in lines))


@dataclass(slots=True)
class _HostTally:
    speeds: set[int] = field(default_factory=set)
    matches: int = 0
    late: int = 0

    def add(self, speed: int, late: int) -> None:
        self.speeds.add(speed)
        self.matches += 1
        self.late += late


def _line(
    place: Place, tally: _HostTally, pace: "_Pace", scores: Iterable[Residual], lateness: Iterable[Residual]
) -> HostLine:
    def unlikely_first(found: Iterable[Residual]) -> tuple[Residual, ...]:
        return tuple(sorted(found, key=lambda one: (one.chance, one.bot)))

    return HostLine(
        place, tuple(sorted(tally.speeds)), tally.matches, tally.late, pace.of(place),
        unlikely_first(scores), unlikely_first(lateness),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Points:
    """What the fit expects."""

    ratings: Mapping[str, float]
    seats: Mapping[tuple[int, int], float]
    """By size of table and seat."""

    @classmethod
    def of(cls, fit: Fit) -> "_Points":
        ratings = {bot: rating.value for bot, rating in zip(fit.bots, fit.ratings)}
        return cls(ratings, {(effect.size, effect.seat): effect.elo.value for effect in fit.seats})

    def surprises(self, row: HostedRow) -> Iterator[tuple[str, float, int]]:
        """Each bot of a match, its points against other bots minus those expected, and from how many games."""
        size = len(row.bots)
        strengths = [self.ratings[bot] + self.seats[size, seat] for seat, bot in enumerate(row.bots)]
        surprises, games = [0.0] * size, [0] * size
        for one, other in combinations(range(size), 2):
            if row.bots[one] != row.bots[other]:  # a game between copies of a bot does not depend on it
                surprise = outcome(row.ranks[one], row.ranks[other]) - expected(strengths[one] - strengths[other])
                surprises[one] += surprise
                surprises[other] -= surprise
                games[one] += 1
                games[other] += 1
        return zip(row.bots, surprises, games)


class _Contrasts:
    """What was seen of each bot, by block and host. Blocks are what varies independently."""

    def __init__(self) -> None:
        self._blocks: dict[str, dict[int, dict[Place | None, _Sum]]] = {}

    def add(self, bot: str, place: Place | None, block: int, value: float, weight: int) -> None:
        """A value of this many games, or of a match."""
        sums = self._blocks.setdefault(bot, {}).setdefault(block, {})
        before = sums.get(place, NOTHING)
        sums[place] = before[0] + value, before[1] + weight

    def residuals(self, place: Place) -> Iterator[Residual]:
        """Of each bot that has played both here and elsewhere, and whose results vary."""
        for bot, blocks in sorted(self._blocks.items()):
            halves = [(sums.get(place, NOTHING), _added(sums.values())) for sums in blocks.values()]
            here, all_of_it = _added(here for here, _ in halves), _added(both for _, both in halves)
            if 0 < here[1] < all_of_it[1]:
                share, mean = here[1] / all_of_it[1], all_of_it[0] / all_of_it[1]
                values = [one[0] - mean * one[1] - share * (both[0] - mean * both[1]) for one, both in halves]
                yield from _residual(bot, values, here[1])


_Sum = tuple[float, int]
"""Of values and of their weights."""
NOTHING: _Sum = (0.0, 0)


def _added(sums: Iterable[_Sum]) -> _Sum:
    listed = list(sums)
    return math.fsum(value for value, _ in listed), sum(weight for _, weight in listed)


def _residual(bot: str, values: Sequence[float], games: int) -> Iterator[Residual]:
    """From the contribution of each block; nothing if they are all zero, as when no answer was ever late."""
    total, squares = math.fsum(values), math.fsum(value * value for value in values)
    if squares > EVEN:
        error = math.sqrt(squares)
        yield Residual(bot, total / games, error / games, 2 * NORMAL.cdf(-abs(total) / error))


class _Pace:
    """The time for a decision, by bot and host."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, Place | None], tuple[int, int]] = {}

    def add(self, row: HostedRow, place: Place | None) -> None:
        for bot, times in zip(row.bots, row.times):
            used, decisions = self._sums.get((bot, place), (0, 0))
            self._sums[bot, place] = used + times["total_us"], decisions + times["decisions"]

    def of(self, place: Place) -> float | None:
        """The median over bots of their time for a decision here, compared with that of all their decisions."""
        everywhere: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for (bot, _), (used, decisions) in self._sums.items():
            everywhere[bot] = everywhere[bot][0] + used, everywhere[bot][1] + decisions
        ratios = []
        for bot, (all_used, all_decisions) in everywhere.items():
            used, decisions = self._sums.get((bot, place), (0, 0))
            if decisions and all_used:
                ratios.append((used / decisions) / (all_used / all_decisions))
        return median(ratios) if ratios else None
