"""`arena bench web`: its report, on a league that is small enough for a test."""

import pytest

from arena.bench import replay, web
from arena.bench.web import Asked, checks, measure
from tests.bench.shape import must_be_described

NAMES = ["web.page_p99_ms", "web.kept_pages_per_s", "web.replay_bytes", "web.first_frame_ms"]


@pytest.mark.usefixtures("processes")
def test_every_kind_of_page_is_asked_for_twice_and_what_cannot_be_measured_has_a_reason(monkeypatch):
    monkeypatch.setattr(web, "SAMPLES", 9)
    monkeypatch.setattr(replay, "TIMES", 1)
    report = measure(60, 6)
    must_be_described(report)
    first, *rows = report["rows"]
    assert first["seconds"] > 0
    kinds = [row["pages"] for row in rows]
    assert len(kinds) == len(set(kinds)) == 16
    assert all(row["requests"] and row["p99_ms"] >= row["median_ms"] > 0 and row["largest_kb"] for row in rows)
    assert [check["name"] for check in report["checks"]] == NAMES
    for check in report["checks"]:
        assert check["reason"] if check["value"] is None else isinstance(check["ok"], bool)
    assert report["checks"][2]["ok"], "bytes do not depend on the machine"


def test_the_slowest_percent_of_the_slowest_kind_counts():
    fast, slow = Asked("fast", [0.001] * 200, 10), Asked("slow", [*[0.002] * 197, 0.150, 0.201, 0.9], 10)
    assert [fast.p99_ms, slow.p99_ms] == pytest.approx([1.0, 150.0])
    p99, rate = checks([slow], [fast])
    assert (p99["value"], p99["ok"]) == (150.0, True)
    assert (rate["value"], rate["ok"]) == (1000.0, True)
    p99, rate = checks([Asked("late", [0.3], 1)], [Asked("slow", [0.02], 1)])
    assert (p99["ok"], rate["ok"]) == (False, False)


def test_the_replay_that_is_measured_has_300_steps():
    assert 300 <= len(replay.long_match().steps) < 310


def test_the_real_measurement_is_of_a_hundred_thousand_results():
    assert (web.RESULTS, web.SAMPLES, web.P99_MS, replay.TIMES) == (100_000, 150, 200.0, 5)
