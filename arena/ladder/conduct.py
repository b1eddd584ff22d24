"""What a placement cost, and how a bot behaved in it, apart from how strong it is."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from arena.league.store import Store
from arena.match.faults import FaultKind, disqualifies

ANSWERS = (FaultKind.ILLEGAL, FaultKind.LATE, FaultKind.MALFORMED)
"""Faults of single answers: an action is played for the bot, and the match goes on."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """All matches of a placement."""

    matches: int
    decisions: int
    """That the bot was asked for."""
    faults: Mapping[str, int]
    """Of the bot, by kind."""
    lost: int
    """Matches in which it was disqualified."""
    cpu_us: int
    """CPU time of the bot."""
    all_cpu_us: int
    """CPU time of all bots."""
    others: Mapping[str, int]
    """Faults of the rungs, by bot."""

    def share(self, kind: str) -> float:
        """Of the bot's decisions."""
        return self.faults.get(kind, 0) / self.decisions if self.decisions else 0.0


def conduct_of(store: Store, bot: str) -> Conduct:
    matches = decisions = lost = cpu = every = 0
    faults, others = Counter[str](), Counter[str]()
    for row in store.rows():
        matches += 1
        seat = row.bots.index(bot)
        if row.times:
            decisions += row.times[seat]["decisions"]
            cpu += row.times[seat]["cpu_us"]
            every += sum(times["cpu_us"] for times in row.times)
        mine = [fault["kind"] for fault in row.faults if fault["seat"] == seat]
        faults.update(mine)
        lost += any(map(disqualifies, mine))
        others.update(row.bots[one["seat"]] for one in row.faults if one["seat"] not in (None, seat))
    return Conduct(matches, decisions, dict(sorted(faults.items())), lost, cpu, every, dict(sorted(others.items())))
