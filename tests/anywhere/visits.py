"""One visit to one machine: is it what it says, does `arena demo` play, do the tests for every machine pass?"""

import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from tests.anywhere.checkouts import Copy, give
from tests.anywhere.commands import Crew, Ended
from tests.anywhere.machines import Machine
from tests.anywhere.pythons import ORDINARY
from tests.anywhere.toolchains import without_toolchains

TESTS = (
    "tests/anywhere/test_visit.py",
    "tests/doctor/test_doctor.py",
    "tests/cli/test_play.py",
)
"""Where the tests are that are marked `anywhere`: not all files are searched, because that needs all of their packages."""
STEP_S = 300
"""More than any step takes on a slow machine."""
PLAYED = re.compile(r"^After 18 matches:$", re.MULTILINE)
TRACEBACK = "Traceback (most recent call last)"


@dataclass(slots=True)
class Visit:
    """What came of it."""

    machine: Machine
    tier: str = ""
    """The sandbox that bots get here, by the doctor's word."""
    demo: str = ""
    passed: int = 0
    failed: int = 0
    skips: Counter[str] = field(default_factory=Counter)
    """The reasons of tests that were skipped."""
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0
    log: Path | None = None

    @property
    def user(self) -> str:
        return "" if self.machine.skip else "root" if self.machine.expects["is_root"] else "user"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who visits a machine: a checkout, a folder to be in, a log to write, commands as they are run there."""

    machine: Machine
    copy: Copy
    folder: Path
    log: Path
    crew: Crew
    tests: Sequence[str] = ()
    """Other tests than those that are marked."""

    def visit(self) -> Visit:
        """All steps, and what came of them. A step that fails does not keep the next from being tried."""
        came, began = Visit(self.machine, log=self.log), monotonic()
        if self.copy.failed:
            came.faults.append(self.copy.failed)
        else:
            self._furnish()
            environment = self._environment()
            for step in (self._look, self._demo, self._test):
                step(came, environment)
        came.seconds = monotonic() - began
        return came

    def _furnish(self) -> None:
        for name in ("home", "tmp", "here"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        if os.geteuid() == 0 and not self.machine.expects["is_root"]:
            give(self.folder, ORDINARY)

    def _environment(self) -> dict[str, str]:
        """Not ours, but that of somebody who has just logged in."""
        path = os.environ.get("PATH", os.defpath)
        path = ":".join(place for place in path.split(":") if Path(place) != Path(sys.executable).parent)
        if not self.machine.has_toolchains:
            path = without_toolchains(path, self.folder / "bin")
        usual = {
            "PATH": path,
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
        }
        return {name: value for name, value in (usual | dict(self.machine.environment)).items() if value is not None}

    def _run(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Ended:
        """Run a command in the machine."""
        if self.machine.flags is not None:
            simulator = str(self.copy.folder / "tests" / "anywhere" / "container.py")
            words = [self.copy.python, simulator, *self.machine.flags, *words]
        words = self.copy.within(words, folder, self.machine.expects["is_root"])
        return self.crew.run(words, self.log, STEP_S, folder, environment)

    def _look(self, came: Visit, environment: Mapping[str, str]) -> None:
        ended = self._run([self.copy.python, "-m", "tests.anywhere.look"], self.copy.folder, environment)
        if ended.code != 0 or TRACEBACK in ended.output:
            came.faults.append(f"to look at it {ended}")
            return
        found = json.loads(ended.output.splitlines()[-1])
        came.tier = found["tier"] or "none"
        came.faults += differences(self.machine.expects, found)

    def _demo(self, came: Visit, environment: Mapping[str, str]) -> None:
        arena = str(self.copy.folder / ".venv" / "bin" / "arena")
        ended = self._run([arena, "demo"], self.folder / "here", environment)
        is_well = ended.code == 0 and PLAYED.search(ended.output) and TRACEBACK not in ended.output
        came.demo = "ok" if is_well else "FAILED"
        if not is_well:
            came.faults.append(f"arena demo {ended}" if ended.code != 0 else "arena demo did not play 18 matches")

    def _test(self, came: Visit, environment: Mapping[str, str]) -> None:
        results = self.folder / "here" / "results.xml"
        what = list(self.tests) or ["-m", "anywhere", *TESTS]
        options = ["-p", "no:cacheprovider", "--basetemp", str(self.folder / "tests"), "--junit-xml", str(results)]
        ended = self._run(
            [self.copy.python, "-m", "pytest", "--durations=5", *options, *what], self.copy.folder, environment
        )
        if results.exists():
            count(came, results.read_text("utf-8"))
        if ended.code != 0:
            failed = f", {came.failed} failed" if came.failed else ""
            came.faults.append(f"pytest {ended}{failed}")
        elif not came.passed:
            came.faults.append("no test passed")


def differences(expects: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """In what a machine is not what it is said to be."""
    return [
        f"it is not such a machine: {name} is {found.get(name)!r}, not {value!r}"
        for name, value in expects.items()
        if found.get(name) != value
    ]


def count(came: Visit, results: str) -> None:
    """Take in what pytest wrote about each test."""
    for case in ElementTree.fromstring(results).iter("testcase"):
        skipped = case.find("skipped")
        if skipped is not None:
            came.skips[skipped.get("message") or "no reason"] += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            came.failed += 1
        else:
            came.passed += 1
