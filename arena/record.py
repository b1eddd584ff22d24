"""The record of a match: JSON lines, compressed, checked, complete enough to play it again.

Theory of operation. A record is a header, one line a step, a verdict, and a checksum of the lines before it. A step is
one action of chance or the decisions of all seats that act, with a digest of the state that it leads to. The lines are
a gzip file; its header carries the digest of all bytes that follow, so that no byte can change unnoticed, be it in a
place that decompression does not look at. A file is written under another name and then renamed, so that it is there
whole or not at all.
"""

import hashlib
import html
import json
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from arena.clock import TimeControl
from arena.errors import RecordError, SettingError
from engine.game import Value

FORMAT = 1
SUFFIX = ".match.jsonl.gz"
MOST_BYTES = 256 << 20
"""What a record may unpack to."""
MOST_PACKED = 64 << 20
"""What a file may hold; of a larger one, be it without end, no more is read."""
MOST_US = 10**15
"""Thirty years in microseconds: more than any decision, CPU time or delay takes."""
MOST_SEED = 10**1000
"""What a seed is less than, and its negative too; every number that people write by hand is."""


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it has characters that cannot be printed")
    return text


# What a reader insists on. These are plain dataclasses, so a match that is being played pays nothing for it.
Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_printable)]
Word = Annotated[str, Field(max_length=256)]
Seed = Annotated[int, Field(gt=-MOST_SEED, lt=MOST_SEED)]
Micros = Annotated[int, Field(ge=0, le=MOST_US)]
Count = Annotated[int, Field(ge=1, le=2**53)]
Whole = Annotated[int, Field(ge=0, le=2**53)]


class Status(StrEnum):
    """How an action came to be played."""

    ACCEPTED = "accepted"
    LATE = "late"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    FORCED = "forced"
    """There was no choice, and nobody was asked."""
    ABSENT = "absent"
    """The seat is disqualified; the fallback plays on."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat there."""

    name: Name
    version: Word
    digest: Word
    """Of the bot's files."""
    clock: TimeControl = field(default_factory=TimeControl)


@dataclass(frozen=True, slots=True)
class Header:
    """All that was settled before the match."""

    match: Word
    game: Word
    edition: Count
    options: Mapping[str, Value]
    """Those that differ from their defaults."""
    seed: Seed
    """Of dice and deals. No bot is told."""
    players: tuple[Player, ...]
    bot_seed: Seed = 0
    """Changes the bots' own seeds, and not the deal."""
    strikes: Count = 3
    ask_forced: bool = False
    sandbox: Word = "none"
    """The tier."""
    layers: tuple[Word, ...] = ()
    """What held the bots back, as their own processes reported it."""
    policy: Word = ""
    """The digest of their limits."""
    arena: Word = ""
    format: Count = FORMAT


@dataclass(slots=True)  # not frozen: one is made for each decision, and freezing it costs 1.5 µs
class Decision:
    """One seat's part in a step."""

    seat: Whole
    action: str
    status: Status = Status.ACCEPTED
    used_us: Micros = 0
    answer: str | None = None
    """What the bot said, if that was not played."""
    reason: str | None = None
    note: str | None = None


@dataclass(slots=True)
class Step:
    """One action of chance, or the decisions of all seats that acted, and the digest of the state after it."""

    state: str
    chance: str | None = None
    decisions: tuple[Decision, ...] = ()

    @property
    def actions(self) -> dict[int, str]:
        """For Game.apply."""
        if self.chance is not None:
            return {-1: self.chance}
        return {decision.seat: decision.action for decision in self.decisions}


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault as it is kept; arena.faults explains the kinds."""

    kind: Word
    seat: Whole | None
    decision: Count | None
    text: str


@dataclass(frozen=True, slots=True)
class Account:
    """What a bot's process left behind in the match."""

    cpu_us: Micros = 0
    stderr: str = ""
    stderr_bytes: Whole = 0
    exit: str | None = None
    """How the process ended, if it did during the match."""
    last_told: Mapping[str, Any] | None = None
    """The last message that it got before the end, if it had any fault."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the match ended. A void one counts for nothing, and `void` says why."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    breakdown: tuple[Mapping[str, int], ...]
    faults: tuple[FaultNote, ...] = ()
    void: str | None = None
    accounts: tuple[Account, ...] = ()
    delay_us: Micros = 0
    """The longest that the referee itself was late in looking at an answer; never charged."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match, whole."""

    header: Header
    steps: Sequence[Step]
    verdict: Verdict
    path: Path | None = field(default=None, compare=False)

    def decisions(self) -> Iterator[tuple[int, int, Decision]]:
        """Each decision with its number, from 1, and the index of its step."""
        number = 0
        for index, step in enumerate(self.steps):
            for decision in step.decisions:
                number += 1
                yield number, index, decision

    def without_times(self) -> "MatchRecord":
        """The record as any other run with the same seed and bots that repeat themselves would give it."""
        steps = [replace(step, decisions=tuple(map(_timeless_decision, step.decisions))) for step in self.steps]
        verdict = self.verdict
        is_timed = verdict.void is not None and any(fault.kind == "overload" for fault in verdict.faults)
        timeless = replace(
            verdict,
            faults=tuple(map(_timeless_fault, verdict.faults)),
            void=_without_numbers(verdict.void or "") if is_timed else verdict.void,
            accounts=tuple(replace(a, cpu_us=0, last_told=_timeless_told(a.last_told)) for a in verdict.accounts),
            delay_us=0,
        )
        return replace(self, steps=steps, verdict=timeless)

    def to_bytes(self) -> bytes:
        """The file."""
        lines = [_dump(self.header), *(_dump(step) for step in self.steps), _dump(self.verdict), b""]
        return _pack(_signed(b"\n".join(lines)))

    def save(self, path: Path) -> "MatchRecord":
        """Write it, whole or not at all."""
        write_whole(path, self.to_bytes())
        return replace(self, path=path)

    def _repr_html_(self) -> str:
        """How it shows itself in a notebook."""
        head = "".join(f"<th>{name}</th>" for name in ("rank", "seat", "player", "score"))
        order = sorted(range(len(self.header.players)), key=lambda seat: (self.verdict.ranks[seat], seat))
        rows = "".join(
            f"<tr><td>{self.verdict.ranks[seat]}</td><td>{seat}</td>"
            f"<td>{html.escape(self.header.players[seat].name)}</td><td>{self.verdict.scores[seat]}</td></tr>"
            for seat in order
        )
        notes = "".join(f"<li>{html.escape(f'{f.kind}: {f.text}')}</li>" for f in self.verdict.faults)
        title = html.escape(f"{self.header.game}, seed {self.header.seed}, {len(self.steps)} steps")
        return f"<p>{title}</p><table><tr>{head}</tr>{rows}</table>{f'<ul>{notes}</ul>' if notes else ''}"


# Without times

_TIMED = frozenset(("late", "overload"))
"""Faults, and the status, whose words tell how long something took."""


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)


def _timeless_decision(decision: Decision) -> Decision:
    reason = decision.reason
    if reason is not None and decision.status in _TIMED:
        reason = _without_numbers(reason)
    return replace(decision, used_us=0, reason=reason)


def _timeless_fault(fault: FaultNote) -> FaultNote:
    return replace(fault, text=_without_numbers(fault.text)) if fault.kind in _TIMED else fault


def _timeless_told(told: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A `decide` without what is left in the bank, and without how long the decision before it took."""
    if told is None or told.get("type") != "decide":
        return told
    last = told.get("last")
    if last is not None:
        reason = _without_numbers(last["reason"]) if last["status"] in _TIMED else last["reason"]
        last = {**last, "used_ms": 0, "reason": reason}
    return {**told, "clock": {**told["clock"], "bank_ms": 0}, "last": last}


# Writing


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all. What is no file, as /dev/null, is written to, and never replaced."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    part = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    fd = _create(part)
    try:
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _create(path: Path) -> int:
    """A new file, open for writing, in a folder that is made if need be."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o666)


Line = Header | Step | Verdict
_ADAPTERS: Mapping[type[Line], TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (Header, Step, Verdict)}


def _dump(line: Line) -> bytes:
    # The header is written in full: its format has to be there, and a default may change one day.
    return _ADAPTERS[type(line)].serializer.to_json(line, exclude_defaults=not isinstance(line, Header))


def _signed(body: bytes) -> bytes:
    return body + b'{"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


# Reading


def load(path: Path) -> MatchRecord:
    """The record in a file. RecordError says why it is none."""
    try:
        return replace(from_bytes(_contents(path)), path=path)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from None
    except (RecordError, ValueError) as error:  # ValueError: a name that no file can have
        raise RecordError(f"{path}: {error}") from None


def _contents(path: Path) -> bytes:
    """What an ordinary file holds; nothing here waits for a writer or reads without end."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device"
            raise RecordError(f"this is {kind}, and a record is an ordinary file")
        with open(fd, "rb", closefd=False) as file:
            data = file.read(MOST_PACKED + 1)
    finally:
        os.close(fd)
    if len(data) > MOST_PACKED:
        raise RecordError(f"it has more than {MOST_PACKED} bytes, the most that a record may have")
    return data


def from_bytes(data: bytes) -> MatchRecord:
    """The record that these bytes are."""
    lines = _verified(_unpack(data)).split(b"\n")[:-1]
    if len(lines) < 2:
        raise RecordError(f"{len(lines)} lines, but a header and a verdict are the least")
    given = _format(lines[0])
    if given > FORMAT:
        raise RecordError(f"format {given} is newer than this arena, which reads up to {FORMAT}. Use a newer arena.")
    header = _parse(Header, 1, lines[0])
    steps = [_parse(Step, 2 + i, line) for i, line in enumerate(lines[1:-1])]
    record = MatchRecord(header, steps, _parse(Verdict, len(lines), lines[-1]))
    check_form(record)
    return record


def _format(line: bytes) -> int:
    try:
        given = json.loads(line)["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise RecordError("line 1: not the header of a record") from None
    if type(given) is not int or given < 1:
        raise RecordError(f"line 1: not the header of a record: format: expected an integer >= 1, got {given!r:.40}")
    return given


def check_form(record: MatchRecord) -> None:
    """RecordError if the parts of a record do not fit each other; whether it is true is another question."""
    seats = len(record.header.players)
    for number, step in enumerate(record.steps, 2):
        _check_step(number, step, seats)
    # A fault may belong to a decision that was still open when the match was called off.
    _check_verdict(len(record.steps) + 2, record.verdict, seats, sum(len(s.decisions) for s in record.steps) + seats)


def _check_step(number: int, step: Step, seats: int) -> None:
    acting = [decision.seat for decision in step.decisions]
    if step.chance is not None and acting:
        raise RecordError(f"line {number}: a step of chance has decisions of the seats {acting}")
    if acting != sorted(set(acting)) or (acting and not 0 <= acting[0] <= acting[-1] < seats):
        order = f"each of 0 to {seats - 1} decides once, in this order"
        raise RecordError(f"line {number}: decisions of the seats {acting}, but {order}")


def _check_verdict(number: int, verdict: Verdict, seats: int, decisions: int) -> None:
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
        if fault.decision is not None and not 1 <= fault.decision <= decisions:
            raise RecordError(f"line {number}: faults: decision {fault.decision}, but {decisions} is the last")


L = TypeVar("L", Header, Step, Verdict)


def _parse(kind: type[L], number: int, line: bytes) -> L:
    try:
        parsed: L = _ADAPTERS[kind].validate_json(line, strict=True)
        return parsed
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        text = f"{where}: {first['msg']}"
    except SettingError as error:
        text = str(error)
    raise RecordError(f"line {number}: not a {kind.__name__.lower()}: {text}") from None


def _verified(content: bytes) -> bytes:
    """The lines before the checksum, which has to fit."""
    body, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    if _signed(body + b"\n") != content:
        raise RecordError(f"the checksum {last[:40]!r} in its last line does not fit the lines before it")
    return body + b"\n"


# The file: a gzip member (RFC 1952) whose extra field holds the digest of all that follows it.

_DIGEST = 32
_EXTRA = b"DA" + struct.pack("<H", _DIGEST)
_HEAD = b"\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff" + struct.pack("<H", len(_EXTRA) + _DIGEST) + _EXTRA
_START = len(_HEAD) + _DIGEST


def _pack(content: bytes) -> bytes:
    squeeze = zlib.compressobj(level=4, wbits=-zlib.MAX_WBITS)
    rest = squeeze.compress(content) + squeeze.flush() + struct.pack("<II", zlib.crc32(content), len(content))
    return _HEAD + hashlib.sha256(rest).digest() + rest


def _unpack(data: bytes) -> bytes:
    if not data.startswith(_HEAD):
        raise RecordError(f"not a record: it begins with {data[:10]!r}. Records end in {SUFFIX}.")
    rest = data[_START:]
    if hashlib.sha256(rest).digest() != data[len(_HEAD) : _START]:
        raise RecordError("it has been cut off or altered: its bytes do not fit the digest at its beginning")
    try:
        expand = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        content = expand.decompress(rest, MOST_BYTES)
    except zlib.error as error:
        raise RecordError(f"it does not decompress: {error}") from None
    if expand.unconsumed_tail or not expand.eof:
        raise RecordError(f"it does not decompress to at most {MOST_BYTES} bytes")
    if expand.unused_data != struct.pack("<II", zlib.crc32(content), len(content)):
        raise RecordError("the end of the gzip file does not fit its contents")
    return content
