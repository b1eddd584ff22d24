"""The results of a league: one SQLite file that only the runner writes, and anybody may read meanwhile.

A result is a row under its match's id, written in one transaction and never changed. Whatever is killed at whatever
moment, a match is there whole or not at all; and because an id is a digest of what was played, no match counts twice.
Void matches and lost workers are attempts, and no results. Ratings are no part of it: they follow from the results.
"""

import errno
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import StoreError

FILE = "league.sqlite3"
LOCK = "runner.lock"
SCHEMA = 1
WAIT_S = 10.0
"""How long a reader or a copy that holds the file may keep us waiting."""

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
    """What each seat took: decisions, total_us, p99_us, most_us, cpu_us."""
    steps: int
    digest: str
    """Of all states: two runs with the same digest went the same way."""


UNLIKE = frozenset(("name", "planned", "sandbox", "order"))
"""Settings in which two runs of one league may differ."""
COLUMNS = tuple(field.name for field in fields(Row))
Outcome = tuple[int, int, tuple[str, ...], tuple[int, ...], tuple[int, ...]]
NEVER = 2**63 - 1
"""A place after all plans."""
PLAIN = ("match", "plan", "block", "rotation", "steps", "digest")
"""Columns that are stored as they are; the others are JSON."""


class Store:
    """The file of a league."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    # What is in it

    def settings(self) -> dict[str, Any]:
        with _in_words(self.path):
            return {key: json.loads(value) for key, value in self._all("SELECT key, value FROM setting ORDER BY key")}

    def rows(self) -> Iterator[Row]:
        """All results, in plan order."""
        with _in_words(self.path):
            for values in self._all(f"SELECT {', '.join(COLUMNS)} FROM result ORDER BY plan, match"):
                yield Row(*(_read(name, value) for name, value in zip(COLUMNS, values)))

    def outcomes(self, before: int = NEVER) -> Iterator[Outcome]:
        """Plan place, block, bots, ranks and scores of all results, in plan order: what ratings need, quickly.

        If a place is named, of those before it in the plan.
        """
        query = "SELECT plan, block, bots, ranks, scores FROM result WHERE plan < ? ORDER BY plan, match"
        read = cache(_list)  # tables and ranks come again and again: of 100,000 results it takes 0.5 s instead of 1.0
        with _in_words(self.path):
            for plan, block, bots, ranks, scores in self._all(query, before):
                yield plan, block, read(bots), read(ranks), read(scores)

    def sizes(self) -> list[int]:
        """How many sat at the tables."""
        return sorted(size for (size,) in self._all("SELECT DISTINCT json_array_length(bots) FROM result"))

    def faults(self, seats: int | None = None) -> dict[str, int]:
        """How many faults each bot had, at all tables or at those of one size."""
        found: dict[str, int] = {}
        with _in_words(self.path):
            for text, bots in self._all("SELECT faults, bots FROM result WHERE faults <> '[]'"):
                names = json.loads(bots)
                if seats not in (None, len(names)):
                    continue
                for fault in json.loads(text):
                    if fault["seat"] is not None:
                        found[names[fault["seat"]]] = found.get(names[fault["seat"]], 0) + 1
        return dict(sorted(found.items()))

    def done(self) -> set[str]:
        """The ids of all matches that count."""
        return {match for (match,) in self._all("SELECT match FROM result")}

    def places(self) -> dict[int, str]:
        """The ids by place in the plan."""
        return dict(self._all("SELECT plan, match FROM result"))

    def count(self, first: int = 0) -> int:
        """How many matches count, of those from this place in the plan on."""
        ((number,),) = self._all("SELECT count(*) FROM result WHERE plan >= ?", first)
        return int(number)

    def attempts(self) -> dict[str, list[str]]:
        """Why matches did not count, by id."""
        found: dict[str, list[str]] = {}
        for match, reason in self._all("SELECT match, reason FROM attempt ORDER BY match, number"):
            found.setdefault(match, []).append(reason)
        return found

    # What is put into it

    def settle(self, settings: Mapping[str, Any]) -> None:
        with self._writing():
            for key, value in settings.items():
                values = (key, json.dumps(value, sort_keys=True))
                self._connection.execute("INSERT OR REPLACE INTO setting VALUES(?, ?)", values)

    def add(self, rows: Iterable[Row]) -> int:
        """Keep these results, all or none; those that are there already stay as they are. How many were new."""
        places = ", ".join("?" * len(COLUMNS))
        with self._writing():
            before = self._connection.total_changes
            for row in rows:
                values = [_written(name, getattr(row, name)) for name in COLUMNS]
                self._connection.execute(f"INSERT OR IGNORE INTO result VALUES({places})", values)
            return self._connection.total_changes - before

    def note(self, match: str, reason: str) -> int:
        """Keep that a match did not count; how many times that has happened."""
        with self._writing():
            ((number,),) = self._connection.execute("SELECT count(*) + 1 FROM attempt WHERE match = ?", (match,))
            self._connection.execute("INSERT INTO attempt VALUES(?, ?, ?)", (match, number, reason))
        return int(number)

    def close(self) -> None:
        self._connection.close()

    def _all(self, query: str, *values: int) -> list[tuple[Any, ...]]:
        with _in_words(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with _in_words(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _list(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


def _written(name: str, value: Any) -> Any:
    return value if name in PLAIN else json.dumps(value, separators=(",", ":"))


def _read(name: str, value: Any) -> Any:
    if name in PLAIN:
        return value
    read = json.loads(value)
    return tuple(read) if isinstance(read, list) else read


@contextmanager
def open_store(folder: Path, create: bool = False) -> Iterator[Store]:
    """The store in a league's folder. StoreError says why it cannot be opened, and the way out."""
    path = folder / FILE
    if not create and not path.is_file():
        raise StoreError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
    with _in_words(path):
        folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(_address(path, create), uri=True, timeout=WAIT_S, isolation_level=None)
    try:
        with _in_words(path):
            _prepare(connection, path)
        store = Store(connection, path)
        if not create and not store.settings():  # whoever began it did not get far
            raise StoreError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
        yield store
    finally:
        connection.close()


def _address(path: Path, create: bool) -> str:
    """The file as SQLite is told of it. Who may only read needs its log too; without one nobody is writing."""
    if create or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return path.absolute().as_uri()
    return f"{path.absolute().as_uri()}?{'mode=ro' if os.path.exists(f'{path}-wal') else 'immutable=1'}"


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file up to this version."""
    connection.execute("BEGIN")  # both questions at one moment
    ((version,),) = connection.execute("PRAGMA user_version")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.execute("COMMIT")
    if not tables >= TABLES if version else tables:
        raise StoreError(f"{path}: this is no league's file, but another program's. Name another folder.")
    if version > SCHEMA:
        raise StoreError(f"{path}: it was written by a newer arena (schema {version}, this one knows {SCHEMA}).")
    if version == SCHEMA:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN EXCLUSIVE")
    ((version,),) = connection.execute("PRAGMA user_version")  # another one may have been quicker
    for number in range(version + 1, SCHEMA + 1):
        for statement in MIGRATIONS[number].split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.execute("COMMIT")


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        hints = {
            "locked": "another program holds it; try again when it has finished",
            "full": "the disk is full; make room, and run the same command again: nothing is lost",
            "readonly": "it cannot be written; look at its owner and permissions",
            "unable to open": "it cannot be opened; look at its folder and permissions",
        }
        hint = next((hint for word, hint in hints.items() if word in text), "nothing is lost; run it again")
        raise StoreError(f"{path}: {text}: {hint}.") from None
    except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
        raise StoreError(f"{path}: this is no league's file, or it is damaged: {error}.") from None


@contextmanager
def only_runner(folder: Path) -> Iterator[None]:
    """Nobody else runs this league meanwhile; the lock goes with the process, however that ends."""
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        if error.errno != errno.EWOULDBLOCK:
            raise
        raise StoreError(f"{folder}: another runner is at work on this league. Wait for it, or stop it.") from None
    try:
        yield
    finally:
        os.close(fd)


def merge(into: Store, other: Store) -> int:
    """Take over the results of another run of the same league; how many were new."""
    mine, theirs = into.settings(), other.settings()
    for key in sorted(mine.keys() - UNLIKE):
        if mine[key] != theirs.get(key):
            how = difference(key, theirs.get(key), mine[key], "is", "here")
            raise StoreError(f"{other.path}: it is another league: {how}.")
    new = into.add(_agreeing(other, into.places()))
    into.settle({"planned": max(mine.get("planned", 0), theirs.get("planned", 0))})
    return new


def difference(key: str, one: Any, other: Any, is_: str = "was", here: str = "now") -> str:
    """In what two settings differ, in words."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
        if key in ("bots", "commands"):
            return f"{'other bots or other files of bots' if key == 'bots' else 'other commands'}: {', '.join(keys)}"
        return ", ".join(difference(f"{key}.{name}", one.get(name), other.get(name), is_, here) for name in keys)
    return f"{key} {is_} {json.dumps(one):.60}, {here} {json.dumps(other):.60}"


def _agreeing(other: Store, places: Mapping[int, str]) -> Iterator[Row]:
    """Its rows. Leagues that follow their results may have gone different ways, and are then two."""
    for row in other.rows():
        if places.get(row.plan, row.match) != row.match:
            raise StoreError(
                f"{other.path}: it went another way: match {row.plan} of the plan is not the one that was played here. "
                "Adaptive leagues and knock-outs can be merged only if they agree."
            )
        yield row
