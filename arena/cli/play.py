"""`arena play`: one match between bots."""

import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from arena.cli.terminal import one_line, outcome_table, painter, read_options, safe, table

if TYPE_CHECKING:
    from arena.matches import Plan
    from arena.record import MatchRecord
    from arena.referee import Referee


def play(
    bots: Bots,
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seed: SeedOption = None,
    output: Output = None,
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    prepare_ms: Prepare = 10_000,
    charge: Annotated[str, typer.Option(metavar="TIME", help="Which time counts: wall or cpu.")] = "wall",
    strikes: Annotated[int, typer.Option(metavar="COUNT", min=1, help="So many bad answers disqualify.")] = 3,
    ask_forced: AskForced = False,
    bot_seed: Annotated[int, typer.Option(metavar="NUMBER", help="What the bots' own seeds come from.")] = 0,
    affinity: Annotated[
        str | None, typer.Option(metavar="CORES", help="Cores of referee and bots: 2, or 0,2, or 0-3.")
    ] = None,
    build: Annotated[bool, typer.Option("--build", help="Run the bots' build commands first.")] = False,
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
    from arena import matches
    from arena.clock import TimeControl
    from arena.roster import build as build_bot
    from engine.catalogue import game as find_game

    if charge not in ("wall", "cpu"):
        raise typer.BadParameter(f"--charge {charge}: wall or cpu")
    options = read_options(find_game(game).options(), option or [])
    cpus = _cores(affinity)
    entries = matches.find_all(bots)
    if build:
        for entry in entries:
            build_bot(entry)
        entries = matches.find_all(bots)
    clock = TimeControl(prepare_ms, prepare_ms, bank_ms, increment_ms, charge)
    clocks = [clock] * len(entries)
    plan = matches.Plan(entries, game, options, seed, clocks, strikes, ask_forced, bot_seed, sandbox, cpus)
    record = play_and_save(plan, output)
    if as_json:
        typer.echo(json.dumps(_plain(record), indent=2))
    else:
        show(record)
    raise typer.Exit(exit_code(record))


def play_and_save(plan: "Plan", output: Path | None) -> "MatchRecord":
    """Play with live progress on a terminal, and write the record."""
    from arena import matches

    progress = Progress()
    try:
        record = matches.run(lambda: matches.play(plan, watcher=progress.show))
    finally:
        progress.clear()
    return record.save(output or matches.fresh_path(Path(), record.header))


class Progress:
    """One line on a terminal's stderr that says how far a match is; nothing elsewhere."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._next = time.monotonic()

    def show(self, referee: "Referee") -> None:
        if self._is_shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            view = referee.game.view(referee.state, None)
            where = " ".join(f"{key} {view[key]}" for key in ("round", "turn") if key in view)
            typer.echo(f"\r\x1b[K{len(referee.steps)} steps, {where} {view['phase']}", nl=False, err=True)

    def clear(self) -> None:
        if self._is_shown:
            typer.echo("\r\x1b[K", nl=False, err=True)


def _cores(text: str | None) -> Sequence[int]:
    """0,2-3 -> 0, 2, 3. The referee takes them too."""
    import os

    if text is None:
        return ()
    try:
        ends = [part.partition("-")[::2] for part in text.split(",")]
        cores = sorted({core for low, high in ends for core in range(int(low), int(high or low) + 1)})
        os.sched_setaffinity(0, cores)
    except (ValueError, OSError):
        usable = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        raise typer.BadParameter(f"--affinity {text}: not a list of cores; this machine has {usable}") from None
    return cores


# What is shown


def show(record: "MatchRecord") -> None:
    """The boards, the scores, the faults and the times on stdout; how to see it again on stderr."""
    from arena.replay import game_of, states

    header, verdict = record.header, record.verdict
    game, end = game_of(record), states(record)[-1]
    tally = game.tally(end)
    typer.echo(game.draw(game.view(end, None), tally, painter()))
    typer.echo()
    typer.echo(outcome_table(tally, [player.name for player in header.players]))
    typer.echo()
    typer.echo(standings(record))
    for fault in verdict.faults:
        who = "arena" if fault.seat is None else f"{one_line(header.players[fault.seat].name)} (seat {fault.seat})"
        at = "" if fault.decision is None else f", decision {fault.decision}"
        typer.echo(f"\n{who}{at}: {fault.kind}: {safe(fault.text)}")
    for line in last_words(record):
        typer.echo(line)
    if verdict.void:
        typer.echo(f"\nThis match is void: {safe(verdict.void)}", err=True)
    path = shlex.quote(str(record.path))
    typer.echo(f"\nseed {header.seed}, recorded in {path}\nSee it again:  arena replay {path}", err=True)


def standings(record: "MatchRecord") -> str:
    """Who came where, and what it took."""
    verdict, rows = record.verdict, []
    for seat, player in enumerate(record.header.players):
        used = sorted(d.used_us for _, _, d in record.decisions() if d.seat == seat and d.status not in UNTIMED)
        times = [_ms(used[min(len(used) - 1, int(len(used) * part))]) if used else "" for part in (0.5, 0.99, 1.0)]
        cpu = _ms(verdict.accounts[seat].cpu_us) if verdict.accounts else ""
        rows.append([str(verdict.ranks[seat]), player.name, str(seat), str(verdict.scores[seat]), str(len(used))])
        rows[-1] += [*times, cpu]
    rows.sort(key=lambda row: (int(row[0]), int(row[2])))
    return table(rows, ["rank", "bot", "seat", "score", "asked", "p50 ms", "p99 ms", "max ms", "CPU ms"])


UNTIMED = ("forced", "absent")


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


def exit_code(record: "MatchRecord") -> int:
    """0 if all is well, 1 for a void match, 3 if a bot was disqualified."""
    from arena.cli import Exit
    from arena.replay import disqualified

    if record.verdict.void:
        return Exit.FAILURE
    return Exit.BOT if disqualified(record) else Exit.OK
