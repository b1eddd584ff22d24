"""`arena demo`: some games, played here and now."""

from typing import Annotated

import typer

from arena.cli.terminal import outcome_table, painter, read_options, table
from engine.catalogue import game as find_game
from engine.dice import Seed
from engine.playout import at_random, playout


def demo(
    game: Annotated[str, typer.Option(help="Which game; `arena games` lists them.")] = "draftosaurus",
    seats: Annotated[int | None, typer.Option(help="One table of this many seats, drawn in full.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="A rule option, name=value; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of dice and players.")] = 7,
) -> None:
    """Play games between random players in this process and show how they end."""
    played = find_game(game)
    options = read_options(played.options(), option or [])
    rows = []
    for count in played.seats if seats is None else [seats]:
        dice = Seed(seed)
        end, decisions = playout(played, played.start(count, options), dice, at_random(dice))
        tally = played.tally(end)
        rows.append([str(count), str(decisions), *(" ".join(map(str, of)) for of in (tally.scores, tally.ranks))])
    typer.echo(played.draw(played.view(end, None), tally, painter()))
    typer.echo()
    typer.echo(outcome_table(tally))
    typer.echo()
    typer.echo(table(rows, ["players", "decisions", "scores by seat", "ranks by seat"]))
    typer.echo(f'\nSee any position again:  arena position {game} "{played.format(end)}"', err=True)
