"""`arena duel`: is my new version better?"""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.league import HOME
from arena.cli.options import read_options
from arena.cli.parameters import AsJson, Bank, GameOption, Increment, LeagueSeed, RuleOption, Sandbox
from arena.cli.progress import LeagueLine
from arena.errors import Interrupted
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.duel import Comparison
    from arena.league.tournament import Tournament

MOST_UNITS = 2_000
ANSWERS = {
    "yes": "Yes: {a} is better than {b}.",
    "no": "No: {a} is not better than {b} by {high:g} Elo.",
    "undecided": "Not decided yet: about {more} more, if they are as far apart as they look.",
}


def duel(
    a: Annotated[str, typer.Argument(metavar="A", help="The new version: a folder, a name, or a command line.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The old one.")],
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seats: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=2, help="How many sit at the table. Without it: the two, and the field."),
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="Who may sit in the other seats. May be repeated.")
    ] = None,
    seed: LeagueSeed = None,
    deals: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="shared: one for both games of a unit, for your own bots. fresh: one a game, for bots of others.",
        ),
    ] = "shared",
    units: Annotated[
        int, typer.Option(metavar="NUMBER", min=16, max=10**9, help="At most so many units of two games.")
    ] = MOST_UNITS,
    on: Annotated[str, typer.Option(metavar="WHAT", help="What counts: rank or score.")] = "rank",
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    workers: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, help="Processes that play.")] = None,
    sandbox: Sandbox = "auto",
    as_json: AsJson = False,
) -> None:
    """Find out whether bot A is better than bot B.

    A unit is two games, A and B seated among the field, and then exchanged. After every eight units the duel looks
    whether A is better by 20 Elo points or not at all, with an error of 5 % either way. The same command again goes on
    where it stopped.

    Both games of a unit have one deal, which takes luck out. That assumes that neither bot can remember or recognise a
    deal between two matches; for bots of others say --deals fresh.
    """
    from arena import running
    from arena.league import run as leagues
    from arena.league.kinds import Duel
    from arena.league.store import open_store

    if on not in ("rank", "score"):
        raise typer.BadParameter(f"--on {on}: rank or score")
    if deals not in ("shared", "fresh"):
        raise typer.BadParameter(f"--deals {deals}: shared or fresh")
    if field and seats == 2:
        raise typer.BadParameter("--field: a table of two has no seat for others. Name more seats, or no field.")
    clock = bank_ms, increment_ms
    tournament = _tournament(a, b, field or [], game, option or [], seats, seed, deals, clock, sandbox)
    kind = Duel(tournament.bots[0], tournament.bots[1], units, is_on_score=on == "score")
    tournament = replace(tournament, kind=kind, workers=workers)
    folder = HOME / tournament.name
    line = LeagueLine()
    try:
        progress = running.run(lambda: leagues.run(tournament, folder, line.show))
    except Interrupted as error:
        raise Interrupted(f"{error}. What was played is kept; the same command goes on.") from None
    finally:
        line.clear()
    with open_store(folder) as store:
        found = kind.compared(store)
    _show(found, kind.a, kind.b, folder, as_json)
    raise typer.Exit(1 if progress.given_up else 0)


def _tournament(
    a: str,
    b: str,
    others: list[str],
    game: str,
    option: list[str],
    seats: int | None,
    seed: int | None,
    deals: str,
    clock: tuple[int, int],
    sandbox: str,
) -> "Tournament":
    from arena.league.tournament import Tournament
    from arena.match.clock import TimeControl
    from arena.match.play import find_all
    from arena.roster.entries import distinct
    from engine.catalogue import game as find_game
    from engine.game import settle

    played = find_game(game)
    known = played.options()
    settled = settle(game, known, read_options(known, option))
    options = {name: value for name, value in settled.items() if value != known[name].default}
    seats = seats or min(2 + len(others), played.seats[-1])
    played.start(seats, options)  # SetupError, before anything is made
    entries = find_all([a, b, *(others or ([] if seats == 2 else ["random", "greedy"]))])
    named = [replace(entry, name=name) for entry, name in zip(entries, distinct(entries))]
    bots = [[e.name, e.digest, *e.command] for e in named]
    fresh = (
        ["fresh"] if deals == "fresh" else []
    )  # a duel with shared deals is called as it was before there were others
    what = json.dumps([game, options, seats, seed, *clock, bots, *fresh], sort_keys=True)
    digest = hashlib.sha256(what.encode()).hexdigest()[:8]
    return Tournament(
        path=Path(f"duel {a} {b}"),
        name=f"duel-{digest}",
        game=game,
        edition=played.edition,
        entries=tuple(named),
        options=options,
        seed=seed,
        deals=deals,
        seats=(seats,),
        clock=TimeControl(bank_ms=clock[0], increment_ms=clock[1]),
        sandbox=sandbox,
    )


def _show(found: "Comparison", a: str, b: str, folder: Path, as_json: bool) -> None:
    from arena.league.duel import USUAL

    if as_json:
        typer.echo(json.dumps({"a": a, "b": b, **asdict(found)}, indent=2))
        return
    a, b = one_line(a), one_line(b)
    typer.echo(ANSWERS[found.answer].format(a=a, b=b, high=USUAL.high, more=counted(found.games_more, "game")))
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
