"""Whether a league is being played, how fast, when, and what failed: `status`, `list`, warnings, and exit codes."""

import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from arena.cli.league_list import moment
from arena.errors import StoreError
from arena.league import run as league
from arena.league.heartbeat import EVERY_S, Heartbeat, runner, runs_of
from arena.league.store import LOCK, only_runner, open_store
from tests.cli.command import Command, here
from tests.league.small_league import GOOD, Pretended, Refereed, play, small_bot, small_league
from tests.league.test_store import LATE, begun, row


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(league, "Workers", Refereed())
    return partial(here, monkeypatch, capsys)


# Is it running?


def test_a_runner_is_seen_with_its_process_and_only_while_it_holds_the_lock(tmp_path):
    assert runner(tmp_path) is None
    with only_runner(tmp_path):
        assert runner(tmp_path) == os.getpid()
    assert runner(tmp_path) is None
    assert (tmp_path / LOCK).exists()


@pytest.mark.usefixtures("processes")
def test_to_look_takes_nothing_away_from_a_runner_that_starts(tmp_path):
    """Another process looks all the time."""
    with only_runner(tmp_path):
        pass
    code = (
        "import time\nfrom pathlib import Path\nfrom arena.league.heartbeat import runner\n"
        f"while True:\n    runner(Path({str(tmp_path)!r}))\n    time.sleep(0.002)"
    )
    watcher = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    try:
        time.sleep(0.5)
        for _ in range(30):
            with only_runner(tmp_path):
                assert runner(tmp_path) == os.getpid()
    finally:
        watcher.kill()
        watcher.wait()


def test_a_second_runner_is_still_refused(tmp_path):
    refusal = pytest.raises(StoreError, match="another process is running this league")
    with only_runner(tmp_path), refusal, only_runner(tmp_path):
        pass


def test_what_somebody_wrote_into_the_lock_is_not_believed(tmp_path):
    with only_runner(tmp_path):
        (tmp_path / LOCK).write_text("x" * 100)
        assert runner(tmp_path) == 0


# When, and how fast?


def test_the_times_of_runs_are_renewed_only_every_few_seconds(tmp_path):
    begun(tmp_path, [])
    with open_store(tmp_path) as store:
        now = [1_000_000.0]
        heartbeat = Heartbeat(store, lambda: now[0])
        for step in range(100):
            now[0] = 1_000_000 + step / 10
            before = store._connection.total_changes
            heartbeat.beat(step)
            assert (store._connection.total_changes > before) == (step % (10 * EVERY_S) == 0)
        heartbeat.beat(100, is_last=True)
        runs = runs_of(store.settings())
        assert (runs.first, runs.began, runs.seen, runs.new) == (1_000_000, 1_000_000, 1_000_009, 100)
        assert runs.rate == pytest.approx(100 / 9)
        now[0] = 2_000_000.0
        Heartbeat(store, lambda: now[0]).beat(0)
        again = runs_of(store.settings())
        assert (again.first, again.began, again.rate) == (1_000_000, 2_000_000, None)


def test_a_run_goes_on_when_its_plan_changes(tmp_path):
    """As `--forever` does when a bot joins: each plan counts its own matches from 0."""
    begun(tmp_path, [])
    with open_store(tmp_path) as store:
        now = [1_000_000.0]
        heartbeat = Heartbeat(store, lambda: now[0])
        for new, is_last in ((7, True), (0, False), (3, False), (5, True), (2, True)):
            now[0] += EVERY_S
            heartbeat.beat(new, is_last)
        runs = runs_of(store.settings())
    assert (runs.began, runs.new) == (1_000_000, 7 + 5 + 2)


def test_status_says_whether_a_process_is_at_work_and_how_fast(cli, tmp_path):
    runs = {"first": 0, "began": 86_400, "seen": 86_410, "new": 20}
    begun(tmp_path / "small", [row(0), row(1)], runs=runs)
    stopped = cli("league", "status", "small").out.splitlines()
    assert stopped[1] == "stopped; last played 1970-01-02 00:00 UTC; 20 matches in the last run, 2.0/s"
    with only_runner(tmp_path / "small"):
        running = cli("league", "status", "small").out.splitlines()
        plain = json.loads(cli("league", "status", "small", "--json").out)
    line = (
        f"running by process {os.getpid()}; since 1970-01-02 00:00 UTC; 20 matches in the run so far, 2.0/s; 11 s left"
    )
    assert running[1] == line
    assert (plain["state"], plain["process"], plain["rate"]) == ("running", os.getpid(), 2.0)
    assert (plain["first_played"], plain["last_played"]) == (0, 86_410)


def test_a_league_that_an_older_arena_has_played_has_no_times(cli, tmp_path):
    begun(tmp_path / "small", [row(plan) for plan in range(24)])
    assert cli("league", "status", "small").out.splitlines()[1] == "complete"


def test_a_run_leaves_its_times_behind_and_the_report_has_the_date(cli, tmp_path):
    before = int(time.time())
    path = small_league(tmp_path, blocks=2)
    assert cli("league", "run", path.name).code == 0
    with open_store(tmp_path / "leagues" / "small") as store:
        runs = runs_of(store.settings())
    assert before <= runs.first <= runs.began <= runs.seen <= time.time()
    assert runs.new == 4
    assert cli("league", "report", path.name).code == 0
    html = Path("leagues/small/report.html").read_text()
    assert f"Played on {int(moment(runs.seen)[8:10])} " in html or "Played from " in html


# What failed?


def test_status_counts_faults_by_bot_and_kind_and_names_a_match(cli, tmp_path):
    crash = {**LATE, "kind": "crash", "seat": 0}
    begun(tmp_path / "small", [row(0, faults=(LATE, crash)), row(1, faults=()), row(2, faults=(crash,))])
    out = cli("league", "status", "small").out
    record = f"small/records/00/{0:024x}.match.jsonl.gz"
    assert "faults of bots, each with its first match:\n" in out
    assert f"  b: crash 2:  arena replay {record}\n" in out
    assert f"  a: late 1:  arena replay {record}\n" in out
    plain = json.loads(cli("league", "status", "small", "--json").out)
    assert plain["faults"] == {"a": {"late": 1}, "b": {"crash": 2}}


@pytest.mark.usefixtures("processes")
def test_the_early_warning_names_the_command_that_shows_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    progress = play(small_league(tmp_path, ("first", "crash"), blocks=2), Path("results"))
    (warning,) = progress.warnings
    words, _, command = warning.partition(". See why:  ")
    assert words.startswith("crash failed in ")
    assert command.startswith("arena replay results/records/")
    shown = subprocess.run(f"{sys.executable} -m {command}", shell=True, capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])})  # fmt: skip
    assert "no wish to play" in shown.stdout, shown


# Which leagues are there?


def test_leagues_are_listed_with_their_bots_and_state(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=3))
    for how in GOOD:
        small_bot(tmp_path, how)
    assert cli("duel", "first", "last", "--sandbox", "none", "--seed", "1").code == 0
    begun(Path("leagues/stopped"), [row(0), row(1)])
    begun(Path("leagues/running"), [row(0)])
    with only_runner(Path("leagues/running")):
        found = {one["folder"]: one for one in json.loads(cli("league", "list", "--json").out)}
        lines = cli("league", "list").out.splitlines()
    (duel,) = found.keys() - {"running", "stopped"}
    assert duel.startswith("duel-")
    assert {name: one["state"] for name, one in found.items()} == {
        duel: "complete", "running": "running", "stopped": "stopped",
    }  # fmt: skip
    assert found[duel]["bots"] == ["first", "last"]
    assert "  first against last  " in lines[2]
    assert lines[4].split() == ["stopped", "round", "robin", "draftosaurus", "a,", "b", "2/24", "stopped"]


def test_a_damaged_league_does_not_hide_the_others(cli):
    begun(Path("leagues/good"), [row(0)])
    Path("leagues/bad").mkdir()
    Path("leagues/bad/league.sqlite3").write_text("this is not a database, but long enough to be taken for one" * 20)
    ended = cli("league", "list")
    assert ended.code == 0
    assert "not the file of a league" in ended.out.replace("\n", " ")
    assert "good" in ended.out


def test_where_there_are_no_leagues_it_is_said(cli):
    ended = cli("league", "list")
    assert (ended.code, ended.out) == (4, "")
    assert ended.err == "arena: leagues: there is no such folder. `arena league run FILE` makes leagues/.\n"
    Path("leagues").mkdir()
    assert cli("league", "list").err == "leagues: there are no leagues.\n"


# How commands end


def test_verify_of_a_folder_names_the_command_for_it(cli):
    Path("leagues/small").mkdir(parents=True)
    ended = cli("verify", "leagues/small")
    assert (ended.code, ended.out) == (2, "")
    assert (
        "leagues/small: this is a folder. For all results of a league: arena league verify leagues/small" in ended.err
    )
    Path("leagues/small/records").mkdir()
    assert "arena league verify leagues/small; for" in cli("verify", "leagues/small/records").err


@pytest.mark.parametrize(
    "words",
    [
        ("league", "status", "leagues/nothing"),
        ("league", "run", "nothing.toml"),
        ("league", "run", "small.toml"),
        ("league", "merge", "leagues/small", "leagues/other"),
        ("league", "merge", "leagues/small", "nowhere"),
    ],
    ids=["no such league", "no such file", "another league", "merge of another league", "merge of no league"],
)
def test_no_such_league_and_another_league_have_one_exit_code(cli, tmp_path, words):
    small_league(tmp_path, blocks=1)
    begun(Path("leagues/small"), [], strikes=9)
    begun(Path("leagues/other"), [], strikes=4)
    ended = cli(*words)
    assert (ended.code, ended.out) == (4, ""), ended
