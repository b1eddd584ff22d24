"""`arena bench referee`: its report and the cores that it takes, in a run too short to mean anything."""

import os
import shutil

import pytest

from arena.bench import referee

pytestmark = [
    pytest.mark.usefixtures("processes"),
    pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler (cc)"),
]


@pytest.fixture
def short(monkeypatch):
    for name, value in (("ROUNDS", 1), ("SLICE_S", 0.01), ("GAMES", 2)):
        monkeypatch.setattr(referee, name, value)


@pytest.mark.usefixtures("short")
def test_both_referees_are_measured_in_both_placements():
    ping, *rows = referee.measure()["rows"]
    assert ping["per_s"] > 0
    assert [row["what"] for row in rows] == [
        f"{who}, 5 C bots, {where}"
        for where in ("free placement", "one core")
        for who in ("C referee without rules", "our referee")
    ]
    assert all(row["games_per_s"] > 0 and row["decisions_per_s"] > row["games_per_s"] for row in rows)


@pytest.mark.usefixtures("short")
def test_referee_and_bots_have_the_same_cores_and_at_the_end_all_of_them(monkeypatch):
    given: list[tuple[int, list[int]]] = []
    monkeypatch.setattr(referee, "usable_cpus", lambda: [0, 1])
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: given.append((pid, list(cores))))
    checks = referee.measure()["checks"]
    assert [check["name"] for check in checks] == [
        "referee.share_of_c",
        "referee.cpu_us_per_decision",
        "referee.delay_p99_ms",
    ]
    own = [cores for pid, cores in given if pid == 0]
    of_bots = {pid: cores for pid, cores in given if pid != 0}
    assert own == [[0, 1], [1], [0, 1], [1], [0, 1]]
    assert list(of_bots.values()) == [[0, 1]] * 5 + [[1]] * 5
