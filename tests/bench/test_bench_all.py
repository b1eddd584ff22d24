"""`arena bench all`: one report of several parts. What each part measures has tests of its own."""

import json

import pytest

from arena.bench import engine, parts, ratings, start
from arena.cli.app import BENCH
from arena.cli.bench import SECONDS
from arena.errors import LaunchError
from tests.bench.shape import must_be_described
from tests.cli.command import here

CHECK = {"name": "start.help_ms", "unit": "ms", "budget": 130.0, "better": "lower", "value": 99.5, "ok": True}


@pytest.fixture
def bench_all(monkeypatch, capsys):
    """The command, with two parts that take no time, one of which cannot be measured."""

    def fail():
        raise LaunchError("there is no room for another process")

    def short(rounds=11):
        return {"rows": [{"start": "help", "ms": rounds}], "checks": [CHECK]}

    monkeypatch.setattr(start, "measure", short)
    monkeypatch.setattr(ratings, "measure", fail)
    return lambda *words: here(monkeypatch, capsys, "bench", "all", *words)


def test_one_report_has_all_parts_that_were_asked_for_in_their_usual_order(bench_all):
    ended = bench_all("--part", "ratings", "--part", "start", "--json")
    report = json.loads(ended.out)
    must_be_described(report, "bench-all")
    for part in report["parts"].values():
        must_be_described({"rows": part["rows"], "checks": part["checks"]})
    assert list(report["parts"]) == ["start", "ratings"]
    assert report["parts"]["start"]["rows"] == [{"start": "help", "ms": 11}]
    assert report["parts"]["ratings"]["skipped"] == "there is no room for another process"
    assert [line.partition(":")[0] for line in ended.err.splitlines()] == ["start", "ratings"]


def test_a_short_measurement_has_fewer_rounds(bench_all):
    report = json.loads(bench_all("--part", "start", "--short", "--json").out)
    assert report["parts"]["start"]["rows"] == [{"start": "help", "ms": 3}]


def test_for_people_every_part_has_its_table(bench_all):
    printed = bench_all("--part", "ratings", "--part", "start").out
    head, start_title, table, checks, title, reason = printed.rstrip().split("\n\n")
    assert head.startswith("arena 0.1.0 (")
    assert start_title.startswith("# start, in ")
    assert table.startswith("start  ms")
    assert checks == "start.help_ms: 99.5 (budget 130.0 or lower): ok"
    assert title.startswith("# ratings, in ")
    assert reason == "there is no room for another process"


def test_an_unknown_part_is_a_mistake_and_the_known_ones_are_listed(bench_all):
    ended = bench_all("--part", "lunch")
    assert ended.code == 2
    assert f"'lunch' is not one of {', '.join(SECONDS)}" in ended.err


def test_every_benchmark_is_a_part():
    assert (
        [place.removeprefix("bench.") for place in BENCH if place != "bench.all_"] == list(SECONDS) == list(parts.SHORT)
    )
    assert parts.SHORT["engine"]["rounds"] < engine.ROUNDS
