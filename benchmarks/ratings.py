"""Whether ratings keep their promises: leagues and duels between bots of known strength, as tables.

Scores are drawn, not played: a bot's strength, what its seat is worth, luck that sticks to deal and seat (the next bot
in that seat has it too), and luck of the moment, rounded to whole points. The share of the variance that sticks is 0.02
for drafts with noisy bots, 0.25 where a hand stays with its seat, and more for deterministic bots. With fresh deals no
luck sticks in any game: the share is 0, and the next bot in that seat has its own luck.

Eight bots lie 25 Elo points apart. A block is one table with all rotations of its seats, on one deal or on fresh ones.
The truth that a league should find is not what scores were drawn from, but what the fit would say after infinitely many
games. It is computed here from the chances of all pairs in all seats.

    python benchmarks/ratings.py                     # half an hour on two cores
    python benchmarks/ratings.py --deals fresh       # only the lines with fresh deals
    python benchmarks/ratings.py --leagues 50 --duels 50 --seed 2
"""

import argparse
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, combinations, permutations
from pathlib import Path
from statistics import NormalDist, fmean
from typing import TypeVar

from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.league.duel import Answer, Comparison, Unit, duel, duel_on_score, exchanges_by_rank, exchanges_by_score
from arena.league.elo import Result, elo
from arena.league.fit import Fit, fit
from arena.league.standings import standings
from arena.league.statistics import SCALE, expected, t_quantile, wilson

NORMAL = NormalDist()
BOTS = [f"bot{number}" for number in range(8)]
"""The best first."""
GAP = 25.0
"""Elo points between neighbours."""
DEVIATION = 6.0
"""Of a score, in points."""
SEATS_DIFFER = 1.0
"""Points between the best seat and the worst."""
MOST_UNITS = 20_000
"""Where a duel ends in any case."""
BATCH = 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is played: how many blocks, the seats at a table, and the share of luck that sticks (0 with fresh deals)."""

    seats: int
    luck: float
    blocks: int = 0

    def seat_effect(self, seat: int) -> float:
        return SEATS_DIFFER * (0.5 - seat / (self.seats - 1))


def in_points(elo_points: float) -> float:
    """The difference of mean scores that wins as often as this lead in Elo points."""
    return NORMAL.inv_cdf(expected(elo_points)) * math.sqrt(2) * DEVIATION


STRENGTHS = {bot: -number * in_points(GAP) for number, bot in enumerate(BOTS)}


def play_block(
    setting: Simulation, seatings: Sequence[Sequence[str]], strengths: dict[str, float], block: int, dice: random.Random
) -> Iterator[Result]:
    """A match for each seating, all on one deal, of whose luck a share sticks."""
    stuck, fresh = DEVIATION * math.sqrt(setting.luck), DEVIATION * math.sqrt(1 - setting.luck)
    deal = [20 + setting.seat_effect(seat) + dice.gauss(0, stuck) for seat in range(setting.seats)]
    for turn, bots in enumerate(seatings):
        scores = tuple(round(luck + strengths[bot] + dice.gauss(0, fresh)) for luck, bot in zip(deal, bots))
        ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
        yield Result(block * len(seatings) + turn, block, tuple(bots), ranks, scores)


def play_league(setting: Simulation, dice: random.Random) -> list[Result]:
    """A league whose tables get the bots that have played least."""
    played: Counter[str] = Counter()
    results: list[Result] = []
    for block in range(setting.blocks):
        table = sorted(BOTS, key=lambda bot: (played[bot], dice.random()))[: setting.seats]
        played.update(table)
        dice.shuffle(table)
        rotations = [table[turn:] + table[:turn] for turn in range(setting.seats)]
        results += play_block(setting, rotations, STRENGTHS, block, dice)
    return results


@cache
def truth(setting: Simulation) -> dict[str | int, float]:
    """Bots and seats in Elo points from their means, after infinitely many games; by coordinate-wise iteration."""
    deviation = math.sqrt(2 * (DEVIATION**2 + 1 / 12))  # rounding to points adds 1/12
    points: dict[str | int, float] = {seat: setting.seat_effect(seat) for seat in range(setting.seats)}
    points.update(STRENGTHS)
    cells = [
        (
            (*pair, *seats),
            NORMAL.cdf((points[pair[0]] + points[seats[0]] - points[pair[1]] - points[seats[1]]) / deviation),
        )
        for pair in combinations(BOTS, 2)
        for seats in permutations(range(setting.seats), 2)
    ]
    found = dict.fromkeys(points, 0.0)
    for _ in range(60):
        for one in found:
            slope = curve = 0.0
            for (bot, other, seat, other_seat), share in cells:
                sign = (one in (bot, seat)) - (one in (other, other_seat))
                if sign:
                    chance = expected(found[bot] + found[seat] - found[other] - found[other_seat])
                    slope += sign * (share - chance)
                    curve += chance * (1 - chance)
            found[one] += SCALE * slope / curve
    bots, seats = fmean(found[bot] for bot in BOTS), fmean(found[seat] for seat in range(setting.seats))
    return {one: value - (bots if isinstance(one, str) else seats) for one, value in found.items()}


@dataclass(slots=True)
class Hits:
    """How often each promise was kept, and how often it was tested."""

    held: Counter[str]
    asked: Counter[str]
    width: float = 0.0

    def note(self, promise: str, *outcomes: bool) -> None:
        self.held[promise] += sum(outcomes)
        self.asked[promise] += len(outcomes)

    def share(self, promise: str) -> float:
        return self.held[promise] / self.asked[promise]


def plain_error(results: Sequence[Result], fitted: Fit) -> Callable[[str, str], float]:
    """The standard error of a difference if all pairs of all matches were independent, as many tools assume."""
    met = Counter(chain.from_iterable(permutations(result.bots, 2) for result in results))
    information: dict[tuple[str, str], float] = defaultdict(float)
    for (bot, other), games in met.items():
        chance = expected(fitted.difference(bot, other).value)
        information[bot, bot] += games * chance * (1 - chance)
        information[bot, other] -= games * chance * (1 - chance)
    inverse = inverted([[information[bot, other] + 1e-6 * (bot == other) for other in BOTS] for bot in BOTS])
    place = {bot: number for number, bot in enumerate(BOTS)}

    def error(bot: str, other: str) -> float:
        i, j = place[bot], place[other]
        return SCALE * math.sqrt(inverse[i][i] + inverse[j][j] - 2 * inverse[i][j])

    return error


def inverted(matrix: list[list[float]]) -> list[list[float]]:
    """The inverse of a matrix, by Gauss-Jordan elimination."""
    size = len(matrix)
    rows = [row + [float(k == number) for k in range(size)] for number, row in enumerate(matrix)]
    for k in range(size):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for other in range(size):
            if other != k:
                rows[other] = [value - rows[other][k] * pivot for value, pivot in zip(rows[other], rows[k])]
    return [row[size:] for row in rows]


def judge_leagues(setting: Simulation, seeds: range, seed: int) -> Hits:
    hits = Hits(Counter(), Counter())
    for number in seeds:
        results = play_league(setting, random.Random(f"league {seed} {number} {setting}"))
        judge_league(setting, results, hits)
    return hits


def judge_league(setting: Simulation, results: list[Result], hits: Hits) -> None:
    fitted, true = fit(results, BOTS), truth(replace(setting, blocks=0))
    plain = plain_error(results, fitted)
    for bot in BOTS:
        rating = fitted.rating(bot)
        hits.note("ratings", rating.low <= 1500 + true[bot] <= rating.high)
    for bot, other in combinations(BOTS, 2):
        difference, distance = fitted.difference(bot, other), true[bot] - true[other]
        hits.note("differences", difference.low <= distance <= difference.high)
        hits.note("plain", abs(difference.value - distance) <= t_quantile(0.975, 10**6) * plain(bot, other))
        hits.note("separated", fitted.separated(bot, other))
        hits.note("separated wrongly", difference.high < 0)
        hits.width += (difference.high - difference.low) / 2
    for effect in fitted.seats:
        hits.note("seats", effect.elo.low <= true[effect.seat] <= effect.elo.high)
    classic = elo(results)
    hits.note("best first", fitted.order()[0] == BOTS[0])
    hits.note("all in order", list(fitted.order()) == BOTS)
    hits.note("by classic Elo", sorted(BOTS, key=lambda bot: -classic[bot]) == BOTS)


FRESH = 0.0
"""The share of the luck that sticks if every match has a deal of its own."""
TABLES = {
    "shared": ((0.25, 2), (0.25, 3), (0.25, 4), (0.25, 5), (0.02, 4), (0.6, 4)),
    "fresh": ((FRESH, 2), (FRESH, 3), (FRESH, 4), (FRESH, 5)),
}
LEAGUE_HEADERS = [
    "luck that sticks", "seats", "blocks", "games", "ratings", "differences", "seat effects", "differences, plain",
    "half width, Elo", "pairs separated", "wrongly", "best first", "all in order", "by classic Elo",
]  # fmt: skip


def league_row(setting: Simulation, many: Sequence[Hits]) -> list[str]:
    hits = Hits(sum((one.held for one in many), Counter()), sum((one.asked for one in many), Counter()))
    hits.width = sum(one.width for one in many) / hits.asked["differences"]
    return [
        f"{setting.luck:.2f}", str(setting.seats), str(setting.blocks), str(setting.blocks * setting.seats),
        *(f"{100 * hits.share(promise):.1f} %" for promise in ("ratings", "differences", "seats", "plain")),
        f"{hits.width:.0f}",
        f"{100 * hits.share('separated'):.0f} %", f"{100 * hits.share('separated wrongly'):.2f} %",
        *(f"{100 * hits.share(promise):.0f} %" for promise in ("best first", "all in order", "by classic Elo")),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bout:
    """A duel: A is `elo` points better than B, and the field is as good as B."""

    setting: Simulation
    elo: float
    on: str


def fight(bout: Bout, dice: random.Random) -> Comparison:
    """Play units, some at a time, until there is an answer."""
    exchanges, judge = (exchanges_by_rank, duel) if bout.on == "rank" else (exchanges_by_score, duel_on_score)
    units: list[Unit] = []
    while True:
        units += exchanges(play_exchanges(bout, dice), "A", "B")
        judged = judge(units)
        if judged.answer is not Answer.UNDECIDED or judged.units >= MOST_UNITS:
            return judged


def play_exchanges(bout: Bout, dice: random.Random) -> list[Result]:
    field = [f"field{number}" for number in range(bout.setting.seats - 2)]
    strengths = {**dict.fromkeys([*field, "B"], 0.0), "A": in_points(bout.elo)}
    results: list[Result] = []
    for block in range(128):
        table = ["A", "B", *field]
        dice.shuffle(table)
        exchanged = [{"A": "B", "B": "A"}.get(bot, bot) for bot in table]
        results += play_block(bout.setting, [table, exchanged], strengths, block, dice)
    return results


def fight_all(bout: Bout, seeds: range, seed: int) -> list[Comparison]:
    return [fight(bout, random.Random(f"duel {seed} {number} {bout}")) for number in seeds]


PAIRINGS = {"shared": ((2, 0.25), (4, 0.02), (4, 0.6)), "fresh": ((2, FRESH), (4, FRESH))}
BOUT_HEADERS = [
    "on",
    "luck that sticks",
    "seats",
    "A is better by",
    "yes",
    "no",
    "wrong, 95 %",
    "mean games",
    "Elo at stop",
]


def bout_row(bout: Bout, many: Sequence[Sequence[Comparison]]) -> list[str]:
    duels = [one for some in many for one in some]
    answers = Counter(one.answer for one in duels)
    wrong = answers[Answer.YES if bout.elo <= 0 else Answer.NO]
    low, high = wilson(wrong, len(duels))
    return [
        bout.on, f"{bout.setting.luck:.2f}", str(bout.setting.seats), f"{bout.elo:.0f}",
        *(f"{100 * answers[answer] / len(duels):.1f} %" for answer in (Answer.YES, Answer.NO)),
        f"{100 * low:.1f}-{100 * high:.1f} %",
        f"{fmean(2 * one.units for one in duels):.0f}", f"{fmean(one.elo.value for one in duels):.0f}",
    ]  # fmt: skip


def big_league(seats: int, dice: random.Random) -> list[Result]:
    """100,000 results of 50 bots."""
    strengths = {f"bot{number:02}": number * in_points(5) for number in range(50)}
    setting = Simulation(seats, 0.25)
    results: list[Result] = []
    for block in range(100_000 // seats):
        table = dice.sample(sorted(strengths), seats)
        results += play_block(setting, [table[turn:] + table[:turn] for turn in range(seats)], strengths, block, dice)
    return results


def time_row(seats: int, seed: int) -> list[str]:
    results = big_league(seats, random.Random(seed))
    start = time.process_time()
    lines = standings(results)
    return [str(seats), str(len(results)), str(len(lines)), f"{time.process_time() - start:.1f}"]


def league_settings(deals: str) -> list[Simulation]:
    return [Simulation(seats, luck, blocks) for luck, seats in TABLES[deals] for blocks in (40, 100, 210)]


def bouts_of(deals: str) -> list[Bout]:
    return [
        Bout(Simulation(seats, luck), points, on)
        for on in ("rank", "score")
        for seats, luck in PAIRINGS[deals]
        for points in (0.0, 20.0, 40.0)
    ]


def in_batches(pool: ProcessPoolExecutor, work: Callable[[range], T], count: int) -> list[T]:
    sys.stderr.write(".")
    sys.stderr.flush()
    return list(pool.map(work, [range(at, min(at + BATCH, count)) for at in range(0, count, BATCH)]))


def show(rows: list[list[str]], headers: list[str]) -> None:
    sys.stderr.write("\n")
    sys.stdout.write(tabulate(rows, headers, tablefmt="github", disable_numparse=True) + "\n\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--leagues", type=int, default=1000, help="for each line")
    parser.add_argument("--duels", type=int, default=1000, help="for each line")
    parser.add_argument("--deals", choices=("shared", "fresh"), help="one per block, or one per match; both without it")
    parser.add_argument("--speed", action="store_true", help="time the standings of 100,000 results, too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=None, help="processes; all cores without it")
    given = parser.parse_args()
    kinds = [given.deals] if given.deals else ["shared", "fresh"]
    with ProcessPoolExecutor(given.workers) as pool:
        if given.leagues:
            work = partial(in_batches, pool, count=given.leagues)
            settings = [one for kind in kinds for one in league_settings(kind)]
            leagues = [(one, work(partial(judge_leagues, one, seed=given.seed))) for one in settings]
            show([league_row(*league) for league in leagues], LEAGUE_HEADERS)
        if given.duels:
            work = partial(in_batches, pool, count=given.duels)
            duels = [one for kind in kinds for one in bouts_of(kind)]
            bouts = [(one, work(partial(fight_all, one, seed=given.seed))) for one in duels]
            show([bout_row(*bout) for bout in bouts], BOUT_HEADERS)
    if given.speed:
        show([time_row(seats, given.seed) for seats in (2, 4, 6)], ["seats", "results", "bots", "CPU seconds"])


if __name__ == "__main__":
    main()
