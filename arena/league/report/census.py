"""What one pass over the results of a league counts, for all sections of its report.

A league may have more results than memory. So nothing here grows with the number of results: sizes depend on bots,
pairs, seats, zones and scores, and of faults and matches a bounded number is kept. The only exception is what the fit
needs, `Outcomes`, in about 30 bytes for each result.
"""

import heapq
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median
from typing import Any

from arena.league.outcomes import Outcomes
from arena.league.report.zones import Zones
from arena.league.store import Row

MOST_FAULTS = 200
"""Faults that are listed one by one; all are counted."""
MOST_MATCHES = 200
"""Matches that are listed one by one."""
MOST_EXACT = 1024
"""Matches of a bot up to which the median of its times is exact."""
BINS = 100
"""Bins for each factor of e beyond that: the median is then within half a percent."""


@dataclass(frozen=True, slots=True)
class Example:
    """A fault, and where it happened."""

    bot: str
    match: str
    plan: int
    fault: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in the list of matches."""

    match: str
    plan: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    steps: int
    faults: int

    @classmethod
    def of(cls, row: Row) -> "ListedMatch":
        return cls(row.match, row.plan, row.bots, row.ranks, row.scores, row.steps, len(row.faults))


@dataclass(slots=True)
class Faults:
    """All faults by bot and kind, and as examples the first of each, then the second of each, and so on."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    all: int = 0
    _kept: list[tuple[int, int, Example]] = field(default_factory=list)
    """A heap with the last on top: minus the number among those of its bot and kind, minus the number of all."""

    def add(self, row: Row) -> None:
        for fault in row.faults:
            if fault["seat"] is not None:
                self._add(Example(row.bots[fault["seat"]], row.match, row.plan, fault))

    def _add(self, example: Example) -> None:
        kind = example.bot, example.fault["kind"]
        entry = (-self.counts[kind], -self.all, example)
        self.counts[kind] += 1
        self.all += 1
        if len(self._kept) < MOST_FAULTS:
            heapq.heappush(self._kept, entry)
        elif entry > self._kept[0]:
            heapq.heapreplace(self._kept, entry)

    def by_bot(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for (bot, _), number in self.counts.items():
            found[bot] += number
        return found

    def examples(self) -> list[Example]:
        """In plan order."""
        return [example for _, _, example in sorted(self._kept, key=lambda entry: -entry[1])]


@dataclass(slots=True)
class Times:
    """The times of a bot, in microseconds."""

    decisions: int = 0
    total: int = 0
    cpu: int = 0
    most: int = 0
    _each: "array[int] | None" = field(default_factory=lambda: array("q"))
    """p99 of each match, as long as there are few."""
    _bins: Counter[int] = field(default_factory=Counter)
    """How many there are in each bin of the logarithmic scale, when there are many."""

    def add(self, match: Mapping[str, int]) -> None:
        self.decisions += match["decisions"]
        self.total += match["total_us"]
        self.cpu += match["cpu_us"]
        self.most = max(self.most, match["most_us"])
        if self._each is None:
            self._bins[_bin(match["p99_us"])] += 1
            return
        self._each.append(match["p99_us"])
        if len(self._each) > MOST_EXACT:
            self._bins, self._each = Counter(map(_bin, self._each)), None

    @property
    def mean(self) -> float:
        return self.total / self.decisions

    @property
    def mean_cpu(self) -> float:
        return self.cpu / self.decisions

    @property
    def is_exact(self) -> bool:
        return self._each is not None

    @property
    def p99(self) -> float:
        """The median over the matches, because a result has one for each."""
        if self._each is not None:
            return median(self._each)
        left = self._bins.total() / 2
        for number, times in sorted(self._bins.items()):
            left -= times
            if left <= 0:
                return math.exp((number + 0.5) / BINS) - 1
        raise AssertionError("a median is within all values")


def _bin(micros: int) -> int:
    return int(BINS * math.log(micros + 1))


@dataclass(slots=True)
class Pairs:
    """Games and points of any two bots. Bots have numbers, and each pair one place in a column that grows with them."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _games: "array[int]" = field(default_factory=lambda: array("q"))
    _halves: "array[int]" = field(default_factory=lambda: array("q"))
    """Twice the points of the bot with the higher number."""

    def add(self, row: Row) -> None:
        for (bot, rank), (other, other_rank) in combinations(zip(row.bots, row.ranks), 2):
            if bot != other:
                mine, theirs = self._number(bot), self._number(other)
                if mine < theirs:
                    rank, other_rank = other_rank, rank
                at = self._at(mine, theirs)
                self._games[at] += 1
                self._halves[at] += (rank <= other_rank) + (rank < other_rank)

    def _number(self, bot: str) -> int:
        if bot not in self._numbers:
            room = bytes(8 * len(self._numbers))
            self._games.frombytes(room)
            self._halves.frombytes(room)
            self._numbers[bot] = len(self._numbers)
        return self._numbers[bot]

    @staticmethod
    def _at(one: int, other: int) -> int:
        high, low = max(one, other), min(one, other)
        return high * (high - 1) // 2 + low

    def games(self, bot: str, other: str) -> int:
        if bot == other or not {bot, other} <= self._numbers.keys():
            return 0
        return self._games[self._at(self._numbers[bot], self._numbers[other])]

    def points(self, bot: str, other: str) -> float:
        """The points that the first won from the second, if they met."""
        mine, theirs = self._numbers[bot], self._numbers[other]
        halves = self._halves[self._at(mine, theirs)]
        return (halves if mine > theirs else 2 * self.games(bot, other) - halves) / 2

    def least_and_most(self, bots: int) -> tuple[int, int]:
        """Games of any two of this many bots, of which some may not have played."""
        most = max(self._games, default=0)
        return (min(self._games) if self._games and bots == len(self._numbers) else 0), most


@dataclass(slots=True)
class Census:
    """Everything that the sections need to know about the results."""

    outcomes: Outcomes = field(default_factory=Outcomes)
    faults: Faults = field(default_factory=Faults)
    pairs: Pairs = field(default_factory=Pairs)
    zones: Zones = field(default_factory=Zones)
    times: defaultdict[str, Times] = field(default_factory=lambda: defaultdict(Times))
    scores: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """How often each bot had each score."""
    seats: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    """Matches by bot, size of the table, and seat."""
    listed: list[ListedMatch] = field(default_factory=list)
    """The first matches, at most MOST_MATCHES."""
    firsts: dict[str, int] = field(default_factory=dict)
    """After how many matches a bot had played its first."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Census":
        """From results in plan order."""
        census = cls()
        for row in rows:
            census.add(row)
        return census

    def add(self, row: Row) -> None:
        """The next result of the plan."""
        self.outcomes.add(row.block, row.bots, row.ranks, row.scores)
        if len(self.listed) < MOST_MATCHES:
            self.listed.append(ListedMatch.of(row))
        for bot in row.bots:
            self.firsts.setdefault(bot, len(self.outcomes))
        self.count(row)

    def count(self, row: Row) -> None:
        """What does not depend on the order of the results, except for which faults are examples."""
        self.faults.add(row)
        self.pairs.add(row)
        for seat, bot in enumerate(row.bots):
            self.scores[bot][row.scores[seat]] += 1
            self.seats[bot, len(row.bots), seat] += 1
            self.zones.add(bot, row.breakdown[seat])
            if row.times and row.times[seat]["decisions"]:
                self.times[bot].add(row.times[seat])

    @property
    def matches(self) -> int:
        return len(self.outcomes)

    @property
    def sizes(self) -> list[int]:
        """The sizes of the tables."""
        return sorted({size for _, size, _ in self.seats})
