"""Groups and a final: a round robin in each group, and then the best of all groups meet.

The bots go to the groups in the order of the file, back and forth: with four groups 1 2 3 4, 4 3 2 1, 1 2 3 4 and so
on, so the first four are in different groups. The final is a knock-out or a round robin. In a knock-out the winners of
the groups have the best places, then come the seconds, and so on; each of these ranks begins with the group for which
the first round repeats the fewest meetings. Pure: all of it follows from the names and the results.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from arena.errors import StoreError
from arena.league import knock_out, schedule
from arena.league.store import Row, Store
from arena.league.ties import Course, GroupTable, GroupTally

GROUPS, FINAL = "groups", "groups final"
"""What the deals of the two stages are called, so that they share none with each other or with another kind."""


def split(bots: Sequence[str], groups: int) -> list[tuple[str, ...]]:
    """The bots of each group."""
    there_and_back = [*range(groups), *reversed(range(groups))]
    places = [there_and_back[at % len(there_and_back)] for at in range(len(bots))]
    return [tuple(bot for bot, place in zip(bots, places) if place == group) for group in range(groups)]


def seeded(ranked: Sequence[Sequence[str]], advance: int, size: int) -> tuple[str, ...]:
    """The best of each group by their places in a knock-out."""
    group_of = {bot: number for number, bots in enumerate(ranked) for bot in bots}
    places = list[str]()
    for rank in range(advance):
        level = [bots[rank] for bots in ranked]
        turned = [level[turn:] + level[:turn] for turn in range(len(level))]
        rest = len(ranked) * advance - len(places) - len(level)
        places += min(turned, key=lambda order: _repeats([*places, *order], rest, size, group_of))
    return tuple(places)


def _repeats(places: Sequence[str], rest: int, size: int, group_of: dict[str, int]) -> int:
    """How many pairs of one group the first round has, if `rest` bots whose group is still open follow."""
    tables = schedule.bracket([*places, *[""] * rest], size)
    groups = ([group_of[bot] for bot in table if bot] for table in tables)
    return sum(one == other for table in groups for one, other in combinations(table, 2))


@dataclass(frozen=True, slots=True)
class LeagueStage:
    """A schedule as one stage of a league: numbered after the stage before it, with names of deals of its own."""

    plan: schedule.Schedule
    name: str
    first_index: int
    first_block: int

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[schedule.Fixture]:
        for one in self.plan:
            deal = json.dumps([self.name, *json.loads(one.deal)[1:]])
            yield schedule.Fixture(
                self.first_index + one.index, self.first_block + one.block, one.rotation, one.bots, deal
            )


@dataclass(frozen=True, slots=True)
class Draw:
    """The settings of a league with groups and a final."""

    bots: tuple[str, ...]
    """In the order of the file."""
    size: int
    """Seats at a table."""
    groups: int
    advance: int
    cycles: int
    final: str
    dice: int

    @property
    def tables(self) -> list[tuple[str, ...]]:
        return split(self.bots, self.groups)

    def _round_robin(self, bots: Sequence[str]) -> schedule.Schedule:
        one = schedule.round_robin(bots, self.size, None, self.dice)
        return schedule.round_robin(bots, self.size, self.cycles * (len(one) // self.size), self.dice)

    def first_stage(self) -> list[LeagueStage]:
        """One stage for each group, one after another."""
        stages, index = list[LeagueStage](), 0
        for bots in self.tables:
            stages.append(LeagueStage(self._round_robin(bots), GROUPS, index, index // self.size))
            index += len(stages[-1])
        return stages

    def _as_final(self, plan: schedule.Schedule) -> LeagueStage:
        return LeagueStage(plan, FINAL, self.first_of_final * self.size, self.first_of_final)

    def total(self) -> int:
        going_on = self.bots[: self.groups * self.advance]
        final = len(self._round_robin(going_on)) if self.is_round_robin else knock_out.length(going_on, self.size)
        return sum(map(len, self.first_stage())) + final

    @property
    def is_round_robin(self) -> bool:
        return self.final == "round_robin"

    @property
    def first_of_final(self) -> int:
        """The number of its first block."""
        return sum(map(len, self.first_stage())) // self.size

    def parts(self, store: Store) -> Iterator[Iterable[schedule.Fixture]]:
        yield chain.from_iterable(self.first_stage())
        finalists = self.finalists(self.group_tables(store))
        if self.is_round_robin:
            yield self._as_final(self._round_robin(finalists))
        else:
            yield from self.bracket(finalists).parts(
                lambda won: self._as_final(schedule.knock_out(finalists, self.size, self.dice, won)),
                lambda: store.rows(first=self.first_of_final),
            )

    # How it went

    def group_tables(self, store: Store) -> tuple[GroupTable, ...]:
        """The tables of the groups. StoreError if a result of the first stage is of none of them."""
        stages, tallies = self.first_stage(), [GroupTally(bots) for bots in self.tables]
        firsts = [stage.first_block for stage in stages]
        for row in store.rows(end=self.first_of_final):
            tally = tallies[bisect_right(firsts, row.block) - 1]
            _check_table(store, row, len(row.bots) == self.size and tally.has(row.bots))
            tally.add(row)
        return tuple(
            tally.table(letter(at), len(stage), self.advance) for at, (tally, stage) in enumerate(zip(tallies, stages))
        )

    def finalists(self, groups: Sequence[GroupTable]) -> tuple[str, ...]:
        return seeded([one.bots for one in groups], self.advance, self.size)

    def bracket(self, finalists: tuple[str, ...]) -> knock_out.Bracket:
        return knock_out.Bracket(finalists, self.size, self.bots)

    def course(self, store: Store) -> Course:
        """How it went. StoreError if a result is of no table of it."""
        groups, rows = self.group_tables(store), store.rows(first=self.first_of_final)
        if not all(one.is_over for one in groups):
            for row in rows:
                _check_table(store, row, is_there=False)
            return Course(groups)
        finalists = self.finalists(groups)
        if self.is_round_robin:
            final = self._round_robin_final(finalists, store, rows)
            return Course(groups, final=final, champion=final.bots[0] if final.is_over else None)
        rounds = knock_out.rounds(self.bracket(finalists), store, rows)
        return Course(groups, rounds, champion=knock_out.champion(rounds))

    def _round_robin_final(self, finalists: Sequence[str], store: Store, rows: Iterable[Row]) -> GroupTable:
        tally = GroupTally([bot for bot in self.bots if bot in finalists])
        for row in rows:
            _check_table(store, row, len(row.bots) == self.size and tally.has(row.bots))
            tally.add(row)
        return tally.table("Final", len(self._round_robin(finalists)), 0)


def _check_table(store: Store, row: Row, is_there: bool) -> None:
    """StoreError if there is no such table: the file has other bots, or another order, than when it was played."""
    if not is_there:
        raise StoreError(f"{store.path}: it is damaged: match {row.match}: the bracket has no such table.")


def letter(number: int) -> str:
    """A, B ... Z, then 27, 28."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)
