"""Where points come from: the zones of a game's breakdown, by bot."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

NUMBERED = re.compile(r"(.*\D)\d+")
Totals = Mapping[str, Counter[str]]
"""Points by bot and zone."""


@lru_cache(maxsize=1024)
def _stem(key: str) -> str | None:
    """The part of a key before the number at its end."""
    found = NUMBERED.fullmatch(key)
    return found[1] if found else None


@lru_cache(maxsize=1024)
def _by_stem(keys: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """The numbered keys of one seat, by stem."""
    found: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        if (stem := _stem(key)) is not None:
            found[stem].append(key)
    return {stem: frozenset(same) for stem, same in found.items()}


@dataclass(slots=True)
class Zones:
    """Points and numbers by bot and key, and which keys are numbered differently from seat to seat."""

    _points: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _times: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Of numbered keys only, in how many matches the bot had them."""
    _keys: dict[str, None] = field(default_factory=dict)
    """All keys, in the order in which they first occur."""
    _seen: dict[str, frozenset[str]] = field(default_factory=dict)
    """By stem, the keys of the first seat that has some."""
    _varying: set[str] = field(default_factory=set)
    """Stems of keys whose numbers differ from seat to seat, such as d1, d2 ... of Dinodocus."""

    def add(self, bot: str, part: Mapping[str, int]) -> None:
        points, keys = self._points[bot], tuple(part)
        for key, number in part.items():
            points[key] += number
        if not self._keys.keys() >= part.keys():
            self._keys.update(dict.fromkeys(keys))
        for stem, same in _by_stem(keys).items():
            self._times[bot].update(same)
            if self._seen.setdefault(stem, same) != same:
                self._varying.add(stem)

    @property
    def are_combined(self) -> bool:
        return bool(self._varying)

    def names(self) -> list[str]:
        """The columns, in the order in which they first occur."""
        return list(dict.fromkeys(zone for key in self._keys for zone in self._zones_of(key)))

    def totals(self) -> Totals:
        return {bot: self._total(bot) for bot in self._points}

    def _total(self, bot: str) -> Counter[str]:
        total: Counter[str] = Counter()
        for key, points in self._points[bot].items():
            zone, *counted = self._zones_of(key)
            total[zone] += points
            for number in counted:
                total[number] += self._times[bot][key]
        return total

    def _zones_of(self, key: str) -> Sequence[str]:
        """The column of a key's points and, if keys of its stem are combined, the column that counts them."""
        stem = _stem(key)
        return (f"{stem}1, {stem}2 …", f"number of {stem}…") if stem in self._varying else (key,)
