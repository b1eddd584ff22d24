"""Who plays in a league: every version of every bot that ever joined, and how the roster changed. Values only.

Theory of operation. The store keeps a row for each version, which never changes, and a log of changes of the roster,
which only grows: a bot joins with a version, gets another one, or retires. The changes that were made at once share an
epoch; epoch 0 is the beginning, and its bots are the founders. The roster is what the log says in the end.

Results name the versions that played. So results of old versions stay, and count for the versions that made them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arena.league.season import Newcomer

SHOWN_KEY = 6
"""Digits of a key that are shown where two versions have the same number."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A bot as it joined the league. Two versions differ in their files or their command."""

    key: str
    name: str
    """In the league."""
    version: str
    """The number that its author gave it."""
    digest: str
    """Of its files; what records say."""
    program: tuple[str, ...]
    """The words of its command, the same on every machine."""
    archive: str = ""
    """The digest that names its archive. Empty for built-in bots, which are played where they are."""
    entry: Mapping[str, Any] = field(default_factory=dict)
    """The bot as `Entry.plain` describes it."""


@dataclass(frozen=True, slots=True)
class RosterChange:
    """A bot that joined, got another version, or retired."""

    epoch: int
    at: str
    """When, in UTC: 2026-05-01T12:00:00Z."""
    name: str
    key: str | None
    """Its version from now on; None: it retires."""


@dataclass(frozen=True, slots=True)
class Reign:
    """A time in which a version was in the roster."""

    key: str
    joined: str
    left: str | None


@dataclass(frozen=True)
class Lineup:
    """All versions by key, and all changes in their order."""

    versions: Mapping[str, BotVersion]
    changes: Sequence[RosterChange]

    @cached_property
    def current(self) -> dict[str, BotVersion]:
        """The roster, by name."""
        last = {change.name: change.key for change in self.changes}
        return {name: self.versions[key] for name, key in last.items() if key is not None}

    @cached_property
    def keys(self) -> dict[str, str]:
        """The keys of the roster, by name."""
        return {name: version.key for name, version in self.current.items()}

    @property
    def epoch(self) -> int:
        """Of the last change."""
        return self.changes[-1].epoch if self.changes else 0

    @property
    def founders(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(change.name for change in self.changes if change.epoch == 0))

    @property
    def newcomers(self) -> tuple[Newcomer, ...]:
        """The bots that joined later, in the order of joining, each with the roster that it joined."""
        found, roster, seen = list[Newcomer](), set[str](), set(self.founders)
        for epoch in range(self.epoch + 1):
            new = [change for change in self.changes if change.epoch == epoch]
            roster -= {change.name for change in new if change.key is None}
            roster |= {change.name for change in new if change.key is not None}
            for name in sorted({change.name for change in new} & roster - seen):
                found.append(Newcomer(name, tuple(sorted(roster - {name}))))
                seen.add(name)
        return tuple(found)

    @property
    def is_first(self) -> bool:
        """Whether every version that ever joined is in the roster."""
        return len(self.versions) == len(self.current)

    def reigns(self, name: str) -> list[Reign]:
        """When which version of a bot was in the roster."""
        changes = [change for change in self.changes if change.name == name]
        ends = [change.at for change in changes[1:]] + [None]
        return [Reign(one.key, one.at, end) for one, end in zip(changes, ends) if one.key is not None]

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each version is called in a table, by key: a current one by its name alone, and no two the same."""
        found, taken = dict[str, str](), set(self.current)
        for key, one in sorted(self.versions.items()):
            if self.keys.get(one.name) == key:
                found[key] = one.name
                continue
            short = f"{one.name} {one.version}"
            twins = [
                other for other in self.versions.values() if (other.name, other.version) == (one.name, one.version)
            ]
            names = (short, f"{short} ({key[:SHOWN_KEY]})", f"{short} ({key})", f"({key})")
            found[key] = next(name for name in names[len(twins) > 1 :] if name not in taken)
            taken.add(found[key])
        return found
