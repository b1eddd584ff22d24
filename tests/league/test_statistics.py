"""The Elo curve, quantiles and intervals beside scipy's, and what a duel answers."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from arena.league.duel import USUAL, Answer, Hypotheses, duel, duel_on_score
from arena.league.statistics import SCALE, advantage, estimate, expected, superiority, t_quantile, wilson

# The Elo curve.


@pytest.mark.parametrize(
    ("points", "share"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101), (200, 0.7597), (100, 0.6401)]
)
def test_four_hundred_points_are_odds_of_ten_to_one(points, share):
    assert expected(points) == pytest.approx(share, abs=5e-5)


# Table 8.1.2 of the FIDE handbook; it comes from the normal curve, so it may be a hundredth off.
@pytest.mark.parametrize(
    ("points", "share"), [(25, 0.53), (50, 0.57), (76, 0.60), (100, 0.64), (150, 0.70), (200, 0.76), (300, 0.85)]
)
def test_the_curve_is_that_of_chess(points, share):
    assert expected(points) == pytest.approx(share, abs=0.0101)


def test_a_known_tournament_is_rated_as_it_was():
    """Five rounds of a player of 1613 with K = 32, an example told in many places: 2.5 points, 1601 afterwards."""
    opponents = {1609: 0.0, 1477: 0.5, 1388: 1.0, 1586: 1.0, 1720: 0.0}
    chances = [expected(1613 - opponent) for opponent in opponents]
    assert [round(chance, 3) for chance in chances] == [0.506, 0.686, 0.785, 0.539, 0.351]
    assert round(1613 + 32 * (sum(opponents.values()) - sum(chances))) == 1601


@given(st.floats(-3000, 3000))
def test_points_and_shares_are_two_ways_to_say_one_thing(points):
    assert expected(points) + expected(-points) == pytest.approx(1)
    assert advantage(expected(points)) == pytest.approx(points, abs=1e-5)


# Distributions.


@pytest.mark.parametrize(
    ("freedoms", "error"), [((1, 2), 1e-12), ((3,), 1.3e-3), ((4,), 4e-4), ((5, 6, 10, 30, 1000, 10**6), 2e-4)]
)
def test_students_quantile_is_scipys(freedoms, error):
    for freedom in freedoms:
        assert t_quantile(0.975, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=error)


def test_an_estimate_has_students_interval_with_degrees_rounded_down():
    low, high = stats.t.interval(0.95, 12, loc=30, scale=4)
    found = estimate(30, 16, 12.9)
    assert (found.value, found.error) == (30, 4)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-5)
    assert estimate(30, 0, math.inf).low == 30
    assert estimate(0, 1, 0.2).high == pytest.approx(12.706, rel=1e-4), "one degree of freedom is the least"


def test_degrees_of_freedom_that_rounding_put_just_below_a_whole_number_are_whole():
    """Equal blocks give whole numbers, and one degree less is a wider interval."""
    assert estimate(30, 16, 40 - 1e-9) == estimate(30, 16, 40) != estimate(30, 16, 39.99)


@given(st.integers(1, 500), st.data())
def test_wilsons_interval_is_scipys(trials, data):
    successes = data.draw(st.integers(0, trials))
    interval = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson(successes, trials) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_nothing_is_known_of_a_probability_without_trials():
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.floats(-500, 500), st.floats(0, 200))
def test_one_of_two_is_better(difference, error):
    assert superiority(difference, error) + superiority(-difference, error) == pytest.approx(1)


def test_superiority_is_the_normal_distribution_of_difference_by_error():
    assert superiority(20, 10) == pytest.approx(stats.norm.cdf(2))
    assert [superiority(value, 0) for value in (-1, 0, 1)] == [0, 0.5, 1]


# The duel. A unit is two games: A first, B first.

WON, LOST, HALVED, LEANING = (1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 0.5)


def some_units(count, chance, seed=1):
    dice = random.Random(seed)
    return [(float(dice.random() < chance), float(dice.random() < chance)) for _ in range(count)]


def test_the_log_likelihood_ratio_is_that_of_the_formula():
    units = [WON] * 2 + [LEANING] + [HALVED] * 6 + [LOST]
    values = np.array([1, 1, 0.75, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0])
    variance = (np.sum((values - values.mean()) ** 2) + 2 * 0.5**2) / (10 + 2)
    s0, s1 = 0.5, 1 / (1 + 10 ** (-20 / 400))
    llr = 10 * (s1 - s0) * (2 * values.mean() - s0 - s1) / (2 * variance)
    judged = duel(units)
    assert judged.llr == pytest.approx(llr)
    assert judged.counts == (1, 0, 6, 1, 2)
    assert judged.bounds == pytest.approx((-math.log(19), math.log(19)))


def exact_llr(counts, s0, s1):
    """Likelihoods of the best distributions with these means, found by their Lagrange multiplier."""
    counts, worth = np.array(counts, float), np.arange(5) / 4
    shares = counts / counts.sum()

    def likelihood(mean):
        def off(multiplier):
            return np.sum(shares * (worth - mean) / (1 + multiplier * (worth - mean)))

        low, high = -1 / (1 - mean) + 1e-9, 1 / mean - 1e-9
        multiplier = optimize.brentq(off, low, high)
        return np.sum(counts * np.log(shares / (1 + multiplier * (worth - mean))))

    return likelihood(s1) - likelihood(s0)


@pytest.mark.parametrize(
    "counts", [(30, 90, 200, 110, 40), (5, 20, 400, 30, 6), (80, 60, 120, 60, 75), (1, 9, 50, 14, 2)]
)
def test_the_formula_is_close_to_the_exact_ratio(counts):
    units = [pair for pair, count in zip([LOST, (0.0, 0.5), HALVED, LEANING, WON], counts) for _ in range(count)]
    exact = exact_llr(counts, 0.5, expected(20))
    never_stopping = Hypotheses(least=10**6)
    assert duel(units, never_stopping).llr == pytest.approx(exact, rel=0.12, abs=0.12)


def test_nothing_is_answered_before_sixteen_units_and_then_at_every_eighth():
    assert duel([WON] * 15).answer is Answer.UNDECIDED
    assert duel([WON] * 16).answer is Answer.YES
    slow = [LEANING, HALVED] * 8 + [WON] * 20
    answers = [duel(slow[:count]).answer for count in range(len(slow) + 1)]
    assert answers.index(Answer.YES) == 32
    assert Hypotheses().answer(duel(slow[:31]).llr) is Answer.YES, "it would have been, but nobody looked"


def test_an_answer_stays_whatever_comes_later():
    judged = duel([WON] * 16 + [LOST] * 500)
    assert (judged.answer, judged.units, judged.games_more) == (Answer.YES, 16, 0)
    assert judged == duel([WON] * 16)


@given(st.sampled_from([[WON, HALVED], [LOST], [WON, LEANING, LOST, HALVED]]), st.data())
def test_more_units_never_change_an_answer(kinds, data):
    units = data.draw(st.lists(st.sampled_from(kinds), min_size=16, max_size=120))
    judged = duel(units)
    later = duel([*units, *data.draw(st.lists(st.sampled_from([WON, LOST]), max_size=40))])
    assert judged.answer is Answer.UNDECIDED or later == judged


def test_equal_bots_are_not_better():
    judged = duel([HALVED] * 1000)
    assert judged.answer is Answer.NO
    assert judged.units == 64, "units that are all alike prove nothing at once; the exact ratio takes 50"
    assert judged.elo.value == 0
    assert judged.superiority == 0.5
    assert duel([(0.5, 0.5)] * 1000).units == 64


def test_a_bot_that_loses_everything_is_not_better():
    judged = duel([LOST] * 16)
    assert judged.answer is Answer.NO
    assert judged.elo.high < 0
    assert math.isfinite(judged.elo.low)


def test_without_units_nothing_is_known():
    for judge in (duel, duel_on_score):
        judged = judge([])
        assert (judged.answer, judged.units, judged.llr, judged.elo.value) == (Answer.UNDECIDED, 0, 0, 0)
        assert judged.elo.low < -1000
        assert judged.games_more >= 32


@given(st.lists(st.sampled_from([WON, LOST, HALVED, LEANING, (0.5, 0.0)]), max_size=200))
def test_elo_at_the_stop_turns_with_the_table(units):
    never_stopping = Hypotheses(least=10**6)
    turned = duel([(1 - first, 1 - second) for first, second in units], never_stopping).elo
    straight = duel(units, never_stopping).elo
    assert straight.value == pytest.approx(-turned.value, abs=1e-9)
    assert straight.low == pytest.approx(-turned.high, abs=1e-9)
    assert all(map(math.isfinite, (straight.low, straight.high, straight.error)))


def test_elo_at_the_stop_is_the_share_on_the_curve():
    judged = duel(some_units(4000, 0.6), Hypotheses(high=200, least=4000))
    values = np.array([sum(unit) / 2 for unit in some_units(4000, 0.6)])
    slope = SCALE / (values.mean() * (1 - values.mean()))
    assert judged.elo.value == pytest.approx(SCALE * math.log(values.mean() / (1 - values.mean())), rel=0.01)
    assert judged.elo.error == pytest.approx(slope * values.std() / math.sqrt(4000), rel=0.01)


def test_an_undecided_duel_says_how_long_it_may_take():
    units = some_units(100, 0.5, seed=3)
    judged = duel(units)
    assert judged.answer is Answer.UNDECIDED
    assert judged.games_more > 0
    assert (100 + judged.games_more / 2 - 16) % 8 == 0, "up to a look"


@pytest.mark.parametrize("share", [0.5, expected(10), expected(20), expected(40)])
def test_the_estimate_of_what_is_still_to_play_is_about_right(share):
    """Beside random walks with steps as they are seen so far, from where the duel stands."""
    units = ([WON, HALVED, HALVED, LOST] * 20)[:64]
    wins = round(64 * (share - 0.5))
    units[:wins] = [WON] * wins
    judged = duel(units)
    values = np.array([sum(unit) / 2 for unit in units])
    s0, s1 = 0.5, expected(20)
    variance = (64 * values.var() + 0.5) / 66
    steps = (s1 - s0) * (2 * values - s0 - s1) / (2 * variance)
    dice = np.random.default_rng(5)
    lengths = []
    for _ in range(400):
        walk = judged.llr + np.cumsum(dice.choice(steps, 6000))
        lengths.append(np.argmax(np.abs(walk) >= math.log(19)) + 1)
    assert judged.answer is Answer.UNDECIDED
    assert judged.games_more == pytest.approx(2 * np.mean(lengths), rel=0.2, abs=16)


def test_other_bounds_and_risks_can_be_asked_for():
    bold = Hypotheses(low=-5, high=5, alpha=0.2, beta=0.1)
    assert bold.bounds == pytest.approx((math.log(0.1 / 0.8), math.log(0.9 / 0.2)))
    units = some_units(300, 0.5, seed=8)
    assert abs(duel(units, bold).llr) < abs(duel(units, Hypotheses(low=-20, high=20, least=10**6)).llr) + 3
    for wrong in ({"low": 20}, {"alpha": 0}, {"beta": 0.5}, {"least": 1}, {"every": 0}):
        with pytest.raises(ValueError, match="duel"):
            Hypotheses(**wrong)


# On score.


def margins(count, mean, deviation, stuck, seed=1):
    """Two games each, with luck that helps A in the one and B in the other."""
    dice = random.Random(seed)
    units = []
    for _ in range(count):
        luck = dice.gauss(0, stuck)
        units.append((round(mean + luck + dice.gauss(0, deviation)), round(mean - luck + dice.gauss(0, deviation))))
    return units


def test_a_margin_is_worth_the_elo_of_the_wins_it_gives():
    never_stopping = Hypotheses(least=10**6)
    judged = duel_on_score(margins(4000, 3, 10, 0), never_stopping)
    assert judged.elo.value == pytest.approx(advantage(stats.norm.cdf(0.3)), abs=6)
    assert judged.elo.low < advantage(stats.norm.cdf(0.3)) < judged.elo.high
    assert judged.counts == ()


def test_the_ratio_on_scores_is_the_same_formula_on_margins():
    units = margins(200, 1, 8, 4)
    games = np.array(units, float)
    deviation = math.sqrt(games.var() + 1 / 400)
    values = games.mean(axis=1) / deviation
    s1 = stats.norm.ppf(expected(20))
    variance = (np.sum((values - values.mean()) ** 2) + 2) / 202
    llr = 200 * s1 * (2 * values.mean() - s1) / (2 * variance)
    assert duel_on_score(units, Hypotheses(least=10**6)).llr == pytest.approx(llr)


def test_margins_in_other_units_say_the_same():
    units = margins(100, 1, 8, 4)
    tenfold = [(10 * first, 10 * second) for first, second in units]
    never_stopping = Hypotheses(least=10**6)
    assert duel_on_score(tenfold, never_stopping).llr == pytest.approx(
        duel_on_score(units, never_stopping).llr, rel=1e-3
    )


def test_luck_that_sticks_to_a_deal_costs_nothing():
    calm, lucky = (duel_on_score(margins(400, 1, 6, stuck)) for stuck in (0, 12))
    assert calm.answer is lucky.answer is Answer.YES


@pytest.mark.parametrize(
    ("unit", "answer", "units"),
    [((5, -5), Answer.NO, 48), ((0, 0), Answer.NO, 48), ((5, 5), Answer.YES, 16), ((-3, -3), Answer.NO, 16)],
)
def test_units_that_are_all_alike_are_judged_with_care(unit, answer, units):
    judged = duel_on_score([unit] * 1000)
    assert (judged.answer, judged.units) == (answer, units)
    assert all(map(math.isfinite, (judged.elo.low, judged.elo.high)))


def test_the_usual_question_is_the_one_of_the_documents():
    assert Hypotheses(low=0, high=20, alpha=0.05, beta=0.05, least=16, every=8) == USUAL


def test_a_question_with_tiny_risks_and_close_bounds_has_an_end():
    question = Hypotheses(0, 1, 1e-6, 1e-6)
    assert duel([(1.0, 1.0)] * 3 + [(1.0, 0.0)] * 17, question).games_more > 0
    assert duel([(0.0, 0.0)] * 16, question).games_more > 0
