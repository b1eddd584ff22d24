"""`--trust`: a bot is yours because you say so."""

from pathlib import Path

import typer


def remember(folder: Path) -> None:
    """Keep in mind that the bot in this folder is yours; where that cannot be done, say so and go on."""
    from arena.errors import RosterError
    from arena.roster import trust

    try:
        trust.remember(folder)
    except (RosterError, OSError) as error:
        where = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        typer.echo(f"arena: it cannot be remembered that this bot is yours: {where}. Say --trust each time.", err=True)
