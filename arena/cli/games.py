"""`arena games`, `arena rules` and `arena position`: what can be played, how, and what a position is worth."""

import json
import sys
from importlib.resources import files
from itertools import islice
from typing import Annotated, Any

import typer

from arena.cli.parameters import AsJson
from arena.cli.terminal import option_rows, outcome_table, painter, table
from engine.catalogue import game as find_game
from engine.catalogue import names
from engine.dice import Seed
from engine.errors import UnknownGame
from engine.game import CHANCE, Game, Outcome, View
from engine.playout import at_random, steps

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A name that `arena games` lists.")]


def games(as_json: AsJson = False) -> None:
    """List the games that can be played."""
    listed = [_listed(name) for name in names()]
    if as_json:
        typer.echo(_json(listed))
        return
    rows = [[row["name"], _range(row["seats"]), str(row["edition"] or ""), row["about"]] for row in listed]
    typer.echo(table(rows, ["game", "seats", "edition", "about"]))


def _listed(name: str) -> dict[str, Any]:
    """A game's line; one that does not load says so in its own line."""
    try:
        game = find_game(name)
    except UnknownGame as error:
        return {"name": name, "edition": None, "seats": [], "about": str(error)}
    return {"name": name, "edition": game.edition, "seats": list(game.seats), "about": _about(game)}


def _range(seats: list[int]) -> str:
    return f"{seats[0]}-{seats[-1]}" if seats else ""


def rules(name: GameName, as_json: AsJson = False) -> None:
    """Print a game's rules, options and actions.

    With an example of what a bot sees.
    """
    game = find_game(name)
    view = _example(game)
    if as_json:
        options = {key: {"default": o.default, "values": o.values, "help": o.help} for key, o in game.options().items()}
        typer.echo(_json({"options": options, "actions": dict(game.grammar), "view": view}))
        return
    typer.echo(rules_text(game))
    typer.echo("## Options\n")
    typer.echo(table(option_rows(game.options()), ["option", "default", "values", "meaning", "rule"]))
    typer.echo("\n## Actions\n")
    typer.echo(table([[phase, text] for phase, text in game.grammar.items()], ["phase", "written as"]))
    typer.echo(f"\n## What a bot sees, for example in phase {view['phase']}\n")
    typer.echo(_json(view))


def position(
    name: GameName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A position, as `arena rules GAME` explains.")],
    play: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACTIONS", help="A step to play first: the actions of all who act, with commas. May be repeated."
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(metavar="SEAT", help="Draw the hands that this seat knows; a spectator knows none.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a position, with its legal actions and its points.

    The points are counted as if the game ended there. `arena rules GAME` says how a position is written.
    """
    game = find_game(name)
    state = game.parse(text)
    for actions in play or []:
        state = _played(game, state, actions)
    tally = game.tally(state)
    if seat is not None and seat not in range(len(tally.scores)):
        raise typer.BadParameter(f"--seat {seat}: this position has seats 0 to {len(tally.scores) - 1}")
    view = game.view(state, seat)
    legal = {actor: game.legal(state, actor) for actor in game.to_act(state)}
    if as_json:
        listed = {str(actor): list(choices) for actor, choices in legal.items()}
        shown = {"position": game.format(state), "over": not legal, "view": view, "legal": listed}
        typer.echo(_json({**shown, **_tally(tally)}))
        return
    typer.echo(game.format(state))
    typer.echo()
    typer.echo(game.draw(view, tally, painter()))
    typer.echo()
    for actor, choices in legal.items():
        typer.echo(f"{'chance' if actor == CHANCE else f'seat {actor}'} may play: {' '.join(choices) or 'any deal'}")
    typer.echo()
    typer.echo(outcome_table(tally))


def _played(game: Game[Any], state: Any, text: str) -> Any:
    actors = game.to_act(state)
    words = [text] if actors == (CHANCE,) else text.split(",")
    if len(words) != len(actors):
        who = ", ".join(map(str, actors)) or "nobody, for the game is over"
        raise typer.BadParameter(f"--play {text!r} has {len(words)} actions, but now act: {who}")
    return game.apply(state, dict(zip(actors, words)))


def _tally(tally: Outcome) -> dict[str, Any]:
    return {"scores": tally.scores, "ranks": tally.ranks, "breakdown": [dict(part) for part in tally.breakdown]}


def _example(game: Game[Any]) -> View:
    """What the first seat to act sees, a few steps into a match."""
    dice = Seed(1)
    start = game.start(game.seats[0], {})
    states = [start, *(state for _, state in islice(steps(game, start, dice, at_random(dice)), 7))]
    decisions = [state for state in states if game.to_act(state) not in ((), (CHANCE,))]
    shown = decisions[-1] if decisions else start
    return game.view(shown, next((seat for seat in game.to_act(shown) if seat != CHANCE), 0))


def _about(game: Game[Any]) -> str:
    return next(line for line in rules_text(game).splitlines() if line and not line.startswith("#"))


def rules_text(game: Game[Any]) -> str:
    """RULES.md of the package that the game's class lives in; without one, what the class says of itself."""
    package = sys.modules[type(game).__module__].__package__
    path = files(package) / "RULES.md" if package else None
    if path is not None and path.is_file():
        return path.read_text("utf-8")
    return f"# {game.name}\n\n{type(game).__doc__ or 'This game brings no rules text.'}\n"


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
