"""Which small mutations of the code do its tests notice?

Each mutation (benchmarks/mutants.py) is made alone, in a copy of this checkout. Then the nearest tests run: those that
import the module, and those of its room; first those that start no process, then all of them. When a test fails, the
mutation is undone, and the test must pass again: else it fails for another reason. The results go to build/mutations.
The same command goes on where it was stopped.

    python benchmarks/mutations.py --count 80 --seed 1        # an hour on two cores
    python benchmarks/mutations.py --count 6 --only arena/match/referee.py
    python benchmarks/mutations.py --count 80 --seed 1 --list # only show what would be tried
    python benchmarks/mutations.py --at arena/match/referee.py:86 --tests tests/match/test_referee.py

    caught      a test failed because of it
    hung        a test went on until the limit because of it
    survived    all tests passed: is a test missing, or does the mutation change nothing?
    unfinished  no test failed before the limit; the test that was running is named
    unclear     a test failed, and fails without the mutation too
"""

import argparse
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from time import monotonic, time

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.mutants import Mutation, chosen, mutations
from tests.anywhere.checkouts import OF_OTHERS, copy
from tests.anywhere.commands import ROOT, Crew, Ended
from tests.selection import STARTING

RESULTS = ROOT / "build" / "mutations"
NEAREST = {
    "arena": ("tests/arena", "tests/cli/test_mistakes.py", "tests/cli/test_cli.py"),
    "bench": ("tests/bench", "tests/kits/test_bench_kits.py"),
    "building": ("tests/building", "tests/attacks/test_builds.py"),
    "check": ("tests/check",),
    "cli": ("tests/cli",),
    "cluster": ("tests/cluster",),
    "doctor": ("tests/doctor",),
    "ladder": ("tests/ladder",),
    "league": ("tests/league",),
    "match": ("tests/match",),
    "protocol": ("tests/protocol",),
    "replay": ("tests/replay",),
    "roster": ("tests/roster",),
    "sandbox": ("tests/sandbox",),
    "tuning": ("tests/tuning",),
    "web": ("tests/web",),
    "words": ("tests/words", "tests/cli/test_human.py", "tests/replay"),
    "arena/names.py": ("tests/cli/test_human.py", "tests/roster", "tests/match/test_record_limits.py"),
    "arena/options.py": ("tests/cli", "tests/league/test_tournament.py"),
    "arena/place.py": ("tests/league",),
    "arena/running.py": ("tests/cli", "tests/replay"),
}
"""The tests of each room, or of a module. `arena` are the other modules that stand alone in arena/."""
ELSEWHERE = ("anywhere", "attacks", "kits")
"""Folders whose tests take minutes: they count only where NEAREST names them."""
PASSED, NONE_CHOSEN = 0, 5
NOTICED = re.compile(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", re.MULTILINE)
STARTED = re.compile(r"^(tests/\S+::.*?) *(?:(?:PASSED|SKIPPED|XFAIL).*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TriedMutation:
    """What became of a mutation."""

    key: str
    kind: str
    outcome: str
    test: str
    seconds: float

    def __str__(self) -> str:
        by = f" {self.test}" if self.test else ""
        return f"{self.outcome:<10} {self.kind}, {self.key}{by} ({self.seconds:.0f} s)"


@dataclass
class Laboratory:
    """A copy of the checkout in which modules are changed and tests run."""

    folder: Path
    log: Path
    limit_s: float
    tests: Sequence[str] = ()
    """The only tests that are tried, if the user knows the ones that should notice."""
    crew: Crew = field(default_factory=Crew)
    _clock: int = field(default_factory=lambda: int(time()))

    def write(self, path: str, source: bytes) -> None:
        """Each time with another second, by which Python knows that what it has compiled is out of date."""
        self._clock += 1
        (self.folder / path).write_bytes(source)
        os.utime(self.folder / path, (self._clock, self._clock))

    def run(self, *words: str) -> Ended:
        """Run tests, verbosely, so that the last line names the test that was running."""
        scratch = self.folder.with_name("scratch")
        command = [sys.executable, "-m", "pytest", "-x", "-vv", "-p", "no:cacheprovider", "--basetemp", str(scratch)]
        environment = {name: value for name, value in os.environ.items() if name not in OF_OTHERS}
        environment |= {"PYTHONPATH": str(self.folder), "COLUMNS": "500"}
        return self.crew.run([*command, *words], self.log, self.limit_s, self.folder, environment)

    def check(self) -> None:
        """Tests must see this copy, and not the checkout that is installed in the same environment."""
        words = [sys.executable, "-c", "import arena, protocol; print(arena.__file__, protocol.__file__)"]
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        seen = self.crew.run(words, self.log, self.limit_s, self.folder, environment)
        if seen.output.count(str(self.folder)) != 2:
            sys.exit(f"Tests would not see the copy: {seen.output}")

    def attempt(self, mutation: Mutation) -> TriedMutation:
        """Make a mutation, run its tests, and undo it."""
        began, source = monotonic(), (self.folder / mutation.path).read_bytes()
        tests = self.tests or nearest(self.folder, mutation.path)
        outcome, test = "survived", ""
        for options, files in ((["--quick"], [file for file in tests if not starts_processes(file)]), ([], tests)):
            if files and outcome == "survived":
                self.write(mutation.path, mutation.applied(source))
                outcome, test = self._noticed(options, files)
                self.write(mutation.path, source)
                again = [test] if test else ["--collect-only", *files]
                if outcome == "caught" and self.run(*options, *again).code != PASSED:
                    outcome = "unclear"
        return TriedMutation(mutation.key, mutation.kind, outcome, test, round(monotonic() - began, 1))

    def _noticed(self, options: Sequence[str], tests: Sequence[str]) -> tuple[str, str]:
        """The outcome, and the test that decided it; none if the tests cannot even be collected."""
        ended = self.run(*options, *tests)
        if ended.code in (PASSED, NONE_CHOSEN):
            return "survived", ""
        if ended.code is not None:
            failed = NOTICED.search(ended.output)
            return "caught", failed[1] if failed else ""
        running = STARTED.findall(ended.output)
        if not running:
            return "hung", ""
        alone = self.run(*options, running[-1])
        return {None: "hung", PASSED: "unfinished"}.get(alone.code, "caught"), running[-1]


def room(path: str) -> str:
    root, *below = path.split("/")
    return below[0] if root == "arena" and len(below) > 1 else root


def starts_processes(test: str) -> bool:
    """Whether `make quick` leaves out this file: if it is named, it is not ignored, but may not start a process."""
    place = Path(test).relative_to("tests")
    return any(place.is_relative_to(name) for name in STARTING)


def nearest(folder: Path, path: str) -> list[str]:
    """The test files that import a module, and those of its room."""
    package, _, name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".").rpartition(".")
    imports = re.compile(rf"\b{re.escape(package)}\.{name}\b|from {re.escape(package)} import .*\b{name}\b")
    files = [file for file in (folder / "tests").rglob("test_*.py") if file.parent.name not in ELSEWHERE]
    found = [file for file in files if imports.search(file.read_text("utf-8"))]
    for place in NEAREST.get(path) or NEAREST[room(path)]:
        found += [folder / place] if place.endswith(".py") else (folder / place).rglob("test_*.py")
    return sorted({str(file.relative_to(folder)) for file in found})


def plan(seed: int, only: Sequence[str], at: Sequence[str] = ()) -> Iterator[Mutation]:
    """The mutations of arena/ and protocol/, or of the paths that begin like these, in the order of this seed.

    If lines are named, only their mutations.
    """
    by_room: dict[str, list[list[Mutation]]] = {}
    begin = tuple(only) or tuple(line.rpartition(":")[0] for line in at) or ("",)
    for file in sorted([*(ROOT / "arena").rglob("*.py"), *(ROOT / "protocol").rglob("*.py")]):
        path = file.relative_to(ROOT).as_posix()
        if path.startswith(begin):
            by_room.setdefault(room(path), []).append(_mutations_of(path))
    return (one for one in chosen(by_room, seed) if not at or f"{one.path}:{one.line}" in at)


@cache
def _mutations_of(path: str) -> list[Mutation]:
    """Those of a file of this checkout."""
    return mutations(path, (ROOT / path).read_bytes())


def tried(path: Path) -> dict[str, TriedMutation]:
    """What an earlier run has found; the last line may be cut short."""
    lines = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
    trials = [TriedMutation(**json.loads(line)) for line in lines if line.endswith("\n")]
    return {trial.key: trial for trial in trials}


def say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)  # noqa: T201 it is a program


def experiment(
    wanted: Sequence[Mutation], path: Path, limit_s: float, until: float, tests: Sequence[str]
) -> dict[str, TriedMutation]:
    """Try what was not tried yet, as long as there is time. Who names tests wants to know what these notice."""
    done = {} if tests else tried(path)
    stage = Path(tempfile.mkdtemp(prefix="dino-mutations-"))
    os.chmod(stage, 0o755)  # bots of a root user are others
    laboratory = Laboratory(stage / "checkout", path.with_suffix(".log"), limit_s, tests)
    try:
        copy(laboratory.folder)
        laboratory.check()
        for number, mutation in enumerate(wanted, 1):
            if mutation.key not in done and monotonic() < until:
                done[mutation.key] = trial = laboratory.attempt(mutation)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(trial)) + "\n")
                say(f"{number:>3}/{len(wanted)} {trial}")
    finally:
        laboratory.crew.end_all()
        shutil.rmtree(stage, ignore_errors=True)
    return {mutation.key: done[mutation.key] for mutation in wanted if mutation.key in done}


def main() -> None:
    parser = argparse.ArgumentParser(description="Which small mutations of the code do its tests notice?")
    parser.add_argument("--count", type=int, default=80, help="how many mutations (80)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--only", nargs="+", default=[], metavar="PATH", help="only in modules below these paths")
    parser.add_argument("--at", nargs="+", default=[], metavar="PATH:LINE", help="only in these lines")
    parser.add_argument("--tests", nargs="+", default=[], metavar="FILE", help="only these tests, not the nearest ones")
    parser.add_argument("--limit-s", type=float, default=400, help="most seconds for one run of tests (400)")
    parser.add_argument("--minutes", type=float, default=600, help="begin no mutation later than this (600)")
    parser.add_argument("--list", action="store_true", help="only show the mutations")
    asked = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    wanted = list(islice(plan(asked.seed, asked.only, asked.at), asked.count))
    if asked.list:
        say(*(f"{mutation.kind}, {mutation.key}" for mutation in wanted))
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"seed-{asked.seed}.jsonl"
    try:
        trials = experiment(wanted, path, asked.limit_s, monotonic() + 60 * asked.minutes, asked.tests)
    except KeyboardInterrupt:
        sys.exit(130)
    counts = Counter(trial.outcome for trial in trials.values())
    say(
        "",
        f"{len(trials)} of {len(wanted)} tried: {', '.join(f'{n} {outcome}' for outcome, n in counts.most_common())}",
    )
    say(
        *(str(trial) for trial in trials.values() if trial.outcome not in ("caught", "hung")),
        f"Log: {path.with_suffix('.log')}",
    )


if __name__ == "__main__":
    main()
