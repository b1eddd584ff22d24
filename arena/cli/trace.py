"""`arena trace`: one match of a bot, with every message in both directions as it happens."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from arena.cli.options import read_options
from arena.cli.output import check_place, keep
from arena.cli.paragraphs import LAST_LINES
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
from arena.cli.result import exit_code, say_who_is_open
from arena.texts import counted, safe
from arena.words.lines import WIDTH

if TYPE_CHECKING:
    from arena.match.bot import Bot
    from arena.match.record import Account, FaultNote, MatchRecord
    from protocol.codec import Codec
    from protocol.framing import Reader
    from protocol.messages import Message

ARROWS = {">": "→", "<": "←"}
EXPLAINED = ("broken", "refused", "stale")
"""Titles of lines that explain a problem, and are never cut."""
NARROWEST = 40


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
    full: Annotated[bool, typer.Option("--full", help="Do not cut long lines.")] = False,
    as_hex: Annotated[bool, typer.Option("--hex", help="Also show the bytes.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", parser=file_path, help="File for the record. Default: no record."
        ),
    ] = None,
) -> None:
    """Play one match of a bot, and show every message.

    The messages in both directions go to stderr as they come, decoded, together with the bot's own stderr. Stdout gets
    one line at the end. Exit code 3 means that the bot was disqualified.
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
    shown = range(seats) if everybody else [seat]
    tracer = Tracer({id(entries[i]): i for i in shown}, None if full else _width(), as_hex)
    _say("Milliseconds since the start; → arena to bot, ← bot to arena, ! its stderr\n")
    record = running.run(lambda: matches.play(setup, listener=tracer.hear)).record()
    if output is not None:
        record = keep(record, output)
    for i in shown:
        tracer.final_stderr(i, record.verdict.accounts[i])
        _judge(record, i)
    say_who_is_open(record, sandbox)
    typer.echo(_summary(record, seat))
    raise typer.Exit(exit_code(record, [seat]))


class Tracer:
    """Prints what it hears. A Listener of arena.match.bot."""

    def __init__(self, seats: Mapping[int, int], width: int | None, as_hex: bool) -> None:
        from arena.match.clock import now

        self._seats = seats
        self._width = width
        self._as_hex = as_hex
        self._now = now
        self._began = now()
        self._stderr: dict[int, int] = {}
        """How many lines of each bot's stderr are already shown."""
        self._taps: dict[int, Tapped] = {}

    def hear(self, bot: "Bot", direction: str, item: object) -> None:
        if id(bot.entry) not in self._seats:
            return
        seat = self._seats[id(bot.entry)]
        self._overhear(seat, bot.stderr.text())
        title, text = described(item, bot)
        lead = f"{(self._now() - self._began) * 1000:9.1f} "
        lead += f"{seat} " if len(self._seats) > 1 else ""
        line = f"{lead}{ARROWS[direction]} {title:<8}{safe(text)}".rstrip()
        _say(line if title in EXPLAINED else self._cut(line))
        if self._as_hex:
            _say(self._cut(f"{'':9} {self._bytes(seat, bot, direction, item).hex(' ')}"))

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

    def final_stderr(self, seat: int, account: "Account") -> None:
        """The last lines of its stderr that are not shown yet."""
        is_cut = account.stderr_bytes > len(account.stderr.encode())
        lines = account.stderr.splitlines()[0 if is_cut else self._stderr.get(seat, 0) :]
        self._quote(lines[-LAST_LINES:])

    def _overhear(self, seat: int, stderr: str) -> None:
        """The new lines of its stderr that are complete."""
        lines = stderr[: stderr.rfind("\n") + 1].splitlines()
        self._quote(lines[self._stderr.get(seat, 0) :])
        self._stderr[seat] = max(len(lines), self._stderr.get(seat, 0))

    def _quote(self, lines: Sequence[str]) -> None:
        for line in lines:
            _say(f"{'':9} ! {safe(line)}")

    def _cut(self, line: str) -> str:
        if self._width is None or len(line) <= self._width:
            return line
        return f"{line[: self._width - 4]} ..."


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


def described(item: object, bot: "Bot") -> tuple[str, str]:
    """A message: its type and contents, or what is wrong with it."""
    from protocol.errors import RemoteProtocolError
    from protocol.messages import to_wire
    from protocol.session import Refused, Stale

    if isinstance(item, bytes):
        try:
            bot.session.receive_end()
        except RemoteProtocolError as error:
            return "broken", f"{error.kind}, {error}"
        return "broken", repr(item)
    if isinstance(item, Refused):
        return "refused", f"{item.kind}, {item.text}"
    if isinstance(item, Stale):
        return "stale", f"{_json(to_wire(item.move))} came after its question was answered or withdrawn; it is ignored"
    wire = to_wire(cast("Message", item))
    return wire["type"], _json(wire)


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
    _say(f"\n{_name(record, seat)}: {'this went wrong' if faults else 'nothing went wrong'}")
    for fault in faults:
        policy = POLICY[FaultKind(fault.kind)]
        _say(f"  {_where(fault)}{fault.kind} ({policy.consequence}): {safe(fault.text)}")
        _say(f"    fix: {policy.way_out}")


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
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(2).columns
    except (OSError, ValueError):
        columns = WIDTH
    return max(columns or WIDTH, NARROWEST)


def _say(text: str) -> None:
    typer.echo(text, err=True)
