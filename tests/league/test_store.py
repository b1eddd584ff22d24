"""The file of a league: what is in it stays, whatever happens, and what is not a league's is not touched."""

import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import StoreError
from arena.league import results, store
from arena.league.standings import plain
from arena.league.store import BATCH, FILE, SCHEMA, Row, only_runner, open_store
from tests.league.small_league import GOOD
from tests.machine import somebody_else

LEAGUE = {
    "name": "small",
    "game": "draftosaurus",
    "seed": 1,
    "schedule": ["round_robin", 2],
    "bots": {"a": ["1", "x"], "b": ["1", "y"]},
    "order": ["a", "b"],
    "planned": 24,
    "sandbox": "none",
}
TIMES = {"decisions": 30, "total_us": 1, "p99_us": 1, "most_us": 1, "cpu_us": 2}
LATE = {"kind": "late", "seat": 1, "decision": 3, "text": "no answer"}


def row(plan: int, match: str = "", **changes: Any) -> Row:
    """The match at this place of the plan, one of a block of two."""
    values: dict[str, Any] = {
        "match": match or f"{plan:024x}",
        "plan": plan,
        "block": plan // 2,
        "rotation": plan % 2,
        "seed": 2**63 + plan // 2,
        "bots": ("a", "b") if plan % 2 else ("b", "a"),
        "ranks": (1, 2) if plan % 3 else (2, 1),
        "scores": (20 + plan % 5, 17),
        "breakdown": ({"FS": 20}, {"FS": 17}),
        "faults": (LATE,) if plan == 4 else (),
        "times": (TIMES, TIMES),
        "steps": 60,
        "digest": "0123456789abcdef",
    }
    return Row(**(values | changes))


def begun(folder: Path, rows: list[Row], **changes: object) -> Path:
    """A league with these results."""
    with open_store(folder, create=True) as opened:
        opened.settle(LEAGUE | changes)
        opened.add(rows)
    return folder


def rows_in(folder: Path) -> list[Row]:
    with open_store(folder) as opened:
        return list(opened.rows())


def standings(folder: Path) -> bytes:
    with open_store(folder) as opened:
        return json.dumps([plain(standing) for standing in results.table(opened)]).encode()


@pytest.fixture
def impatient(monkeypatch):
    """Nobody waits for a lock."""
    monkeypatch.setattr(store, "WAIT_S", 0.0)


# What is put in comes out


def test_a_result_comes_back_as_it_was(tmp_path):
    several = [row(0), row(4), row(7, seed=-(10**900), bots=("ä\n", "\x1b["))]
    begun(tmp_path, several)
    assert rows_in(tmp_path) == several


def test_a_result_that_arrives_again_changes_nothing(tmp_path):
    begun(tmp_path, [row(0), row(1)])
    before = standings(tmp_path)
    with open_store(tmp_path) as opened:
        assert opened.add([row(1, scores=(99, 0)), row(0), row(0)]) == 0
        assert opened.count() == 2
    assert rows_in(tmp_path) == [row(0), row(1)]
    assert standings(tmp_path) == before


def test_new_results_are_counted_among_old_ones(tmp_path):
    begun(tmp_path, [row(0)])
    with open_store(tmp_path) as opened:
        assert opened.add([row(0), row(1), row(2)]) == 2


ROWS = [row(plan) for plan in range(24)]


@pytest.mark.thorough
@settings(max_examples=25)
@given(order=st.permutations(ROWS), cuts=st.lists(st.integers(0, 24), max_size=4))
def test_standings_do_not_depend_on_the_order_of_arrival(order, cuts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("league")
    with open_store(folder, create=True) as opened:
        opened.settle(LEAGUE)
        for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), 24]):
            opened.add(order[start:end])
    other = begun(tmp_path_factory.mktemp("league"), ROWS)
    assert standings(folder) == standings(other)


def test_faults_are_counted_by_bot_whatever_seat_it_had(tmp_path):
    nobody = {**LATE, "kind": "overload", "seat": None}
    begun(tmp_path, [row(0, faults=(LATE, LATE)), row(1, faults=(LATE,)), row(2, faults=(nobody,))])
    with open_store(tmp_path) as opened:
        assert opened.faults() == {"a": 2, "b": 1}


def test_results_of_some_blocks_can_be_had_alone(tmp_path):
    begun(tmp_path, ROWS)
    with open_store(tmp_path) as opened:
        assert [block for block, *_ in opened.outcomes({0, 1, 5})] == [0, 0, 1, 1, 5, 5]
        assert len(list(opened.outcomes())) == 24


def test_attempts_are_numbered_and_kept_with_their_reasons(tmp_path):
    begun(tmp_path, [])
    with open_store(tmp_path) as opened:
        assert [opened.note("m", reason) for reason in ("lost", "lost", "void")] == [1, 2, 3]
        assert opened.note("n", "lost") == 1
    with open_store(tmp_path) as opened:
        assert opened.attempts() == {"m": ["lost", "lost", "void"], "n": ["lost"]}
        assert opened.count() == 0


def test_attempts_keep_the_suspects(tmp_path):
    begun(tmp_path, [])
    with open_store(tmp_path) as opened:
        opened.note("m", "void", [1])
        opened.note("m", "lost")
        opened.note("m", "void", (0, 1))
    with open_store(tmp_path) as opened:
        assert opened.suspicions() == {"m": [[1], [], [0, 1]]}


def made_by_the_first_version(folder):
    """A league whose attempts knew no suspects, and its results no versions."""
    path = begun(folder, ROWS) / FILE
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE attempt DROP COLUMN suspects")
        connection.execute("INSERT INTO attempt VALUES('m', 1, 'lost')")
        for column in ("versions", "epoch", "host"):
            connection.execute(f"ALTER TABLE result DROP COLUMN {column}")
        for name in ("version", "change", "host", "arrival"):
            connection.execute(f"DROP TABLE {name}")
        connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_an_older_league_goes_on(tmp_path):
    made_by_the_first_version(tmp_path)
    with open_store(tmp_path, create=True) as opened:
        assert opened.note("m", "void", [1]) == 2
        assert (opened.attempts(), opened.suspicions()) == ({"m": ["lost", "void"]}, {"m": [[], [1]]})
        assert list(opened.rows()) == ROWS


def test_an_older_league_is_read_as_it_is(tmp_path):
    """Who reads it may have no right to write it."""
    made_by_the_first_version(tmp_path)
    with open_store(tmp_path) as opened:
        assert list(opened.rows()) == ROWS
        assert opened.attempts() == {"m": ["lost"]}
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(1,)]
    connection.close()


# Whatever happens

CHILD = """
import os, pickle, resource, signal, sys
from pathlib import Path
from arena.errors import StoreError
from arena.league.store import open_store
folder, rows = Path(sys.argv[1]), pickle.load(sys.stdin.buffer)
"""
KILLED = """
def dying():
    yield rows[1]
    os.kill(os.getpid(), signal.SIGKILL)

with open_store(folder) as opened:
    opened.add(rows[:1])
    opened.add(dying())
"""
LIMITED = """
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
with open_store(folder) as opened:
    try:
        for row in rows:
            opened.add([row])
    except StoreError as error:
        print(row.plan, error)
"""


def in_a_child(code: str, folder: Path, rows: list[Row]) -> subprocess.CompletedProcess[bytes]:
    """Another process that does something with the league in a folder, and with these results."""
    command = [sys.executable, "-c", CHILD + code, str(folder)]
    return subprocess.run(command, input=pickle.dumps(rows), capture_output=True, cwd=Path(__file__).parents[2])


@pytest.mark.usefixtures("processes")
def test_who_is_killed_within_a_transaction_loses_nothing_that_came_before(tmp_path):
    begun(tmp_path, [row(0)])
    assert in_a_child(KILLED, tmp_path, [row(1), row(2)]).returncode == -signal.SIGKILL
    assert rows_in(tmp_path) == [row(0), row(1)]


def test_results_are_kept_all_or_none(tmp_path):
    def broken():
        yield row(1)
        raise RuntimeError("no more")

    begun(tmp_path, [row(0)])
    with open_store(tmp_path) as opened:
        with pytest.raises(RuntimeError, match="no more"):
            opened.add(broken())
        assert opened.count() == 1
        assert opened.add([row(1)]) == 1, "the file can be written on"


def test_somebody_reads_while_somebody_writes(tmp_path):
    begun(tmp_path, [row(0)])
    with open_store(tmp_path) as writer, open_store(tmp_path) as reader:
        seen = []

        def rows():
            yield row(1)
            seen.append(reader.count())  # in the midst of the transaction

        writer.add(rows())
        assert (seen, reader.count()) == ([1], 2)
        reading = reader.rows()
        assert next(reading) == row(0)
        writer.add([row(2)])  # while the reader is at it
        assert [*reading] == [row(1)], "a reader sees the file as it was when it began"
        assert reader.count() == 3


def test_a_reader_that_waits_does_not_keep_the_log_from_being_written_back(tmp_path):
    """`arena league export | less` may wait for a day, while the league goes on."""
    begun(tmp_path, [row(number) for number in range(2 * BATCH)])
    with open_store(tmp_path) as reader, open_store(tmp_path) as writer:
        reading = reader.rows()
        assert next(reading) == row(0)
        writer.add([row(2 * BATCH)])
        with closing(sqlite3.connect(tmp_path / FILE)) as other:
            assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
        assert len([*reading]) == 2 * BATCH - 1, "and it sees what was there when it began"


def test_a_result_that_another_program_deletes_meanwhile_is_missed(tmp_path):
    begun(tmp_path, [row(number) for number in range(2 * BATCH)])
    with open_store(tmp_path) as reader, closing(sqlite3.connect(tmp_path / FILE)) as other:
        reading = reader.rows()
        next(reading)
        other.execute("DELETE FROM result WHERE match = ?", (row(BATCH).match,))
        other.commit()
        with pytest.raises(StoreError, match=f"match {row(BATCH).match}: it was deleted while it was read"):
            list(reading)


@pytest.mark.usefixtures("impatient")
def test_who_reads_for_long_keeps_nobody_from_writing(tmp_path):
    """And reads on what was there when it began; without a log the writer would have to wait for it."""
    begun(tmp_path, [row(0)])
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as reader, open_store(tmp_path) as writer:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM result").fetchone() == (1,)
        assert writer.add([row(1)]) == 1
        assert reader.execute("SELECT count(*) FROM result").fetchone() == (1,)
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM result").fetchone() == (2,)


@pytest.mark.usefixtures("impatient")
def test_a_writer_that_another_program_keeps_out_says_so(tmp_path):
    begun(tmp_path, [row(0)])
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other, open_store(tmp_path) as opened:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as refusal:
            opened.add([row(1)])
        assert str(refusal.value) == (
            f"{tmp_path / FILE}: database is locked: another program has locked it; try again when that has finished."
        )
        other.execute("ROLLBACK")
        assert opened.add([row(1)]) == 1


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "database or disk is full",
            "the disk is full; free some space, and run the same command again: nothing is lost",
        ),
        ("attempt to write a readonly database", "it cannot be written; check its owner and permissions"),
        ("disk I/O error", "nothing is lost; run it again"),
    ],
)
def test_what_the_disk_does_not_take_is_told_and_the_rest_stays(tmp_path, text, hint):
    begun(tmp_path, [row(0)])

    def failing():
        yield row(1)
        raise sqlite3.OperationalError(text)

    with open_store(tmp_path) as opened:
        with pytest.raises(StoreError) as refusal:
            opened.add(failing())
        assert str(refusal.value) == f"{tmp_path / FILE}: {text}: {hint}."
    assert rows_in(tmp_path) == [row(0)]


@pytest.mark.usefixtures("processes")
def test_a_file_that_may_grow_no_more_loses_nothing(tmp_path):
    """Really full, as far as a process with a limit on its files is concerned."""
    begun(tmp_path, ROWS)
    later = [row(plan) for plan in range(24, 1000)]
    ended = in_a_child(LIMITED, tmp_path, later)
    plan, _, words = ended.stdout.decode().partition(" ")
    assert words.startswith(f"{tmp_path / FILE}: "), ended.stderr
    assert len(words.splitlines()) == 1
    assert rows_in(tmp_path) == [*ROWS, *later[: int(plan) - 24]]


def test_a_folder_that_cannot_be_written_is_told():
    with TemporaryDirectory() as name:  # pytest's own folders are closed to ordinary users
        folder = Path(name)
        begun(folder, [row(0)])
        folder.chmod(0o555)
        with (
            somebody_else(),
            pytest.raises(StoreError, match=r"check its (owner|folder) and permissions"),
            open_store(folder) as one,
        ):
            one.add([row(1)])
        folder.chmod(0o755)


# What is no league


def overwritten(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def query(path: Path, text: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(text)


NO_LEAGUE = {
    "a text": (lambda path: path.write_text("hello " * 1000), "not the file of a league, or damaged: file is not a"),
    "another program's": (lambda path: (path.unlink(), query(path, "CREATE TABLE t(x)")), "but of another program."),
    "another program's, with a version": (
        lambda path: (path.unlink(), query(path, "CREATE TABLE result(x); PRAGMA user_version = 1")),
        "not the file of a league, but of another program. Name another folder.",
    ),
    "from the future": (
        lambda path: query(path, "PRAGMA user_version = 1000"),
        f"it was written by a newer arena (schema 1000, this one knows {SCHEMA}).",
    ),
    "half of it": (lambda path: os.truncate(path, path.stat().st_size // 2), "or damaged: database disk image is"),
    "scribbled over": (lambda path: overwritten(path, 4096, b"\xa5" * 100_000), "or damaged: database disk image is"),
    "a result that is no JSON": (
        lambda path: query(path, "UPDATE result SET bots = '[' WHERE plan = 3"),
        f"it is damaged: match '{3:024x}': bots: not valid JSON: Expecting value: line 1 column 2 (char 1). Restore",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("harm", "words"), NO_LEAGUE.values(), ids=NO_LEAGUE)
def test_a_file_that_is_no_league_is_refused_in_words_and_left_as_it_is(tmp_path, harm, words):
    path = begun(tmp_path, [row(plan) for plan in range(500)]) / FILE
    harm(path)
    before = path.read_bytes()
    with pytest.raises(StoreError) as refusal, open_store(tmp_path) as opened:
        list(opened.rows())
    assert str(refusal.value).startswith(f"{path}: ")
    assert words in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1
    with pytest.raises(StoreError), open_store(tmp_path, create=True) as opened:
        list(opened.rows())
    assert path.read_bytes() == before


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.touch()], ids=["no file", "an empty file"])
def test_where_no_league_has_begun_there_is_none(tmp_path, make):
    make(tmp_path / FILE)
    with pytest.raises(StoreError) as refusal, open_store(tmp_path):
        pass
    assert str(refusal.value) == f"{tmp_path}: there is no league here. `arena league run FILE` begins one."


def test_a_league_whose_runner_was_killed_at_once_can_begin_again(tmp_path):
    with open_store(tmp_path, create=True):
        pass  # before it could say what league it is
    assert begun(tmp_path, [row(0)])
    assert rows_in(tmp_path) == [row(0)]


# Runners


def test_there_is_one_runner_at_a_time(tmp_path):
    with only_runner(tmp_path):
        with pytest.raises(StoreError) as refusal, only_runner(tmp_path):
            pass
        assert str(refusal.value) == f"{tmp_path}: another process is running this league. Wait for it, or stop it."
    with only_runner(tmp_path):
        pass  # the place is free again


HOLD = """
import sys
from pathlib import Path
from arena.league import results
from arena.league.store import only_runner
with only_runner(Path(sys.argv[1])):
    print("mine", flush=True)
    sys.stdin.read()
"""


@pytest.mark.usefixtures("processes")
def test_the_lock_goes_with_the_runner_however_that_ends(tmp_path):
    command, root = [sys.executable, "-c", HOLD, str(tmp_path)], Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"mine\n"
        with pytest.raises(StoreError), only_runner(tmp_path):
            pass
        runner.kill()
    with only_runner(tmp_path):
        pass


def test_standings_name_bots_that_have_not_played(tmp_path):
    begun(tmp_path, ROWS[:2], order=["a", "b", *GOOD])
    assert [one["games"] for one in json.loads(standings(tmp_path))] == [2, 2, 0, 0, 0, 0]
