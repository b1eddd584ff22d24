"""`arena bench ratings`: its report, on a league that is small enough for a test."""

import pytest

from arena.bench import ratings
from arena.bench.million import Spent
from arena.bench.ratings import BOTS, RESULTS, measure
from tests.bench.shape import must_be_described


@pytest.mark.usefixtures("processes")
def test_standings_looks_and_plans_are_measured():
    report = measure(400, 20)
    must_be_described(report)
    command, *parts = report["rows"]
    assert command["results"] == 400
    assert command["rss_mb"] > 20
    assert [(row["what"], row.get("results")) for row in parts] == [
        ("read the results", 400),
        ("the fit", 400),
        ("standings, given the fit", 400),
        ("a look, from scratch", 400),
        ("a look, an eighth later", 48),
        ("a match of the plan of a round robin", None),
        ("a match of the plan of an adaptive league", None),
    ]
    assert parts[0]["ratio_to_reading"] == 1
    assert all(row["cpu_us"] > 0 for row in parts[-2:])
    (check,) = report["checks"]
    assert check["ok"] is (check["value"] <= check["budget"])


@pytest.mark.parametrize(("seconds", "is_ok"), [(30.0, True), (30.04, False)])
def test_the_whole_command_must_keep_the_budget(seconds, is_ok):
    check = {"name": "ratings.thousand_bots_s", "unit": "s", "budget": 30.0, "better": "lower"}
    assert ratings._check(Spent(0, seconds, 5.0, 90.0, "")) == {**check, "value": 30.0, "ok": is_ok}
    failed = {**check, "value": None, "ok": None, "reason": "Error: it is damaged"}
    assert ratings._check(Spent(2, seconds, 5.0, 90.0, "Error: it is damaged")) == failed


def test_the_real_measurement_is_of_100_000_results_of_a_thousand_bots():
    assert (RESULTS, BOTS) == (100_000, 1_000)
