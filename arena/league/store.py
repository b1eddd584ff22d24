"""The results of a league: one SQLite file that only the runner writes, while other processes may read it.

A result is a row under its match's id, written in one transaction and never changed. Whichever process is killed, and
whenever, a result is complete or absent; and because an id is a digest of what was played, no match counts twice. Void
matches and lost workers are stored as attempts, not as results. Ratings are not stored: they follow from the results.
"""

import errno
import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from arena.errors import StoreError
from arena.league import shapes
from arena.place import Place
from arena.texts import cut

T = TypeVar("T")
FILE = "league.sqlite3"
LOCK = "runner.lock"
SCHEMA = 2
WAIT_S = 10.0
"""How long to wait while another process has locked the file."""

MIGRATIONS: Mapping[int, str] = {
    1: """
        CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE result(
            match TEXT PRIMARY KEY, plan INTEGER NOT NULL, block INTEGER NOT NULL, rotation INTEGER NOT NULL,
            seed TEXT NOT NULL, bots TEXT NOT NULL, ranks TEXT NOT NULL, scores TEXT NOT NULL,
            breakdown TEXT NOT NULL, faults TEXT NOT NULL, times TEXT NOT NULL, steps INTEGER NOT NULL,
            digest TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE attempt(
            match TEXT NOT NULL, number INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY(match, number)
        ) WITHOUT ROWID;
    """,
    2: "ALTER TABLE attempt ADD COLUMN suspects TEXT NOT NULL DEFAULT '[]'",
}
"""What each version of the schema adds to the one before it."""
TABLES = frozenset(("setting", "result", "attempt"))


@dataclass(frozen=True, slots=True)
class Row:
    """One match that counts."""

    match: str
    """Its id: a digest of the rules, the limits, the deal, and the bots by seat."""
    plan: int
    """Its place in the plan."""
    block: int
    rotation: int
    seed: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    breakdown: tuple[Mapping[str, int], ...]
    faults: tuple[Mapping[str, Any], ...]
    """kind, seat, decision and text of each."""
    times: tuple[Mapping[str, int], ...]
    """The times of each seat: decisions, total_us, p99_us, most_us, cpu_us."""
    steps: int
    digest: str
    """Of all states: two matches with the same digest went the same way."""


MAY_DIFFER = frozenset(("name", "planned", "sandbox", "order", "secret", "revealed", "ended"))
"""Settings in which two runs of one league may differ. The secret must not appear in an error; its commitment is
compared instead."""
COLUMNS = tuple(field.name for field in fields(Row))
Outcome = tuple[int, int, tuple[str, ...], tuple[int, ...], tuple[int, ...]]
NEVER = 2**63 - 1
"""A place after the end of every plan."""
MOST_VALUE = 64 << 20
"""Bytes of one value; the longest of a real league have a few thousand."""


class Store:
    """The file of a league."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self._place = Place(path)

    # Reading

    def settings(self) -> dict[str, Any]:
        with _store_errors(self.path):
            read = self._all("SELECT key, value FROM setting ORDER BY key")
            settings = {key: shapes.read_setting(key, value) for key, value in read}
            shapes.check_settings(settings)
            return settings

    def rows(self) -> Iterator[Row]:
        """All results, in plan order."""
        with _store_errors(self.path):
            for values in self._all(f"SELECT {', '.join(COLUMNS)} FROM result ORDER BY plan, match"):
                yield _named(values[0], _read, values)

    def outcomes(self, before: int = NEVER) -> Iterator[Outcome]:
        """Place in the plan, block, bots, ranks and scores of all results, in plan order: what ratings need, quickly.

        With `before`, only of the results before this place in the plan.
        """
        query = "SELECT plan, block, bots, ranks, scores FROM result WHERE plan < ? ORDER BY plan, match"
        read = cache(shapes.read_column)  # the same tables and ranks occur many times

        def outcome(plan: Any, block: Any, *lists: Any) -> Outcome:
            bots, ranks, scores = map(read, ("bots", "ranks", "scores"), lists)
            if not len(bots) == len(ranks) == len(scores):
                shapes.check_lengths(bots, ranks=ranks, scores=scores)
            return shapes.read_column("plan", plan), shapes.read_column("block", block), bots, ranks, scores

        with _store_errors(self.path):
            for values in self._all(query, before):
                yield _named(values[0], outcome, *values)

    def sizes(self) -> list[int]:
        """The sizes of the tables that were played."""
        with _store_errors(self.path):
            tables = self._all("SELECT DISTINCT bots FROM result")
            return sorted({len(shapes.read_column("bots", bots)) for (bots,) in tables})

    def faults(self, seats: int | None = None) -> dict[str, int]:
        """How many faults each bot had, at all tables or at those of one size."""
        found: dict[str, int] = {}
        with _store_errors(self.path):
            for match, bots, faults in self._all("SELECT match, bots, faults FROM result WHERE faults <> '[]'"):
                names, noted = _named(match, _read_faults, bots, faults)
                if seats not in (None, len(names)):
                    continue
                for fault in noted:
                    if fault["seat"] is not None:
                        found[names[fault["seat"]]] = found.get(names[fault["seat"]], 0) + 1
        return dict(sorted(found.items()))

    def done(self) -> set[str]:
        """The ids of all matches that count."""
        with _store_errors(self.path):
            return {shapes.read_column("match", match) for (match,) in self._all("SELECT match FROM result")}

    def places(self) -> dict[int, str]:
        """The ids by place in the plan."""
        return dict(self._all("SELECT plan, match FROM result"))

    def count(self, first: int = 0) -> int:
        """How many matches count, from this place in the plan on."""
        ((number,),) = self._all("SELECT count(*) FROM result WHERE plan >= ?", first)
        return int(number)

    def attempts(self) -> dict[str, list[str]]:
        """Why matches did not count, by id."""
        found: dict[str, list[str]] = {}
        with _store_errors(self.path):
            for values in self._all("SELECT match, reason FROM attempt ORDER BY match, number"):
                match, reason = shapes.read_attempt(*values)
                found.setdefault(match, []).append(reason)
        return found

    def suspicions(self) -> dict[str, list[list[int]]]:
        """By id, the seats that were suspects in each attempt."""
        found: dict[str, list[list[int]]] = {}
        with _store_errors(self.path):
            for values in self._all("SELECT match, suspects FROM attempt ORDER BY match, number"):
                match, seats = shapes.read_suspects(*values)
                found.setdefault(match, []).append(seats)
        return found

    # Writing

    def settle(self, settings: Mapping[str, Any]) -> None:
        with self._writing():
            for key, value in settings.items():
                values = (key, json.dumps(value, sort_keys=True))
                self._connection.execute("INSERT OR REPLACE INTO setting VALUES(?, ?)", values)

    def add(self, rows: Iterable[Row]) -> int:
        """Write these results, all or none. A match that has a result keeps it. Returns how many were new."""
        places = ", ".join("?" * len(COLUMNS))
        with self._writing():
            before = self._connection.total_changes
            for row in rows:
                values = [_written(name, getattr(row, name)) for name in COLUMNS]
                self._connection.execute(f"INSERT OR IGNORE INTO result VALUES({places})", values)
            return self._connection.total_changes - before

    def note(self, match: str, reason: str, suspects: Sequence[int] = ()) -> int:
        """Write that an attempt at a match did not count, and its suspects. Returns the number of the attempt."""
        with self._writing():
            ((number,),) = self._connection.execute("SELECT count(*) + 1 FROM attempt WHERE match = ?", (match,))
            values = (match, number, reason, json.dumps(suspects))
            self._connection.execute("INSERT INTO attempt VALUES(?, ?, ?, ?)", values)
        return int(number)

    # Where it is

    def check_place(self) -> None:
        """StoreError if the file was moved or deleted. A deleted file is written again first."""
        change = self._place.change()
        if change is None:
            return
        what = f"{self.path}: {change} while it was in use"
        with _store_errors(self.path):  # its log is still at the old place, and must not join a file that is there now
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if not self._place.is_deleted:
            raise StoreError(f"{what}; all results are there. Move it back, and run the same command again.")
        try:
            self._write_again()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{what}, and it cannot be written again: {error}. Its contents are lost.") from None
        raise StoreError(
            f"{what}. All {self.count():,} results are saved in {self.path}. `arena league verify` names the records "
            "that are missing, if any."
        )

    def _write_again(self) -> None:
        """A new file with the contents of the deleted one, which is still open."""
        target = self.path if not self.path.exists() else self.path.with_name(f"saved-{os.urandom(4).hex()}-{FILE}")
        part = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
        part.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(part)) as copy:
            self._connection.backup(copy)
        self.close()  # before there is a new log, because closing deletes the old one by name
        os.rename(part, target)
        self.path = target
        self._connection = _connected(target, create=True)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._place = Place(target)

    def close(self) -> None:
        self._connection.close()
        self._place.close()

    def _all(self, query: str, *values: int) -> list[tuple[Any, ...]]:
        with _store_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction. Afterwards the file must still be at its place, or its contents would be lost."""
        with _store_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self.check_place()


def _written(name: str, value: Any) -> Any:
    return value if name in shapes.STORED else json.dumps(value, separators=(",", ":"))


def _read(values: Sequence[Any]) -> Row:
    row = Row(*map(shapes.read_column, COLUMNS, values))
    shapes.check_lengths(row.bots, ranks=row.ranks, scores=row.scores, breakdown=row.breakdown)
    shapes.check_lengths(row.bots, **({"times": row.times} if row.times else {}))
    shapes.check_seats(row.bots, row.faults)
    return row


def _read_faults(bots: Any, faults: Any) -> tuple[tuple[str, ...], tuple[Mapping[str, Any], ...]]:
    names, noted = shapes.read_column("bots", bots), shapes.read_column("faults", faults)
    shapes.check_seats(names, noted)
    return names, noted


def _named(which: object, read: Callable[..., T], *values: Any) -> T:
    """What `read` returns; if the result is damaged, the error names its match by id or place in the plan."""
    try:
        return read(*values)
    except shapes.Damaged as error:
        raise shapes.Damaged(f"match {cut(ascii(which))}: {error}") from None


@contextmanager
def open_store(folder: Path, create: bool = False) -> Iterator[Store]:
    """The store in a league's folder. StoreError says why it cannot be opened, and the way out."""
    path = folder / FILE
    if not create and not path.is_file():
        raise StoreError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
    with _store_errors(path):
        folder.mkdir(parents=True, exist_ok=True)
        connection = _connected(path, create)
    with closing(connection):
        with _store_errors(path):
            _prepare(connection, path, create)
        with closing(Store(connection, path)) as store:
            if not create and not store.settings():  # its first run was killed before it wrote any
                raise StoreError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
            yield store


def _connected(path: Path, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(_address(path, create), uri=True, timeout=WAIT_S, isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")  # a stranger's file must not run functions
    return connection


def _address(path: Path, create: bool) -> str:
    """The file as a URI for SQLite, read-only if we may not write.

    A reader needs the log if there is one. If there is none, no process is writing, and the file may be taken as
    immutable.
    """
    if create or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return path.absolute().as_uri()
    return f"{path.absolute().as_uri()}?{'mode=ro' if os.path.exists(f'{path}-wal') else 'immutable=1'}"


def _prepare(connection: sqlite3.Connection, path: Path, create: bool) -> None:
    """Refuse other files, and bring the schema up to date if a runner opens it. Readers accept every version."""
    connection.execute("BEGIN")  # version and tables from the same moment
    ((version,),) = connection.execute("PRAGMA user_version")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.execute("COMMIT")
    if not tables >= TABLES if version else tables:
        raise StoreError(f"{path}: not the file of a league, but of another program. Name another folder.")
    if not 0 <= version <= SCHEMA:
        raise StoreError(f"{path}: it was written by a newer arena (schema {version}, this one knows {SCHEMA}).")
    if version == SCHEMA or (version and not create):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN EXCLUSIVE")
    ((version,),) = connection.execute("PRAGMA user_version")  # another process may have been faster
    for number in range(version + 1, SCHEMA + 1):
        for statement in MIGRATIONS[number].split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.execute("COMMIT")


@contextmanager
def _store_errors(path: Path) -> Iterator[None]:
    """Errors of SQLite and of damaged values as a StoreError with the file and the way out."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        hints = {
            "locked": "another program has locked it; try again when that has finished",
            "full": "the disk is full; free some space, and run the same command again: nothing is lost",
            "readonly": "it cannot be written; check its owner and permissions",
            "unable to open": "it cannot be opened; check its folder and permissions",
            "no such": "it is damaged; restore it from a copy",
            "decode": "it is damaged; restore it from a copy",
        }
        hint = next((hint for word, hint in hints.items() if word in text), "nothing is lost; run it again")
        raise StoreError(f"{path}: {text}: {hint}.") from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: not the file of a league, or damaged: {error}.") from None
    except shapes.Damaged as error:
        raise StoreError(f"{path}: it is damaged: {error}. Restore it from a copy.") from None


@contextmanager
def only_runner(folder: Path) -> Iterator[None]:
    """StoreError if another process runs this league. The lock ends with the process, however that ends."""
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        if error.errno != errno.EWOULDBLOCK:
            raise
        raise StoreError(f"{folder}: another process is running this league. Wait for it, or stop it.") from None
    try:
        yield
    finally:
        os.close(fd)


def check_same(one: Store, other: Store) -> None:
    """StoreError unless both are runs of the same league."""
    mine, theirs = one.settings(), other.settings()
    for key in sorted(
        mine.keys() - MAY_DIFFER, key=lambda key: (key == "commitment", key)
    ):  # last, because a seed says more
        if mine[key] != theirs.get(key):
            how = difference(key, theirs.get(key), mine[key], "is", "here")
            raise StoreError(f"{other.path}: it is another league: {how}.")


def difference(key: str, one: Any, other: Any, is_: str = "was", here: str = "now") -> str:
    """How two settings differ, in words."""
    if key == "commitment":
        return "another secret decides its deals. Begin a league on one machine, and copy its folder to the others"
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
        if key in ("bots", "commands"):
            return f"{'other bots or other files of bots' if key == 'bots' else 'other commands'}: {', '.join(keys)}"
        return ", ".join(difference(f"{key}.{name}", one.get(name), other.get(name), is_, here) for name in keys)
    return f"{key} {is_} {json.dumps(one):.60}, {here} {json.dumps(other):.60}"


def agreeing(other: Store, places: dict[int, str]) -> Iterator[Row]:
    """The rows of another store. StoreError if its plan differs, as in leagues that follow their results it may."""
    for row in other.rows():
        if places.setdefault(row.plan, row.match) != row.match:
            raise StoreError(
                f"{other.path}: it went another way: match {row.plan} of the plan differs from the one played here. "
                "Leagues whose plan depends on results can be merged only if their plans agree."
            )
        yield row
