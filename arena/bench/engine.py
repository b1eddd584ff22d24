"""How fast the rules are, compared with OpenSpiel's card games."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.catalogue import game as find_game
from engine.contract import Game, Value
from engine.dice import Seed
from engine.playouts import Choose, playout

ROUNDS = 20
SLICE_S = 0.05
WARM_UP = 300

BUDGET = 2.0


@dataclass(frozen=True, slots=True)
class Contest:
    """A game of ours in several variants, and the games of OpenSpiel that it is compared with."""

    check: str
    game: str
    variants: Mapping[str, Mapping[str, Value]]
    peers: tuple[str, ...]


CONTESTS = (
    Contest(
        "engine.vs_openspiel",
        "draftosaurus",
        {season: {"season": season} for season in ("summer", "winter", "summer_winter")},
        ("hearts", "oh_hell", "skat"),
    ),
    Contest("engine.vs_gin_rummy", "dinodocus", {"basic": {}, "advanced": {"advanced": True}}, ("gin_rummy",)),
)


@dataclass(slots=True)
class PlayoutRow:
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
    """Random playouts of every game, player count and variant, compared with OpenSpiel's card games."""
    contests = [(contest, list(_our_rows(contest)), *_peer_rows(contest)) for contest in CONTESTS]
    rows = [row for _, ours, peers, _ in contests for row in (*ours, *peers)]
    for row in rows:
        for _ in range(WARM_UP):
            row.play()
    for _ in range(ROUNDS):
        for row in rows:
            row.measure()
    return {
        "rows": [_shown(row, peers) for _, ours, peers, _ in contests for row in (*ours, *peers)],
        "checks": [_check(contest, ours, peers, reason) for contest, ours, peers, reason in contests],
    }


def _our_rows(contest: Contest) -> Iterator[PlayoutRow]:
    game = find_game(contest.game)
    choose = _chooser()
    for variant, options in contest.variants.items():
        for seats in game.seats:
            yield PlayoutRow(f"{contest.game} {variant} {seats}p", _playouts(game, seats, options, choose))


def _playouts(game: Game[Any], seats: int, options: Mapping[str, Value], choose: Choose) -> Callable[[], int]:
    start = game.start(seats, options)
    seeds = iter(range(1 << 62))
    return lambda: playout(game, start, Seed(next(seeds)), choose)[1]


def _chooser() -> Choose:
    """The same cheap random choice for us and for OpenSpiel."""
    draw = random.Random(1).random
    return lambda legal: legal[int(draw() * len(legal))]


def _peer_rows(contest: Contest) -> tuple[list[PlayoutRow], str]:
    """OpenSpiel's games, or none and why."""
    try:
        import pyspiel
    except ImportError as error:
        return [], f"open_spiel is not installed ({error}); `make bench` installs it"
    return [PlayoutRow(f"open_spiel {name}", _peer(pyspiel.load_game(name))) for name in contest.peers], ""


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


def _shown(row: PlayoutRow, peers: list[PlayoutRow]) -> dict[str, Any]:
    decisions, games = row.best
    ratio = round(decisions / _best(peers), 2) if peers else None
    return {"name": row.name, "decisions_per_s": round(decisions), "games_per_s": round(games), "ratio": ratio}


def _best(rows: list[PlayoutRow]) -> float:
    return max(row.best[0] for row in rows)


def _check(contest: Contest, ours: list[PlayoutRow], peers: list[PlayoutRow], reason: str) -> dict[str, Any]:
    """Our slowest row against the fastest of theirs."""
    check = {"name": contest.check, "unit": "ratio", "budget": BUDGET, "better": "higher"}
    if not peers:
        return {**check, "value": None, "ok": None, "reason": reason}
    value = min(row.best[0] for row in ours) / _best(peers)
    return {**check, "value": round(value, 2), "ok": value >= BUDGET}
