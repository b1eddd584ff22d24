"""What two settings of a bot were worth in the games of an iteration."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from arena.league.elo import outcome
from arena.league.store import Row


def units_of(rows: Iterable[Row], plus: str, minus: str, is_on_score: bool) -> list[float]:
    """For each unit, how much better plus was than minus in the mean of its games: points, or 1 for a better rank."""
    blocks = groupby(sorted(rows, key=lambda row: (row.block, row.rotation)), lambda row: row.block)
    return [_mean([_worth(row, plus, minus, is_on_score) for row in block]) for _, block in blocks]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _worth(row: Row, plus: str, minus: str, is_on_score: bool) -> float:
    one, other = row.bots.index(plus), row.bots.index(minus)
    if is_on_score:
        return row.scores[one] - row.scores[other]
    return 2 * outcome(row.ranks[one], row.ranks[other]) - 1


def alike(rows: Iterable[Row]) -> Iterator[bool]:
    """For each unit whether its two games went the same way, although the settings had exchanged seats."""
    for _, block in groupby(sorted(rows, key=lambda row: (row.block, row.rotation)), lambda row: row.block):
        yield len({row.digest for row in block}) == 1
