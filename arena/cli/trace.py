"""`arena trace`: one match of a bot, with every message in both directions as it happens."""

import json
import os
from collections.abc import Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, cast

import typer

from arena.cli.options import read_options
from arena.cli.output import check_place, keep
from arena.cli.parameters import (
    MEMORY_MB,
    THREADS,
    AskForced,
    Bank,
    GameOption,
    Increment,
    Memory,
    Prepare,
    RuleOption,
    Sandbox,
    SeedOption,
    Threads,
    file_path,
)
from arena.cli.play import plain_result
from arena.cli.result import exit_code, say_who_is_open
from arena.texts import counted, safe
from arena.words.lines import WIDTH

if TYPE_CHECKING:
    from arena.match.bot import Bot
    from arena.match.record import FaultNote, MatchRecord
    from protocol.contract import Codec, Reader
    from protocol.messages import Message

ARROWS = {">": "→", "<": "←"}
EXPLAINED = ("broken", "refused", "stale")
"""Titles of lines that explain a problem, and are never cut."""
TYPES = ("hello", "welcome", "start", "ready", "decide", "move", "end", "bye", "stderr")
"""What can be shown. What a bot wrote instead of a move is shown with the moves."""
LONGEST = 1 << 16
"""Bytes of a line of stderr that are shown."""
NARROWEST = 40
SAFE = 2**53
"""Whole numbers above this are not exact in many languages."""


def _types(words: list[str] | None) -> list[str] | None:
    for word in words or []:
        if word not in TYPES:
            raise typer.BadParameter(f"{word}: expected one of {', '.join(TYPES)}")
    return words


def trace(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A folder with bot.toml, a built-in name, or a command line.")
    ],
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seed: SeedOption = None,
    seats: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="Number of players.")] = 2,
    seat: Annotated[int, typer.Option(metavar="SEAT", min=0, help="The seat of BOT.")] = 0,
    opponent: Annotated[str, typer.Option(metavar="BOT", help="The bot in all other seats.")] = "random",
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    prepare_ms: Prepare = 10_000,
    ask_forced: AskForced = False,
    sandbox: Sandbox = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    everybody: Annotated[bool, typer.Option("--all", help="Show the messages of all bots.")] = False,
    show: Annotated[
        list[int] | None,
        typer.Option(metavar="SEAT", min=0, help="Show the messages of this seat instead. Can be repeated."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE", help=f"Show only these: {', '.join(TYPES)}. Can be repeated.", callback=_types),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Do not cut long lines.")] = False,
    as_hex: Annotated[bool, typer.Option("--hex", help="Also show the bytes.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", parser=file_path, help="File for the record. Default: no record."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line per message.")] = False,
) -> None:
    """Play one match of a bot, and show every message.

    Prints the messages in both directions as they come, decoded, between them what the bot writes to stderr, and at the
    end what went wrong and how to fix it. Exit code 3 means that the bot was disqualified.
    """
    from arena import running
    from arena.match import play as matches
    from arena.match.clock import TimeControl
    from arena.sandbox.policy import Policy
    from engine.catalogue import game as find_game

    if seat >= seats:
        raise typer.BadParameter(f"--seat {seat}: with {counted(seats, 'player')} the seats are 0 to {seats - 1}")
    played = find_game(game)
    options = read_options(played.options(), option or [])
    played.start(seats, options)  # SetupError, before any bot is looked up
    if output is not None:
        check_place(output)
    entries = matches.find_all([bot if i == seat else opponent for i in range(seats)])
    other = next((entry for i, entry in enumerate(entries) if i != seat), entries[seat])
    if not other.plays(game):
        raise typer.BadParameter(f"--opponent {opponent}: it does not play {game}. Name one that does.")
    clock = TimeControl(prepare_ms, prepare_ms, bank_ms, increment_ms)
    setup = matches.MatchSetup(
        entries,
        game,
        options,
        seed,
        [clock] * seats,
        ask_forced=ask_forced,
        sandbox=sandbox,
        policy=Policy(memory_mb, threads=threads),
    )
    shown = range(seats) if everybody else sorted({*(show or [seat])})
    if shown[-1] >= seats:
        raise typer.BadParameter(f"--show {shown[-1]}: with {counted(seats, 'player')} the seats are 0 to {seats - 1}")
    writer = JsonLines() if as_json else TextLines(len(shown) > 1, None if full else _width(), as_hex)
    tracer = Tracer({id(entries[i]): i for i in shown}, {*(only or TYPES)}, writer)
    if not as_json:
        typer.echo("Milliseconds since the start; → arena to bot, ← bot to arena, ! its stderr\n")
    record = running.run(lambda: matches.play(setup, listener=tracer.hear)).record()
    tracer.finish()
    if output is not None:
        record = keep(record, output)
    if as_json:
        _say_json({"type": "result", **plain_result(record)})
    else:
        for i in shown:
            _judge(record, i)
        typer.echo(_summary(record, seat))
    say_who_is_open(record, sandbox)
    raise typer.Exit(exit_code(record, [seat]))


class Writer(Protocol):
    """How a line of a trace is printed."""

    as_hex: bool

    def message(self, at_ms: float, seat: int, direction: str, said: "Described", data: bytes) -> None:
        """A message, with its bytes if they are wanted."""

    def stderr(self, at_ms: float, seat: int, line: str) -> None:
        """A line that a bot wrote to stderr."""


class Tracer:
    """Passes on what it hears, with the time. A Listener of arena.match.bot."""

    def __init__(self, seats: Mapping[int, int], types: Container[str], writer: Writer) -> None:
        from arena.match.clock import now

        self._seats = seats
        self._types = types
        self._writer = writer
        self._now = now
        self._began = now()
        self._unfinished: dict[int, bytes] = {}
        """The beginning of a line of each bot's stderr."""
        self._taps: dict[int, Tapped] = {}

    def hear(self, bot: "Bot", direction: str, item: object) -> None:
        if id(bot.entry) not in self._seats:
            return
        seat = self._seats[id(bot.entry)]
        if direction == "!":
            self._overhear(seat, cast("bytes", item))
            return
        data = self._bytes(seat, bot, direction, item) if self._writer.as_hex else b""
        said = described(item, bot)
        if said.type in self._types or (said.type in EXPLAINED and "move" in self._types):
            self._writer.message(self._ms, seat, direction, said, data)

    @property
    def _ms(self) -> float:
        return (self._now() - self._began) * 1000

    def _overhear(self, seat: int, data: bytes) -> None:
        *lines, rest = (self._unfinished.get(seat, b"") + data).split(b"\n")
        self._unfinished[seat] = rest[-LONGEST:]
        for line in lines:
            self._quote(seat, line)

    def _quote(self, seat: int, line: bytes) -> None:
        if "stderr" in self._types:
            self._writer.stderr(self._ms, seat, line[:LONGEST].decode(errors="replace"))

    def finish(self) -> None:
        """Pass on lines of stderr without an end."""
        for seat, rest in self._unfinished.items():
            if rest:
                self._quote(seat, rest)

    def _bytes(self, seat: int, bot: "Bot", direction: str, item: object) -> bytes:
        """The bytes of a message: those that broke the stream, those to send, or those that came."""
        from protocol.messages import to_wire

        if isinstance(item, bytes):
            return item
        codec = bot.session.codec
        assert codec is not None, "it is chosen by the bot's first byte"
        if seat not in self._taps:  # this is the hello, which came before the tap; its bytes are as we would write them
            bot.session.codec = self._taps[seat] = Tapped(codec)
            direction = ">"
        return codec.encode(to_wire(cast("Message", item))) if direction == ">" else self._taps[seat].payload


class TextLines:
    """A trace for people."""

    def __init__(self, is_several: bool, width: int | None, as_hex: bool) -> None:
        self.as_hex = as_hex
        self._is_several = is_several
        self._width = width

    def message(self, at_ms: float, seat: int, direction: str, said: "Described", data: bytes) -> None:
        line = f"{self._lead(at_ms, seat)}{ARROWS[direction]} {said.type:<8}{safe(said.text)}".rstrip()
        typer.echo(line if said.type in EXPLAINED else self._cut(line))
        if self.as_hex:
            typer.echo(self._cut(f"{'':9} {data.hex(' ')}"))

    def stderr(self, at_ms: float, seat: int, line: str) -> None:
        typer.echo(f"{self._lead(at_ms, seat)}! {safe(line)}")

    def _lead(self, at_ms: float, seat: int) -> str:
        return f"{at_ms:9.1f} " + (f"{seat} " if self._is_several else "")

    def _cut(self, line: str) -> str:
        if self._width is None or len(line) <= self._width:
            return line
        return f"{line[: self._width - 4]} ..."


class JsonLines:
    """A trace for programs: an object per line, with `ms`, `seat`, `from` (arena, bot or stderr) and what came."""

    as_hex = False

    def message(self, at_ms: float, seat: int, direction: str, said: "Described", _data: bytes) -> None:
        sender = "arena" if direction == ">" else "bot"
        what = {"message": exact(said.wire)} if said.wire is not None else {"text": said.text}
        _say_json({"ms": round(at_ms, 3), "seat": seat, "from": sender, "type": said.type, **what})

    def stderr(self, at_ms: float, seat: int, line: str) -> None:
        _say_json({"ms": round(at_ms, 3), "seat": seat, "from": "stderr", "type": "stderr", "text": line})


def exact(value: Any) -> Any:
    """A value with texts for whole numbers that many languages would round, such as the seed of a bot."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > SAFE else value


def _say_json(value: dict[str, Any]) -> None:
    typer.echo(json.dumps(value))


class Tapped:
    """A codec that remembers the payload it decoded last. A Codec of protocol.codec."""

    def __init__(self, codec: "Codec") -> None:
        self._codec = codec
        self.name = codec.name
        self.opening = codec.opening
        self.payload = b""

    def reader(self) -> "Reader":
        return self._codec.reader()

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, payload: bytes) -> Any:
        self.payload = payload
        return self._codec.decode(payload)


class Described(NamedTuple):
    """A message for people: its type and contents, or what is wrong with it; and as on the wire, if it is one."""

    type: str
    text: str
    wire: dict[str, Any] | None = None


def described(item: object, bot: "Bot") -> Described:
    """What a listener heard."""
    from protocol.errors import RemoteProtocolError
    from protocol.messages import to_wire
    from protocol.session import Refused, Stale

    if isinstance(item, bytes):
        try:
            bot.session.receive_end()
        except RemoteProtocolError as error:
            return Described("broken", f"{error.kind}, {error}")
        return Described("broken", repr(item))
    if isinstance(item, Refused):
        return Described("refused", f"{item.kind}, {item.text}")
    if isinstance(item, Stale):
        text = f"{_json(to_wire(item.move))} came after its question was answered or withdrawn; it is ignored"
        return Described("stale", text, to_wire(item.move))
    wire = to_wire(cast("Message", item))
    return Described(wire["type"], _json(wire), wire)


def _json(wire: dict[str, Any]) -> str:
    """A message without its type. The view comes last, because it is the longest."""
    fields = sorted(
        ((key, value) for key, value in wire.items() if key != "type"), key=lambda field: field[0] == "view"
    )
    return json.dumps(dict(fields), ensure_ascii=False, separators=(",", ":")) if fields else ""


# The verdict


def _judge(record: "MatchRecord", seat: int) -> None:
    """Print what went wrong with a seat, the consequence, and what its author can do."""
    from arena.match.faults import POLICY, FaultKind

    faults = [fault for fault in record.verdict.faults if fault.seat in (None, seat)]
    typer.echo(f"\n{_name(record, seat)}: {'this went wrong' if faults else 'nothing went wrong'}")
    for fault in faults:
        policy = POLICY[FaultKind(fault.kind)]
        typer.echo(f"  {_where(fault)}{fault.kind} ({policy.consequence}): {safe(fault.text)}")
        typer.echo(f"    fix: {policy.way_out}")


def _where(fault: "FaultNote") -> str:
    return "" if fault.decision is None else f"decision {fault.decision}: "


def _summary(record: "MatchRecord", seat: int) -> str:
    from arena.replay.moments import disqualified

    verdict = record.verdict
    strikes = sum(fault.seat == seat and fault.kind in ("late", "illegal", "malformed") for fault in verdict.faults)
    ends = [fault.kind for fault in verdict.faults if fault.seat == seat]
    how = counted(strikes, "strike") if strikes else "no faults"
    if seat in disqualified(record):
        how = f"disqualified ({ends[-1]})"
    if verdict.void:
        how = f"void ({safe(verdict.void)})"
    place = f"{counted(verdict.scores[seat], 'point')}, rank {verdict.ranks[seat]} of {len(verdict.ranks)}"
    return f"{_name(record, seat)}: {how}, {place}, seed {record.header.seed}"


def _name(record: "MatchRecord", seat: int) -> str:
    return f"{safe(record.header.players[seat].name)} (seat {seat})"


def _width() -> int:
    """The columns of the terminal, or WIDTH."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(1).columns
    except (OSError, ValueError):
        columns = WIDTH
    return max(columns or WIDTH, NARROWEST)
