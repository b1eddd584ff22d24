"""How long commands take on a large league: status, standings, report, and what a resumed run reads first.

The results are drawn, not played, and are as large as real ones. Each command is its own process, from start to end.
The time of the processor is shown too, because it is the same on a busy machine.

    python benchmarks/league_standings.py                     # 100,000 matches, eight bots, tables of four
    python benchmarks/league_standings.py --rows 10000 --bots 30 --seats 2
"""

import argparse
import hashlib
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from tabulate import tabulate

from arena.league import results, schedule
from arena.league.store import FILE, Row, open_store

ROOT = Path(__file__).parents[1]
BUDGETS_S = {"status": 1.0, "standings": 5.0}
ZONES = ("FS", "WT", "PL", "KJ", "MD", "SI", "RV")


def drawn(options: argparse.Namespace) -> Iterator[Row]:
    """Results in plan order; a bot with a higher number is better."""
    names = [f"bot{number}" for number in range(options.bots)]
    blocks = -(-options.rows // options.seats)
    dice = random.Random(options.seed)
    for fixture in schedule.round_robin(names, options.seats, blocks, options.seed):
        scores = tuple(20 + names.index(bot) + dice.randint(-8, 8) for bot in fixture.bots)
        digest = hashlib.sha256(str(fixture).encode()).hexdigest()
        times = {"decisions": 30, "total_us": 123_456, "p99_us": 9_876, "most_us": 12_345, "cpu_us": 98_765}
        yield Row(
            match=digest[:24],
            plan=fixture.index,
            block=fixture.block,
            rotation=fixture.rotation,
            seed=options.seed + fixture.block,
            bots=fixture.bots,
            ranks=tuple(1 + sum(other > score for other in scores) for score in scores),
            scores=scores,
            breakdown=tuple({zone: score // len(ZONES) for zone in ZONES} for score in scores),
            faults=(),
            times=(times,) * options.seats,
            steps=60,
            digest=digest[:16],
        )


def written(folder: Path, options: argparse.Namespace) -> None:
    names = [f"bot{number}" for number in range(options.bots)]
    settings = {
        "name": "large",
        "game": "draftosaurus",
        "edition": 1,
        "options": {},
        "seed": options.seed,
        "schedule": ["round_robin", options.seats],
        "bots": {name: ["1", "0123456789abcdef"] for name in names},
        "planned": options.rows,
        "order": names,
        "sandbox": "none",
    }
    with open_store(folder, create=True) as store:
        store.settle(settings)
        store.add(drawn(options))


def timed(what: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock and of the processor, including children."""
    began, before = time.monotonic(), _processor()
    what()
    return time.monotonic() - began, _processor() - before


def _processor() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def command(*words: str) -> tuple[float, float]:
    """The times of a command."""
    whole = [sys.executable, "-m", "arena", *words]
    return timed(lambda: subprocess.run(whole, cwd=ROOT, check=True, stdout=subprocess.DEVNULL))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000, help="matches")
    parser.add_argument("--bots", type=int, default=8)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        took = {"all results written at once": timed(lambda: written(folder, options))}
        with open_store(folder) as store:
            count = store.count()
            took["what a resume reads"] = timed(store.rotations)
            took["standings, without the process"] = timed(lambda: results.table(store))
        took["any command, for comparison"] = command("--version")
        took["status"] = command("league", "status", str(folder))
        took["standings"] = command("league", "standings", str(folder), "--json")
        took["export"] = command("league", "export", str(folder))
        took["report"] = command("league", "report", str(folder))
        size = (folder / FILE).stat().st_size
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    sys.stdout.write(f"{count:,} matches of {options.bots} bots at tables of {options.seats}, {size / 1e6:.0f} MB; ")
    sys.stdout.write(f"at most {memory // 1024} MB of memory\n\n")
    rows = [[what, *(f"{one:.2f}" for one in both), str(BUDGETS_S.get(what, ""))] for what, both in took.items()]
    sys.stdout.write(tabulate(rows, ["what", "seconds", "of the processor", "budget"], disable_numparse=True) + "\n")
    return 1 if any(took[what][1] > budget for what, budget in BUDGETS_S.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
