"""What `--help` shows: no types of Python's, and arguments as they are typed.

Every command has the options that this module adds, `--quiet` and `--verbose`; arena.cli.volume obeys them.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

from typer.core import TyperCommand, TyperOption

from arena.cli.volume import DIALOGUES, VOLUME

RANGES = (
    (r"(-?[\d.]+)<=?x<=?(-?[\d.]+)", r"\1 to \2"),
    (r"x>=(-?[\d.]+)", r"\1 or more"),
    (r"x<=(-?[\d.]+)", r"at most \1"),
)
"""How typer writes which numbers are allowed, and how we do."""
KINDS = {"argument": "Arguments", "option": "Options"}


class Explained(TyperCommand):
    """A command whose help has no types of Python's, and whose options can be set by variables."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for param in self.params:
            if isinstance(param, TyperOption):
                param.envvar = variable(ctx.command_path, param.opts[-1])
                param.show_envvar = param.envvar in os.environ  # help and errors name those that are in use
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [written(one) for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *arguments]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for kind, title in KINDS.items():
            if rows := parameters(ctx, kind):
                with formatter.section(title):
                    formatter.write_dl(rows)


def variable(command: str, option: str) -> str:
    """The environment variable for an option: ARENA_LEAGUE_RUN_WORKERS for --workers of `arena league run`."""
    return "_".join(re.findall(r"[a-z0-9]+", f"{command} {option}")).upper()


def parameters(ctx: Any, *kinds: str) -> list[tuple[str, str]]:
    """How each parameter of a command is typed, and what it means; only of these kinds, argument or option."""
    params = [one for one in ctx.command.get_params(ctx) if one.param_type_name in (kinds or KINDS)]
    rows = [row for param in params for row in _row(param, ctx)]
    if "option" in (kinds or KINDS) and ctx.command_path.partition(" ")[2] not in DIALOGUES:
        rows[-1:-1] = VOLUME.items()
    return rows


def _row(param: Any, ctx: Any) -> Iterator[tuple[str, str]]:
    """How a parameter is typed, and what it means; nothing for one that is not shown."""
    if record := param.get_help_record(ctx):
        name, words = record
        yield (written(param) if param.param_type_name == "argument" else name), _in_words(words)


def written(param: Any) -> str:
    """BOT, BOT..., [FILE]."""
    name = bare(param) + "..." * (param.nargs != 1)
    return name if param.required else f"[{name}]"


def bare(param: Any) -> str:
    """What a parameter is called, without brackets and dots."""
    return re.sub(r"[][.]", "", str(param.metavar or param.name))


def _in_words(text: str) -> str:
    about, bracket, facts = text.rpartition("  [")
    for pattern, words in RANGES:
        facts = re.sub(pattern, words, facts)
    return about + bracket + facts
