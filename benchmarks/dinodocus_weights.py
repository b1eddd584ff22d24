"""Fit the estimate of planner and search at Dinodocus to games of their policy against itself.

    .venv/bin/python -m benchmarks.dinodocus_weights --games 2000 --write

In every game, at the end of every turn, each dinosaur on the table is a case: what was expected of it, by which
factors, and what it really earned from there on. A factor is too small if its cases earned more than expected; so all
are scaled, in turn, until they agree (iterative proportional fitting). The same arguments give the same weights.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

from engine.contract import CHANCE
from engine.dice import Seed
from engine.dinodocus import GAME

sys.path.insert(0, str(Path(__file__).parents[1] / "bots" / "python"))

from dinodocus_deal import policy_of
from dinodocus_estimate import KINDS
from dinodocus_playout import Playout
from dinodocus_table import LENGTH, OLD, table_of
from dinodocus_weights import CHANCES, SCALARS, WEIGHTS, first

TABLE = Path(__file__).parents[1] / "bots" / "python" / "dinodocus_weights.py"
FULL = 0.995
"""No factor is above this, because no dinosaur is safe."""
PRIOR = 30.0
"""So many points are added to both sides of a comparison: a rare case changes little."""
AGEINGS = [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9]

Key = tuple[tuple[str, ...], int, float]
"""Factors, period cards, and rounds to come: cases that are expected to earn the same."""
Sums = dict[Key, list[float]]
"""By what is expected of it: how many cases, what they earned, and the sum of the squares."""


def deal(seats: int, seed: int) -> tuple[Any, list[list[int]]]:
    """The table before the first turn, and the decks in an order."""
    state, dice = GAME.start(seats, {}), Seed(seed)
    while GAME.to_act(state) == (CHANCE,):
        state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
    rng = Random(seed)
    return state, [rng.sample(deck, len(deck)) for deck in state.decks]


def add_cases(sums: Sums, policy: Playout, seats: int, seed: int) -> None:
    """Play a game and add its cases."""
    state, decks = deal(seats, seed)
    table = table_of(state, decks)
    table.turn -= 1
    policy.rng = Random(seed).random
    cases: list[tuple[Any, int, Key]] = []
    while not table.over:
        policy.turn(table)
        if not table.over:
            rounds = int(4 * table.periods / max(len(table.animals), seats)) / 4
            for one, names in zip(table.animals, policy.estimate.names(table)):
                cases.append((one, one.periods, (tuple(names), min(one.periods, OLD), rounds)))
    for one, periods, key in cases:  # the policy changes dinosaurs in place: these are what became of them
        earned = LENGTH[one.periods] - LENGTH[periods]
        row = sums[key]
        row[0] += 1
        row[1] += earned
        row[2] += earned * earned


def factor(names: tuple[str, ...], weights: dict[str, float]) -> float:
    total = 1.0
    for name in names:
        total *= weights[name]
    return total


def error(sums: Sums, weights: dict[str, float], policy: Playout) -> float:
    """The mean squared error of what is expected."""
    total = count = 0.0
    for (names, periods, rounds), (number, earned, squares) in sums.items():
        expected = policy.estimate.life(rounds)[periods] * factor(names, weights)
        total += squares - 2 * expected * earned + number * expected * expected
        count += number
    return total / count


def fit(sums: Sums, weights: dict[str, float], policy: Playout, rounds: int = 20) -> dict[str, float]:
    """The weights at which every factor's cases earn what is expected of them."""
    fitted = dict(weights)
    grouped: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (names, periods, to_come), (number, earned, _) in sums.items():
        row = grouped[names]
        row[0] += earned
        row[1] += number * policy.estimate.life(to_come)[periods]
    for _ in range(rounds):
        for row_name in [f"{kind}-{who}" for kind in KINDS for who in ("late", "next")]:
            both: dict[str, list[float]] = defaultdict(lambda: [PRIOR, PRIOR])
            for names, (earned, life) in grouped.items():
                name = next((one for one in names if one.startswith(row_name)), None)
                if name:
                    both[name][0] += earned
                    both[name][1] += life * factor(names, fitted)
            names_ = [f"{row_name}{at:+d}" for at, _ in enumerate(CHANCES[row_name], first(CHANCES[row_name]))]
            scaled = [min(FULL, fitted[name] * both[name][0] / both[name][1]) for name in names_]
            counts = [both[name][1] for name in names_]
            falls = row_name.startswith("pack")
            fitted.update(zip(names_, rising(scaled[::-1], counts[::-1])[::-1] if falls else rising(scaled, counts)))
    return fitted


def rising(values: list[float], counts: list[float]) -> list[float]:
    """The closest row that never falls: neighbours in the wrong order share their mean."""
    blocks: list[list[float]] = []  # mean, count, length
    for value, count in zip(values, counts):
        blocks.append([value, count, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last, before = blocks.pop(), blocks.pop()
            total = last[1] + before[1]
            blocks.append([(last[0] * last[1] + before[0] * before[1]) / total, total, last[2] + before[2]])
    return [value for value, _, length in blocks for _ in range(int(length))]


def write(weights: dict[str, float]) -> None:
    """Put these into the bots' table, and leave all else there as it is."""
    text = TABLE.read_text()
    for name, row in CHANCES.items():
        numbers = ", ".join([f"{weights[f'{name}{at:+d}']:.3g}" for at, _ in enumerate(row, first(row))])
        text = re.sub(rf'"{re.escape(name)}": \([^)]*\)', f'"{name}": ({numbers})', text)
    for name in SCALARS:
        text = re.sub(rf'"{name}": [0-9.]+', f'"{name}": {weights[name]:.3g}', text)
    TABLE.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2000, help="for each number of players")
    parser.add_argument("--seats", type=int, nargs="*", default=[2, 3, 4, 5])
    parser.add_argument("--write", action="store_true", help="put the weights into the bots")
    given = parser.parse_args()
    view = GAME.public(GAME.start(2, {}))
    sums: Sums = defaultdict(lambda: [0.0, 0.0, 0.0])
    for seats in given.seats:
        for seed in range(given.games):
            add_cases(sums, policy_of(view, WEIGHTS), seats, 10_000 + seed)
    number = sum([row[0] for row in sums.values()])
    mean = sum([row[1] for row in sums.values()]) / number
    spread = sum([row[2] for row in sums.values()]) / number - mean * mean
    before = error(sums, WEIGHTS, policy_of(view, WEIGHTS))
    sys.stderr.write(f"{number:.0f} cases, mean {mean:.2f}, variance {spread:.2f}; error before {before:.2f}\n")
    best = (float("inf"), WEIGHTS)
    for ageing in AGEINGS:
        weights = {**WEIGHTS, "ageing": ageing}
        fitted = fit(sums, weights, policy_of(view, weights))
        found = error(sums, fitted, policy_of(view, fitted))
        sys.stderr.write(f"ageing {ageing}: mean squared error {found:.3f}\n")
        best = min(best, (found, fitted), key=lambda one: one[0])
    if given.write:
        write(best[1])


if __name__ == "__main__":
    main()
