"""`arena bench league --million`: its report, on a league that is small enough for a test."""

import pytest

from arena.bench import million
from arena.bench.million import BOTS, RESULTS, Spent, measure
from arena.league.store import open_store
from tests.bench.shape import must_be_described

NAMES = [f"bot-{number:04}" for number in range(20)]
CHECKS = ["league.million_export_rss_mb", "league.million_report_rss_mb", "league.million_resume_s"]


@pytest.mark.thorough
def test_results_are_real_rows_that_are_always_the_same(tmp_path):
    file = million.write_league(tmp_path, 400, 20)
    with open_store(file.parent / "leagues" / "million") as store:
        rows = list(store.rows())
    assert len({(row.block, row.rotation) for row in rows}) == 400
    assert {len({other.bots for other in rows if other.block == row.block}) for row in rows} == {4}, "all rotations"
    games = {name: sum(name in row.bots for row in rows) for name in NAMES}
    assert set(games.values()) == {80}
    again = million.write_league(tmp_path / "again", 400, 20)
    with open_store(again.parent / "leagues" / "million") as store:
        assert list(store.rows()) == rows
    assert sorted(row.match for row in rows) != [row.match for row in rows], "ids and plan have different orders"


@pytest.mark.thorough
def test_better_bots_win_more_often(tmp_path):
    file = million.write_league(tmp_path, 400, 20)
    with open_store(file.parent / "leagues" / "million") as store:
        firsts = [row.bots[row.ranks.index(1)] for row in store.rows()]
    assert sum(bot >= "bot-0010" for bot in firsts) > 260


@pytest.mark.usefixtures("processes")
def test_every_command_is_measured_and_what_cannot_be_has_a_reason():
    report = measure(400, 20)
    must_be_described(report)
    made, *rows = report["rows"]
    assert (made["results"], made["bots"]) == (400, 20)
    assert [row["command"] for row in rows] == ["status", "export", "report", "resume"]
    assert all(row["rss_mb"] > 20 and row["cpu_s"] > 0 for row in rows)
    assert [check["name"] for check in report["checks"]] == CHECKS
    for check in report["checks"]:
        assert check["reason"] if check["value"] is None else check["ok"] is (check["value"] <= check["budget"])
    export, page, resume = report["checks"]
    assert resume["ok"]
    assert export["ok"]
    assert page["ok"]


def test_a_budget_can_be_missed_and_a_failure_is_no_number():
    found = {what: Spent(0, 21.0, 5.0, 299.0, "") for what in ("export", "report", "resume")}
    found["report"] = Spent(0, 1.0, 1.0, 301.0, "")
    assert [check["ok"] for check in million._checks(found)] == [True, False, False]
    found["resume"] = Spent(2, 1.0, 1.0, 30.0, "Error: No such option: --dry-run")
    *_, resume = million._checks(found)
    assert (resume["value"], resume["ok"], resume["reason"]) == (None, None, "Error: No such option: --dry-run")


def test_the_real_measurement_is_of_a_million_results_of_a_thousand_bots():
    assert (RESULTS, BOTS) == (1_000_000, 1_000)
