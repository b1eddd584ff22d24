"""`arena demo`: a small league between the built-in bots, played here and now."""

import hashlib
import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.html_file import write_html
from arena.cli.league_folder import HOME, plain_run, play_league, write_report
from arena.cli.options import changed_options
from arena.cli.parameters import AsJson, GameOption, LeagueSeed, RuleOption, Sandbox
from arena.cli.result import say_page, say_where, show
from arena.cli.standings import plain_standings, standings_table
from arena.texts import counted
from arena.words.lines import wrapped

if TYPE_CHECKING:
    from arena.league.tournament import Tournament
    from arena.roster.entries import Entry
    from engine.contract import Value

SEATS, BLOCKS = 3, 6
GAME = "draftosaurus"


def demo(
    game: GameOption = GAME,
    seats: Annotated[int, typer.Option(metavar="NUMBER", help="Players at a table.")] = SEATS,
    option: RuleOption = None,
    seed: LeagueSeed = None,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the results.")] = HOME,
    sandbox: Sandbox = "auto",
    as_json: AsJson = False,
) -> None:
    """Let the built-in bots play a small league.

    Each bot runs as its own process in a sandbox, and each match is recorded. The boards are those of the last match,
    which is also written as a page for a browser.
    """
    from arena.league import results
    from arena.league.store import open_store
    from arena.league.wire import RECORDS, REPLAYS, record_path, replay_path
    from arena.match.record_file import load
    from arena.replay.moments import states

    tournament = _tournament(game, seats, option or [], seed, sandbox)
    say_what_is_played(tournament)
    place = folder / tournament.name
    progress = play_league(tournament, place, "Run the same command to continue.")
    with open_store(place) as store:
        if not store.count():
            raise typer.Exit(1)  # no match could be played, and the reason is already printed
        last = list(store.rows())[-1]
        record = load(record_path(place / RECORDS, last.match))
        if as_json:
            typer.echo(json.dumps(plain_run(progress, place, plain_standings(store)), indent=2))
            return
        typer.echo("The last match, as it ended:\n")
        show(record, states(record)[-1])
        typer.echo(f"\nAfter {counted(store.count(), 'match')}:\n")
        typer.echo(standings_table(results.table(store)))
        replay = write_html(record, replay_path(place / REPLAYS, last.match))
        report = write_report(store, place / "report.html", "arena demo")
    say_where(record)
    say_page(replay)
    typer.echo(f"The whole league:  {report}", err=True)
    typer.echo(f"\nYour turn:  arena human greedy{f' --game {game}' if game != GAME else ''}", err=True)
    typer.echo("Your bot:   arena new-bot my-bot --lang python (or javascript, rust, go ...)", err=True)


def say_what_is_played(tournament: "Tournament") -> None:
    """Print on stderr what this is about, before the first match."""
    from arena.words.rules import introduction
    from engine.catalogue import game as find_game

    game = find_game(tournament.game)
    names = [entry.name for entry in tournament.entries]
    typer.echo(wrapped(f"{game.name}: {introduction(game)[0]}"), err=True)
    kinds = "greedy takes what scores most at once, random plays any legal action"
    others = (
        f"; {' and '.join(names[2:])} {'is' if len(names) == 3 else 'are'} the same again" if len(names) > 2 else ""
    )
    about = f" ({kinds}{others})" if names[:2] == ["greedy", "random"] else ""
    words = f"{', '.join(names)}{about} play {counted(tournament.planned, 'match')}, each in its own process."
    typer.echo(wrapped(words) + "\n", err=True)


def _tournament(game: str, seats: int, option: list[str], seed: int | None, sandbox: str) -> "Tournament":
    from arena.league.kinds import RoundRobin
    from arena.league.tournament import Tournament
    from engine.catalogue import game as find_game

    played = find_game(game)
    options = changed_options(played, option)
    played.start(seats, options)  # SetupError, before any bot is looked up
    return Tournament(
        path=Path("arena demo"),
        name=_name(game, seats, options, seed),
        game=game,
        edition=played.edition,
        entries=_entries(game, seats),
        options=options,
        seed=seed,
        seats=(seats,),
        kind=RoundRobin(BLOCKS),
        sandbox=sandbox,
    )


def _entries(game: str, seats: int) -> "tuple[Entry, ...]":
    """The bots that know the game, and copies of the last one until a table is full."""
    from arena.match import play as matches

    players = [entry for entry in matches.find_all(("greedy", "random")) if entry.plays(game)]
    if not players:
        raise typer.BadParameter(f"no built-in bot plays {game}. Bring your own: arena play BOT BOT --game {game}")
    last = players[-1]
    copies = (replace(last, name=f"{last.name}-{number}") for number in count(2))
    while len(players) < max(seats, SEATS):
        players.append(next(copies))
    return tuple(players)


def _name(game: str, seats: int, options: "dict[str, Value]", seed: int | None) -> str:
    """Each variant is its own league."""
    variant: list[Any] = [seats, options, seed]
    if variant == [SEATS, {}, None]:
        return f"demo-{game}"
    return f"demo-{game}-{hashlib.sha256(json.dumps(variant, sort_keys=True).encode()).hexdigest()[:6]}"
