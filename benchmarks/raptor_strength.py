"""How strong raptor is at Draftosaurus, by playouts or by time: games on the engine, without a referee.

    .venv/bin/python benchmarks/raptor_strength.py --playouts 100,1000,10000 --games 200
    .venv/bin/python benchmarks/raptor_strength.py --ms 200 --seats 5 --season winter --against search-64

raptor plays one seat, and the others are `greedy`, `planner`, `search-N` with N playouts a decision, or `raptor-N`. In
one set of deals raptor sits once in every seat. The table shows the share of the games in which it was first, a tie in
parts; par is 1 in the number of seats. Intervals are of 95 %, and count a set of deals as one. Playouts a second are
those of raptor's own process by the clock of its CPU. The same seeds and playouts give the same games.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

from arena.roster.entries import find
from engine.contract import CHANCE
from engine.dice import Seed
from engine.draftosaurus import GAME
from protocol.messages import Decide, End, Hello, Message, Move, Start, Welcome
from protocol.session import Role, Session

BOTS = Path(__file__).parents[1] / "bots" / "python"
sys.path.insert(0, str(BOTS))
PLENTY = {"bank_ms": 1_000_000, "increment_ms": 100_000}


class Raptor:
    """Its process, which plays one seat at a time."""

    def __init__(self, words: list[str]) -> None:
        folder = find("raptor").folder
        self.process = subprocess.Popen(
            ["./raptor", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.session = Session(Role.ARENA)
        self.playouts = self.seconds = self.decisions = 0.0
        assert isinstance(self._hear(), Hello)
        self._tell(Welcome(1, "benchmark", {}))

    def begin(self, start: dict[str, Any]) -> None:
        clock = {"prepare_ms": 1000, **PLENTY}
        names = ["x"] * start["seats"]
        self._tell(
            Start(
                "m",
                GAME.name,
                GAME.edition,
                start["options"],
                start["seat"],
                start["seats"],
                names,
                clock,
                start["bot_seed"],
            )
        )
        self._hear()

    def decide(self, question: dict[str, Any]) -> str:
        number = self.session.question + 1
        before = self._cpu()
        self._tell(Decide(number, question["view"]["phase"], question["view"], question["legal"], [], PLENTY))
        move = self._hear()
        assert isinstance(move, Move)
        self.seconds += self._cpu() - before
        self.decisions += 1
        words = (move.note or "").split()
        self.playouts += int(words[-2]) if words[-1:] == ["playouts"] else 0
        return move.action

    def end(self, scores: list[int], ranks: list[int]) -> None:
        self._tell(End(scores, ranks, {}, []))

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _tell(self, message: Message) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(self.session.send(message))

    def _hear(self) -> Any:
        assert self.process.stdout is not None
        heard: list[Any] = []
        while not heard:
            piece = self.process.stdout.read(1 << 16)
            if not piece:
                raise SystemExit("raptor has ended")
            heard += self.session.receive(piece)
        return heard[0]


class Rival:
    """A bot in Python without its process, or another raptor."""

    def __init__(self, name: str) -> None:
        self.kind, _, size = name.partition("-")
        self.playouts = int(size or 0)
        self.raptor = Raptor(["--playouts", size]) if self.kind == "raptor" else None
        self.player: Any = None

    def begin(self, start: dict[str, Any]) -> None:
        if self.raptor:
            self.raptor.begin(start)
        self.player = self.raptor or self._player(start)

    def decide(self, question: dict[str, Any]) -> str:
        answer = self.player.decide(question)
        return answer if isinstance(answer, str) else str(answer[0])

    def end(self, scores: list[int], ranks: list[int]) -> None:
        if self.raptor:
            self.raptor.end(scores, ranks)

    def _player(self, start: dict[str, Any]) -> Any:
        if self.kind == "greedy":
            from greedy_draftosaurus import GreedyPlayer

            return GreedyPlayer(start)
        if self.kind == "planner":
            from planner_draftosaurus import PlannerPlayer

            return PlannerPlayer(start)
        from searcher_draftosaurus import SearchPlayer
        from thinking import Thinking

        return SearchPlayer(start, Thinking(playouts=self.playouts))


def play(players: list[Any], options: dict[str, Any], seed: int) -> list[tuple[int, int]]:
    """A game: score and rank by seat."""
    seats = len(players)
    for seat, player in enumerate(players):
        player.begin(
            {"game": GAME.name, "seats": seats, "options": options, "seat": seat, "bot_seed": 100 * seed + seat}
        )
    state, dice = GAME.start(seats, options), Seed(seed)
    while actors := GAME.to_act(state):
        if actors == (CHANCE,):
            state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
            continue
        actions = {}
        for seat in actors:
            legal = list(GAME.legal(state, seat))
            asked = {"view": GAME.view(state, seat), "legal": legal, "phase": state.phase.value, "events": []}
            actions[seat] = players[seat].decide(asked) if len(legal) > 1 else legal[0]
        state = GAME.apply(state, actions)
    outcome = GAME.outcome(state)
    assert outcome is not None
    for player in players:
        player.end(list(outcome.scores), list(outcome.ranks))
    return list(zip(outcome.scores, outcome.ranks))


def measured(given: argparse.Namespace, words: list[str]) -> list[str]:
    """A row of the table."""
    raptor, rivals = Raptor(words), [Rival(given.against) for _ in range(given.seats - 1)]
    options = {"season": given.season}
    sets, leads, scores = [], [], []
    for seed in range(given.first_seed, given.first_seed + math.ceil(given.games / given.seats)):
        shares = []
        for seat in range(given.seats):
            ended = play([*rivals[:seat], raptor, *rivals[seat:]], options, seed)
            first = [rank == 1 for _, rank in ended]
            shares.append(first[seat] / sum(first))
            scores.append(ended[seat][0])
            leads.append(ended[seat][0] - max(score for other, (score, _) in enumerate(ended) if other != seat))
        sets.append(statistics.mean(shares))
    raptor.process.kill()
    half = 1.96 * statistics.stdev(sets) / math.sqrt(len(sets)) if len(sets) > 1 else 1.0
    return [
        " ".join(words).removeprefix("--"), given.against, str(given.seats), given.season, str(len(scores)),
        f"{100 * statistics.mean(sets):.1f} % ± {100 * half:.1f}", f"{statistics.mean(leads):+.1f}",
        f"{statistics.mean(scores):.1f}", f"{raptor.playouts / max(raptor.seconds, 0.01):,.0f}",
        f"{1000 * raptor.seconds / raptor.decisions:.1f}",
    ]  # fmt: skip


HEADERS = [
    "raptor",
    "others",
    "players",
    "season",
    "games",
    "first",
    "lead",
    "score",
    "playouts/s",
    "CPU ms a decision",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--playouts", default="")
    parser.add_argument("--ms", default="")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--season", default="summer")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1)
    given = parser.parse_args()
    budgets = [(f"--{kind}", size) for kind in ("playouts", "ms") for size in getattr(given, kind).split(",") if size]
    if not budgets:
        parser.error("say how much raptor thinks: --playouts 100,1000 or --ms 50,200")
    rows = [measured(given, list(budget)) for budget in budgets]
    sys.stdout.write(f"{tabulate(rows, HEADERS, disable_numparse=True)}\n")


if __name__ == "__main__":
    main()
