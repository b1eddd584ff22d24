"""Fit the weights of the bots at Dinodocus to games that the bots play against themselves.

    .venv/bin/python benchmarks/dinodocus_weights.py --games 100

In every game, at the end of every turn, each dinosaur on the table is a case: what was expected of it, by which
factors, and what it really earned from there on. A factor is too small if its cases earned more than expected; so all
are scaled, in turn, until they agree (iterative proportional fitting). The same seeds give the same weights.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.contract import CHANCE
from engine.dice import Seed
from engine.dinodocus import GAME

sys.path.insert(0, str(Path(__file__).parents[1] / "bots" / "python"))

from dinodocus_deal import policy_of
from dinodocus_playout import KINDS, LENGTH, OLD, Playout, table_of
from dinodocus_weights import CHANCES, LEAST, MOST, SCALARS, WEIGHTS
from searcher_dinodocus import SearchPlayer
from thinking import Thinking

TABLE = Path(__file__).parents[1] / "bots" / "python" / "dinodocus_weights.py"
FULL = 0.99
"""No factor is above this, because no dinosaur is safe."""
PRIOR = 15.0
"""So many points are added to both sides of a comparison: a rare case changes little."""


@dataclass(slots=True)
class Case:
    """A dinosaur at the end of a turn."""

    id: int
    owner: int
    periods: int
    rounds: float
    names: list[str]
    earned: float = 0.0


def cases_of(state: Any, policy: Playout) -> list[Case]:
    table = table_of(state, state.decks)
    return [
        Case(one.id, one.owner, one.periods, table.periods / max(len(table.animals), table.seats), names)
        for one, names in zip(table.animals, policy.names(table))
    ]


def play(seats: int, options: dict[str, Any], seed: int, playouts: int, weights: dict[str, float]) -> list[Case]:
    """The cases of one game, with search in all seats."""
    state, dice = GAME.start(seats, options), Seed(seed)
    start = {"game": GAME.name, "seats": seats, "options": options, "tune": weights}
    players = [
        SearchPlayer({**start, "seat": seat, "bot_seed": 100 * seed + seat}, Thinking(playouts=playouts))
        for seat in range(seats)
    ]
    policy = policy_of(GAME.public(state), weights)
    cases: list[Case] = []
    turn = 0
    while actors := GAME.to_act(state):
        if state.turn > 1 and state.turn != turn:
            turn = state.turn
            cases += cases_of(state, policy)
        actions = {}
        for seat in actors:
            if seat == CHANCE:
                actions[seat] = GAME.deal(state, dice)
            else:
                legal = list(GAME.legal(state, seat))
                answer = players[seat].decide({"view": GAME.view(state, seat), "legal": legal})
                actions[seat] = answer if isinstance(answer, str) else answer[0]
        state = GAME.apply(state, actions)
    ends = {id_: count for line in state.timelines for id_, count in line}
    ends.update({dino.id: dino.periods for dino in state.dinos})
    for case in cases:
        case.earned = LENGTH[ends.get(case.id, 0)] - LENGTH[case.periods]
    return cases


def predicted(case: Case, weights: dict[str, float], policy: Playout) -> float:
    total = policy.life(case.rounds)[min(case.periods, OLD)]
    for name in case.names:
        total *= weights[name]
    return total


def error(cases: list[Case], weights: dict[str, float], policy: Playout) -> float:
    return sum([(case.earned - predicted(case, weights, policy)) ** 2 for case in cases]) / len(cases)


def fit(cases: list[Case], weights: dict[str, float], view: dict[str, Any], rounds: int = 30) -> dict[str, float]:
    """The weights at which every factor's cases earn what is expected of them."""
    fitted = dict(weights)
    policy = policy_of(view, fitted)
    for _ in range(rounds):
        for kind in KINDS:
            for who in ("late", "next"):
                seen: dict[str, list[float]] = {}
                for case in cases:
                    name = next((one for one in case.names if one.startswith(f"{kind}-{who}")), None)
                    if name:
                        sums = seen.setdefault(name, [PRIOR, PRIOR])
                        sums[0] += case.earned
                        sums[1] += predicted(case, fitted, policy)
                names = [f"{kind}-{who}{margin:+d}" for margin in range(LEAST, MOST + 1)]
                both = [seen.get(name, [PRIOR, PRIOR]) for name in names]
                factors = [min(FULL, fitted[name] * earned / expected) for name, (earned, expected) in zip(names, both)]
                fitted.update(zip(names, rising(factors, [expected for _, expected in both])))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, help="for each number of players")
    parser.add_argument("--seats", type=int, nargs="*", default=[2, 3, 4, 5])
    parser.add_argument("--playouts", type=int, default=60)
    parser.add_argument("--tune", default="", help="weights to begin with, as in thrift=0.4,rounds=0")
    parser.add_argument("--write", action="store_true", help="put the weights into the bots")
    given = parser.parse_args()
    weights = dict(WEIGHTS)
    for change in filter(None, given.tune.split(",")):
        name, _, value = change.partition("=")
        weights[name] = float(value)
    view = GAME.public(GAME.start(2, {}))
    cases: list[Case] = []
    for seats in given.seats:
        for seed in range(given.games):
            cases += play(seats, {}, 10_000 + seed, given.playouts, weights)
        sys.stderr.write(f"{seats} players: {len(cases)} cases\n")
    best = (float("inf"), weights)
    for ageing in [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9]:
        fitted = fit(cases, {**weights, "ageing": ageing}, view)
        found = error(cases, fitted, policy_of(view, fitted))
        sys.stderr.write(f"ageing {ageing}: mean squared error {found:.3f}\n")
        best = min(best, (found, fitted), key=lambda one: one[0])
    before = error(cases, weights, policy_of(view, weights))
    sys.stderr.write(f"before: {before:.3f}\n")
    if given.write:
        write(best[1])
    for name in WEIGHTS:
        sys.stdout.write(f"{name} {best[1][name]:.3f}\n")


def write(weights: dict[str, float]) -> None:
    """Put these into the bots' table, and leave all else there as it is."""
    text = TABLE.read_text()
    for name in CHANCES:
        row = ", ".join([f"{weights[f'{name}{margin:+d}']:.3g}" for margin in range(LEAST, MOST + 1)])
        text = re.sub(rf'"{re.escape(name)}": \([^)]*\)', f'"{name}": ({row})', text)
    for name in SCALARS:
        text = re.sub(rf'"{name}": [0-9.]+', f'"{name}": {weights[name]:.3g}', text)
    TABLE.write_text(text)


if __name__ == "__main__":
    main()
