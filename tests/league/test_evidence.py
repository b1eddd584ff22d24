"""Results and their records: what is taken over from another folder, and what is missed when it is gone.

The other folder is a stranger's: whatever can be written into a league's file or records is tried, and each time the
league that takes over is afterwards as it was before, to the byte.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.errors import StoreError
from arena.league import run as league
from arena.league.evidence import merge_folders, verify_league
from arena.league.store import FILE, Row, open_store
from arena.league.wire import RECORDS, record_path
from arena.match.packing import SUFFIX
from arena.match.record_file import load, save
from tests.cli.command import Command, here
from tests.league.small_league import Refereed, play, rows, small_league

BLOCKS = 4


@pytest.fixture
def cli(monkeypatch, capsys) -> Command:
    return partial(here, monkeypatch, capsys, "league")


@pytest.fixture(autouse=True)
def refereed(monkeypatch) -> None:
    monkeypatch.setattr(league, "Workers", Refereed())


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> Path:
    """Where a league of one block lies, and another run of it that has four."""
    home = tmp_path_factory.mktemp("both")
    path = small_league(home, blocks=BLOCKS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(league, "Workers", Refereed())
        play(path, home / "into", blocks=1)
        play(path, home / "other")
    return home


@pytest.fixture
def two(both, tmp_path) -> tuple[Path, Path]:
    """Copies of the two that a test may change."""
    shutil.copytree(both, tmp_path, dirs_exist_ok=True)
    return tmp_path / "into", tmp_path / "other"


def contents(folder: Path) -> dict[str, Any]:
    """All files of a league by name, and its results; SQLite keeps an empty log while somebody reads."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {"rows": rows(folder), **{name: data for name, data in files.items() if not name.startswith(FILE)}}


def query(folder: Path, text: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute(text, values)


def last(folder: Path) -> Row:
    return rows(folder)[-1]


def record_of(folder: Path, row: Row) -> Path:
    return record_path(folder / RECORDS, row.match)


# What is taken over


def test_two_halves_make_the_whole(two):
    into, other = two
    theirs = contents(other)
    assert merge_folders(into, other) == 6
    assert merge_folders(into, other) == 0
    assert rows(into) == rows(other)
    for row in rows(other):
        assert record_of(into, row).read_bytes() == record_of(other, row).read_bytes()
    assert contents(other) == theirs, "the other one stays as it was"
    assert sorted(path.name for path in into.iterdir()) == [
        "bots", "league.sqlite3", "records", "runner.lock", "unpacked",
    ]  # fmt: skip
    with open_store(into) as store:
        assert list(verify_league(store, lambda done, total: None)) == []


def test_one_is_told_how_far_a_merge_is(two):
    seen = []
    into, other = two
    merge_folders(into, other, lambda done, total: seen.append((done, total)))
    assert seen == [(number, 8) for number in range(1, 9)]


def test_a_stale_record_gives_way_to_that_of_the_result(two):
    into, other = two
    stale = record_of(into, last(other))
    stale.parent.mkdir(parents=True, exist_ok=True)
    stale.write_text("of a match that was never counted here")
    merge_folders(into, other)
    assert stale.read_bytes() == record_of(other, last(other)).read_bytes()


def test_a_record_that_is_missing_here_comes_from_there_if_it_is_that_of_the_result(two):
    into, other = two
    first, second = rows(into)
    record_of(into, first).unlink()
    record_of(into, second).unlink()
    record_of(other, second).write_bytes(record_of(other, first).read_bytes())
    merge_folders(into, other)
    assert record_of(into, first).read_bytes() == record_of(other, first).read_bytes()
    assert not record_of(into, second).exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 2}, "it is another league: seed is 2, here 0."),
        ({"strikes": 5}, "it is another league: strikes is 5, here 3."),
    ],
)
def test_another_league_is_not_merged(two, tmp_path, change, words):
    into, _ = two
    play(small_league(tmp_path, name="stranger", **change), tmp_path / "stranger", blocks=1)
    with pytest.raises(StoreError) as refusal:
        merge_folders(into, tmp_path / "stranger")
    assert str(refusal.value).startswith(f"{tmp_path / 'stranger' / FILE}: {words}")


def test_leagues_may_differ_in_what_changes_no_result(two):
    into, other = two
    with open_store(other) as store:
        store.settle(
            {"name": "b", "order": list(reversed(store.settings()["order"])), "sandbox": "lite", "planned": 99}
        )
    assert merge_folders(into, other) == 6
    with open_store(into) as store:
        assert (store.settings()["name"], store.settings()["planned"]) == ("small", 99)


@pytest.mark.parametrize(("moved", "place"), [(5, 1), (6, 7)], ids=["there and here", "there alone"])
def test_leagues_that_went_different_ways_are_not_merged(two, moved, place):
    """Adaptive ones do that: what comes next depends on what was played."""
    into, other = two
    for folder in two:
        query(folder, "DELETE FROM setting WHERE key = 'scheme'")  # as in kinds whose roster cannot change
        for at, row in enumerate(rows(folder)):
            query(
                folder,
                "UPDATE result SET plan = ?, block = ? WHERE match = ?",
                4 * (folder == other) + at,
                at,
                row.match,
            )
    query(other, "UPDATE result SET plan = ? WHERE plan = ?", place, moved)
    with pytest.raises(StoreError, match=f"it went another way: match {place} of the plan differs from the one"):
        merge_folders(into, other)
    assert len(rows(into)) == 2


# What is refused

Attack = Callable[[Path, Row], None]


def column(name: str, value: Any) -> Attack:
    """A result whose record says otherwise."""
    return lambda folder, row: query(folder, f"UPDATE result SET {name} = ? WHERE match = ?", value, row.match)


def faults(folder: Path, row: Row) -> None:
    fault = {"kind": "crash", "seat": 0, "decision": None, "text": "it left"}
    column("faults", json.dumps([fault]))(folder, row)


def other_bots(folder: Path, row: Row) -> None:
    column("bots", json.dumps(row.bots[::-1]))(folder, row)


def without_record(folder: Path, row: Row) -> None:
    record_of(folder, row).unlink()


def cut_off(folder: Path, row: Row) -> None:
    os.truncate(record_of(folder, row), 100)


def linked(folder: Path, row: Row) -> None:
    path = record_of(folder, row)
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")


def linked_folder(folder: Path, row: Row) -> None:
    path = record_of(folder, row).parent
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")


def piped(folder: Path, row: Row) -> None:
    record_of(folder, row).unlink()
    os.mkfifo(record_of(folder, row))


def of_another_match(folder: Path, row: Row) -> None:
    shutil.copy(record_of(folder, rows(folder)[0]), record_of(folder, row))


def rewritten(folder: Path, row: Row, header: dict[str, Any], verdict: dict[str, Any]) -> None:
    """The record forged and signed again, and the result with it."""
    record = load(record_of(folder, row))
    forged = replace(record, header=replace(record.header, **header), verdict=replace(record.verdict, **verdict))
    save(forged, record_of(folder, row))
    for name, value in verdict.items():
        column(name, json.dumps(value))(folder, row)


def bought(folder: Path, row: Row) -> None:
    rewritten(folder, row, {}, {"scores": row.scores[::-1], "ranks": row.ranks[::-1]})


def more_strikes(folder: Path, row: Row) -> None:
    rewritten(folder, row, {"strikes": 99}, {})


def other_files(folder: Path, row: Row) -> None:
    players = load(record_of(folder, row)).header.players
    rewritten(folder, row, {"players": (replace(players[0], digest="0" * 16), *players[1:])}, {})


def more_time(folder: Path, row: Row) -> None:
    players = load(record_of(folder, row)).header.players
    clock = replace(players[0].clock, bank_ms=10**9)
    rewritten(folder, row, {"players": (replace(players[0], clock=clock), *players[1:])}, {})


ATTACKS: dict[str, tuple[Attack, str]] = {
    "ranks": (column("ranks", "[1,1]"), "ranks: the record says ("),
    "scores": (column("scores", "[99,0]"), "scores: the record says ("),
    "breakdown": (column("breakdown", "[{},{}]"), "breakdown: the record says ("),
    "faults": (faults, "faults: the record says (), the result ({"),
    "times": (column("times", "[]"), "times: the record says ("),
    "steps": (column("steps", 1), "steps: the record says 52, the result 1"),
    "digest": (column("digest", "0" * 16), "digest: the record says "),
    "seed": (column("seed", "7"), "its deal does not follow from the secret"),
    "bots": (other_bots, "the versions of its bots are not known"),
    "no record": (without_record, "No such file or directory"),
    "a record that was cut off": (cut_off, "it was cut off or changed"),
    "a link to a record": (linked, "it is a link, not an ordinary file"),
    "a link to a folder of records": (linked_folder, "it is a link, not an ordinary file"),
    "a pipe": (piped, "this is a pipe, not an ordinary file"),
    "the record of another match": (of_another_match, "the record says match '"),
    "a forged record": (bought, "the record is not true: step 52: the "),
    "a record by other rules": (more_strikes, "the record says strikes 99, the result 3"),
    "a record of other bots": (other_files, "the record says digests of bots ["),
    "a record with another clock": (more_time, "the record says clock ["),
    "an id that is none": (
        column("match", "0123456789abcdef0123456"),
        "match: expected 24 hexadecimal digits, got '0123",
    ),
    "an id with a line feed": (column("match", "0123456789abcdef01234567\n"), "match: expected 24 hexadecimal digits"),
    "ranks that are none": (column("ranks", '{"a": 1}'), "ranks: expected a list of places, got {'a': 1}"),
}


@pytest.mark.parametrize(("attack", "words"), ATTACKS.values(), ids=ATTACKS)
def test_a_result_that_is_not_proved_is_refused_and_nothing_is_changed(cli, two, attack, words):
    into, other = two
    before = contents(into)
    attack(other, last(other))
    ended = cli("merge", into, other)
    assert (ended.code, ended.out) == (1, "")
    assert words in ended.err
    assert ended.err.startswith(f"arena: {other}")
    assert ended.err.count("\n") == 1
    assert contents(into) == before


def test_no_path_in_the_place_of_an_id_leads_anywhere(cli, two, tmp_path):
    """It named a record of another league, and a folder of the attacker's choice."""
    into, other = two
    victim = tmp_path / "victim"
    play(tmp_path / "small.toml", victim)
    before = contents(victim), contents(into), sorted(tmp_path.rglob("*"))
    row = last(other)
    target = record_of(victim, rows(victim)[0])
    for match in (
        f"../victim/records/{target.parent.name}/{target.name.removesuffix(SUFFIX)}",
        str(tmp_path / "new" / "x"),
        "../../x",
    ):
        path = other / RECORDS / match[:2] / f"{match}{SUFFIX}"
        path.parent.mkdir(parents=True, exist_ok=True)
        made = not path.exists() and shutil.copy(record_of(other, row), path)
        query(other, "UPDATE result SET match = ? WHERE steps = ? AND seed = ?", match, row.steps, str(row.seed))
        ended = cli("merge", into, other)
        if made:
            path.unlink()
        assert ended.code == 1
        assert "match: expected 24 hexadecimal digits, got " in ended.err
    shutil.rmtree(tmp_path / "new", ignore_errors=True)
    assert (contents(victim), contents(into)) == before[:2]
    with pytest.raises(StoreError, match="is not the id of a match"):
        record_path(into, "../../x")


# What is missed


def test_all_results_of_a_league_are_proved_by_their_records(cli, two):
    _, other = two
    ended = cli("verify", other)
    assert (ended.code, ended.out) == (0, "8 of 8 results are proved by their records\n")
    assert json.loads(cli("verify", other, "--json").out) == {"results": 8, "not_proved": []}


def test_a_record_that_is_gone_or_altered_is_named(cli, two):
    _, other = two
    gone, altered, *_ = rows(other)
    record_of(other, gone).unlink()
    cut_off(other, altered)
    ended = cli("verify", other)
    assert ended.code == 1
    assert ended.out.splitlines() == [
        f"{gone.match}: {record_of(other, gone)}: No such file or directory",
        f"{altered.match}: {record_of(other, altered)}: it was cut off or changed: its bytes do not match the digest at its beginning",
        "6 of 8 results are proved by their records",
    ]
    assert [one["match"] for one in json.loads(cli("verify", other, "--json").out)["not_proved"]] == [
        gone.match,
        altered.match,
    ]


def test_status_names_results_without_a_record(cli, two):
    _, other = two
    assert "record" not in cli("status", other).out
    gone = rows(other)[3]
    record_of(other, gone).unlink()
    assert cli("status", other).out.splitlines()[-2:] == ["1 result without a record:", f"  {gone.match}"]
    assert json.loads(cli("status", other, "--json").out)["without_record"] == [gone.match]


def test_a_report_links_only_to_records_that_are_there(cli, two):
    _, other = two
    fault = json.dumps([{"kind": "late", "seat": 0, "decision": 1, "text": "no answer"}])
    there, gone, *_ = rows(other)
    for row in (there, gone):
        query(other, "UPDATE result SET faults = ? WHERE match = ?", fault, row.match)
    record_of(other, gone).unlink()
    assert cli("report", other).code == 0
    page = (other / "report.html").read_text()
    assert f"{there.match}{SUFFIX}" in page
    assert gone.match not in page
    assert page.count("the record is missing") == 1
