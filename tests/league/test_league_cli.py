"""`arena league` and `arena duel` as a person meets them: what they print, where they write, how they end."""

import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet
import pytest

from arena.cli import demo, export, standings
from arena.cli.bracket import LEGEND
from arena.cli.standings import _levels
from arena.errors import Interrupted, LaunchError
from arena.league import run as league
from arena.league import seat_rows
from arena.league import store as store_module
from arena.league.secret import of_seed
from arena.league.store import FILE, only_runner, open_store
from arena.league.wire import record_path
from tests.cli.command import arena, here
from tests.league.small_league import GOOD, NOTES, Pretended, Refereed, play, rows, small_bot, small_league, ways
from tests.league.test_store import LEAGUE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path):
    """The command line in this process and in the folder of the test, where nothing is really played."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(league, "Workers", Refereed())
    return partial(here, monkeypatch, capsys)


@pytest.fixture
def played(cli, tmp_path):
    """A league that has been played: its file."""
    path = small_league(tmp_path, blocks=12)
    assert cli("league", "run", path.name).code == 0
    return path.name


# Playing


@pytest.mark.usefixtures("processes")
def test_a_league_is_really_played_shown_and_gone_on_with(tmp_path):
    path = small_league(tmp_path, blocks=3)
    first = arena("league", "run", path, "--folder", tmp_path / "results", "--workers", "2")
    assert first.code == 0, first.err
    page = f"As a web page:  arena league report {path} --folder {tmp_path}/results\n"
    assert first.err.startswith(NOTES)
    words = first.err.removeprefix(NOTES)
    assert re.fullmatch(rf"6 of 6 matches; 6 now, in \d+ s, [\d.]+/s; without a sandbox\n\n{page}", words)
    assert first.out.splitlines()[0].split() == [
        "rank", "bot", "version", "rating", "95", "%", "Elo", "games", "wins", "score", "margin", "faults",
    ]  # fmt: skip
    assert {line.split()[1] for line in first.out.splitlines()[2:6]} == set(GOOD)
    again = arena("league", "run", path, "--folder", tmp_path / "results")
    assert again.code == 0
    words = again.err.removeprefix(NOTES)
    assert re.fullmatch(rf"6 of 6 matches; 0 now, in \d+ s; without a sandbox\n\n{page}", words)
    assert again.out == first.out
    assert arena("verify", *sorted((tmp_path / "results" / "records").glob("*/*"))).code == 0


@pytest.mark.usefixtures("played")
def test_results_lie_in_a_folder_of_the_league_here(tmp_path):
    assert sorted(path.name for path in (tmp_path / "leagues" / "small").iterdir()) == [
        "bots",
        "league.sqlite3",
        "records",
        "runner.lock",
        "unpacked",
    ]


def test_a_league_that_left_matches_out_says_which_and_ends_with_1(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(lambda fixture: {"void": "no"} if fixture["at"] == 1 else None))
    ended = cli("league", "run", small_league(tmp_path, blocks=3))
    warning, summary, *_ = ended.err.removeprefix(NOTES).splitlines()
    assert ended.code == 1
    assert re.fullmatch(r"arena: match [0-9a-f]{24} is left out after 3 attempts: no", warning)
    assert summary.startswith("5 of 6 matches; 5 now, in ")
    assert "games" in ended.out, "the table is there all the same"


def test_the_words_of_a_bot_do_not_move_the_cursor(cli, tmp_path, monkeypatch):
    def fate(fixture):
        fault = {"kind": "crash", "seat": 0, "decision": 0, "text": "\x1b[2J\nbye"}
        return {**workers._result(fixture), "faults": [fault, {**fault, "seat": 1}]}

    workers = Pretended(fate)
    monkeypatch.setattr(league, "Workers", workers)
    ended = cli("league", "run", small_league(tmp_path, blocks=3))
    assert "first failed in all of its first 3 matches: crash: \\x1b[2J\\nbye\n" in ended.err
    assert "\x1b" not in ended.err


@pytest.mark.usefixtures("processes")
def test_bots_are_built_first_if_somebody_wants_it(cli, tmp_path):
    path = small_league(tmp_path, blocks=1)
    with (tmp_path / "first" / "bot.toml").open("a") as manifest:
        manifest.write('build = ["sh", "-c", "echo built > made.txt"]\n')
    assert cli("league", "run", path, "--build").code == 0
    assert (tmp_path / "first" / "made.txt").read_text() == "built\n"
    assert cli("league", "run", path).code == 0, "what was built belongs to the bot"


# Looking


def test_status_tells_how_far_it_is(cli, played):
    far, activity, *rest = cli("league", "status", played).out.splitlines()
    assert far == "small: 24 of 24 matches (100 %) of draftosaurus"
    assert activity.startswith("complete; last played 20")
    assert rest == [
        "bots: first, last, second, third",
        "fresh deals from seed 0: a bot that guesses or knows it can find every deal",
        f"commitment: {of_seed(0).commitment}",
    ]
    told = json.loads(cli("league", "status", played, "--json").out)
    assert told.pop("first_played") <= told.pop("last_played")
    del told["rate"]
    assert told == {
        "league": "small", "game": "draftosaurus", "bots": ["first", "last", "second", "third"], "planned": 24,
        "played": 24, "did_not_count": 0, "deals": "fresh", "seed": "0", "commitment": of_seed(0).commitment,
        "secret": None, "without_record": [], "without_record_count": 0, "hosts_differ": [], "state": "complete",
        "process": None, "faults": {},
    }  # fmt: skip


def test_status_names_what_did_not_count(cli, played, tmp_path):
    match = "abc" * 8
    with open_store(tmp_path / "leagues" / "small") as store:
        store.note(match, "lost")
        store.note(match, "the worker process\nended")
    ended = cli("league", "status", played)
    assert ended.out.splitlines()[5:] == [
        "2 attempts did not count; 1 still missing:", f"  {match}: the worker process\\nended",
    ]  # fmt: skip
    with open_store(tmp_path / "leagues" / "small") as store:
        store.add([replace(next(store.rows()), match=match, plan=1000)])
        for number in range(12):
            store.note(f"x{number:02}", "lost")
    *lines, more, unrecorded, last = cli("league", "status", played).out.splitlines()
    assert lines[5:] == ["14 attempts did not count; 12 still missing:", *(f"  x{n:02}: lost" for n in range(10))]
    assert (more, unrecorded, last) == ("  and 2 more", "1 result without a record:", f"  {match}")


def test_standings_are_a_table_json_or_csv_of_the_same_numbers(cli, played):
    table = cli("league", "standings", played).out
    found = json.loads(cli("league", "standings", played, "--json").out)
    listed = list(csv.DictReader(io.StringIO(cli("league", "standings", played, "--csv").out)))
    assert [line.split()[1] for line in table.splitlines()[2:6]] == [one["bot"] for one in found]
    assert [one["bot"] for one in listed] == [one["bot"] for one in found]
    assert sum(one["games"] for one in found) == 48
    for one, other in zip(found, listed):
        assert one["low"] <= one["rating"] <= one["high"]
        assert (str(one["games"]), str(one["rating"])) == (other["games"], other["rating"])


@pytest.mark.parametrize("command", ["status", "standings", "export"])
def test_a_league_is_named_by_its_file_or_its_folder(cli, played, command):
    by_file = cli("league", command, played)
    assert by_file.code == 0
    assert cli("league", command, "leagues/small").out == by_file.out
    assert cli("league", command, "elsewhere.toml", "--folder", "leagues/small").out == by_file.out


def test_a_report_is_one_file_and_its_name_is_printed(cli, played, tmp_path):
    ended = cli("league", "report", played)
    assert (ended.code, ended.out) == (0, "leagues/small/report.html\n")
    page = (tmp_path / "leagues" / "small" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert all(bot in page for bot in GOOD)
    assert cli("league", "report", played, "-o", "pages/mine.html").out == "pages/mine.html\n"
    assert (tmp_path / "pages" / "mine.html").stat().st_size > 1000


def test_a_report_links_the_replays_that_were_asked_for(cli, played, tmp_path):
    store, results = tmp_path / "leagues" / "small", rows(tmp_path / "leagues" / "small")
    lost = record_path(store / "records", results[3].match)
    lost.unlink()
    ended = cli("league", "report", played, "--replays", "-o", "pages/mine.html")
    assert (ended.code, ended.out) == (0, "pages/mine.html\n")
    assert "23 replays in pages/replays\n1 match without a replay. The first: " in ended.err
    page = (tmp_path / "pages" / "mine.html").read_text()
    assert page.count(">watch</a>") == 23
    for row in results:
        target = tmp_path / "pages" / "replays" / f"{row.match}.html"
        assert target.is_file() == (f'href="replays/{row.match}.html"' in page) == (row != results[3])
    assert "watch</a>" not in Path(cli("league", "report", played).out.strip()).read_text()


# Taking it elsewhere


def test_an_export_has_a_row_for_each_seat(cli, played, tmp_path):
    printed = cli("league", "export", played).out
    listed = list(csv.DictReader(io.StringIO(printed)))
    results = rows(tmp_path / "leagues" / "small")
    assert len(listed) == 2 * len(results) == 48
    for row in results:
        seats = [one for one in listed if one["match"] == row.match]
        assert [one["bot"] for one in seats] == list(row.bots)
        assert [(int(one["rank"]), int(one["score"])) for one in seats] == [*zip(row.ranks, row.scores)]
        assert {one["seed"] for one in seats} == {str(row.seed)}
    assert cli("league", "export", played, "-o", "x.csv").out == ""
    assert (tmp_path / "x.csv").read_text() == printed
    assert cli("league", "export", played, "-o", "x.json").code == 0
    whole = json.loads((tmp_path / "x.json").read_text())
    assert [{key: str(value) for key, value in one.items()} for one in whole] == listed


def begun_only(folder: Path) -> Path:
    """A league without any result."""
    with open_store(folder, create=True) as store:
        store.settle({**LEAGUE, "name": "empty"})
    return folder


def test_an_export_without_results_has_its_header(cli, played, tmp_path):
    header = cli("league", "export", played).out.splitlines()[0]
    empty = begun_only(tmp_path / "empty")
    assert cli("league", "export", empty).out == f"{header}\n"
    for name in ("none.csv", "none.json", "none.parquet"):
        assert cli("league", "export", empty, "-o", name).code == 0
    assert (tmp_path / "none.csv").read_text() == f"{header}\n"
    assert (tmp_path / "none.json").read_text() == "[]\n"
    table = pyarrow.parquet.read_table(tmp_path / "none.parquet")
    assert (table.num_rows, table.column_names) == (0, header.split(","))


def test_an_export_that_is_written_in_pieces_is_the_same_file(cli, played, tmp_path, monkeypatch):
    names = ("x.csv", "x.json", "x.parquet")
    for name in names:
        assert cli("league", "export", played, "-o", name).code == 0
    whole = json.loads((tmp_path / "x.json").read_text())
    assert (tmp_path / "x.json").read_text() == json.dumps(whole, indent=1) + "\n"
    texts = [(tmp_path / name).read_bytes() for name in names[:2]]
    monkeypatch.setattr(seat_rows, "AT_ONCE", 5)
    monkeypatch.setattr(export, "GROUP", 7)
    monkeypatch.setattr(store_module, "BATCH", 3)
    for name in names:
        assert cli("league", "export", played, "-o", name).code == 0
    assert [(tmp_path / name).read_bytes() for name in names[:2]] == texts
    parquet = pyarrow.parquet.ParquetFile(tmp_path / "x.parquet")
    assert (parquet.num_row_groups, parquet.read().to_pylist()) == (7, whole)


def test_an_export_that_fails_leaves_the_file_as_it_was(cli, played, tmp_path):
    (tmp_path / "x.csv").write_text("mine")
    with closing(sqlite3.connect(tmp_path / "leagues" / "small" / FILE)) as connection:
        connection.execute("UPDATE result SET ranks = '[1]' WHERE match = (SELECT max(match) FROM result)")
        connection.commit()
    assert cli("league", "export", played, "-o", "x.csv").code == 1
    assert (tmp_path / "x.csv").read_text() == "mine"
    assert not list(tmp_path.glob(".x.csv*"))


def test_an_export_can_be_parquet(cli, played, tmp_path):
    for name in ("x.json", "x.parquet"):
        assert cli("league", "export", played, "-o", name).code == 0
    found = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert found.to_pylist() == json.loads((tmp_path / "x.json").read_text())


def test_parquet_needs_what_is_no_part_of_the_arena(cli, played, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = cli("league", "export", played, "-o", "x.parquet")
    assert (ended.code, ended.err) == (
        4, "arena: x.parquet: Parquet needs pyarrow. Install it: pip install pyarrow\n",
    )  # fmt: skip
    assert not (tmp_path / "x.parquet").exists()


def test_leagues_are_merged_as_if_they_had_been_one(cli, played, tmp_path):
    for name, blocks in (("short", 5), ("long", 12)):
        small_league(tmp_path, blocks=blocks)
        assert cli("league", "run", "small.toml", "--folder", name).code == 0
    ended = cli("league", "merge", "short", "long", "leagues/small")
    assert (ended.code, ended.err) == (0, "long: 14 new matches\nleagues/small: 0 new matches\n")
    whole = cli("league", "standings", played, "--json").out
    assert cli("league", "standings", "short", "--json").out == whole


def test_another_league_is_not_merged(cli, played, tmp_path):
    small_league(tmp_path, name="other", seed=5, blocks=2)
    assert cli("league", "run", "other.toml").code == 0
    ended = cli("league", "merge", "leagues/small", "leagues/other")
    assert ended.code == 4
    assert ended.err == f"arena: leagues/other/{FILE}: it is another league: seed is 5, here 0.\n"
    assert json.loads(cli("league", "status", played, "--json").out)["played"] == 24


def test_two_leagues_from_one_file_have_two_secrets_and_are_not_merged_unless_one_is_a_copy(cli, tmp_path):
    small_league(tmp_path, seed=None, blocks=2)
    for name in ("one", "other"):
        assert cli("league", "run", "small.toml", "--folder", name).code == 0
    shutil.copytree("one", "copy")
    ended = cli("league", "merge", "one", "other")
    words = "it is another league: another secret decides its deals. Begin a league on one machine, and copy its folder to the others"
    assert (ended.code, ended.err) == (4, f"arena: other/{FILE}: {words}.\n")
    small_league(tmp_path, seed=None, blocks=5)
    assert cli("league", "run", "small.toml", "--folder", "copy").code == 0
    assert cli("league", "merge", "one", "copy").err == "copy: 6 new matches\n"


# Mistakes

MISTAKES = [
    (["run", "none.toml"], 4, ["arena: none.toml: No such file or directory. Name a tournament file; `arena docs leagues` shows one."]),
    (["run", "leagues"], 4, ["arena: leagues: this is a folder, not an ordinary file. Name a tournament file; `arena docs leagues` shows one."]),
    (["run", "bad.toml"], 4, ["arena: bad.toml: schedule.blocks: expected 1 or more, got 0.", "bad.toml: more: there is no such key. Keys here: name, game, options, bots, seed, deals, schedule, clock, strikes, sandbox, min_tier, memory_mb, threads, exam, anchor, workers, processes, affinity."]),
    (["run", "small.toml", "--workers", "0"], 2, None),
    (["run", ""], 2, None),
    (["run"], 2, None),
    (["status", "none.toml"], 4, ["arena: none.toml: No such file or directory. Name a tournament file or a league's folder."]),
    (["status", "leagues"], 4, ["arena: leagues: there is no league here. `arena league run FILE` begins one."]),
    (["standings", "new.toml"], 4, ["arena: leagues/new: there is no league here. `arena league run FILE` begins one."]),
    (["standings", "nameless.toml"], 4, ["arena: nameless.toml: name: it is missing."]),
    (["report", "no.toml"], 4, ["arena: no.toml: not valid TOML: Invalid value (at end of document)"]),
    (["export", "small.toml", "-o", "x.txt"], 2, None),
    (["export", "small.toml", "-o", "nowhere/x.csv"], 1, ["arena: nowhere/x.csv: No such file or directory"]),
    (["merge", "leagues/small", "nowhere"], 4, ["arena: nowhere: there is no league here. `arena league run FILE` begins one."]),
    (["merge", "leagues/small"], 2, None),
]  # fmt: skip


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(("words", "code", "lines"), MISTAKES, ids=[" ".join(words) for words, *_ in MISTAKES])
def test_a_mistake_gets_clear_words_and_an_exit_code(cli, tmp_path, words, code, lines):
    (tmp_path / "bad.toml").write_text('name = "bad"\nbots = ["first", "second"]\nmore = 1\n[schedule]\nblocks = 0\n')
    (tmp_path / "new.toml").write_text('name = "new"\nbots = ["first", "second"]\n')
    (tmp_path / "nameless.toml").write_text("")
    (tmp_path / "no.toml").write_text("name =")
    ended = cli("league", *words)
    assert (ended.code, ended.out) == (code, "")
    assert "Traceback" not in ended.err
    if lines is not None:
        assert ended.err.splitlines() == lines


def test_a_bot_that_is_not_the_one_that_was_kept_is_told_of(cli, played, tmp_path):
    small_bot(tmp_path, "last", "first")
    ended = cli("league", "run", played)
    assert ended.code == 0
    assert (
        "arena: first differs from what the league plays: another command. `arena league update small.toml first`: it gets a new "
        "version.\n"
    ) in ended.err


def test_a_second_runner_is_refused(cli, played):
    with only_runner(Path("leagues/small")):
        ended = cli("league", "run", played)
    assert ended.code == 1
    assert ended.err == "arena: leagues/small: another process is running this league. Wait for it, or stop it.\n"


def test_a_damaged_file_is_one_line(cli, played, tmp_path):
    (tmp_path / "leagues" / "small" / FILE).write_bytes(b"no database" * 1000)
    for command in ("run", "status", "standings", "report", "export"):
        ended = cli("league", command, played)
        assert ended.code == 1
        assert ended.err == (
            f"arena: leagues/small/{FILE}: not the file of a league, or damaged: file is not a database.\n"
        )


class Failing:
    """Workers that fail before they have played anything."""

    def __init__(self, error):
        self._error = error

    def __call__(self, *_):
        return self

    async def work(self, _tell):
        raise self._error


def test_a_machine_on_which_no_worker_gets_ready_is_told_of(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(
        league, "Workers", Failing(LaunchError("no worker process starts: this machine has no sandbox"))
    )
    ended = cli("league", "run", small_league(tmp_path, blocks=3))
    assert (ended.code, ended.out) == (5, "")
    assert ended.err == f"{NOTES}arena: no worker process starts: this machine has no sandbox\n"


@pytest.fixture
def control_c():
    """A command that ends by Ctrl-C leaves it ignored, which children of this process would inherit."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("control_c")
def test_an_interrupt_is_told_of_once(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Failing(Interrupted("interrupted")))
    ended = cli("league", "run", small_league(tmp_path, blocks=3).name)
    assert ended.code == 130
    assert ended.err == f"{NOTES}arena: interrupted. 0 matches are kept. Continue:  arena league run small.toml\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [(f"a = {'[' * 5000}", "it is nested too deeply.\n"), (f"seed = {'9' * 5000}", "not valid TOML: ")],
    ids=["deep", "many digits"],
)
def test_what_is_no_toml_is_no_crash_either(cli, tmp_path, text, words):
    (tmp_path / "odd.toml").write_text(text)
    ended = cli("league", "status", "odd.toml")
    assert ended.code == 4
    assert ended.err.startswith(f"arena: odd.toml: {words}")


# A disk that is full, a disk that is read-only

SMALL_DISK = """
mount -t tmpfs -o size=180k none disk || exit 99
"$0" -m arena league run small.toml --folder disk/results; echo "ended $?"
"$0" -m arena league status disk/results --json > before.json
mount -o remount,size=50m disk
"$0" -m arena league run small.toml --folder disk/results > /dev/null; echo "ended $?"
"$0" -m arena league export disk/results -o results.json
mount -o remount,ro disk
"$0" -m arena league run small.toml --folder disk/results; echo "ended $?"
"""


@pytest.fixture
def private_mounts():
    """Whether we may mount something that nobody else sees."""
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")


@pytest.mark.usefixtures("processes")
@pytest.mark.usefixtures("private_mounts")
def test_a_disk_that_is_full_loses_nothing_and_one_that_is_read_only_is_told_of(tmp_path):
    path = small_league(tmp_path, blocks=6)
    (tmp_path / "disk").mkdir()
    command = ["unshare", "-m", "sh", "-c", SMALL_DISK, sys.executable]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.stdout.splitlines() == ["ended 1", "ended 0", "ended 1"], ended.stderr
    full, summary, *_, read_only = ended.stderr.replace(NOTES, "").splitlines()
    # Which of them comes first is up to the sizes of the two.
    store = rf"disk/results/{FILE}: database or disk is full: the disk is full; free some space"
    record = r"/\S+/disk/results/records/\S+: the record cannot be written: No space left on device. Fix that"
    assert re.fullmatch(f"arena: ({store}|{record}), and run the same command again: nothing is lost.", full)
    before = json.loads((tmp_path / "before.json").read_text())["played"]
    assert 0 < before < 12
    assert summary.startswith(f"12 of 12 matches; {12 - before} now, ")
    assert read_only == "arena: disk/results/runner.lock: Read-only file system"
    play(path, tmp_path / "alone")
    alone = [(row.match, row.digest) for row in rows(tmp_path / "alone")]
    seats = json.loads((tmp_path / "results.json").read_text())
    assert [(one["match"], one["digest"]) for one in seats if one["seat"] == 0] == alone


RECORDS_APART = """
mkdir -p results/records && mount -t tmpfs -o size=20k none results/records || exit 99
"$0" -m arena league run small.toml --folder results; echo "ended $?"
mount -o remount,size=50m results/records
"$0" -m arena league run small.toml --folder results > /dev/null; echo "ended $?"
cp -r results/records kept
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.usefixtures("private_mounts")
def test_a_match_whose_record_cannot_be_written_is_played_when_it_can(tmp_path):
    path = small_league(tmp_path, blocks=6, workers=2)
    command = ["unshare", "-m", "sh", "-c", RECORDS_APART, sys.executable]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.stdout.splitlines() == ["ended 1", "ended 0"], ended.stderr
    full, summary, *_ = ended.stderr.replace(NOTES, "").splitlines()
    words = "the record cannot be written: No space left on device. Fix that, and run the same command again: nothing is lost."
    assert re.fullmatch(rf"arena: {tmp_path}/results/records/\S+: {re.escape(words)}", full)
    assert summary.startswith("12 of 12 matches; ")
    assert "did not count" not in summary
    with open_store(tmp_path / "results") as store:
        assert store.attempts() == {}
    assert {record.name.partition(".")[0] for record in (tmp_path / "kept").glob("*/*.gz")} == {
        row.match for row in rows(tmp_path / "results")
    }
    assert not list((tmp_path / "kept").rglob(".*")), "nothing half written is left"
    play(path, tmp_path / "alone")
    assert ways(tmp_path / "results") == ways(tmp_path / "alone")


# Duels


@pytest.fixture
def rivals(cli, tmp_path):
    """Two bots of which the first is better, and the command line."""
    for how in GOOD:
        small_bot(tmp_path, how)
    return partial(cli, "duel", "--sandbox", "none", "--seed", "1")


@pytest.mark.usefixtures("processes")
def test_greedy_is_better_than_random(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("duel", "greedy", "random", "--sandbox", "none", "--workers", "1", "--seed", "1")
    ended = arena(*words)
    assert ended.code == 0, ended.err
    answer, games, elo, units = ended.out.splitlines()
    assert answer == "Yes: greedy is better than random."
    assert games.startswith("32 games in 16 units; log likelihood ratio ")
    assert elo.startswith("Elo at stop: +")
    assert elo.endswith("; likelihood that greedy is better: more than 99.9 %")
    assert units == "units: both lost 0, 1/4 0, even 0, 3/4 0, both won 16"
    (folder,) = (tmp_path / "leagues").iterdir()
    assert ended.err.splitlines()[-1] == f"results in leagues/{folder.name}"


def test_a_duel_goes_on_where_it_stopped(rivals, monkeypatch):
    workers = Pretended(noise=3)
    monkeypatch.setattr(league, "Workers", workers)
    first = rivals("first", "last", "--json")
    told = json.loads(first.out)
    assert (told["a"], told["b"], told["answer"]) == ("first", "last", "yes")
    before = len(workers.played)
    assert before == 2 * told["units"]
    assert rivals("first", "last", "--json").out == first.out
    assert len(workers.played) == before


def test_a_duel_that_stops_in_the_middle_of_a_unit_answers_the_same(rivals, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=3))
    whole = rivals("first", "last", "--json").out
    (folder,) = Path("leagues").iterdir()
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("DELETE FROM result WHERE plan IN (0, 7)")
    assert rivals("first", "last", "--json").out == whole


def test_a_duel_of_equals_stays_undecided_within_its_units(rivals):
    ended = rivals("second", "third", "--units", "16")
    assert ended.code == 0
    assert re.match(
        r"Not decided yet: it takes about [\d,]+ games more, if the bots are as far apart as they look.\n", ended.out
    )
    assert "32 games in 16 units" in ended.out
    more = rivals("second", "third", "--units", "24")
    assert "48 games in 24 units" in more.out or "Not decided" not in more.out


def test_a_duel_can_go_by_points_and_have_a_field(rivals):
    ended = rivals("first", "last", "--seats", "4", "--field", "second", "--field", "third", "--on", "score", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["answer"] == "yes"
    (folder,) = Path("leagues").iterdir()
    assert all({"first", "last"} < set(row.bots) and len(row.bots) == 4 for row in rows(folder))


@pytest.mark.parametrize(("field", "seats"), [([], 2), (["second"], 3), (["second", "third", "greedy", "random"], 5)])
def test_all_of_the_field_sits_at_a_duel_as_far_as_there_are_seats(rivals, monkeypatch, field, seats):
    monkeypatch.setattr(
        league, "Workers", Pretended(lambda fixture: workers._result({**fixture, "bots": GOOD[:1] * seats}))
    )
    workers = Pretended()
    ended = rivals("first", "last", *(word for bot in field for word in ("--field", bot)), "--units", "16")
    assert ended.code == 0, ended.err
    (folder,) = Path("leagues").iterdir()
    assert {len(row.bots) for row in rows(folder)} == {seats}


@pytest.mark.usefixtures("rivals")
def test_a_duel_the_other_way_round_is_another_duel(cli, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(lambda fixture: workers._result({**fixture, "bots": GOOD[:2]})))
    workers = Pretended()
    for pair in (("greedy", "random"), ("random", "greedy")):
        ended = cli("duel", *pair, "--sandbox", "none", "--units", "16", "--seed", "1")
        assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["first", "nobody"], 4, "'nobody' is not a bot: neither a folder with bot.toml"),
        (["first"], 2, "name the old version: B, or --against REV"),
        (["first", "last", "--on", "luck"], 2, "--on luck: expected rank or score"),
        (["first", "last", "--units", "1"], 2, "Invalid value for '--units'"),
        (["first", "last", "--units", "9" * 30], 2, "Invalid value for '--units'"),
        (["first", "last", "--seats", "2", "--field", "second"], 2, "--field: a table of two has no seat for others."),
        (["first", "last", "--seats", "9"], 4, "9 seats are not possible, it takes 2 to 5"),
        (["first", "last", "--game", "chess"], 4, "unknown game 'chess'. Games: dinodocus, draftosaurus."),
        (["first", "last", "--option", "season=spring"], 4, "option season does not take 'spring'"),
        (["first", "last", "--sandbox", "glass"], 2, "glass: choose one of auto, full, lite, none"),
    ],
)
def test_a_mistake_in_a_duel_gets_clear_words_and_an_exit_code(rivals, tmp_path, words, code, complaint):
    ended = rivals(*words)
    assert (ended.code, ended.out) == (code, "")
    assert complaint in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "leagues").exists()


# What is easily overlooked


READ_ONLY = """
mount --bind results results && mount -o remount,bind,ro results || exit 99
for command in status standings "export -o x.csv" "report -o x.html"; do
    "$0" -m arena league $command --folder results small.toml > /dev/null || echo "$command failed"
done
"$0" -m arena league merge other results; echo "ended $?"
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.usefixtures("private_mounts")
def test_a_league_can_be_read_by_who_may_not_write(cli, tmp_path):
    small_league(tmp_path, blocks=4)
    for folder, blocks in (("results", 4), ("other", 2)):
        small_league(tmp_path, blocks=blocks)
        assert cli("league", "run", "small.toml", "--folder", folder).code == 0
    command = ["unshare", "-m", "sh", "-c", READ_ONLY, sys.executable]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("ended 0\n", "results: 4 new matches\n")


def test_a_merge_knows_of_the_longer_plan_and_makes_no_folder(cli, tmp_path):
    for folder, blocks in (("short", 2), ("long", 6)):
        small_league(tmp_path, blocks=blocks)
        assert cli("league", "run", "small.toml", "--folder", folder).code == 0
    assert cli("league", "merge", "short", "long").code == 0
    assert cli("league", "status", "short").out.startswith("small: 12 of 12 matches (100 %) of draftosaurus\n")
    assert cli("league", "merge", "typo", "long").code == 4
    assert not (tmp_path / "typo").exists()


def test_a_shorter_plan_takes_nothing_back(cli, tmp_path):
    for blocks in (6, 2):
        assert cli("league", "run", small_league(tmp_path, blocks=blocks).name).code == 0
    assert cli("league", "status", "small.toml").out.startswith("small: 12 of 12 matches (100 %) of draftosaurus\n")


def test_a_knock_out_names_who_went_on_and_who_has_won(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=0))
    path = small_league(tmp_path, kind="knock_out")
    ended = cli("league", "run", path.name)
    assert ended.out.endswith(
        "Round 1         Final\n"
        "first  2/40 ─┬─ first  2/40 ─┐\n"
        "last   4/28 ─┘               ├─ first\n"
        "                             │\n"
        "second 2/36 ─┬─ second 4/36 ─┘\n"
        "third  4/32 ─┘\n"
        "\n"
        "Round 1\n"
        "  first 2/40, last 4/28: first goes on by ranks\n"
        "  second 2/36, third 4/32: second goes on by ranks\n"
        "\n"
        "Final\n"
        "  first 2/40, second 4/36: first wins by ranks\n"
        "\n"
        f"{LEGEND}\n"
        "\n"
        "first wins the knock-out.\n"
    )
    assert cli("league", "standings", path.name).out == ended.out
    assert cli("league", "report", path.name).code == 0
    html = Path("leagues/small/report.html").read_text()
    assert re.search(r"first(</[a-z]+>)? has won the league\.", html)
    assert html.index('id="rounds"') < html.index('id="standings"')


def test_who_wins_a_first_round_with_byes_has_not_won_all(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(noise=0))
    ended = cli("league", "run", small_league(tmp_path, bots=GOOD[:3], kind="knock_out").name)
    assert "first   bye ─── first  2/40 ─┐\n" in ended.out
    assert "Round 1\n  first: bye\n  second 2/36, third 4/32: second goes on by ranks\n" in ended.out
    assert ended.out.endswith("first wins the knock-out.\n")


def test_a_knock_out_that_goes_on_has_no_winner_yet(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(
        league, "Workers", Pretended(lambda one: {"void": "no"} if one["block"] == 1 else None, noise=0)
    )
    ended = cli("league", "run", small_league(tmp_path, kind="knock_out").name)
    assert ended.code == 1
    assert "  first 2/40, last 4/28: first goes on by ranks\n  second –, third –: 0 of 2 matches played\n" in ended.out
    assert "wins the knock-out" not in ended.out


def test_faults_are_those_of_the_tables_that_are_counted(cli, tmp_path, monkeypatch):
    fault = {"kind": "late", "seat": 0, "decision": 1, "text": "late"}
    monkeypatch.setattr(league, "Workers", Pretended(lambda fixture: {**workers._result(fixture), "faults": [fault]}))
    workers = Pretended()
    path = small_league(tmp_path, seats=[2, 3], blocks=8).name
    assert cli("league", "run", path).code == 0
    for size in (2, 3):
        found = json.loads(cli("league", "standings", path, "--seats", size, "--json").out)
        assert sum(one["faults"] for one in found) == 4 * size
        assert sum(one["games"] for one in found) == 4 * size * size
    ended = cli("league", "standings", path, "--seats", "5")
    assert ended.code == 2
    assert "--seats 5: no table of this size was played. Sizes: 2, 3." in ended.err


def test_who_is_level_is_told_also_where_tiers_overlap():
    level = {"a": "b", "b": "acd", "c": "bd", "d": "bcf", "e": "", "f": "d"}
    found: list[Any] = [SimpleNamespace(bot=bot, not_separated=tuple(others), games=1) for bot, others in level.items()]
    found.append(SimpleNamespace(bot="z", not_separated=tuple("abcdef"), games=0))
    assert list(_levels(found)) == ["Not separated: a, b.", "Not separated: b, c, d.", "Not separated: d, f."]


def test_of_very_many_bots_the_level_pairs_are_counted(monkeypatch):
    level = {"a": "b", "b": "ac", "c": "b", "d": ""}
    found: list[Any] = [SimpleNamespace(bot=bot, not_separated=tuple(others), games=1) for bot, others in level.items()]
    found.append(SimpleNamespace(bot="z", not_separated=tuple("abcd"), games=0))
    monkeypatch.setattr(standings, "MOST_NAMED", 3)
    assert list(_levels(found)) == ["Not separated: 2 of 6 pairs of bots; `arena league standings --json` names them."]


def test_the_bots_of_a_large_demo_have_plain_names():
    assert [entry.name for entry in demo._entries("dinodocus", 5)] == [
        "greedy",
        "random",
        "random-2",
        "random-3",
        "random-4",
    ]


def test_files_of_a_command_line_lie_beside_the_tournament(cli, tmp_path, monkeypatch):
    small_bot(tmp_path / "deep", "first")
    command = f"{sys.executable} -I -S first/bot.py"
    bots = f'["{command} first", {{ bot = "{command} last", name = "last" }}]'
    (tmp_path / "deep" / "small.toml").write_text(f'name = "small"\nsandbox = "none"\nbots = {bots}\n')
    monkeypatch.setattr(league, "Workers", Pretended(lambda fixture: workers._result({**fixture, "bots": GOOD[:2]})))
    workers = Pretended()
    assert cli("league", "run", "deep/small.toml").code == 0
    monkeypatch.chdir("deep")
    ended = cli("league", "run", "small.toml", "--folder", "../leagues/small")
    assert (ended.code, "; 0 now, " in ended.err) == (0, True), ended.err


def test_a_report_names_the_command_that_plays_the_league(cli, played):
    assert cli("league", "report", "leagues/small").code == 0
    page = Path("leagues/small/report.html").read_text()
    assert "arena league run FILE --folder leagues/small" in page
    assert cli("league", "report", played, "--folder", "leagues/small").code == 0
    assert "arena league run small.toml --folder leagues/small" in Path("leagues/small/report.html").read_text()
    assert not list(Path("leagues/small").glob(".*"))
