"""Whether the records of a league prove its results, and how to take over results that another run has proved.

A result is worth as much as its record: the record must exist, verify, belong to this match and this league, and give
exactly this row. `check` says what is wrong with one result. `verify_league` checks all results of a league, and
`merge_folders` all that it takes over from another folder, which may be a stranger's.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.errors import RecordError, StoreError
from arena.files import write_whole
from arena.league.run import row_of
from arena.league.store import COLUMNS, Row, Store, agreeing, check_same, only_runner, open_store
from arena.league.wire import RECORDS, record_path
from arena.league.worker import match_message
from arena.match.record import MatchRecord
from arena.match.record_file import read
from arena.replay.verify import verify
from arena.texts import cut

FIXTURE = ("match", "plan", "block", "rotation", "seed", "bots")
"""The columns of a result that are known before the match."""
Watch = Callable[[int, int], None]
"""watch(done, all) is called after each result."""


@dataclass(frozen=True, slots=True)
class Unproved:
    """A result that its record does not prove, and why."""

    match: str
    reason: str


# One result


def check(row: Row, record: MatchRecord, settings: Mapping[str, Any]) -> str | None:
    """Why a record does not prove a result of the league with these settings; None if it does."""
    header = record.header
    facts = {
        "match": (header.match, row.match),
        "seed": (header.seed, row.seed),
        "bots": ([player.name for player in header.players], list(row.bots)),
        **{key: (getattr(header, key), settings.get(key)) for key in ("game", "edition", "strikes") if key in settings},
    }
    if "options" in settings:
        facts["options"] = dict(header.options), settings["options"]
    if "clock" in settings:
        facts["clock"] = [asdict(player.clock) for player in header.players], [settings["clock"]] * len(row.bots)
    digests = {name: digest for name, (_, digest) in settings["bots"].items()}
    facts["digests of bots"] = [p.digest for p in header.players], [digests.get(p.name) for p in header.players]
    for what, (recorded, expected) in facts.items():
        if recorded != expected:
            return f"the record says {what} {cut(ascii(recorded))}, the result {cut(ascii(expected))}"
    return _wrong_column(row, record) or _untrue(record)


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


def _proved(folder: Path, row: Row, settings: Mapping[str, Any]) -> bytes:
    """The bytes of a result's record. RecordError says why it does not prove the result."""
    path = record_path(folder / RECORDS, row.match)
    record, data = read(path)
    if complaint := check(row, record, settings):
        raise RecordError(f"{path}: {complaint}")
    return data


# All results of a league


def missing(folder: Path, matches: Iterable[str]) -> list[str]:
    """The matches that have no record."""
    return [match for match in matches if not record_path(folder / RECORDS, match).is_file()]


def verify_league(store: Store, watch: Watch) -> Iterator[Unproved]:
    """The results of a league that their records do not prove."""
    settings, rows = store.settings(), list(store.rows())
    for number, row in enumerate(rows, 1):
        try:
            _proved(store.path.parent, row, settings)
        except RecordError as error:
            yield Unproved(row.match, str(error))
        watch(number, len(rows))


# Two leagues into one


def merge_folders(into: Path, other: Path, watch: Watch = lambda _done, _all: None) -> int:
    """Take over the results of another run of the same league with their records. Returns how many were new.

    All of them are checked before anything changes here: if a record does not prove its result, nothing is taken over.
    Files are named by the ids of matches, and written only into this league's own folder.
    """
    with open_store(into) as mine, only_runner(into), open_store(other) as theirs:
        check_same(mine, theirs)
        rows = list(agreeing(theirs, mine.places()))
        records = into / RECORDS
        records.mkdir(exist_ok=True)
        with TemporaryDirectory(prefix=".merge-", dir=records) as waiting:
            new = list(_checked(mine, other, rows, Path(waiting), watch))
            for match in new:
                target = record_path(records, match)
                target.parent.mkdir(exist_ok=True)
                (Path(waiting) / f".{match}").rename(target)
        mine.settle({"planned": max(mine.settings()["planned"], theirs.settings()["planned"])})
        return mine.add(rows)


def _proved_there(folder: Path, row: Row, settings: Mapping[str, Any]) -> bytes:
    """The bytes of a result's record in another league's folder. A link is refused, because it may lead anywhere."""
    path = record_path(folder / RECORDS, row.match)
    if path.resolve() != record_path(folder.resolve() / RECORDS, row.match):
        raise RecordError(f"{path}: it is a link, not an ordinary file")
    return _proved(folder, row, settings)


def _checked(mine: Store, other: Path, rows: list[Row], waiting: Path, watch: Watch) -> Iterator[str]:
    """Check every result, copy the records that are missing here, and yield their matches."""
    settings, kept = mine.settings(), {row.match: row for row in mine.rows()}
    for number, row in enumerate(rows, 1):
        own = kept.get(row.match)
        if own is None:
            try:
                data = _proved_there(other, row, settings)
            except RecordError as error:
                raise StoreError(f"{other}: match {row.match}: {error}. Nothing was taken over.") from None
            write_whole(waiting / f".{row.match}", data)
            yield row.match
        elif missing(mine.path.parent, [row.match]):
            with suppress(RecordError):  # both runs may have played it, and then its times differ
                write_whole(waiting / f".{row.match}", _proved_there(other, own, settings))
                yield row.match
        watch(number, len(rows))
