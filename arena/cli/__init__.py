"""The command line. Data goes to stdout, words to stderr; every foreseeable mistake is one line and an exit code."""

import sys
from enum import IntEnum
from typing import NoReturn

import typer

from engine.errors import EngineError, SetupError


class Exit(IntEnum):
    """How a command ends."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    BOT = 3
    CONFIGURATION = 4
    ENVIRONMENT = 5
    INTERRUPTED = 130


def build() -> typer.Typer:
    """The `arena` command with all its subcommands."""
    from arena.cli import bench, demo, games

    app = typer.Typer(
        help="An arena where game-playing bots in any language fight at board games.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in (demo.demo, games.games, games.rules, games.position):
        app.command()(command)
    app.add_typer(bench.app, name="bench")
    return app


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    try:
        build()(prog_name="arena")
    except EngineError as error:
        typer.echo(f"arena: {error}", err=True)
        sys.exit(Exit.CONFIGURATION if isinstance(error, SetupError) else Exit.USAGE)
    except OSError as error:
        typer.echo(f"arena: {error.strerror or error}. Is there room for the output?", err=True)
        sys.exit(Exit.FAILURE)
    sys.exit(Exit.OK)
