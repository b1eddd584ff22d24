"""The record of a match: JSON lines, compressed, checked, complete enough to play it again.

Theory of operation. A record is a header, one line a step, a verdict, and a checksum of the lines before it. A step is
one action of chance or the decisions of all seats that act, with a digest of the state that it leads to. The lines are
a gzip file, which arena.packing reads and writes. It is written under another name and then renamed, so that it is
there whole or not at all.

Records come from strangers, too. So a file is read line by line, each is held against the limits below before anything
is built from it, and the first that does not fit ends the reading: these limits bound what a file costs, whatever it
claims.
"""

import html
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, FailFast, Field, TypeAdapter, ValidationError

from arena import files
from arena.clock import TimeControl
from arena.errors import FileError, RecordError, SettingError
from arena.packing import lines_of, pack, signed
from arena.texts import SENTENCE, SHOWN, counted, cut, flat, one_line
from engine.game import Value

FORMAT = 2
"""In format 1 the seeds that bots receive followed from the deal's; since then they follow from `bot_seed` alone. And
`sandbox` and `layers` stood in the header, for all players at once."""
MOST_STEPS = 100_000
MOST_DECISIONS = 200_000
"""In all steps; the longest matches so far have less than 1,000 of each."""
MOST_PLAYERS = 64
MOST_STRIKES = 1000
MOST_FAULTS = 100_000
"""More than all strikes of all players."""
MOST_ENTRIES = 1000
"""Options of a game, or zones that a player got points for."""
MOST_TEXT = 1 << 16
"""Characters of an action, an answer, a reason, a note, or the text of a fault."""
MOST_STDERR = 1 << 19
"""Characters that are left of what a bot wrote to stderr: 64 KiB, and bytes that are no text are spelled out."""
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


def _few(value: Any) -> Any:
    if isinstance(value, Mapping) and len(value) > MOST_ENTRIES:
        raise ValueError(f"it has {len(value)} entries, and {MOST_ENTRIES} are the most")
    return value


# What a reader insists on. These are plain dataclasses, so a match that is being played pays nothing for it.
Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_printable)]
Word = Annotated[str, Field(max_length=256)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]
Output = Annotated[str, Field(max_length=MOST_STDERR)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Seed = Annotated[int, Field(gt=-MOST_SEED, lt=MOST_SEED)]
Micros = Annotated[int, Field(ge=0, le=MOST_US)]
Count = Annotated[int, Field(ge=1, le=2**53)]
Whole = Annotated[int, Field(ge=0, le=2**53)]
Points = Annotated[int, Field(ge=-(2**53), le=2**53)]
# The first mistake ends the reading of a list or map: to collect all of them takes a thousand times their size.
Each = (FailFast(), Field(max_length=MOST_PLAYERS))
"""What holds for a list with an entry for each player."""
Few = BeforeValidator(_few)


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
    sandbox: Word = "none"
    """The tier."""
    layers: Annotated[tuple[Word, ...], *Each] = ()
    """What held the bot back, as its own process reported it."""


@dataclass(frozen=True, slots=True)
class Header:
    """All that was settled before the match."""

    match: Word
    game: Word
    edition: Count
    options: Annotated[Mapping[str, Value], Few]
    """Those that differ from their defaults."""
    seed: Seed
    """Of dice and deals. No bot receives it."""
    players: Annotated[tuple[Player, ...], *Each]
    bot_seed: Seed = 0
    """What the seeds follow from that the bots receive; nothing of the deal follows from it."""
    strikes: Count = 3
    ask_forced: bool = False
    policy: Word = ""
    """The digest of the bots' limits."""
    arena: Word = ""
    format: Count = FORMAT


@dataclass(slots=True)  # not frozen: one is made for each decision, and freezing it costs 1.5 µs
class Decision:
    """One seat's part in a step."""

    seat: Whole
    action: Text
    status: Status = Status.ACCEPTED
    used_us: Micros = 0
    answer: Text | None = None
    """What the bot said, if that was not played."""
    reason: Text | None = None
    note: Text | None = None


@dataclass(slots=True)
class Step:
    """One action of chance, or the decisions of all seats that acted, and the digest of the state after it."""

    state: Digest
    chance: Text | None = None
    decisions: Annotated[tuple[Decision, ...], *Each] = ()

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
    text: Text


@dataclass(frozen=True, slots=True)
class Account:
    """What a bot's process left behind in the match."""

    cpu_us: Micros = 0
    stderr: Output = ""
    stderr_bytes: Whole = 0
    exit: Text | None = None
    """How the process ended, if it did during the match."""
    last_told: Mapping[str, Any] | None = None
    """The last message that it got before the end, if it had any fault."""
    peak_kb: Whole = 0
    """The most memory that it has had since it was started, if its control group has counted it."""
    spared_us: Micros = 0
    """What it would have been late by, had others not kept it from the cores; not charged."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the match ended. A void one counts for nothing, and `void` says why."""

    scores: Annotated[tuple[Points, ...], *Each]
    ranks: Annotated[tuple[Count, ...], *Each]
    breakdown: Annotated[tuple[Annotated[Mapping[str, Points], Few], ...], *Each]
    faults: Annotated[tuple[FaultNote, ...], FailFast(), Field(max_length=MOST_FAULTS)] = ()
    void: Text | None = None
    accounts: Annotated[tuple[Account, ...], *Each] = ()
    delay_us: Micros = 0
    """The longest that the referee itself was late in looking at an answer."""
    suspects: Annotated[tuple[Whole, ...], *Each] = ()
    """The seats that used far more than their share of the cores, if the match is void for want of them."""


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
            accounts=tuple(map(_timeless_account, verdict.accounts)),
            delay_us=0,
            suspects=(),
        )
        return replace(self, steps=steps, verdict=timeless)

    def to_bytes(self) -> bytes:
        """The file."""
        _check_count(len(self.steps), sum(len(step.decisions) for step in self.steps))
        lines = [_dump(self.header), *(_dump(step) for step in self.steps), _dump(self.verdict), b""]
        return pack(signed(b"\n".join(lines)))

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
            f"<td>{html.escape(flat(self.header.players[seat].name))}</td><td>{self.verdict.scores[seat]}</td></tr>"
            for seat in order
        )
        notes = "".join(f"<li>{html.escape(flat(f'{f.kind}: {f.text}'))}</li>" for f in self.verdict.faults)
        title = html.escape(flat(f"{self.header.game}, seed {self.header.seed}, {counted(len(self.steps), 'step')}"))
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


def _timeless_account(account: Account) -> Account:
    return replace(account, cpu_us=0, peak_kb=0, spared_us=0, last_told=_timeless_told(account.last_told))


def _timeless_told(told: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A `decide` without what is left in the bank, and without how long the decision before it took."""
    if told is None or told.get("type") != "decide":
        return told
    last, clock = told.get("last"), told.get("clock")
    if isinstance(last, Mapping):
        reason = last.get("reason")
        if isinstance(reason, str) and str(last.get("status")) in _TIMED:
            reason = _without_numbers(reason)
        last = {**last, "used_ms": 0, "reason": reason}
    return {**told, "clock": {**clock, "bank_ms": 0} if isinstance(clock, Mapping) else clock, "last": last}


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
_ADAPTERS: Mapping[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (Header, Step, Verdict)}


def _dump(line: Line) -> bytes:
    # The header is written in full: its format has to be there, and a default may change one day.
    return _ADAPTERS[type(line)].serializer.to_json(line, exclude_defaults=not isinstance(line, Header))


# Reading


def load(path: Path) -> MatchRecord:
    """The record in a file. RecordError says why it is none."""
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
    """The record that these bytes are."""
    lines = lines_of(data)
    first, line = next(lines, None), next(lines, None)
    if first is None or line is None:
        raise RecordError("a header and a verdict are the least that a record has")
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
    if given > FORMAT:
        raise RecordError(f"format {given} is newer than this arena, which reads up to {FORMAT}. Use a newer arena.")
    header = _parse(Header, 1, line)
    walls = _parse(_Walls, 1, line) if given == 1 else _Walls()
    if walls.sandbox is None:
        return header
    players = (replace(player, sandbox=walls.sandbox, layers=walls.layers) for player in header.players)
    return replace(header, players=tuple(players))


@dataclass(frozen=True, slots=True)
class _Walls:
    """What a header of format 1 may say of all players at once."""

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
    """RecordError if the parts of a record do not fit each other; whether it is true is another question."""
    seats = len(record.header.players)
    for number, step in enumerate(record.steps, 2):
        _check_step(number, step, seats)
    _check_verdict(len(record.steps) + 2, record.verdict, seats, sum(len(step.decisions) for step in record.steps))


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
    """`decided` decisions were made, and each seat's may still have been open when the match was called off."""
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
