"""`arena duel`: is my new version better?"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.chosen import SideValues, with_chosen
from arena.cli.exits import Exit
from arena.cli.league_folder import HOME, play_league
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
    Strikes,
    Threads,
    Workers,
)
from arena.cli.revisions import older_version
from arena.cli.terminal import say
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.duel import Comparison, Hypotheses
    from arena.league.kinds import Duel
    from arena.league.tournament import Tournament
    from arena.roster.entries import Entry

MOST_UNITS = 2_000
LEAST_RISK = 1e-6
FIELD = ("random", "greedy")
"""Bots for the other seats, if the user names none."""
ANSWERS = {
    "yes": "Yes: {a} is better than {b}{by}.",
    "no": "No: {a} is not better than {b} by {high:g} Elo.",
    "undecided": "Not decided yet: it takes about {more} more, if the bots are as far apart as they look.",
}


EXITS = {"yes": 0, "no": 10, "undecided": 11}
"""Exit codes with --exit-code. Those of errors are below 10."""


def duel(
    a: Annotated[str, typer.Argument(metavar="A", help="The new version: a folder, a name, or a command line.")],
    b: Annotated[str | None, typer.Argument(metavar="[B]", help="The old version. Left out with --against.")] = None,
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seats: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=2, help="Players at the table. Default: A, B and the field."),
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="A bot for the other seats. Can be repeated.")
    ] = None,
    seed: LeagueSeed = None,
    deals: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="shared: the same for both games of a unit, for your own bots. fresh: a new one for each game.",
        ),
    ] = "shared",
    units: Annotated[
        int, typer.Option(metavar="NUMBER", min=16, max=10**9, help="Maximum number of units, of two games each.")
    ] = MOST_UNITS,
    on: Annotated[str, typer.Option(metavar="WHAT", help="What counts: rank or score.")] = "rank",
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    prepare_ms: Prepare = PREPARE_MS,
    workers: Workers = None,
    sandbox: Sandbox = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    strikes: Strikes = STRIKES,
    elo0: Annotated[float, typer.Option(metavar="ELO", help="The answer is no if A is only this much better.")] = 0.0,
    elo1: Annotated[float, typer.Option(metavar="ELO", help="The answer is yes if A is this much better.")] = 20.0,
    alpha: Annotated[float, typer.Option(metavar="SHARE", help="Risk of a wrong yes, below 0.5.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="SHARE", help="Risk of a wrong no, below 0.5.")] = 0.05,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 0 for yes, 10 for no, 11 if it is not decided.")
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ANSWER", help="Exit with 1 if the answer is this: no or undecided. Can be repeated. For scripts."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Instead of B: A as it was in this revision of git, such as v1 or HEAD~3."),
    ] = None,
    tune: SideValues = None,
    as_json: AsJson = False,
) -> None:
    """Find out whether bot A is better than bot B.

    A unit is two games: A and B take seats among the field, then they swap them. After every eight units the duel
    tests whether A is better by 20 Elo points (--elo1) or not better at all (--elo0), with an error of 5 % either way
    (--alpha, --beta). Run the same command again to continue, also with other bounds.

    Both games of a unit have the same deal, which reduces luck. This assumes that neither bot can remember or recognise
    a deal between two matches. For other people's bots use --deals fresh.
    """
    from arena.league.kinds import Duel
    from arena.league.store import open_store
    from arena.league.tournament import Tournament
    from arena.match.clock import TimeControl
    from engine.catalogue import game as find_game

    if on not in ("rank", "score"):
        raise typer.BadParameter(f"--on {on}: expected rank or score")
    if deals not in ("shared", "fresh"):
        raise typer.BadParameter(f"--deals {deals}: expected shared or fresh")
    if field and seats == 2:
        raise typer.BadParameter("--field: a table of two has no seat for others. Use more --seats, or no --field.")
    for word in fail_on or []:
        if word not in ("no", "undecided"):
            raise typer.BadParameter(f"--fail-on {word}: expected no or undecided")
    if (b is None) == (against is None):
        raise typer.BadParameter("name the old version: B, or --against REV")
    question = _question(elo0, elo1, alpha, beta)
    played = find_game(game)
    options = changed_options(played, option or [])
    seats = seats or min(2 + len(field or []), played.seats[-1])
    played.start(seats, options)  # SetupError, before any bot is looked up
    old = b if b is not None else str(older_version(a, str(against)))
    entries = _entries(a, old, field or ([] if seats == 2 else FIELD), tune)
    _say_if_same(entries[0], entries[1])
    kind = Duel(entries[0].name, entries[1].name, units, on == "score", question)
    tournament = Tournament(
        path=Path(f"duel {a} {old}"),
        name="duel",
        game=game,
        edition=played.edition,
        entries=entries,
        options=options,
        seed=seed,
        deals=deals,
        kind=kind,
        seats=(seats,),
        clock=TimeControl(prepare_ms, prepare_ms, bank_ms, increment_ms),
        strikes=strikes,
        sandbox=sandbox,
        memory_mb=memory_mb,
        threads=threads,
        workers=workers,
    )
    tournament = replace(tournament, name=name_of(tournament))
    folder = HOME / tournament.name
    progress = play_league(tournament, folder, "Run the same command to continue.")
    with open_store(folder) as store:
        found = kind.compared(store)
    if as_json:
        typer.echo(json.dumps(plain_answer(found, kind), indent=2))
    else:
        show_answer(found, kind, folder)
    if progress.given_up or found.answer in (fail_on or []):
        raise typer.Exit(Exit.FAILURE)
    raise typer.Exit(EXITS[found.answer] if exit_code else Exit.OK)


def _question(elo0: float, elo1: float, alpha: float, beta: float) -> "Hypotheses":
    from arena.league.duel import Hypotheses

    if not all(map(math.isfinite, (elo0, elo1))) or not elo0 < elo1:
        raise typer.BadParameter(f"--elo0 {elo0:g} --elo1 {elo1:g}: the first must be lower")
    for option, share in (("--alpha", alpha), ("--beta", beta)):
        if not LEAST_RISK <= share < 0.5:
            raise typer.BadParameter(f"{option} {share:g}: expected a share from {LEAST_RISK:g} to below 0.5")
    return Hypotheses(elo0, elo1, alpha, beta)


def _say_if_same(a: "Entry", b: "Entry") -> None:
    """Print on stderr that A and B are one bot, before hundreds of games show nothing."""
    is_known = bool(a.digest) or a.folder == b.folder
    if is_known and (a.digest, a.command, a.chosen) == (b.digest, b.command, b.chosen):
        say(
            f"{one_line(a.name)} and {one_line(b.name)} are the same bot: the same files and the same command. "
            "This duel can only show that they are level."
        )


def _entries(a: str, b: str, field: Sequence[str], tune: Sequence[str] | None = None) -> "tuple[Entry, ...]":
    """A, B and the field, under names that differ."""
    from arena.match.play import find_all
    from arena.roster.entries import distinct

    entries = with_chosen(find_all([a, b, *field]), tune, ("A", "B"))
    return tuple(replace(entry, name=name) for entry, name in zip(entries, distinct(entries)))


def name_of(duel: "Tournament") -> str:
    """A name from all that decides its games, so that the same command finds its results again.

    Duels with shared deals and the usual limits are named as they were before there were others.
    """
    bots = [[entry.name, entry.digest, *entry.command] for entry in duel.entries]
    fresh: list[Any] = ["fresh"] if duel.deals == "fresh" else []
    if (duel.memory_mb, duel.strikes) != (MEMORY_MB, STRIKES):
        fresh.append([duel.memory_mb, duel.strikes])
    if (duel.threads, duel.clock.prepare_ms) != (THREADS, PREPARE_MS):
        fresh.append({"threads": duel.threads, "prepare_ms": duel.clock.prepare_ms})
    if any(entry.chosen for entry in duel.entries):
        fresh.append(["tune", *(dict(entry.chosen) for entry in duel.entries)])
    clock = duel.clock.bank_ms, duel.clock.increment_ms
    what = json.dumps([duel.game, duel.options, *duel.seats, duel.seed, *clock, bots, *fresh], sort_keys=True)
    return f"duel-{hashlib.sha256(what.encode()).hexdigest()[:8]}"


def plain_answer(found: "Comparison", kind: "Duel") -> dict[str, Any]:
    """How a duel stands, for programs."""
    return {"a": kind.a, "b": kind.b, **asdict(found)}


def show_answer(found: "Comparison", kind: "Duel", folder: Path) -> None:
    """Print how a duel stands."""
    a, b, question = one_line(kind.a), one_line(kind.b), kind.question
    by = f" by more than {question.low:g} Elo" if question.low else ""
    more = counted(found.games_more, "game")
    typer.echo(ANSWERS[found.answer].format(a=a, b=b, by=by, high=question.high, more=more))
    low, high = found.bounds
    games = f"{2 * found.units:,} games in {counted(found.units, 'unit')}"
    typer.echo(f"{games}; log likelihood ratio {found.llr:.2f}, ", nl=False)
    typer.echo(f"bounds {low:.2f} and {high:.2f}")
    when = "at stop" if found.answer != "undecided" else "so far"
    elo = found.elo
    typer.echo(f"Elo {when}: {elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f}); ", nl=False)
    typer.echo(f"likelihood that {a} is better: {_percent(found.superiority)}")
    if found.counts:
        names = ("both lost", "1/4", "even", "3/4", "both won")
        typer.echo("units: " + ", ".join(f"{name} {count}" for name, count in zip(names, found.counts)))
    typer.echo(f"results in {folder}", err=True)


def _percent(likelihood: float) -> str:
    """Nothing is certain."""
    if 0.001 <= likelihood <= 0.999:
        return f"{100 * likelihood:.1f} %"
    return "more than 99.9 %" if likelihood > 0.5 else "less than 0.1 %"
