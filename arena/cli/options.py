"""The rule options of a game: how they are read from the command line, and how they are shown."""

from collections.abc import Mapping
from typing import Any

import typer

from arena.cli.tables import table
from arena.errors import SettingError
from arena.options import contents
from arena.texts import SHOWN, one_line, quoted
from engine.contract import Game, Option, Value, changed, settle, spell


def option_table(options: Mapping[str, Option]) -> str:
    """Name, values, help and rule of each option."""
    rows = [[name, _values(option), option.help, option.rule] for name, option in options.items()]
    return table(rows, ["option", "values, default first", "meaning", "rule"])


def _values(option: Option) -> str:
    values = [option.default, *(value for value in option.values if spell(value) != spell(option.default))]
    return " ".join([*map(spell, values), *(["FILE"] if option.text else [])])


def read_options(options: Mapping[str, Option], words: list[str]) -> dict[str, Value]:
    """Options from the command line: name=value, or name=file for options that take a text."""
    given: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise typer.BadParameter(f"{quoted(word)} is not of the form name=value, such as season=winter")
        if name in given:
            raise typer.BadParameter(f"option {one_line(name, SHOWN)} is given twice")
        given[name] = read_value(name, options[name], text) if name in options else text
    return given


def changed_options(game: Game[Any], words: list[str]) -> dict[str, Value]:
    """The options from the command line that differ from their defaults. SetupError for an unknown one."""
    known = game.options()
    return changed(known, settle(game.name, known, read_options(known, words)))


def read_value(name: str, option: Option, text: str) -> Value:
    """An option's value from the command line: one that the option lists, a text, or a file with a text."""
    try:
        value = contents(option, option.read(text))
    except SettingError as error:
        raise SettingError(f"option {name}: {error}") from None
    return value if option.text is None or option.takes(value) else option.text(str(value))
