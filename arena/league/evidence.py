"""Whether the records of a league prove its results, and how to take over results that another run has proved.

A result is worth as much as its record: the record must exist, verify, belong to this match and this league, and give
exactly this row. `check` says what is wrong with one result. `verify_league` checks all results of a league, and
`merge_folders` all that it takes over from another folder, which may be a stranger's.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.errors import RecordError, StoreError
from arena.files import sync, write_soon
from arena.league import audit
from arena.league.clocks import LeagueClock
from arena.league.deals import kept_secret
from arena.league.lineup import BotVersion, Lineup
from arena.league.meetings import version_key
from arena.league.migration import MOVED
from arena.league.run import row_of
from arena.league.store import COLUMNS, MEETINGS, Row, Store, agreeing, check_same, only_runner, open_store
from arena.league.wire import RECORDS, record_path
from arena.league.worker import match_message
from arena.match.record import MatchRecord
from arena.match.record_file import read
from arena.replay.verify import verify
from arena.texts import cut

FIXTURE = ("match", "plan", "block", "rotation", "seed", "bots", "versions", "epoch")
"""The columns of a result that are known before the match."""
NOBODY = Lineup({}, ())
NO_RECORDS = Path(os.devnull)
"""Records are checked more closely here than an audit does."""
Watch = Callable[[int, int], None]
"""watch(done, all) is called after each result."""


@dataclass(frozen=True, slots=True)
class Unproved:
    """A result that its record does not prove, and why."""

    match: str
    reason: str


# One result


def check(row: Row, record: MatchRecord, settings: Mapping[str, Any], lineup: Lineup = NOBODY) -> str | None:
    """Why a record does not prove a result of the league with these settings and versions; None if it does."""
    header = record.header
    if header.parent is not None:
        return "the record is a branch, which continues another match, and no league counts it"
    facts = {
        "match": (header.match, row.match),
        "seed": (header.seed, row.seed),
        "bots": ([player.name for player in header.players], list(row.bots)),
        **{key: (getattr(header, key), settings.get(key)) for key in ("game", "edition", "strikes") if key in settings},
    }
    if "options" in settings:
        facts["options"] = dict(header.options), settings["options"]
    if "clock" in settings:
        clock = LeagueClock.from_plain(settings["clock"])
        if clock.is_scaled and header.host is None:
            return "the record has no host, and the clocks of this league follow from its speed"
        due = asdict(clock.on(header.host) if header.host else clock.control)
        facts["clock"] = [asdict(player.clock) for player in header.players], [due] * len(row.bots)
    facts["digests of bots"] = [p.digest for p in header.players], list(_digests(row, settings, lineup))
    for what, (recorded, expected) in facts.items():
        if recorded != expected:
            return f"the record says {what} {cut(ascii(recorded))}, the result {cut(ascii(expected))}"
    return _wrong_column(row, record) or _untrue(record)


def _digests(row: Row, settings: Mapping[str, Any], lineup: Lineup) -> Iterator[str | None]:
    """The digest of each bot, by its version, or by its name in leagues whose roster cannot change."""
    for seat, bot in enumerate(row.bots):
        if not row.versions:
            yield settings["bots"].get(bot, (None, None))[1]
            continue
        version = lineup.versions.get(row.versions[seat])
        yield version.digest if version and version.name == bot else None


def _untrue(record: MatchRecord) -> str | None:
    divergence = verify(record)
    return None if divergence is None else f"the record is not true: {divergence}"


def _wrong_column(row: Row, record: MatchRecord) -> str | None:
    fixture = {name: getattr(row, name) for name in FIXTURE}
    message = json.loads(json.dumps(match_message(fixture, record)))  # as it came from the worker
    if "void" in message:
        return "the record is of a void match"
    for name in COLUMNS:
        recorded, kept = getattr(row_of(fixture, message), name), getattr(row, name)
        if recorded != kept:
            return f"{name}: the record says {cut(ascii(recorded))}, the result {cut(ascii(kept))}"
    return None


def _proved(folder: Path, row: Row, settings: Mapping[str, Any], lineup: Lineup) -> bytes:
    """The bytes of a result's record. RecordError says why it does not prove the result."""
    path = record_path(folder / RECORDS, row.match)
    record, data = read(path)
    if complaint := check(row, record, settings, lineup):
        raise RecordError(f"{path}: {complaint}")
    return data


# All results of a league


def missing(folder: Path, matches: Iterable[str]) -> list[str]:
    """The matches that have no record."""
    return [match for match in matches if not record_path(folder / RECORDS, match).is_file()]


def verify_league(store: Store, watch: Watch) -> Iterator[Unproved]:
    """The results of a league that their records do not prove."""
    settings, lineup, rows = store.settings(), store.lineup(), list(store.rows())
    for number, row in enumerate(rows, 1):
        try:
            _proved(store.path.parent, row, settings, lineup)
        except RecordError as error:
            yield Unproved(row.match, str(error))
        watch(number, len(rows))


# Two leagues into one


def merge_folders(into: Path, other: Path, watch: Watch = lambda _done, _all: None) -> int:
    """Take over the results of another run of the same league with their records. Returns how many were new.

    All of them are checked before anything changes here: if a record does not prove its result, nothing is taken over.
    Files are named by the ids of matches, and written only into this league's own folder.
    """
    with open_store(into):
        pass  # StoreError if there is no league
    with only_runner(into), open_store(into, create=True) as mine, open_store(other) as theirs:
        check_same(mine, theirs)
        rows, versions = list(_coming(mine, theirs, other)), _strange(mine, theirs)
        records = into / RECORDS
        records.mkdir(exist_ok=True)
        with TemporaryDirectory(prefix=".merge-", dir=records) as waiting:
            new = list(_checked(mine, other, rows, Path(waiting), watch, _together(mine, versions)))
            for match in new:
                target = record_path(records, match)
                target.parent.mkdir(exist_ok=True)
                (Path(waiting) / f".{match}").rename(target)
        sync(records)  # before any of their results counts
        if mine.lineup().keys == theirs.lineup().keys:
            mine.settle({"planned": max(mine.settings()["planned"], theirs.settings()["planned"])})
        mine.enlist(versions)
        played = {row.host for row in rows}
        for host in theirs.hosts().values():
            if host.id in played:
                mine.add_host(host)
        return mine.add(rows)


def _coming(mine: Store, theirs: Store, other: Path) -> Iterator[Row]:
    """The results of another store, as this one counts them. StoreError if they cannot be of the same league."""
    settings = mine.settings()
    if settings.get("scheme") != MEETINGS:
        yield from agreeing(theirs, mine.places())
        return
    epoch = mine.lineup().epoch
    lineup = _together(mine, _strange(mine, theirs))
    follows = audit.checker(mine, settings, lineup, kept_secret(settings), NO_RECORDS)
    known = {row.match for row in mine.rows()} if settings.get(MOVED) else frozenset[str]()
    for row in theirs.rows():
        _, wrong, _, _ = follows(row) if row.match not in known else (row, None, 0, False)
        if wrong:
            raise StoreError(f"{other}: match {row.match}: {wrong}. Nothing was taken over.")
        yield replace(row, epoch=epoch)


def _strange(mine: Store, theirs: Store) -> list[BotVersion]:
    """The versions that only the other store knows. Their keys must be right; their archives do not come along."""
    known, found = mine.lineup().versions, list[BotVersion]()
    for key, one in theirs.lineup().versions.items():
        if key != version_key(one.name, one.digest, one.program):
            raise StoreError(f"{theirs.path}: it is damaged: version {key} has another key.")
        if key not in known:
            found.append(replace(one, archive="", entry={}))
    return found


def _together(mine: Store, more: Iterable[BotVersion]) -> Lineup:
    lineup = mine.lineup()
    return Lineup({**lineup.versions, **{one.key: one for one in more}}, lineup.changes)


def _proved_there(folder: Path, row: Row, settings: Mapping[str, Any], lineup: Lineup) -> bytes:
    """The bytes of a result's record in another league's folder. A link is refused, because it may lead anywhere."""
    path = record_path(folder / RECORDS, row.match)
    if path.resolve() != record_path(folder.resolve() / RECORDS, row.match):
        raise RecordError(f"{path}: it is a link, not an ordinary file")
    return _proved(folder, row, settings, lineup)


def _checked(mine: Store, other: Path, rows: list[Row], waiting: Path, watch: Watch, lineup: Lineup) -> Iterator[str]:
    """Check every result, copy the records that are missing here, and yield their matches."""
    settings, kept = mine.settings(), {row.match: row for row in mine.rows()}
    for number, row in enumerate(rows, 1):
        own = kept.get(row.match)
        if own is None:
            try:
                data = _proved_there(other, row, settings, lineup)
            except RecordError as error:
                raise StoreError(f"{other}: match {row.match}: {error}. Nothing was taken over.") from None
            write_soon(waiting / f".{row.match}", data)
            yield row.match
        elif missing(mine.path.parent, [row.match]):
            with suppress(RecordError):  # both runs may have played it, and then its times differ
                write_soon(waiting / f".{row.match}", _proved_there(other, own, settings, lineup))
                yield row.match
        watch(number, len(rows))
