"""The kind of league that tunes a bot: two settings of it meet, and the results of each part decide the next two."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from arena.errors import SettingError
from arena.league import schedule
from arena.league.kinds import Entrants, LeagueKind, Part, ScheduleKeys
from arena.league.results import ResultsSoFar
from arena.league.store import Row, Store
from arena.roster.tunables import Tunable
from arena.tuning.spsa import USUAL, Ascent, Chosen, Gains, Place
from arena.tuning.units import alike, units_of

LEAST_ALIKE = 16
"""Units after which a bot is suspected of ignoring its values, if the games of each went the same way."""
IGNORED = "both settings play alike"
SIDES = ("+", "-")
"""What the names of the two settings end with."""


@dataclass(frozen=True, slots=True)
class Tuning(LeagueKind):
    """Iterations of SPSA. In each, two settings of one bot meet in some units of two matches, with seats exchanged."""

    name = "tuning"
    is_in_files = False
    follows_results = True
    pairs_settings = True
    bot: str
    parameters: tuple[Tunable, ...]
    start: Place
    iterations: int
    units: int
    is_on_score: bool = True
    """Whether points count, or ranks."""
    gains: Gains = USUAL

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> "Tuning":  # noqa: ARG003
        raise SettingError("a tuning is begun by `arena tune` alone.")

    @property
    def plus(self) -> str:
        return self.bot + SIDES[0]

    @property
    def minus(self) -> str:
        return self.bot + SIDES[1]

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        field = [bot for bot in entrants.bots if bot not in (self.plus, self.minus)]
        units = self.iterations * self.units
        return schedule.duel(self.plus, self.minus, field, entrants.seats, units, entrants.dice)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        ascent, fixtures = self.ascent(entrants.dice), iter(self.plan(entrants))
        for number in range(self.iterations):
            tune = tuple(zip((self.plus, self.minus), map(_ordered, ascent.trial().values)))
            yield [replace(fixture, tune=tune) for fixture in islice(fixtures, 2 * self.units)]
            ascent.learn(self.measured(so_far.store, number))

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        """Only at the beginning: a bot that has once played differently does not ignore its values."""
        if not LEAST_ALIKE <= len(blocks) < LEAST_ALIKE + self.units:
            return ""
        return IGNORED if all(alike(so_far.store.rows(0, LEAST_ALIKE))) else ""

    def ascent(self, dice: int) -> Ascent:
        """The run before its first iteration."""
        return Ascent(self.parameters, dice, self.start, self.gains)

    def measured(self, store: Store, iteration: int) -> list[float]:
        """What the units of an iteration were worth to the setting plus; empty if it has not been played to the end."""
        rows = self.rows_of(store, iteration)
        return units_of(rows, self.plus, self.minus, self.is_on_score) if len(rows) == 2 * self.units else []

    def rows_of(self, store: Store, iteration: int) -> Sequence[Row]:
        first = iteration * self.units
        return list(store.rows(first, first + self.units))

    def so_far(self, store: Store, dice: int) -> Ascent:
        """The run with all iterations that have been played to the end."""
        ascent = self.ascent(dice)
        for number in range(self.iterations):
            units = self.measured(store, number)
            if not units:
                break
            ascent.learn(units)
        return ascent

    def identity(self) -> dict[str, Any]:
        return {
            "challengers": [self.plus, self.minus],
            "parameters": {
                one.name: [one.low, one.high, at, one.is_whole] for one, at in zip(self.parameters, self.start)
            },
            "units": self.units,
            "on": "score" if self.is_on_score else "rank",
            "gains": [self.gains.step, self.gains.spread, self.gains.stability],
        }


def _ordered(values: Mapping[str, Any] | Chosen) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(values.items()))
