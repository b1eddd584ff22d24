"""Results in plan order, in about 30 bytes each: what the fit and the standings read several times.

A Result with its tuples has 500 bytes, so a million of them do not fit into the memory of a small machine. Here they
are columns of integers, each as narrow as its largest number allows, and a Result is made when it is requested.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from arena.league.elo import Result, in_plan_order

WIDTHS = "bhiq"
"""Type codes of arrays, from one byte to eight."""
AT_BITS = 40
"""Bits of a place in the columns."""
Table = tuple["array[int]", "array[int]"]
"""By seat, the numbers of the bots, and their ranks."""


class Column:
    """Integers of at most 64 bits, in as few bytes each as the largest needs."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values = array(WIDTHS[0])

    def extend(self, values: Sequence[int]) -> None:
        while True:
            try:
                self.values.extend(array(self.values.typecode, values))
                return
            except OverflowError:
                self.values = array(WIDTHS[WIDTHS.index(self.values.typecode) + 1], self.values)


class Outcomes:
    """Results in plan order, which can be read again and again. `bots` are the names by number."""

    __slots__ = ("_blocks", "_count", "_ends", "_numbers", "_order", "_ranks", "_scores", "_seated", "bots")

    def __init__(self, outcomes: Iterable[tuple[int, Sequence[str], Sequence[int], Sequence[int]]] = ()) -> None:
        """From blocks, bots, ranks and scores, in plan order."""
        self.bots: list[str] = []
        self._numbers: dict[str, int] = {}
        self._blocks, self._ends, self._seated, self._ranks, self._scores = (Column() for _ in range(5))
        self._order: array[int] | None = None
        self._count = 0
        for outcome in outcomes:
            self.add(*outcome)

    @classmethod
    def of(cls, results: "Iterable[Result] | Outcomes") -> "Outcomes":
        """From results in any order. ValueError if two differ about one match."""
        if isinstance(results, Outcomes):
            return results
        return cls((result.block, result.bots, result.ranks, result.scores) for result in in_plan_order(results))

    def add(self, block: int, bots: Sequence[str], ranks: Sequence[int], scores: Sequence[int]) -> None:
        self._blocks.extend((block,))
        self._seated.extend([self._number(bot) for bot in bots])
        self._ranks.extend(ranks)
        self._scores.extend(scores)
        self._ends.extend((len(self._ranks.values),))
        self._order = None
        self._count += 1

    def _number(self, bot: str) -> int:
        number = self._numbers.setdefault(bot, len(self.bots))
        if number == len(self.bots):
            self.bots.append(bot)
        return number

    def first(self, count: int) -> "Outcomes":
        """The first so many. They share their columns with these, so add nothing to either."""
        part = Outcomes()
        part.bots, part._numbers = self.bots, self._numbers
        part._blocks, part._ends, part._seated = self._blocks, self._ends, self._seated
        part._ranks, part._scores, part._count = self._ranks, self._scores, min(count, self._count)
        return part

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Result]:
        bots, blocks, scores = self.bots, self._blocks.values, self._scores.values
        for at, (start, end) in enumerate(self._spans()):
            seated = tuple(bots[number] for number in self._seated.values[start:end])
            yield Result(at, blocks[at], seated, tuple(self._ranks.values[start:end]), tuple(scores[start:end]))

    def played(self) -> set[str]:
        """The bots of these results."""
        end = self._ends.values[self._count - 1] if self._count else 0
        return {self.bots[number] for number in set(self._seated.values[:end])}

    def sizes(self) -> list[int]:
        """The sizes of the tables."""
        return sorted({end - start for start, end in self._spans()})

    def block_ends(self) -> Sequence[int]:
        """After how many results a block ends, if those of a block follow each other."""
        blocks = self._blocks.values[: self._count]
        ends = array("q", (at for at, (before, after) in enumerate(pairwise(blocks), 1) if before != after))
        ends.extend([self._count] if self._count else [])
        return ends

    def columns(self) -> tuple[memoryview, ...]:
        """By result, blocks and ends; by place, bots and ranks. The places of a result are those before its end.

        Nothing can be added as long as they are in use.
        """
        places = self._ends.values[self._count - 1] if self._count else 0
        lengths = {self._blocks: self._count, self._ends: self._count, self._seated: places, self._ranks: places}
        return tuple(memoryview(column.values)[:length] for column, length in lengths.items())

    def tables(self) -> Iterator[Table]:
        seated, ranks = self._seated.values, self._ranks.values
        for start, end in self._spans():
            yield seated[start:end], ranks[start:end]

    def by_block(self) -> Iterator[list[Table]]:
        """The tables of each block, in the order of the numbers of the blocks."""
        ends, seated, ranks = self._ends.values, self._seated.values, self._ranks.values
        for _, places in groupby(self._in_block_order(), self._blocks.values.__getitem__):
            spans = [(ends[at - 1] if at else 0, ends[at]) for at in places]
            yield [(seated[start:end], ranks[start:end]) for start, end in spans]

    def _in_block_order(self) -> Sequence[int]:
        blocks = self._blocks.values[: self._count]
        if all(before <= after for before, after in pairwise(blocks)):
            return range(self._count)
        if self._order is None:  # integers of two parts sort in half the memory of a list of places and one of keys
            keys = sorted(block << AT_BITS | at for at, block in enumerate(blocks))
            self._order = array("q", (key & (1 << AT_BITS) - 1 for key in keys))
        return self._order

    def _spans(self) -> Iterator[tuple[int, int]]:
        start = 0
        for end in self._ends.values[: self._count]:
            yield start, end
            start = end
