"""Does `arena tune` find a weight again that was spoiled on purpose?

    python benchmarks/spoiled_weight.py                     # what planner's weights for a pen of Draftosaurus count
    python benchmarks/spoiled_weight.py --bot greedy --weight pace --spoiled 0.9
    python benchmarks/spoiled_weight.py --bot DIR --weight NAME --spoiled VALUE [--game dinodocus]

It tunes one parameter of a bot from the spoiled value on, prints how far the tuned value is from the default, and what
two duels say: the tuned bot against the spoiled one, which the tuning ends with, and the tuned bot against the default.
Before that it plays the default against the spoiled value for 64 units, whatever they say, and prints the mean of
points and that of ranks in standard errors: by which of them one sees a difference in fewer games. `--units 0` plays
only this.

`planner` and `greedy` have no [tune] of their own, as they are rungs that do not change: copies of them get one, in a
temporary folder.
"""

import argparse
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import Any

import typer

from arena.league.duel import Unit, exchanges_by_rank, exchanges_by_score
from arena.league.results import outcomes_of
from arena.league.store import open_store
from arena.roster.entries import find

KIT = Path(__file__).parents[1] / "bots" / "python"
GREEDY = '''"""greedy at Draftosaurus, with its guesses as parameters."""

import dinobot
import greedy_draftosaurus as guesses


class Tuned(guesses.GreedyPlayer):
    def __init__(self, start):
        self.tune = {name.upper(): value for name, value in start["tune"].items()}
        super().__init__(start)

    def decide(self, question):
        vars(guesses).update(self.tune)
        return super().decide(question)


dinobot.run("greedy-tune", "1.0", ["draftosaurus"], Tuned)
'''
GUESSES = """
pace = { min = 0, max = 1, default = 0.33 }
single = { min = -2, max = 6, default = 1.5 }
saved = { min = -4, max = 12, default = 4 }
denial = { min = 0, max = 1, default = 0.3 }
"""
FACTORS = """
FS = { min = -1, max = 3, default = 1 }
KJ = { min = -1, max = 3, default = 1 }
MD = { min = -1, max = 3, default = 1 }
PL = { min = -1, max = 3, default = 1 }
SI = { min = -1, max = 3, default = 1 }
WT = { min = -1, max = 3, default = 1 }
"""
"""How much planner's weights of a pen count, where 1 is as they were fitted."""
FIXED = 64
"""Units that show which of points and ranks sees more."""
COPIES = {"greedy": (GREEDY, GUESSES), "planner": (None, FACTORS)}
"""The program of a copy, if it is not the bot's own, and its parameters."""


def tunable_copy(name: str, folder: Path) -> Path:
    """A copy of a built-in bot that declares parameters."""
    home = folder / f"{name}-tune"
    home.mkdir()
    for path in KIT.glob("*.py"):
        shutil.copy(path, home)
    program, parameters = COPIES[name]
    command = f"{name}_bot.py"
    if program:
        command = "bot.py"
        (home / command).write_text(program)
    head = f'name = "{name}-tune"\nversion = "1.0"\ncommand = ["{{python}}", "{command}"]\n'
    (home / "bot.toml").write_text(f"{head}\n[tune]{parameters}")
    return home


def arena(*words: object, cwd: Path | None = None) -> dict[str, Any]:
    """What a command prints with --json."""
    line = [sys.executable, "-m", "arena", *map(str, words), "--json", "-q"]
    ended = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False, cwd=cwd)
    if ended.returncode:
        raise SystemExit(ended.returncode)  # it has said why
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def errors(units: Sequence[Unit]) -> float:
    """The mean of units in standard errors."""
    means = [sum(unit) / 2 for unit in units]
    deviation = stdev(means)
    return fmean(means) * math.sqrt(len(means)) / deviation if deviation else math.nan


def say_answer(what: str, duel: dict[str, Any]) -> None:
    elo = duel["elo"]
    typer.echo(
        f"{what}: better? {duel['answer']}; {2 * duel['units']} games, Elo {elo['value']:+.0f} "
        f"({elo['low']:+.0f} to {elo['high']:+.0f})"
    )


def say_noise(bot: str, spoiled: str, common: Sequence[object], folder: Path) -> None:
    """Play the default against the spoiled value, by bounds that no duel of this size reaches."""
    bounds = ("--units", FIXED, "--alpha", 1e-6, "--beta", 1e-6, "--elo1", 1)
    found = arena("duel", bot, bot, "--tune", f"B.{spoiled}", *common, *bounds, cwd=folder)
    (place,) = folder.glob("leagues/duel-*")
    with open_store(place) as store:
        results = list(outcomes_of(store))
    points = exchanges_by_score(results, found["a"], found["b"])
    ranks = [(a - 0.5, b - 0.5) for a, b in exchanges_by_rank(results, found["a"], found["b"])]
    typer.echo(
        f"default against {spoiled}: {2 * found['units']} games, the mean in standard errors: by points "
        f"{errors(points):.1f}, by ranks {errors(ranks):.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bot", default="planner")
    parser.add_argument("--weight", default="KJ")
    parser.add_argument("--spoiled", type=float, default=3.0)
    parser.add_argument("--game", default="draftosaurus")
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--games", type=int, default=16, help="of each iteration")
    parser.add_argument("--units", type=int, default=400, help="of a duel at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        bot = str(tunable_copy(given.bot, Path(folder))) if given.bot in COPIES else given.bot
        (parameter,) = [one for one in find(bot).tunables if one.name == given.weight]
        common: tuple[object, ...] = ("--game", given.game, "--seats", 2, "--seed", given.seed)
        common += ("--workers", given.workers, "--bank-ms", 600_000)
        spoiled = f"{given.weight}={given.spoiled:g}"
        say_noise(bot, spoiled, common, Path(folder))
        if not given.units:
            return
        found = arena(
            "tune", bot, *common, "--parameter", given.weight, "--start", spoiled,
            "--iterations", given.iterations, "--games-per-iteration", given.games, "--duel-units", given.units,
            "--folder", Path(folder, "tuning"),
        )  # fmt: skip
        (row,) = found["parameters"]
        sure = f"{row['low']:g} to {row['high']:g}" if row["low"] is not None else "not seen"
        typer.echo(
            f"{given.weight}: range {row['min']:g} to {row['max']:g}, default {parameter.default:g}, spoiled "
            f"{row['start']:g}, tuned {row['value']:g}; best, 95 %: {sure}; {found['games']} games"
        )
        if found["duel"] is None:
            raise SystemExit("nothing was found: the tuned value is the spoiled one")
        say_answer("tuned against spoiled", found["duel"])
        units = max(16, given.units // 2)
        words = ("duel", found["values"], bot, *common, "--units", units, "--on", "score")
        say_answer("tuned against default", arena(*words))


if __name__ == "__main__":
    main()
