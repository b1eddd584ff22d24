"""One rating on a ladder that is held: where it is, how well it is known, and which tables come next."""

import math
import random
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from arena.errors import SettingError
from arena.league.elo import Result
from arena.league.placing import HALF, LEAST, LadderPlace, Scale, first_tables, next_tables, place
from arena.league.statistics import SCALE, expected
from benchmarks.placements import STRENGTHS, World

RUNGS = ("low", "middle", "high", "top")
EXACT = Scale(RUNGS, (1000.0, 1300.0, 1500.0, 1800.0), ((0.0,) * 4,) * 4, (0.0, 0.0))


def against(rung, *ranks, first=0):
    """A block for each pair of ranks: that of the bot, with the bot in seat 0 and then in seat 1."""
    return [
        Result(first + at, (first + at) // 2, ("bot", rung)[:: 1 if at % 2 == 0 else -1], _seated(rank, at), (0, 0))
        for at, rank in enumerate(ranks)
    ]


def _seated(rank, at):
    ranks = {1: (1, 2), 2: (2, 1), 0: (1, 1)}[rank]
    return ranks[:: 1 if at % 2 == 0 else -1]


def games(rung, won, lost, first=0):
    """So many games in an order by lot: in one in which each block is won and lost, the seat would decide all."""
    ranks = random.Random(won).sample([1] * won + [2] * lost, won + lost)
    return against(rung, *ranks, first=first)


# Where it is


def test_a_bot_that_wins_half_has_the_rating_of_the_rung():
    assert place(games("high", 200, 200), "bot", EXACT).rating.value == pytest.approx(1500, abs=0.5)


def test_a_bot_that_wins_ten_of_eleven_is_400_above_the_rung():
    assert place(games("middle", 1000, 100), "bot", EXACT).rating.value == pytest.approx(1700, abs=1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(RUNGS), st.sampled_from([0, 1, 2])), min_size=1, max_size=60))
def test_it_is_where_the_likelihood_is_highest(played):
    results = [one for at, (rung, rank) in enumerate(played) for one in against(rung, rank, first=2 * at)]

    def cost(rating):
        found = HALF * math.log(expected(rating - 1800)) + HALF * math.log(1 - expected(rating - 1000))
        for rung, rank in played:
            chance, points = expected(rating - EXACT.ratings[RUNGS.index(rung)]), (0.5, 1, 0)[rank]
            found += points * math.log(chance) + (1 - points) * math.log(1 - chance)
        return -found

    best = minimize_scalar(cost, bounds=(-4000, 7000), method="bounded", options={"xatol": 1e-6})
    assert place(results, "bot", EXACT).rating.value == pytest.approx(best.x, abs=0.5)


def test_the_order_of_results_does_not_matter():
    results = [*games("middle", 20, 10), *games("high", 10, 20, first=30)]
    shuffled = random.Random(1).sample(results, len(results))
    assert place(shuffled, "bot", EXACT) == place(results, "bot", EXACT)


def test_a_bot_that_loses_or_wins_all_is_outside_and_its_rating_is_finite():
    for rung, won, lost, is_outside in (("low", 0, 40, lambda v: v < 1000), ("top", 40, 0, lambda v: v > 1800)):
        found = place(games(rung, won, lost), "bot", EXACT)
        assert is_outside(found.rating.value)
        assert math.isfinite(found.rating.high - found.rating.low)
        assert found.rating.high - found.rating.low > 400
    assert (found.below.rung, found.above) == ("top", None)


def test_without_results_it_is_in_the_middle_and_nothing_is_known():
    found = place([], "bot", EXACT)
    assert found.rating.value == pytest.approx(1400)
    assert found.rating.high - found.rating.low > 2000


def test_the_better_seat_is_no_merit():
    """The bot always has seat 0, which is worth 100 points, and wins as often as the seat alone would make it win."""
    scale = replace(EXACT, seats=(50.0, -50.0))
    won = round(1000 * expected(100))
    results = [Result(at, at, ("bot", "high"), (1, 2) if at < won else (2, 1), (0, 0)) for at in range(1000)]
    assert place(results, "bot", scale).rating.value == pytest.approx(1500, abs=1)


def test_between_which_rungs_it_is_and_how_surely():
    found = place(games("high", 210, 190), "bot", EXACT)
    assert (found.below.rung, found.above.rung) == ("high", "top")
    assert 0.7 < found.below.superiority < 0.95
    assert found.above.superiority < 0.001


def test_results_that_one_number_does_not_explain_are_named():
    assert place([*games("middle", 75, 25), *games("high", 50, 50, first=100)], "bot", EXACT).misfit is None
    odd = place([*games("middle", 50, 50), *games("high", 75, 25, first=100)], "bot", EXACT).misfit
    assert odd is not None
    assert odd.rung in ("middle", "high")


# How well it is known


def with_errors(*errors):
    return replace(EXACT, covariance=tuple(tuple(e * f for f in errors) for e in errors))


def test_the_errors_of_the_rungs_add_to_those_of_the_matches():
    exact = place(games("high", 300, 300), "bot", EXACT)
    found = place(games("high", 300, 300), "bot", with_errors(0, 0, 20, 0))
    assert exact.rating == exact.own == found.own
    assert found.rungs.error == pytest.approx(20)
    assert found.rating.error**2 == pytest.approx(found.own.error**2 + 20**2)


def test_what_all_rungs_share_is_an_error_of_the_rating_and_not_of_the_place():
    """The whole ladder may stand 100 points too high: then so does the bot, and it is between the same rungs."""
    exact = place(games("high", 230, 170), "bot", EXACT)
    found = place(games("high", 230, 170), "bot", with_errors(100, 100, 100, 100))
    assert found.rungs.error == pytest.approx(100)
    assert [one.superiority for one in found.against] == pytest.approx([one.superiority for one in exact.against])


def test_the_error_is_that_of_independent_games():
    found = place(games("high", 500, 500), "bot", EXACT)
    assert found.own.error == pytest.approx(SCALE * 2 / math.sqrt(1000), rel=0.1)


def test_games_of_one_block_that_end_alike_count_as_one():
    both = place(against("high", *[1, 1, 2, 2] * 100), "bot", EXACT)
    apart = place(against("high", *[1, 2, 1, 2] * 100), "bot", EXACT)
    assert both.own.error > 1.3 * SCALE * 2 / math.sqrt(400)
    assert both.own.error > apart.own.error


def test_it_ends_when_it_is_known_well_enough_and_not_before():
    few, many = place(games("high", 8, 8), "bot", EXACT), place(games("high", 450, 450), "bot", EXACT)
    assert few.blocks < LEAST
    assert not few.is_within(1000)
    assert many.is_within(25)
    assert not many.is_within(5)


def test_it_ends_when_only_a_better_ladder_would_help():
    found = place(games("high", 550, 550), "bot", with_errors(0, 0, 12, 0))
    assert (found.rating.high - found.rating.low) / 2 > 25
    assert found.is_within(25), "the larger part of the error is the ladder's"


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "strength"), [(2, 1560.0), (2, 1100.0), (3, 1400.0), (5, 1700.0)])
def test_intervals_contain_the_truth_at_least_18_of_20_times(size, strength):
    """Simulated placements: rungs frozen with errors, the same choice of tables, the same end."""
    world, inside = World(size, 30.0), 0
    for seed in range(20):
        found, _ = world.placed(strength, 40.0, seed)
        inside += found.rating.low <= strength <= found.rating.high
    assert inside >= 18


@pytest.mark.thorough
def test_an_interval_without_the_errors_of_the_rungs_would_be_too_narrow():
    """The control of the test above: with the matches alone, the truth is missed more often."""
    world, missed = World(2, 0.0), 0
    for seed in range(30):
        found, _ = world.placed(STRENGTHS[-1], 50.0, seed)
        missed += not found.own.low <= STRENGTHS[-1] <= found.own.high
    assert missed > 3


# Which tables come next


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_every_rung_is_met_first(size):
    tables = first_tables(EXACT, size)
    assert {rung for table in tables for rung in table} == set(RUNGS)
    assert all(len(set(table)) == size - 1 for table in tables)


def test_then_those_that_are_near():
    results = [*games("middle", 20, 2), *games("high", 12, 10, first=22)]
    tables = list(islice(next_tables(results, "bot", EXACT, 2), 1000))
    met = [table[0] for table in tables]
    assert met[:20] == ["high"] * 20
    assert set(met) > {"high", "middle"}, "in the end not all against one bot, whose style might suit it"
    assert met.count("low") < 50


def test_a_rung_whose_rating_is_not_known_is_left_out():
    near = Scale(("a", "b"), (1500.0, 1500.0), ((0.0, 0.0), (0.0, 150.0**2)), (0.0, 0.0))
    tables = list(islice(next_tables(games("a", 10, 10), "bot", near, 2), 20))
    assert [table[0] for table in tables].count("a") > 16


def test_a_table_has_no_rung_twice():
    for table in islice(next_tables(games("high", 10, 10), "bot", EXACT, 4), 10):
        assert len(set(table)) == 3


def test_a_ladder_of_too_few_rungs_fills_no_table():
    with pytest.raises(SettingError, match="a table of 6 needs 5 rungs beside the bot, and the ladder has 4"):
        first_tables(EXACT, 6)


# What a store keeps


def test_a_scale_is_read_as_it_was_written():
    scale = with_errors(1, 2, 3, 4)
    assert Scale.from_plain(scale.plain()) == scale


@pytest.mark.parametrize(
    "change",
    [
        {"rungs": ["low"]},
        {"ratings": [1, 2, 3, "x"]},
        {"ratings": [1, 2, 3, math.nan]},
        {"covariance": [[0.0]]},
        {"rungs": ["low", "low", "high", "top"]},
        {"seats": None},
    ],
)
def test_a_damaged_scale_is_refused(change):
    with pytest.raises(SettingError, match="ladder: expected rungs, ratings, covariance and seats that fit together"):
        Scale.from_plain(EXACT.plain() | change)
    with pytest.raises(SettingError, match="ladder: expected"):
        Scale.from_plain(None)


def test_a_placement_knows_all_rungs():
    found: LadderPlace = place(games("high", 3, 3), "bot", EXACT)
    assert [one.rung for one in found.against] == list(RUNGS)
    assert [one.games for one in found.against] == [0, 0, 6, 0]
