"""How fast the rules are, compared with OpenSpiel's card games, and where they are compiled also with pure Python."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from arena.bench.playouts import CONTESTS, Contest, PlayoutRow, chooser, our_rows, warm_up
from arena.bench.pure import PureRow, pure_rules, why_not
from arena.version import is_compiled

ROUNDS = 20

BUDGET, COMPILED_BUDGET = 1.6, 2.8
"""Draftosaurus against the fastest peer."""
GIN_RUMMY_BUDGET = 2.0
"""Dinodocus against a game of its length."""
FASTER = 2.0
"""Compiled Dinodocus against pure Python."""


def measure() -> dict[str, Any]:
    """Random playouts of every game, player count and variant, compared with OpenSpiel's card games."""
    contests = [PlayoutContest(contest, list(our_rows(contest)), *_peer_rows(contest)) for contest in CONTESTS]
    with ExitStack() as stack:
        if is_compiled():
            process = stack.enter_context(pure_rules())
            for run in contests:
                run.pure = [PureRow(row.name, process) for row in run.ours]
        for run in contests:
            for row in (*run.ours, *run.peers):
                warm_up(row)
        for _ in range(ROUNDS):
            for run in contests:
                run.measure()
    return {"rows": [row for run in contests for row in run.rows()], "checks": _checks(*contests)}


def _peer_rows(contest: Contest) -> tuple[list[PlayoutRow], str]:
    """OpenSpiel's games, or none and why."""
    try:
        import pyspiel
    except ImportError as error:
        return [], f"open_spiel is not installed ({error}); `make bench` installs it"
    return [PlayoutRow(f"open_spiel {name}", _peer(pyspiel.load_game(name))) for name in contest.peers], ""


def _peer(game: Any) -> Callable[[], int]:
    """A random playout as OpenSpiel documents it: chance by its outcomes and their probabilities."""
    choose: Callable[[Any], Any] = chooser()
    sample = random.Random(1).choices

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes())
                state.apply_action(sample(outcomes, probabilities)[0])
            else:
                state.apply_action(choose(state.legal_actions()))
                decisions += 1
        return decisions

    return play


@dataclass(slots=True)
class PlayoutContest:
    """A contest as it was measured: our rows, the peers or why there are none, and our rows in pure Python."""

    contest: Contest
    ours: list[PlayoutRow]
    peers: list[PlayoutRow]
    reason: str
    pure: list[PureRow] = field(default_factory=list)

    def measure(self) -> None:
        """A slice of each row."""
        rows: Sequence[PlayoutRow | PureRow] = (*self.ours, *self.pure, *self.peers)
        for row in rows:
            row.measure()

    @property
    def vs_peers(self) -> float | None:
        """Our slowest row against the fastest of theirs."""
        return min(map(_best, self.ours)) / max(map(_best, self.peers)) if self.peers else None

    @property
    def vs_pure(self) -> list[float]:
        """Each of our rows against itself in pure Python."""
        return [_best(row) / _best(twin) for row, twin in zip(self.ours, self.pure)]

    def rows(self) -> Iterator[dict[str, Any]]:
        for row, gain in zip((*self.ours, *self.peers), (*self.vs_pure, *[None] * len(self.peers))):
            yield _shown(row, self.peers) | ({} if gain is None else {"ratio_to_pure": round(gain, 2)})


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
        _check("engine.vs_openspiel", short.vs_peers, BUDGET, why_not(False) or short.reason),
        _check("engine.vs_gin_rummy", long.vs_peers, GIN_RUMMY_BUDGET, long.reason),
        _check("engine.compiled_vs_openspiel", short.vs_peers, COMPILED_BUDGET, why_not(True) or short.reason),
        _check("engine.compiled_vs_pure", gain, FASTER, why_not(True)),
    ]


def _check(name: str, value: float | None, budget: float, reason: str) -> dict[str, Any]:
    check = {"name": name, "unit": "ratio", "budget": budget, "better": "higher"}
    if reason or value is None:
        return {**check, "value": None, "ok": None, "reason": reason}
    return {**check, "value": round(value, 2), "ok": value >= budget}
