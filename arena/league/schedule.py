"""Schedules: who plays whom, in which seats. Pure, lazy, and the same for ever.

Theory of operation. A block is one table of bots in one circular order, played in all rotations, so that each bot has
each seat once. A schedule is an endless row of blocks, of which a budget takes the first so many: a
longer budget extends a shorter plan. A ledger of about bots^2 numbers keeps what the blocks so far gave each bot; the
next block follows from it, from the dice of a seed, and from nothing else. The order in which bots are named does
not matter, except in a knock-out, where it is the seeding.

Which table. Appearances of any two bots differ by at most one after every block. There are three ways to that:

    pairs    every pair once a cycle, in rounds of disjoint pairs read off a zigzag (_every_pair).
    cycle    every table once a cycle, if they are CYCLE_LIMIT at most. Such an order always exists by Baranyai's
             theorem, and its proof is how to find it (_every_table).
    sample   fewest appearances first, then fewest meetings with those already at the table, then dice (_Ledger.fill).

In which circle. Hands are passed on, so it matters who follows whom, and a rotation never changes that. Each bot of a
table is put where those who then follow each other have done so least (_Ledger.circle).

One of each author. Where authors are named, bots of one author never sit at one table. A cycle has the tables that are
left of it, each once, so a bot plays less if many are of its author. In samples and gauntlets, appearances of the bots
of one author differ by at most one; those of all by at most two, if no author has more than a seat's share of the bots.

On which deal. A block names its deal after the kind of the plan, the circle, and how often the first two of the circle
had met. No place in the plan comes into it, and a circle that comes again has a new name. What is dealt under a name,
and whether all rotations share it, is none of the schedule's business (arena.league.deals).
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count, cycle, islice, pairwise, permutations
from math import comb, gcd
from typing import Protocol, TypeVar

from arena.errors import SettingError
from engine.dice import MOST_SIDES, Seed

T = TypeVar("T")

CYCLE_LIMIT = 1_000
"""Tables in a cycle, if they are of three or more. Their order takes up to 0.3 s to find, at up to six seats."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match to be played: who sits where, on which deal."""

    index: int
    """Its place in the plan, from 0."""
    block: int
    """The block it belongs to, from 0, in the order of the plan."""
    rotation: int
    """Which seating of the block it is, from 0."""
    bots: tuple[str, ...]
    """Names by seat."""
    deal: str
    """The name of the block's deal; no other block has it."""


class Schedule(Protocol):
    """Fixtures, counted before the first one is made. Every walk through them makes them anew, and the same."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Fixture]: ...


def round_robin(
    bots: Collection[str],
    seats: int | Collection[int],
    blocks: int | None,
    seed: int,
    authors: Mapping[str, str] | None = None,
) -> Schedule:
    """Everybody against everybody. Appearances differ by at most one after every block, seats never.

    Two seats: every pair once a cycle. More: every table once a cycle, or a sample where a cycle is too long. Without a
    budget it is one cycle, or as many blocks as give each bot N - 1.

    Several sizes take turns, block by block, and all are samples. Appearances then differ by at most one among the
    tables of each size, so in all by no more than there are sizes.
    """
    names, sizes = _names(bots), _sizes(seats, len(bots))
    by = _authors(names, authors)
    _check_authors(by, sizes[-1])
    blocks = _budget("blocks", _long_enough(by, sizes) if blocks is None else blocks)
    row = partial(_round_robin, names, by, sizes, _Lots(seed, "round robin"))
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
    challenger and against all of them; those of the challengers by no more than the field has bots. Without a budget
    each challenger has as many blocks of each size as the field has bots, and nothing differs.
    """
    new = _names([challengers] if isinstance(challengers, str) else challengers)
    names, sizes = _names([*new, *field]), _sizes(seats, len(field) + 1)
    by = _authors(names, authors)
    for bot in [names.index(name) for name in new]:
        _check_authors([by[bot], *(by[names.index(name)] for name in field)], sizes[-1])
    blocks = _budget("blocks", len(sizes) * len(new) * len(field) if blocks is None else blocks)
    row = partial(_gauntlet, names, by, new, sizes, _Lots(seed, "gauntlet"))
    return _Plan(row, blocks, _fixtures(sizes, 0, blocks))


def duel(a: str, b: str, field: Collection[str], seats: int | Collection[int], units: int, seed: int) -> Schedule:
    """Is A better than B? A unit is a block of two fixtures; in the second A and B exchange seats, no more.

    A and B go through all pairs of seats, one cycle after another. The other seats are drawn from the field for each
    unit anew. Only if it is too small, copies of a bot sit there: a second of some when all sit there once, and so on.
    """
    names, sizes = _names([a, b, *field]), _sizes(seats, None)
    if not field and sizes[-1] > 2:
        raise SettingError(f"field: expected bots for {sizes[-1] - 2} more seats, got none. Or let the two play alone.")
    rest = [name for name in names if name not in (a, b)]
    return _Plan(partial(_duel, a, b, rest, sizes, _Lots(seed, "duel")), _budget("units", units), 2 * units)


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

    Bots with fewer blocks than `floor` come first, and of them who has fewest. After that every table holds the pair
    that has met least, of several the one named first; then whoever is undecided with most of those at the table, then
    who has played least. In how many calls this is done does not matter, if each is told what is played.
    """
    names, sizes = _names(bots), _sizes(seats, len(bots))
    number = {name: bot for bot, name in enumerate(names)}
    by = _authors(names, authors)
    _check_authors(by, sizes[-1])
    undecided = [(a, b) for a, b in (_pair(pair, number) for pair in pairs) if by[a] != by[b]]
    ledger = _Ledger([*by, ""])  # the last number is for all who play no more
    for seating in played:
        ledger.enter([number.get(name, len(names)) for name in seating])
    row = partial(_top_up, names, sizes, undecided, floor, ledger, _Lots(seed, "top-up"))
    size = _fixtures(sizes, ledger.blocks, _budget("blocks", blocks))
    return _Plan(row, blocks, size, ledger.blocks, ledger.fixtures)


def knock_out(bots: Sequence[str], seats: int, seed: int, winners: Sequence[Collection[str]] = ()) -> Schedule:
    """The next round, a block a table, given who won in each round so far. It is empty when one bot is left.

    The best of a table goes on, alone, so that all in all N - 1 are eliminated. The first round leaves a power of
    `seats`, and later tables are full. In the first one tables may be smaller, and who sits alone goes on without a
    match: nobody has more than this one bye. The bots are named best first: the best have the byes, the smaller tables
    and the weakest opponents, and meet last.
    """
    places, (size,) = _seeded(bots), _sizes(seats, None)
    blocks = fixtures = 0
    for won in winners:
        tables = _bracket(places, size)
        blocks, fixtures = blocks + len(_contested(tables)), fixtures + sum(map(len, _contested(tables)))
        places = [_winner(table, won) for table in tables]
    tables = _contested(_bracket(places, size))
    row = partial(_knock_out, tables, _Lots(seed, "knock-out"))
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
    """By number. Who has no author is its own."""
    return [(authors or {}).get(name, name) for name in names]


def _check_authors(by: Sequence[str], seats: int) -> None:
    if len(set(by)) < seats:
        raise SettingError(f"seats: expected at most {len(set(by))}, the number of authors for a table, got {seats}.")


def _tables(by: Sequence[str], seats: int) -> int:
    """How many tables there are with one bot of each author."""
    ways = [1] + [0] * seats  # by how many sit there, of the authors so far
    for bots in Counter(by).values():
        ways = [1] + [less * bots + same for less, same in pairwise(ways)]
    return ways[seats]


def _long_enough(by: Sequence[str], sizes: Sequence[int]) -> int:
    """Blocks: one cycle, or else as many for each bot and size as a cycle of pairs would have."""
    bots = len(by)
    if _cyclic(bots, sizes):
        return _tables(by, sizes[0])
    return len(sizes) * -(-bots * (bots - 1) // sizes[0])


def _cyclic(bots: int, sizes: Sequence[int]) -> bool:
    return len(sizes) == 1 and (sizes[0] == 2 or comb(bots, sizes[0]) <= CYCLE_LIMIT)


def _fixtures(sizes: Sequence[int], first: int, blocks: int) -> int:
    """How many fixtures the blocks from `first` on have, all rotations of sizes that take turns."""
    turns, rest = divmod(blocks, len(sizes))
    return turns * sum(sizes) + sum(sizes[(first + i) % len(sizes)] for i in range(rest))


_Block = tuple[Sequence[tuple[str, ...]], str]
"""Its seatings by rotation, and the name of its deal."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The first blocks of an endless row, their fixtures numbered."""

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
class _Lots:
    """Dice with names, and names of deals, for one kind of plan: two kinds never share any."""

    seed: int
    kind: str

    def rolls(self, number: int, *name: str | int) -> list[int]:
        # A Seed remembers its rolls, which a long plan must not: so every name has its own.
        dice, purpose = Seed(self.seed), json.dumps([self.kind, *name])
        return [dice.roll(purpose, MOST_SIDES, i) for i in range(number)]

    def shuffled(self, items: Sequence[T], *name: str | int) -> list[T]:
        rolls = self.rolls(len(items), *name)
        return [items[i] for i in sorted(range(len(items)), key=rolls.__getitem__)]

    def deal(self, *name: str | int) -> str:
        return json.dumps([self.kind, "deal", *name])


class _Ledger:
    """What the blocks so far gave each bot. Bots are numbers here: their places among the sorted names."""

    def __init__(self, by: Sequence[str]) -> None:
        bots = len(by)
        self.by = by
        """The author of each."""
        self.blocks = 0
        self.fixtures = 0
        self.played = [0] * bots
        self.met = [[0] * bots for _ in range(bots)]
        self.followed = [[0] * bots for _ in range(bots)]  # by who comes after, then by who comes before

    def enter(self, circle: Sequence[int]) -> None:
        self.blocks += 1
        self.fixtures += len(circle)
        for place, bot in enumerate(circle):
            self.played[bot] += 1
            self.followed[bot][circle[place - 1]] += 1
        for bot, other in permutations(circle, 2):
            self.met[bot][other] += 1

    def fill(
        self, table: list[int], size: int, bots: Iterable[int], rank: Callable[[int], tuple[int, ...]], lots: _Lots
    ) -> list[int]:
        """The table with bots added: the lowest rank first, then who has met the table least, then dice.

        There are bots of enough authors for it, so that whoever is chosen, it can be filled.
        """
        dice = lots.rolls(len(self.played), "table", size, self.blocks)
        seated = {self.by[bot] for bot in table}
        rest = [bot for bot in bots if self.by[bot] not in seated]
        meetings = [sum(row[other] for other in table) for row in self.met]
        while len(table) < size:
            keys = zip(map(rank, rest), map(meetings.__getitem__, rest), map(dice.__getitem__, rest), rest)
            *_, chosen = min(keys)
            rest = [bot for bot in rest if self.by[bot] != self.by[chosen]]
            table.append(chosen)
            meetings = [before + more for before, more in zip(meetings, self.met[chosen])]
        return table

    def circle(self, table: Sequence[int], lots: _Lots) -> list[int]:
        """The bots in a circle, each put where those who then follow each other have done so least."""
        first, *others = lots.shuffled(sorted(table), "circle", len(table), self.blocks)
        circle = [first]
        for bot in others:
            _, gap = min((self._added(circle[i - 1], bot, circle[i]), i) for i in range(len(circle)))
            circle.insert(gap, bot)
        return circle

    def _added(self, before: int, bot: int, after: int) -> int:
        return self.followed[bot][before] + self.followed[after][bot] - self.followed[after][before]

    def block(self, names: Sequence[str], table: Sequence[int], lots: _Lots) -> _Block:
        """The table as the next block, which is entered."""
        circle = self.circle(table, lots)
        seated = [names[bot] for bot in circle]
        deal = lots.deal(*seated, self.met[circle[0]][circle[1]])
        self.enter(circle)
        return _rotations(seated), deal


def _rotations(circle: Sequence[str]) -> list[tuple[str, ...]]:
    return [(*circle[first:], *circle[:first]) for first in range(len(circle))]


def _round_robin(names: Sequence[str], by: Sequence[str], sizes: Sequence[int], lots: _Lots) -> Iterator[_Block]:
    return _cycles(names, by, sizes[0], lots) if _cyclic(len(names), sizes) else _sample(names, by, sizes, lots)


def _cycles(names: Sequence[str], by: Sequence[str], size: int, lots: _Lots) -> Iterator[_Block]:
    ledger, bots = _Ledger(by), len(names)
    every = partial(_every_pair, bots) if size == 2 else _every_table(bots, size).__iter__
    for turn in count():
        drawn = lots.shuffled(range(bots), "cycle", turn)
        for places in every():
            table = [drawn[place] for place in places]
            if len({by[bot] for bot in table}) == size:
                yield ledger.block(names, table, lots)


def _sample(names: Sequence[str], by: Sequence[str], sizes: Sequence[int], lots: _Lots) -> Iterator[_Block]:
    ledgers, bots = [_Ledger(by) for _ in sizes], range(len(names))
    for size, ledger in cycle(zip(sizes, ledgers)):
        yield ledger.block(names, ledger.fill([], size, bots, _fewest(ledger, ledgers), lots), lots)


def _gauntlet(
    names: Sequence[str], by: Sequence[str], new: Collection[str], sizes: Sequence[int], lots: _Lots
) -> Iterator[_Block]:
    ledgers = [_Ledger(by) for _ in sizes]
    challengers = [bot for bot, name in enumerate(names) if name in new]
    field = [bot for bot, name in enumerate(names) if name not in new]
    for size, ledger in cycle(zip(sizes, ledgers)):
        # So many blocks make the field even. A challenger that leaves earlier would have met a part of it more often.
        turn = len(field) // gcd(len(field), size - 1)
        table = [challengers[ledger.blocks // turn % len(challengers)]]
        yield ledger.block(names, ledger.fill(table, size, field, _fewest(ledger, ledgers), lots), lots)


def _fewest(ledger: _Ledger, ledgers: Iterable[_Ledger]) -> Callable[[int], tuple[int, ...]]:
    """A rank for `fill`: who has played least by this ledger, then by all of them."""
    in_all = map(sum, zip(*(each.played for each in ledgers)))
    return list(zip(ledger.played, in_all)).__getitem__


def _duel(a: str, b: str, field: Sequence[str], sizes: Sequence[int], lots: _Lots) -> Iterator[_Block]:
    for unit in count():
        turn, place = divmod(unit, len(sizes))
        x, y = _two_seats(sizes[place], turn, lots)
        others = _others(field, sizes[place] - 2, unit, lots)
        seated = [a if seat == x else b if seat == y else others.pop() for seat in range(sizes[place])]
        exchange = {a: b, b: a}
        exchanged = [exchange.get(name, name) for name in seated]
        yield (tuple(seated), tuple(exchanged)), lots.deal(*seated, unit)


def _two_seats(size: int, turn: int, lots: _Lots) -> tuple[int, int]:
    every = list(permutations(range(size), 2))
    turns, place = divmod(turn, len(every))
    return lots.shuffled(every, "seats", size, turns)[place]


def _others(field: Sequence[str], seats: int, unit: int, lots: _Lots) -> list[str]:
    drawn = lots.shuffled(field, "field", unit)
    return [drawn[seat % len(drawn)] for seat in range(seats)]


def _top_up(
    names: Sequence[str],
    sizes: Sequence[int],
    undecided: Sequence[tuple[int, int]],
    floor: int,
    played: _Ledger,
    lots: _Lots,
) -> Iterator[_Block]:
    ledger, bots = deepcopy(played), range(len(names))
    rivals = [set[int]() for _ in bots]
    for a, b in undecided:
        rivals[a].add(b)
        rivals[b].add(a)
    while True:
        starved = any(ledger.played[bot] < floor for bot in bots)
        table = [] if starved or not undecided else list(_least_met(undecided, ledger))
        rank = _urgency(ledger, floor, rivals, table)
        size = sizes[ledger.blocks % len(sizes)]
        yield ledger.block(names, ledger.fill(table, size, bots, rank, lots), lots)


def _least_met(pairs: Sequence[tuple[int, int]], ledger: _Ledger) -> tuple[int, int]:
    return min(pairs, key=lambda pair: ledger.met[pair[0]][pair[1]])


def _urgency(
    ledger: _Ledger, floor: int, rivals: Sequence[set[int]], table: Sequence[int]
) -> Callable[[int], tuple[int, ...]]:
    """A rank for `fill`: below the floor, then undecided with most of the table as it is by then, then played least."""
    played = ledger.played
    return lambda bot: (min(0, played[bot] - floor), -len(rivals[bot].intersection(table)), played[bot])


def _bracket(places: Sequence[str], size: int) -> list[list[str]]:
    """The tables of a round: first each of the best bots at its own, then row after row, the best to the last table."""
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


def _knock_out(tables: Iterable[Sequence[str]], lots: _Lots) -> Iterator[_Block]:
    for table in tables:
        circle = lots.shuffled(table, "circle", *table)
        yield _rotations(circle), lots.deal(*circle)


def _every_pair(bots: int) -> Iterator[tuple[int, int]]:
    """Every pair of numbers below `bots` once, in rounds in which nobody has two; an odd one out has its bye.

    A row is the last number and then the others in a zigzag: 0, 1, -1, 2, -2 ... from a start that moves on by one.
    Neighbours in it are a pair, two by two. With an even number of bots this is the circle that every chess club knows.
    With an odd one it is Walecki's, and goes round twice: who is left over the first time is the first of the second.
    """
    ring, odd = bots - 1, bots % 2
    for start in range(ring // 2 if odd else ring):
        row = [ring, *((start + (step + 1) // 2 * (1 if step % 2 else -1)) % ring for step in range(ring))]
        for i in range(0, 2 * bots if odd else bots, 2):
            yield row[i % bots], row[(i + 1) % bots]


def _every_table(bots: int, size: int) -> list[tuple[int, ...]]:
    """Every table of numbers below `bots` once, appearances within one at every point, meetings balanced greedily.

    All tables are there from the start, empty, and one bot after another is put to those that it belongs to. Baranyai
    shows that no bot ever is in the way of a later one, if each keeps to its windows and quotas (_Placement).
    """
    tables: list[tuple[int, ...]] = [()] * comb(bots, size)
    for bot in range(bots):
        for place in _Placement(tables, size, bots - bot).places():
            tables[place] += (bot,)
    return _in_chapters(tables, bots, size)


class _Placement:
    """Where the next bot sits, when `left` bots are left of whom each table takes as many as it has free seats.

    A share of free seats / left of each table is the bot's due. The i-th window is where the sum of these shares goes
    from i to i + 1; one appearance in each keeps the bot within one of all others. Tables are of one kind if the same
    bots sit there; of each kind the bot has to join a fixed number, its quota, for all tables to differ in the end. The
    shares themselves meet all of these sums, so whole numbers do too: it is a flow in a network.
    """

    def __init__(self, tables: Sequence[tuple[int, ...]], size: int, left: int) -> None:
        self.tables = tables
        self.windows = _windows([size - len(table) for table in tables], left)
        self.quota = {kind: comb(left - 1, size - len(kind) - 1) for kind in tables if len(kind) < size}
        self.held: dict[int, int] = {}  # by window: the table chosen in it
        self.holder: dict[int, int] = {}  # by table: the window it is chosen in
        self.holders: dict[tuple[int, ...], dict[int, None]] = {kind: {} for kind in self.quota}  # an ordered set

    def places(self) -> Collection[int]:
        for window in range(len(self.windows)):
            self._settle(window)
        return self.holder

    def _settle(self, window: int) -> None:
        """The window gets a table, for which others change theirs if need be: the shortest chain to an open table."""
        before: dict[int, tuple[int, int] | None] = {window: None}
        chain = [window]
        for here in chain:
            open_tables = [place for place in self.windows[here] if self._is_open(place)]
            if open_tables:
                # The kind that is furthest behind, so that meetings spread over the whole cycle.
                return self._pass_on((here, max(open_tables, key=self._quota_of)), before)
            for place in self.windows[here]:
                for rival in self._rivals(place):
                    if rival not in before:
                        before[rival] = here, place
                        chain.append(rival)
        raise AssertionError("Baranyai's theorem")

    def _is_open(self, place: int) -> bool:
        return place not in self.holder and self._quota_of(place) > 0

    def _quota_of(self, place: int) -> int:
        return self.quota[self.tables[place]]

    def _rivals(self, place: int) -> Iterable[int]:
        return [self.holder[place]] if place in self.holder else self.holders[self.tables[place]]

    def _pass_on(self, step: tuple[int, int] | None, before: Mapping[int, tuple[int, int] | None]) -> None:
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
    """The tables in chapters, after each of which appearances are equal, so that any may be next: the least met one."""
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
