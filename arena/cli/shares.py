"""Shares of a league, and what is missing of it, for `arena league run`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.progress import duration
from arena.cli.terminal import say
from arena.errors import SettingError
from arena.texts import counted

if TYPE_CHECKING:
    from arena.league.share import Share
    from arena.league.tournament import Tournament

MOST_SHARES = 100_000


def share_of(text: str, base: Path) -> "Share":
    """The share that the user means by 3/16."""
    from arena.league.share import Share

    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of <= MOST_SHARES:
        raise typer.BadParameter(f"--shard {text}: expected I/N, from 1/N to N/N, for instance 3/16")
    return Share(number, of, base)


def share_folder(base: Path, share: "Share") -> Path:
    """Where a share is played if the user names no folder: beside the league."""
    return base.with_name(f"{base.name}-shard-{share.number}-of-{share.of}")


def begin_for_share(tournament: "Tournament", base: Path) -> None:
    """A league must have begun before machines share it: they need the same secret."""
    from arena.league.store import FILE

    if not (base / FILE).is_file():
        raise SettingError(
            f"{base}: the league has not begun, and its shares need one secret. Run `arena league new "
            f"{tournament.path}` once, and copy {base} to every machine."
        )


def show_missing(tournament: "Tournament", folder: Path) -> None:
    """How many matches are missing, and how long they may take here."""
    from arena.league.missing import missing_of

    found = missing_of(tournament, folder)
    at_most = "at most " if found.is_limit else ""
    typer.echo(f"{at_most}{counted(found.matches, 'match')} missing of {found.planned:,}")
    for line in found.remarks:
        say(line)
    if found.matches and found.seconds is not None:
        typer.echo(f"about {duration(found.seconds)} at the pace of the last run")
    elif found.matches:
        typer.echo("how long that takes is not known before the first run")
