"""`arena play`: one match between bots."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from arena.cli.building import LIMIT_S, BuildLimit, BuildOption, build_all, name_unbuilt
from arena.cli.chosen import SeatValues, with_chosen
from arena.cli.debug import NO_CLOCK_MS, wait_for_debugger
from arena.cli.exits import BUILD, MATCH, are_imported, import_all
from arena.cli.html_file import HtmlFile, check_html, write_html
from arena.cli.options import read_options
from arena.cli.output import MATCHES, check_place, keep
from arena.cli.parameters import (
    MEMORY_MB,
    THREADS,
    AsJson,
    AskForced,
    Bank,
    Bots,
    GameOption,
    Increment,
    Memory,
    Output,
    Prepare,
    RuleOption,
    Sandbox,
    SeedOption,
    Threads,
)
from arena.cli.progress import MatchLine
from arena.cli.result import exit_code, say_fixes, say_page, say_where, say_who_is_open, show, with_lines
from arena.cli.series import MOST_MATCHES, bot_summary, bots_table, plain_summary, play_all, series_code
from arena.texts import counted

if TYPE_CHECKING:
    from arena.match.bot import Bot
    from arena.match.play import MatchSetup
    from arena.match.record import MatchRecord
    from arena.match.tiers import Trial

NEEDED = (*MATCH, *BUILD)
"""What `arena play` imports while it tries the sandbox out."""


def play(
    bots: Bots,
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seed: SeedOption = None,
    games: Annotated[
        int,
        typer.Option(
            metavar="COUNT", min=1, max=MOST_MATCHES, help="Play this many, the bots in turn in every seat, and sum up."
        ),
    ] = 1,
    output: Output = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Write no record.")] = False,
    html: HtmlFile = None,
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    prepare_ms: Prepare = 10_000,
    charge: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Which time counts: wall, or cpu (of the bot's own process, without its children)."
        ),
    ] = "wall",
    strikes: Annotated[int, typer.Option(metavar="COUNT", min=1, help="This many bad answers disqualify a bot.")] = 3,
    ask_forced: AskForced = False,
    bot_seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed that the bots' own seeds come from.")] = 0,
    affinity: Annotated[
        str,
        typer.Option(
            metavar="WHERE",
            help="Where bots run: auto, free (all cores), referee (the referee's core), or cores such as 2 or 0,2 or "
            "0-3 for referee and bots.",
        ),
    ] = "auto",
    tune: SeatValues = None,
    build: BuildOption = None,
    build_limit: BuildLimit = LIMIT_S,
    sandbox: Sandbox = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="No clock, no sandbox: print how to attach a debugger to each bot, and wait for Enter."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play a match between bots, and record it.

    Name one BOT for each seat. With --games the bots move on by one seat after every match, -o names a folder for all
    records, and a table shows wins, ranks, scores and margins, with 95 % intervals.

    A folder is a bot if it has a bot.toml, such as:

    \b
        name = "mine"
        command = ["python3", "mine.py"]

    Exit code 3 means that a bot was disqualified, 1 that the match is void.
    """
    if charge not in ("wall", "cpu"):
        raise typer.BadParameter(f"--charge {charge}: expected wall or cpu")
    if no_record and output is not None:
        raise typer.BadParameter("use -o or --no-record, not both")
    if debug and (games > 1 or not sys.stdin):
        raise typer.BadParameter("--debug: it plays one match, and waits for Enter on stdin")
    if games > 1 and html is not None:
        raise typer.BadParameter(
            "--html: it shows one match. Use it without --games, or `arena replay FILE --html OUT`."
        )
    check_html(html)
    if debug:
        prepare_ms = bank_ms = NO_CLOCK_MS
        sandbox = "none"
    from arena.match.tiers import begun
    from arena.sandbox.policy import Policy

    policy = Policy(memory_mb, threads=threads, freeze=not debug)
    is_beside = games == 1 and not are_imported(NEEDED)  # else nothing else happens while the sandbox is tried out
    with begun(sandbox if is_beside else "none", policy) as trial:
        import_all(NEEDED)
        from arena.match import play as matches
        from arena.match.clock import TimeControl
        from engine.catalogue import game as find_game

        options = read_options(find_game(game).options(), option or [])
        cpus, rule = _places(affinity)
        entries = matches.find_all(bots)
        if build_all(entries, build, build_limit):
            entries = matches.find_all(bots)
        else:
            name_unbuilt(entries)
        entries = with_chosen(entries, tune, [str(seat) for seat in range(len(entries))])
        clock = TimeControl(prepare_ms, prepare_ms, bank_ms, increment_ms, charge)
        clocks = [clock] * len(entries)
        setup = matches.MatchSetup(
            entries,
            game,
            options,
            seed,
            clocks,
            strikes,
            ask_forced,
            bot_seed,
            sandbox,
            cpus,
            rule,
            policy=policy,
        )
        if games > 1:
            _play_series(setup, games, None if no_record else output or MATCHES, as_json)
        record, end = play_and_save(setup, output, not no_record, wait_for_debugger if debug else None, trial)
    if as_json:
        typer.echo(json.dumps(plain_result(record), indent=2))
    else:
        record = with_lines(record, bots)
        show(record, end)
        say_fixes(record, bots)
        say_where(record)
    if html is not None:
        say_page(write_html(record, html))
    say_who_is_open(record, sandbox)
    raise typer.Exit(exit_code(record))


def play_and_save(
    setup: "MatchSetup",
    output: Path | None,
    is_kept: bool = True,
    hired: "Callable[[Sequence[Bot]], None] | None" = None,
    trial: "Trial | None" = None,
) -> "tuple[MatchRecord, Any]":
    """Play with live progress on a terminal, and write the record. The record, and the last state."""
    from arena import running
    from arena.match import play as matches

    if is_kept:
        check_place(output)
    progress = MatchLine()
    try:
        match = running.run(lambda: matches.play(setup, watcher=progress.show, hired=hired, trial=trial))
    finally:
        progress.clear()
    record = match.record()
    return (keep(record, output) if is_kept else record), match.state


def _play_series(setup: "MatchSetup", games: int, folder: Path | None, as_json: bool) -> NoReturn:
    """Play several matches, show what came of each bot, and leave with the exit code of the worst."""
    seats = len(setup.entries)
    records = play_all([_turned(setup, number) for number in range(games)], folder)
    names = [player.name for player in records[0].header.players]
    places = [[(bot + number) % seats for number in range(games)] for bot in range(seats)]
    summaries = [bot_summary(records, own) for own in places]
    if as_json:
        bots = [plain_summary(name, found) for name, found in zip(names, summaries)]
        typer.echo(json.dumps({"bots": bots, "matches": [plain_result(record) for record in records]}, indent=2))
    else:
        typer.echo(bots_table(names, summaries))
        void = sum(record.verdict.void is not None for record in records)
        typer.echo(f"\n{counted(games, 'match')}{f', {void} of them void, which count for nothing' if void else ''}.")
        _say_kept(records, folder)
    say_who_is_open(records[0], setup.sandbox)
    raise typer.Exit(series_code(records))


def _turned(setup: "MatchSetup", number: int) -> "MatchSetup":
    """Match `number` of a series: another deal, and each bot that many seats further."""
    seats = len(setup.entries)
    entries = [setup.entries[(seat - number) % seats] for seat in range(seats)]
    return replace(setup, entries=entries, seed=None if setup.seed is None else setup.seed + number)


def _say_kept(records: "Sequence[MatchRecord]", folder: Path | None) -> None:
    if folder is None:
        typer.echo("They are not recorded.", err=True)
        return
    worst = next((record for record in records if exit_code(record)), records[-1])
    which = "The first that went wrong" if exit_code(worst) else "The last"
    typer.echo(
        f"Recorded in {shlex.quote(str(folder))}. {which}:  arena replay {shlex.quote(str(worst.path))}", err=True
    )


def _places(text: str) -> tuple[Sequence[int], str]:
    """The cores of referee and bots, none for all of them, and the rule by which bots are placed on these."""
    from arena.match.cores import AFFINITIES, BY_USE

    return ((), text) if text in AFFINITIES else (_cores(text), BY_USE)


def _cores(text: str) -> Sequence[int]:
    """0,2-3 -> 0, 2, 3. From now on the referee runs on them, too."""
    from arena.match.launch import usable_cpus

    usable = set(usable_cpus())
    try:
        ends = [part.partition("-")[::2] for part in text.split(",")]
        parts = [range(int(low), int(high or low) + 1) for low, high in ends]
        # The ends come first, because a range can be too long for any memory.
        if not all(part and {part[0], part[-1]} <= usable and set(part) <= usable for part in parts):
            raise ValueError("no such cores")
        cores = sorted({core for part in parts for core in part})
        os.sched_setaffinity(0, cores)
    except (ValueError, OSError):
        listed = ",".join(map(str, sorted(usable)))
        wanted = f"expected auto, free, referee, or a list of cores; usable here: {listed}"
        raise typer.BadParameter(f"--affinity {text}: {wanted}") from None
    return cores


def plain_result(record: "MatchRecord") -> dict[str, Any]:
    """How a match ended, for programs."""
    header, verdict = record.header, record.verdict
    return {
        "game": header.game,
        "options": dict(header.options),
        "seed": str(header.seed),  # too long for the numbers of many languages
        "players": [player.name for player in header.players],
        "scores": verdict.scores,
        "ranks": verdict.ranks,
        "breakdown": [dict(part) for part in verdict.breakdown],
        "faults": [asdict(fault) for fault in verdict.faults],
        "void": verdict.void,
        "record": str(record.path) if record.path else None,
    }
