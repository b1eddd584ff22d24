"""A record as a file: JSON lines, compressed and checked.

It is written under another name and then renamed, so that it is either complete or missing.

Records also come from strangers. So a file is read line by line, each line is checked against the limits of
arena.match.record before anything is built from it, and the first mistake ends the reading. These limits bound what a
file costs, whatever it claims.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from arena import files
from arena.errors import FileError, RecordError, SettingError
from arena.files import write_whole
from arena.match.packing import SUFFIX, lines_of, pack, signed
from arena.match.record import (
    BRANCH_FORMAT,
    MOST_DECISIONS,
    MOST_PACKED,
    MOST_STEPS,
    OPEN,
    Each,
    Header,
    MatchRecord,
    Step,
    Verdict,
    Word,
)
from arena.texts import SENTENCE, SHOWN, cut, one_line

MAY_LACK = ("host", "affinity", "parent")
"""Fields that not every header has."""
LONGEST_SEED = 40
"""Digits of a seed in the name of a file."""


# Writing


def to_bytes(record: MatchRecord) -> bytes:
    """The file of a record."""
    _check_count(len(record.steps), sum(len(step.decisions) for step in record.steps))
    lines = [_dump(record.header), *(_dump(step) for step in record.steps), _dump(record.verdict), b""]
    return pack(signed(b"\n".join(lines)))


def save(record: MatchRecord, path: Path) -> MatchRecord:
    """Write a record completely or not at all."""
    write_whole(path, to_bytes(record))
    return replace(record, path=path)


def fresh_path(folder: Path, header: Header) -> Path:
    """A new, empty file for the record. No other match gets this name, even one that ends at the same time."""
    seed = str(header.seed)
    if len(seed) > LONGEST_SEED:
        seed = f"{seed[:LONGEST_SEED]}-{hashlib.sha256(seed.encode()).hexdigest()[:8]}"
    paths = (folder / f"{header.game}-{seed}{f'-{i}' if i else ''}{SUFFIX}" for i in count())
    return next(path for path in paths if _is_made(path))


def _is_made(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


Line = Header | Step | Verdict
_ADAPTERS: Mapping[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (Header, Step, Verdict)}


def _dump(line: Line) -> bytes:
    if isinstance(line, Header):
        return _ADAPTERS[Header].serializer.to_json(line, exclude=_unsaid(line))
    return _ADAPTERS[type(line)].serializer.to_json(line, exclude_defaults=True)


def _unsaid(header: Header) -> dict[str, Any]:
    """What a header leaves out. The rest is written in full: it must have its format, and a default may change one day.

    Only leagues have hosts, only branches have parents, only processes are placed on cores, and few bots set variables
    or have parameters. Older arenas ignore all of these.
    """
    plain = {
        seat: {name for name in ("env", "tune") if not getattr(player, name)}
        for seat, player in enumerate(header.players)
    }
    absent = {name: True for name in MAY_LACK if getattr(header, name) is None}
    return {**absent, "players": plain}


# Reading


def load(path: Path) -> MatchRecord:
    """The record in a file. RecordError says why it is not one."""
    return read(path)[0]


def read(path: Path) -> tuple[MatchRecord, bytes]:
    """The record in a file, and the bytes that it was read from."""
    try:
        data = files.read(path, MOST_PACKED)
    except FileError as error:
        raise RecordError(str(error)) from None
    try:
        return replace(from_bytes(data), path=path), data
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def from_bytes(data: bytes) -> MatchRecord:
    """The record in these bytes."""
    lines = lines_of(data)
    first, line = next(lines, None), next(lines, None)
    if first is None or line is None:
        raise RecordError("a record has at least a header and a verdict")
    header = _header(first)
    steps, decided = list[Step](), 0
    for number, following in enumerate(lines, 2):  # what is followed by another line is a step
        steps.append(_parse(Step, number, line))
        _check_step(number, steps[-1], len(header.players))
        decided += len(steps[-1].decisions)
        _check_count(len(steps), decided)
        line = following
    verdict = _parse(Verdict, len(steps) + 2, line)
    _check_verdict(len(steps) + 2, verdict, len(header.players), decided)
    return MatchRecord(header, steps, verdict)


def _header(line: bytes) -> Header:
    given = _format(line)
    if given > BRANCH_FORMAT:
        known = f"which reads up to {BRANCH_FORMAT}. Use a newer arena."
        raise RecordError(f"format {given} is newer than this arena, {known}")
    header = _parse(Header, 1, line)
    _check_parent(header)
    walls = _parse(_Walls, 1, line) if given == 1 else _Walls()
    if walls.sandbox is None:
        return header
    players = (replace(player, sandbox=walls.sandbox, layers=walls.layers) for player in header.players)
    return replace(header, players=tuple(players))


@dataclass(frozen=True, slots=True)
class _Walls:
    """What a header of format 1 may say for all players at once."""

    sandbox: Word | None = None
    layers: Annotated[tuple[Word, ...], *Each] = ()


_READERS = {**_ADAPTERS, _Walls: TypeAdapter(_Walls)}


def _format(line: bytes) -> int:
    try:
        given = json.loads(line)["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise RecordError("line 1: not the header of a record") from None
    if type(given) is not int or given < 1:
        raise RecordError(f"line 1: not the header of a record: format: expected an integer >= 1, got {given!r:.40}")
    return given


def check_form(record: MatchRecord) -> None:
    """RecordError if the parts of a record do not match each other; whether it is true is another question."""
    seats = len(record.header.players)
    _check_parent(record.header)
    for number, step in enumerate(record.steps, 2):
        _check_step(number, step, seats)
    _check_verdict(len(record.steps) + 2, record.verdict, seats, sum(len(step.decisions) for step in record.steps))


def _check_parent(header: Header) -> None:
    """Branches have a format of their own, so that no arena plays one from the start of its game."""
    parent = header.parent
    if (parent is not None) != (header.format == BRANCH_FORMAT):
        has = "no parent" if parent is None else "a parent"
        raise RecordError(f"line 1: format {header.format} with {has}, but {BRANCH_FORMAT} is the format of branches")
    if parent is not None and parent.cards != OPEN and parent.cards >= len(header.players):
        seats = f"there are {len(header.players)} players"
        raise RecordError(f"line 1: parent: cards from the view of seat {parent.cards}, but {seats}")


def _check_count(steps: int, decisions: int) -> None:
    for what, number, most in (("steps", steps, MOST_STEPS), ("decisions", decisions, MOST_DECISIONS)):
        if number > most:
            raise RecordError(f"more than {most:,} {what}, the most that a record may have")


def _check_step(number: int, step: Step, seats: int) -> None:
    acting = [decision.seat for decision in step.decisions]
    if step.chance is not None and acting:
        raise RecordError(f"line {number}: a step of chance has decisions of the seats {cut(str(acting))}")
    if acting != sorted(set(acting)) or (acting and not 0 <= acting[0] <= acting[-1] < seats):
        order = f"each of 0 to {seats - 1} decides once, in this order"
        raise RecordError(f"line {number}: decisions of the seats {cut(str(acting))}, but {order}")


def _check_verdict(number: int, verdict: Verdict, seats: int, decided: int) -> None:
    """`decided` decisions were made; each seat may have had one more open when the match became void."""
    counts: dict[str, Sequence[object]] = {
        "scores": verdict.scores,
        "ranks": verdict.ranks,
        "breakdown": verdict.breakdown,
    }
    if verdict.accounts:
        counts["accounts"] = verdict.accounts
    for what, part in counts.items():
        if len(part) != seats:
            raise RecordError(f"line {number}: {what}: {len(part)} of them, but there are {seats} players")
    for fault in verdict.faults:
        if fault.seat is not None and not 0 <= fault.seat < seats:
            raise RecordError(f"line {number}: faults: seat {fault.seat}, but there are {seats} players")
        if fault.decision is not None and not 1 <= fault.decision <= decided + seats:
            raise RecordError(f"line {number}: faults: decision {fault.decision}, but {decided + seats} is the last")


L = TypeVar("L", Header, _Walls, Step, Verdict)


def _parse(kind: type[L], number: int, line: bytes) -> L:
    try:
        parsed: L = _READERS[kind].validate_json(line, strict=True)
        return parsed
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        text = f"{one_line(where, SHOWN)}: {one_line(first['msg'], SENTENCE)}"
    except SettingError as error:
        text = str(error)
    what = "header" if number == 1 else kind.__name__.lower()
    raise RecordError(f"line {number}: not a {what}: {text}") from None
