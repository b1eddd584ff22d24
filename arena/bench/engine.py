"""How fast the rules are, compared with OpenSpiel's card games, and where they are compiled also with pure Python.

Rows of other libraries are there to compare with. A ratio is to OpenSpiel's fastest game as its documentation plays it.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from arena.bench.peers import Peers, peers_of
from arena.bench.playouts import CONTESTS, Contest, PlayoutRow, our_rows, warm_up
from arena.bench.pure import PureRow, pure_rules, why_not
from arena.version import is_compiled

ROUNDS = 20

BUDGET, COMPILED_BUDGET = 1.6, 2.8
"""Draftosaurus against the fastest peer."""
GIN_RUMMY_BUDGET = 2.0
"""Dinodocus against a game of its length."""
FASTER = 2.0
"""Compiled Dinodocus against pure Python."""


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Random playouts of every game, player count and variant, compared with OpenSpiel's card games."""
    contests = [PlayoutContest(contest, list(our_rows(contest)), peers_of(contest)) for contest in CONTESTS]
    with ExitStack() as stack:
        if is_compiled():
            process = stack.enter_context(pure_rules())
            for run in contests:
                run.pure = [PureRow(row.name, process) for row in run.ours]
        for run in contests:
            for row in (*run.ours, *run.peers.documented, *run.peers.others):
                warm_up(row)
        for _ in range(rounds):
            for run in contests:
                run.measure()
    return {"rows": [row for run in contests for row in run.rows()], "checks": _checks(*contests)}


@dataclass(slots=True)
class PlayoutContest:
    """A contest as it was measured: our rows, those of peers, and our rows in pure Python."""

    contest: Contest
    ours: list[PlayoutRow]
    peers: Peers
    pure: list[PureRow] = field(default_factory=list)

    def measure(self) -> None:
        """A slice of each row."""
        rows: Sequence[PlayoutRow | PureRow] = (*self.ours, *self.pure, *self.peers.documented, *self.peers.others)
        for row in rows:
            row.measure()

    @property
    def vs_peers(self) -> float | None:
        """Our slowest row against the fastest of theirs."""
        documented = self.peers.documented
        return min(map(_best, self.ours)) / max(map(_best, documented)) if documented else None

    @property
    def vs_pure(self) -> list[float]:
        """Each of our rows against itself in pure Python."""
        return [_best(row) / _best(twin) for row, twin in zip(self.ours, self.pure)]

    def rows(self) -> Iterator[dict[str, Any]]:
        documented = self.peers.documented
        gains = iter(self.vs_pure)
        for row in (*self.ours, *documented, *self.peers.others):
            gain = next(gains, None)
            yield _shown(row, documented) | ({} if gain is None else {"ratio_to_pure": round(gain, 2)})
        for name, reason in self.peers.missing.items():
            yield {"name": name, "skipped": reason}


def _shown(row: PlayoutRow, peers: Sequence[PlayoutRow]) -> dict[str, Any]:
    decisions, games = row.best
    ratio = round(decisions / max(map(_best, peers)), 2) if peers else None
    return {"name": row.name, "decisions_per_s": round(decisions), "games_per_s": round(games), "ratio": ratio}


def _best(row: PlayoutRow | PureRow) -> float:
    """Decisions per second."""
    return max(row.rates)[0]


def _checks(short: PlayoutContest, long: PlayoutContest) -> list[dict[str, Any]]:
    """Of pure Python, and of the compiled arena."""
    gain = min(long.vs_pure, default=None)
    return [
        _check("engine.vs_openspiel", short.vs_peers, BUDGET, why_not(False) or short.peers.reason),
        _check("engine.vs_gin_rummy", long.vs_peers, GIN_RUMMY_BUDGET, long.peers.reason),
        _check("engine.compiled_vs_openspiel", short.vs_peers, COMPILED_BUDGET, why_not(True) or short.peers.reason),
        _check("engine.compiled_vs_pure", gain, FASTER, why_not(True)),
    ]


def _check(name: str, value: float | None, budget: float, reason: str) -> dict[str, Any]:
    check = {"name": name, "unit": "ratio", "budget": budget, "better": "higher"}
    if reason or value is None:
        return {**check, "value": None, "ok": None, "reason": reason}
    return {**check, "value": round(value, 2), "ok": value >= budget}
