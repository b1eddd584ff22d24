"""How sure a tuned value is, by all the games of a run.

Theory of operation. Near its best value a parameter costs the square of its distance. If parameters do not depend on
each other, the expected difference of two settings p and m is

    sum over parameters i of  b_i (p_i - m_i) - h_i (p_i^2 - m_i^2) / 2

and b_i / h_i is the best place. So b and h follow by least squares from the settings of all iterations and their mean
differences. The interval of b_i / h_i is Fieller's: all places u at which b_i - h_i u, the slope there, is not
certainly above or below zero.

Where h_i is not certainly above zero, the games show no peak, and there is no interval: the parameter matters too
little, or was never far enough away. As places follow the noise of earlier games, they seem to be drawn back although
nothing draws them, as a random walk does. So h_i must be PEAK errors above zero, the bound of Dickey and Fuller (1979)
for an error of 2.5 %, and not 1.96.
"""

import math
from collections.abc import Sequence

import numpy as np

from arena.league.statistics import CONFIDENCE, t_quantile
from arena.tuning.spsa import PairedSettings

PEAK = 3.12
MIDDLE = 0.5
"""Places are measured from here: far from zero, b and h would be hard to tell apart."""

Interval = tuple[float, float]


def intervals(trials: Sequence[PairedSettings], differences: Sequence[float], parameters: int) -> list[Interval | None]:
    """For each parameter where its best place lies, 95 times in 100; None if these games do not show it."""
    freedom = len(trials) - 2 * parameters
    if freedom < 3:
        return [None] * parameters
    plus = np.array([trial.plus for trial in trials]) - MIDDLE
    minus = np.array([trial.minus for trial in trials]) - MIDDLE
    design = np.hstack([plus - minus, (minus**2 - plus**2) / 2])
    found, _, rank, _ = np.linalg.lstsq(design, np.array(differences), rcond=None)
    if rank < 2 * parameters:
        return [None] * parameters
    residuals = np.array(differences) - design @ found
    covariance = np.linalg.inv(design.T @ design) * float(residuals @ residuals) / freedom
    reach = t_quantile((1 + CONFIDENCE) / 2, freedom)
    return [_fieller(found, covariance, i, parameters + i, reach) for i in range(parameters)]


def _fieller(found: np.ndarray, covariance: np.ndarray, b: int, h: int, reach: float) -> Interval | None:
    """Where (b - h u)^2 <= reach^2 times its variance, cut to the range."""
    square = reach**2
    a2 = found[h] ** 2 - square * covariance[h, h]
    a1 = found[b] * found[h] - square * covariance[b, h]
    a0 = found[b] ** 2 - square * covariance[b, b]
    inside = a1**2 - a2 * a0
    if found[h] < max(PEAK, reach) * math.sqrt(covariance[h, h]) or a2 <= 0 or inside < 0:
        return None
    low, high = ((a1 + side * math.sqrt(inside)) / a2 + MIDDLE for side in (-1, 1))
    return min(1.0, max(0.0, float(low))), min(1.0, max(0.0, float(high)))
