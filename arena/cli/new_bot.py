"""`arena new-bot`: a new bot from a starter kit."""

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.building import build_one
from arena.cli.parameters import AsJson, file_path
from arena.cli.trust import remember
from arena.errors import RosterError


def new_bot(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", parser=file_path, help="A new folder; its name becomes the bot's name.")
    ],
    lang: Annotated[
        str,
        typer.Option(metavar="LANGUAGE", help="python, javascript, typescript, rust, go, java, c, cpp or shell."),
    ],
    game: Annotated[
        str | None, typer.Option(metavar="NAME", help="The only game that it plays. Default: all games of the kit.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a new bot from a starter kit, and build it.

    It can play at once: its moves are legal, but not good. Begin with the file of its player.
    """
    from arena.match.tiers import why_no_sandbox
    from arena.roster import kits

    entry = kits.create(folder, lang, game)
    remember(entry.folder)
    kit = kits.LANGUAGES[kits.language(lang)]
    where = shlex.quote(str(folder))
    if entry.build:
        typer.echo(f"building: {shlex.join(entry.build)}", err=True)
    try:
        build_one(entry, "yes")
    except RosterError as error:
        raise RosterError(f"{error} When that is fixed, run: arena check {where}") from None
    opponent = "greedy" if kits.has_opponent(game) else where
    which = f" --game {game}" if game else ""
    which += " --sandbox none" if why_no_sandbox(entry) else ""
    if as_json:
        made = {"name": entry.name, "folder": str(folder), "language": kits.language(lang), "player": kit.starter}
        typer.echo(json.dumps(made, indent=2))
        return
    typer.echo(f"{entry.name} is ready; its player is {folder / kit.starter}. Next:")
    typer.echo(f"\n  arena check {where}\n  arena play {where} {opponent}{which}")
