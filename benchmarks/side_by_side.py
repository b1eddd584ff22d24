"""The arena in pure Python and compiled, side by side, and both compared with an earlier run, benchmarks/baseline.json.

    make bench                                                                  # three rounds, about ten minutes
    python -m benchmarks.side_by_side --compiled .venv-fast/bin/arena --keep    # the figures become the baseline

In each round both arenas measure each part in turn, with `arena bench all --short`, so that a busy moment of the
machine disturbs both. A figure is the median of the rounds, its spread reaches from the lowest to the highest. The
baseline holds only ratios to something else of the same round: OpenSpiel, a referee in C, a Python that does nothing,
no sandbox, reading the results. A figure has changed if the spreads do not touch, and the medians differ by more than
NOISE.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tabulate import tabulate

BASELINE = Path(__file__).parent / "baseline.json"
ARENA = Path(sys.executable).parent / "arena"
PURE, COMPILED = "pure", "compiled"
BOTH = ("engine", "referee", "league", "start")
ONE = ("sandbox", "ratings")
"""Parts in which nothing is compiled: pure Python measures them for both."""
ROUNDS = 3
NOISE = 0.05
"""The least difference of medians that counts."""

Parts = Mapping[str, Mapping[str, Any]]
"""The reports of one arena in one round, by part."""


# Figures


@dataclass(frozen=True, slots=True)
class BenchFigure:
    """A number that is read from the reports of a round."""

    name: str
    part: str
    read: Callable[[Parts], float | None]
    is_ratio: bool = True
    is_higher_better: bool = True


def checked(name: str) -> Callable[[Parts], float | None]:
    """The value of a check, under the name that it has in this arena."""
    part, _, rest = name.partition(".")

    def read(parts: Parts) -> float | None:
        values = [
            check["value"] for check in parts[part]["checks"] if check["name"] in (name, f"{part}.compiled_{rest}")
        ]
        return next((value for value in values if value is not None), None)

    return read


def celled(part: str, column: str, **where: str) -> Callable[[Parts], float | None]:
    """A cell of the first row whose columns begin with these words."""

    def read(parts: Parts) -> float | None:
        rows = (row for row in parts[part]["rows"] if all(str(row.get(key)).startswith(where[key]) for key in where))
        row: Mapping[str, Any] = next(rows, {})
        return row.get(column)

    return read


def least(part: str, column: str, start: str) -> Callable[[Parts], float | None]:
    """The smallest cell of the rows whose name begins like this."""
    return lambda parts: min(
        (row[column] for row in parts[part]["rows"] if row["name"].startswith(start)), default=None
    )


def over(
    one: Callable[[Parts], float | None], other: Callable[[Parts], float | None]
) -> Callable[[Parts], float | None]:
    def read(parts: Parts) -> float | None:
        above, below = one(parts), other(parts)
        return above / below if above is not None and below else None

    return read


def per_python(rate: Callable[[Parts], float | None]) -> Callable[[Parts], float | None]:
    """How often it happens while a Python that does nothing starts and ends."""

    def read(parts: Parts) -> float | None:
        found, python_ms = rate(parts), celled("start", "ms", start="python")(parts)
        return found * python_ms / 1e3 if found is not None and python_ms is not None else None

    return read


FRESH, REUSED = checked("league.fresh_matches_per_s_per_core"), checked("league.reused_matches_per_s_per_core")
PYTHON_BOTS = checked("league.fresh_python_matches_per_s")
OURS, LIMIT = "our referee, 5 C bots, default", "C referee without rules, 5 C bots, free"
CPU_US = celled("referee", "cpu_us_per_decision", what=OURS)
HELLO = {tier: celled("sandbox", "median", what="C bot, start", tier=tier) for tier in ("none", "full")}
STANDINGS = celled("ratings", "cpu_s", what="standings, the")
READING = celled("ratings", "cpu_s", what="read the results")

FIGURES = (
    BenchFigure("Draftosaurus, decisions/s", "engine", least("engine", "decisions_per_s", "draftosaurus"), False),
    BenchFigure("Dinodocus, decisions/s", "engine", least("engine", "decisions_per_s", "dinodocus"), False),
    BenchFigure("referee, games/s", "referee", celled("referee", "games_per_s", what=OURS), False),
    BenchFigure("referee, CPU us/decision", "referee", CPU_US, False, False),
    BenchFigure("fresh C bots, matches/s and core", "league", FRESH, False),
    BenchFigure("reused C bots, matches/s and core", "league", REUSED, False),
    BenchFigure("fresh Python bots, matches/s", "league", PYTHON_BOTS, False),
    BenchFigure("arena --help, ms", "start", celled("start", "ms", start="help"), False, False),
    BenchFigure("arena play, ms", "start", celled("start", "ms", start="play"), False, False),
    BenchFigure("Draftosaurus / OpenSpiel", "engine", checked("engine.vs_openspiel")),
    BenchFigure("Dinodocus / OpenSpiel", "engine", checked("engine.vs_gin_rummy")),
    BenchFigure("referee / C", "referee", checked("referee.share_of_c")),
    BenchFigure(
        "referee / C, CPU", "referee", over(CPU_US, celled("referee", "cpu_us_per_decision", what=LIMIT)), True, False
    ),
    BenchFigure("fresh C bots / Python start", "league", per_python(FRESH)),
    BenchFigure("reused C bots / Python start", "league", per_python(REUSED)),
    BenchFigure("fresh Python bots / Python start", "league", per_python(PYTHON_BOTS)),
    BenchFigure("4 workers / 2", "league", checked("league.crowded_share")),
    *(
        BenchFigure(
            f"arena {name} / Python start", "start", celled("start", "ratio_to_python", start=name), True, False
        )
        for name in ("help", "games", "play")
    ),
    BenchFigure("start in a sandbox / without", "sandbox", over(HELLO["full"], HELLO["none"]), True, False),
    BenchFigure("message in a sandbox / without", "sandbox", checked("sandbox.roundtrip_ratio"), True, False),
    BenchFigure("standings of 1,000 bots / reading", "ratings", over(STANDINGS, READING), True, False),
)
"""Amounts are shown, and depend on the machine. Ratios are also compared with the baseline."""


@dataclass(frozen=True, slots=True)
class BenchSpread:
    """A figure in several rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "BenchSpread | None":
        found = sorted(values)
        return cls(median(found), found[0], found[-1]) if found else None

    def __str__(self) -> str:
        return f"{_text(self.median)} ({_text(self.low)}-{_text(self.high)})"


def _text(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def spreads(rounds: Sequence[Parts], figures: Iterable[BenchFigure]) -> dict[str, BenchSpread]:
    """By name, what was measured of these figures."""
    found = {}
    for figure in figures:
        values = [figure.read(parts) for parts in rounds if figure.part in parts]
        spread = BenchSpread.of(value for value in values if value is not None)
        if spread is not None:
            found[figure.name] = spread
    return found


def change(figure: BenchFigure, now: BenchSpread, before: BenchSpread) -> str:
    """`slower`, `faster`, or nothing, if noise can explain it."""
    ratio = now.median / before.median
    is_touching = now.low <= before.high and before.low <= now.high
    if is_touching or abs(ratio - 1) <= NOISE:
        return ""
    return "faster" if (ratio > 1) == figure.is_higher_better else "slower"


# Measuring


def measure(arenas: Mapping[str, Path], parts: Sequence[str], rounds: int) -> dict[str, list[dict[str, Any]]]:
    """By arena, the reports of each round."""
    found: dict[str, list[dict[str, Any]]] = {name: [{} for _ in range(rounds)] for name in arenas}
    for number in range(rounds):
        for part in parts:
            for name, program in arenas.items():
                if name == PURE or part in BOTH:
                    sys.stderr.write(f"round {number + 1} of {rounds}: {part}, {name}\n")
                    found[name][number][part] = report(program, part)
    return found


def report(program: Path, part: str) -> Mapping[str, Any]:
    """What `arena bench all` has measured of a part. If it fails, so does this program, and with its words."""
    words = [str(program), "-q", "bench", "all", "--part", part, "--short", "--json"]
    ended = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(words)}: exit code {ended.returncode}")
    parts: Mapping[str, Any] = json.loads(ended.stdout)["parts"]
    return dict(parts[part])


# Showing


def side_by_side(found: Mapping[str, Mapping[str, BenchSpread]]) -> str:
    """All figures that were measured, of one arena or of both, and what compiling brings."""
    rows = []
    for figure in FIGURES:
        pure, compiled = (found.get(arena, {}).get(figure.name) for arena in (PURE, COMPILED))
        gain = f"{compiled.median / pure.median:.2f}" if pure and compiled else ""
        if pure or compiled:
            rows.append([figure.name, pure or "", compiled or "", gain])
    return tabulate(rows, ["median (lowest-highest)", "pure Python", "compiled", "ratio"], disable_numparse=True)


def compared(found: Mapping[str, Mapping[str, BenchSpread]], baseline: Mapping[str, Any]) -> Iterator[str]:
    """A line for each ratio that has changed beyond noise."""
    for arena, spread_of in found.items():
        before_of = baseline["figures"].get(arena, {})
        for figure in FIGURES:
            if figure.is_ratio and figure.name in spread_of and figure.name in before_of:
                now, before = spread_of[figure.name], BenchSpread(**before_of[figure.name])
                if verdict := change(figure, now, before):
                    yield f"{verdict}, {arena}: {figure.name}: {now}, before {before}"


def to_keep(found: Mapping[str, Mapping[str, BenchSpread]], made: Mapping[str, Any]) -> dict[str, Any]:
    """The baseline: ratios alone, and how they were made."""
    names = [figure.name for figure in FIGURES if figure.is_ratio]
    figures = {arena: {name: _rounded(of[name]) for name in names if name in of} for arena, of in found.items()}
    return {"made": dict(made), "figures": figures}


def _rounded(spread: BenchSpread) -> dict[str, float]:
    return {"median": round(spread.median, 4), "low": round(spread.low, 4), "high": round(spread.high, 4)}


def main() -> None:
    from arena.bench.parts import machine

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--compiled", type=Path, help="the program `arena` of `make fast`; without it, pure Python alone"
    )
    parser.add_argument("--part", action="append", choices=(*BOTH, *ONE), help="only this; can be repeated")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--keep", action="store_true", help=f"write {BASELINE.name}")
    options = parser.parse_args()
    arenas = {PURE: ARENA} | ({COMPILED: options.compiled} if options.compiled else {})
    parts = options.part or (*BOTH, *ONE)
    found = {arena: spreads(rounds, FIGURES) for arena, rounds in measure(arenas, parts, options.rounds).items()}
    sys.stdout.write(f"{side_by_side(found)}\n\n")
    if options.keep:
        command = " ".join(["python -m benchmarks.side_by_side", *sys.argv[1:]])
        load = f"{os.getloadavg()[0]:.1f}"
        made = {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "load": load, "command": command}
        BASELINE.write_text(json.dumps(to_keep(found, made), indent=2) + "\n")
        return
    if not BASELINE.exists():
        sys.stdout.write(f"there is no {BASELINE.name} to compare with; --keep writes it\n")
        return
    baseline = json.loads(BASELINE.read_text("utf-8"))
    lines = list(compared(found, baseline)) or ["nothing has changed beyond noise"]
    on = "{cores} cores, {system}, {python}".format(**baseline["made"]["machine"])
    sys.stdout.write(f"compared with the baseline of {baseline['made']['date']} ({on}):\n")
    sys.stdout.writelines(f"  {line}\n" for line in lines)


if __name__ == "__main__":
    main()
