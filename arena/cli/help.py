"""`arena help COMMAND`."""

from typing import Annotated, Any

import typer


def help_(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command, such as play or league run.")
    ] = None,
) -> None:
    """Explain a command: `arena help play` is `arena play --help`."""
    here: Any = ctx.parent
    assert here is not None
    for word in command or []:
        found = getattr(here.command, "get_command", lambda *_: None)(here, word)
        if found is None:
            raise typer.BadParameter(f"there is no command '{here.command_path} {word}'")
        here = typer.Context(found, info_name=word, parent=here)
    typer.echo(here.get_help())
