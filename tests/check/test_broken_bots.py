"""The examiner finds the defect of each broken bot, and nothing else: `arena check` of real bots.

The bots are in tests/broken_bots, and what is due is in expected.toml there. Each is examined in a copy of its folder, so
that what is built, and what bots write, does not land among the sources.
"""

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from arena.check.findings import FINDINGS
from arena.cli.exits import Exit
from tests.cli.command import Command, arena, here
from tests.machine import bot_python

BOTS = Path(__file__).parents[1] / "broken_bots"
PROGRAMS = {"python": sys.executable, "javascript": "node", "c": "cc", "shell": "sh"}
"""What a language needs, which not every machine has."""
WITH_PACKAGES = ("little-endian", "unframed")
"""Bots that use msgpack, which is installed for the arena."""
IN_SANDBOX = ("sandbox", "memory-limit")
"""What cannot be found where there is no sandbox."""
BY_PROCESS = (
    "python/good",
    "python/logs-in-its-folder",
    "javascript/math-random",
    "c/missing-semicolon",
    "shell/echo-in-match",
)
"""Examined wholly, and by a command of its own, one for each way to end; the others in this process."""
NO_BOT: dict[str, str] = {"not-built": "broken bots are built, and tests/check/test_check.py has one that is not"}
"""Findings that have no broken bot, each with the reason."""


@dataclass(frozen=True)
class BrokenBot:
    """A broken bot, and what has to be found: an id, or nothing; words of the finding."""

    language: str
    name: str
    exam: str = ""
    """The one that is enough to find it; "": all are held."""
    id: str | None = None
    level: str = "error"
    seen: str = ""
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.language}/{self.name}"


CASES = [
    BrokenBot(language, name, **due)
    for language, bots in tomllib.loads((BOTS / "expected.toml").read_text()).items()
    for name, due in bots.items()
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that all can reach, as those of pytest cannot: a bot of a root user is somebody else."""
    with TemporaryDirectory(prefix="broken-bots-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def command(case: BrokenBot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return arena if str(case) in BY_PROCESS else partial(here, monkeypatch, capsys)


def examined(case: BrokenBot, folder: Path, command: Command) -> tuple[int, dict[str, Any]]:
    """The exit code of `arena check`, and its report."""
    copy = folder / case.language
    shutil.copytree(BOTS / case.language, copy)
    chosen = ("--exam", case.exam) if case.exam else ()
    ended = command("check", copy / f"{case.name}.toml", "--trust", "--json", *chosen)
    assert ended.code in (Exit.OK, Exit.BOT), ended.err
    return ended.code, json.loads(ended.out)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_just_the_defect_is_found(case: BrokenBot, folder: Path, command: Command) -> None:
    if shutil.which(PROGRAMS[case.language]) is None:
        pytest.skip(f"there is no {PROGRAMS[case.language]} here")
    if case.name in WITH_PACKAGES and bot_python() != sys.executable:
        pytest.skip("bots have the system's Python here, without the packages of ours")
    code, report = examined(case, folder, command)
    if case.id in IN_SANDBOX and report["tiers"] == ["none"]:
        pytest.skip("there is no sandbox here")
    found = {finding["id"]: finding for finding in report["findings"]}
    assert list(found) == ([case.id] if case.id else []), json.dumps(report["findings"], indent=2)
    passed = case.id is None or case.level == "warning"
    assert (code, report["ok"]) == (Exit.OK if passed else Exit.BOT, passed)
    if case.id:
        finding = found[case.id]
        assert finding["level"] == case.level
        assert finding["exam"] == (case.exam or finding["exam"])
        assert case.seen in finding["seen"]
        assert case.fix in finding["fix"]


def test_every_bot_is_expected_to_be_something() -> None:
    assert len(CASES) >= 25
    assert set(BY_PROCESS) <= {str(case) for case in CASES if not case.exam}
    assert {str(case) for case in CASES} == {
        str(path.relative_to(BOTS).with_suffix("")) for path in BOTS.glob("*/*.toml")
    }


def test_every_description_says_the_defect_first_and_names_the_bot_like_its_file() -> None:
    for path in BOTS.glob("*/*.toml"):
        text = path.read_text()
        assert re.match(r"# [A-Z].*\.\n", text), path
        assert tomllib.loads(text)["name"] == path.stem


def test_every_finding_has_a_broken_bot() -> None:
    covered = {case.id: case.level for case in CASES if case.id}
    assert covered.keys() | NO_BOT.keys() == FINDINGS.keys()
    assert not covered.keys() & NO_BOT.keys()
    assert all(FINDINGS[id].level == level for id, level in covered.items())
