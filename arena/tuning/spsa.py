"""SPSA: simultaneous perturbation stochastic approximation (Spall 1992). Arithmetic only; others play the games.

Theory of operation. A place is a point in the cube of all parameters, each measured in its range: 0 is the smallest
value, 1 the largest. An iteration k = 0, 1, 2 ... throws a coin for each parameter, and moves all of them at once by

    spread_k = spread / (k + 1)^0.101

to one side of the place (the setting plus) and to the other (minus). Both settings meet in some units, each of two
games with exchanged seats. With the mean difference y of plus and minus in standard errors, each parameter moves by

    step_k y / (plus_i - minus_i)       step_k = 2 spread step ((1 + A) / (k + 1 + A))^0.602

towards the setting that was better. The exponents are the usual ones (Spall 1998), the smallest that still converge.
`step` is the part of its range that a parameter moves at first if the difference is one standard error. So nothing
depends on the unit in which points are counted, nor on how noisy they are.

The standard error is that of the units around the mean of their iteration, in all iterations so far. A difference
counts as MOST_ERRORS of them at most, because a few equal units have no deviation.

Where a place is too near to an end of a range, both settings move inwards, so that they are as far apart as elsewhere.
Whole parameters are at least one apart. What the run proposes is the mean of the places in its later half, which
scatter around the optimum (Polyak and Juditsky 1992).

Everything follows from the parameters, the gains, the dice, and the differences so far: the same games give the same
course, however often a run was interrupted.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

from arena.roster.tunables import Number, Tunable

ALPHA, GAMMA = 0.602, 0.101
MOST_ERRORS = 3.0
"""Standard errors that count of a difference."""
DIGITS = 4
"""Of values that are played: at least the ten-thousandth part of a range."""
HALF = 0.500_000_1
LEAST_UNITS = 2
"""In an iteration: one unit has no deviation."""


@dataclass(frozen=True, slots=True)
class Gains:
    """How boldly SPSA moves."""

    step: float = 0.05
    spread: float = 0.16
    stability: int = 10
    """The A above: iterations in which the steps stay large."""

    def step_at(self, iteration: int) -> float:
        """What a difference of one standard error, divided by the distance of the settings, moves a place."""
        first = 1 + self.stability
        return 2 * self.spread * self.step * float((first / (iteration + first)) ** ALPHA)

    def spread_at(self, iteration: int) -> float:
        return self.spread / float((iteration + 1) ** GAMMA)


USUAL = Gains()
Place = tuple[float, ...]
"""For each parameter where it is in its range: 0 to 1."""
Chosen = dict[str, Number]


@dataclass(frozen=True, slots=True)
class PairedSettings:
    """Two settings that are compared in an iteration, as places and as values."""

    plus: Place
    minus: Place
    values: tuple[Chosen, Chosen]


@dataclass(slots=True)
class _Noise:
    """How much units scatter around the means of their iterations."""

    squares: float = 0.0
    freedom: int = 0

    def add(self, units: Sequence[float]) -> None:
        mean = fsum(units) / len(units)
        self.squares += fsum((unit - mean) ** 2 for unit in units)
        self.freedom += len(units) - 1

    def errors(self, units: Sequence[float]) -> float:
        """The mean of these units in standard errors."""
        mean = fsum(units) / len(units)
        error = math.sqrt(self.squares / max(1, self.freedom) / len(units))
        if abs(mean) >= MOST_ERRORS * error:
            return math.copysign(MOST_ERRORS, mean) if mean else 0.0
        return mean / error


@dataclass(slots=True)
class Ascent:
    """A run of SPSA: where it is, and how it got there."""

    parameters: Sequence[Tunable]
    dice: int
    """Decides the coins."""
    start: Place
    gains: Gains = USUAL
    path: list[Place] = field(default_factory=list)
    """The places after each iteration."""
    trials: list[PairedSettings] = field(default_factory=list)
    differences: list[float] = field(default_factory=list)
    """Of plus and minus, the mean of the units of each iteration."""
    _noise: _Noise = field(default_factory=_Noise)

    @property
    def place(self) -> Place:
        return self.path[-1] if self.path else self.start

    def trial(self) -> PairedSettings:
        """The two settings of the next iteration."""
        number = len(self.path)
        ends = []
        for one, at in zip(self.parameters, self.place):
            spread = min(0.5, max(self.gains.spread_at(number), _least_spread(one)))
            middle = min(1 - spread, max(spread, at))
            both = played(one, middle + spread), played(one, middle - spread)
            ends.append(both[:: _coin(self.dice, number, one.name)])
        plus, minus = (tuple(end[side] for end in ends) for side in (0, 1))
        return PairedSettings(plus, minus, (values_at(self.parameters, plus), values_at(self.parameters, minus)))

    def learn(self, units: Sequence[float]) -> None:
        """What the units of the next iteration were worth to the setting plus, and to minus if negative."""
        if len(units) < LEAST_UNITS:
            raise ValueError(f"an iteration of {len(units)} units: expected at least {LEAST_UNITS}")
        trial, number = self.trial(), len(self.path)
        self._noise.add(units)
        push = self.gains.step_at(number) * self._noise.errors(units)
        moved = (at + push / (plus - minus) for at, plus, minus in zip(self.place, trial.plus, trial.minus))
        self.path.append(tuple(min(1.0, max(0.0, at)) for at in moved))
        self.trials.append(trial)
        self.differences.append(fsum(units) / len(units))

    @property
    def proposal(self) -> Place:
        """The mean of the places in the later half of the run."""
        later = self.path[len(self.path) // 2 :] or [self.start]
        return tuple(fsum(column) / len(later) for column in zip(*later))


def _least_spread(one: Tunable) -> float:
    """Half of the distance between two whole numbers, and a little more, because places are rounded."""
    return HALF / (one.high - one.low) if one.is_whole else 0.0


def _coin(dice: int, iteration: int, name: str) -> int:
    """1 or -1. Each parameter has its own coins, so another one beside it changes none of them."""
    digest = hashlib.blake2b(f"dino-arena tune:{dice}:{iteration}:{name}".encode(), digest_size=1).digest()
    return 1 if digest[0] & 1 else -1


# Places and values


def played(one: Tunable, at: float) -> float:
    """The place of the value that is played for a place: a whole number, or one of few digits."""
    return at_value(one, value_at(one, at))


def value_at(one: Tunable, at: float) -> Number:
    """The value that is played at this place."""
    wide = one.high - one.low
    if one.is_whole:
        return min(one.high, max(one.low, math.floor(one.low + at * wide + 0.5)))
    value = round(float(one.low + at * wide), DIGITS - math.floor(math.log10(wide)))
    return min(float(one.high), max(float(one.low), value))


def at_value(one: Tunable, value: Number) -> float:
    """The place of a value."""
    return (value - one.low) / (one.high - one.low)


def values_at(parameters: Sequence[Tunable], place: Place) -> Chosen:
    return {one.name: value_at(one, at) for one, at in zip(parameters, place)}


def place_of(parameters: Sequence[Tunable], values: Chosen) -> Place:
    return tuple(at_value(one, values[one.name]) for one in parameters)
