"""The input of a report, and what follows from it: standings, fits, meetings, faults."""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from operator import attrgetter
from typing import Any

from arena.league.elo import Result, outcome
from arena.league.fit import Fit, fit
from arena.league.standings import Standing, standings
from arena.league.store import Row

POINTS = ((50_000, 12), (200_000, 8), (math.inf, 5))
"""(limit, fits): how many fits are drawn if matches times bots are at most this limit, because fits take time."""
MANY_BOTS = 12
"""With more bots, cells of matrices have one number each, and the rest as a tooltip."""


@dataclass(frozen=True, slots=True)
class Report:
    """The input of a report: `settings` and `rows` as in the store, in any order, and facts about the league."""

    name: str
    settings: Mapping[str, Any]
    rows: Sequence[Row]
    planned: int
    """Matches of the whole plan."""
    command: str
    """The command that plays this league again."""
    arena: str
    """The arena's version."""
    sandbox: str = ""
    """The tier of the sandbox."""
    records: str = "records"
    """The folder of the records, relative to the report."""
    champion: str | None = None
    """The bot that has won the league, if its kind has a winner."""
    missing: frozenset[str] = frozenset()
    """Matches with faults whose record is missing."""


Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class League:
    """A report's results in plan order, each once, and what follows from them."""

    report: Report
    rows: tuple[Row, ...]
    table: tuple[Standing, ...]
    fits: tuple[tuple[int, Fit], ...]
    """Numbers of matches, each with the fit of the first that many; the last is that of all."""
    points: Mapping[Pair, float]
    """The points that the first bot won from the second."""
    games: Counter[Pair]

    @property
    def fit(self) -> Fit:
        return self.fits[-1][1]

    @property
    def bots(self) -> tuple[str, ...]:
        """Best first."""
        return tuple(standing.bot for standing in self.table)

    @property
    def played(self) -> tuple[Standing, ...]:
        return tuple(standing for standing in self.table if standing.games)

    @property
    def is_large(self) -> bool:
        return len(self.table) > MANY_BOTS

    def seats(self) -> Iterator[tuple[str, Row, int]]:
        """Each bot of each match, with its seat."""
        for row in self.rows:
            for seat, bot in enumerate(row.bots):
                yield bot, row, seat


def league_of(report: Report) -> League:
    rows = tuple(sorted({row.match: row for row in report.rows}.values(), key=attrgetter("plan", "match")))
    results = [Result(row.plan, row.block, row.bots, row.ranks, row.scores) for row in rows]
    bots = tuple(sorted(report.settings.get("bots", ())))
    faults = Counter(bot for bot, _, _ in faults_of(rows))
    fits = tuple((count, fit(results[:count], bots)) for count in _stops(rows))
    return League(report, rows, standings(results, bots, faults), fits, *_pairs(rows))


def _stops(rows: Sequence[Row]) -> list[int]:
    """After how many matches to fit: ends of blocks, in steps by about the same factor, up to all."""
    if not rows:
        return [0]
    ends = [at for at in range(1, len(rows)) if rows[at].block != rows[at - 1].block] + [len(rows)]
    bots, all_seen = _first_of_all(rows)
    first = ends[bisect_left(ends, all_seen)] if 2 * all_seen <= len(rows) else ends[0]
    points = next(points for limit, points in POINTS if len(rows) * bots <= limit)
    aims = [first * (len(rows) / first) ** (point / (points - 1)) for point in range(points)]
    return sorted({ends[bisect_left(ends, min(round(aim), len(rows)))] for aim in aims} | {len(rows)})


def _first_of_all(rows: Sequence[Row]) -> tuple[int, int]:
    """How many bots play, and after how many matches each of them has played."""
    seen: set[str] = set()
    after = 0
    for at, row in enumerate(rows, 1):
        if not seen.issuperset(row.bots):
            seen.update(row.bots)
            after = at
    return len(seen), after


def _pairs(rows: Iterable[Row]) -> tuple[Mapping[Pair, float], Counter[Pair]]:
    """Points and games of each bot against each other. Halves are exact, so the order does not matter."""
    points: dict[Pair, float] = defaultdict(float)
    games: Counter[Pair] = Counter()
    for row in rows:
        for (bot, rank), (other, other_rank) in permutations(zip(row.bots, row.ranks), 2):
            points[bot, other] += outcome(rank, other_rank)
            games[bot, other] += 1
    return points, games


Found = tuple[str, Row, Mapping[str, Any]]
"""The bot, the match and the fault."""


def faults_of(rows: Iterable[Row]) -> Iterator[Found]:
    for row in rows:
        for fault in row.faults:
            if fault["seat"] is not None:
                yield row.bots[fault["seat"]], row, fault
