"""How things look in a terminal, and how plainly in a pipe."""

import os
import sys
from collections.abc import Mapping

import typer

from engine.game import Option, Outcome, Paint, Value, plain, spell


def painter() -> Paint:
    """Colours for a terminal; none for a pipe or when NO_COLOR is set (no-color.org)."""
    return _paint if sys.stdout and sys.stdout.isatty() and not os.environ.get("NO_COLOR") else plain


def _paint(text: str, colour: str) -> str:
    return typer.style(text, bold=True) if colour == "bold" else typer.style(text, fg=colour, bold=True)


def table(rows: list[list[str]], headers: list[str]) -> str:
    """A table of texts; numbers stay as they are written."""
    from tabulate import tabulate

    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True)


def option_rows(options: Mapping[str, Option]) -> list[list[str]]:
    """Name, default, values, help and rule of each option."""
    return [
        [name, spell(option.default), " ".join(map(spell, option.values)), option.help, option.rule]
        for name, option in options.items()
    ]


def read_options(options: Mapping[str, Option], words: list[str]) -> dict[str, Value]:
    """Options as people write them, name=value."""
    given: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise typer.BadParameter(f"{word!r} is not written as name=value, for instance season=winter")
        if name in given:
            raise typer.BadParameter(f"option {name} is given twice")
        given[name] = options[name].read(text) if name in options else text
    return given


def outcome_table(outcome: Outcome) -> str:
    """Points by zone, one column for each seat."""
    seats = range(len(outcome.scores))
    zones = list(outcome.breakdown[0])
    rows = [[zone, *(str(outcome.breakdown[seat][zone]) for seat in seats)] for zone in zones]
    rows += [["score", *map(str, outcome.scores)], ["rank", *map(str, outcome.ranks)]]
    return table(rows, ["zone", *(f"seat {seat}" for seat in seats)])
