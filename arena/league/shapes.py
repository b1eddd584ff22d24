"""What a league's file may contain: the shape of every column and setting, in one place.

A file may be damaged, or come from a stranger. So whatever is read from it is checked against these tables first, and
the rest of the arena can rely on it: lists have an entry for each seat, seats of faults exist, numbers are numbers.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import SettingError
from arena.league.clocks import LeagueClock
from arena.match.hosts import MOST_CORES, MOST_SPEED, MOST_WORD, Host
from arena.texts import cut

MOST_SEATS = 64
MOST_NUMBER = 2**53
MOST_SECONDS = 2**37
"""Since 1970: the year 6325, which a calendar still knows."""
MOST_SEED = 10**1000
MATCH_ID = re.compile(r"[0-9a-f]{24}")
"""What identifies a match: part of a digest, and the name of its record."""
VERSION_KEY = re.compile(r"[0-9a-f]{16}")
DIGITS = re.compile(r"[0-9a-f]{1,64}")
HOST_ID = re.compile(r"[0-9a-f]{16}|")


class Damaged(ValueError):
    """A value does not have its shape; the text says which value."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value may be: in words for an error, and as a test."""

    words: str
    fits: Callable[[Any], bool]

    def check(self, name: str, value: Any) -> None:
        if not self.fits(value):
            raise Damaged(f"{name}: expected {self.words}, got {cut(ascii(value))}")


def is_match_id(value: object) -> bool:
    return isinstance(value, str) and MATCH_ID.fullmatch(value) is not None


def is_host_id(value: object) -> bool:
    """Whether it is what identifies a host, or empty because the host is not known."""
    return isinstance(value, str) and HOST_ID.fullmatch(value) is not None


def _is_key(value: Any) -> bool:
    return type(value) is str and VERSION_KEY.fullmatch(value) is not None


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_NUMBER


def _is_number(value: Any) -> bool:
    return type(value) is int and abs(value) <= MOST_NUMBER


def _is_seed(value: Any) -> bool:
    return type(value) is int and abs(value) < MOST_SEED


def _is_text(value: Any) -> bool:
    return type(value) is str


def _list_of(fits: Callable[[Any], bool], least: int = 0, most: int = MOST_SEATS) -> Callable[[Any], bool]:
    return lambda value: type(value) in (list, tuple) and least <= len(value) <= most and all(map(fits, value))


def _map_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is dict and all(map(fits, value.values()))


def _is_fault(value: Any) -> bool:
    return (
        type(value) is dict
        and all(_is_text(value.get(key)) for key in ("kind", "text"))
        and all(key in value and (value[key] is None or _is_whole(value[key])) for key in ("seat", "decision"))
    )


TIMES = ("decisions", "total_us", "p99_us", "most_us", "cpu_us")
"""What is known about each seat's time."""


def _are_times(value: Any) -> bool:
    return type(value) is dict and all(_is_whole(value.get(key)) for key in TIMES)


def _is_clock(value: Any) -> bool:
    try:
        return type(value) is dict and LeagueClock.from_plain(value) is not None
    except SettingError:
        return False


def _up_to(most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and 1 <= value <= most


def _are_distinct_texts(value: Any) -> bool:
    return _list_of(_is_text, most=MOST_NUMBER)(value) and len(set(value)) == len(value)


_WHOLE = Shape("a whole number", _is_whole)
_FEW = Shape("a number from 1 to 4096", lambda value: _is_whole(value) and 1 <= value <= 4096)
_SEED = Shape("an integer", _is_seed)
_DIGITS = Shape("hexadecimal digits", lambda value: _is_text(value) and DIGITS.fullmatch(value) is not None)
_TEXT = Shape("a text", _is_text)
_NAMES = Shape("a list of different names", _are_distinct_texts)
_SUSPECTS = Shape("a list of seats", _list_of(lambda value: _is_whole(value) and value < MOST_SEATS))
_MAP = Shape("a map", _map_of(lambda _: True))
_WORD = Shape(f"a text of at most {MOST_WORD} characters", lambda value: _is_text(value) and len(value) <= MOST_WORD)
_KEY = Shape("16 hexadecimal digits", _is_key)
_WORDS = Shape("a list of words", _list_of(_is_text, most=MOST_NUMBER))

RESULT: Mapping[str, Shape] = {
    "match": Shape("24 hexadecimal digits", is_match_id),
    "plan": _WHOLE,
    "block": _WHOLE,
    "rotation": _WHOLE,
    "seed": _SEED,
    "bots": Shape("a list of 2 to 64 names", _list_of(_is_text, 2)),
    "ranks": Shape("a list of places", _list_of(lambda value: _is_whole(value) and 1 <= value <= MOST_SEATS)),
    "scores": Shape("a list of numbers", _list_of(_is_number)),
    "breakdown": Shape("a list of points by zone", _list_of(_map_of(_is_number))),
    "faults": Shape("a list of faults", _list_of(_is_fault, most=MOST_NUMBER)),
    "times": Shape("a list of times", _list_of(_are_times)),
    "steps": _WHOLE,
    "digest": _TEXT,
    "versions": Shape("a list of keys of versions", _list_of(_is_key)),
    "epoch": _WHOLE,
    "host": Shape("the id of a host, or nothing", is_host_id),
}
"""The columns of a result."""
STORED = ("match", "plan", "block", "rotation", "steps", "digest", "epoch", "host")
"""Columns that are stored as they are; the others are JSON."""

HOST: Mapping[str, Shape] = {
    "name": _WORD,
    "cores": Shape(f"a whole number from 1 to {MOST_CORES}", _up_to(MOST_CORES)),
    "speed": Shape(f"a whole number from 1 to {MOST_SPEED}", _up_to(MOST_SPEED)),
    "python": _WORD,
    "machine": _WORD,
    "calibration": Shape("a version", _up_to(MOST_NUMBER)),
}
"""The facts of a host, in the order of its fields. Its id follows from them."""
_FACTS = Shape(f"a map of {', '.join(HOST)}", lambda value: type(value) is dict and value.keys() == HOST.keys())

SETTING: Mapping[str, Shape] = {
    "name": _TEXT,
    "game": _TEXT,
    "seed": Shape("an integer, or nothing", lambda value: value is None or _is_seed(value)),
    "deals": Shape("fresh or shared", lambda value: value in ("fresh", "shared")),
    "secret": _DIGITS,
    "commitment": _DIGITS,
    "planned": _WHOLE,
    "runs": Shape(
        "times of runs",
        lambda value: (
            type(value) is dict
            and value.keys() == {"first", "began", "seen", "new"}
            and all(_is_whole(one) and one < MOST_SECONDS for one in value.values())
        ),
    ),
    "playing": Shape("a list of tables", _list_of(_list_of(_is_text, 2), most=MOST_NUMBER)),
    "sandbox": _TEXT,
    "scheme": _TEXT,
    "anchor": Shape("ratings by name", _map_of(lambda value: type(value) in (int, float))),
    "order": _NAMES,
    "schedule": Shape(
        "a kind and sizes of tables",
        lambda value: (
            type(value) is list
            and _is_text(next(iter(value), None))
            and _list_of(lambda size: _is_whole(size) and 2 <= size <= MOST_SEATS, 1)(value[1:])
        ),
    ),
    "bots": Shape("versions and digests by name", _map_of(_list_of(_is_text, 2, 2))),
    "options": _MAP,
    "clock": Shape("the times of a clock", _is_clock),
    "commands": Shape("lists of words by name", _map_of(_list_of(_is_text, most=MOST_NUMBER))),
    "challengers": _NAMES,
    "seeding": _NAMES,
    "ladder": _MAP,
    "groups": _FEW,
    "advance": _FEW,
    "cycles": _FEW,
    "final": Shape("knock_out or round_robin", lambda value: value in ("knock_out", "round_robin")),
    "authors": Shape("lists of names, one for each author", _list_of(_are_distinct_texts, most=MOST_NUMBER)),
}
"""Settings that the arena uses; all others are only compared."""
NEEDED = frozenset(("name", "game", "seed", "planned", "sandbox", "order", "schedule", "bots"))


def read_column(name: str, stored: Any) -> Any:
    """The value of a column of a result; lists are tuples."""
    value = stored if name in STORED else _json(name, stored)
    RESULT[name].check(name, value)
    return tuple(value) if type(value) is list else value


def read_setting(key: Any, stored: Any) -> Any:
    _TEXT.check("settings", key)
    value = _json(key, stored)
    if key in SETTING:
        SETTING[key].check(key, value)
    return value


def read_host(identity: Any, stored: Any) -> Host:
    """A host, from its id and its facts. The id must follow from them, so that no two hosts have the same."""
    facts = _json("host", stored)
    _FACTS.check("host", facts)
    for name, shape in HOST.items():
        shape.check(f"host.{name}", facts[name])
    host = Host.from_plain(facts)
    if identity != host.id:
        raise Damaged(f"host: expected the id {host.id}, which follows from its facts, got {cut(ascii(identity))}")
    return host


def read_version(*stored: Any) -> tuple[Any, ...]:
    """Key, name, version, digest, program, archive and entry of a version of a bot."""
    key, name, version, digest, program, archive, entry = stored
    _KEY.check("version", key)
    for value in (name, version, digest):
        _TEXT.check(f"version {key}", value)
    words, facts = _json("program", program), _json("entry", entry)
    _WORDS.check("program", words)
    _MAP.check("entry", facts)
    if archive:
        _DIGITS.check("archive", archive)
    return key, name, version, digest, tuple(words), archive, facts


def read_change(epoch: Any, at: Any, name: Any, key: Any) -> tuple[Any, ...]:
    """Epoch, date, name and key of a change of the roster."""
    _WHOLE.check("change", epoch)
    for value in (at, name):
        _TEXT.check("change", value)
    if key is not None:
        _KEY.check("change", key)
    return epoch, at, name, key


def read_attempt(match: Any, reason: Any) -> tuple[str, str]:
    """Why a match did not count."""
    for value in (match, reason):
        _TEXT.check("attempts", value)
    return match, reason


def read_suspects(match: Any, stored: Any) -> tuple[str, list[int]]:
    """Which seats were suspects in an attempt."""
    _TEXT.check("attempts", match)
    suspects = _json("suspects", stored)
    _SUSPECTS.check("suspects", suspects)
    return match, suspects


def _json(name: str, text: Any) -> Any:
    if type(text) is not str:
        raise Damaged(f"{name}: expected JSON, got {cut(ascii(text))}")
    try:
        return json.loads(text)
    except RecursionError:
        raise Damaged(f"{name}: this JSON is nested too deeply") from None
    except ValueError as error:  # not JSON, or a number with thousands of digits
        raise Damaged(f"{name}: not valid JSON: {error}") from None


def check_lengths(bots: Sequence[str], **lists: Sequence[Any]) -> None:
    """Damaged unless each list has an entry for each bot."""
    for name, entries in lists.items():
        if len(entries) != len(bots):
            raise Damaged(f"{name}: {len(entries)} entries for {len(bots)} bots")


def check_seats(bots: Sequence[str], faults: Sequence[Mapping[str, Any]]) -> None:
    for fault in faults:
        if fault["seat"] is not None and fault["seat"] >= len(bots):
            raise Damaged(f"faults: seat {fault['seat']}, but there are {len(bots)} bots")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Damaged if a setting that a league needs is missing. No settings at all is a league that has not begun."""
    if settings and (missing := sorted(NEEDED - settings.keys())):
        raise Damaged(f"settings: {', '.join(missing)}: missing")
