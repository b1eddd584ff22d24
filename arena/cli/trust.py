"""`--trust`: a bot is yours if you say so."""

from pathlib import Path

from arena.cli.terminal import say


def remember(folder: Path) -> None:
    """Remember that the bot in this folder is yours. If that fails, print why and go on."""
    from arena.errors import RosterError
    from arena.roster import trust

    try:
        trust.remember(folder)
    except (RosterError, OSError) as error:
        where = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        say(f"cannot remember that this bot is yours: {where}. Use --trust each time.")
