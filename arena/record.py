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
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from arena.clock import TimeControl
from arena.errors import RecordError
from engine.game import Value

FORMAT = 1
SUFFIX = ".match.jsonl.gz"
MOST_BYTES = 256 << 20
"""What a record may unpack to."""


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

    name: str
    version: str
    digest: str
    """Of the bot's files."""
    clock: TimeControl = field(default_factory=TimeControl)


@dataclass(frozen=True, slots=True)
class Header:
    """All that was settled before the match."""

    match: str
    game: str
    edition: int
    options: Mapping[str, Value]
    """Those that differ from their defaults."""
    seed: int
    """Of dice and deals. No bot is told."""
    players: tuple[Player, ...]
    bot_seed: int = 0
    """Changes the bots' own seeds, and not the deal."""
    strikes: int = 3
    ask_forced: bool = False
    sandbox: str = "none"
    """The tier."""
    layers: tuple[str, ...] = ()
    """What held the bots back, as their own processes reported it."""
    policy: str = ""
    """The digest of their limits."""
    arena: str = ""
    format: int = FORMAT


@dataclass(slots=True)  # not frozen: one is made for each decision, and freezing it costs 1.5 µs
class Decision:
    """One seat's part in a step."""

    seat: int
    action: str
    status: Status = Status.ACCEPTED
    used_us: int = 0
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

    kind: str
    seat: int | None
    decision: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Account:
    """What a bot's process left behind in the match."""

    cpu_us: int = 0
    stderr: str = ""
    stderr_bytes: int = 0
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
    delay_us: int = 0
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
        steps = [replace(s, decisions=tuple(replace(d, used_us=0) for d in s.decisions)) for s in self.steps]
        accounts = tuple(replace(a, cpu_us=0) for a in self.verdict.accounts)
        return replace(self, steps=steps, verdict=replace(self.verdict, accounts=accounts, delay_us=0))

    def to_bytes(self) -> bytes:
        """The file."""
        lines = [_dump(self.header), *(_dump(step) for step in self.steps), _dump(self.verdict), b""]
        return _pack(_signed(b"\n".join(lines)))

    def save(self, path: Path) -> "MatchRecord":
        """Write it, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(self.to_bytes())
                file.flush()
                os.fsync(file.fileno())
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
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


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


Line = Header | Step | Verdict
_ADAPTERS: Mapping[type[Line], TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (Header, Step, Verdict)}


def _dump(line: Line) -> bytes:
    # The header is written in full: its format has to be there, and a default may change one day.
    return _ADAPTERS[type(line)].dump_json(line, exclude_defaults=not isinstance(line, Header))


def _signed(body: bytes) -> bytes:
    return body + b'{"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


# Reading


def load(path: Path) -> MatchRecord:
    """The record in a file. RecordError says why it is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from None
    try:
        return replace(from_bytes(data), path=path)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


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
    return MatchRecord(header, steps, _parse(Verdict, len(lines), lines[-1]))


def _format(line: bytes) -> int:
    try:
        return int(json.loads(line)["format"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise RecordError("line 1: not the header of a record") from None


L = TypeVar("L", Header, Step, Verdict)


def _parse(kind: type[L], number: int, line: bytes) -> L:
    try:
        parsed: L = _ADAPTERS[kind].validate_json(line)
        return parsed
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        raise RecordError(f"line {number}: not a {kind.__name__.lower()}: {where}: {first['msg']}") from None


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
