"""`arena bench referee`: its report and the cores that it takes, in a run too short to mean anything."""

import os
import shutil

import pytest

from arena.bench import referee
from arena.match.bot import Bot
from arena.version import is_compiled
from tests.bench.shape import must_be_described

pytestmark = [
    pytest.mark.usefixtures("processes"),
    pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler (cc)"),
]


@pytest.fixture
def short(monkeypatch):
    for name, value in (("SLICE_S", 0.01), ("GAMES", 2)):
        monkeypatch.setattr(referee, name, value)


@pytest.mark.usefixtures("short")
def test_both_referees_are_measured_in_each_placement_and_at_the_end_ours_has_all_cores():
    before = os.sched_getaffinity(0)
    report = referee.measure(1)
    must_be_described(report)
    assert os.sched_getaffinity(0) == before
    ping, *rows = report["rows"]
    assert ping["per_s"] > 0
    assert [row["what"].replace(", 5 C bots", "") for row in rows] == [
        "C referee without rules, free placement",
        "our referee, default placement",
        "our referee, free placement",
        "C referee without rules, one core",
        "our referee, one core",
    ]
    assert all(row["games_per_s"] > 0 and row["decisions_per_s"] > row["games_per_s"] for row in rows)
    assert rows[1]["share_of_c"] == pytest.approx(rows[1]["games_per_s"] / rows[0]["games_per_s"], rel=0.1)
    checks = {check["name"]: check["value"] for check in report["checks"]}
    measured, other = ("compiled_", "") if is_compiled() else ("", "compiled_")
    assert checks[f"referee.{measured}share_of_c"] == rows[1]["share_of_c"]
    assert checks[f"referee.{measured}cpu_us_per_decision"] > 0
    assert checks[f"referee.{other}share_of_c"] is checks[f"referee.{other}cpu_us_per_decision"] is None
    assert checks["referee.delay_p99_ms"] >= 0


@pytest.mark.usefixtures("short")
def test_referee_and_bots_have_the_same_cores(monkeypatch):
    """On a pretended machine with two cores, where nothing is really moved."""
    own, placed = list[list[int]](), list[list[int]]()
    monkeypatch.setattr(referee, "usable_cpus", lambda: [0, 1])
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: own.append(list(cores)) if pid == 0 else None)
    monkeypatch.setattr(Bot, "keep_on", lambda _bot, cores: placed.append(list(cores)) or True)
    referee.measure(1)
    assert placed[:15] == [[0, 1]] * 10 + [[1]] * 5
    assert (own[0], own[-1]) == ([0, 1], [0, 1])
    assert [1] in own
