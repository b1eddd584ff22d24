"""`arena help COMMAND`."""

from typing import Annotated, Any

import typer


def help_(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command, such as play or league run.")
    ] = None,
    man: Annotated[bool, typer.Option("--man", help="Print a page for `man` with all commands.")] = False,
) -> None:
    """Explain a command: `arena help play` is `arena play --help`.

    All commands as a manual page: `arena help --man >arena.1 && man ./arena.1`.
    """
    here: Any = ctx.parent
    assert here is not None
    if man:
        from arena.cli.man import man_page

        if command:
            raise typer.BadParameter("--man: the page has all commands. Name none.")
        typer.echo(man_page(here), nl=False)
        return
    for word in command or []:
        found = getattr(here.command, "get_command", lambda *_: None)(here, word)
        if found is None:
            raise typer.BadParameter(f"there is no command '{here.command_path} {word}'")
        here = typer.Context(found, info_name=word, parent=here)
    typer.echo(here.get_help())
