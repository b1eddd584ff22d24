"""What `--help` shows: no types of Python's, and arguments as they are typed.

Every command has the options that this module adds, `--quiet` and `--verbose`; arena.cli.volume obeys them.
"""

import re
from collections.abc import Iterator
from typing import Any

from typer.core import TyperCommand

from arena.cli.volume import DIALOGUES, VOLUME

RANGES = (
    (r"(-?[\d.]+)<=?x<=?(-?[\d.]+)", r"\1 to \2"),
    (r"x>=(-?[\d.]+)", r"\1 or more"),
    (r"x<=(-?[\d.]+)", r"at most \1"),
)
"""How typer writes which numbers are allowed, and how we do."""


class Explained(TyperCommand):
    """A command whose help has no types of Python's."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [_written(one) for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *arguments]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            params = [one for one in self.get_params(ctx) if one.param_type_name == kind]
            rows = [row for param in params for row in _row(param, ctx)]
            if kind == "option" and ctx.command_path.partition(" ")[2] not in DIALOGUES:
                rows[-1:-1] = VOLUME.items()
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _row(param: Any, ctx: Any) -> Iterator[tuple[str, str]]:
    """How a parameter is typed, and what it means; nothing for one that is not shown."""
    if record := param.get_help_record(ctx):
        name, words = record
        yield (_written(param) if param.param_type_name == "argument" else name), _in_words(words)


def _written(param: Any) -> str:
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
