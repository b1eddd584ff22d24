"""`arena bench start`: its report, in a run too short to mean anything."""

import sys

import pytest

from arena.bench import start
from arena.bench.start import STARTS, TimedStart, measure
from arena.errors import ArenaError
from tests.bench.shape import must_be_described


def test_a_start_is_compared_with_python_alone_in_the_same_round():
    python, help_ = (
        TimedStart("python", (), [10.0, 20.0, 10.0], [9.0] * 3),
        TimedStart("help", (), [90.0, 200.0, 120.0], [80.0] * 3),
    )
    assert list(start._rows([python, help_]))[1] == {
        "start": "help",
        "ms": 120.0,
        "fastest_ms": 90.0,
        "slowest_ms": 200.0,
        "cpu_ms": 80.0,
        "ratio_to_python": 10.0,
    }


@pytest.mark.parametrize(("took", "is_ok"), [(130.0, True), (130.2, False)])
def test_the_median_must_keep_its_budget(took, is_ok):
    (check,) = start._checks([TimedStart("python", (), [1000.0]), TimedStart("help", (), [took, took, 999.0])])
    assert check == {
        "name": "start.help_ms", "unit": "ms", "budget": 130.0, "better": "lower", "value": took, "ok": is_ok,
    }  # fmt: skip


@pytest.mark.usefixtures("processes")
def test_every_start_is_measured_apart_from_the_first():
    report = measure(rounds=1)
    must_be_described(report)
    assert [row["start"] for row in report["rows"]] == list(STARTS)
    assert all(row["fastest_ms"] == row["ms"] == row["slowest_ms"] > 0 for row in report["rows"])
    assert [check["name"] for check in report["checks"]] == ["start.help_ms", "start.play_ms", "start.worker_ms"]


@pytest.mark.usefixtures("processes")
def test_a_command_that_fails_is_no_measurement(tmp_path):
    failing = TimedStart("help", (sys.executable, "-c", "raise SystemExit('no help')"))
    with pytest.raises(ArenaError, match="help: exit code 1: no help"):
        failing.run(tmp_path)
