"""The rules in pure Python, where they are compiled: a process that imports them from their source files.

The process plays a slice of playouts when it is told to, so that both take turns. A wheel holds the source of every
module that is compiled.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

from arena.version import RUN_OURS, is_compiled

ENGINE = Path(__file__).parents[2] / "engine"


def why_not(checks_compiled: bool) -> str:
    """Why this arena has no value for a check of the compiled arena, or of pure Python; nothing: it has one."""
    if checks_compiled == is_compiled():
        return ""
    if checks_compiled:
        return "this arena runs in pure Python; `make bench-fast` measures the compiled one"
    return "this arena is compiled; `make bench` measures pure Python"


# Here


@dataclass(slots=True)
class PureRow:
    """What a PlayoutRow of the same name measures in the other process."""

    name: str
    process: subprocess.Popen[str]
    rates: list[tuple[float, float]] = field(default_factory=list)

    def measure(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{self.name}\n")
        self.process.stdin.flush()
        decisions, games = json.loads(self.process.stdout.readline())
        self.rates.append((decisions, games))


@contextmanager
def pure_rules() -> Iterator[subprocess.Popen[str]]:
    """The other process."""
    words = [*RUN_OURS, "arena.bench.pure"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


# There


def source_finder(folder: str) -> FileFinder:
    """For sys.path_hooks: in the engine it finds source files only. Other folders are left to others."""
    if not Path(folder).is_relative_to(ENGINE):
        raise ImportError(folder)
    return FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))


def main() -> None:
    """Play a slice of each row whose name is read, and print its rates."""
    sys.path_hooks.insert(0, source_finder)
    from arena.bench.playouts import CONTESTS, our_rows, warm_up

    assert not is_compiled(), "the rules come from their source files"
    rows = {row.name: row for contest in CONTESTS for row in our_rows(contest)}
    ready = set[str]()
    for line in sys.stdin:
        row = rows[line.strip()]
        if row.name not in ready:
            warm_up(row)
            ready.add(row.name)
        row.measure()
        sys.stdout.write(f"{json.dumps(row.rates[-1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
