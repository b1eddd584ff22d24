"""`arena demo`: some matches between the built-in bots, played here and now."""

from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.parameters import GameOption, RuleOption, Sandbox
from arena.cli.play import play_and_save, say_where, show
from arena.cli.terminal import read_options, table


def demo(
    game: GameOption = "draftosaurus",
    seats: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="One match of this many seats. Without it: one of each.")
    ] = None,
    option: RuleOption = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="The seed of dice and deals.")] = 7,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the records go.")] = Path("records"),
    sandbox: Sandbox = "auto",
) -> None:
    """Let the built-in bots play, and show how it ends.

    One match for each number of seats, every bot a process of its own. The boards are those of the last match.
    """
    from arena import matches
    from engine.catalogue import game as find_game

    played = find_game(game)
    options = read_options(played.options(), option or [])
    counts = played.seats if seats is None else [seats]
    for count in counts:
        played.start(count, options)  # SetupError, before anybody is sent for
    players = [entry for entry in matches.find_all(("greedy", "random")) if entry.plays(game)]
    if not players:
        raise typer.BadParameter(f"no built-in bot plays {game}. Bring your own: arena play BOT BOT --game {game}")
    rows = []
    for count in counts:
        entries = list(islice(cycle(players), count))
        plan = matches.Plan(entries, game, options, seed, sandbox=sandbox)
        record = play_and_save(plan, folder / f"demo-{game}-{count}p.match.jsonl.gz")
        names = [player.name.partition("#")[0] for player in record.header.players]
        asked = sum(decision.status == "accepted" for _, _, decision in record.decisions())
        by_seat = [", ".join(map(str, column)) for column in (names, record.verdict.scores, record.verdict.ranks)]
        rows.append([str(count), str(asked), *by_seat])
    show(record)
    typer.echo()
    typer.echo(table(rows, ["players", "decisions", "bots by seat", "scores", "ranks"]))
    say_where(record)
