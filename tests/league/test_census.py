"""What one pass over the results counts: the same as from all of them at once, in bounded memory."""

import random
from collections import Counter
from dataclasses import replace
from statistics import median

import pytest

from arena.league.elo import outcome
from arena.league.report.census import MOST_EXACT, MOST_FAULTS, Census, Times
from tests.league.test_report import LEAGUE, NAMES


def taken(micros: int) -> dict[str, int]:
    return {"decisions": 1, "total_us": micros, "p99_us": micros, "most_us": micros, "cpu_us": micros}


def times_of(values: list[int]) -> Times:
    times = Times()
    for value in values:
        times.add(taken(value))
    return times


def test_the_median_of_few_times_is_exact():
    values = [random.Random(3).randint(0, 10**7) for _ in range(MOST_EXACT)]
    assert times_of(values).is_exact
    assert times_of(values).p99 == median(values)


@pytest.mark.parametrize("top", [1, 50, 3000, 10**6, 10**11])
def test_the_median_of_many_times_is_within_a_percent_and_depends_on_no_order(top):
    dice = random.Random(top)
    values = [round(top * dice.lognormvariate(0, 1)) for _ in range(3 * MOST_EXACT)]
    times = times_of(values)
    assert not times.is_exact
    assert times.p99 == pytest.approx(median(values), rel=0.01, abs=0.5)
    assert times_of(sorted(values)).p99 == times.p99
    assert len(times._bins) < 2500


def test_games_and_points_of_any_two_bots_are_those_of_their_matches():
    pairs = Census.of(LEAGUE).pairs
    for bot, other in ((bot, other) for bot in NAMES for other in NAMES if bot != other):
        met = [row for row in LEAGUE if {bot, other} <= set(row.bots)]
        won = sum(outcome(row.ranks[row.bots.index(bot)], row.ranks[row.bots.index(other)]) for row in met)
        assert (pairs.games(bot, other), pairs.points(bot, other)) == (len(met), won)
    assert pairs.games("ember", "ember") == pairs.games("ember", "stranger") == 0


def test_a_bot_that_has_not_played_has_met_nobody():
    pairs = Census.of(LEAGUE).pairs
    low, high = pairs.least_and_most(len(NAMES))
    assert 0 < low < high
    assert pairs.least_and_most(len(NAMES) + 1) == (0, high)


def test_the_faults_that_are_kept_are_the_first_of_each_bot_and_kind_then_the_second():
    dice = random.Random(1)
    kinds = ("late", "illegal", "crash")
    rows = [
        replace(
            row, faults=tuple({"kind": dice.choice(kinds), "seat": seat, "decision": 1, "text": ""} for seat in (0, 2))
        )
        for row in LEAGUE
    ]
    seen: Counter[tuple[str, str]] = Counter()
    order: list[tuple[int, int, str, str, str]] = []
    for row in rows:
        for fault in row.faults:
            kind = (row.bots[fault["seat"]], fault["kind"])
            order.append((seen[kind], len(order), row.match, *kind))
            seen[kind] += 1
    faults = Census.of(rows).faults
    wanted = sorted(sorted(order)[:MOST_FAULTS], key=lambda one: one[1])
    assert [(one.match, one.bot, one.fault["kind"]) for one in faults.examples()] == [one[2:] for one in wanted]
    assert (faults.counts, faults.all) == (seen, len(order))
    assert len(faults._kept) == MOST_FAULTS < len(order)
