"""How strong the bots are at Dinodocus: games on the engine in one process, in pairs that differ in seats alone.

    .venv/bin/python benchmarks/dinodocus_strength.py search-64 greedy --games 100 --out strength.jsonl
    .venv/bin/python benchmarks/dinodocus_strength.py search-200ms greedy --seats 5 --advanced

The first bot plays one seat and the second all others; in one set of deals it sits once in every seat. `search-N` plays
N playouts a decision, `search-Nms` thinks for N milliseconds of CPU time, and `planner+thrift=0.4` changes a weight.
With two seats the table shows the share of the points (a draw is half), with more the share of games that were won, by
tied winners in parts; par is 1 in the number of seats. Intervals are of 95 %, and count a set of deals as one. Games
are kept in the file --out, line by line: a run that was stopped goes on there, and --report prints what the file holds.
Apart from budgets in time, the same seeds give the same games.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tabulate import tabulate

from engine.contract import CHANCE
from engine.dice import Seed
from engine.dinodocus import GAME

BOTS = Path(__file__).parents[1] / "bots" / "python"
sys.path.insert(0, str(BOTS))


def player(name: str, start: dict[str, Any]) -> Any:
    """The bot of this name, without its process."""
    name, *changes = name.split("+")
    start["tune"] = {weight: float(value) for weight, _, value in [change.partition("=") for change in changes]}
    kind, _, size = name.partition("-")
    if kind == "greedy":
        from greedy_dinodocus import GreedyPlayer

        return GreedyPlayer(start)
    if kind == "random":
        from random_bot import RandomPlayer

        return RandomPlayer(start)
    if kind == "planner":
        from planner_dinodocus import PlannerPlayer

        return PlannerPlayer(start)
    from searcher_dinodocus import SearchPlayer
    from thinking import Thinking

    if size.endswith("ms"):
        return SearchPlayer(start, Thinking(ms=int(size[:-2]), now=time.process_time))
    return SearchPlayer(start, Thinking(playouts=int(size)))


def play(names: list[str], options: dict[str, Any], seed: int) -> tuple[list[int], list[int], list[float], list[int]]:
    """A game: scores and ranks, and by seat the CPU seconds and decisions of its bot."""
    seats = len(names)
    state, dice = GAME.start(seats, options), Seed(seed)
    start = {"game": GAME.name, "seats": seats, "options": options}
    players = [player(name, {**start, "seat": seat, "bot_seed": 100 * seed + seat}) for seat, name in enumerate(names)]
    spent, decisions = [0.0] * seats, [0] * seats
    while actors := GAME.to_act(state):
        actions = {}
        for seat in actors:
            if seat == CHANCE:
                actions[seat] = GAME.deal(state, dice)
                continue
            legal = GAME.legal(state, seat)
            if len(legal) == 1:
                actions[seat] = legal[0]
                continue
            question = {"view": GAME.view(state, seat), "legal": list(legal), "phase": state.phase.value, "events": []}
            before = time.process_time()
            answer = players[seat].decide(question)
            spent[seat] += time.process_time() - before
            decisions[seat] += 1
            actions[seat] = answer if isinstance(answer, str) else answer[0]
        state = GAME.apply(state, actions)
    outcome = GAME.outcome(state)
    assert outcome is not None
    return list(outcome.scores), list(outcome.ranks), spent, decisions


def points(scores: list[int], seat: int) -> float:
    """The part of a win that a seat gets."""
    best = max(scores)
    return (scores[seat] == best) / scores.count(best)


def fixtures(given: argparse.Namespace) -> Iterator[tuple[int, int]]:
    """Seed of the deal, and seat of the first bot."""
    for seed in range(given.first_seed, given.first_seed + math.ceil(given.games / given.seats)):
        for seat in range(given.seats):
            yield seed, seat


def run(given: argparse.Namespace, options: dict[str, Any]) -> list[dict[str, Any]]:
    key = {"bot": given.bot, "others": given.others, "seats": given.seats, "options": options}
    rows = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out and given.out.exists() else []
    rows = [row for row in rows if all(row[name] == value for name, value in key.items())]
    known = {(row["seed"], row["seat"]) for row in rows}
    until = time.process_time() + given.cpu_seconds
    for seed, seat in fixtures(given):
        if (seed, seat) in known:
            continue
        if time.process_time() > until:
            break
        names = [given.bot if other == seat else given.others for other in range(given.seats)]
        scores, _, spent, decisions = play(names, options, seed)
        row = {**key, "seed": seed, "seat": seat, "scores": scores, "ms": 1000 * spent[seat] / max(1, decisions[seat])}
        rows.append(row)
        if given.out:
            with given.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
        sys.stderr.write(f"\r{len(rows)} games")
    sys.stderr.write("\n")
    return rows


def line(rows: list[dict[str, Any]]) -> list[str]:
    """A row of the table: what these games say."""
    sets: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        sets[row["seed"]].append(points(row["scores"], row["seat"]))
    means = [statistics.mean(one) for one in sets.values()]
    half = 1.96 * statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else 1.0
    first = rows[0]
    lead = [
        row["scores"][row["seat"]] - max(s for i, s in enumerate(row["scores"]) if i != row["seat"]) for row in rows
    ]
    return [
        first["bot"], first["others"], str(first["seats"]), "advanced" if first["options"].get("advanced") else "basic",
        str(len(rows)), f"{100 * statistics.mean(means):.0f} % ± {100 * half:.0f}", f"{statistics.mean(lead):+.1f}",
        f"{statistics.mean([row['scores'][row['seat']] for row in rows]):.1f}",
        f"{statistics.mean([row['ms'] for row in rows]):.1f}",
    ]  # fmt: skip


HEADERS = ["bot", "others", "players", "rules", "games", "points or wins", "lead", "score", "ms a decision"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?")
    parser.add_argument("others", nargs="?", default="greedy")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--advanced", action="store_true")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--cpu-seconds", type=float, default=200, help="begin no game after that")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", action="store_true", help="print what --out holds")
    given = parser.parse_args()
    if given.report:
        groups = defaultdict(list)
        for text in given.out.read_text().splitlines():
            row = json.loads(text)
            groups[row["bot"], row["others"], row["seats"], str(row["options"])].append(row)
        lines = [line(rows) for rows in groups.values()]
    else:
        lines = [line(run(given, {"advanced": True} if given.advanced else {}))]
    sys.stdout.write(tabulate(lines, HEADERS, tablefmt="github", disable_numparse=True) + "\n")


if __name__ == "__main__":
    main()
