"""What a change of the policy that plays out Dinodocus is worth: games against itself, on the bots' own fast tables.

    .venv/bin/python -m benchmarks.dinodocus_policy egg=100 thrift=1 thrift=1,weak=1

Each argument is a changed policy. In every deal it sits once in each seat, with the usual policy in all others. The
table shows its share of the wins with an interval of 95 %, the deals being the units. The same arguments give the same
table.
"""

import argparse
import math
import statistics
import sys
from pathlib import Path
from random import Random

from tabulate import tabulate

from benchmarks.dinodocus_weights import deal
from engine.dinodocus import GAME

sys.path.insert(0, str(Path(__file__).parents[1] / "bots" / "python"))

from dinodocus_deal import policy_of
from dinodocus_playout import Playout
from dinodocus_table import table_of
from dinodocus_weights import WEIGHTS


def shares(one: Playout, others: Playout, seats: int, deals: int) -> list[float]:
    """By deal: the share of the wins of a policy, over all seats; a shared win counts in parts."""
    found = []
    for seed in range(deals):
        state, decks = deal(seats, seed)
        total = 0.0
        for seat in range(seats):
            table = table_of(state, decks)
            table.turn -= 1  # the turn that is about to begin
            one.rng = others.rng = Random(seed).random
            while not table.over:
                (one if table.current == seat else others).turn(table)
            points = one.estimate.expected(table)
            total += (points[seat] == max(points)) / points.count(max(points))
        found.append(total / seats)
    return found


def changed(text: str) -> dict[str, float]:
    """The weights with these changes."""
    weights = dict(WEIGHTS)
    for change in text.split(","):
        name, _, value = change.partition("=")
        if name not in weights:
            sys.exit(f"{name} is not a weight. Weights: {', '.join(weights)}.")
        weights[name] = float(value)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changes", nargs="+")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seats", type=int, nargs="*", default=[2, 4])
    given = parser.parse_args()
    view = GAME.public(GAME.start(2, {}))
    usual = policy_of(view, WEIGHTS)
    rows = []
    for text in given.changes:
        policy = policy_of(view, changed(text))
        row = [text]
        for seats in given.seats:
            found = shares(policy, usual, seats, given.deals)
            half = 1.96 * statistics.stdev(found) / math.sqrt(len(found))
            row.append(f"{100 * statistics.mean(found):.1f} % ± {100 * half:.1f}")
        rows.append(row)
    headers = ["change", *[f"wins, {seats} players" for seats in given.seats]]
    sys.stdout.write(tabulate(rows, headers, tablefmt="github", disable_numparse=True) + "\n")


if __name__ == "__main__":
    main()
