"""`arena play`: one match between bots."""

import json
import os
import shlex
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.building import LIMIT_S, BuildLimit, BuildOption, build_all
from arena.cli.film import last_words
from arena.cli.parameters import (
    AsJson,
    AskForced,
    Bank,
    Bots,
    GameOption,
    Increment,
    Output,
    Prepare,
    RuleOption,
    Sandbox,
    SeedOption,
)
from arena.cli.terminal import by_name, outcome_table, painter, read_options, table, takes_escapes, wrapped
from arena.match import record_file
from arena.match.record_file import save
from arena.texts import counted, one_line, safe

if TYPE_CHECKING:
    from arena.match.play import MatchSetup
    from arena.match.record import MatchRecord
    from arena.match.referee import Referee


GUESSED = 2**64
"""Seeds below this can be found by trying."""


def play(
    bots: Bots,
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seed: SeedOption = None,
    output: Output = None,
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    prepare_ms: Prepare = 10_000,
    charge: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Which time counts: wall, or cpu, that of a bot's own process without those it starts."
        ),
    ] = "wall",
    strikes: Annotated[int, typer.Option(metavar="COUNT", min=1, help="So many bad answers disqualify.")] = 3,
    ask_forced: AskForced = False,
    bot_seed: Annotated[int, typer.Option(metavar="NUMBER", help="What the bots' own seeds come from.")] = 0,
    affinity: Annotated[
        str | None, typer.Option(metavar="CORES", help="Cores of referee and bots: 2, or 0,2, or 0-3.")
    ] = None,
    build: BuildOption = None,
    build_limit: BuildLimit = LIMIT_S,
    sandbox: Sandbox = "auto",
    as_json: AsJson = False,
) -> None:
    """Play one match between bots, and record it.

    One BOT for each seat. A folder is a bot if it holds a bot.toml, such as:

    \b
        name = "mine"
        command = ["python3", "mine.py"]

    Exit code 3 means that a bot was disqualified, 1 that the match is void.
    """
    from arena.match import play as matches
    from arena.match.clock import TimeControl
    from engine.catalogue import game as find_game

    if charge not in ("wall", "cpu"):
        raise typer.BadParameter(f"--charge {charge}: wall or cpu")
    options = read_options(find_game(game).options(), option or [])
    cpus = _cores(affinity)
    entries = matches.find_all(bots)
    if build_all(entries, build, build_limit):
        entries = matches.find_all(bots)
    clock = TimeControl(prepare_ms, prepare_ms, bank_ms, increment_ms, charge)
    clocks = [clock] * len(entries)
    setup = matches.MatchSetup(entries, game, options, seed, clocks, strikes, ask_forced, bot_seed, sandbox, cpus)
    record, end = play_and_save(setup, output)
    if as_json:
        typer.echo(json.dumps(_plain(record), indent=2))
    else:
        show(record, end)
        say_where(record)
    say_who_is_open(record, sandbox)
    raise typer.Exit(exit_code(record))


def play_and_save(setup: "MatchSetup", output: Path | None) -> "tuple[MatchRecord, Any]":
    """Play with live progress on a terminal, and write the record. The record, and the last state."""
    from arena import running
    from arena.match import play as matches

    check_place(output)
    progress = Progress()
    try:
        match = running.run(lambda: matches.play(setup, watcher=progress.show))
    finally:
        progress.clear()
    return keep(match.record(), output), match.state


def check_place(output: Path | None) -> None:
    """Make the folder for a record, and say before the match, not after it, that no record can be written there."""
    path = output or Path("new.match.jsonl.gz")
    try:
        if output is not None and (path.is_symlink() or (path.exists() and not path.is_file())):
            kind = "a directory" if path.is_dir() else "no ordinary file"
            raise typer.BadParameter(f"{path}: this is {kind}, and no record can replace it")
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        where = path if output else "this directory"
        raise typer.BadParameter(f"{where}: no record can be written there: {error.strerror}") from None


def keep(record: "MatchRecord", output: Path | None) -> "MatchRecord":
    """Write the record where it was asked for, or here under a name of its own."""

    if output is not None:
        return _saved(record, output)
    path = record_file.fresh_path(Path(), record.header)
    try:
        return _saved(record, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _saved(record: "MatchRecord", path: Path) -> "MatchRecord":
    """Whatever is the matter, it is told of the name that was asked for."""
    try:
        return save(record, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


class Progress:
    """One line on a terminal's stderr that says how far a match is; nothing elsewhere."""

    def __init__(self) -> None:
        self._is_shown = takes_escapes(sys.stderr)
        self._next = time.monotonic()

    def show(self, referee: "Referee") -> None:
        if self._is_shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            view = referee.game.view(referee.state, None)
            where = [f"{key} {view[key]}" for key in ("round", "turn") if view.get(key)]
            text = f"{counted(len(referee.steps), 'step')}, {' '.join([*where, view['phase']])}"
            typer.echo(f"\r\x1b[K{text}", nl=False, err=True)

    def clear(self) -> None:
        if self._is_shown:
            typer.echo("\r\x1b[K", nl=False, err=True)


def _cores(text: str | None) -> Sequence[int]:
    """0,2-3 -> 0, 2, 3. The referee takes them too."""
    if text is None:
        return ()
    usable = os.sched_getaffinity(0)
    try:
        ends = [part.partition("-")[::2] for part in text.split(",")]
        parts = [range(int(low), int(high or low) + 1) for low, high in ends]
        # The ends come first, for a range can be longer than any memory.
        if not all(part and {part[0], part[-1]} <= usable and set(part) <= usable for part in parts):
            raise ValueError("no such cores")
        cores = sorted({core for part in parts for core in part})
        os.sched_setaffinity(0, cores)
    except (ValueError, OSError):
        listed = ",".join(map(str, sorted(usable)))
        raise typer.BadParameter(f"--affinity {text}: not a list of cores; this machine has {listed}") from None
    return cores


# What is shown


def show(record: "MatchRecord", end: Any, you: int | None = None) -> None:
    """The boards at the end, the scores, the times and the faults on stdout.

    For `you`, who played, the boards have the players' names, and faults that you know of are left out.
    """
    from engine.catalogue import game as find_game

    header, verdict = record.header, record.verdict
    game = find_game(header.game)
    tally = game.tally(end)
    drawing = game.draw(game.view(end, None), tally, painter())
    typer.echo(drawing if you is None else _by_name(record, drawing, you))
    typer.echo()
    typer.echo(outcome_table(tally, [player.name for player in header.players]))
    typer.echo()
    typer.echo(standings(record))
    for fault in (fault for fault in verdict.faults if you is None or fault.seat != you):
        who = "arena" if fault.seat is None else f"{one_line(header.players[fault.seat].name)} (seat {fault.seat})"
        at = "" if fault.decision is None else f", decision {fault.decision}"
        typer.echo(f"\n{who}{at}: {fault.kind}: {safe(fault.text)}")
    for line in last_words(record, you):
        typer.echo(line)
    if verdict.void:
        typer.echo(f"\nThis match is void: {safe(verdict.void)}", err=True)


def say_who_is_open(record: "MatchRecord", sandbox: str, you: int | None = None) -> None:
    """Who had no sandbox although nobody asked for that, on stderr; `you` need none."""
    players = [player for seat, player in enumerate(record.header.players) if seat != you]
    say_open([player.name for player in players if player.sandbox == "none"], sandbox)


def say_open(names: Sequence[str], sandbox: str) -> None:
    """That these had no sandbox, on stderr, unless it was asked for."""
    from arena.match.tiers import said_of

    if sandbox == "auto" and names:
        typer.echo(wrapped(f"arena: {said_of(list(map(one_line, names)))}"), err=True)


def _by_name(record: "MatchRecord", drawing: str, you: int) -> str:
    names = ["YOU" if seat == you else one_line(player.name) for seat, player in enumerate(record.header.players)]
    blocks = [by_name(block.split("\n"), names.__getitem__) for block in drawing.split("\n\n")]
    return "\n\n".join("\n".join(lines) for lines in blocks)


def say_where(record: "MatchRecord") -> None:
    """Where the record is and how to see it again, on stderr."""
    path, seed = shlex.quote(str(record.path)), record.header.seed
    shown = f"seed {seed} (bots can find one as small as this)" if abs(seed) < GUESSED else f"seed {seed}"
    typer.echo(f"\n{shown}, recorded in {path}\nSee it again:  arena replay {path}", err=True)


def standings(record: "MatchRecord") -> str:
    """Who came where, and what it took."""
    verdict, rows = record.verdict, []
    for seat, player in enumerate(record.header.players):
        used = sorted(d.used_us for _, _, d in record.decisions() if d.seat == seat and d.status.is_timed)
        times = [_ms(used[min(len(used) - 1, int(len(used) * part))]) if used else "" for part in (0.5, 0.99, 1.0)]
        cpu = _ms(verdict.accounts[seat].cpu_us) if verdict.accounts else ""
        rows.append([str(verdict.ranks[seat]), one_line(player.name), str(seat), str(verdict.scores[seat])])
        rows[-1] += [str(len(used)), *times, cpu]
    rows.sort(key=lambda row: (int(row[0]), int(row[2])))
    return table(rows, ["rank", "bot", "seat", "score", "asked", "p50 ms", "p99 ms", "max ms", "CPU ms"])


def _ms(us: int) -> str:
    return f"{us / 1000:.2f}"


def _plain(record: "MatchRecord") -> dict[str, Any]:
    header, verdict = record.header, record.verdict
    return {
        "game": header.game,
        "options": dict(header.options),
        "seed": header.seed,
        "players": [player.name for player in header.players],
        "scores": verdict.scores,
        "ranks": verdict.ranks,
        "breakdown": [dict(part) for part in verdict.breakdown],
        "faults": [asdict(fault) for fault in verdict.faults],
        "void": verdict.void,
        "record": str(record.path),
    }


def exit_code(record: "MatchRecord", seats: Collection[int] | None = None) -> int:
    """0 if all is well, 1 for a void match, 3 if a bot was disqualified: any, or one of these seats."""
    from arena.cli import Exit
    from arena.replay.moments import disqualified

    if record.verdict.void:
        return Exit.FAILURE
    out = set(disqualified(record))
    return Exit.BOT if (out if seats is None else out.intersection(seats)) else Exit.OK
