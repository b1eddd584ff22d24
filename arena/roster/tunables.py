"""Parameters of a bot that the arena may set, under `[tune]` in bot.toml.

    [tune]
    pace = { min = 0, max = 1, default = 0.33 }
    depth = { min = 1, max = 6, default = 2, whole = true }

In the `start` of every match the bot receives a value for each of them: the default, unless another was chosen. So two
settings of one bot can meet, and `arena tune` can look for the best. The record of every match shows the values.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from arena.texts import cut, meant

Number = int | float
MOST_PARAMETERS = 48
"""More than a few can hardly be tuned, and each is sent in every match."""
LARGEST = 10**12
"""Every number of a parameter lies between this and its negative, so that all languages can read it."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
NAMED = "a letter, then up to 39 letters, digits, '_', '-' or '.'"
SHAPE = "{ min = 0, max = 1, default = 0.5 }"
KEYS = ("min", "max", "default", "whole")


@dataclass(frozen=True, slots=True)
class Tunable:
    """A parameter with the values that it may have."""

    name: str
    low: Number
    high: Number
    default: Number
    is_whole: bool = False

    def settled(self, value: Number) -> Number:
        """A value that it may have, as it is sent: an integer if it is whole, and else a float."""
        return round(value) if self.is_whole else float(value)

    def fault(self, value: Any) -> str | None:
        """Why it cannot have this value, with the way out; None if it can."""
        if not _is_number(value):
            return f"tune.{self.name}: expected a number, got {cut(repr(value))}."
        if not self.low <= value <= self.high:
            return f"tune.{self.name}: expected {self.low:g} to {self.high:g}, got {value:g}."
        if self.is_whole and value != round(value):
            return f"tune.{self.name}: expected a whole number, got {value:g}."
        return None


Values = tuple[tuple[str, Number], ...]
"""Parameters with the values that were chosen for them, ordered by name. Those with their defaults are left out."""


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value) and abs(value) <= LARGEST


def tunables(table: Mapping[str, Any]) -> tuple[tuple[Tunable, ...], list[str]]:
    """The parameters of a `[tune]`, and its mistakes."""
    found, mistakes = list[Tunable](), list[str]()
    if len(table) > MOST_PARAMETERS:
        return (), [f"tune: {len(table)} parameters, and {MOST_PARAMETERS} are the most."]
    for name, parts in table.items():
        wrong = list(_mistakes(name, parts))
        mistakes += wrong
        if not wrong:
            one = Tunable(name, parts["min"], parts["max"], parts["default"], parts.get("whole", False))
            low, high, default = map(one.settled, (one.low, one.high, one.default))
            found.append(Tunable(name, low, high, default, one.is_whole))
    return tuple(sorted(found, key=lambda one: one.name)), mistakes


def _mistakes(name: str, parts: object) -> list[str]:
    """What is wrong with the parameter of this name, one sentence for each mistake."""
    if not NAME.fullmatch(name):
        return [f"tune: {cut(repr(name))} is not a name for a parameter: {NAMED}."]
    where = f"tune.{name}"
    if not isinstance(parts, Mapping):
        return [f"{where}: expected a range and a default, got {cut(repr(parts))}. Write: {name} = {SHAPE}"]
    wrong = [
        f"{where}.{cut(key)}: there is no such key.{meant(key, KEYS)} Keys: {', '.join(KEYS)}."
        for key in parts
        if key not in KEYS
    ]
    if lacking := [key for key in KEYS[:3] if key not in parts]:
        wrong.append(f"{where}: {' and '.join(lacking)} missing. Write: {name} = {SHAPE}")
    wrong += [
        f"{where}.{key}: expected a number of at most {LARGEST:g}, got {cut(repr(parts[key]))}."
        for key in KEYS[:3]
        if key in parts and not _is_number(parts[key])
    ]
    if type(parts.get("whole", False)) is not bool:
        wrong.append(f"{where}.whole: expected true or false, got {cut(repr(parts['whole']))}.")
    return wrong or _range_mistakes(where, parts)


def _range_mistakes(where: str, parts: Mapping[str, Any]) -> list[str]:
    low, high, default = (parts[key] for key in KEYS[:3])
    wrong = [
        f"{where}.{key}: expected a whole number, got {parts[key]:g}."
        for key in KEYS[:3]
        if parts.get("whole") and parts[key] != round(parts[key])
    ]
    if not low < high:
        wrong.append(f"{where}: min {low:g} and max {high:g}: the first must be lower.")
    elif not low <= default <= high:
        wrong.append(f"{where}.default: expected {low:g} to {high:g}, got {default:g}.")
    return wrong


def chosen(known: Sequence[Tunable], given: Mapping[str, Any]) -> tuple[Values, list[str]]:
    """These values in their order, without defaults, and what is wrong with them, one sentence for each mistake."""
    by_name = {one.name: one for one in known}
    found, mistakes = dict[str, Number](), list[str]()
    for name, value in given.items():
        one = by_name.get(name)
        if one is None:
            listed = f" Parameters: {', '.join(by_name)}." if by_name else " Its bot.toml has no [tune]."
            mistakes.append(f"tune: there is no parameter {cut(repr(name))}.{meant(name, list(by_name))}{listed}")
        elif fault := one.fault(value):
            mistakes.append(fault)
        elif one.settled(value) != one.default:
            found[name] = one.settled(value)
    return tuple(sorted(found.items())), mistakes
