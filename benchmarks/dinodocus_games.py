"""How Dinodocus plays: thousands of games with random or greedy players, every step checked, as a table.

    .venv/bin/python benchmarks/dinodocus_games.py --players greedy --games 10000

Every game must end, and cards, ferns and period cards must be conserved at every step; a breach stops the run and names
the position. RULES.md shows the figures of a whole run.
"""

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tabulate import tabulate

from engine.contract import CHANCE, Dice, Seat
from engine.dice import Seed
from engine.dinodocus import GAME
from engine.dinodocus.options import FERNS
from engine.dinodocus.state import State, pool

BOTS = Path(__file__).parents[1] / "bots" / "python"
BATCH = 50
MOST_STEPS = 100_000

Ask = Callable[[State, Seat], str]


@dataclass
class Games:
    """What is known of some games."""

    turns: list[int] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    wins: Counter[int] = field(default_factory=Counter)
    """By seat after the one that began; a shared win counts in parts."""
    capped: int = 0
    most_dinos: int = 0

    def add(self, other: "Games") -> None:
        self.turns += other.turns
        self.decisions += other.decisions
        self.scores += other.scores
        self.wins.update(other.wins)
        self.capped += other.capped
        self.most_dinos = max(self.most_dinos, other.most_dinos)


def at_random(dice: Dice, _seats: int, _options: dict[str, Any]) -> Ask:
    """Players that give every legal action the same chance."""
    asked = iter(range(MOST_STEPS))

    def ask(state: State, seat: Seat) -> str:
        legal = GAME.legal(state, seat)
        return legal[dice.roll("player", len(legal), next(asked))]

    return ask


def greedily(_dice: Dice, seats: int, options: dict[str, Any]) -> Ask:
    """The built-in bot `greedy` in every seat, without the processes."""
    sys.path.insert(0, str(BOTS))
    from greedy_dinodocus import GreedyPlayer

    players = [
        GreedyPlayer({"game": GAME.name, "seat": seat, "seats": seats, "options": options, "bot_seed": seat})
        for seat in range(seats)
    ]

    def ask(state: State, seat: Seat) -> str:
        legal = GAME.legal(state, seat)
        if len(legal) == 1:
            return legal[0]
        question = {"view": GAME.view(state, seat), "legal": list(legal), "phase": state.phase.value, "events": []}
        answer = players[seat].decide(question)
        return answer if isinstance(answer, str) else answer[0]

    return ask


PLAYERS = {"random": at_random, "greedy": greedily}


def pieces(state: State) -> tuple[list[int], int, int]:
    """Every card, every fern, every period card."""
    cards = [*state.hands, *state.decks, *state.discards, *(dino.body.cards for dino in state.dinos)]
    aged = sum(dino.periods for dino in state.dinos) + sum(count for line in state.timelines for _, count in line)
    ferns = pool(state) + sum(dino.fern for dino in state.dinos)
    return sorted(card for pile in cards for card in pile), ferns, state.periods + aged + sum(state.hidden)


def play(players: str, seats: int, options: dict[str, Any], seeds: range) -> Games:
    """One game for each seed."""
    games = Games()
    for seed in seeds:
        dice = Seed(seed)
        _play_one(games, PLAYERS[players](dice, seats, options), GAME.start(seats, options), dice)
    return games


def _play_one(games: Games, ask: Ask, state: State, dice: Dice) -> None:
    all_pieces = (list(range(len(state.setup.cards.ids))), FERNS, state.setup.periods)
    first = decisions = dinos = 0
    while actors := GAME.to_act(state):
        played = {seat: GAME.deal(state, dice) if seat == CHANCE else ask(state, seat) for seat in actors}
        decisions += sum(seat != CHANCE and len(GAME.legal(state, seat)) > 1 for seat in actors)
        before, state = state, GAME.apply(state, played)
        if pieces(state) != all_pieces:
            sys.exit(f"pieces are not conserved: {played} at {GAME.format(before)}")
        first = state.current if state.turn == 1 else first
        dinos = max(dinos, len(state.dinos))
    outcome = GAME.outcome(state)
    assert outcome is not None
    games.turns.append(state.turn)
    games.decisions.append(decisions)
    games.scores += outcome.scores
    games.capped += state.periods > 0
    games.most_dinos = max(games.most_dinos, dinos)
    for seat, rank in enumerate(outcome.ranks):
        if rank == 1:
            place = (seat - first) % len(outcome.ranks)
            games.wins[place] += 1 / outcome.ranks.count(1)  # type: ignore[assignment]  # shared wins are fractions


def row(seats: int, games: Games) -> list[str]:
    count = len(games.turns)
    shares = [f"{100 * games.wins[place] / count:.0f}" for place in range(seats)]
    return [
        str(seats),
        str(count),
        f"{statistics.mean(games.turns):.1f}",
        str(max(games.turns)),
        str(games.capped),
        f"{statistics.mean(games.decisions):.0f}",
        f"{statistics.mean(games.scores):.1f}",
        f"{statistics.pstdev(games.scores):.1f}",
        str(max(games.scores)),
        str(games.most_dinos),
        " ".join(shares),
    ]


HEADERS = [
    "players", "games", "turns", "longest", "capped", "decisions", "score", "spread", "best", "most dinosaurs",
    "wins in %, from the starting player on",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", choices=PLAYERS, default="random")
    parser.add_argument("--games", type=int, default=10_000, help="for each number of players")
    parser.add_argument("--seats", type=int, nargs="*", default=list(GAME.seats))
    parser.add_argument("--advanced", action="store_true")
    parser.add_argument("--workers", type=int, default=None, help="processes; all cores without it")
    given = parser.parse_args()
    options = {"advanced": True} if given.advanced else {}
    rows = []
    with ProcessPoolExecutor(given.workers) as pool_:
        for seats in given.seats:
            batches = [range(at, min(at + BATCH, given.games)) for at in range(0, given.games, BATCH)]
            games = Games()
            for done, some in enumerate(pool_.map(partial(play, given.players, seats, options), batches), 1):
                games.add(some)
                sys.stderr.write(f"\r{seats} players: {100 * done // len(batches)} %")
            sys.stderr.write("\n")
            rows.append(row(seats, games))
    sys.stdout.write(tabulate(rows, HEADERS, tablefmt="github", disable_numparse=True) + "\n")


if __name__ == "__main__":
    main()
