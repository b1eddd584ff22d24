"""`arena new-bot`: a bot of one's own from a starter kit."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.building import build_one
from arena.cli.parameters import file_path
from arena.cli.trust import remember
from arena.errors import RosterError


def new_bot(
    folder: Annotated[Path, typer.Argument(metavar="DIR", parser=file_path, help="A new folder; the bot's name too.")],
    lang: Annotated[
        str,
        typer.Option(metavar="LANGUAGE", help="python, javascript, typescript, rust, go, java, c, cpp or shell."),
    ],
    game: Annotated[
        str | None, typer.Option(metavar="NAME", help="The one game that it plays. Without it: all that are shipped.")
    ] = None,
) -> None:
    """Make a new bot from the starter kit of a language, and build it.

    It plays at once, legally if not well: its player is the file to begin with.
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
        raise RosterError(f"{error} Once that is mended: arena check {where}") from None
    opponent = "greedy" if kits.has_opponent(game) else where
    which = f" --game {game}" if game else ""
    which += " --sandbox none" if why_no_sandbox(entry) else ""
    typer.echo(f"{entry.name} is ready; its player is {folder / kit.starter}. Next:")
    typer.echo(f"\n  arena check {where}\n  arena play {where} {opponent}{which}")
