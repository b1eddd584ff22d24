"""The `arena` command with all its subcommands, and what becomes of errors."""

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from arena.cli import (
    ask,
    bench,
    check,
    demo,
    doctor,
    duel,
    games,
    human,
    league,
    new_bot,
    play,
    replay,
    trace,
    verify,
)
from arena.cli.building import Building
from arena.cli.exits import Exit, Reported, unbroken
from arena.errors import ArenaError, Interrupted, LaunchError, RosterError, SettingError
from arena.texts import cut, safe
from arena.version import VERSION
from engine.errors import EngineError, SetupError

EXITS: Mapping[type[Exception], Exit] = {
    SetupError: Exit.CONFIGURATION,
    EngineError: Exit.USAGE,
    RosterError: Exit.CONFIGURATION,
    SettingError: Exit.CONFIGURATION,
    LaunchError: Exit.ENVIRONMENT,
    Interrupted: Exit.INTERRUPTED,
    ArenaError: Exit.FAILURE,
}
"""The exit code of an error is that of the first class here that it belongs to."""
COMMANDS: Mapping[Callable[..., None], str] = {
    demo.demo: "arena.match.play",
    play.play: "arena.match.play",
    human.human: "arena.match.person",
    new_bot.new_bot: "arena.roster.kits",
    trace.trace: "arena.match.play",
    check.check: "arena.check.examiner",
    replay.replay: "arena.replay.moments",
    ask.ask: "arena.replay.ask",
    verify.verify: "arena.replay.moments",
    duel.duel: "arena.league.run",
    games.games: "arena.cli.games",
    games.rules: "arena.cli.games",
    games.position: "arena.cli.games",
    doctor.doctor: "arena.doctor.machine",
}
"""The commands in the order of the help, and what each imports when it runs: all at once, where Ctrl-C cannot hurt."""
MISTAKE: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong command line: the class of BadParameter and its like."""
LONGEST = 4000
"""Characters that are shown of such a mistake; a group of commands without a command has its help for one."""
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""What the machine, or a limit of it, has too little of."""


class Commands(TyperGroup):
    """All commands. A mistake on the command line may quote whatever stood there: it is cut, and spelled out."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _tame():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _tame():
            return super().invoke(ctx)


@contextmanager
def _tame() -> Iterator[None]:
    try:
        yield
    except MISTAKE as error:
        error.message = safe(cut(error.message, LONGEST))  # type: ignore[attr-defined]  # its class has no public name
        raise


def run() -> NoReturn:
    """Run the command line and leave with its exit code."""
    settle_streams()
    try:
        build()(prog_name="arena")
    except (EngineError, ArenaError) as error:
        typer.echo(f"arena: {safe(str(error))}", err=True)  # it may quote a file of a stranger
        raise Reported(next(code for kind, code in EXITS.items() if isinstance(error, kind))) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        hint = ". Is there room for the output?" if error.errno == errno.ENOSPC else ""
        typer.echo(f"arena: {safe(where)}{error.strerror or error}{hint}", err=True)
        _forget_output()
        sys.exit(Exit.ENVIRONMENT if error.errno in SHORTAGES else Exit.FAILURE)
    sys.exit(Exit.OK)


def _forget_output() -> None:
    """What stdout could not take would be tried again at the end, and Python would leave with a code of its own."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def settle_streams() -> None:
    """A stream that is closed or knows no box-drawing is no reason to fail."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:  # closed: no pipe of a bot is to get this number
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # stderr spells such characters out by itself


def build() -> typer.Typer:
    """The `arena` command with all its subcommands."""
    app = typer.Typer(
        cls=Commands,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(arena)
    for command, module in COMMANDS.items():
        app.command(cls=Building)(_importing(module, command))
    app.add_typer(league.app, name="league")
    app.add_typer(bench.app, name="bench")
    return app


def _importing(module: str, command: Callable[..., None]) -> Callable[..., None]:
    @wraps(command)
    def run_command(*args: Any, **kwargs: Any) -> None:
        with unbroken():
            import_module(module)
        command(*args, **kwargs)

    return run_command


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"arena {VERSION}")
        raise typer.Exit


def arena(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """An arena where game-playing bots in any language fight at board games.

    Begin with `arena demo`. `arena COMMAND --help` explains a command.
    """
