"""Schedules: which bots meet, in which seats. Pure and lazy; the same arguments give the same schedule for ever.

Theory of operation. A block is one table of bots in one circular order, played in all rotations, so that each bot has
each seat once. A schedule is an endless sequence of blocks, and a budget takes the first of them, so a longer budget
extends a shorter plan. A ledger of about bots^2 numbers counts what the blocks so far gave each bot. The next block
follows from the ledger, from the dice of a seed, and from nothing else. The order in which bots are named does not
matter, except in a knock-out, where it is the seeding, and in a chain, where it says who are neighbours.

Which table. Appearances of any two bots differ by at most one after every block. There are three ways to achieve that:

    pairs    every pair once a cycle, in rounds of disjoint pairs that are read from a zigzag (_every_pair).
    cycle    every table once a cycle, if there are at most CYCLE_LIMIT. Such an order always exists by Baranyai's
             theorem, and its proof is the algorithm (_every_table).
    sample   fewest appearances first, then fewest meetings with the bots already at the table, then dice
             (_Ledger.fill).

Which circle. Hands are passed on, so it matters which bot follows which, and a rotation never changes that. Each bot of
a table is inserted where the new neighbours have followed each other least (_Ledger.circle).

One of each author. If authors are given, bots of one author never sit at one table. A cycle then leaves out the tables
with two bots of one author, so a bot plays less if its author has many. In samples and gauntlets, appearances of the
bots of one author differ by at most one; those of all bots by at most two, if no author has more than bots / seats.

Which deal. A block names its deal by the kind of the plan, the circle, and how often the first two bots of the circle
had met. The place in the plan is not part of the name, and a circle that comes again has a new name. arena.league.deals
decides what is dealt under a name, and whether all rotations share it.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heapreplace
from itertools import combinations, count, cycle, islice, pairwise, permutations
from math import comb, gcd
from typing import Protocol, TypeVar

from arena.errors import SettingError
from arena.roster.tunables import Values
from engine.dice import MOST_SIDES, Seed

T = TypeVar("T")

CYCLE_LIMIT = 1_000
"""Most tables of three or more seats in a cycle. Finding their order takes up to 0.3 s, at up to six seats."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of a plan: the bots by seat, and the deal."""

    index: int
    """Its place in the plan, from 0."""
    block: int
    """Its block, from 0, in the order of the plan."""
    rotation: int
    """The number of its seating in the block, from 0."""
    bots: tuple[str, ...]
    """Names by seat."""
    deal: str
    """The name of the block's deal; no other block has it."""
    tune: tuple[tuple[str, Values], ...] = ()
    """Values for the parameters of bots, by name, if they differ from match to match."""


class Schedule(Protocol):
    """Fixtures whose number is known before the first is made. Every iteration makes the same fixtures again."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Fixture]: ...


def round_robin(
    bots: Collection[str],
    seats: int | Collection[int],
    blocks: int | None,
    seed: int,
    authors: Mapping[str, str] | None = None,
) -> Schedule:
    """Every bot against every other. Appearances differ by at most one after every block, those in each seat never.

    Two seats: every pair once a cycle. More: every table once a cycle, or a sample if a cycle is too long. Without a
    budget it is one cycle, or as many blocks as give each bot N - 1.

    Several sizes take turns, block by block, and all are samples. Appearances then differ by at most one among the
    tables of each size, and over all tables by at most the number of sizes.
    """
    names, sizes = _names(bots), _sizes(seats, len(bots))
    author_of = _authors(names, authors)
    _check_authors(author_of, sizes[-1])
    blocks = _budget("blocks", _long_enough(author_of, sizes) if blocks is None else blocks)
    row = partial(_round_robin, names, author_of, sizes, Lots(seed, "round robin"))
    return _Plan(row, blocks, _fixtures(sizes, 0, blocks))


def gauntlet(
    challengers: str | Collection[str],
    field: Collection[str],
    seats: int | Collection[int],
    blocks: int | None,
    seed: int,
    authors: Mapping[str, str] | None = None,
) -> Schedule:
    """One challenger against the field in every fixture. Several take turns, each until the field is even again.

    Among the tables of each size, appearances of the field differ by at most one after every block, against each
    challenger and against all of them; those of the challengers by at most the number of bots in the field. Without a
    budget each challenger has as many blocks of each size as the field has bots, and all appearances are equal.
    """
    new = _names([challengers] if isinstance(challengers, str) else challengers)
    names, sizes = _names([*new, *field]), _sizes(seats, len(field) + 1)
    author_of = _authors(names, authors)
    for bot in [names.index(name) for name in new]:
        _check_authors([author_of[bot], *(author_of[names.index(name)] for name in field)], sizes[-1])
    blocks = _budget("blocks", len(sizes) * len(new) * len(field) if blocks is None else blocks)
    row = partial(_gauntlet, names, author_of, new, sizes, Lots(seed, "gauntlet"))
    return _Plan(row, blocks, _fixtures(sizes, 0, blocks))


def duel(a: str, b: str, field: Collection[str], seats: int | Collection[int], units: int, seed: int) -> Schedule:
    """A against B. A unit is a block of two fixtures; the second differs only in that A and B exchange seats.

    A and B go through all pairs of seats, one cycle after another. The bots for the other seats are drawn from the
    field again for each unit. If the field is too small, copies of bots fill the table, as evenly as possible.
    """
    names, sizes = _names([a, b, *field]), _sizes(seats, None)
    if not field and sizes[-1] > 2:
        raise SettingError(f"field: expected bots for {sizes[-1] - 2} more seats, got none. Or let the two play alone.")
    rest = [name for name in names if name not in (a, b)]
    return _Plan(partial(_duel, a, b, rest, sizes, Lots(seed, "duel")), _budget("units", units), 2 * units)


def top_up(
    bots: Collection[str],
    seats: int | Collection[int],
    blocks: int,
    seed: int,
    pairs: Iterable[tuple[str, str]],
    played: Iterable[Sequence[str]] = (),
    floor: int = 0,
    authors: Mapping[str, str] | None = None,
) -> Schedule:
    """More blocks after those `played` (a seating of each), for pairs of bots that are not yet decided.

    Bots with fewer blocks than `floor` come first, those with fewest before others. After that every table gets the
    pair that has met least, of several the one named first; then the bots that are undecided with most of the table,
    then those that have played least. One call or several give the same plan, if each call receives what was played.
    """
    names, sizes = _names(bots), _sizes(seats, len(bots))
    number = {name: bot for bot, name in enumerate(names)}
    author_of = _authors(names, authors)
    _check_authors(author_of, sizes[-1])
    undecided = [(a, b) for a, b in (_pair(pair, number) for pair in pairs) if author_of[a] != author_of[b]]
    ledger = _Ledger([*author_of, ""])  # the last number stands for all bots that have left the league
    for seating in played:
        ledger.enter([number.get(name, len(names)) for name in seating])
    row = partial(_top_up, names, sizes, undecided, floor, ledger, Lots(seed, "top-up"))
    size = _fixtures(sizes, ledger.blocks, _budget("blocks", blocks))
    return _Plan(row, blocks, size, ledger.blocks, ledger.fixtures)


def chain(bots: Sequence[str], seats: int, blocks: int | None, seed: int) -> Schedule:
    """Neighbours in the order of the bots, who are named weakest or best first.

    A window of one bot more than a table has seats moves along the bots, and in each place every table of its bots is
    one block. So with two seats neighbours meet twice in a cycle, and bots that are two apart once; the first pair and
    the last meet once. Without a budget it is one cycle.
    """
    _names(bots)
    (size,) = _sizes(seats, len(bots))
    tables = _chained(len(bots), size)
    blocks = _budget("blocks", len(tables) if blocks is None else blocks)
    return _Plan(partial(_chain, list(bots), tables, Lots(seed, "chain")), blocks, size * blocks)


def placing(tables: Sequence[Collection[str]], seed: int, first_block: int, first_index: int) -> Schedule:
    """These tables, one block each; their circles are drawn."""
    row = partial(_placing, tables, first_block, Lots(seed, "placing"))
    return _Plan(row, len(tables), sum(map(len, tables)), first_block, first_index)


def knock_out(bots: Sequence[str], seats: int, seed: int, winners: Sequence[Collection[str]] = ()) -> Schedule:
    """The next round, one block per table, given the winners of each round so far. It is empty when one bot is left.

    Only the best of a table goes on. The first round leaves a power of `seats`, so that later tables are full. In the
    first round tables may be smaller, and a bot alone at a table goes on without a match; it is the only round with
    byes. The bots are named best first: the best have the byes, the smaller tables and the weakest opponents, and meet
    last.
    """
    places, (size,) = _seeded(bots), _sizes(seats, None)
    blocks = fixtures = 0
    for won in winners:
        tables = bracket(places, size)
        blocks, fixtures = blocks + len(_contested(tables)), fixtures + sum(map(len, _contested(tables)))
        places = [_winner(table, won) for table in tables]
    tables = _contested(bracket(places, size))
    row = partial(_knock_out, tables, Lots(seed, "knock-out"))
    return _Plan(row, len(tables), sum(map(len, tables)), blocks, fixtures)


def _names(bots: Collection[str]) -> list[str]:
    names = sorted(bots)
    if not names:
        raise SettingError("bots: expected at least one, got none. Name at least one bot.")
    for name, following in pairwise(names):
        if name == following:
            raise SettingError(f"bots: {name!r} appears twice. Give each bot its own name.")
    return names


def _seeded(bots: Sequence[str]) -> list[str]:
    _names(bots)
    return list(bots)


def _sizes(seats: int | Collection[int], bots: int | None) -> list[int]:
    sizes = [seats] if isinstance(seats, int) else sorted(set(seats))
    if not sizes or sizes[0] < 2:
        raise SettingError(f"seats: expected 2 or more, got {seats!r}. Name the number of seats at a table.")
    if bots is not None and bots < sizes[-1]:
        raise SettingError(f"seats: expected at most {bots}, the number of bots for a table, got {sizes[-1]}.")
    return sizes


def _budget(what: str, number: int) -> int:
    if number < 1:
        raise SettingError(f"{what}: expected 1 or more, got {number}.")
    return number


def _pair(pair: tuple[str, str], number: Mapping[str, int]) -> tuple[int, int]:
    a, b = pair
    if a == b or a not in number or b not in number:
        raise SettingError(f"pairs: expected two of the bots, got {a!r} and {b!r}.")
    return number[a], number[b]


def _authors(names: Sequence[str], authors: Mapping[str, str] | None) -> list[str]:
    """The author of each bot, by number. A bot without an author is its own author."""
    return [(authors or {}).get(name, name) for name in names]


def _check_authors(author_of: Sequence[str], seats: int) -> None:
    if len(set(author_of)) < seats:
        raise SettingError(
            f"seats: expected at most {len(set(author_of))}, the number of authors for a table, got {seats}."
        )


def _tables(author_of: Sequence[str], seats: int) -> int:
    """How many tables there are without two bots of one author: the elementary symmetric polynomial of their counts."""
    ways = [1] + [0] * seats  # ways[n]: tables with n bots of the authors so far
    for bots in Counter(author_of).values():
        ways = [1] + [less * bots + same for less, same in pairwise(ways)]
    return ways[seats]


def usual_blocks(bots: Collection[str], seats: Collection[int], authors: Mapping[str, str] | None = None) -> int:
    """How many blocks a round robin has without a budget."""
    return _long_enough(_authors(_names(bots), authors), _sizes(seats, len(bots)))


def is_cyclic(bots: int, seats: Collection[int]) -> bool:
    """Whether a round robin without a budget has every table once."""
    return _cyclic(bots, sorted(set(seats)))


def _long_enough(author_of: Sequence[str], sizes: Sequence[int]) -> int:
    """How many blocks one cycle has; in a sample, as many for each bot and size as a cycle of pairs would have."""
    bots = len(author_of)
    if _cyclic(bots, sizes):
        return _tables(author_of, sizes[0])
    return len(sizes) * -(-bots * (bots - 1) // sizes[0])


def _cyclic(bots: int, sizes: Sequence[int]) -> bool:
    return len(sizes) == 1 and (sizes[0] == 2 or comb(bots, sizes[0]) <= CYCLE_LIMIT)


def _fixtures(sizes: Sequence[int], first: int, blocks: int) -> int:
    """How many fixtures `blocks` blocks from `first` on have, in all rotations, if the sizes take turns."""
    turns, rest = divmod(blocks, len(sizes))
    return turns * sum(sizes) + sum(sizes[(first + i) % len(sizes)] for i in range(rest))


_Block = tuple[Sequence[tuple[str, ...]], str]
"""Its seatings by rotation, and the name of its deal."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The first blocks of an endless sequence, as numbered fixtures."""

    row: Callable[[], Iterator[_Block]]
    blocks: int
    fixtures: int
    first_block: int = 0
    first_index: int = 0

    def __len__(self) -> int:
        return self.fixtures

    def __iter__(self) -> Iterator[Fixture]:
        index = count(self.first_index)
        for block, (seatings, deal) in enumerate(islice(self.row(), self.blocks), self.first_block):
            for rotation, bots in enumerate(seatings):
                yield Fixture(next(index), block, rotation, bots, deal)


@dataclass(frozen=True, slots=True)
class Lots:
    """Drawing lots: named dice, and names of deals, for one kind of plan. Two kinds never share a name."""

    seed: int
    kind: str

    def rolls(self, number: int, *name: str | int) -> list[int]:
        # A Seed remembers its rolls, and a long plan would fill the memory. So every name has its own Seed.
        dice, purpose = Seed(self.seed), json.dumps([self.kind, *name])
        return [dice.roll(purpose, MOST_SIDES, i) for i in range(number)]

    def shuffled(self, items: Sequence[T], *name: str | int) -> list[T]:
        rolls = self.rolls(len(items), *name)
        return [items[i] for i in sorted(range(len(items)), key=rolls.__getitem__)]

    def deal(self, *name: str | int) -> str:
        return json.dumps([self.kind, "deal", *name])


class _Ledger:
    """Counts of what the blocks so far gave each bot. A bot is a number here: its place among the sorted names."""

    def __init__(self, author_of: Sequence[str]) -> None:
        bots = len(author_of)
        self.author_of = author_of
        """The author of each bot."""
        self.blocks = 0
        self.fixtures = 0
        self.played = [0] * bots
        self.met = [[0] * bots for _ in range(bots)]
        self.followed = [[0] * bots for _ in range(bots)]
        """followed[b][a]: in how many circles b came directly after a."""

    def copied(self) -> "_Ledger":
        """One that can be continued without changing this one. With 1,000 bots, deepcopy takes a second."""
        other = copy(self)
        other.played = [*self.played]
        other.met, other.followed = ([[*row] for row in rows] for rows in (self.met, self.followed))
        return other

    def enter(self, circle: Sequence[int]) -> None:
        self.blocks += 1
        self.fixtures += len(circle)
        for place, bot in enumerate(circle):
            self.played[bot] += 1
            self.followed[bot][circle[place - 1]] += 1
        for bot, other in permutations(circle, 2):
            self.met[bot][other] += 1

    def fill(
        self, table: list[int], size: int, bots: Iterable[int], rank: Callable[[int], tuple[int, ...]], lots: Lots
    ) -> list[int]:
        """The table with bots added: the lowest rank first, then the fewest meetings with the table, then dice.

        There are bots of enough authors, so every choice leaves a table that can be filled.
        """
        dice = lots.rolls(len(self.played), "table", size, self.blocks)
        seated = {self.author_of[bot] for bot in table}
        rest = [bot for bot in bots if self.author_of[bot] not in seated]
        meetings = [sum(row[other] for other in table) for row in self.met]
        while len(table) < size:
            keys = zip(map(rank, rest), map(meetings.__getitem__, rest), map(dice.__getitem__, rest), rest)
            *_, chosen = min(keys)
            rest = [bot for bot in rest if self.author_of[bot] != self.author_of[chosen]]
            table.append(chosen)
            meetings = [before + more for before, more in zip(meetings, self.met[chosen])]
        return table

    def circle(self, table: Sequence[int], lots: Lots) -> list[int]:
        """The bots in a circle, each inserted where the new neighbours have followed each other least."""
        first, *others = lots.shuffled(sorted(table), "circle", len(table), self.blocks)
        circle = [first]
        for bot in others:
            _, gap = min((self._added(circle[i - 1], bot, circle[i]), i) for i in range(len(circle)))
            circle.insert(gap, bot)
        return circle

    def _added(self, before: int, bot: int, after: int) -> int:
        return self.followed[bot][before] + self.followed[after][bot] - self.followed[after][before]

    def block(self, names: Sequence[str], table: Sequence[int], lots: Lots) -> _Block:
        """The table as the next block, which is entered into the ledger."""
        circle = self.circle(table, lots)
        seated = [names[bot] for bot in circle]
        deal = lots.deal(*seated, self.met[circle[0]][circle[1]])
        self.enter(circle)
        return rotations(seated), deal


def rotations(circle: Sequence[str]) -> list[tuple[str, ...]]:
    return [(*circle[first:], *circle[:first]) for first in range(len(circle))]


def _round_robin(names: Sequence[str], author_of: Sequence[str], sizes: Sequence[int], lots: Lots) -> Iterator[_Block]:
    return (
        _cycles(names, author_of, sizes[0], lots)
        if _cyclic(len(names), sizes)
        else _sample(names, author_of, sizes, lots)
    )


def _cycles(names: Sequence[str], author_of: Sequence[str], size: int, lots: Lots) -> Iterator[_Block]:
    ledger, bots = _Ledger(author_of), len(names)
    every = partial(_every_pair, bots) if size == 2 else _every_table(bots, size).__iter__
    for turn in count():
        drawn = lots.shuffled(range(bots), "cycle", turn)
        for places in every():
            table = [drawn[place] for place in places]
            if len({author_of[bot] for bot in table}) == size:
                yield ledger.block(names, table, lots)


def _sample(names: Sequence[str], author_of: Sequence[str], sizes: Sequence[int], lots: Lots) -> Iterator[_Block]:
    ledgers, bots = [_Ledger(author_of) for _ in sizes], range(len(names))
    for size, ledger in cycle(zip(sizes, ledgers)):
        yield ledger.block(names, ledger.fill([], size, bots, _fewest(ledger, ledgers), lots), lots)


def _gauntlet(
    names: Sequence[str], author_of: Sequence[str], new: Collection[str], sizes: Sequence[int], lots: Lots
) -> Iterator[_Block]:
    ledgers = [_Ledger(author_of) for _ in sizes]
    challengers = [bot for bot, name in enumerate(names) if name in new]
    field = [bot for bot, name in enumerate(names) if name not in new]
    for size, ledger in cycle(zip(sizes, ledgers)):
        # After this many blocks the appearances of the field are even. A challenger that stopped earlier would have
        # met a part of the field more often.
        turn = len(field) // gcd(len(field), size - 1)
        table = [challengers[ledger.blocks // turn % len(challengers)]]
        yield ledger.block(names, ledger.fill(table, size, field, _fewest(ledger, ledgers), lots), lots)


def _fewest(ledger: _Ledger, ledgers: Iterable[_Ledger]) -> Callable[[int], tuple[int, ...]]:
    """A rank for `fill`: fewest blocks in this ledger, then fewest in all ledgers."""
    in_all = map(sum, zip(*(each.played for each in ledgers)))
    return list(zip(ledger.played, in_all)).__getitem__


def _duel(a: str, b: str, field: Sequence[str], sizes: Sequence[int], lots: Lots) -> Iterator[_Block]:
    for unit in count():
        turn, place = divmod(unit, len(sizes))
        x, y = _two_seats(sizes[place], turn, lots)
        others = _others(field, sizes[place] - 2, unit, lots)
        seated = [a if seat == x else b if seat == y else others.pop() for seat in range(sizes[place])]
        exchange = {a: b, b: a}
        exchanged = [exchange.get(name, name) for name in seated]
        yield (tuple(seated), tuple(exchanged)), lots.deal(*seated, unit)


def _two_seats(size: int, turn: int, lots: Lots) -> tuple[int, int]:
    every = list(permutations(range(size), 2))
    turns, place = divmod(turn, len(every))
    return lots.shuffled(every, "seats", size, turns)[place]


def _others(field: Sequence[str], seats: int, unit: int, lots: Lots) -> list[str]:
    drawn = lots.shuffled(field, "field", unit)
    return [drawn[seat % len(drawn)] for seat in range(seats)]


def _chained(bots: int, size: int) -> list[tuple[int, ...]]:
    """The tables of one cycle of a chain."""
    window = min(size + 1, bots)
    return [table for start in range(bots - window + 1) for table in combinations(range(start, start + window), size)]


def _chain(bots: Sequence[str], tables: Sequence[Sequence[int]], lots: Lots) -> Iterator[_Block]:
    ledger = _Ledger(bots)
    for turn in count():
        for table in lots.shuffled(tables, "cycle", turn):
            yield ledger.block(bots, table, lots)


def _placing(tables: Iterable[Collection[str]], first_block: int, lots: Lots) -> Iterator[_Block]:
    for block, table in enumerate(tables, first_block):
        circle = lots.shuffled(sorted(table), "circle", block)
        yield rotations(circle), lots.deal(*circle, block)


def _top_up(
    names: Sequence[str],
    sizes: Sequence[int],
    undecided: Sequence[tuple[int, int]],
    floor: int,
    played: _Ledger,
    lots: Lots,
) -> Iterator[_Block]:
    ledger, bots = played.copied(), range(len(names))
    rivals = [set[int]() for _ in bots]
    for a, b in undecided:
        rivals[a].add(b)
        rivals[b].add(a)
    queue = _PairQueue(undecided, ledger)
    while True:
        starved = any(ledger.played[bot] < floor for bot in bots)
        table = [] if starved or not undecided else list(queue.least_met())
        rank = _urgency(ledger, floor, rivals, table)
        size = sizes[ledger.blocks % len(sizes)]
        yield ledger.block(names, ledger.fill(table, size, bots, rank, lots), lots)


class _PairQueue:
    """Pairs by how often they have met, and of these the one named first.

    A heap of integers: meetings times pairs, plus the place of the pair. Meetings only grow, so an entry that is out of
    date can wait until it is on top. With 1,000 bots, to look at all pairs for each table takes 50 ms.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]], ledger: _Ledger) -> None:
        self._pairs, self._ledger = pairs, ledger
        self._heap = [self._entry(place) for place in range(len(pairs))]
        heapify(self._heap)

    def _entry(self, place: int) -> int:
        a, b = self._pairs[place]
        return self._ledger.met[a][b] * len(self._pairs) + place

    def least_met(self) -> tuple[int, int]:
        while True:
            place = self._heap[0] % len(self._pairs)
            if self._heap[0] == (entry := self._entry(place)):
                return self._pairs[place]
            heapreplace(self._heap, entry)


def _urgency(
    ledger: _Ledger, floor: int, rivals: Sequence[set[int]], table: Sequence[int]
) -> Callable[[int], tuple[int, ...]]:
    """A rank for `fill`: furthest below the floor, then undecided with most of the table, then fewest blocks.

    The table grows while it is filled, and the rank follows it.
    """
    played = ledger.played
    return lambda bot: (min(0, played[bot] - floor), -len(rivals[bot].intersection(table)), played[bot])


def bracket(places: Sequence[str], size: int) -> list[list[str]]:
    """The tables of a round: each of the best bots opens one, then row after row is added, the last table first."""
    number = 1
    while number * size < len(places):
        number *= size
    tables = [[bot] for bot in places[:number]]
    for place, bot in enumerate(places[number:]):
        tables[-1 - place % number].append(bot)
    return tables


def _contested(tables: Iterable[list[str]]) -> list[list[str]]:
    return [table for table in tables if len(table) > 1]


def _winner(table: Sequence[str], won: Collection[str]) -> str:
    best = [bot for bot in table if bot in won] if len(table) > 1 else table
    if len(best) != 1:
        raise SettingError(
            f"winners: expected one of {', '.join(table)}, got {', '.join(best) or 'none'}. Name the one that goes on."
        )
    return best[0]


def _knock_out(tables: Iterable[Sequence[str]], lots: Lots) -> Iterator[_Block]:
    for table in tables:
        circle = lots.shuffled(table, "circle", *table)
        yield rotations(circle), lots.deal(*circle)


def _every_pair(bots: int) -> Iterator[tuple[int, int]]:
    """Every pair of numbers below `bots` once, in rounds in which no number has two pairs; an odd one out has a bye.

    A row is the last number and then the others in a zigzag: 0, 1, -1, 2, -2 ... (modulo bots - 1) from a start that
    moves on by one. Neighbours in it are a pair, two by two. With an even number of bots this is the circle method that
    chess clubs use. With an odd one it is Walecki's decomposition of the complete graph into Hamiltonian cycles, and
    goes around each row twice: the number left over the first time begins the second.
    """
    ring, odd = bots - 1, bots % 2
    for start in range(ring // 2 if odd else ring):
        row = [ring, *((start + (step + 1) // 2 * (1 if step % 2 else -1)) % ring for step in range(ring))]
        for i in range(0, 2 * bots if odd else bots, 2):
            yield row[i % bots], row[(i + 1) % bots]


def _every_table(bots: int, size: int) -> list[tuple[int, ...]]:
    """Every table of numbers below `bots` once, appearances within one at every point, meetings balanced greedily.

    All tables exist from the start, empty and in order, and one bot after another takes its seats. Baranyai's proof
    shows that a place is left for every later bot if each keeps to its windows and quotas (_Placement).
    """
    tables: list[tuple[int, ...]] = [()] * comb(bots, size)
    for bot in range(bots):
        for place in _Placement(tables, size, bots - bot).places():
            tables[place] += (bot,)
    return _in_chapters(tables, bots, size)


class _Placement:
    """The tables at which the next bot sits, if it is one of `left` bots that will fill the free seats.

    By symmetry, each of these bots is due at a table with the share (free seats / left). Summed over the tables in
    order, the shares reach 1, 2, 3 ...; the tables over which the sum goes from i to i + 1 are window i. If the bot
    sits at one table of each window, its appearances stay within one of every other bot's at every point.

    Tables with the same bots so far are of one kind. In the end all tables must differ, so of the tables with the
    bots K exactly C(left - 1, size - |K| - 1) must take this bot: as many as there are ways to fill up K and this bot
    from the bots after it. That is the quota of the kind.

    So the bot needs a choice of tables with one per window and `quota` per kind. The shares are a fractional solution:
    they sum to 1 in each window and to the quota over each kind. Windows and kinds are the two sides of a flow network
    with integer capacities, and such a network that has a fractional flow has an integer one of the same size. This
    is Baranyai's argument. `_settle` finds the integer flow by augmenting paths, one window after another.
    """

    def __init__(self, tables: Sequence[tuple[int, ...]], size: int, left: int) -> None:
        self.tables = tables
        self.windows = _windows([size - len(table) for table in tables], left)
        self.quota = {kind: comb(left - 1, size - len(kind) - 1) for kind in tables if len(kind) < size}
        """By kind, how many of its tables the bot must still join."""
        self.held: dict[int, int] = {}
        """By window, the table chosen in it."""
        self.holder: dict[int, int] = {}
        """By table, the window in which it is chosen: a table at the border of two belongs to both."""
        self.holders: dict[tuple[int, ...], dict[int, None]] = {kind: {} for kind in self.quota}
        """By kind, the windows that have chosen a table of it; a dict, because a set has no fixed order."""

    def places(self) -> Collection[int]:
        for window in range(len(self.windows)):
            self._settle(window)
        return self.holder

    def _settle(self, window: int) -> None:
        """Choose a table for the window. If all are taken, others change theirs, along the shortest augmenting path.

        The search is breadth first over windows. before[w] = (v, table) means: if window w gives up its own table,
        window v can take `table`.
        """
        before: dict[int, tuple[int, int] | None] = {window: None}
        chain = [window]
        for here in chain:
            open_tables = [place for place in self.windows[here] if self._is_open(place)]
            if open_tables:
                # The kind with the most left of its quota, so that meetings spread over the whole cycle.
                return self._pass_on((here, max(open_tables, key=self._quota_of)), before)
            for place in self.windows[here]:
                for rival in self._rivals(place):
                    if rival not in before:
                        before[rival] = here, place
                        chain.append(rival)
        raise AssertionError("no augmenting path, although Baranyai's theorem promises one")

    def _is_open(self, place: int) -> bool:
        """Whether the bot can take this table without giving up another."""
        return place not in self.holder and self._quota_of(place) > 0

    def _quota_of(self, place: int) -> int:
        return self.quota[self.tables[place]]

    def _rivals(self, place: int) -> Iterable[int]:
        """The windows of which one must change for this table to be open: its holder, or all that use up its kind."""
        return [self.holder[place]] if place in self.holder else self.holders[self.tables[place]]

    def _pass_on(self, step: tuple[int, int] | None, before: Mapping[int, tuple[int, int] | None]) -> None:
        """Walk the path back from its open end: each window takes its new table, which frees one for the next."""
        while step:
            self._take(*step)
            step = before[step[0]]

    def _take(self, window: int, place: int) -> None:
        if window in self.held:
            old = self.held[window]
            del self.holder[old], self.holders[self.tables[old]][window]
            self.quota[self.tables[old]] += 1
        self.held[window], self.holder[place] = place, window
        self.holders[self.tables[place]][window] = None
        self.quota[self.tables[place]] -= 1


def _windows(free: Sequence[int], left: int) -> list[list[int]]:
    """The tables of each window. Sums are of free seats, so a window is `left` of them: no fractions are needed."""
    windows: list[list[int]] = []
    total = 0
    for place, seats in enumerate(free):
        start, total = total, total + seats
        for window in range(start // left, -(-total // left)) if seats else ():
            if window == len(windows):
                windows.append([])
            windows[window].append(place)
    return windows


def _in_chapters(tables: Sequence[tuple[int, ...]], bots: int, size: int) -> list[tuple[int, ...]]:
    """The tables with their chapters reordered, so that meetings are spread.

    After a chapter all appearances are equal, so any chapter may come next: the one whose pairs have met least.
    """
    length = bots // gcd(bots, size)
    chapters = [tables[first : first + length] for first in range(0, len(tables), length)]
    pairs = [[a * bots + b for table in chapter for a, b in combinations(table, 2)] for chapter in chapters]
    met, ordered, rest = [0] * bots * bots, list[tuple[int, ...]](), list(range(len(chapters)))
    while rest:
        chapter = min(rest, key=lambda chapter: sum(map(met.__getitem__, pairs[chapter])))
        rest.remove(chapter)
        ordered += chapters[chapter]
        for pair in pairs[chapter]:
            met[pair] += 1
    return ordered
