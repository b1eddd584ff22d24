"""How well `arena tune` would do with other gains: SPSA on objectives whose best values are known, seen through noise.

    python benchmarks/tune_gains.py [--runs 30] [--iterations 100] [--units 8]

For each step and spread it prints what the proposed values still lose against the best ones, in standard deviations of
a unit, as a mean of some runs. No games are played. docs/tune.md explains what it shows.
"""

import argparse
from random import Random

import typer

from arena.roster.tunables import Tunable
from arena.tuning.spsa import Ascent, Gains

OBJECTIVES = {
    "one parameter, steep": ([0.9], [0.3], [4.0]),
    "one parameter, flat": ([0.9], [0.3], [1.0]),
    "six parameters": ([0.9, 0.5, 0.2, 0.5, 0.5, 0.5], [0.3, 0.5, 0.5, 0.6, 0.4, 0.5], [4.0, 2.0, 2.0, 1.0, 1.0, 0.2]),
}
"""Where they start, where the best is, and twice what a whole range away from it costs."""
STEPS, SPREADS = (0.02, 0.05, 0.1), (0.06, 0.12, 0.16, 0.24)


def loss(place: tuple[float, ...], best: list[float], curves: list[float]) -> float:
    return sum(curve * (at - peak) ** 2 / 2 for at, peak, curve in zip(place, best, curves))


def left(objective: str, gains: Gains, seed: int, iterations: int, units: int) -> float:
    """What one run still loses."""
    start, best, curves = OBJECTIVES[objective]
    parameters = [Tunable(f"p{number}", 0.0, 1.0, 0.5) for number in range(len(start))]
    ascent, dice = Ascent(parameters, seed, tuple(start), gains), Random(seed)
    for _ in range(iterations):
        pair = ascent.trial()
        difference = loss(pair.minus, best, curves) - loss(pair.plus, best, curves)
        ascent.learn([difference + dice.gauss(0, 1) for _ in range(units)])
    return loss(ascent.proposal, best, curves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--units", type=int, default=8)
    given = parser.parse_args()
    for name, (start, best, curves) in OBJECTIVES.items():
        typer.echo(f"{name}; at the start {loss(tuple(start), best, curves):.3f}")
        typer.echo("  step  spread " + " ".join(f"{spread:>6}" for spread in SPREADS))
        for step in STEPS:
            row = [
                sum(left(name, Gains(step, spread), seed, given.iterations, given.units) for seed in range(given.runs))
                for spread in SPREADS
            ]
            typer.echo(f"  {step:<13}" + " ".join(f"{total / given.runs:6.3f}" for total in row))


if __name__ == "__main__":
    main()
