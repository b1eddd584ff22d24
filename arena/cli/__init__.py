"""The command line. Data goes to stdout, words to stderr; every foreseeable mistake is one line and an exit code."""

import errno
import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import NoReturn

import typer

from arena.errors import ArenaError, Interrupted, LaunchError, RosterError
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


EXITS: Mapping[type[Exception], Exit] = {
    SetupError: Exit.CONFIGURATION,
    EngineError: Exit.USAGE,
    RosterError: Exit.CONFIGURATION,
    LaunchError: Exit.ENVIRONMENT,
    Interrupted: Exit.INTERRUPTED,
    ArenaError: Exit.FAILURE,
}
"""The exit code of an error is that of the first class here that it belongs to."""


def build() -> typer.Typer:
    """The `arena` command with all its subcommands."""
    from arena.cli import ask, bench, demo, games, human, play, replay, trace, verify

    app = typer.Typer(
        help="An arena where game-playing bots in any language fight at board games.\n\n"
        "Begin with `arena demo`. `arena COMMAND --help` explains a command.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    bots = (play.play, human.human, trace.trace, replay.replay, ask.ask, verify.verify)
    for command in (demo.demo, *bots, games.games, games.rules, games.position):
        app.command()(command)
    app.add_typer(bench.app, name="bench")
    return app


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    try:
        build()(prog_name="arena")
    except (EngineError, ArenaError) as error:
        typer.echo(f"arena: {error}", err=True)
        sys.exit(next(code for kind, code in EXITS.items() if isinstance(error, kind)))
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        hint = ". Is there room for the output?" if error.errno == errno.ENOSPC else ""
        typer.echo(f"arena: {where}{error.strerror or error}{hint}", err=True)
        sys.exit(Exit.FAILURE)
    sys.exit(Exit.OK)
