"""`arena league new|add|update|retire|history` and `run --shard|--dry-run`, as a user types them."""

import json
import re
import shutil
import tomllib
from functools import partial
from pathlib import Path

import pytest

from arena.league import run as league
from arena.league.store import open_store
from tests.cli.command import here
from tests.league.small_league import GOOD, Pretended, small_bot, small_league


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(league, "Workers", Pretended())
    for how in GOOD:
        small_bot(tmp_path, how)
    return partial(here, monkeypatch, capsys, "league")


@pytest.fixture
def cup(cli, tmp_path):
    """A league of three that has been played."""
    path = small_league(tmp_path, GOOD[:3], name="cup")
    assert cli("run", path.name).code == 0
    return path


def bots_in(path):
    return tomllib.loads(path.read_text())["bots"]


def test_a_new_league_is_written_begun_and_not_played(cli, tmp_path):
    ended = cli("new", "fresh.toml", "./first", "./last", "--seats", "2", "--blocks", "3")
    assert (ended.code, ended.out) == (0, "6 matches to play, in leagues/fresh:  arena league run fresh.toml\n")
    assert tomllib.loads(Path("fresh.toml").read_text()) == {
        "name": "fresh", "game": "draftosaurus", "bots": ["./first", "./last"], "schedule": {"seats": [2], "blocks": 3},
    }  # fmt: skip
    assert sorted(path.name for path in (tmp_path / "leagues" / "fresh" / "unpacked").iterdir() if path.is_dir())
    ended = cli("new", "fresh.toml", "./first", "./last")
    assert (ended.code, ended.err) == (
        4,
        "arena: fresh.toml: it exists already. `arena league add fresh.toml BOT` adds a bot to it.\n",
    )


def test_a_bot_joins_by_one_command_and_comments_stay(cli, cup):
    cup.write_text("# the cup of spring\n" + cup.read_text())
    ended = cli("add", "cup.toml", "./last")
    assert (ended.code, ended.out) == (0, "last joins\n")
    assert bots_in(cup) == ["first", "second", "third", "./last"]
    assert cup.read_text().startswith("# the cup of spring\n")
    with open_store(Path("leagues/cup")) as store:
        store.settle({"runs": {"first": 0, "began": 0, "seen": 60, "new": 6}})
    ended = cli("run", "cup.toml", "--dry-run")
    assert ended.out == "6 matches missing of 12\nabout 1 min 0 s at the pace of the last run\n"


def test_a_bot_that_is_not_there_changes_nothing(cli, cup, tmp_path):
    before = cup.read_text()
    ended = cli("add", "cup.toml", "./nobody")
    assert ended.code == 4
    assert "nobody' is not a bot" in ended.err
    ended = cli("add", "cup.toml", "first")
    assert ended.err == "arena: cup.toml: bots: first is there already. `arena league update` takes in its files.\n"
    assert (cup.read_text(), list(tmp_path.glob(".*.draft"))) == (before, [])


def test_a_bot_that_fails_its_exam_changes_nothing(cli, cup, tmp_path, monkeypatch):
    class Failing(Pretended):
        def message(self, fixture):
            fault = {"kind": "crash", "seat": 0, "decision": None, "text": "it exited with status 1"}
            return {"match": fixture["match"], "faults": [fault]}

    cup.write_text(cup.read_text().replace("exam = false", "exam = true"))
    monkeypatch.setattr(league, "Workers", Failing())
    before = cup.read_text()
    ended = cli("add", "cup.toml", "./last")
    assert ended.code == 3
    assert ended.err.startswith(
        "arena: last did not get through its trial match: crash: it exited with status 1. See why:  "
    )
    assert (cup.read_text(), list(tmp_path.glob(".*.draft"))) == (before, [])
    with open_store(tmp_path / "leagues" / "cup") as store:
        assert "last" not in store.lineup().current


def test_a_bot_retires_by_one_command(cli, cup):
    assert cli("add", "cup.toml", "./last").code == 0
    ended = cli("retire", "cup.toml", "second")
    assert (ended.code, ended.out, ended.err) == (0, "second retires\n", "")
    assert bots_in(cup) == ["first", "third", "./last"]
    ended = cli("retire", "cup.toml", "second")
    assert (ended.code, ended.err) == (4, "arena: cup.toml: bots: second is not one of first, third, last.\n")


def test_a_league_keeps_enough_bots_for_a_table(cli, tmp_path):
    path = small_league(tmp_path, GOOD[:3], name="cup", seats=[3], blocks=2)
    assert cli("run", path.name).code == 0
    ended = cli("retire", "cup.toml", "second")
    assert ended.code == 4
    assert "3 seats, but only 2 bots" in ended.err
    assert "second" in bots_in(path)


@pytest.mark.usefixtures("cup")
def test_an_update_takes_in_what_has_changed_and_shows_it_first(cli, tmp_path):
    assert cli("update", "cup.toml").out == "nothing has changed\n"
    (tmp_path / "first" / "bot.py").write_text("# another one")
    ended = cli("update", "cup.toml", "--dry-run")
    assert ended.out == "first differs from what the league plays: bot.py changed: it gets a new version\n"
    assert cli("update", "cup.toml", "second").out == "second: nothing has changed\n"
    assert cli("update", "cup.toml", "first").out == "first gets a new version\n"
    assert cli("update", "cup.toml", "--dry-run").out == "nothing has changed\n"


@pytest.mark.usefixtures("cup")
def test_the_history_shows_versions_on_one_scale(cli, tmp_path):
    text = (tmp_path / "first" / "bot.toml").read_text()
    (tmp_path / "first" / "bot.toml").write_text(text.replace('version = "1"', 'version = "1.3"'))
    cli("update", "cup.toml")
    cli("run", "cup.toml")
    shown = cli("history", "cup.toml", "first")
    assert shown.code == 0
    header, _, older, newer = shown.out.splitlines()
    assert header.split()[:3] == ["bot", "version", "files"]
    assert older.split()[:2] == ["first", "1"]
    assert newer.split()[:2] == ["first", "1.3"]
    assert re.search(r"[+-]\d+ ± \d+$", newer)
    found = json.loads(cli("history", "cup.toml", "--json").out)
    assert [row["bot"] for row in found] == ["first", "first", "second", "third"]
    shown = cli("standings", "cup.toml", "--all").out
    past = r"Not in the league any more:\n\nbot .*\n-.*\nfirst 1  ([0-9-]{10}) to \1"
    assert re.search(past, shown), shown
    assert "second" not in shown.partition("any more")[2]
    assert "reigns" not in cli("standings", "cup.toml", "--json").out, "standings follow from the results alone"
    reigns = {row["bot"]: row["reigns"] for row in json.loads(cli("standings", "cup.toml", "--all", "--json").out)}
    assert [left is None for _, left in (*reigns["first"], *reigns["first 1"])] == [True, False]
    assert "first 1" not in cli("standings", "cup.toml").out
    ended = cli("history", "cup.toml", "nobody")
    assert ended.code == 2
    assert "it never played in this league" in ended.err


@pytest.mark.usefixtures("cup")
def test_a_report_counts_the_matches_of_todays_roster(cli, tmp_path):
    with (tmp_path / "first" / "bot.py").open("a") as file:
        file.write("# another version\n")
    cli("update", "cup.toml")
    cli("report", "cup.toml")
    page = Path("leagues/cup/report.html").read_text()
    assert "2 of 6 matches of the plan are played." in page
    assert "2 of 6 planned are played, and 4 of earlier versions and retired bots" in page
    cli("run", "cup.toml")
    cli("report", "cup.toml")
    assert "All 6 matches of the plan are played." in Path("leagues/cup/report.html").read_text()


def test_a_league_without_its_bots_folders_goes_on(cli, cup, tmp_path):
    shutil.rmtree(tmp_path / "first")
    cup.write_text(cup.read_text().replace("[schedule]", "[schedule]\nblocks = 6"))
    ended = cli("run", "cup.toml")
    assert ended.code == 0, ended.err
    assert "arena: first: its files cannot be read. The league plays the copy that it kept.\n" in ended.err
    assert "12 of 12 matches; 6 now" in ended.err


def test_shares_are_played_and_merged_by_commands(cli, tmp_path):
    small_league(tmp_path, name="cup", blocks=6)
    ended = cli("run", "cup.toml", "--shard", "1/2")
    assert ended.code == 4
    assert "the league has not begun, and its shares need one secret. Run `arena league new cup.toml` once" in ended.err
    assert cli("new", "cup.toml").code == 0
    for share in ("1/2", "2/2"):
        ended = cli("run", "cup.toml", "--shard", share)
        assert ended.code == 0, ended.err
        assert "Bring the shares together:  arena league merge leagues/cup leagues/cup-shard-" in ended.err
    folders = sorted(path.name for path in (tmp_path / "leagues").iterdir())
    assert folders == ["cup", "cup-shard-1-of-2", "cup-shard-2-of-2"]


@pytest.mark.parametrize("share", ["0/2", "3/2", "1", "1/0", "x/y", "1/2/3", "-1/2", "1/1000000"])
def test_what_is_no_share_is_refused(cli, tmp_path, share):
    small_league(tmp_path, name="cup")
    ended = cli("run", "cup.toml", "--shard", share)
    assert ended.code == 2
    assert "expected I/N, from 1/N to N/N" in ended.err
