"""The likelihood of all results as a function of the strengths of bots and seats, and where it is highest. Pure.

arena/league/fit.py has the model. Parameters have numbers: the bots from 0 on, then the seats of each size of table.
Strengths are in log odds. Sums go over the sizes of tables, then over the blocks in the order of their numbers. So they
are the same to the last bit in whatever order the results came.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

import numpy as np
from numpy.typing import NDArray

from arena.league.outcomes import Outcomes

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Numbers = NDArray[np.intp]

EXACT = 1e-7
"""Newton's last step, in log odds; the error after it is about its square."""
SLACK = 1e-12
"""The relative fall of the likelihood in a step that counts as rounding."""
AT_ONCE = 1 << 17
"""Pairs of bots that are in memory at once: those of a million results would take more than all the rest."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of the parameters."""

    bots: tuple[str, ...]
    first_seats: Mapping[int, int]
    """By size of table, the number of its seat 0."""
    count: int
    """How many parameters there are: the order of all vectors and matrices."""

    @classmethod
    def of(cls, outcomes: Outcomes, bots: Iterable[str]) -> "Layout":
        names, sizes = sorted({*bots, *outcomes.played()}), outcomes.sizes()
        firsts = list(accumulate(sizes, initial=len(names)))
        return cls(tuple(names), dict(zip(sizes, firsts)), firsts[-1])


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one size, in the order of their blocks: a column for each, with a row for each seat or pair."""

    seats: Numbers
    """The numbers of their parameters."""
    bots: NDArray[np.int32]
    """Their numbers, by seat."""
    halves: NDArray[np.int8]
    """Twice the points of the first of each pair of seats."""
    blocks: NDArray[np.int32]
    """The places of their blocks in the order of all blocks."""

    @property
    def pairs(self) -> tuple[Numbers, Numbers]:
        """The seats of the first and of the second of each pair, in the order of itertools.combinations."""
        return np.triu_indices(len(self.seats), 1)

    def part(self, start: int, end: int) -> "Tables":
        return Tables(self.seats, self.bots[:, start:end], self.halves[:, start:end], self.blocks[start:end])

    def parts(self) -> "Iterator[Tables]":
        """In parts of at most AT_ONCE pairs."""
        step = max(1, AT_ONCE // len(self.halves))
        return (self.part(start, start + step) for start in range(0, len(self.blocks), step))


def tables_of(outcomes: Outcomes, layout: Layout) -> list[Tables]:
    """All tables, by size."""
    known = {name: number for number, name in enumerate(layout.bots)}
    numbers = np.array([known.get(bot, -1) for bot in outcomes.bots], np.int32)
    blocks, ends, seated, ranks = (np.asarray(column) for column in outcomes.columns())
    order = np.argsort(blocks, kind="stable")
    ends, sizes = ends.astype(np.intp)[order], np.diff(ends, prepend=0)[order]
    places = np.cumsum(np.diff(blocks[order], prepend=blocks[order[:1]]) != 0, dtype=np.int32)
    found = []
    for size, first_seat in layout.first_seats.items():
        starts = ends[sizes == size] - size
        bots = np.stack([numbers[seated[starts + seat]] for seat in range(size)])
        halves = _halves(ranks[starts + seat] for seat in range(size))
        found.append(Tables(np.arange(first_seat, first_seat + size), bots, halves, places[sizes == size]))
    return found


def _halves(ranks: Iterable[NDArray[np.int8]]) -> NDArray[np.int8]:
    """Twice the points of the first of each pair, from the ranks by seat."""
    return np.stack([np.add(one <= other, one < other, dtype=np.int8) for one, other in combinations(ranks, 2)])


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The games of some tables at some strengths: a row for each pair of seats, a column for each table."""

    tables: Tables
    are_played: NDArray[np.bool_]
    """Copies of a bot play no game: it would not depend on their rating."""
    leads: Vector
    chances: Vector
    """Of the first of the pair to win."""

    @classmethod
    def of(cls, tables: Tables, strengths: Vector) -> "PlayedGames":
        one, other = tables.pairs
        strength = strengths[tables.bots] + strengths[tables.seats, np.newaxis]
        leads = strength[one] - strength[other]
        return cls(tables, tables.bots[one] != tables.bots[other], leads, chances(leads))

    def height(self) -> float:
        """The logarithm of the likelihood."""
        return float(np.sum((self.tables.halves / 2 * self.leads - softplus(self.leads)) * self.are_played))

    def surprises(self) -> Vector:
        """By seat and table, points won minus points expected."""
        return self._by_seat((self.tables.halves / 2 - self.chances) * self.are_played, -1)

    def numbers(self) -> Vector:
        """By seat and table, how many games there are."""
        return self._by_seat(self.are_played.astype(float), 1)

    def add_information(self, half: Matrix) -> None:
        """Add to H, as a matrix that becomes H if its transpose is added.

        A game with the lead x = bot + seat - other - other seat adds p (1 - p) dx dx', where p is the chance and dx has
        1 for bot and seat and -1 for the other two.
        """
        one, other = self.tables.pairs
        weights = self.chances * (1 - self.chances) * self.are_played
        own = self._by_seat(weights, 1)
        bots, seats = self.tables.bots.astype(np.intp), self.tables.seats
        half[seats, seats] += own.sum(axis=1) / 2
        half[seats[one], seats[other]] -= weights.sum(axis=1)
        flat, rows, columns = half.reshape(-1), bots * len(half), seats[:, np.newaxis]
        np.add.at(flat, rows + bots, own / 2)
        np.add.at(flat, rows + columns, own)
        np.add.at(flat, rows[one] + bots[other], -weights)
        np.add.at(flat, rows[one] + columns[other], -weights)
        np.add.at(flat, rows[other] + columns[one], -weights)

    def _by_seat(self, values: Vector, sign: int) -> Vector:
        """By seat and table, the sum over its pairs, with this sign where it is the second."""
        found = np.zeros(self.tables.bots.shape)
        for one, other, value in zip(*self.tables.pairs, values):
            found[one] += value
            found[other] += sign * value
        return found


def chances(leads: Vector) -> Vector:
    """The chance to win with such a lead."""
    return np.tanh(leads / 2) / 2 + 0.5


def softplus(x: Vector) -> Vector:
    """ln(1 + e^x)"""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


@dataclass(frozen=True, slots=True)
class Slope:
    """The logarithm of the likelihood at some strengths, its gradient, and H: minus its second derivatives."""

    height: float
    gradient: Vector
    information: Matrix

    @classmethod
    def at(cls, strengths: Vector, tables: Iterable[Tables], virtual: float) -> "Slope":
        """A virtual game against an average one has the parameter itself as its lead."""
        chance, count = chances(strengths), len(strengths)
        height = virtual * float(np.sum(strengths - 2 * softplus(strengths)))
        gradient, half = virtual * (1 - 2 * chance), np.diag(virtual * chance * (1 - chance))
        for part in (part for size in tables for part in size.parts()):
            games = PlayedGames.of(part, strengths)
            height += games.height()
            surprises = games.surprises()
            gradient += np.bincount(part.bots.reshape(-1), surprises.reshape(-1), count)
            gradient[part.seats] += surprises.sum(axis=1)
            games.add_information(half)
        return cls(height, gradient, half + half.T)


@dataclass(frozen=True, slots=True)
class Peak:
    """The maximum of the likelihood, and H there."""

    strengths: Vector
    information: Matrix
    virtual: float
    """Virtual games that each parameter has won; it has lost as many."""


def climb(tables: Sequence[Tables], count: int, virtual: float) -> Peak:
    """Newton's method. The virtual games make the likelihood strictly concave, so there is exactly one maximum."""
    at = np.zeros(count)
    here = Slope.at(at, tables, virtual)
    while True:
        step = np.linalg.solve(here.information, here.gradient)
        if np.abs(step).max(initial=0.0) < EXACT:
            return Peak(at + step, here.information, virtual)
        there = Slope.at(at + step, tables, virtual)
        while there.height < here.height - SLACK * abs(here.height):
            step /= 2  # it went too far
            there = Slope.at(at + step, tables, virtual)
        at, here = at + step, there


def groups(tables: Iterable[Tables], bots: int) -> tuple[int, ...]:
    """By bot, the lowest number among the bots that games connect it to."""
    have_met = np.zeros((bots, bots), bool)
    for size in tables:
        for one, other in zip(*size.pairs):
            have_met[size.bots[one], size.bots[other]] = True
    have_met |= have_met.T
    lowest = np.full(bots, bots)
    for bot in range(bots):
        found = np.array([bot] if lowest[bot] == bots else [], np.intp)
        while len(found):
            lowest[found] = bot
            found = np.flatnonzero(have_met[found].any(axis=0) & (lowest == bots))
    return tuple(lowest.tolist())
