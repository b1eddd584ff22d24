"""How fast the built-in bots decide, and what their playouts cost, by the CPU time of this process alone.

Bots play whole games of two in this process, each against itself, so no pipe, clock or sandbox counts. A search is
given a number of playouts, so that its decisions can be compared.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import Any

from arena.roster.folders import KITS
from engine.catalogue import game as find_game
from engine.contract import CHANCE, Game
from engine.dice import Seed

ROUNDS = 5
SLICE_S = 0.3
PLAYOUTS = 64
"""For each decision of search."""
PLAYOUT_MS = 1.5
"""A whole game of Draftosaurus by the cheap policy of planner and search."""
FOLDER = str(KITS / "python")
GAMES = {"draftosaurus": ("summer", "winter"), "dinodocus": ("basic", "advanced")}
OPTIONS: dict[str, dict[str, Any]] = {"winter": {"season": "winter"}, "advanced": {"advanced": True}}
Player = Callable[[dict[str, Any]], Any]


@dataclass(slots=True)
class BotRow:
    """A bot in one variant of a game: what plays for a slice, and how much it did for each second of CPU time."""

    bot: str
    variant: str
    play: Callable[[], int]
    """Play something on, and return how many decisions or playouts that were."""
    unit: str = "decisions"
    rates: list[float] = field(default_factory=list)

    def measure(self) -> None:
        start = time.process_time()
        done = self.play()
        while (spent := time.process_time() - start) < SLICE_S:
            done += self.play()
        self.rates.append(done / spent)

    @property
    def best(self) -> float:
        """In the slice that was disturbed least."""
        return max(self.rates)

    def shown(self) -> dict[str, Any]:
        found = {"name": f"{self.bot} {self.variant}", f"{self.unit}_per_s": round(self.best, 1)}
        return found | {"cpu_ms": round(1e3 / self.best, 3)}


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Decisions per second of every built-in bot, and playouts per second of those that search."""
    with beside_bots():
        rows = list(_rows())
        for row in rows:
            row.play()  # fills tables
        for _ in range(rounds):
            for row in rows:
                row.measure()
    return {"rows": [row.shown() for row in rows], "checks": list(_checks(rows))}


@contextmanager
def beside_bots() -> Iterator[None]:
    """Import as a program in the folder of the built-in bots does."""
    sys.path.insert(0, FOLDER)
    try:
        yield
    finally:
        sys.path.remove(FOLDER)


def _rows() -> Iterator[BotRow]:
    for name, variants in GAMES.items():
        game = find_game(name)
        for variant in variants:
            for bot, player in _players().items():
                yield BotRow(bot, f"{name} {variant} 2p", GameByBots(game, variant, player).play_step)
    for variant in GAMES["draftosaurus"]:
        yield BotRow("playout", f"draftosaurus {variant} 2p", _playout(variant), "playouts")


def _players() -> dict[str, Player]:
    """What plays a match, by name of the bot."""
    search, thinking = import_module("searcher_bot").player, import_module("thinking").Thinking
    return {
        "random": import_module("random_bot").RandomPlayer,
        "novice": import_module("novice_bot").NovicePlayer,
        "greedy": import_module("greedy_bot").player,
        "planner": import_module("planner_bot").player,
        f"search-{PLAYOUTS}": lambda start: search(start, thinking(playouts=PLAYOUTS)),
    }


class GameByBots:
    """Games of two, one after the other, in which one bot has both seats."""

    def __init__(self, game: Game[Any], variant: str, player: Player) -> None:
        self.game = game
        self.options = OPTIONS.get(variant, {})
        self.player = player
        self.number = 0
        self._begin()

    def _begin(self) -> None:
        self.number += 1
        self.dice = Seed(self.number)
        self.state = self.game.start(2, self.options)
        start = {"game": self.game.name, "seats": 2, "options": self.options}
        self.seated = [self.player({**start, "seat": seat, "bot_seed": 2 * self.number + seat}) for seat in (0, 1)]

    def play_step(self) -> int:
        """Go on to where bots decide, let them, and return how many decisions that were."""
        game = self.game
        while (actors := game.to_act(self.state)) in ((CHANCE,), ()):
            if not actors:
                self._begin()
            else:
                self.state = game.apply(self.state, {CHANCE: game.deal(self.state, self.dice)})
        actions = {}
        for seat in actors:
            question = {"view": game.view(self.state, seat), "legal": list(game.legal(self.state, seat))}
            answer = self.seated[seat].decide(question)
            actions[seat] = answer if isinstance(answer, str) else answer[0]
        self.state = game.apply(self.state, actions)
        return len(actors)


def _playout(variant: str) -> Callable[[], int]:
    """A whole game by the cheap policy, from the first pick on, in a new deal each time."""
    game, dice, chance = find_game("draftosaurus"), Seed(1), Random(1)
    state = game.start(2, OPTIONS.get(variant, {}))
    for _ in ("deal", "die"):
        state = game.apply(state, {CHANCE: game.deal(state, dice)})
    deals = import_module("planner_draftosaurus").Evaluator(2).deals(game.view(state, 0))
    last = import_module("draftosaurus_position").LAST

    def play() -> int:
        position = deals.draw(chance)
        position.play_on(deals.stage, [], last)
        position.scores()
        return 1

    return play


def _checks(rows: list[BotRow]) -> Iterator[dict[str, Any]]:
    """The slowest playout."""
    value = max(1e3 / row.best for row in rows if row.unit == "playouts")
    check = {"name": "bots.playout_ms", "unit": "ms", "budget": PLAYOUT_MS, "better": "lower"}
    yield {**check, "value": round(value, 3), "ok": value <= PLAYOUT_MS}
