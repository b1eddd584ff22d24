"""How strong search is by the number of playouts, or by the milliseconds of CPU time, that a decision gets.

    .venv/bin/python -m benchmarks.saturation results.jsonl --playouts 16 64 256 1000 --games 200 --minutes 10
    .venv/bin/python -m benchmarks.saturation results.jsonl --ms 10 50 200 1000 --seats 5
    .venv/bin/python -m benchmarks.saturation results.jsonl        # only the table

Games are played in this process, through the rules of the engine, with search in one seat and the opponent in all
others; search has each seat in turn, with the same deals for all seats and for all lengths. So a busy machine makes it
slower and not weaker. Each game is a line of the results: the same command goes on where it was stopped.
"""

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from engine import CHANCE, Seed, game

sys.path.insert(0, str(Path(__file__).parents[1] / "bots" / "python"))

OPTIONS: dict[str, dict[str, Any]] = {
    "summer": {},
    "winter": {"season": "winter"},
    "double": {"season": "summer_winter"},
    "basic": {},
    "advanced": {"advanced": True},
}
CLASSES = {"random": "RandomPlayer", "novice": "NovicePlayer"}
"""Where a bot has no function `player`."""
Point = tuple[str, str, str, int]
"""Bot, opponent, board and seats."""
Player = Callable[[dict[str, Any]], Any]


def player_of(name: str) -> Player:
    """greedy, planner, search-64 (playouts) or search-200ms (of CPU time)."""
    word, _, length = name.partition("-")
    if word != "search":
        module = import_module(f"{word}_bot")
        found: Player = getattr(module, CLASSES.get(word, "player"))
        return found
    thinking, search = import_module("thinking").Thinking, import_module("searcher_bot").player
    if length.endswith("ms"):
        given = thinking(ms=int(length[:-2]), now=time.process_time)
    else:
        given = thinking(playouts=int(length))
    return lambda start: search(start, given)


def play(point: Point, number: int) -> dict[str, Any]:
    """One game: the share of rivals that the bot has beaten, its share of the first place, and its margin."""
    bot, opponent, board, seats = point
    rules = game("dinodocus" if board in ("basic", "advanced") else "draftosaurus")
    seed, own = number // seats, number % seats
    players = [player_of(bot if seat == own else opponent) for seat in range(seats)]
    start = {"game": rules.name, "seats": seats, "options": OPTIONS[board]}
    table = [make({**start, "seat": seat, "bot_seed": 100 * seed + seat}) for seat, make in enumerate(players)]
    state, dice, began = rules.start(seats, OPTIONS[board]), Seed(seed), time.process_time()
    while actors := rules.to_act(state):
        actions = {}
        for seat in actors:
            if seat == CHANCE:
                actions[seat] = rules.deal(state, dice)
            else:
                answer = table[seat].decide({"view": rules.view(state, seat), "legal": list(rules.legal(state, seat))})
                actions[seat] = answer if isinstance(answer, str) else answer[0]
        state = rules.apply(state, actions)
    end = rules.outcome(state)
    assert end is not None
    rank, scores = end.ranks[own], end.scores
    rivals = [other for seat, other in enumerate(end.ranks) if seat != own]
    return {
        "point": point,
        "number": number,
        "points": sum((rank < other) + (rank == other) / 2 for other in rivals) / len(rivals),
        "first": (rank == 1) / end.ranks.count(1),
        "margin": scores[own] - max(score for seat, score in enumerate(scores) if seat != own),
        "cpu_s": round(time.process_time() - began, 3),
    }


def read(results: Path) -> dict[Point, dict[int, dict[str, Any]]]:
    """The games played so far, by point and number."""
    found: dict[Point, dict[int, dict[str, Any]]] = defaultdict(dict)
    for line in results.read_text("utf-8").splitlines() if results.exists() else ():
        row = json.loads(line)
        bot, opponent, board, seats = row["point"]
        found[bot, opponent, board, seats][row["number"]] = row
    return found


def table(found: dict[Point, dict[int, dict[str, Any]]]) -> Iterator[str]:
    """Markdown, with 95 % intervals."""
    yield "| bot | against | board | seats | games | share of points | first | margin | CPU s/game |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for (bot, opponent, board, seats), games in found.items():
        rows = list(games.values())
        columns = [interval([row[name] for row in rows], 100) for name in ("points", "first")]
        margin = sum(row["margin"] for row in rows) / len(rows)
        cpu = sum(row["cpu_s"] for row in rows) / len(rows)
        cells = (bot, opponent, board, seats, len(rows), *columns, f"{margin:+.1f}", f"{cpu:.2f}")
        yield f"| {' | '.join(map(str, cells))} |"


def interval(values: list[float], scale: float) -> str:
    """The mean and half of its 95 % interval."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1) / len(values))
    return f"{scale * mean:.0f} ± {scale * 1.96 * spread:.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--playouts", nargs="*", type=int, default=[])
    parser.add_argument("--ms", nargs="*", type=int, default=[])
    parser.add_argument("--bots", nargs="*", default=[], help="others, such as planner")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--board", default="summer", choices=OPTIONS)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=3.0, help="of CPU time")
    given = parser.parse_args()
    bots = [*given.bots, *(f"search-{n}" for n in given.playouts), *(f"search-{ms}ms" for ms in given.ms)]
    found, until = read(given.results), time.process_time() + 60 * given.minutes
    with given.results.open("a", encoding="utf-8") as out:
        for number in range(given.games if bots else 0):
            for bot in bots:
                point = (bot, given.against, given.board, given.seats)
                if number not in found[point] and time.process_time() < until:
                    found[point][number] = play(point, number)
                    print(json.dumps(found[point][number]), file=out, flush=True)
    sys.stdout.write("\n".join([*table({point: games for point, games in found.items() if games}), ""]))


if __name__ == "__main__":
    main()
