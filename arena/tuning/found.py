"""What a tuning has found: values with their intervals, as a table, as TOML, for programs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.roster.tunables import Number, Tunable
from arena.tuning.confidence import Interval, intervals
from arena.tuning.spsa import Ascent, Place, value_at


@dataclass(frozen=True, slots=True)
class TunedParameter:
    """What was found for one parameter."""

    one: Tunable
    start: Number
    value: Number
    interval: tuple[Number, Number] | None
    """Where the best value lies, 95 times in 100; None if the games do not show it."""
    course: tuple[Number, ...]
    """Its values at the start and after each iteration, not rounded."""


def found(ascent: Ascent) -> list[TunedParameter]:
    """What a run has found so far."""
    parameters = ascent.parameters
    sure = intervals(ascent.trials, ascent.differences, len(parameters))
    columns = zip(ascent.start, *ascent.path)
    return [_found(*parts) for parts in zip(parameters, ascent.start, ascent.proposal, sure, columns)]


def _found(one: Tunable, start: float, at: float, sure: Interval | None, column: Place) -> TunedParameter:
    course = tuple(_exact(one, place) for place in column)
    interval = None if sure is None else (value_at(one, sure[0]), value_at(one, sure[1]))
    return TunedParameter(one, value_at(one, start), value_at(one, at), interval, course)


def _exact(one: Tunable, at: float) -> float:
    return one.low + at * (one.high - one.low)


def plain(tuned: Sequence[TunedParameter]) -> Iterator[dict[str, Any]]:
    """For programs."""
    for parameter in tuned:
        low, high = parameter.interval or (None, None)
        yield {
            "name": parameter.one.name,
            "min": parameter.one.low,
            "max": parameter.one.high,
            "whole": parameter.one.is_whole,
            "start": parameter.start,
            "value": parameter.value,
            "low": low,
            "high": high,
        }


def manifest_block(known: Sequence[Tunable], values: dict[str, Number]) -> str:
    """The `[tune]` of a bot.toml with these values as defaults."""
    lines = ["[tune]"]
    for one in known:
        whole = ", whole = true" if one.is_whole else ""
        default = values.get(one.name, one.default)
        lines.append(f"{_key(one.name)} = {{ min = {one.low!r}, max = {one.high!r}, default = {default!r}{whole} }}")
    return "\n".join(lines) + "\n"


def values_file(bot: str, name: str, values: dict[str, Number], remark: str) -> str:
    """A file that is the bot with these values."""
    lines = [
        f"# {remark}",
        f"bot = {json.dumps(bot, ensure_ascii=False)}",
        f"name = {json.dumps(name, ensure_ascii=False)}",
    ]
    return "\n".join([*lines, "", "[tune]", *(f"{_key(key)} = {value!r}" for key, value in values.items())]) + "\n"


def _key(name: str) -> str:
    """A dot in a bare key would begin a table."""
    return json.dumps(name) if "." in name else name
