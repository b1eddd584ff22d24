"""`arena games`, `arena rules` and `arena position`: the games, their rules, and what a position is worth."""

import json
import re
import textwrap
from collections.abc import Callable
from itertools import islice
from typing import Annotated, Any

import typer

from arena.cli.markdown import paged, show_page
from arena.cli.options import option_table, read_value
from arena.cli.parameters import AsJson
from arena.cli.tables import outcome_table, table
from arena.cli.terminal import painter
from arena.options import short
from arena.texts import counted, quoted
from arena.words.lines import WIDTH, wrapped
from arena.words.rules import introduction, rules_text
from engine.catalogue import game as find_game
from engine.catalogue import names
from engine.contract import CHANCE, Game, Outcome, Value, View
from engine.dice import Seed
from engine.errors import UnknownGame
from engine.playouts import at_random, steps

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game; `arena games` lists them.")]


def games(as_json: AsJson = False) -> None:
    """List the games that can be played."""
    listed = [_listed(name) for name in names()]
    if as_json:
        typer.echo(_json(listed))
        return
    rows = [[row["name"], _range(row["seats"]), str(row["edition"] or ""), row["about"]] for row in listed]
    typer.echo(table(rows, ["game", "seats", "edition", "about"]))


def _listed(name: str) -> dict[str, Any]:
    """A row of the list. For a game that does not load, the row has the error."""
    try:
        game = find_game(name)
    except UnknownGame as error:
        return {"name": name, "edition": None, "seats": [], "about": str(error)}
    return {"name": name, "edition": game.edition, "seats": list(game.seats), "about": _about(game)}


def _range(seats: list[int]) -> str:
    return f"{seats[0]}-{seats[-1]}" if seats else ""


def rules(
    name: GameName,
    full: Annotated[bool, typer.Option("--full", help="All rules, with their ids.")] = False,
    options: Annotated[bool, typer.Option("--options", help="The options of the rules.")] = False,
    actions: Annotated[bool, typer.Option("--actions", help="How actions are written.")] = False,
    view: Annotated[bool, typer.Option("--view", help="An example of what a bot sees.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a game's rules in short.

    The options print other parts, in place of the short rules. With --json, all parts but the full rules are printed.
    """
    game = find_game(name)
    if as_json:
        known = {key: {"default": o.default, "values": o.values, "help": o.help} for key, o in game.options().items()}
        short_rules = "\n".join(_short_rules(game))
        typer.echo(
            _json({"rules": short_rules, "options": known, "actions": dict(game.grammar), "view": _example(game)})
        )
        return
    wanted = {_show_full: full, _show_options: options, _show_actions: actions, _show_view: view}
    for at, show in enumerate([part for part, is_wanted in wanted.items() if is_wanted] or [_show_short]):
        typer.echo("\n" * bool(at), nl=False)
        show(game)


def _show_short(game: Game[Any]) -> None:
    more = f"More:  arena rules {game.name} --full (or --options, --actions, --view)"
    paged("\n".join([*_short_rules(game), "", more]))


def _short_rules(game: Game[Any]) -> list[str]:
    """What the game is about, and the rules as a player sees them."""
    from arena.words import words_for

    words = words_for(game, "seat {}".format, {})
    return [*map(wrapped, introduction(game)), "", *words.rules(game.view(game.start(game.seats[0], {}), 0))]


def _show_full(game: Game[Any]) -> None:
    show_page(rules_text(game))


def _show_options(game: Game[Any]) -> None:
    paged(option_table(game.options()))


def _show_actions(game: Game[Any]) -> None:
    paged(table([[phase, text] for phase, text in game.grammar.items()], ["phase", "written as"]))


def _show_view(game: Game[Any]) -> None:
    paged(_spread(_example(game)))


def _spread(view: View) -> str:
    """A view as JSON, one line for each field if it fits."""
    fields = [
        textwrap.fill(
            f"{json.dumps(key)}: {json.dumps(value)}",
            WIDTH - 1,
            initial_indent=" " * 2,
            subsequent_indent=" " * 4,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for key, value in view.items()
    ]
    return "\n".join(["{", ",\n".join(fields), "}"])


def position(
    name: GameName,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="A position; `arena rules GAME --full` explains how to write one.")
    ],
    play: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACTIONS",
            help="A step to play first: an action for each seat that acts, with commas or spaces. Can be repeated.",
        ),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(metavar="SEAT", help="Draw the hands that this seat knows. Default: none.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a position, with its legal actions and its points.

    The points are counted as if the game ended there. `arena rules GAME --full` explains how to write a position.
    """
    game = find_game(name)
    options = game.options()
    text = _with_values(game, text, lambda key, word: read_value(key, options[key], word))
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
    typer.echo(_with_values(game, game.format(state), lambda _, value: short(value)))
    typer.echo()
    typer.echo(game.draw(view, tally, painter()))
    typer.echo()
    for actor, choices in legal.items():
        who = "chance" if actor == CHANCE else f"seat {actor}"
        typer.echo(wrapped(f"{who} may play: {' '.join(choices) or 'any deal'}", 4))
    typer.echo()
    typer.echo(outcome_table(tally))


def _with_values(game: Game[Any], text: str, change: Callable[[str, str], Value]) -> str:
    """A position with changed values of those options that take any text."""
    names = [name for name, option in game.options().items() if option.text]
    if not names:
        return text
    word = rf"(?<=\s)({'|'.join(names)})=([^\s|]+)"
    return re.sub(word, lambda found: f"{found[1]}={change(found[1], found[2])}", text)


def _played(game: Game[Any], state: Any, text: str) -> Any:
    """The state after a step. Commas or spaces divide the actions of several seats; an action may contain commas."""
    actors = game.to_act(state)
    words = [word.strip(",") for word in text.split()] if " " in text else text.split(",")
    words = [text] if len(actors) == 1 else words
    if len(words) != len(actors):
        who = f"seats {', '.join(map(str, actors))} act now" if actors else "the game is over"
        raise typer.BadParameter(f"--play {quoted(text)} has {counted(len(words), 'action')}, but {who}")
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
    return next((line for line in rules_text(game).splitlines() if line and not line.startswith("#")), "")


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
