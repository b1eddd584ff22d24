"""Plans of leagues whose roster may change, and of leagues with very many bots. Pure and lazy, as in schedule.py.

Theory of operation. A plan names bots, not versions: a new version takes the place of the old one at every table, so an
update costs the matches of one bot. A plan also does not know what has been played. So a resumed league, another
machine, or a copy with other results plans the same, and what is missing is the plan without what is done.

The roster changes by names that join or retire. The plan then has

    the plan of the founders, the bots with which the league began, without the tables of bots that have retired; and
    for each newcomer as many blocks as a founder has, with guests from the roster that it joined, each equally often.

So a newcomer costs its own blocks and no others, and a retirement costs nothing. The guests are fixed when it joins;
tables with a guest that retires later are left out.

With more than LARGE bots, a sample that counts all meetings takes too long: it grows with the square of the number of
bots. There every bot plays once a round, and rounds are shuffled. Appearances are as even, meetings only on average.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle, islice

from arena.errors import SettingError
from arena.league.schedule import Fixture, Lots, Schedule, rotations

LARGE = 100
"""With more bots, samples are shuffled rounds. Up to here a block takes 0.2 ms, and at 1,000 bots ten times that."""

Seating = tuple[str, ...]
"""The bots of a block, by name."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A bot that joined a league after its beginning, and the other bots of the roster at that time."""

    name: str
    roster: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A Schedule of tables that `tables` makes, each time the same ones."""

    tables: Callable[[], Iterator[Seating]]

    def __len__(self) -> int:
        return sum(map(len, self.tables()))

    def __iter__(self) -> Iterator[Fixture]:
        index = count()
        for block, table in enumerate(self.tables()):
            for rotation, bots in enumerate(rotations(table)):
                yield Fixture(next(index), block, rotation, bots, f"{block}")


def rounds(
    bots: Collection[str], sizes: Sequence[int], blocks: int, seed: int, authors: Mapping[str, str] | None
) -> Schedule:
    """Blocks of shuffled rounds, the sizes of tables in turn."""

    def tables() -> Iterator[Seating]:
        lots, names = Lots(seed, "rounds"), sorted(bots)
        streams = [_hands(names, size, authors or {}, lots, ("round", size)) for size in sizes]
        return islice((next(stream) for stream in cycle(streams)), blocks)

    return TablePlan(tables)


def season(
    founding: Schedule,
    newcomers: Sequence[Newcomer],
    bots: Collection[str],
    shares: Mapping[int, int],
    seed: int,
    authors: Mapping[str, str] | None,
    challengers: Sequence[str] = (),
) -> Schedule:
    """The founders' plan and the newcomers' blocks, for the bots that are in the roster now.

    `shares` are the blocks of a newcomer by size of table. In a gauntlet each table has one of the challengers.
    """
    return TablePlan(partial(_season, founding, newcomers, frozenset(bots), shares, seed, authors or {}, challengers))


def _season(
    founding: Schedule,
    newcomers: Sequence[Newcomer],
    bots: frozenset[str],
    shares: Mapping[int, int],
    seed: int,
    authors: Mapping[str, str],
    challengers: Sequence[str],
) -> Iterator[Seating]:
    lots = Lots(seed, "season")
    for fixture in founding:
        if fixture.rotation == 0 and bots.issuperset(fixture.bots):
            yield fixture.bots
    for newcomer in newcomers:
        if newcomer.name not in bots:
            continue
        for size, share in shares.items():
            for table in islice(_hosted(newcomer, size, authors, challengers, lots), share):
                if bots.issuperset(table):
                    yield table


def _hosted(
    newcomer: Newcomer, size: int, authors: Mapping[str, str], challengers: Sequence[str], lots: Lots
) -> Iterator[Seating]:
    """The newcomer's tables: itself, in a gauntlet one challenger after another, and guests."""
    name, field = newcomer.name, [bot for bot in newcomer.roster if bot not in challengers]
    rivals = lots.shuffled(sorted(set(challengers) & set(newcomer.roster)), "challengers", name)
    hosts = [(name, rival) for rival in rivals] if challengers else [(name,)]
    streams = [_hands(field, size - len(host), authors, lots, ("guests", *host, size), host) for host in hosts]
    return ((*host, *next(stream)) for host, stream in cycle(zip(hosts, streams)))


def _hands(
    names: Sequence[str],
    size: int,
    authors: Mapping[str, str],
    lots: Lots,
    label: tuple[str | int, ...],
    seated: Sequence[str] = (),
) -> Iterator[Seating]:
    """All names in one shuffled order after another, `size` at a time: different bots of different authors.

    A bot that does not fit at a table is the first choice for the next one. An author of `seated` has a seat already.
    """
    taken = {authors.get(name, name) for name in seated}
    free = {authors.get(name, name) for name in names} - taken
    if len(free) < size:
        raise SettingError(f"seats: a table needs {size} more bots of different authors, and there are {len(free)}.")
    waiting, passes = list[str](), count()
    while True:
        table, here, at = list[str](), set(taken), 0
        while len(table) < size:
            if at == len(waiting):
                waiting += lots.shuffled(sorted(names), *label, next(passes))
            author = authors.get(waiting[at], waiting[at])
            if author in here:
                at += 1
                continue
            here.add(author)
            table.append(waiting.pop(at))
        yield tuple(table)
