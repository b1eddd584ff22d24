"""All matches of a league in memory, in about 100 bytes each, so that a list of some of them is found at once.

Columns only grow. A reader that knows how many matches there were looks only at these, so it needs no lock while
another thread adds more.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.league.outcomes import Outcomes
from arena.league.store import ID_BYTES, Row

WON, SHARED, LOST = "won", "shared", "lost"


@dataclass(frozen=True, slots=True)
class IndexedMatch:
    """A match in a list. Results are by seat."""

    match: str
    place: tuple[int, int, int]
    """Plan, block and rotation."""
    bots: tuple[str, ...]
    """By label (arena/league/lineup.py)."""
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    steps: int
    faulty: int
    """The seats that had a fault, as a set of bits."""

    @classmethod
    def of(cls, row: Row) -> "IndexedMatch":
        faulty = 0
        for fault in row.faults:
            faulty |= 0 if fault["seat"] is None else 1 << fault["seat"]
        place = row.plan, row.block, row.rotation
        return cls(row.match, place, row.bots, row.ranks, row.scores, row.steps, faulty)

    @property
    def faults(self) -> int:
        """How many seats had one."""
        return self.faulty.bit_count()


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches are meant. What is empty does not matter."""

    bot: str = ""
    against: str = ""
    """Another bot at the same table."""
    result: str = ""
    """Of `bot`: WON is first alone, SHARED first with others, LOST neither."""
    seats: int = 0
    """The size of the table."""
    faults: bool = False
    """Only matches with a fault; if there is a bot, with one of its own."""


ALL_MATCHES = MatchFilter()


class MatchIndex:
    """Matches in the order in which they came."""

    def __init__(self) -> None:
        self.bots: list[str] = []
        self._numbers: dict[str, int] = {}
        self._ids = bytearray()
        self._places = tuple(array("q") for _ in range(3))
        self._ends, self._scores, self._steps = array("q"), array("q"), array("q")
        self._seated, self._ranks, self._faulty = array("i"), array("b"), array("Q")
        self._by_bot: list[array[int]] = []
        self._sizes: frozenset[int] = frozenset()

    def add(self, one: IndexedMatch) -> None:
        at, numbers = len(self._ends), [self._number(bot) for bot in one.bots]
        self._ids += bytes.fromhex(one.match)
        for column, value in zip(self._places, one.place):
            column.append(value)
        self._seated.extend(numbers)
        self._ranks.extend(one.ranks)
        self._scores.extend(one.scores)
        self._steps.append(one.steps)
        self._faulty.append(one.faulty)
        if len(numbers) not in self._sizes:
            self._sizes |= {len(numbers)}
        for number in set(numbers):
            self._by_bot[number].append(at)
        self._ends.append(len(self._seated))  # last: a reader counts these

    def _number(self, bot: str) -> int:
        number = self._numbers.get(bot)
        if number is None:
            number = len(self.bots)
            self._by_bot.append(array("i"))
            self.bots.append(bot)
            self._numbers[bot] = number
        return number

    def __len__(self) -> int:
        return len(self._ends)

    def match(self, at: int) -> IndexedMatch:
        start, end = self._span(at)
        plan, block, rotation = (column[at] for column in self._places)
        return IndexedMatch(
            self._ids[ID_BYTES * at : ID_BYTES * (at + 1)].hex(),
            (plan, block, rotation),
            tuple(self.bots[number] for number in self._seated[start:end]),
            tuple(self._ranks[start:end]),
            tuple(self._scores[start:end]),
            self._steps[at],
            self._faulty[at],
        )

    def _span(self, at: int) -> tuple[int, int]:
        return (self._ends[at - 1] if at else 0), self._ends[at]

    def find(self, wanted: MatchFilter, count: int) -> Sequence[int]:
        """Where the matches are that are meant, newest first, among the first `count`."""
        if wanted == ALL_MATCHES:
            return range(count - 1, -1, -1)
        places = self._with_bots(wanted, count)
        is_plain = not (wanted.result or wanted.seats or wanted.faults)
        return places if is_plain else [at for at in places if self._fits(at, wanted)]

    def _with_bots(self, wanted: MatchFilter, count: int) -> Sequence[int]:
        named = [bot for bot in (wanted.bot, wanted.against) if bot]
        if not named:
            return range(count - 1, -1, -1)
        if not all(bot in self._numbers for bot in named):
            return []
        first, *rest = sorted((self._by_bot[self._numbers[bot]] for bot in named), key=len)
        both = set(first).intersection(*rest) if rest else first
        return sorted((at for at in both if at < count), reverse=True)

    def _fits(self, at: int, wanted: MatchFilter) -> bool:
        start, end = self._span(at)
        if wanted.seats and wanted.seats != end - start:
            return False
        own = self._own_seats(wanted.bot, start, end)
        mask = self._faulty[at]
        if wanted.faults and not (any(mask >> seat & 1 for seat in own) if wanted.bot else mask):
            return False
        return not wanted.result or any(self._result(start, end, seat) == wanted.result for seat in own)

    def _own_seats(self, bot: str, start: int, end: int) -> list[int]:
        number = self._numbers.get(bot)
        return [at - start for at in range(start, end) if self._seated[at] == number]

    def _result(self, start: int, end: int, seat: int) -> str:
        ranks = self._ranks[start:end]
        return LOST if ranks[seat] != 1 else WON if ranks.count(1) == 1 else SHARED

    def sizes(self) -> list[int]:
        """The sizes of the tables."""
        return sorted(self._sizes)

    def outcomes(self, count: int) -> Outcomes:
        """The first `count` in plan order, for the fit."""
        plans, blocks, rotations = self._places
        order = sorted(range(count), key=lambda at: (plans[at], blocks[at], rotations[at], self._id(at)))
        return Outcomes(self._outcomes(order))

    def _outcomes(self, order: Sequence[int]) -> Iterator[tuple[int, Sequence[str], Sequence[int], Sequence[int]]]:
        blocks = self._places[1]
        for at in order:
            start, end = self._span(at)
            seated = [self.bots[number] for number in self._seated[start:end]]
            yield blocks[at], seated, self._ranks[start:end], self._scores[start:end]

    def _id(self, at: int) -> bytes:
        return bytes(self._ids[ID_BYTES * at : ID_BYTES * (at + 1)])

    # Two bots

    def duels(self, bot: str, other: str, count: int) -> "Duels":
        """How two bots did at the tables at which both sat."""
        mine, theirs = self._numbers.get(bot, -1), self._numbers.get(other, -1)
        places = self._with_bots(MatchFilter(bot, other), count)
        ahead = ties = points = rival = 0
        seated, ranks, scores = self._seated, self._ranks, self._scores
        for at in places:
            start, end = self._span(at)
            table = seated[start:end]
            one, two = start + table.index(mine), start + table.index(theirs)
            ahead += ranks[one] < ranks[two]
            ties += ranks[one] == ranks[two]
            points += scores[one]
            rival += scores[two]
        return Duels(len(places), ahead, ties, points, rival)


@dataclass(frozen=True, slots=True)
class Duels:
    """Games of two bots: how often the first was ahead or level, and the points of both."""

    games: int
    ahead: int
    ties: int
    points: int
    rival_points: int
