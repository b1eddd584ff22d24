"""`arena play --games`: several matches, and what came of each bot."""

import json
from functools import partial
from pathlib import Path

import pytest

from arena.cli.series import BotSummary, bot_summary, bots_table, interval
from arena.league.statistics import wilson
from arena.match.record import FaultNote, Header, MatchRecord, Verdict
from arena.match.record_file import load
from tests.cli.command import Command, here


@pytest.fixture
def arena(monkeypatch, capsys, tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    return partial(here, monkeypatch, capsys)


def ended(
    *scores: int, ranks: tuple[int, ...], void: str | None = None, faults: tuple[FaultNote, ...] = ()
) -> MatchRecord:
    verdict = Verdict(scores, ranks, ({},) * len(scores), faults=faults, void=void)
    return MatchRecord(Header("m", "nim", 1, {}, 7, ()), [], verdict)


@pytest.mark.usefixtures("processes")
def test_a_series_moves_bots_through_the_seats_and_sums_up_by_bot(arena):
    found = arena("play", "greedy", "random", "--games", 4, "--seed", 7, "-o", "all")
    assert found.code == 0
    greedy, random = found.out.splitlines()[2:4]
    assert greedy.split()[:3] == ["greedy", "4", "100"]
    assert random.split()[:3] == ["random", "0", "0"]
    records = [load(path) for path in sorted(Path("all").iterdir())]
    assert sorted(record.header.seed for record in records) == [7, 8, 9, 10]
    first = {record.header.seed: record.header.players[0].name for record in records}
    assert first == {7: "greedy", 8: "random", 9: "greedy", 10: "random"}
    assert "Recorded in all." in found.err


@pytest.mark.usefixtures("processes")
def test_programs_get_each_match_and_each_bot(arena):
    found = json.loads(arena("play", "greedy", "random", "--games", 2, "--no-record", "--json").out)
    assert [(bot["bot"], bot["games"], bot["wins"]) for bot in found["bots"]] == [("greedy", 2, 2), ("random", 2, 0)]
    assert found["bots"][0]["margin"]["mean"] == -found["bots"][1]["margin"]["mean"]
    assert [match["record"] for match in found["matches"]] == [None, None]
    assert not Path("matches").exists()


@pytest.mark.usefixtures("processes")
def test_without_a_record_nothing_is_written(arena, tmp_path):
    found = arena("play", "random", "random", "--no-record", "--seed", 3)
    assert (found.code, list(tmp_path.iterdir())) == (0, [])
    assert "seed 3 (bots can guess one as small as this), not recorded" in found.err
    assert arena("play", "random", "random", "--no-record", "-o", "x").code == 2


def test_a_shared_first_place_is_half_a_win_and_a_void_match_is_none():
    records = [
        ended(9, 9, ranks=(1, 1)),
        ended(3, 5, ranks=(2, 1), faults=(FaultNote("late", 0, 1, "slow"),)),
        ended(0, 0, ranks=(1, 1), void="overload"),
    ]
    assert bot_summary(records, [0, 0, 0]) == BotSummary(
        2, 0.5, wilson(0.5, 2), interval([1, 2]), interval([9, 3]), interval([0, -2]), 1
    )
    assert bot_summary(records, [0, 1, 0]) == BotSummary(
        2, 1.5, wilson(1.5, 2), interval([1, 1]), interval([9, 5]), interval([0, 2]), 0
    )
    assert bot_summary(records[2:], [0]) is None


def test_an_interval_is_students():
    assert str(interval([1, 2, 3, 4])) == "2.5 ± 2.1"
    assert str(interval([4])) == "4.0"


def test_a_bot_without_results_has_an_empty_row():
    assert bots_table(["a", "b"], [None, bot_summary([ended(2, 1, ranks=(1, 2))], [0])]).splitlines()[2:] == [
        "a", "b       1  100 (21 to 100)   1.0    2.0    +1.0       0",
    ]  # fmt: skip
