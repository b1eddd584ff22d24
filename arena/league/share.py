"""Shares of a league: several machines play what is missing without talking to each other, and merge their results.

A share is the blocks whose number leaves one remainder. In leagues by meetings the number is a digest, so shares are
about equal, and a block belongs to the same share whatever else is planned. Any share may be played twice or never.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from arena.errors import SettingError
from arena.league.kinds import Part
from arena.league.schedule import Fixture
from arena.league.store import open_store
from arena.league.tournament import Tournament

NOTHING: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Share:
    """One of `of` shares of the league in the folder `base`. The first has the number 1."""

    number: int
    of: int
    base: Path

    def has(self, block: int) -> bool:
        return block % self.of == self.number - 1

    def counts(self, plan: Iterable[Fixture], done: Mapping[int, int]) -> tuple[int, int]:
        """How many matches of a plan it has, and how many of them are done."""
        mine = [done.get(one.block, 0) >> one.rotation & 1 for one in plan if self.has(one.block)]
        return len(mine), sum(mine)


def done_there(share: Share, done: Mapping[int, int]) -> dict[int, int]:
    """By block, the rotations that are done here or in the league itself."""
    found = dict(done)
    with open_store(share.base) as league:
        for block, rotations in league.rotations().items():
            found[block] = found.get(block, 0) | rotations
    return found


def whole_plan(tournament: Tournament, done: Mapping[int, int] = NOTHING) -> Part:
    """All fixtures of a league, mostly without those that are done. SettingError if its plan depends on results."""
    entrants = tournament.entrants
    if len(entrants.seats) == 1:  # else it is not known how many rotations a block has
        (seats,) = entrants.seats
        entrants = replace(entrants, done={block for block, known in done.items() if known == (1 << seats) - 1})
    plan = tournament.kind.whole(entrants)
    if plan is None:
        raise SettingError(
            f"{tournament.path}: what this league plays next depends on its results, so it has no shares. Use one "
            "machine, or a round robin without `until`."
        )
    return plan
