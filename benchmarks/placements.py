"""How often does the interval of `arena place` contain the truth, and how far do placements of one bot scatter?

    python -m benchmarks.placements --simulated 200                      # known strengths, no processes
    python -m benchmarks.placements greedy --seats 2 --until 60 --times 20   # one bot, placed again and again

Simulated: a ladder of known strengths is frozen with errors as a real one has, drawn again for each placement; then a
bot of known strength is placed, with the same choice of tables and the same end as in `arena place`. The truth is the
strength on the frozen scale, on which the anchor is exact.

Played: the same bot with 20 seeds. Nobody knows its true rating. The weighted mean of all placements stands for it,
and the errors of the rungs, which are the same in all of them, are left out: an interval that contains the mean by
chance of the matches alone is what "20 placements, at least 18 inside" asks for.
"""

import argparse
import json
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).parents[1]))

import typer
from tabulate import tabulate

from arena.league import placing
from arena.league.elo import Result
from arena.league.placing import LadderPlace, Scale
from arena.league.statistics import SCALE, wilson

RUNGS = ("random", "novice", "greedy", "planner", "search-16", "search-64")
STRENGTHS = (900.0, 1200.0, 1500.0, 1680.0, 1800.0, 1950.0)
ANCHOR = 2
GAP_ERROR = 12.0
"""Standard error of the distance of two neighbours, in Elo points."""
MOST_BLOCKS = 1500


@dataclass(frozen=True, slots=True)
class World:
    """Bots whose true strengths are known, and a ladder that knows them nearly."""

    size: int
    seat_worth: float
    """How much better the first seat is than the last, in Elo points."""
    strengths: Sequence[float] = STRENGTHS

    def frozen(self, dice: random.Random) -> Scale:
        """The ladder with errors of the gaps, which are independent; the anchor has none."""
        gaps = [dice.gauss(0, GAP_ERROR) for _ in self.strengths[1:]]
        errors = [math.fsum(gaps[:at]) for at in range(len(self.strengths))]
        ratings = [true + error - errors[ANCHOR] for true, error in zip(self.strengths, errors)]
        covariance = tuple(
            tuple(GAP_ERROR**2 * _shared(a - ANCHOR, b - ANCHOR) for b in range(len(ratings)))
            for a in range(len(ratings))
        )
        return Scale(RUNGS, tuple(ratings), covariance, self.seats)

    @property
    def seats(self) -> tuple[float, ...]:
        middle = (self.size - 1) / 2
        return tuple(self.seat_worth * (middle - seat) / (self.size - 1) for seat in range(self.size))

    def play(self, index: int, block: int, bots: Sequence[str], strength: float, dice: random.Random) -> Result:
        """A match in which all draw luck from one distribution whose differences are logistic."""
        known = dict(zip(RUNGS, self.strengths))
        drawn = [
            (known.get(bot, strength) + worth) / SCALE - math.log(-math.log(dice.random()))
            for bot, worth in zip(bots, self.seats)
        ]
        ranks = tuple(1 + sum(other > mine for other in drawn) for mine in drawn)
        return Result(index, block, tuple(bots), ranks, tuple(-rank for rank in ranks))

    def placed(self, strength: float, until: float, seed: int) -> tuple[LadderPlace, int]:
        """A whole placement of a bot of this strength, and how many matches it took."""
        dice = random.Random(seed)
        scale, results = self.frozen(dice), list[Result]()
        tables = placing.first_tables(scale, self.size)
        block = 0
        while True:
            for table in tables:
                circle = dice.sample(["bot", *table], self.size)
                for turn in range(self.size):
                    results.append(self.play(len(results), block, circle[turn:] + circle[:turn], strength, dice))
                block += 1
            found = placing.place(results, "bot", scale)
            if found.is_within(until) or block >= MOST_BLOCKS:
                return found, len(results)
            more = placing.next_tables(results, "bot", scale, self.size)
            tables = list(islice(more, placing.part_length(block)))


def _shared(a: int, b: int) -> int:
    """How many gaps between the anchor and each of two rungs are the same."""
    return min(abs(a), abs(b)) if a * b > 0 else 0


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals contained the truth."""

    inside: int
    times: int
    halves: list[float]
    matches: list[int]


def coverage(world: World, strength: float, until: float, times: int, seed: int) -> Coverage:
    found = [world.placed(strength, until, seed * 1_000_000 + one) for one in range(times)]
    inside = sum(one.rating.low <= strength <= one.rating.high for one, _ in found)
    return Coverage(
        inside, times, [(one.rating.high - one.rating.low) / 2 for one, _ in found], [count for _, count in found]
    )


def simulated(times: int, until: float, seed: int) -> str:
    rows = []
    for size in (2, 3, 5):
        for strength in (1000.0, 1350.0, 1500.0, 1740.0, 2050.0):
            found = coverage(World(size, 30.0), strength, until, times, seed)
            low, high = wilson(found.inside, found.times)
            share = f"{100 * found.inside / times:.1f} % ({100 * low:.0f} to {100 * high:.0f})"
            rows.append([size, f"{strength:.0f}", share, f"{median(found.halves):.0f}", f"{median(found.matches):.0f}"])
    heads = ["seats", "true rating", "intervals with the truth", "half width", "matches"]
    return tabulate(rows, heads, tablefmt="github", disable_numparse=True)


def played(bot: str, times: int, words: Sequence[str]) -> str:
    """The same bot, placed with several seeds."""
    found = []
    for seed in range(1, times + 1):
        command = [sys.executable, "-m", "arena", "place", bot, "--seed", str(seed), "--json", *words]
        ended = subprocess.run(command, check=True, capture_output=True, text=True)
        found.append(json.loads(ended.stdout))
    own = [one["from_matches"] for one in found]
    weights = [1 / one["error"] ** 2 for one in own]
    middle = math.fsum(w * one["value"] for w, one in zip(weights, own)) / math.fsum(weights)
    by_matches = sum(one["low"] <= middle <= one["high"] for one in own)
    whole = sum(one["rating"]["low"] <= middle <= one["rating"]["high"] for one in found)
    values = sorted(one["value"] for one in own)
    spread = math.sqrt(math.fsum((one - mean(values)) ** 2 for one in values) / max(1, len(values) - 1))
    rows: list[list[object]] = [
        ["bot", bot],
        ["placements", times],
        ["mean rating", f"{middle:.0f}"],
        ["lowest, highest", f"{values[0]:.0f}, {values[-1]:.0f}"],
        ["standard deviation", f"{spread:.1f}"],
        ["standard error that each claims, from its matches", f"{mean(one['error'] for one in own):.1f}"],
        ["the mean is inside the interval of the matches alone", f"{by_matches} of {times}"],
        ["the mean is inside the whole interval", f"{whole} of {times}"],
        ["matches", f"{mean(one['cost']['matches'] for one in found):.0f}"],
        ["CPU seconds of all bots", f"{mean(one['cost']['all_cpu_s'] for one in found):.1f}"],
    ]
    return tabulate(rows, ["", ""], tablefmt="github", disable_numparse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?", help="what to place; without it placements are simulated")
    parser.add_argument("--times", type=int, default=20, help="placements of the bot")
    parser.add_argument("--simulated", type=int, default=100, help="simulated placements of each line")
    parser.add_argument("--until", type=float, default=25.0)
    parser.add_argument("--seed", type=int, default=1, help="of the simulations")
    given, words = parser.parse_known_args()
    if given.bot is None:
        typer.echo(simulated(given.simulated, given.until, given.seed))
    else:
        typer.echo(played(given.bot, given.times, ["--until", str(given.until), *words]))


if __name__ == "__main__":
    main()
