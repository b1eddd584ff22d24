"""SPSA finds what is best through noise; the interval says how sure that is. No games, no processes."""

from dataclasses import replace
from random import Random

import pytest

from arena.roster.tunables import Tunable
from arena.tuning.confidence import intervals
from arena.tuning.found import found
from arena.tuning.spsa import USUAL, Ascent, Gains, at_value, place_of, played, value_at, values_at
from tests.tuning.objective import BEST, PARAMETERS, START, tuned, units, worth

SEEDS = range(8)
BY_NAME = {one.name: one for one in PARAMETERS}
HALVES = {"pace": Tunable("pace", 0.0, 1.0, 0.5), "depth": Tunable("depth", 1, 3, 2, True)}


def distance(name: str, ascent: Ascent) -> float:
    """From the best value, as a part of the range."""
    at = dict(zip((one.name for one in PARAMETERS), ascent.proposal))[name]
    return abs(at - at_value(BY_NAME[name], BEST[name]))


@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_parameters_are_recovered_through_noise(seed):
    """At the start they are 0.5, 0.55 and 0.4 of their range away, and a unit's noise is half of what that costs."""
    ascent = tuned(seed)
    assert {name: distance(name, ascent) < 0.15 for name in BEST} == dict.fromkeys(BEST, True), ascent.proposal
    left = worth(values_at(PARAMETERS, ascent.proposal)) / worth(START)
    assert left < 0.06, "of what the start loses against the best values"


def test_without_noise_the_best_values_are_found_closely():
    ascent, best = Ascent([HALVES["pace"]], 1, (0.1,)), 0.62
    for _ in range(200):
        plus, minus = (values["pace"] for values in ascent.trial().values)
        ascent.learn([(minus - best) ** 2 - (plus - best) ** 2] * 2)
    assert ascent.proposal[0] == pytest.approx(best, abs=0.02)


def test_upside_down_it_runs_to_the_worst_values():
    ascent = tuned(1, scale=-1)
    assert all(distance(name, ascent) > 0.4 for name in BEST)


def test_the_unit_in_which_points_are_counted_does_not_matter():
    assert tuned(2, 20).path == tuned(2, 20, scale=1024).path, "a power of two, so that nothing is rounded"


def test_bolder_gains_go_further():
    timid, usual = (tuned(3, 10, gains=gains) for gains in (replace(USUAL, step=USUAL.step / 10), USUAL))
    far = [max(abs(a - b) for a, b in zip(one.place, one.start)) for one in (timid, usual)]
    assert far[0] < far[1] / 5


def test_gains_fall_as_the_theory_demands():
    """The sum of steps has no limit, that of (step / spread)^2 has one."""
    gains = Gains()
    assert gains.step_at(0) == pytest.approx(2 * gains.spread * gains.step)
    assert gains.spread_at(0) == gains.spread
    tenfold = gains.step_at(10_000) / gains.step_at(1_000)
    assert 0.1 < tenfold < 10**-0.59
    assert (gains.step_at(10**6) / gains.spread_at(10**6)) ** 2 * 10**6 < 2


def test_the_same_games_give_the_same_course_however_often_it_was_interrupted():
    whole, dice = tuned(4, 12), Random(4)
    done: list[list[float]] = []
    for _ in range(12):
        again = Ascent(PARAMETERS, 4, place_of(PARAMETERS, START))
        for one in done:
            again.learn(one)
        done.append(units(again.trial().values, 8, dice))
    again.learn(done[-1])
    assert again.path == whole.path
    assert tuned(5, 12).path != whole.path


def test_coins_of_a_parameter_do_not_depend_on_others():
    alone, beside = Ascent([PARAMETERS[2]], 9, (0.5,)), Ascent(PARAMETERS, 9, (0.5,) * 4)
    for _ in range(20):
        assert alone.trial().values[0]["pace"] == beside.trial().values[0]["pace"]
        alone.learn([0.0, 0.0])
        beside.learn([0.0, 0.0])


@pytest.mark.parametrize("at", [0.0, 0.01, 0.5, 0.77, 0.99, 1.0])
@pytest.mark.parametrize("one", [*HALVES.values(), Tunable("two", 0, 1, 0, True), Tunable("far", 5e11, 5e11 + 7, 5e11)])
def test_both_settings_are_apart_and_within_the_range(one, at):
    ascent = Ascent([one], 3, (at,))
    for _ in range(300):
        trial = ascent.trial()
        values = [values[one.name] for values in trial.values]
        assert one.low <= min(values) < max(values) <= one.high
        assert all(one.fault(value) is None for value in values)
        assert trial.plus != trial.minus
        ascent.learn([0.0, 0.0])
    assert ascent.place == (at,), "nothing was better, so nothing moved"


def test_values_have_few_digits_and_stay_where_they_are():
    one = Tunable("pace", 0.0, 3.0, 1.0)
    assert value_at(one, 0.123456789) == 0.3704
    assert value_at(one, played(one, 0.123456789)) == 0.3704
    assert [value_at(HALVES["depth"], at) for at in (0, 0.24, 0.26, 1)] == [1, 1, 2, 3]
    assert type(value_at(HALVES["depth"], 0.5)) is int


def test_a_difference_without_deviation_counts_as_a_few_errors():
    ascent = Ascent([HALVES["pace"]], 3, (0.5,))
    ascent.learn([1000.0, 1000.0])
    assert abs(ascent.place[0] - 0.5) <= 3 * USUAL.step + 1e-3


def test_an_iteration_needs_two_units():
    with pytest.raises(ValueError, match="an iteration of 1 units: expected at least 2"):
        Ascent([HALVES["pace"]], 3, (0.5,)).learn([1.0])


# Confidence


@pytest.mark.thorough
def test_intervals_contain_the_best_value_as_often_as_they_claim():
    runs = [tuned(seed, 100) for seed in range(40)]
    sure = [intervals(run.trials, run.differences, len(PARAMETERS)) for run in runs]
    for number, one in enumerate(PARAMETERS):
        if one.name in BEST:
            given = [found[number] for found in sure if found[number] is not None]
            held = sum(low <= at_value(one, BEST[one.name]) <= high for low, high in given)
            assert len(given) >= 20, one.name
            assert held >= 0.85 * len(given), one.name
            assert sum(high - low for low, high in given) / len(given) < 0.5, one.name


@pytest.mark.thorough
def test_a_parameter_that_does_not_matter_has_no_best_value():
    runs = [tuned(seed, 100) for seed in range(40)]
    idle = [intervals(run.trials, run.differences, 4)[1] for run in runs]
    assert sum(one is None for one in idle) > 35


@pytest.mark.parametrize("iterations", [0, 3, 10])
def test_a_few_iterations_show_no_best_value(iterations):
    ascent = tuned(1, iterations)
    assert intervals(ascent.trials, ascent.differences, 4) == [None] * 4
    assert {one.interval for one in found(ascent)} == {None}
    assert iterations or [one.value for one in found(ascent)] == list(START.values())
