"""A league from its file to its results: the plan, what is missing of it, and the workers that play it."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from arena.errors import HostError, LaunchError, SettingError, StoreError
from arena.league import deals, fixtures, results
from arena.league import run as league
from arena.league import workers as executors
from arena.league.beginning import reread
from arena.league.clocks import scaled
from arena.league.kinds import FLOOR, KINDS, KnockOut, RoundRobin
from arena.league.results import ResultsSoFar
from arena.league.run import Progress
from arena.league.secret import of_seed
from arena.league.store import Store, only_runner, open_store
from arena.league.ties import BY_ORDER, BY_POINTS
from arena.league.tournament import read_tournament
from arena.league.wire import RECORDS, record_path
from arena.league.worker import Crew
from arena.match.bot import Bot
from arena.match.company import Company, open_company
from arena.match.hosts import Host
from arena.match.launch import SpawnerLauncher, usable_cpus
from arena.match.record_file import load
from arena.match.speed import this_host
from arena.match.tiers import in_tier
from arena.replay.verify import verify
from arena.roster.digests import old_digest
from arena.sandbox.policy import Tier
from protocol.messages import Decide
from tests.league.small_league import GOOD, HOST, PATIENT, Pretended, plan_of, play, rows, small_bot, small_league, ways
from tests.machine import need_tier

FOLLOWING = [name for name, kind in KINDS.items() if kind.follows_results and kind.is_in_files]


@pytest.fixture
def pretended(monkeypatch):
    """Nothing is really played, and all that is handed out is noted."""
    workers = Pretended()
    monkeypatch.setattr(league, "Workers", workers)
    return workers


def planned_ids(tournament):
    return [fixture["match"] for block in fixtures.blocks_of(tournament, plan_of(tournament)) for fixture in block]


class Stop(Exception):
    """Somebody has seen enough."""


def stop_after(matches):
    def watch(progress, _store):
        if progress.new == matches:
            raise Stop

    return watch


# The plan


def test_a_longer_budget_extends_a_shorter_plan(tmp_path):
    tournament = read_tournament(small_league(tmp_path, blocks=5))
    ids = planned_ids(tournament)
    assert len(set(ids)) == 10
    assert planned_ids(replace(tournament, kind=RoundRobin(40)))[:10] == ids


@pytest.mark.parametrize(
    "change",
    [{"workers": 7}, {"processes": "match"}, {"sandbox": "lite"}, {"minutes": 3.0}, {"kind": RoundRobin(5, "separated")}, {"name": "other"}],
    ids=str,
)  # fmt: skip
def test_how_a_league_is_played_changes_no_match(tmp_path, change):
    tournament = read_tournament(small_league(tmp_path, blocks=5, sandbox="full"))
    assert planned_ids(replace(tournament, **change)) == planned_ids(tournament)
    assert fixtures.identity(replace(tournament, **change)) == fixtures.identity(tournament)


def test_the_order_of_bots_in_the_file_changes_no_match(tmp_path):
    one = read_tournament(small_league(tmp_path, blocks=5))
    other = replace(one, entries=one.entries[::-1])
    assert planned_ids(other) == planned_ids(one)


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"options": {"season": "winter"}}, {"strikes": 4}, {"memory_mb": 300}, {"threads": 9}, {"edition": 2}, {"game": "dinodocus"}],
    ids=str,
)  # fmt: skip
def test_what_can_change_a_result_makes_other_matches(tmp_path, change):
    tournament = read_tournament(small_league(tmp_path, blocks=5))
    assert not {*planned_ids(tournament)} & {*planned_ids(replace(tournament, **change))}
    assert fixtures.identity(replace(tournament, **change)) != fixtures.identity(tournament)


def test_two_bots_of_one_folder_are_two_bots(tmp_path):
    """The built-in ones share a folder, and so a digest; what is executed tells them apart."""
    path = tmp_path / "x.toml"
    path.write_text('name = "x"\nseed = 7\nbots = ["greedy", { bot = "random", name = "mine" }]\n')
    before = read_tournament(path)
    path.write_text('name = "x"\nseed = 7\nbots = ["greedy", { bot = "greedy", name = "mine" }]\n')
    after = read_tournament(path)
    assert before.entries[1].digest == after.entries[1].digest
    assert not {*planned_ids(before)} & {*planned_ids(after)}
    assert fixtures.roster(before) != fixtures.roster(after)


def test_a_league_is_the_same_wherever_it_lies(tmp_path):
    tournaments = [read_tournament(small_league(tmp_path / name, blocks=3)) for name in ("here", "there")]
    here, there = tournaments
    assert fixtures.identity(here) == fixtures.identity(there)
    assert planned_ids(here) == planned_ids(there)


# What is missing


def test_what_is_there_is_not_played_again(tmp_path, pretended):
    path = small_league(tmp_path, blocks=6)
    first = play(path, tmp_path / "results")
    assert (first.done, first.new, first.total) == (12, 12, 12)
    again = play(path, tmp_path / "results")
    assert (again.done, again.new) == (12, 0)
    assert len(pretended.played) == 12


@pytest.mark.parametrize("matches", [1, 2, 5, 11])
def test_a_league_that_was_stopped_plays_just_what_is_missing(tmp_path, pretended, matches):
    path = small_league(tmp_path, blocks=6)
    play(path, tmp_path / "whole")
    whole = pretended.played.copy()
    pretended.played.clear()
    with pytest.raises(Stop):
        play(path, tmp_path / "stopped", stop_after(matches))
    assert len(rows(tmp_path / "stopped")) == matches
    play(path, tmp_path / "stopped")
    assert pretended.played == whole
    assert rows(tmp_path / "stopped") == rows(tmp_path / "whole")


def test_a_hole_in_the_middle_is_filled(tmp_path, pretended):
    path = small_league(tmp_path, blocks=6)
    play(path, tmp_path / "whole")
    gone = [pretended.played[at] for at in (0, 3, 4, 11)]
    kept = [row for row in rows(tmp_path / "whole") if row.match not in gone]
    with open_store(tmp_path / "whole") as whole, open_store(tmp_path / "holes", create=True) as holes:
        holes.settle(whole.settings())
        lineup = whole.lineup()
        holes.enlist(lineup.versions.values(), lineup.changes)
        shutil.copytree(tmp_path / "whole" / "bots", tmp_path / "holes" / "bots")
        holes.add(reversed(kept))
    pretended.played.clear()
    play(path, tmp_path / "holes")
    assert pretended.played == gone
    assert rows(tmp_path / "holes") == rows(tmp_path / "whole")


def test_a_raised_budget_plays_only_what_is_new(tmp_path, pretended):
    path = small_league(tmp_path, blocks=6)
    play(path, tmp_path / "results")
    progress = play(path, tmp_path / "results", blocks=9)
    assert (progress.new, progress.done, progress.total) == (6, 18, 18)
    assert len({*pretended.played}) == len(pretended.played) == 18


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda home: (home / "bot.py").write_text("# another one"),
            "differs from what the league plays: bot.py changed.",
        ),
        (
            lambda home: small_bot(home.parent, "second", "first"),
            "differs from what the league plays: another command.",
        ),
        (lambda home: (home / "notes.txt").touch(), "differs from what the league plays: notes.txt new."),
    ],
    ids=["its code", "its command", "a file"],
)
def test_a_bot_whose_files_have_changed_plays_on_as_it_was_kept(tmp_path, pretended, change, words):
    path = small_league(tmp_path, blocks=2)
    play(path, tmp_path / "results")
    change(tmp_path / "first")
    progress = play(path, tmp_path / "results", blocks=4)
    assert progress.warnings == [f"first {words} `arena league update {path} first`: it gets a new version."]
    assert (progress.new, progress.done) == (4, 8)
    assert len(pretended.played) == 8


def test_a_bot_whose_folder_is_deleted_plays_on_as_it_was_kept(tmp_path, pretended):
    path = small_league(tmp_path, blocks=2)
    play(path, tmp_path / "results")
    shutil.rmtree(tmp_path / "first")
    with open_store(tmp_path / "results") as store:
        tournament = reread(path, store)
    progress = play(tournament, tmp_path / "results", blocks=4)
    assert progress.warnings == ["first: its files cannot be read. The league plays the copy that it kept."]
    assert (progress.new, len(pretended.played)) == (4, 8)


@pytest.mark.usefixtures("pretended")
def test_a_changed_setting_is_refused_with_what_was_and_what_is(tmp_path):
    play(small_league(tmp_path, blocks=2), tmp_path / "results")
    path = small_league(tmp_path, blocks=2, seed=5, strikes=1, clock=PATIENT | {"increment_ms": 7})
    with pytest.raises(SettingError) as refusal:
        play(path, tmp_path / "results")
    for words in ("seed was 0, now 5; ", "clock.increment_ms was 100, now 7; ", "strikes was 3, now 1. "):
        assert words in str(refusal.value)


@pytest.mark.usefixtures("pretended")
def test_bots_that_come_and_go_in_the_file_change_nothing_without_an_update(tmp_path):
    play(small_league(tmp_path, GOOD[:3], blocks=2), tmp_path / "results")
    path = small_league(tmp_path, GOOD[1:], blocks=2)
    progress = play(path, tmp_path / "results")
    assert progress.warnings == [
        f"last is new in the file. `arena league update {path} last`: it joins.",
        f"first is not in the file any more. `arena league update {path} first`: it retires.",
    ]
    assert progress.new == 0


@pytest.mark.usefixtures("pretended")
def test_the_roster_of_a_knock_out_cannot_change(tmp_path):
    play(small_league(tmp_path, kind="knock_out"), tmp_path / "results")
    with pytest.raises(SettingError, match=r"seeding was .*, now"):
        play(small_league(tmp_path, GOOD[:3], kind="knock_out"), tmp_path / "results")


@pytest.mark.usefixtures("pretended")
def test_a_second_runner_is_refused_and_harms_nothing(tmp_path):
    path = small_league(tmp_path, blocks=2)
    with only_runner(tmp_path / "results"):
        with pytest.raises(StoreError, match="another process is running this league"):
            play(path, tmp_path / "results")
        assert not list((tmp_path / "results").glob("*.sqlite3"))
    assert play(path, tmp_path / "results").done == 4


# Kinds of leagues


def test_in_a_gauntlet_a_challenger_plays_in_every_match(tmp_path, pretended):
    path = small_league(tmp_path, kind="gauntlet", challengers=["third"])
    progress = play(path, tmp_path / "results")
    assert progress.done == progress.total == len(pretended.played) == 6
    assert all("third" in row.bots for row in rows(tmp_path / "results"))


def test_a_knock_out_ends_with_one_bot(tmp_path, pretended):
    path = small_league(tmp_path, kind="knock_out")
    progress = play(path, tmp_path / "results")
    assert progress.done == progress.total == len(pretended.played) == 6
    *semifinals, final, _ = rows(tmp_path / "results")
    best = {max(zip(row.scores, row.bots))[1] for row in semifinals}
    assert set(final.bots) <= best


def test_a_knock_out_goes_by_ranks_then_by_points_then_by_the_order_in_the_file(tmp_path, monkeypatch):
    """Each table's two matches end one to one: first and last with equal points, second behind third."""
    points = {"first": (9, 5), "last": (5, 9), "second": (6, 5), "third": (4, 9)}

    def fate(fixture):
        """Who sits first wins the first match, and loses the second."""
        scores = [points[bot][fixture["rotation"]] for bot in fixture["bots"]]
        return {
            **workers._result(fixture),
            "scores": scores,
            "ranks": [1 + (min(scores) < max(scores) != s) for s in scores],
        }

    workers = Pretended(fate)
    monkeypatch.setattr(league, "Workers", workers)
    play(small_league(tmp_path, kind="knock_out"), tmp_path / "results")
    with open_store(tmp_path / "results") as store:
        first_round, *_ = KnockOut.course(store).rounds
    assert [(tie.winner, tie.why) for tie in first_round] == [("first", BY_ORDER), ("third", BY_POINTS)]


def test_in_a_knock_out_the_order_of_bots_is_part_of_it(tmp_path, pretended):
    path = small_league(tmp_path, kind="knock_out")
    play(path, tmp_path / "results")
    tournament = read_tournament(path)
    with pytest.raises(SettingError, match="seeding was"):
        play(replace(tournament, entries=tournament.entries[::-1]), tmp_path / "results")
    assert len(pretended.played) == 6


@pytest.mark.parametrize("kind", FOLLOWING)
@pytest.mark.parametrize("matches", [1, 3, 5, 33, 34, 37])
def test_a_league_that_follows_its_results_goes_on_as_it_would_have(tmp_path, pretended, kind, matches):
    keys: dict[str, Any] = {"blocks": 40} if kind == "adaptive" else {}
    path = small_league(tmp_path, kind=kind, **keys)
    play(path, tmp_path / "whole")
    whole = pretended.played.copy()
    if matches >= len(whole):
        return
    with pytest.raises(Stop):
        play(path, tmp_path / "stopped", stop_after(matches))
    pretended.played.clear()
    play(path, tmp_path / "stopped")
    assert pretended.played == whole[matches:]
    assert rows(tmp_path / "stopped") == rows(tmp_path / "whole")


def test_an_adaptive_league_looks_at_what_is_undecided(tmp_path, pretended):
    path = small_league(tmp_path, kind="adaptive", blocks=60)
    progress = play(path, tmp_path / "results")
    assert 32 <= progress.done <= progress.total == 120
    blocks = Counter(bot for row in rows(tmp_path / "results") for bot in row.bots)
    assert min(blocks.values()) >= 2 * FLOOR
    assert len(pretended.played) == progress.done


@pytest.mark.usefixtures("pretended")
def test_an_adaptive_league_can_be_given_more(tmp_path):
    path = small_league(tmp_path, kind="adaptive", blocks=20)
    play(path, tmp_path / "short")
    play(path, tmp_path / "short", blocks=40)
    play(path, tmp_path / "long", blocks=40)
    assert rows(tmp_path / "short") == rows(tmp_path / "long")
    assert len(rows(tmp_path / "long")) > 40


def test_a_league_stops_as_soon_as_all_are_separated(tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=0))
    path = small_league(tmp_path, until="separated", blocks=200)
    progress = play(path, tmp_path / "results")
    assert progress.stopped == "all are separated"
    assert progress.done < progress.total
    with open_store(tmp_path / "results") as store:
        assert [standing.rank for standing in results.table(store)] == ["1", "2", "3", "4"]


def test_a_league_that_was_stopped_ends_where_it_would_have(tmp_path, monkeypatch):
    workers = Pretended(noise=0)
    monkeypatch.setattr(league, "Workers", workers)
    path = small_league(tmp_path, until="separated", blocks=200)
    play(path, tmp_path / "whole")
    with pytest.raises(Stop):
        play(path, tmp_path / "stopped", stop_after(len(rows(tmp_path / "whole")) - 5))
    play(path, tmp_path / "stopped")
    assert rows(tmp_path / "stopped") == rows(tmp_path / "whole")
    before = len(workers.played)
    play(path, tmp_path / "stopped")
    assert len(workers.played) == before, "it is over, and stays so"


def test_a_league_stops_when_its_minutes_are_over(tmp_path, monkeypatch):
    clock = iter(range(0, 10_000, 10))  # ten seconds between any two looks
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(league, "Workers", Pretended())
    path = small_league(tmp_path, minutes=1, blocks=500)
    progress = play(path, tmp_path / "results")
    assert progress.stopped == "the 1 minutes are over"
    assert 0 < progress.done < 20
    assert progress.done % 2 == 0, "a block that was begun is played to its end"
    monkeypatch.undo()
    assert progress.done == len(rows(tmp_path / "results"))


# Matches that do not count


def test_a_void_match_is_played_again_and_counts_once(tmp_path, monkeypatch):
    seen = Counter[str]()

    def fate(fixture):
        seen[fixture["match"]] += 1
        return {"void": "the machine was busy"} if fixture["at"] == 2 and seen[fixture["match"]] < 3 else None

    monkeypatch.setattr(league, "Workers", Pretended(fate))
    progress = play(small_league(tmp_path, blocks=3), tmp_path / "results")
    assert (progress.done, progress.void, progress.given_up, progress.warnings) == (6, 2, [], [])
    assert sorted(seen.values()) == [1, 1, 1, 1, 1, 3]
    with open_store(tmp_path / "results") as store:
        assert [*store.attempts().values()] == [["the machine was busy"] * 2]


def test_a_match_that_never_counts_is_left_out_and_named_and_the_others_are_played(tmp_path, monkeypatch):
    workers = Pretended(lambda fixture: {"void": "a spoke in the wheel"} if fixture["at"] == 2 else None)
    monkeypatch.setattr(league, "Workers", workers)
    path = small_league(tmp_path, blocks=3)
    progress = play(path, tmp_path / "results")
    (match,) = progress.given_up
    assert (progress.done, progress.void) == (5, 3)
    assert progress.warnings == [f"match {match} is left out after 3 attempts: a spoke in the wheel"]
    assert workers.played.count(match) == 3
    play(path, tmp_path / "results")
    assert workers.played.count(match) == 4, "another run tries once more"
    monkeypatch.setattr(league, "Workers", Pretended())
    assert play(path, tmp_path / "results").done == 6, "and when it works, it counts"


BARRED = {
    "nobody": ([[], [], []], []),
    "twice is not enough": ([[1], [1]], []),
    "three times": ([[1], [1], [1]], [1]),
    "three times, and once by nobody's doing": ([[1], [], [1], [1]], [1]),
    "each once": ([[0], [1], [2]], []),
    "two of them": ([[0, 2], [0, 2], [0, 1, 2]], [0, 2]),
    "a seat counts once in an attempt": ([[1, 1, 1]], []),
}


@pytest.mark.parametrize(("suspicions", "seats"), BARRED.values(), ids=BARRED)
def test_who_was_a_suspect_three_times_is_barred(suspicions, seats):
    assert league.barred(suspicions) == seats


class Spoiled(Pretended):
    """Workers at whose third match a seat spoils each attempt, until it is barred."""

    def __init__(self, *suspects):
        super().__init__(self.spoil)
        self.suspects = list(suspects)
        """In each attempt; the last of them again and again."""
        self.seen = []

    def spoil(self, fixture):
        if fixture["at"] != 2:
            assert "attempt" not in fixture
            return None
        self.seen.append((fixture.get("attempt", 0), fixture.get("barred", [])))
        if fixture.get("barred"):
            return None
        seats = self.suspects.pop(0) if len(self.suspects) > 1 else self.suspects[0]
        return {"void": "others had the cores", "suspects": seats}


def test_who_spoils_three_attempts_loses_the_match(tmp_path, monkeypatch):
    workers = Spoiled([1])
    monkeypatch.setattr(league, "Workers", workers)
    path = small_league(tmp_path, blocks=3)
    progress = play(path, tmp_path / "results")
    assert workers.seen == [(0, []), (1, []), (2, []), (3, [1])], "each time another deal"
    assert (progress.done, progress.void, progress.given_up) == (6, 3, [])
    (row,) = [row for row in rows(tmp_path / "results") if row.match == list(dict.fromkeys(workers.played))[2]]
    assert progress.warnings == [f"{row.bots[1]} loses match {row.match}: 3 attempts were void because of it"]


def test_who_spoils_attempts_of_several_runs_loses_the_match_too(tmp_path, monkeypatch):
    workers = Spoiled([1])
    monkeypatch.setattr(league, "Workers", workers)
    path = small_league(tmp_path, blocks=3)

    def stop(progress, _store):
        if progress.void == 2:
            raise Stop

    with pytest.raises(Stop):
        play(path, tmp_path / "results", stop)
    assert play(path, tmp_path / "results").done == 6
    assert workers.seen == [(0, []), (1, []), (2, []), (3, [1])]


def test_a_spoiled_attempt_does_not_bring_a_match_nearer_to_being_left_out(tmp_path, monkeypatch):
    """Else a bot could spoil two attempts, and save a lost match with one that failed by itself."""
    workers = Spoiled([1], [], [1], [], [1])
    monkeypatch.setattr(league, "Workers", workers)
    progress = play(small_league(tmp_path, blocks=3), tmp_path / "results")
    assert [barred for _, barred in workers.seen] == [[]] * 5 + [[1]]
    assert (progress.done, progress.void, progress.given_up) == (6, 5, [])


@pytest.mark.parametrize("kind", FOLLOWING)
def test_a_league_that_follows_its_results_waits_for_those_that_are_missing(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(league, "Workers", Pretended(lambda fixture: {"void": "no"} if fixture["at"] == 2 else None))
    # With fresh deals a second attempt is dealt again.
    keys: dict[str, Any] = {"kind": kind, "deals": "shared", "processes": "match"}
    path = small_league(tmp_path, **keys | ({"blocks": 40} if kind == "adaptive" else {}))
    progress = play(path, tmp_path / "results")
    assert progress.stopped == "the rest of the plan depends on matches that are left out"
    monkeypatch.setattr(league, "Workers", Pretended())
    play(path, tmp_path / "results")
    play(path, tmp_path / "whole")
    assert rows(tmp_path / "results") == rows(tmp_path / "whole")


def test_a_bot_that_fails_in_its_first_matches_is_told_of_at_once(tmp_path, monkeypatch):
    def fate(fixture):
        seat = fixture["bots"].index("last") if "last" in fixture["bots"] else None
        fault = {"kind": "crash", "seat": seat, "decision": 0, "text": "it exited with status 1"}
        return None if seat is None else {**workers._result(fixture), "faults": [fault]}

    workers = Pretended(fate)
    monkeypatch.setattr(league, "Workers", workers)
    told = dict[int, int]()
    progress = play(
        small_league(tmp_path, blocks=6),
        tmp_path / "results",
        lambda progress, store: told.update({len(progress.warnings): progress.new}) if progress.warnings else None,
    )
    assert progress.warnings == ["last failed in all of its first 3 matches: crash: it exited with status 1"]
    assert len([row for row in rows(tmp_path / "results") if "last" in row.bots]) == 6
    assert told[1] >= 3


def test_strikes_that_do_not_disqualify_are_no_failure(tmp_path, monkeypatch):
    late = {"kind": "late", "seat": 0, "decision": 0, "text": "no answer"}
    workers = Pretended(lambda fixture: {**workers._result(fixture), "faults": [late, {**late, "seat": 1}]})
    monkeypatch.setattr(league, "Workers", workers)
    progress = play(small_league(tmp_path, blocks=6), tmp_path / "results")
    assert progress.warnings == []
    with open_store(tmp_path / "results") as store:
        assert sum(store.faults().values()) == 24


# Real workers


@pytest.mark.usefixtures("processes")
def test_a_barred_seat_loses_a_real_match_and_its_record_is_true(tmp_path):
    tournament = read_tournament(small_league(tmp_path, seats=[3], blocks=1))
    (block, *_) = fixtures.blocks_of(tournament, plan_of(tournament))
    fixture = {**block[0], "attempt": 3, "barred": [1]}

    async def played():
        async with open_company(SpawnerLauncher()) as company:
            return await Crew(company, fixtures.setting(tournament, tmp_path), HOST).play(fixture)

    record = trio.run(played)
    assert record.verdict.void is None
    assert record.verdict.ranks[1] == 3
    assert [(fault.kind, fault.seat, fault.decision) for fault in record.verdict.faults] == [("hog", 1, None)]
    assert {one.status for _, _, one in record.decisions() if one.seat == 1} == {"absent"}
    assert {one.status for _, _, one in record.decisions() if one.seat != 1} <= {"accepted", "forced"}
    assert verify(record) is None


@pytest.mark.usefixtures("processes")
def test_of_the_bots_that_wait_for_a_match_only_those_stay_that_played_last(tmp_path):
    """A worker keeps two bots. Who plays, and which bots run when the match is over."""
    tournament = read_tournament(small_league(tmp_path, blocks=1))
    ((fixture, _),) = fixtures.blocks_of(tournament, plan_of(tournament))
    pids, seen = set[int](), list[set[int]]()

    def listen(bot: Bot, _direction: str, message: object) -> None:
        if isinstance(message, Decide):
            pids.add(bot.process.pid)

    async def play_all(*tables: str) -> None:
        async with open_company(SpawnerLauncher(), listener=listen) as company:
            crew = Crew(company, fixtures.setting(tournament, tmp_path), HOST, most_idle=2)
            for table in tables:
                pids.clear()
                record = await crew.play({**fixture, "bots": table.split()})
                assert record.verdict.faults == ()
                seen.append(set(pids))
                left = {pid for table in seen for pid in table if os.path.exists(f"/proc/{pid}")}
                assert left == seen[-1], "those of earlier matches have ended"

    trio.run(play_all, "first second", "second first", "third last", "third first", "last third")
    first, second, third, fourth, fifth = seen
    assert first == second
    assert not first & third
    assert len(third & fourth) == len(fourth & fifth) == 1


@pytest.mark.usefixtures("processes")
def test_only_bots_that_have_no_match_are_frozen(tmp_path):
    """Those of the last match have one at once, as a rule. While a bot of their table starts, they wait, too."""
    need_tier("full")
    tournament = read_tournament(small_league(tmp_path, blocks=1))
    ((fixture, _),) = fixtures.blocks_of(tournament, plan_of(tournament))

    async def play_all() -> None:
        async with open_company(in_tier(Tier.FULL)) as company:
            crew = Crew(company, replace(fixtures.setting(tournament, tmp_path), processes="worker"), HOST)
            hire, while_hiring = company.hire, list[dict[str, bool]]()

            def waiting() -> dict[str, bool]:
                return {bot.entry.name: bot.is_frozen for bot in company._bots}

            async def watched_hire(*args):
                while_hiring.append(waiting())
                return await hire(*args)

            crew._company = cast(Company, SimpleNamespace(hire=watched_hire, header=company.header, play=company.play))
            await crew.play({**fixture, "bots": ["first", "second"]})
            assert waiting() == {"first": False, "second": False}
            await crew.play({**fixture, "bots": ["second", "last"]})
            assert while_hiring == [{}, {"first": True, "second": True}]
            assert waiting() == {"first": True, "second": False, "last": False}
            await crew.end_block()
            assert set(waiting().values()) == {True}

    trio.run(play_all)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A league that one worker has played."""
    folder = tmp_path_factory.mktemp("league")
    folder.chmod(0o755)
    path = small_league(folder, blocks=6, processes="worker")
    progress = play(path, folder / "results")
    assert (progress.done, progress.void, progress.warnings) == (12, 0, [])
    return path


@pytest.mark.usefixtures("processes")
def test_every_match_has_a_record_that_verifies_and_tells_what_the_row_tells(alone):
    for row in rows(alone.parent / "results"):
        record = load(record_path(alone.parent / "results" / RECORDS, row.match))
        assert verify(record) is None
        assert (record.header.match, record.header.seed) == (row.match, row.seed)
        assert tuple(player.name for player in record.header.players) == row.bots
        assert (record.verdict.ranks, record.verdict.scores, len(record.steps)) == (row.ranks, row.scores, row.steps)
        asked = Counter(one.seat for step in record.steps for one in step.decisions if one.status.is_timed)
        assert [times["decisions"] for times in row.times] == [asked[0], asked[1]]


@pytest.mark.usefixtures("processes")
def test_every_record_has_the_host_that_played_the_match(alone):
    for row in rows(alone.parent / "results"):
        assert load(record_path(alone.parent / "results" / RECORDS, row.match)).header.host == this_host()


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("known", [HOST, None])
def test_a_worker_reports_the_host_that_it_received_or_else_its_own_and_scales_its_clock(tmp_path, known):
    tournament = read_tournament(small_league(tmp_path, clock={**PATIENT, "scale": True}, blocks=1))
    sent = replace(known, speed=50).plain() if known else None
    setting = replace(fixtures.setting(tournament, tmp_path), host=sent, cpus=(min(usable_cpus()),))
    (block,) = fixtures.blocks_of(tournament, plan_of(tournament))
    lines = "".join(json.dumps(one) + "\n" for one in (asdict(setting), block))
    words = [sys.executable, "-m", "arena.league.worker"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        worker.stdin.write(lines)
        worker.stdin.flush()
        host = Host.from_plain(json.loads(worker.stdout.readline())["host"])
        match = json.loads(worker.stdout.readline())["match"]
        worker.stdin.close()
    assert host == (replace(known, speed=50) if known else this_host())  # of all cores, not only of its own
    header = load(record_path(tmp_path / RECORDS, match)).header
    assert header.host == host
    assert {player.clock for player in header.players} == {scaled(tournament.clock, host)}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("processes", "workers"), [("match", 2), ("block", 1), ("worker", 3)])
def test_results_do_not_depend_on_workers_and_processes(alone, tmp_path, processes, workers):
    play(alone, tmp_path, processes=processes, workers=workers)
    assert ways(tmp_path) == ways(alone.parent / "results")


FAULTY = {
    "mute": ("no-hello: no hello within 4000 ms", {"no-hello"}),
    "crash": ("crash: ", {"crash"}),
    "illegal": ("malformed: seat ", {"malformed", "strikes"}),
}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("how", "words", "kinds"), [(how, *expected) for how, expected in FAULTY.items()], ids=FAULTY)
def test_a_bot_that_cannot_play_loses_its_matches_and_the_league_goes_on(tmp_path, how, words, kinds):
    clock = PATIENT | {"hello_ms": 4000} if how == "mute" else PATIENT
    path = small_league(tmp_path, ("first", how), clock, blocks=2, workers=4 if how == "mute" else 1)
    told = dict[int, int]()

    def watch(now: Progress, _store: Store) -> None:
        told.setdefault(now.done, len(now.warnings))

    progress = play(path, tmp_path / "results", watch)
    assert (progress.done, progress.void) == (4, 0)
    assert told == {0: 0, 1: 0, 2: 0, 3: 1, 4: 1}
    assert progress.warnings[0].startswith(f"{how} failed in all of its first 3 matches: {words}")
    for row in rows(tmp_path / "results"):
        assert row.ranks == ((1, 2) if row.bots[0] == "first" else (2, 1))
        assert {fault["kind"] for fault in row.faults} == kinds, "whose fault it was is kept with the result"


@pytest.mark.usefixtures("processes")
def test_the_other_blocks_of_a_lost_worker_are_played(tmp_path):
    """It has two at a time, and dies at the first match of each."""
    killer = "kill-arena.league.worker"
    progress = play(small_league(tmp_path, ("first", killer), blocks=2), tmp_path / "results")
    assert [row.bots for row in rows(tmp_path / "results")] == [("first", killer)] * 2
    assert (len(progress.given_up), progress.void) == (2, 6)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("above", ["arena.league.worker", "arena.sandbox.spawner"])
def test_a_match_that_loses_its_arena_each_time_is_left_out(tmp_path, above):
    """The bot kills the worker, or the process that starts the bots, in each match in which it has the first seat."""
    killer = f"kill-{above}"
    path = small_league(tmp_path, ("first", killer), blocks=1)
    progress = play(path, tmp_path / "results")
    (lost,) = progress.given_up
    (row,) = rows(tmp_path / "results")
    assert (row.bots, row.faults) == (("first", killer), ())
    with open_store(tmp_path / "results") as store:
        attempts = store.attempts()
    reasons = attempts[lost]
    assert len(reasons) == 3
    assert progress.void == sum(map(len, attempts.values()))
    # The other match of the block comes second, so it may meet the end of the same spawner.
    assert set(attempts) <= ({lost} if above == "arena.league.worker" else {lost, row.match})
    if (
        above == "arena.league.worker"
    ):  # that the spawner is gone is noticed by the launcher or by a session, whoever is first
        assert reasons == ["the worker process ended"] * 3


@pytest.mark.usefixtures("processes")
def test_if_no_worker_gets_ready_it_is_told_why(tmp_path):
    path = small_league(tmp_path, blocks=6)
    with pytest.raises(LaunchError) as failure:
        play(path, tmp_path / "results", sandbox="of glass")
    assert str(failure.value) == (
        "no worker process starts: ValueError: 'of glass' is not a valid Tier. "
        "Run it again; if it happens again, `arena doctor` shows what is wrong."
    )
    assert rows(tmp_path / "results") == []


@pytest.mark.usefixtures("processes")
def test_a_machine_with_a_weaker_sandbox_than_the_league_needs_plays_nothing(tmp_path):
    with pytest.raises(HostError, match="this machine cannot play the league: its best sandbox is of tier none"):
        play(small_league(tmp_path, blocks=6), tmp_path / "results", sandbox="none", min_tier="lite")
    assert rows(tmp_path / "results") == []


def test_workers_share_the_cores_and_no_two_have_the_same(monkeypatch):
    monkeypatch.setattr(executors, "usable_cpus", lambda: [0, 1, 4, 5, 6])
    assert executors.core_sets(2) == [(0, 1), (4, 5)]
    assert executors.core_sets(5) == [(0,), (1,), (4,), (5,), (6,)]
    assert executors.core_sets(7) == [(0,), (1,), (4,), (5,), (6,), (0,), (1,)]
    assert executors.core_sets(2, []) == [()] * 2
    assert executors.worker_count(None, [2]) == 2
    assert executors.worker_count(None, [2, 5]) == 1
    assert executors.worker_count(7, [5]) == 7


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("keys", "matches"),
    [
        ({"kind": "gauntlet", "challengers": ["first"], "blocks": 2, "seats": [3]}, 6),
        ({"kind": "adaptive", "blocks": 4}, 8),
        ({"kind": "knock_out"}, 6),
    ],
    ids=["gauntlet", "adaptive", "knock_out"],
)
def test_a_small_league_of_each_kind_is_really_played_and_its_worker_stays(tmp_path, monkeypatch, keys, matches):
    """A knock-out of four has two rounds, the second of which depends on the first."""
    started = []

    def counted(setting):
        started.append(setting)
        return start(setting)

    start = executors._started
    monkeypatch.setattr(executors, "_started", counted)
    progress = play(small_league(tmp_path, **keys), tmp_path / "results")
    assert (progress.done, progress.total, len(started)) == (matches, matches, 1)


# What is said of a league


@pytest.mark.usefixtures("pretended")
def test_settings_tell_what_was_played(tmp_path):
    path = small_league(tmp_path, blocks=2, seed=10**30)
    play(path, tmp_path / "results")
    with open_store(tmp_path / "results") as store:
        settings = store.settings()
    assert settings["seed"] == 10**30
    assert (settings["name"], settings["planned"], settings["sandbox"]) == ("small", 4, "none")
    assert settings["order"] == list(GOOD)
    assert settings["commands"]["first"] == ["{python}", "-I", "-S", "bot.py", "first"]
    assert json.loads(json.dumps(fixtures.identity(read_tournament(path)))).items() <= settings.items()


# Bots that are reused, and bots that change


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("processes", ["worker", "block"])
def test_a_bot_that_falls_asleep_costs_only_its_own_matches(tmp_path, processes):
    """It never says ready again, and would be in the way of all that come after it."""
    clock = {"hello_ms": 60_000, "prepare_ms": 60_000, "bank_ms": 50, "increment_ms": 5}
    path = small_league(tmp_path, ("first", "asleep", "last"), clock, blocks=6, processes=processes)
    progress = play(path, tmp_path / "results")
    assert (progress.done, progress.void) == (12, 0)
    for row in rows(tmp_path / "results"):
        kinds = {fault["kind"] for fault in row.faults if row.bots[fault["seat"]] == "asleep"}
        assert kinds == ({"late", "strikes"} if "asleep" in row.bots else set())


def copies(folder):
    """The folders that play, by bot."""
    with open_store(folder) as store:
        return {name: folder / "unpacked" / one.archive for name, one in store.lineup().current.items()}


@pytest.mark.usefixtures("pretended")
def test_what_a_bot_plays_after_its_copy_has_changed_does_not_count(tmp_path):
    path = small_league(tmp_path, blocks=40)

    def change(progress, _store):
        if progress.new == 30:
            file = copies(tmp_path / "results")["second"] / "bot.py"
            file.chmod(0o644)
            file.write_text("# another bot")

    with pytest.raises(
        SettingError, match=r"have changed since the league began to run, such as bot\.py\. This is what"
    ):
        play(path, tmp_path / "results", change)
    kept = len(rows(tmp_path / "results"))
    assert kept < 30
    assert play(path, tmp_path / "results").new == 80 - kept, "the copy is unpacked again"


@pytest.mark.usefixtures("pretended")
def test_what_is_done_in_a_bots_folder_while_a_league_runs_changes_nothing(tmp_path):
    path = small_league(tmp_path, blocks=10)
    spoil = lambda progress, _store: (tmp_path / "second" / "bot.py").write_text(f"# {progress.new}")  # noqa: E731
    assert play(path, tmp_path / "results", spoil).done == 20


@pytest.mark.usefixtures("pretended")
def test_files_that_are_touched_but_the_same_change_nothing(tmp_path):
    path = small_league(tmp_path, blocks=10)
    touch = lambda progress, _store: (tmp_path / "second" / "bot.py").touch()  # noqa: E731
    assert play(path, tmp_path / "results", touch).done == 20


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize("rule", [old_digest, lambda entry: entry.digest], ids=["16 digits", "32 digits"])
def test_a_league_that_an_older_arena_began_keeps_its_bots_and_their_digests(tmp_path, rule):
    path = small_league(tmp_path, blocks=10)
    (tmp_path / "second" / ".hidden").write_text("x")
    tournament = read_tournament(path)
    old = replace(tournament, entries=tuple(replace(entry, digest=rule(entry)) for entry in tournament.entries))
    facts = {"name": "small", "planned": 20, "sandbox": "none", "order": list(old.bots)}
    with open_store(tmp_path / "results", create=True) as store:
        store.settle({**fixtures.identity(old), **fixtures.roster(old), **deals.kept(deals.begun(old, {})), **facts,
                      "commitment": of_seed(0).commitment})  # fmt: skip
    assert play(path, tmp_path / "results").done == 20
    assert len(copies(tmp_path / "results")) == 4
    (tmp_path / "second" / "bot.py").write_text("# another bot")
    small_league(tmp_path, blocks=12)
    progress = play(path, tmp_path / "results")
    assert (progress.new, progress.done) == (4, 24)
    with open_store(tmp_path / "results") as store:
        assert {digest for _, digest in store.settings()["bots"].values()} == {entry.digest for entry in old.entries}


@pytest.mark.usefixtures("pretended")
def test_other_bots_than_an_older_arena_played_are_refused(tmp_path):
    path = small_league(tmp_path, blocks=10)
    old = read_tournament(path)
    facts = {"name": "small", "planned": 20, "sandbox": "none", "order": list(old.bots)}
    with open_store(tmp_path / "results", create=True) as store:
        store.settle({**fixtures.identity(old), **fixtures.roster(old), **deals.kept(deals.begun(old, {})), **facts,
                      "commitment": of_seed(0).commitment})  # fmt: skip
    (tmp_path / "second" / "bot.py").write_text("# another bot")
    with pytest.raises(SettingError, match="has the results of other bots: other bots or other files of bots: second"):
        play(path, tmp_path / "results")


@pytest.mark.usefixtures("pretended")
def test_results_and_caches_that_come_while_a_league_runs_change_nothing(tmp_path):
    path = small_league(tmp_path, blocks=10)

    def change(progress, _store):
        (tmp_path / "second" / "__pycache__").mkdir(exist_ok=True)
        (tmp_path / "second" / f"{progress.new}.match.jsonl.gz").touch()

    assert play(path, tmp_path / "second" / "leagues" / "small", change).done == 20


@pytest.mark.usefixtures("processes")
def test_a_worker_that_can_never_start_a_bot_says_so_once(tmp_path):
    need_tier("full")
    tournament = read_tournament(small_league(tmp_path, sandbox="full", blocks=1))
    setting = fixtures.setting(tournament, tmp_path / "results")
    (tmp_path / "first").rename(tmp_path / "away")
    blocks = list(fixtures.blocks_of(tournament, plan_of(tournament)))
    lines = "".join(json.dumps(one) + "\n" for one in (asdict(setting), *blocks))
    words = [sys.executable, "-m", "arena.league.worker"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        worker.stdin.write(lines)
        worker.stdin.flush()
        assert json.loads(worker.stdout.readline()) == {"ready": "full", "host": this_host().plain()}
        assert json.loads(worker.stdout.readline()) == {
            "stop": f"{tmp_path}/first: the folder of a bot does not exist.", "kind": "HostError",
        }  # fmt: skip
        assert worker.wait() == 1


@pytest.mark.usefixtures("processes")
def test_a_worker_whose_runner_is_gone_says_nothing(tmp_path):
    setting = fixtures.setting(read_tournament(small_league(tmp_path, blocks=1)), tmp_path / "results")
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "arena.league.worker"]
    ended = subprocess.run(
        words, input=json.dumps(asdict(setting)).encode() + b"\n", stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    assert ended.stderr == b""


def test_a_league_that_goes_on_does_not_judge_again_what_was_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=0))
    path = small_league(tmp_path, ("first", "second", "third", "last"), blocks=400)
    play(path, tmp_path / "results")
    looks = []
    undecided = ResultsSoFar.undecided
    monkeypatch.setattr(ResultsSoFar, "undecided", lambda *words: looks.append(words) or undecided(*words))
    assert play(path, tmp_path / "results", until="separated").new == 0
    assert looks == []


def test_looks_at_the_table_become_rarer_as_it_grows(tmp_path):
    tournament = replace(read_tournament(small_league(tmp_path)), seed=1, kind=RoundRobin(2000, "separated"))
    with open_store(tmp_path / "results", create=True) as store:
        so_far = ResultsSoFar(store, tournament.bots)
        lengths = [len([*part]) // 2 for part in tournament.kind.parts(tournament.entrants, so_far)]
    assert sum(lengths) == 2000
    assert lengths[:8] == [16] * 8
    assert len(lengths) < 40


@pytest.mark.usefixtures("pretended")
def test_a_league_whose_plan_is_played_was_not_stopped(tmp_path):
    progress = play(small_league(tmp_path, blocks=1, minutes=0.00001), tmp_path / "results")
    assert progress.stopped == "the 1e-05 minutes are over"
    assert play(small_league(tmp_path, blocks=1), tmp_path / "results").stopped == ""
    assert play(small_league(tmp_path, blocks=1, minutes=0.00001), tmp_path / "results").stopped == ""


def test_an_adaptive_league_says_that_all_are_separated(tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=0))
    progress = play(small_league(tmp_path, kind="adaptive", blocks=400), tmp_path / "results")
    assert progress.done < progress.total
    assert progress.stopped == "all are separated"


def test_a_bot_that_cannot_be_started_is_told_of_at_once_and_one_that_fails_at_the_end(tmp_path, monkeypatch):
    kinds = {"second": "not-started", "third": "crash"}

    def fate(fixture):
        seats = [seat for seat, bot in enumerate(fixture["bots"]) if bot in kinds]
        faults = [
            {"kind": kinds[fixture["bots"][seat]], "seat": seat, "decision": None, "text": "no"} for seat in seats
        ]
        return {**workers._result(fixture), "faults": faults}

    workers = Pretended()
    monkeypatch.setattr(league, "Workers", Pretended(fate))
    progress = play(small_league(tmp_path, seats=[4], blocks=1, bots=GOOD), tmp_path / "results")
    assert progress.warnings == [
        "second failed in its first match: not-started: no",
        "third failed in all of its first 3 matches: crash: no",
    ]
    path = small_league(tmp_path, bots=("third", "last"), blocks=1, name="short")
    assert play(path, tmp_path / "short").warnings == ["third failed in all of its first 2 matches: crash: no"]
