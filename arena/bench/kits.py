"""What the languages cost: a question to the starter of each kit and back, compared with the kit in C.

All bots run at once, each in the best sandbox of this machine, and take turns in short slices on one core. The first
slices do not count: in them, runtimes with a JIT compiler warm up.
"""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from arena.bench.sandbox import TimedBot, hear_hello, running
from arena.building.build import Way, build
from arena.errors import ArenaError
from arena.match.excerpt import Excerpt
from arena.match.launch import Launcher, Process, usable_cpus
from arena.match.tiers import choose
from arena.roster.entries import Entry
from arena.roster.kits import LANGUAGES, create
from arena.running import run
from engine.catalogue import game as find_game
from engine.dice import Seed
from engine.playouts import at_random, steps
from protocol.messages import REVISION, Decide, Start, Welcome
from protocol.session import Session

GAME, SEATS = "draftosaurus", 5
YARDSTICK = "c"
SLICES, WARM_UP = 12, 4
SLICE_S = 0.25
BUILD_S = 900
CLOCK = {"bank_ms": 10_000, "increment_ms": 100}


@dataclass(slots=True)
class Runner:
    """A bot that is asked again and again."""

    language: str
    process: Process
    session: Session
    start_ms: float
    trips_us: list[float] = field(default_factory=list)

    def sit_down(self) -> None:
        """Everything up to the first question."""
        for fd in (self.process.stdin, self.process.stdout):
            os.set_blocking(fd, True)
        clock = {"prepare_ms": 10_000, **CLOCK}
        start = Start("bench", GAME, find_game(GAME).edition, {}, 0, SEATS, ["bench"] * SEATS, clock, 1)
        os.write(self.process.stdin, self.session.send(Welcome(REVISION, "bench", {})))
        os.write(self.process.stdin, self.session.send(start))
        self._hear(os.read(self.process.stdout, 1 << 12))

    def run(self, question: Decide) -> None:
        """Ask for one slice of time, and note the microseconds of a question and its answer."""
        trips, spent = 0, 0.0
        while spent < SLICE_S:
            frame = self.session.send(question.again(self.session.question + 1))
            began = time.perf_counter()
            os.write(self.process.stdin, frame)
            answer = os.read(self.process.stdout, 1 << 12)
            spent += time.perf_counter() - began
            trips += 1
            self._hear(answer)
        self.trips_us.append(spent * 1e6 / trips)

    def _hear(self, answer: bytes) -> None:
        """An answer is written in one piece, and shorter than a pipe's."""
        if not list(self.session.receive(answer)):
            raise ArenaError(f"{self.language}: the bot has ended, or its answer came in pieces: {answer!r}")


def measure(slices: int = SLICES) -> dict[str, Any]:
    """Microseconds of a question and its answer, and milliseconds from start to hello, for each language."""
    question, cores = _question(), usable_cpus()
    skipped: dict[str, str] = {}
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)  # bots of a root arena are not root
        launcher = choose("auto")
        stack.callback(launcher.close)
        bots = list(_bots(folder, skipped))
        os.sched_setaffinity(0, cores[-1:])
        try:
            runners = [_running(launcher, bot, cores[-1], stack) for bot in bots]
            for _ in range(WARM_UP + slices):
                for runner in runners:
                    runner.run(question)
        finally:
            os.sched_setaffinity(0, cores)
    return {"rows": list(_rows(runners, skipped)), "checks": []}


def _bots(folder: Path, skipped: dict[str, str]) -> Iterator[TimedBot]:
    for language in LANGUAGES:
        try:
            entry = create(folder / f"{language}-bot", language)
            _build(entry)
        except ArenaError as error:
            skipped[language] = str(error)
        else:
            yield TimedBot(language, entry.command, entry.folder)


def _build(entry: Entry) -> None:
    printed = Excerpt()
    why = run(lambda: build(entry, Way.YES, printed.add, BUILD_S))
    if why is not None:
        raise ArenaError(f"the build {why}")


def _running(launcher: Launcher, bot: TimedBot, core: int, stack: ExitStack) -> Runner:
    began = time.perf_counter()
    process = stack.enter_context(running(launcher, bot, [core]))
    session = hear_hello(process)
    runner = Runner(bot.name, process, session, (time.perf_counter() - began) * 1e3)
    runner.sit_down()
    return runner


def _question() -> Decide:
    """A question from the middle of a real game."""
    game, dice = find_game(GAME), Seed(1)
    states = [state for _, state in steps(game, game.start(SEATS, {}), dice, at_random(dice))]
    state = next(state for state in states[len(states) // 2 :] if game.to_act(state) == tuple(range(SEATS)))
    view = game.view(state, 0)
    return Decide(0, view["phase"], dict(view), list(game.legal(state, 0)), [], CLOCK)


def _rows(runners: list[Runner], skipped: dict[str, str]) -> Iterator[dict[str, Any]]:
    trips = {runner.language: runner.trips_us[WARM_UP:] for runner in runners}
    for runner in runners:
        row: dict[str, Any] = {"language": runner.language, "round_trip_us": round(median(trips[runner.language]), 1)}
        if YARDSTICK in trips:
            ratios = [own / c for own, c in zip(trips[runner.language], trips[YARDSTICK])]
            row["ratio_to_c"] = round(median(ratios), 2)
        yield {**row, "start_ms": round(runner.start_ms, 1)}
    for language, reason in skipped.items():
        yield {"language": language, "skipped": reason}
