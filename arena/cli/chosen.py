"""`--tune SEAT.NAME=VALUE`: values for the parameters of bots, from the command line."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from arena.roster.entries import Entry

SeatValues = Annotated[
    list[str] | None,
    typer.Option(
        "--tune",
        metavar="SEAT.NAME=VALUE",
        help="A value for a parameter of the bot in this seat, such as 0.pace=0.4. Can be repeated.",
    ),
]
SideValues = Annotated[
    list[str] | None,
    typer.Option(
        "--tune",
        metavar="SIDE.NAME=VALUE",
        help="A value for a parameter of A or B, such as A.pace=0.4. Can be repeated.",
    ),
]


def with_chosen(entries: "Sequence[Entry]", words: Sequence[str] | None, places: Sequence[str]) -> "list[Entry]":
    """The bots with these values. `places` are what a word calls the bots, in the same order."""
    from arena.roster.entries import with_values

    values: dict[str, dict[str, Any]] = {place: {} for place in places}
    for word in words or []:
        (place, name), value = _parts(word, places)
        values[place][name] = value
    chosen = (with_values(entry, values[place]) for entry, place in zip(entries, places))
    return [*chosen, *entries[len(places) :]]


def with_start(entry: "Entry", words: Sequence[str]) -> "Entry":
    """The bot with the values of `--start NAME=VALUE`."""
    from arena.roster.entries import with_values

    values: dict[str, Any] = {}
    for word in words:
        name, is_given, text = word.partition("=")
        if not (name and is_given):
            raise typer.BadParameter(f"--start {word}: expected a parameter, =, and a number, as in pace=0.4")
        values[name] = _number(f"--start {word}", text)
    return with_values(entry, values)


def _parts(word: str, places: Sequence[str]) -> tuple[tuple[str, str], int | float]:
    left, is_given, text = word.partition("=")
    place, is_dotted, name = left.partition(".")
    if not (is_given and is_dotted and name) or place not in places:
        raise typer.BadParameter(
            f"--tune {word}: expected {' or '.join(places)}, a dot, a parameter, =, and a number, as in "
            f"{places[0]}.pace=0.4"
        )
    return (place, name), _number(f"--tune {word}", text)


def _number(what: str, text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter(f"{what}: expected a number after the =, got {text!r}")
    return value
