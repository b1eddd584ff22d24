"""`arena bench bots`: its report, in a run too short to mean anything."""

import pytest

from arena.bench import bots
from arena.bench.bots import BotRow
from tests.bench.shape import must_be_described


def test_the_best_slice_counts():
    row = BotRow("planner", "draftosaurus summer 2p", int, rates=[100.0, 250.0, 200.0])
    assert row.shown() == {"name": "planner draftosaurus summer 2p", "decisions_per_s": 250.0, "cpu_ms": 4.0}


@pytest.mark.parametrize(("rates", "value", "ok"), [((1000.0, 2000.0), 1.0, True), ((660.0, 2000.0), 1.515, False)])
def test_the_slowest_playout_must_keep_the_budget(rates, value, ok):
    rows = [BotRow("playout", "", int, "playouts", [rate]) for rate in rates]
    rows.append(BotRow("search-64", "", int, rates=[0.1]))
    (check,) = bots._checks(rows)
    assert (check["name"], check["value"], check["ok"]) == ("bots.playout_ms", value, ok)


def test_every_bot_is_measured_in_both_games(monkeypatch):
    monkeypatch.setattr(bots, "SLICE_S", 1e-9)
    monkeypatch.setattr(bots, "PLAYOUTS", 2)
    report = bots.measure(rounds=1)
    must_be_described(report)
    names = [row["name"] for row in report["rows"]]
    assert len(names) == len(set(names)) == 4 * 5 + 2
    for name in ("search-2 draftosaurus winter 2p", "planner dinodocus advanced 2p", "playout draftosaurus summer 2p"):
        assert name in names
    assert all(row["cpu_ms"] > 0 for row in report["rows"])
