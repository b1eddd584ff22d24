"""The `arena` command with all its subcommands, and what becomes of errors."""

import errno
import gc
import io
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from arena.cli.building import Building
from arena.cli.exits import BUILD, MATCH, Exit, Reported, import_all
from arena.cli.terminal import is_terminal, say
from arena.cli.volume import at, heard
from arena.errors import ArenaError, BotRefused, Interrupted, LaunchError, LeagueError, RosterError, SettingError
from arena.texts import cut, safe
from engine.errors import EngineError, SetupError, UnknownGame

EXITS: Mapping[type[Exception], Exit] = {
    SetupError: Exit.CONFIGURATION,
    UnknownGame: Exit.CONFIGURATION,
    EngineError: Exit.USAGE,
    BotRefused: Exit.BOT,
    RosterError: Exit.CONFIGURATION,
    SettingError: Exit.CONFIGURATION,
    LeagueError: Exit.CONFIGURATION,
    LaunchError: Exit.ENVIRONMENT,
    Interrupted: Exit.INTERRUPTED,
    ArenaError: Exit.FAILURE,
}
"""The exit code of an error is that of the first class here that it belongs to."""
Table = Mapping[str, Sequence[str]]
"""Commands in the order of the help: module and function of each in arena.cli, and the modules that it needs when it
runs. They are texts, so that a command imports no other: up to `arena play` itself that took 172 ms, and now 77."""
COMMANDS: Table = {
    "demo.demo": (*MATCH, "arena.league.run", "arena.league.page"),
    "play.play": ("arena.match.tiers",),  # it imports the rest while the sandbox is tried out
    "human.human": (*MATCH, "arena.match.person"),
    "new_bot.new_bot": (*MATCH, *BUILD, "arena.roster.kits", "arena.roster.trust"),
    "trace.trace": MATCH,
    "check.check": (*MATCH, *BUILD, "arena.check.examiner", "arena.roster.trust"),
    "replay.replay": ("arena.replay.verify", "arena.match.record_file"),
    "stderr.stderr": ("arena.match.record_file",),
    "ask.ask": (*MATCH, "arena.replay.ask"),
    "whatif.whatif": (*MATCH, *BUILD, "arena.replay.whatif"),
    "verify.verify": ("arena.replay.whatif", "arena.match.record_file"),
    "duel.duel": (*MATCH, "arena.league.run"),
    "place.place": (*MATCH, "arena.league.run", "arena.ladder.frozen", "arena.ladder.conduct"),
    "tune.tune": (*MATCH, "arena.league.run", "arena.tuning.found", "arena.tuning.kind", "tabulate"),
    "serve.serve": ("arena.league.page",),
    "games.games": ("tabulate",),
    "games.rules": ("tabulate",),
    "games.position": ("tabulate",),
    "docs.docs": ("tabulate",),
    "doctor.doctor": ("arena.doctor.machine",),
    "completion.completion": (),
    "help.help_": (),
}
LEAGUE: Table = {
    "league_list.list_leagues": ("arena.league.heartbeat", "tabulate"),
    "league.run": (*MATCH, *BUILD, "arena.league.run"),
    "roster.new": ("arena.league.run", "tomlkit"),
    "roster.add": ("arena.league.run", "tomlkit"),
    "roster.update": ("arena.league.run",),
    "roster.retire": ("arena.league.run", "tomlkit"),
    "roster.history": ("arena.league.results", "tabulate"),
    "league.status": ("arena.league.heartbeat", "arena.league.recorded", "arena.league.results"),
    "league.standings": ("arena.league.results", "arena.league.kinds", "tabulate"),
    "league.report": ("arena.league.page",),
    "league_site.site": ("arena.league.page",),
    "league.export": ("arena.league.store",),
    "league.merge": ("arena.league.evidence",),
    "league.verify": ("arena.league.evidence",),
    "league.reveal": ("arena.league.deals", "arena.league.store"),
    "league.audit": ("arena.league.audit",),
}
NAMES = {"league_list.list_leagues": "list", "help.help_": "help", "bench.all_": "all"}
"""Commands that are not called like their functions, because Python has a meaning for the word."""
BENCH: Table = {
    "bench.all_": ("arena.bench.parts", "tabulate"),
    "bench.engine": ("arena.bench.engine", "tabulate"),
    "bench.referee": ("arena.bench.referee", "tabulate"),
    "bench.sandbox": ("arena.bench.sandbox", "tabulate"),
    "bench.league": ("arena.bench.league", "tabulate"),
    "bench.kits": ("arena.bench.kits", "tabulate"),
    "bench.web": ("arena.bench.web", "tabulate"),
    "bench.start": ("arena.bench.start", "tabulate"),
    "bench.ratings": ("arena.bench.ratings", "tabulate"),
    "bench.bots": ("arena.bench.bots", "tabulate"),
}
GROUPS: Mapping[str, Table] = {"league.league": LEAGUE, "bench.bench": BENCH}
"""Groups of commands, after the commands: module and function that explain each."""
MISTAKE: type[Exception] = typer.BadParameter.__mro__[1]
"""The class of BadParameter and of all other errors that typer raises for a wrong command line."""
LONGEST = 1000
"""Characters shown of such an error."""
OURS = {
    r"Input should be greater than or equal to (\S+)": r"expected \1 or more",
    r"Input should be less than or equal to (\S+)": r"expected at most \1",
    r"Input should be a valid integer, unable to parse .*": "expected a whole number",
    r"Input should be a valid number, unable to parse .*": "expected a number",
}
"""How typer's library says which values an option takes, and how we do."""
SHORTAGES = {
    errno.EMFILE: "Is there a limit, such as `ulimit -n`? Raise it.",
    errno.ENFILE: "Other programs have too many files open. End some of them.",
    errno.ENOMEM: "Is there a limit, such as `ulimit -v`? Raise it, or end other programs.",
    errno.EAGAIN: "Is there a limit on processes, such as `ulimit -u`? Raise it, or end other programs.",
}
"""Errors for what the machine, or one of its limits, has too little of, and the way out."""
HINTS = {errno.ENOSPC: "Is there room for the output?", **SHORTAGES}

T = TypeVar("T")


def run() -> NoReturn:
    """Run the command line and leave with its exit code."""
    settle_streams()
    volume, words = heard(sys.argv[1:])
    code: object = Exit.OK
    try:
        with at(volume):
            words = ["--version"] if words == ["version"] else words
            code = build(words)(words, prog_name="arena", standalone_mode=False)
    except MISTAKE as error:
        _show_where(error)
        _say_mistake(error)
        raise Reported(Exit.USAGE) from None
    except typer.Abort:
        say("the input has ended")
        raise Reported(Exit.FAILURE) from None
    except (EngineError, ArenaError) as error:
        _show_where(error)
        if isinstance(error, Interrupted) and is_terminal(sys.stderr):
            typer.echo(err=True)  # the terminal has just shown ^C
        say(safe(str(error)))  # it may quote a stranger's file
        raise Reported(next(code for kind, code in EXITS.items() if isinstance(error, kind))) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        hint = f". {HINTS[error.errno]}" if error.errno in HINTS else ""
        _show_where(error)
        say(f"{safe(where)}{error.strerror or error}{hint}")
        _forget_output()
        sys.exit(Exit.ENVIRONMENT if error.errno in SHORTAGES else Exit.FAILURE)
    sys.exit(code if isinstance(code, int) else Exit.OK)


def _say_mistake(error: Any) -> None:
    """A mistake on the command line, and where the right form is explained.

    Typer makes an error of a group without a command, too: its help. An error may quote anything that was typed.
    """
    if error.ctx is not None and error.message == error.ctx.get_help():
        typer.echo(error.message, err=True)
        return
    words = cut(safe(error.format_message()), LONGEST).removeprefix("Invalid value: ")
    if similar := getattr(error, "possibilities", None):
        words = f"{cut(safe(error.message), LONGEST)}. Did you mean {' or '.join(sorted(similar))}?"
    for pattern, ours in OURS.items():
        words = re.sub(pattern, ours, words)
    path = error.ctx.command_path if error.ctx is not None else "arena"
    say(f"{words}{'' if words.endswith(('.', '?')) else '.'} See `{path} --help`.")


def _show_where(error: Exception) -> None:
    """With --verbose, the lines of the arena that an error came through."""
    if logging := sys.modules.get("logging"):
        logging.getLogger("arena").debug("this error came from:", exc_info=error)


def _forget_output() -> None:
    """Python flushes stdout again when it exits; if that fails again, it exits with a code of its own."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def settle_streams() -> None:
    """Accept streams that are closed, or that cannot encode box-drawing characters."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:  # closed: a pipe to a bot must not get this number
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # stderr escapes such characters by itself


def build(words: Sequence[str] = ()) -> typer.Typer:
    """The `arena` command with all its subcommands, or only with the one that these words begin with.

    Only what is in it is imported, and typer takes 8 ms to read the parameters of all commands.
    """
    first, second = (*words, "", "")[:2]
    plain, groups = _named(first, COMMANDS), _named(first, GROUPS)
    if first == "help":  # it explains all commands, or the one that follows
        plain, groups = {**plain, **_named(second, COMMANDS)}, _named(second, GROUPS)
        second = (*words, "", "", "")[2]
    if first == "help" and len(plain) + len(groups) == 1:
        plain, groups = COMMANDS, GROUPS
    if not plain and not groups:
        plain, groups = COMMANDS, GROUPS
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    _fill(app, arena, plain)
    for place, commands in groups.items():
        group = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
        _fill(group, _function(place), _named(second, commands) or commands)
        app.add_typer(group, name=_name(place))
    return app


def _named(word: str, table: Mapping[str, T]) -> Mapping[str, T]:
    """The command or group of this name alone, if there is one."""
    return {place: needs for place, needs in table.items() if _name(place) == word}


def _name(place: str) -> str:
    """What the user types."""
    return NAMES.get(place, place.rpartition(".")[2].replace("_", "-"))


def _function(place: str) -> Callable[..., None]:
    module, _, name = f"arena.cli.{place}".rpartition(".")
    import_all([module])
    function: Callable[..., None] = getattr(sys.modules[module], name)
    return function


def _fill(app: typer.Typer, about: Callable[..., None], commands: Table) -> None:
    app.callback()(about)
    for place, modules in commands.items():
        app.command(_name(place), cls=Building)(_importing(modules, _function(place)))


def _importing(modules: Sequence[str], command: Callable[..., None]) -> Callable[..., None]:
    """The command, which first imports all that it needs."""

    @wraps(command)
    def run_command(*args: Any, **kwargs: Any) -> None:
        import_all(modules)
        gc.enable()
        command(*args, **kwargs)

    return run_command


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from arena.version import VERSION, make

        typer.echo(f"arena {VERSION} ({make()})")
        raise typer.Exit


def arena(
    _version: Annotated[
        bool, typer.Option("-V", "--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """An arena where bots in any language play board games against each other.

    Start with `arena demo`. `arena help COMMAND` explains a command.
    """
