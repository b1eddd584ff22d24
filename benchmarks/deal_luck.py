"""What fresh deals cost: how much luck sticks to deal and seat in real games, and how many more games fresh deals need.

Blocks are played twice, with one deal for all rotations of a table and with a deal for each. The shared deals give the
share of a score's variance that sticks to deal and seat (the intraclass correlation, after the means of bots and seats
are subtracted). Both give the difference of two bots of the table, A and B, in a block, by ranks and by points, and its
variance. The ratio of the variances is how many times as many games fresh deals need to be as sure.

The game is Draftosaurus. The bots are deterministic versions of the built-in greedy with other guesses; greedy with
every fifth action at random; and one that plays at random.

    python benchmarks/deal_luck.py --blocks 400         # some minutes on one core
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine.contract import CHANCE, ranks
from engine.dice import Seed
from engine.draftosaurus import GAME

BOTS = Path(__file__).parents[1] / "bots" / "python"
Player = Callable[[dict[str, Any]], str]
CASTS = {
    "random": ["random"] * 5,
    "greedy, every fifth action at random": ["noisy"] * 5,
    "five versions of greedy": ["greedy", "patient", "lonely", "kind", "mean"],
}
"""The bots of a table, of which as many play as it has seats; A and B are the first two."""
NOISE = 0.2
VERSIONS: Mapping[str, Mapping[str, float]] = {
    "patient": {"PACE": 0.5},
    "lonely": {"SINGLE": 0.5, "PACE": 0.4},
    "kind": {"DENIAL": 0.0, "SAVED": 3},
    "mean": {"DENIAL": 0.6, "SINGLE": 2.0},
}
"""The guesses in which each version of greedy differs from it."""
HEADERS = ["bots", "seats", "share that sticks", "A's share, shared", "fresh", "games by rank", "games by score"]


@cache
def greedy(version: str) -> type[Any]:
    """The player class of greedy, or of a version of it."""
    sys.path.insert(0, str(BOTS))
    spec = spec_from_file_location(f"greedy_{version}", BOTS / "greedy_draftosaurus.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(VERSIONS.get(version, {}))
    found: type[Any] = module.GreedyPlayer
    return found


def player(kind: str, start: dict[str, Any]) -> Player:
    dice = random.Random(start["bot_seed"])
    if kind == "random":
        return lambda question: dice.choice(question["legal"])
    decide = greedy(kind)(start).decide
    if kind == "noisy":
        return lambda q: dice.choice(q["legal"]) if dice.random() < NOISE else decide(q)
    return lambda question: decide(question)


def play(kinds: Sequence[str], seed: int, bot_seed: int) -> tuple[int, ...]:
    """The scores of one match."""
    state, dice = GAME.start(len(kinds), {}), Seed(seed)
    base = {"game": GAME.name, "seats": len(kinds), "options": {}}
    players = [player(kind, {**base, "seat": s, "bot_seed": bot_seed * 16 + s}) for s, kind in enumerate(kinds)]
    while actors := GAME.to_act(state):
        if actors == (CHANCE,):
            state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
        else:
            state = GAME.apply(state, {seat: _asked(state, seat, players[seat]) for seat in actors})
    return GAME.outcome(state).scores


def _asked(state: Any, seat: int, ask: Player) -> str:
    legal = GAME.legal(state, seat)
    if len(legal) == 1:
        return legal[0]
    view = GAME.view(state, seat)
    answer: Any = ask({"view": view, "legal": list(legal), "phase": view["phase"], "events": []})
    return answer if isinstance(answer, str) else str(answer[0])


Block = list[tuple[list[int], tuple[int, ...]]]
"""For each rotation: which bot sits in each seat, and their scores."""


def blocks(cast: Sequence[str], number: int, is_fresh: bool) -> Iterator[Block]:
    """Tables of these bots, in all rotations."""
    dice, seats = random.Random(f"{cast} {is_fresh}"), len(cast)
    for _ in range(number):
        deal, block = dice.getrandbits(64), list[tuple[list[int], tuple[int, ...]]]()
        for turn in range(seats):
            order = [(turn + seat) % seats for seat in range(seats)]
            seed = dice.getrandbits(64) if is_fresh else deal
            block.append((order, play([cast[bot] for bot in order], seed, dice.getrandbits(48))))
        yield block


def sticking(played: Sequence[Block]) -> float:
    """The intraclass correlation of scores with the same deal and seat."""
    cells: dict[tuple[int, int], list[tuple[int, int]]] = {}
    by_bot: dict[int, list[int]] = {}
    by_seat: dict[int, list[int]] = {}
    for number, block in enumerate(played):
        for order, scores in block:
            for seat, (bot, score) in enumerate(zip(order, scores)):
                cells.setdefault((number, seat), []).append((bot, score))
                by_bot.setdefault(bot, []).append(score)
                by_seat.setdefault(seat, []).append(score)
    mean = fmean(score for scores in by_bot.values() for score in scores)
    bots, seats = ({one: fmean(scores) for one, scores in by.items()} for by in (by_bot, by_seat))
    rest = [[score - bots[bot] - seats[seat] + mean for bot, score in cell] for (_, seat), cell in cells.items()]
    size = len(rest[0])
    within, between = fmean(map(variance, rest)), size * variance(map(fmean, rest))
    return (between - within) / (between + (size - 1) * within)


def distances(played: Sequence[Block], by: Callable[[Sequence[int], int, int], float]) -> list[float]:
    """How far A is ahead of B, block by block."""
    return [fmean(by(scores, order.index(0), order.index(1)) for order, scores in block) for block in played]


def by_rank(scores: Sequence[int], a: int, b: int) -> float:
    places = ranks(scores)
    return 0.5 + ((places[a] < places[b]) - (places[a] > places[b])) / 2


def by_score(scores: Sequence[int], a: int, b: int) -> float:
    return float(scores[a] - scores[b])


def row(name: str, seats: int, number: int) -> list[str]:
    cast = CASTS[name][:seats]
    shared, fresh = (list(blocks(cast, number, is_fresh)) for is_fresh in (False, True))
    shares = [100 * fmean(distances(played, by_rank)) for played in (shared, fresh)]
    costs = [variance(distances(fresh, by)) / max(1e-9, variance(distances(shared, by))) for by in (by_rank, by_score)]
    return [
        name, str(seats), f"{100 * sticking(shared):.1f} %", *(f"{share:.0f} %" for share in shares),
        *(f"x {cost:.2f}" if cost < 1e6 else "any" for cost in costs),
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=1000, help="for each line, shared and fresh")
    given = parser.parse_args()
    found = [row(name, seats, given.blocks) for name in CASTS for seats in (2, 3, 4, 5)]
    sys.stdout.write(tabulate(found, HEADERS, tablefmt="github", disable_numparse=True) + "\n")


if __name__ == "__main__":
    main()
