"""What the results of a league add up to. It grows by the results that are new, and one thread at a time uses it."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace

from arena.league.lineup import Lineup
from arena.league.page import labelled
from arena.league.report.census import Census
from arena.league.store import Row, Store
from arena.web.site.index import IndexedMatch, MatchIndex

SeatKey = tuple[str, int, int]
"""Bot, size of the table, seat."""


@dataclass(slots=True)
class SeatTally:
    """How a bot did in a seat."""

    games: int = 0
    firsts: int = 0
    """First, alone or with others."""
    ranks: int = 0
    points: int = 0


@dataclass(slots=True)
class LeagueLedger:
    """All results that were read so far."""

    lineup: Lineup
    census: Census = field(default_factory=Census)
    """Without what depends on the order of the results: outcomes are made of the index when they are needed."""
    index: MatchIndex = field(default_factory=MatchIndex)
    seats: defaultdict[SeatKey, SeatTally] = field(default_factory=lambda: defaultdict(SeatTally))
    tables: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Results by the versions at the table."""
    arrived: int = 0
    """The number of the last result in the order of arrival."""
    ahead: set[str] = field(default_factory=set)
    """Results that are counted although they may arrive after that one: they came while the others were read."""

    @classmethod
    def of(cls, store: Store, lineup: Lineup) -> "LeagueLedger":
        """From all results: the index in the order of arrival as far as that is known, the census in plan order."""
        ledger, order = cls(lineup), {match: number for number, match in store.arrivals()}
        ledger.arrived = max(order.values(), default=0)
        found = [ledger._counted(row) for row in labelled(store.rows(), lineup.labels)]
        ledger.ahead = {one.match for one in found if one.match not in order}
        for one in sorted(found, key=lambda one: order.get(one.match, 0)):
            ledger.index.add(one)
        return ledger

    def grow(self, store: Store) -> None:
        """Add what has arrived since."""
        new = store.arrivals(self.arrived)
        matches = [match for _, match in new if match not in self.ahead]
        rows = list(labelled(store.chosen(matches), self.lineup.labels))  # all are read before one is counted
        for row in rows:
            self.index.add(self._counted(row))
        self.arrived = new[-1][0] if new else self.arrived

    def _counted(self, row: Row) -> IndexedMatch:
        self.census.count(row)
        self.tables[row.versions] += 1
        size = len(row.bots)
        for seat, bot in enumerate(row.bots):
            tally = self.seats[bot, size, seat]
            tally.games += 1
            tally.firsts += row.ranks[seat] == 1
            tally.ranks += row.ranks[seat]
            tally.points += row.scores[seat]
        return IndexedMatch.of(row)

    @property
    def played(self) -> int:
        """How many matches between the bots of today count."""
        if self.lineup.is_first:
            return len(self.index)
        known = frozenset(self.lineup.keys.values())
        return sum(count for versions, count in self.tables.items() if known.issuperset(versions))

    def summed(self) -> Census:
        """The census of all results, as a copy that does not grow."""
        census = deepcopy(self.census)
        outcomes = self.index.outcomes(len(self.index))
        return replace(census, outcomes=outcomes, firsts=_firsts(outcomes.tables(), outcomes.bots))


def _firsts(tables: Iterable[tuple[Iterable[int], object]], bots: list[str]) -> dict[str, int]:
    """After how many matches each bot had played its first."""
    found: dict[str, int] = {}
    for number, (seated, _) in enumerate(tables, 1):
        for bot in seated:
            found.setdefault(bots[bot], number)
    return found
