"""Random playouts of our games, in rows that take turns."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.catalogue import game as find_game
from engine.contract import Game, Value
from engine.dice import Seed
from engine.playouts import Choose, playout

SLICE_S = 0.05
WARM_UP, MOST_WARM_UP_S = 300, 1.0


@dataclass(frozen=True, slots=True)
class Contest:
    """A game of ours in several variants, and the games of OpenSpiel and PettingZoo that it is compared with."""

    game: str
    variants: Mapping[str, Mapping[str, Value]]
    peers: tuple[str, ...]
    environments: tuple[str, ...] = ()


CONTESTS = (
    Contest(
        "draftosaurus",
        {season: {"season": season} for season in ("summer", "winter", "summer_winter")},
        ("hearts", "oh_hell", "skat"),
        ("connect_four_v3", "texas_holdem_v4"),
    ),
    Contest("dinodocus", {"basic": {}, "advanced": {"advanced": True}}, ("gin_rummy",)),
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


def warm_up(row: PlayoutRow) -> None:
    """Some games, or as many as fit into a second: those of some peers are long."""
    end = time.perf_counter() + MOST_WARM_UP_S
    for _ in range(WARM_UP):
        row.play()
        if time.perf_counter() > end:
            return


def our_rows(contest: Contest) -> Iterator[PlayoutRow]:
    game = find_game(contest.game)
    choose = chooser()
    for variant, options in contest.variants.items():
        for seats in game.seats:
            yield PlayoutRow(f"{contest.game} {variant} {seats}p", _playouts(game, seats, options, choose))


def _playouts(game: Game[Any], seats: int, options: Mapping[str, Value], choose: Choose) -> Callable[[], int]:
    start = game.start(seats, options)
    seeds = iter(range(1 << 62))
    return lambda: playout(game, start, Seed(next(seeds)), choose)[1]


def chooser() -> Choose:
    """The same cheap random choice for us and for OpenSpiel."""
    draw = random.Random(1).random
    return lambda legal: legal[int(draw() * len(legal))]
