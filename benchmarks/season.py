"""How many matches a season costs, in which bots are updated every day.

The plan gives every bot the same number of blocks, at tables by lot. An updated bot is a new version: its own blocks
are played again, with the current versions of the others, and nothing else. If two bots of one table are updated on
the same day, their block is played once. No match is played here: matches are counted, and multiplied by measured
costs.

    python benchmarks/season.py                                  # 1,000 bots, 30 updates a day, 100 blocks for each bot
    python benchmarks/season.py --bots 200 --updates 10 --blocks 250 --language C
"""

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))

from tabulate import tabulate

CPU_S = {"C": 0.0088, "Python": 0.069}
"""CPU seconds of a fresh bot in one match in the full sandbox, with its share of the referee (docs/scale.md)."""
STORE_BYTES, RECORD_BYTES = 1000, 4200
"""Of a match: its result, and its record on a disk with blocks of 4 KB."""


@dataclass(frozen=True, slots=True)
class Season:
    """Bots, their blocks, and how often they change."""

    bots: int
    seats: int
    blocks: int
    """Of each bot."""
    updates: int
    """Updates a day."""
    days: int
    seed: int

    def tables(self) -> list[tuple[int, ...]]:
        """The table of each block: in each round every bot plays one."""
        dice, order, found = random.Random(self.seed), list(range(self.bots)), []
        for _ in range(self.blocks):
            dice.shuffle(order)
            whole = len(order) - len(order) % self.seats
            found += [tuple(order[at : at + self.seats]) for at in range(0, whole, self.seats)]
        return found

    def matches_by_day(self) -> Iterator[int]:
        """How many matches the updates of each day cost."""
        of_bot: list[set[int]] = [set() for _ in range(self.bots)]
        for block, table in enumerate(self.tables()):
            for bot in table:
                of_bot[bot].add(block)
        dice = random.Random(self.seed + 1)
        for _ in range(self.days):
            updated = dice.sample(range(self.bots), min(self.updates, self.bots))
            yield self.seats * len(set().union(*(of_bot[bot] for bot in updated)))


def costs(matches: float, cpu_s: float) -> list[str]:
    """Matches, core hours, and megabytes of results and records."""
    return [
        f"{matches:,.0f}",
        f"{matches * cpu_s / 3600:,.1f}",
        f"{matches * STORE_BYTES / 1e6:,.0f}",
        f"{matches * RECORD_BYTES / 1e6:,.0f}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--blocks", type=int, default=100, help="of each bot")
    parser.add_argument("--updates", type=int, default=30, help="a day")
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--language", choices=CPU_S, default="Python")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    keys = ("bots", "seats", "blocks", "updates", "days", "seed")
    season = Season(**{key: getattr(options, key) for key in keys})
    days, cpu_s = list(season.matches_by_day()), CPU_S[options.language] * options.seats
    first = season.seats * len(season.tables())
    rows = [["the first day: all blocks", *costs(first, cpu_s)]]
    rows += [[f"{what} day", *costs(of(days), cpu_s)] for what, of in (("a mean", mean), ("the longest", max))]
    rows += [["the whole season", *costs(first + sum(days), cpu_s)]]
    sys.stdout.write(
        f"{season.bots:,} bots in {options.language}, tables of {season.seats}, {season.blocks:,} blocks for each bot, "
        f"{season.updates} updates a day, {season.days} days\n\n"
    )
    head = ["", "matches", "core hours", "store, MB", "records, MB"]
    sys.stdout.write(tabulate(rows, head, disable_numparse=True, colalign=("left", *["right"] * 4)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
