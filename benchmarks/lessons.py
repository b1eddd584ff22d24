"""What the matches of a league teach: what a seat, a pen and a dinosaur are worth, and how much is luck.

    arena league run tournaments/ladder-draftosaurus-2.toml        # or another league
    python -m benchmarks.lessons leagues/ladder-draftosaurus-2 --bots planner search-64 search-256

Each table has 95 % intervals, by matches. Only matches count in which all bots are among those that are named; without
names all do. The winner of a match is who ranks first, the loser who ranks last; matches in which all are equal do not
count for differences.

- seats: the points of a seat against each other one, where a win is 1 and a tie 1/2. Bots take turns in the seats.
- zones: points of each pen or part of the score, by bot, and by how much the winner has more of them than the loser.
  In Dinodocus, how many dinosaurs a bot has in the end, and their points.
- dinosaurs: how many of each species end in the zoo, and how many more the winner has. Draftosaurus only.
- luck: the share of the variance of margins that is left when it is known which two bots play in which seats.
"""

import argparse
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean, pvariance, stdev
from typing import TypeAlias

from tabulate import tabulate

from arena.league.elo import outcome
from arena.league.store import Row, read_store
from arena.league.wire import RECORDS, record_path
from arena.match.record_file import load
from arena.replay.moments import game_of, states

SPECIES = "TDCSGP"
NORMAL_95 = 1.96
TableRow: TypeAlias = list[str]


def mean_text(values: Sequence[float], form: str = ".2f") -> str:
    """A mean with its interval, or a dash."""
    if len(values) < 2:
        return "-"
    half = NORMAL_95 * stdev(values) / math.sqrt(len(values))
    return f"{fmean(values):{form}} ± {half:{form.lstrip('+')}}"


def matches(folder: Path, bots: Collection[str]) -> list[Row]:
    """The matches of these bots, in plan order."""
    with read_store(folder) as store:
        return [row for row in store.rows() if not bots or set(row.bots) <= set(bots)]


def extremes(row: Row) -> tuple[int, int] | None:
    """The seats of the winner and of the loser."""
    first, last = (pick(range(len(row.ranks)), key=row.ranks.__getitem__) for pick in (min, max))
    return (first, last) if row.ranks[first] != row.ranks[last] else None


def seats(rows: Iterable[Row]) -> list[TableRow]:
    """What each seat won against the others, match by match."""
    won = defaultdict[int, list[float]](list)
    for row in rows:
        for seat in range(len(row.ranks)):
            others = [other for other in range(len(row.ranks)) if other != seat]
            won[seat].append(100 * fmean(outcome(row.ranks[seat], row.ranks[other]) for other in others))
    return [[str(seat), f"{mean_text(won[seat], '.1f')} %", str(len(won[seat]))] for seat in sorted(won)]


def by_kind(counts: Iterable[tuple[Row, Sequence[Mapping[str, float]]]]) -> list[TableRow]:
    """Something that is counted for each seat, by bot and as the difference of winner and loser."""
    means = defaultdict[str, dict[str, list[float]]](lambda: defaultdict(list))
    more = defaultdict[str, list[float]](list)
    found = list(counts)
    kinds = list(dict.fromkeys(kind for _, each in found for counted in each for kind in counted))
    for row, each in found:
        for bot, counted in zip(row.bots, each):
            for kind in kinds:
                means[kind][bot].append(counted.get(kind, 0))
        if ends := extremes(row):
            for kind in kinds:
                more[kind].append(each[ends[0]].get(kind, 0) - each[ends[1]].get(kind, 0))
    bots = sorted({bot for row, _ in found for bot in row.bots})
    return [
        [kind, *(mean_text(means[kind][bot], ".1f") for bot in bots), mean_text(more[kind], "+.2f")] for kind in kinds
    ]


def zoos(folder: Path, row: Row) -> list[Mapping[str, float]]:
    """How many dinosaurs of each species every zoo had in the end."""
    record = load(record_path(folder / RECORDS, row.match))
    final = game_of(record).public(states(record)[-1])
    counts = [Counter("".join(zoo.values())) for zoo in final["zoos"]]
    return [{one: counted[one] for one in SPECIES} for counted in counts]


def zones(part: Mapping[str, int]) -> Mapping[str, float]:
    """The parts of a score; dinosaurs that have numbers count together."""
    if not part or not all(re.fullmatch(r"d\d+", zone) for zone in part):
        return part
    return {"dinosaurs": len(part), "points of one": fmean(part.values()), "points of the best": max(part.values())}


def luck(rows: Iterable[Row]) -> str:
    """Which share of the variance of margins does not follow from who sits where."""
    margins = defaultdict[tuple[str, str, int, int], list[int]](list)
    for row in rows:
        for a, b in combinations(range(len(row.bots)), 2):
            margins[row.bots[a], row.bots[b], a, b].append(row.scores[a] - row.scores[b])
    known = [each for each in margins.values() if len(each) > 1]
    every = [one for each in known for one in each]
    if len(known) < 2:
        return "too few matches"
    inside = sum(len(each) * pvariance(each) * len(each) / (len(each) - 1) for each in known) / len(every)
    return f"{min(1.0, inside / pvariance(every)):.0%} of the variance of margins, {math.sqrt(inside):.1f} points"


def table(title: str, headers: Sequence[str], rows: Sequence[TableRow]) -> None:
    sys.stdout.write(f"\n{title}\n\n{tabulate(rows, headers, tablefmt='github', disable_numparse=True)}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("league", type=Path, help="the folder of a league")
    parser.add_argument("--bots", nargs="*", default=[], help="only matches between these")
    parser.add_argument("--records", type=int, default=1000, help="of which dinosaurs are counted")
    given = parser.parse_args()
    rows = matches(given.league, given.bots)
    if not rows:
        sys.stderr.write(f"{given.league} has no match between these bots.\n")
        return 1
    bots = sorted({bot for row in rows for bot in row.bots})
    table(f"Seats, {len(rows)} matches", ["seat", "points against each other", "matches"], seats(rows))
    more = "winner - loser"
    table(
        "Zones, points", ["zone", *bots, more], by_kind((row, [zones(part) for part in row.breakdown]) for row in rows)
    )
    sample = rows[: given.records]
    if _has_zoos(given.league, sample[0]):
        counts = [(row, zoos(given.league, row)) for row in sample]
        table(f"Dinosaurs in the zoo, {len(sample)} matches", ["species", *bots, more], by_kind(counts))
    sys.stdout.write(f"\nLuck: {luck(rows)}\n")
    return 0


def _has_zoos(folder: Path, row: Row) -> bool:
    return load(record_path(folder / RECORDS, row.match)).header.game == "draftosaurus"


if __name__ == "__main__":
    sys.exit(main())
