"""The input of a report, and what follows from it: the census of its results, standings, fits."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.league.fit import Fit, fit
from arena.league.outcomes import Outcomes
from arena.league.report.census import Census
from arena.league.residuals import NOT_COMPARED, HostComparison
from arena.league.standings import Standing, standings
from arena.league.statistics import Estimate
from arena.league.store import MEETINGS, Row
from arena.league.ties import Course

POINTS = ((50_000, 12), (200_000, 8), (20_000_000, 5), (math.inf, 1))
"""(limit, fits): how many fits are drawn if matches times bots are at most this limit, because fits take time."""
MANY_BOTS = 12
"""With more bots, cells of matrices have one number each, and the rest as a tooltip."""
MOST_DRAWN = 60
"""Bots with a row and a column in matrices, a line in charts, and a panel of their own: the first in the standings."""
MOST_LISTED = 1000
"""Bots with a row in tables. With more, a page would be too large for a browser."""


@dataclass(frozen=True, slots=True)
class Pages:
    """The addresses of other pages, as links from this one. None: there is no such page, as for a report alone."""

    of_bot: Callable[[str], str | None] = lambda _bot: None
    of_pair: Callable[[str, str], str | None] = lambda _bot, _other: None
    of_match: Callable[[str], str | None] = lambda _match: None


NO_PAGES = Pages()


@dataclass(frozen=True, slots=True)
class Report:
    """The input of a report: `settings` and `rows` as a store yields them, and facts about the league."""

    name: str
    settings: Mapping[str, Any]
    rows: Iterable[Row]
    """In plan order, each once. They are read once, and not kept."""
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
    course: Course | None = None
    """How it went, if its kind has rounds or groups."""
    has_record: Callable[[str], bool] = lambda _match: True
    """Whether the record of a match is there."""
    current: tuple[str, ...] | None = None
    """The bots that have a place, if there are older versions and bots that have retired; None: all."""
    hosts: HostComparison = NOT_COMPARED
    """The machines that played, if there are at least two."""
    earlier: int = 0
    """How many of the results are of earlier versions or of bots that have retired, and so not of the plan."""
    has_replay: Callable[[str], bool] = lambda _match: False
    """Whether there is a page of a match beside the report."""
    pages: Pages = NO_PAGES
    """Where bots, pairs and matches have pages of their own."""


Ratings = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class League:
    """What a report's sections are made of."""

    report: Report
    census: Census
    table: tuple[Standing, ...]
    fit: Fit
    milestones: tuple[tuple[int, Ratings], ...]
    """Numbers of matches, each with the ratings fitted to the first that many; the last are those of all."""

    @property
    def done(self) -> int:
        """Matches of the plan that are played."""
        return self.census.matches - self.report.earlier

    @property
    def bots(self) -> tuple[str, ...]:
        """Best first."""
        return tuple(standing.bot for standing in self.table)

    @property
    def played(self) -> tuple[Standing, ...]:
        return tuple(standing for standing in self.table if standing.games)

    @property
    def listed(self) -> tuple[Standing, ...]:
        """Those that have a row in tables."""
        return self.table[:MOST_LISTED]

    @property
    def drawn(self) -> tuple[Standing, ...]:
        """Those that have a row in matrices."""
        return self.table[:MOST_DRAWN]

    @property
    def is_by_meetings(self) -> bool:
        """Whether its results have no places in a plan (arena/league/meetings.py)."""
        return bool(self.report.settings.get("scheme") == MEETINGS)

    @property
    def is_large(self) -> bool:
        return len(self.table) > MANY_BOTS


def league_of(report: Report) -> League:
    return league_from(report, Census.of(report.rows))


def league_from(report: Report, census: Census) -> League:
    """The same, if the census of the results is known."""
    outcomes, bots = census.outcomes, tuple(sorted(report.settings.get("bots", ())))
    *earlier, _ = stops = _stops(outcomes, census.firsts)
    milestones = [(count, _ratings(fit(outcomes.first(count), bots))) for count in earlier]
    last = fit(outcomes, bots)
    anchor = report.settings.get("anchor", {})
    table = standings(outcomes, bots, census.faults.by_bot(), fitted=last, shown=report.current, anchor=anchor)
    return League(report, census, table, last, (*milestones, (stops[-1], _ratings(last))))


def _ratings(fitted: Fit) -> Ratings:
    return dict(zip(fitted.bots, fitted.ratings))


def _stops(outcomes: Outcomes, firsts: Mapping[str, int]) -> list[int]:
    """After how many matches to fit: ends of blocks, in steps by about the same factor, up to all."""
    matches = len(outcomes)
    points = next(points for limit, points in POINTS if matches * len(firsts) <= limit)
    if points == 1 or not matches:
        return [matches]
    ends, all_seen = outcomes.block_ends(), max(firsts.values())
    first = ends[bisect_left(ends, all_seen)] if 2 * all_seen <= matches else ends[0]
    aims = [first * (matches / first) ** (point / (points - 1)) for point in range(points)]
    return sorted({ends[bisect_left(ends, min(round(aim), matches))] for aim in aims} | {matches})


def left_out(shown: Sequence[object], of: Sequence[object]) -> str:
    """A sentence for a table or a drawing that does not show all bots."""
    if len(shown) == len(of):
        return ""
    return f" Only the first {len(shown):,} of {len(of):,} bots in the order of the standings are shown."
