"""`arena tune`: better values for the parameters of a bot."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.chosen import with_start
from arena.cli.duel import FIELD
from arena.cli.exits import Exit
from arena.cli.options import changed_options
from arena.cli.parameters import (
    MEMORY_MB,
    PREPARE_MS,
    STRIKES,
    THREADS,
    AsJson,
    Bank,
    GameOption,
    Increment,
    LeagueSeed,
    Memory,
    Prepare,
    RuleOption,
    Sandbox,
    Threads,
    Workers,
    file_path,
)
from arena.errors import SettingError
from arena.texts import meant, one_line

if TYPE_CHECKING:
    from arena.league.tournament import Tournament
    from arena.roster.entries import Entry
    from arena.tuning.kind import Tuning

HOME = Path("leagues/tunings")
"""Below leagues/, which no bot sees, but none of them: they have no standings."""
ITERATIONS, GAMES_EACH, DUEL_UNITS = 100, 16, 400
LONGEST = 58
"""Characters of the bot's name in the names of its settings."""


def tune(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A folder, a .toml file, or a built-in name, with [tune].")],
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seats: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=2, help="Players at the table. Default: the two settings and the field."),
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="A bot for the other seats. Can be repeated.")
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Tune only this parameter. Can be repeated.")
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Begin here instead of at the default. Can be repeated."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=2, max=10**6, help=f"Steps of SPSA. Default: {ITERATIONS}.")
    ] = None,
    games_per_iteration: Annotated[
        int, typer.Option(metavar="GAMES", min=4, max=10_000, help="Games of each step; an even number.")
    ] = GAMES_EACH,
    budget: Annotated[
        int | None, typer.Option(metavar="GAMES", min=8, max=10**9, help="All games, instead of --iterations.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="MINUTES", min=0.01, max=10**6, help="Stop after this time.")
    ] = None,
    on: Annotated[str, typer.Option(metavar="WHAT", help="What counts: score (points above the other) or rank.")] = (
        "score"
    ),
    duel_units: Annotated[
        int,
        typer.Option(metavar="NUMBER", min=0, max=10**9, help="Units of the final duel at most; below 16: no duel."),
    ] = DUEL_UNITS,
    seed: LeagueSeed = None,
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    prepare_ms: Prepare = PREPARE_MS,
    processes: Annotated[
        str,
        typer.Option(
            metavar="WHEN", help="worker: a process of the bot plays many matches. match: a new one for each match."
        ),
    ] = "worker",
    workers: Workers = None,
    sandbox: Sandbox = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", parser=file_path, help="Where results are. Default: a folder in leagues/tunings/."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find better values for the parameters of a bot.

    The bot declares them under [tune] in its bot.toml. Two settings of the bot meet again and again, with the same
    deals and exchanged seats. After each iteration all parameters move towards the setting that was better (SPSA). At
    the end a duel shows whether the tuned values are better than those at the start.

    Run the same command again to continue, also with more iterations.
    """
    from arena.cli.tuning_run import TuningRun
    from arena.league.tournament import Tournament
    from arena.match.clock import TimeControl
    from engine.catalogue import game as find_game

    _check(on, processes, games_per_iteration, iterations, budget)
    if field and seats == 2:
        raise typer.BadParameter("--field: a table of two has no seat for others. Use more --seats, or no --field.")
    played = find_game(game)
    options = changed_options(played, option or [])
    seats = seats or min(2 + len(field or []), played.seats[-1])
    played.start(seats, options)  # SetupError, before any bot is looked up
    entry = _begun(bot, start or [])
    steps = iterations or (ITERATIONS if budget is None else budget // games_per_iteration)
    kind = _kind(entry, parameter or [], steps, games_per_iteration // 2, on == "score")
    tournament = Tournament(
        path=Path(f"tune {bot}"),
        name="tune",
        game=game,
        edition=played.edition,
        entries=_entries(entry, field or ([] if seats == 2 else FIELD)),
        options=options,
        seed=seed,
        deals="shared",
        kind=kind,
        seats=(seats,),
        minutes=minutes,
        clock=TimeControl(prepare_ms, prepare_ms, bank_ms, increment_ms),
        strikes=STRIKES,
        sandbox=sandbox,
        memory_mb=memory_mb,
        threads=threads,
        processes=processes,
        workers=workers,
    )
    tournament = replace(tournament, name=name_of(tournament))
    run = TuningRun(entry, kind, tournament, folder or HOME / tournament.name, bot)
    progress = run.play()
    run.compare(duel_units)
    if as_json:
        typer.echo(json.dumps(run.plain(progress.stopped), indent=2))
    else:
        run.show()
    if progress.given_up:
        raise typer.Exit(Exit.FAILURE)


def _check(on: str, processes: str, games: int, iterations: int | None, budget: int | None) -> None:
    """BadParameter for what cannot be."""
    if on not in ("rank", "score"):
        raise typer.BadParameter(f"--on {on}: expected rank or score")
    if processes not in ("worker", "match"):
        raise typer.BadParameter(f"--processes {processes}: expected worker or match")
    if games % 2:
        raise typer.BadParameter(f"--games-per-iteration {games}: expected an even number")
    if budget is not None and iterations is not None:
        raise typer.BadParameter("use --iterations or --budget, not both")
    if budget is not None and budget < 2 * games:
        raise typer.BadParameter(f"--budget {budget}: expected {2 * games} games at least, for two iterations")


# What is tuned


def _begun(bot: str, start: Sequence[str]) -> "Entry":
    """The bot with the values with which it begins."""
    from arena.roster.entries import find

    entry = find(bot)
    if not entry.tunables:
        raise SettingError(
            f"{one_line(entry.name)}: there is nothing to tune: its bot.toml has no [tune]. Declare its parameters, as "
            "in: pace = { min = 0, max = 1, default = 0.3 }; `arena docs tune` shows more."
        )
    return with_start(entry, start)


def _kind(entry: "Entry", only: Sequence[str], steps: int, units: int, is_on_score: bool) -> "Tuning":
    from arena.tuning.kind import Tuning
    from arena.tuning.spsa import place_of

    known = [one.name for one in entry.tunables]
    for name in only:
        if name not in known:
            raise SettingError(
                f"--parameter {one_line(name)}: {one_line(entry.name)} has no such parameter.{meant(name, known)} "
                f"Parameters: {', '.join(known)}."
            )
    parameters = tuple(one for one in entry.tunables if not only or one.name in only)
    start = place_of(parameters, entry.values)
    return Tuning(entry.name[:LONGEST], parameters, start, steps, units, is_on_score)


def _entries(entry: "Entry", field: Sequence[str]) -> "tuple[Entry, ...]":
    """The two settings and the field, under names that differ."""
    from arena.match.play import find_all
    from arena.roster.entries import distinct
    from arena.tuning.kind import SIDES

    others = find_all(field)
    names = distinct(others)
    settings = [replace(entry, name=entry.name[:LONGEST] + side) for side in SIDES]
    return (*settings, *(replace(other, name=name) for other, name in zip(others, names)))


def name_of(tuning: "Tournament") -> str:
    """A name from all that decides its games, so that the same command finds its results again."""
    from arena.league.fixtures import identity, program

    bots = [[entry.name, entry.digest, *program(entry)] for entry in tuning.entries]
    what = json.dumps([identity(tuning), bots, tuning.processes], sort_keys=True)
    return f"tune-{hashlib.sha256(what.encode()).hexdigest()[:8]}"
