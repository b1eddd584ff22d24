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
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            help="python, javascript, typescript, rust, go, java, c, cpp or shell; other: only bot.toml and test data.",
        ),
    ] = None,
    game: Annotated[
        str | None, typer.Option(metavar="NAME", help="The only game that it plays. Default: all games of the kit.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a new bot from a starter kit, and build it.

    It can play at once: its moves are legal, but not good. Begin with the file of its player. For a language without
    a kit, --lang other writes what every bot needs; `arena docs spec 1.1` shows the program that is missing.
    """
    from arena.match.tiers import why_no_sandbox
    from arena.roster import kits

    if lang is None:
        raise typer.BadParameter(f"choose a language: --lang {', '.join(kits.LANGUAGES)} or {kits.OTHER}")
    if lang == kits.OTHER:
        _make_bare(folder, game, as_json)
        return
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


def _make_bare(folder: Path, game: str | None, as_json: bool) -> None:
    """A bot in a language without a kit, of which the program is missing."""
    from arena.roster import kits

    manifest = kits.create_bare(folder, game)
    remember(folder)
    if as_json:
        made = {"name": folder.resolve().name, "folder": str(folder), "language": kits.OTHER, "player": None}
        typer.echo(json.dumps(made, indent=2))
        return
    where = shlex.quote(str(folder))
    typer.echo(f"{folder.resolve().name} needs a program. Write it, and its command into {manifest}.")
    typer.echo("The protocol, with a whole bot in 12 lines:  arena docs spec 1.1")
    typer.echo(f"Next:\n\n  arena check {where}")
