"""League files that are deleted, moved or damaged: noticed at once, and told in words.

A league goes on writing into a file that has no name any more, and no command may end with a traceback because of what a
file holds, whoever has scribbled in it.
"""

import json
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.errors import StoreError
from arena.league import run as league
from arena.league.run import Progress
from arena.league.store import FILE, SCHEMA, Store, open_store
from tests.cli.command import Command, here
from tests.league.small_league import Refereed, play, rows, small_league
from tests.league.test_store import begun, row
from tests.sizes import sweep

# The file is not where it was


@pytest.fixture(autouse=True)
def refereed(monkeypatch) -> None:
    monkeypatch.setattr(league, "Workers", Refereed())


BLOCKS = 30
"""Of two matches each: more than is played before somebody looks."""


def disturbed(folder: Path, disturb: Callable[[], object]) -> tuple[StoreError, int]:
    """How a run ends that is disturbed after ten matches; and how many it has played.

    The first ten take no time. Each later one takes as long as a result may wait for the store: fifty looks at the files, or
    fewer if one takes longer.
    """
    seen: list[int] = []
    workers = Refereed()

    def watch(progress: Progress, _store: Store) -> None:
        seen.append(progress.new)
        if progress.new == 10 and seen[-2] == 9:
            workers.takes_s = league.KEEP_S
            disturb()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(league, "Workers", workers)
        with pytest.raises(StoreError) as ended:
            play(small_league(folder.parent, blocks=BLOCKS), folder, watch)
    assert 10 <= seen[-1] < 2 * BLOCKS
    assert "\n" not in str(ended.value)
    return ended.value, seen[-1]


def test_a_file_that_is_deleted_is_noticed_and_written_again_with_all_results(tmp_path):
    folder, path = tmp_path / "small", tmp_path / "small" / FILE
    error, played = disturbed(folder, path.unlink)
    assert str(error).startswith(f"{path}: it was deleted while it was in use. All ")
    assert f"results are saved in {path}." in str(error)
    assert len(rows(folder)) == played
    assert sorted(one.name for one in folder.iterdir()) == ["bots", FILE, "records", "runner.lock", "unpacked"]
    play(small_league(tmp_path, blocks=BLOCKS), folder)
    play(small_league(tmp_path, blocks=BLOCKS), tmp_path / "undisturbed")
    assert rows(folder) == rows(tmp_path / "undisturbed")


def test_a_file_that_was_written_again_can_be_read_while_it_is_written(tmp_path):
    """As any other: it keeps a log."""
    folder, path = tmp_path / "small", tmp_path / "small" / FILE
    disturbed(folder, path.unlink)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_folder_that_is_deleted_is_made_again_with_all_results(tmp_path):
    folder = tmp_path / "small"
    error, played = disturbed(folder, lambda: shutil.rmtree(folder))
    assert str(error).startswith(f"{folder / FILE}: it was deleted while it was in use. All ")
    assert len(rows(folder)) == played


def test_a_file_that_is_moved_away_is_named_where_it_is(tmp_path):
    folder, path, elsewhere = tmp_path / "small", tmp_path / "small" / FILE, tmp_path / "elsewhere"
    elsewhere.mkdir()
    error, played = disturbed(folder, lambda: path.rename(elsewhere / FILE))
    assert str(error) == (
        f"{path}: it was moved to {elsewhere / FILE} while it was in use; all results are there. "
        "Move it back, and run the same command again."
    )
    assert len(rows(elsewhere)) == played


def test_a_file_that_another_one_replaces_is_saved_beside_it(tmp_path):
    folder, path = tmp_path / "small", tmp_path / "small" / FILE
    other = begun(tmp_path / "other", [row(0)])

    def replace() -> None:
        os.replace(other / FILE, path)

    _, played = disturbed(folder, replace)
    (saved,) = folder.glob(f"saved-*-{FILE}")
    assert [one.match for one in rows(folder)] == [row(0).match], "what somebody has put there stays"
    saved.replace(path)
    assert len(rows(folder)) == played


def test_a_folder_of_records_that_is_deleted_is_noticed(tmp_path):
    folder = tmp_path / "small"
    error, played = disturbed(folder, lambda: shutil.rmtree(folder / "records"))
    assert str(error).startswith(f"{folder / 'records'}: it was deleted while the league was running, with the records")
    assert len(rows(folder)) == played


def test_where_the_file_cannot_be_written_again_it_is_told_that_it_is_lost(tmp_path):
    begun(tmp_path / "small", [row(0)])
    with open_store(tmp_path / "small") as store:
        shutil.rmtree(tmp_path / "small")
        (tmp_path / "small").write_text("no folder")
        with pytest.raises(StoreError, match=r"and it cannot be written again: .*\. Its contents are lost\."):
            store.add([row(1)])


class Idle:
    """Workers that are at a long match when somebody disturbs the league."""

    def __init__(self, disturb: Callable[[], object]) -> None:
        self._disturb = disturb

    def __call__(self, *_: Any) -> "Idle":
        return self

    async def work(self, _tell: Any) -> None:
        self._disturb()
        with trio.fail_after(60):
            await trio.sleep_forever()


@pytest.mark.parametrize("what", [FILE, "records"])
def test_it_is_noticed_also_while_no_match_ends(tmp_path, monkeypatch, what):
    folder = tmp_path / "small"
    monkeypatch.setattr(league, "Workers", Idle(lambda: (folder / what).rename(tmp_path / "away")))
    with pytest.raises(StoreError, match=f"{what}: it was moved to {tmp_path / 'away'} while"):
        play(small_league(tmp_path), folder)


def test_a_league_that_nobody_disturbs_goes_on(tmp_path):
    """The control: also if its file is copied, linked, or read."""

    def watch(progress: Progress, store: Store) -> None:
        if progress.new == 3:
            shutil.copy(store.path, tmp_path / f"copy-{time.monotonic_ns()}")
            os.link(store.path, tmp_path / f"link-{time.monotonic_ns()}")

    assert play(small_league(tmp_path, blocks=12), tmp_path / "small", watch).done == 24


def test_the_command_says_so_and_ends_with_1(tmp_path, monkeypatch, capsys):
    path = small_league(tmp_path, blocks=BLOCKS)
    deleted = list[str]()

    def fate(fixture: Any) -> None:
        if fixture["at"] == 20 and not deleted:
            deleted.append(FILE)
            (tmp_path / "leagues" / "small" / FILE).unlink()

    monkeypatch.setattr(league, "Workers", Refereed(fate))
    monkeypatch.chdir(tmp_path)
    ended = here(monkeypatch, capsys, "league", "run", path)
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith(
        f"arena: leagues/small/{FILE}: it was deleted while it was in use. All "
    )


# The file is damaged

VALUES: list[Any] = [
    None, 0, -1, 1.5, 2**62, "", "x", b"\xff\x00", "null", "[]", "{}", "0", "true", '"x"', "[null]", "[[]]", "[{}]", '["a"]', "[1]", "[1, 2]",
    "[1, 2, 3]", "[NaN, Infinity]", '["a", "b"]', '["a", "a"]', '["first", "last"]', "[1e999, 1]", f"[{10**300}, 1]", "9" * 5000, "[" * 100_000,
    '[{"kind": "late", "seat": 7, "decision": 1, "text": "?"}]', '[{"kind": "late", "seat": 0}]', '{"a": 1}', '["knock_out", 2]', '["knock_out"]',
    '["knock_out", 64]', '["x", 2, 3]', "\ud800".encode("utf-8", "surrogatepass"), "[" + "0," * 70 + "0]", '[{"x": "y"}, {}]', "[9007199254740993, 0]",
]  # fmt: skip
COMMANDS = (
    ("standings",), ("standings", "--json"), ("standings", "--csv"), ("standings", "--seats", 2), ("report",), ("export",), ("status",),
    ("status", "--json"), ("verify",),
)  # fmt: skip


@pytest.fixture
def cli(monkeypatch, capsys) -> Command:
    return partial(here, monkeypatch, capsys, "league")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> list[Path]:
    """A round robin with a fault, a knock-out, and groups."""
    folders = []
    with pytest.MonkeyPatch.context() as patch:
        for name, keys in (("robin", {"blocks": 4}), ("cup", {"kind": "knock_out"}), ("groups", {"kind": "groups"})):
            home = tmp_path_factory.mktemp(name)
            patch.setattr(league, "Workers", Refereed())
            play(small_league(home, **keys), home / "small")
            with open_store(home / "small") as store:
                store.note("0" * 24, "lost")
            folders.append(home / "small")
    fault = json.dumps([{"kind": "late", "seat": 0, "decision": 1, "text": "no answer"}])
    query(folders[0], "UPDATE result SET faults = ? WHERE plan = 1", fault)
    return folders


def query(folder: Path, text: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute(text, values)


def loosened(folder: Path) -> None:
    """A stranger's file need not have our constraints: NULL and any type, in every column."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        for table in ("setting", "result", "attempt"):
            connection.execute(f"CREATE TABLE loose AS SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE loose RENAME TO {table}")
        connection.commit()


def columns(folder: Path) -> list[tuple[str, str, str]]:
    """Every value that can be damaged: its table, its column, and a condition for the row."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM setting")]
        names = [name for _, name, *_ in connection.execute("PRAGMA table_info(result)")]
    settings = [("setting", column, f"key = '{key}'") for key in keys for column in ("key", "value")]
    results = [("result", name, f"plan = {plan}") for name in names for plan in (0, 1)]
    attempts = [("attempt", name, "true") for name in ("match", "number", "reason")]
    return settings + results + attempts


def refused_in_words(ended: Any, folder: Path) -> bool:
    """Whether a command has refused; and if so, it did it in a line."""
    assert ended.code in (0, 1, 2), ended
    if ended.code == 0 or (ended.code == 1 and "are proved by" in ended.out):
        return False
    if ended.code == 1:
        assert ended.out == ""
        assert ended.err.startswith(f"arena: {folder}")
        assert ended.err.isprintable() or ended.err[:-1].isprintable()
        assert len(ended.err) < 1000
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("league_", [0, 1, 2], ids=["round robin", "knock-out", "groups"])
@pytest.mark.parametrize("seed", range(sweep(2, 20)))
def test_whatever_a_damaged_file_holds_no_command_stumbles_over_it(cli, made, tmp_path, seed, league_):
    """Every value of the file in turn, damaged in a few ways; `here` lets no exception pass but an exit."""
    dice = random.Random(seed)
    folder, refused = tmp_path / "small", 0
    shutil.copytree(made[league_], folder)
    loosened(folder)
    whole = (folder / FILE).read_bytes()
    for table, column, where in dice.sample(columns(folder), 25):
        query(folder, f"UPDATE {table} SET {column} = ? WHERE {where}", dice.choice(VALUES))
        for command, *words in dice.sample(COMMANDS, 3):
            refused += refused_in_words(cli(command, folder, *words), folder)
        (folder / FILE).write_bytes(whole)
    assert refused > 10
    for command, *words in COMMANDS:
        assert cli(command, folder, *words).code in (0, 1 if command == "verify" else 0)


@pytest.mark.parametrize("value", [None, "[]", "{}", "null", '["knock_out", 2]'], ids=str)
@pytest.mark.parametrize("column", ["ranks", "bots", "faults", "scores", "times", "breakdown", "seed", "plan"])
def test_a_damaged_result_is_named(cli, made, tmp_path, column, value):
    if (column, value) in (("faults", "[]"), ("times", "[]")):
        return  # there may be none
    folder = tmp_path / "small"
    shutil.copytree(made[0], folder)
    loosened(folder)
    match = rows(folder)[0].match
    query(folder, f"UPDATE result SET {column} = ? WHERE match = ?", value, match)
    ended = cli("export", folder)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"arena: {folder / FILE}: it is damaged: match '{match}': {column}: ")
    assert ended.err.endswith(". Restore it from a copy.\n")


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_scribbled_over_give_words_too(cli, made, tmp_path, seed):
    dice = random.Random(seed)
    folder = tmp_path / "small"
    shutil.copytree(made[0], folder)
    whole = (folder / FILE).read_bytes()
    for _ in range(12):
        data = bytearray(whole)
        for _ in range(dice.choice([1, 10, 200])):
            data[dice.randrange(len(data))] = dice.randrange(256)
        (folder / FILE).write_bytes(data)
        for command, *words in dice.sample(COMMANDS, 3):
            ended = cli(command, folder, *words)
            assert ended.code in (0, 1)
            assert "Traceback" not in ended.err


@pytest.mark.parametrize("league_", [1, 2], ids=["knock-out", "groups"])
def test_rounds_whose_results_are_of_other_tables_are_damaged(cli, made, tmp_path, league_):
    folder = tmp_path / "small"
    shutil.copytree(made[league_], folder)
    query(
        folder, "UPDATE setting SET value = ? WHERE key = 'seeding'", json.dumps(["first", "third", "last", "second"])
    )
    ended = cli("standings", folder)
    assert ended.code == 1
    assert "it is damaged: match " in ended.err


def test_a_schema_of_no_arena_is_refused(cli, made, tmp_path):
    folder = tmp_path / "small"
    shutil.copytree(made[0], folder)
    query(folder, "PRAGMA user_version = -3")
    assert f"(schema -3, this one knows {SCHEMA})" in cli("status", folder).err


def test_names_that_a_spreadsheet_would_calculate_are_texts_in_csv(cli, tmp_path, monkeypatch):
    names = ("=1+1", "@SUM(A1)", "-2", "+cmd|'x'!A0")
    home = tmp_path / "league"
    results = [row(plan, bots=(names[plan % 4], names[(plan + 1) % 4]), seed=-plan) for plan in range(8)]
    begun(home, results, order=list(names), bots={name: ["1", "x"] for name in names})
    exported, ranked = cli("export", home).out, cli("standings", home, "--csv").out
    for text in (exported, ranked):
        assert "\"'+cmd|'x'!A0\"" in text or "'+cmd|'x'!A0" in text
        assert "'=1+1" in text
        assert "'@SUM(A1)" in text
        assert ",=" not in text
        assert ",@" not in text
    assert ",-7," in exported, "a seed is a number"
    monkeypatch.chdir(tmp_path)
    assert cli("export", home, "-o", "x.csv").code == 0
    assert (tmp_path / "x.csv").read_text() == exported
