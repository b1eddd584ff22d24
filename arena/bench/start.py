"""How long a command takes to start: the whole process, beside a Python that does nothing.

All of them start in turn, so that a busy moment of the machine disturbs them alike. The median of the rounds counts. A
match is played by two built-in bots, so that of `play` more than the start is measured: it is what a visitor waits for.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from arena.errors import ArenaError
from arena.version import RUN_OURS

ROUNDS = 11
ARENA = (*RUN_OURS, "arena")
NOTHING = "python"
STARTS: Mapping[str, Sequence[str]] = {
    NOTHING: (sys.executable, "-c", "pass"),
    "help": (*ARENA, "--help"),
    "games": (*ARENA, "games"),
    "play": (*ARENA, "play", "greedy", "random", "--seed", "7"),
    "worker": (sys.executable, "-P", "-c", "import arena.league.worker"),
}
"""What is started, by name. A worker of a league imports this much before it asks for its first match."""
BUDGETS_MS = {"help": 130.0, "play": 300.0, "worker": 300.0}


@dataclass(slots=True)
class TimedStart:
    """A command that is started many times, and how long each took."""

    name: str
    command: Sequence[str]
    took_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    """Of the process and of all that it started."""

    def run(self, folder: Path) -> None:
        """Start it once, and wait for its end."""
        before, began = _cpu_s(), time.perf_counter()
        ended = subprocess.run(self.command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        took, cpu = time.perf_counter() - began, _cpu_s() - before
        if ended.returncode != 0:
            raise ArenaError(f"{self.name}: exit code {ended.returncode}: {ended.stderr.decode(errors='replace')}")
        self.took_ms.append(took * 1e3)
        self.cpu_ms.append(cpu * 1e3)


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Milliseconds from the start to the end of each command."""
    starts = [TimedStart(name, command) for name, command in STARTS.items()]
    with TemporaryDirectory() as name:
        for start in starts:
            start.run(Path(name))  # the first one compiles modules and fills caches, and does not count
            start.took_ms.clear()
            start.cpu_ms.clear()
        for _ in range(rounds):
            for start in starts:
                start.run(Path(name))
    return {"rows": list(_rows(starts)), "checks": list(_checks(starts))}


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _rows(starts: Sequence[TimedStart]) -> Iterator[dict[str, Any]]:
    nothing = next(start for start in starts if start.name == NOTHING)
    for start in starts:
        ratios = [own / least for own, least in zip(start.took_ms, nothing.took_ms)]
        yield {
            "start": start.name,
            "ms": round(median(start.took_ms), 1),
            "fastest_ms": round(min(start.took_ms), 1),
            "slowest_ms": round(max(start.took_ms), 1),
            "cpu_ms": round(median(start.cpu_ms), 1),
            "ratio_to_python": round(median(ratios), 1),
        }


def _checks(starts: Sequence[TimedStart]) -> Iterator[dict[str, Any]]:
    for start in starts:
        if start.name in BUDGETS_MS:
            value, budget = median(start.took_ms), BUDGETS_MS[start.name]
            check = {"name": f"start.{start.name}_ms", "unit": "ms", "budget": budget, "better": "lower"}
            yield {**check, "value": round(value, 1), "ok": value <= budget}
