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
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from arena.errors import LeagueError, StoreError
from arena.league import shapes
from arena.league.lineup import BotVersion, Lineup, RosterChange
from arena.league.meetings import Meeting
from arena.match.hosts import Host
from arena.place import Place
from arena.texts import cut

T = TypeVar("T")
FILE = "league.sqlite3"
LOCK = "runner.lock"
SCHEMA = 4
ROSTER_SCHEMA = 3
"""The first that knows versions, changes of the roster, and hosts."""
ARRIVAL_SCHEMA = 4
"""The first that knows in which order results came."""
LOCK_TRIES, LOCK_WAIT_S = 4, 0.05
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
    3: """
        ALTER TABLE result ADD COLUMN versions TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE result ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE result ADD COLUMN host TEXT NOT NULL DEFAULT '';
        CREATE TABLE version(
            key TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL,
            program TEXT NOT NULL, archive TEXT NOT NULL, entry TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE change(
            number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at TEXT NOT NULL, name TEXT NOT NULL, key TEXT
        );
        CREATE TABLE host(id TEXT PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID;
    """,
    4: """
        CREATE TABLE arrival(number INTEGER PRIMARY KEY, match TEXT NOT NULL);
        INSERT INTO arrival(match) SELECT match FROM result ORDER BY plan, block, rotation, match;
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
    """The times of each seat: decisions, total_us, p99_us, most_us, cpu_us."""
    steps: int
    digest: str
    """Of all states: two matches with the same digest went the same way."""
    versions: tuple[str, ...] = ()
    """The keys of the bots' versions by seat; empty in leagues whose roster has never changed and never can."""
    epoch: int = 0
    """How often the roster had changed when this store got the result."""
    host: str = ""
    """The id of the machine on which it was played, if it is known."""


MAY_DIFFER = frozenset(
    ("name", "planned", "sandbox", "order", "secret", "revealed", "ended", "anchor", "runs", "playing")
)
"""Settings in which two runs of one league may differ. The secret must not appear in an error; its commitment is
compared instead."""
ROSTER = frozenset(("bots", "commands", "authors"))
"""Settings in which two runs of a league whose roster may change may also differ."""
MEETINGS = "meetings"
"""The setting `scheme` of a league whose results go by meetings (arena/league/meetings.py). Without it they go by
places in the plan: in kinds whose roster cannot change, and in leagues that an older arena began."""
COLUMNS = tuple(field.name for field in fields(Row))
ADDED: Mapping[str, str] = {"versions": "'[]'", "epoch": "0", "host": "''"}
"""Columns that older files do not have, with what stands for them."""
Outcome = tuple[int, tuple[str, ...], tuple[int, ...], tuple[int, ...], tuple[str, ...]]
"""Block, bots, ranks, scores and versions."""
Faulty = tuple[str, tuple[str, ...], tuple[Mapping[str, Any], ...]]
"""Id, bots and faults of a match."""
NO_LABELS: Mapping[str, str] = MappingProxyType({})
IN_ORDER = "ORDER BY plan, block, rotation, match"
"""The order of a plan; of meetings, an order that does not depend on when they were played."""
ID_BYTES = 12
"""Of a match: 24 hexadecimal digits."""
BATCH = 256
"""Rows that are read at once. SQLite allows 999 values in a query."""
MOST_READ = 1 << 13
"""Texts of a column that are remembered with their values."""
MOST_VALUE = 64 << 20
"""Bytes of one value; the longest of a real league have a few thousand."""


class Store:
    """The file of a league."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self._place = Place(path)
        ((self._schema,),) = connection.execute("PRAGMA user_version")

    # Reading

    def settings(self) -> dict[str, Any]:
        with _store_errors(self.path):
            read = self._all("SELECT key, value FROM setting ORDER BY key")
            settings = {key: shapes.read_setting(key, value) for key, value in read}
            shapes.check_settings(settings)
            return settings

    def rows(self, first: int | None = None, end: int | None = None) -> Iterator[Row]:
        """All results, in plan order, as they were when the first one was requested; or those of some blocks.

        Those are the blocks from `first` on, or those before `end`.

        Results never change, so their ids are a snapshot, and the rows can be read in batches. No transaction stays
        open between two batches: a reader that waits, such as a pager, must not keep the runner's log from being
        written back and used again. The ids take 12 bytes each.
        """
        with _store_errors(self.path):
            ids = self._ids_in_order(first, end)
            for first in range(0, len(ids), ID_BYTES * BATCH):
                batch = ids[first : first + ID_BYTES * BATCH].hex("-", ID_BYTES).split("-")
                for values in self._found(batch):
                    yield _named(values[0], _read, values)

    def _ids_in_order(self, first: int | None, end: int | None) -> bytearray:
        ids, bounds = bytearray(), {"block >= ?": first, "block < ?": end}
        given = {words: bound for words, bound in bounds.items() if bound is not None}
        where = f"WHERE {' AND '.join(given)}" if given else ""
        for (match,) in self._each(f"SELECT match FROM result {where} {IN_ORDER}", *given.values()):
            ids += bytes.fromhex(_named(match, shapes.read_column, "match", match))
        return ids

    def _found(self, batch: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        places = ", ".join("?" * len(batch))
        query = f"SELECT {self._columns(*COLUMNS)} FROM result WHERE match IN ({places})"
        found = {values[0]: values for values in self._all(query, *batch)}
        for match in batch:
            if match not in found:
                raise shapes.Damaged(f"match {match}: it was deleted while it was read")
            yield found[match]

    def row(self, match: str) -> Row | None:
        """The result of one match, if it has one."""
        with _store_errors(self.path):
            query = f"SELECT {self._columns(*COLUMNS)} FROM result WHERE match = ?"
            return next((_named(match, _read, values) for values in self._all(query, match)), None)

    def chosen(self, matches: Sequence[str]) -> Iterator[Row]:
        """The results of these matches, in this order."""
        with _store_errors(self.path):
            for first in range(0, len(matches), BATCH):
                for values in self._found(matches[first : first + BATCH]):
                    yield _named(values[0], _read, values)

    def arrivals(self, after: int = 0) -> list[tuple[int, str]]:
        """The matches that came after the one with this number, in the order in which they came, with their numbers.

        Results of a file that no arena has written since it knows this order have none.
        """
        if self._schema < ARRIVAL_SCHEMA:
            return []
        with _store_errors(self.path):
            found = self._all("SELECT number, match FROM arrival WHERE number > ? ORDER BY number", after)
            for number, match in found:
                _named(match, shapes.read_column, "plan", number)
                _named(match, shapes.read_column, "match", match)
            return found

    def outcomes(self, blocks: Container[int] | None = None) -> Iterator[Outcome]:
        """Bots, ranks, scores and versions of all results, in order: what ratings need, quickly.

        With `blocks`, only of the results of these.
        """
        columns = self._columns("match", "block", "bots", "ranks", "scores", "versions")
        read = lru_cache(MOST_READ)(shapes.read_column)  # the same tables and ranks occur many times

        def outcome(block: Any, *lists: Any) -> Outcome:
            bots, ranks, scores, versions = map(read, ("bots", "ranks", "scores", "versions"), lists)
            if not len(bots) == len(ranks) == len(scores) == len(versions or bots):
                shapes.check_lengths(bots, ranks=ranks, scores=scores, versions=versions or bots)
            return shapes.read_column("block", block), bots, ranks, scores, versions

        with _store_errors(self.path):
            for match, block, *values in self._each(f"SELECT {columns} FROM result {IN_ORDER}"):
                if blocks is None or block in blocks:
                    yield _named(match, outcome, block, *values)

    def sizes(self) -> list[int]:
        """The sizes of the tables that were played."""
        with _store_errors(self.path):
            tables = self._each("SELECT bots FROM result")
            read = lru_cache(MOST_READ)(shapes.read_column)
            return sorted({len(read("bots", bots)) for (bots,) in tables})

    def faults(self, seats: int | None = None, labels: Mapping[str, str] = NO_LABELS) -> dict[str, int]:
        """How many faults each bot had, at all tables or at those of one size; older versions by their labels."""
        found: dict[str, int] = {}
        for _, names, noted in self._faults(labels):
            for fault in noted if seats in (None, len(names)) else ():
                if fault["seat"] is not None:
                    found[names[fault["seat"]]] = found.get(names[fault["seat"]], 0) + 1
        return dict(sorted(found.items()))

    def fault_kinds(self, labels: Mapping[str, str] = NO_LABELS) -> Iterator[tuple[str, str, str]]:
        """The bot, the kind and the match of each fault of a bot, in order; older versions by their labels."""
        for match, names, noted in self._faults(labels, IN_ORDER):
            yield from ((names[one["seat"]], one["kind"], match) for one in noted if one["seat"] is not None)

    def _faults(self, labels: Mapping[str, str], order: str = "") -> Iterator[Faulty]:
        columns = self._columns("match", "bots", "faults", "versions")
        with _store_errors(self.path):
            for match, *values in self._each(f"SELECT {columns} FROM result WHERE faults <> '[]' {order}"):
                yield match, *_named(match, _read_faults, labels, *values)

    def matches(self, first: str, end: str | None) -> list[str]:
        """The ids of the matches that count, from `first` on and before `end`, in order."""
        query = f"SELECT match FROM result WHERE match >= ?{' AND match < ?' if end else ''} ORDER BY match"
        with _store_errors(self.path):
            found = self._all(query, first, *([end] if end else []))
            return [_named(match, shapes.read_column, "match", match) for (match,) in found]

    def rotations(self) -> dict[int, int]:
        """By block, which rotations have a result, as a set of bits."""
        found: dict[int, int] = {}
        with _store_errors(self.path):
            for values in self._each("SELECT block, rotation FROM result"):
                block, rotation = map(shapes.read_column, ("block", "rotation"), values)
                if rotation >= shapes.MOST_SEATS:
                    raise shapes.Damaged(f"rotation: {rotation}, but tables have at most {shapes.MOST_SEATS} seats")
                found[block] = found.get(block, 0) | 1 << rotation
        return found

    def meetings(self, before: int, keys: Iterable[str]) -> list[Meeting]:
        """The meetings of these versions that were added in epochs before this one, in order."""
        known, found = frozenset(keys), dict[int, Meeting]()
        columns, epoch = self._columns("block", "plan", "bots", "versions"), self._columns("epoch")
        with _store_errors(self.path):
            for values in self._each(f"SELECT {columns} FROM result WHERE {epoch} < ? {IN_ORDER}", before):
                block, number, bots, versions = map(shapes.read_column, ("block", "plan", "bots", "versions"), values)
                if known.issuperset(versions):
                    found.setdefault(block, Meeting(block, number, bots, versions))
        return list(found.values())

    def places(self) -> dict[int, str]:
        """The ids by place in the plan."""
        return dict(self._all("SELECT plan, match FROM result"))

    def count(self) -> int:
        """How many matches count."""
        ((number,),) = self._all("SELECT count(*) FROM result")
        return int(number)

    def count_now(self) -> int:
        """How many matches between the bots of today count; those of earlier versions do not."""
        lineup = self.lineup()
        return self.count() if lineup.is_first else self.count_between(lineup.keys.values())

    def count_between(self, keys: Iterable[str]) -> int:
        """How many matches between these versions count."""
        known = frozenset(keys)
        with _store_errors(self.path):
            tables = self._all(f"SELECT {self._columns('versions')}, count(*) FROM result GROUP BY 1")
            return sum(count for one, count in tables if known.issuperset(shapes.read_column("versions", one)))

    def lineup(self) -> Lineup:
        """Who plays, and who played."""
        if self._schema < ROSTER_SCHEMA:
            return Lineup({}, ())
        with _store_errors(self.path):
            rows = self._all("SELECT key, name, version, digest, program, archive, entry FROM version ORDER BY key")
            versions = {row[0]: BotVersion(*shapes.read_version(*row)) for row in rows}
            log = self._all("SELECT epoch, at, name, key FROM change ORDER BY number")
            changes = [RosterChange(*shapes.read_change(*row)) for row in log]
            for change in changes:
                if change.key is not None and change.key not in versions:
                    raise shapes.Damaged(f"change: {cut(ascii(change.name))} has a version that is missing")
        return Lineup(versions, changes)

    def epoch(self) -> int:
        """How often the roster has changed."""
        ((number,),) = self._all("SELECT coalesce(max(epoch), 0) FROM change")
        return int(number)

    def hosts(self) -> dict[str, Host]:
        """The machines on which matches were played, by id."""
        rows = self._all("SELECT id, facts FROM host ORDER BY id") if self._schema >= ROSTER_SCHEMA else []
        with _store_errors(self.path):
            return {key: shapes.read_host(key, facts) for key, facts in rows}

    def played_on(self) -> dict[str, str]:
        """The host of each match, by id, if it is known."""
        with _store_errors(self.path):
            found = self._each(f"SELECT match, {self._columns('host')} FROM result")
            return {
                _named(match, shapes.read_column, "match", match): host
                for match, host in found
                if _named(match, shapes.read_column, "host", host)
            }

    def attempts(self) -> dict[str, list[str]]:
        """Why matches did not count, by id."""
        found: dict[str, list[str]] = {}
        with _store_errors(self.path):
            for values in self._all("SELECT match, reason FROM attempt ORDER BY match, number"):
                match, reason = shapes.read_attempt(*values)
                found.setdefault(match, []).append(reason)
        return found

    def uncounted(self) -> int:
        """How many attempts did not count."""
        ((number,),) = self._all("SELECT count(*) FROM attempt")
        return int(number)

    def unplayed(self) -> Iterator[tuple[str, str]]:
        """The matches that were attempted and have no result, with the reason of their last attempt."""
        query = """
            SELECT match, reason FROM attempt AS one WHERE match NOT IN (SELECT match FROM result)
            AND number = (SELECT max(number) FROM attempt WHERE match = one.match) ORDER BY match
        """
        with _store_errors(self.path):
            for values in self._each(query):
                yield shapes.read_attempt(*values)

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
            self._settle(settings)

    def _settle(self, settings: Mapping[str, Any]) -> None:
        for key, value in settings.items():
            values = (key, json.dumps(value, sort_keys=True))
            self._connection.execute("INSERT OR REPLACE INTO setting VALUES(?, ?)", values)

    def add(self, rows: Iterable[Row]) -> int:
        """Write these results, all or none. A match that has a result keeps it. Returns how many were new."""
        places = ", ".join("?" * len(COLUMNS))
        with self._writing():
            new = 0
            for row in rows:
                values = [_written(name, getattr(row, name)) for name in COLUMNS]
                if self._connection.execute(f"INSERT OR IGNORE INTO result VALUES({places})", values).rowcount:
                    self._connection.execute("INSERT INTO arrival(match) VALUES(?)", (row.match,))
                    new += 1
            return new

    def enlist(self, versions: Iterable[BotVersion], changes: Iterable[RosterChange] = ()) -> None:
        """Add versions, and change the roster, all or nothing."""
        with self._writing():
            for one in versions:
                words = (json.dumps(one.program), one.archive, json.dumps(one.entry, sort_keys=True))
                values = (one.key, one.name, one.version, one.digest, *words)
                self._connection.execute("INSERT OR IGNORE INTO version VALUES(?, ?, ?, ?, ?, ?, ?)", values)
            for change in changes:
                row = (change.epoch, change.at, change.name, change.key)
                self._connection.execute("INSERT INTO change(epoch, at, name, key) VALUES(?, ?, ?, ?)", row)

    def add_host(self, host: Host) -> None:
        with self._writing():
            values = (host.id, json.dumps(host.plain(), sort_keys=True))
            self._connection.execute("INSERT OR IGNORE INTO host VALUES(?, ?)", values)

    def renumber(self, rows: Iterable[Row], settings: Mapping[str, Any]) -> None:
        """Write place, block and versions of results again, and the settings that go with it, all or nothing."""
        with self._writing():
            for row in rows:
                values = (row.plan, row.block, _written("versions", row.versions), row.match)
                self._connection.execute("UPDATE result SET plan = ?, block = ?, versions = ? WHERE match = ?", values)
            self._settle(settings)

    def note(self, match: str, reason: str, suspects: Sequence[int] = ()) -> int:
        """Write that an attempt at a match did not count, and its suspects. Returns the number of the attempt."""
        with self._writing():
            ((number,),) = self._connection.execute("SELECT count(*) + 1 FROM attempt WHERE match = ?", (match,))
            values = (match, number, reason, json.dumps(suspects))
            self._connection.execute("INSERT INTO attempt VALUES(?, ?, ?, ?)", values)
        return int(number)

    # Where it is

    def is_in_place(self) -> bool:
        return self._place.change() is None

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

    def _columns(self, *names: str) -> str:
        """These columns for a query; what an older file does not have is replaced."""
        added = ADDED if self._schema < ROSTER_SCHEMA else {}
        return ", ".join(added.get(name, name) for name in names)

    def _all(self, query: str, *values: int | str) -> list[tuple[Any, ...]]:
        with _store_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    def _each(self, query: str, *values: int | str) -> Iterator[tuple[Any, ...]]:
        """Row by row. The transaction lasts until the last one, so whoever asks must not wait between them."""
        with _store_errors(self.path):
            cursor = self._connection.execute(query, values)
            while batch := cursor.fetchmany(BATCH):
                yield from batch

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
    shapes.check_lengths(row.bots, **({"versions": row.versions} if row.versions else {}))
    shapes.check_seats(row.bots, row.faults)
    return row


def _read_faults(
    labels: Mapping[str, str], bots: Any, faults: Any, versions: Any
) -> tuple[tuple[str, ...], tuple[Mapping[str, Any], ...]]:
    names, noted = shapes.read_column("bots", bots), shapes.read_column("faults", faults)
    shapes.check_seats(names, noted)
    keys = shapes.read_column("versions", versions)
    return tuple(labels.get(key, name) for name, key in zip(names, keys)) if keys else names, noted


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
        raise LeagueError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
    with _store_errors(path):
        folder.mkdir(parents=True, exist_ok=True)
        connection = _connected(path, create)
    with closing(connection):
        with _store_errors(path):
            _prepare(connection, path, create)
        with closing(Store(connection, path)) as store:
            if not create and not store.settings():  # its first run was killed before it wrote any
                raise LeagueError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
            yield store


@contextmanager
def read_store(folder: Path) -> Iterator[Store]:
    """The store in a league's folder, which SQLite itself does not let us change, and beside which nothing is left.

    StoreError also if a runner began while we read as if there were none: then read again.
    """
    path = folder / FILE
    if not path.is_file():
        raise LeagueError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
    has_log = os.path.exists(f"{path}-wal")
    with _store_errors(path), closing(_opened(_reading_address(path))) as connection:
        _prepare(connection, path, create=False)
        with closing(Store(connection, path)) as store:
            if not store.settings():  # its first run was killed before it wrote any
                raise LeagueError(f"{folder}: there is no league here. `arena league run FILE` begins one.")
            yield store
    if not has_log and os.path.exists(f"{path}-wal"):
        raise StoreError(f"{path}: it began to change while it was read. Try again.")


def _connected(path: Path, create: bool) -> sqlite3.Connection:
    return _opened(_address(path, create))


def _opened(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=WAIT_S, isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")  # a stranger's file must not run functions
    connection.execute("PRAGMA synchronous = FULL")  # what was committed outlives a power cut, whatever the default is
    return connection


def _address(path: Path, create: bool) -> str:
    """The file as a URI for SQLite, read-only if we may not write."""
    if create or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return path.absolute().as_uri()
    return _reading_address(path)


def _reading_address(path: Path) -> str:
    """A reader needs the log if there is one. If there is none, no process is writing, and the file may be taken as
    immutable."""
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
        _lock(fd)
    except OSError as error:
        os.close(fd)
        if error.errno != errno.EWOULDBLOCK:
            raise
        raise StoreError(f"{folder}: another process is running this league. Wait for it, or stop it.") from None
    try:
        with suppress(OSError):  # on a full disk the store says so
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(fd)


def _lock(fd: int) -> None:
    """Take the lock. A process that only looks whether it is taken holds it for a moment, so we try a few times."""
    for _ in range(LOCK_TRIES - 1):
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOCK_WAIT_S)
    return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def check_same(one: Store, other: Store) -> None:
    """StoreError unless both are runs of the same league."""
    mine, theirs = one.settings(), other.settings()
    may_differ = MAY_DIFFER | ROSTER if mine.get("scheme") == MEETINGS else MAY_DIFFER
    for key in sorted(mine.keys() - may_differ, key=lambda key: (key == "commitment", key)):  # a seed says more
        if mine[key] != theirs.get(key):
            how = difference(key, theirs.get(key), mine[key], "is", "here")
            raise LeagueError(f"{other.path}: it is another league: {how}.")


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
