"""How fast the rules are, beside OpenSpiel's card games."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.catalogue import game as find_game
from engine.dice import Seed
from engine.game import Value
from engine.playout import Choose, playout

ROUNDS = 20
SLICE_S = 0.05
WARM_UP = 300

PEERS = ("hearts", "oh_hell", "skat")
BUDGET = 2.0


@dataclass(slots=True)
class Row:
    """One thing measured: `play` plays a game and returns how many decisions it took."""

    name: str
    play: Callable[[], int]
    rates: list[tuple[float, float]] = field(default_factory=list)

    def measure(self) -> None:
        games = decisions = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < SLICE_S:
            decisions += self.play()
            games += 1
        self.rates.append((decisions / spent, games / spent))

    @property
    def best(self) -> tuple[float, float]:
        """Decisions and games per second in the slice that was disturbed least."""
        return max(self.rates)


def measure() -> dict[str, Any]:
    """Random playouts of every player count and season, beside OpenSpiel's card games."""
    ours, (peers, reason) = list(_our_rows()), _peer_rows()
    rows = [*ours, *peers]
    for row in rows:
        for _ in range(WARM_UP):
            row.play()
    for _ in range(ROUNDS):
        for row in rows:
            row.measure()
    return {"rows": [_shown(row, peers) for row in rows], "checks": [_check(ours, peers, reason)]}


def _our_rows() -> Iterator[Row]:
    game = find_game("draftosaurus")
    choose = _chooser()
    for season in game.options()["season"].values:
        for seats in game.seats:
            yield Row(f"draftosaurus {season} {seats}p", _playouts(seats, {"season": season}, choose))


def _playouts(seats: int, options: dict[str, Value], choose: Choose) -> Callable[[], int]:
    game = find_game("draftosaurus")
    start = game.start(seats, options)
    seeds = iter(range(1 << 62))
    return lambda: playout(game, start, Seed(next(seeds)), choose)[1]


def _chooser() -> Choose:
    """The same cheap random choice for us and for OpenSpiel."""
    draw = random.Random(1).random
    return lambda legal: legal[int(draw() * len(legal))]


def _peer_rows() -> tuple[list[Row], str]:
    """OpenSpiel's games, or none and why."""
    try:
        import pyspiel
    except ImportError as error:
        return [], f"open_spiel is not installed ({error}); `make bench` installs it"
    return [Row(f"open_spiel {name}", _peer(pyspiel.load_game(name))) for name in PEERS], ""


def _peer(game: Any) -> Callable[[], int]:
    """A random playout as OpenSpiel documents it: chance by its outcomes and their probabilities."""
    choose: Callable[[Any], Any] = _chooser()
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


def _shown(row: Row, peers: list[Row]) -> dict[str, Any]:
    decisions, games = row.best
    ratio = round(decisions / _best(peers), 2) if peers else None
    return {"name": row.name, "decisions_per_s": round(decisions), "games_per_s": round(games), "ratio": ratio}


def _best(rows: list[Row]) -> float:
    return max(row.best[0] for row in rows)


def _check(ours: list[Row], peers: list[Row], reason: str) -> dict[str, Any]:
    """Our slowest row against the fastest of theirs."""
    check = {"name": "engine.vs_openspiel", "unit": "ratio", "budget": BUDGET, "better": "higher"}
    if not peers:
        return {**check, "value": None, "ok": None, "reason": reason}
    value = min(row.best[0] for row in ours) / _best(peers)
    return {**check, "value": round(value, 2), "ok": value >= BUDGET}
