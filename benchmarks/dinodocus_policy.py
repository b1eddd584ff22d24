"""Tune the policy that plays out positions of Dinodocus, by games against itself.

    .venv/bin/python benchmarks/dinodocus_policy.py --passes 2 --write

A coordinate search: each weight in turn is tried higher and lower, in games of two and of four players on the bots' own
fast tables. The changed policy sits once in every seat of each deal; a change stays if it is ahead by 1.6 standard
errors. Every pass has deals of its own. The same arguments give the same weights.
"""

import argparse
import math
import statistics
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.dinodocus_weights import write
from engine.contract import CHANCE
from engine.dice import Seed
from engine.dinodocus import GAME

sys.path.insert(0, str(Path(__file__).parents[1] / "bots" / "python"))

from dinodocus_deal import policy_of
from dinodocus_playout import POLICY, Playout, table_of
from dinodocus_weights import WEIGHTS

SCALARS = ("thrift", "ageing", "weak", "age")
STEP = 0.7
"""By so much the logit of a chance changes."""
BAR = 1.6
DEALS = {2: 500, 4: 150}


def deal(seats: int, seed: int) -> tuple[Any, list[list[int]]]:
    """The table before the first turn, and the decks in an order."""
    state, dice = GAME.start(seats, {}), Seed(seed)
    while GAME.to_act(state) == (CHANCE,):
        state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
    rng = Random(seed)
    return state, [rng.sample(deck, len(deck)) for deck in state.decks]


def leads(one: Playout, others: Playout, seats: int, deals: list[tuple[Any, list[list[int]]]]) -> list[float]:
    """By deal: how far a policy is ahead of the best of the others, on average over the seats."""
    means = []
    for number, (state, decks) in enumerate(deals):
        total = 0.0
        for seat in range(seats):
            table = table_of(state, decks)
            table.turn -= 1
            one.rng = others.rng = Random(number).random
            while not table.over:
                (one if table.current == seat else others).turn(table)
            points = one.expected(table)
            total += points.pop(seat) - max(points)
        means.append(total / seats)
    return means


def better(weights: dict[str, float], changed: dict[str, float], deals: dict[int, Any], view: Any) -> float:
    """By how many standard errors the changed weights are ahead, over all table sizes."""
    base, new = policy_of(view, weights), policy_of(view, changed)
    total = 0.0
    for seats, some in deals.items():
        ahead = leads(new, base, seats, some)
        if seats > 2:
            ahead = [mine - other for mine, other in zip(ahead, leads(base, base, seats, some))]
        total += statistics.mean(ahead) / (statistics.stdev(ahead) / math.sqrt(len(ahead)) or 1)
    return total / math.sqrt(len(deals))


def changes(name: str, value: float) -> list[float]:
    if name in SCALARS:
        return [value * 1.35 + 0.02, value / 1.35]
    logit = math.log(value / (1 - value))
    return [1 / (1 + math.exp(-(logit + step))) for step in (STEP, -STEP)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu-seconds", type=float, default=220)
    parser.add_argument("--write", action="store_true", help="put the weights into the bots")
    given = parser.parse_args()
    view = GAME.public(GAME.start(2, {}))
    weights = dict(WEIGHTS)
    names = [name for name in weights if name in SCALARS or name.rstrip("+-01234") in POLICY]
    until = time.process_time() + given.cpu_seconds
    for number in range(given.seed, given.seed + given.passes):
        deals = {seats: [deal(seats, 1000 * number + i) for i in range(count)] for seats, count in DEALS.items()}
        for name in names:
            if time.process_time() > until:
                break
            for value in changes(name, weights[name]):
                changed = {**weights, name: value}
                ahead = better(weights, changed, deals, view)
                if ahead > BAR:
                    sys.stderr.write(f"{number} {name} {weights[name]:.3g} -> {value:.3g}: {ahead:.1f}\n")
                    weights = changed
                    break
    if given.write:
        write(weights)


if __name__ == "__main__":
    main()
