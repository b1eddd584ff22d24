"""Objectives of which the best values are known, seen through noise."""

from collections.abc import Mapping, Sequence
from random import Random

from arena.roster.tunables import Number, Tunable
from arena.tuning.spsa import USUAL, Ascent, Gains, place_of

PARAMETERS = (
    Tunable("depth", 1, 9, 3, True),
    Tunable("idle", 0.0, 1.0, 0.5),
    Tunable("pace", 0.0, 2.0, 1.8),
    Tunable("river", -10.0, 10.0, 6.0),
)
START: dict[str, Number] = {"depth": 3, "idle": 0.5, "pace": 1.8, "river": 6.0}
BEST: dict[str, Number] = {"depth": 7, "pace": 0.7, "river": -2.0}
"""`idle` does not matter."""
CURVES = {"depth": 5.0, "pace": 6.0, "river": 5.0}
"""How much a whole range away from the best costs, twice, in deviations of a unit."""


def worth(values: Mapping[str, Number]) -> float:
    wide = {one.name: one.high - one.low for one in PARAMETERS}
    return -sum(CURVES[name] * ((values[name] - best) / wide[name]) ** 2 / 2 for name, best in BEST.items())


def units(values: Sequence[Mapping[str, Number]], count: int, dice: Random, scale: float = 1.0) -> list[float]:
    """What units between two settings are worth to the first."""
    plus, minus = values
    return [scale * (worth(plus) - worth(minus) + dice.gauss(0, 1)) for _ in range(count)]


def tuned(seed: int, iterations: int = 150, count: int = 8, gains: Gains = USUAL, scale: float = 1.0) -> Ascent:
    """A run on the objective; a negative scale turns it upside down."""
    ascent, dice = Ascent(PARAMETERS, seed, place_of(PARAMETERS, START), gains), Random(seed)
    for _ in range(iterations):
        ascent.learn(units(ascent.trial().values, count, dice, scale))
    return ascent
