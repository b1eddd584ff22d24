"""Ratings: by hand, by other routes to the same numbers, and what has to hold for any results."""

import json
import math
import os
import random
import subprocess
import sys
from dataclasses import asdict, replace
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from arena.league import likelihood, sandwich
from arena.league.duel import exchanges_by_rank, exchanges_by_score
from arena.league.elo import START, Result, elo
from arena.league.fit import fit
from arena.league.outcomes import Outcomes
from arena.league.standings import plain, standings
from arena.league.statistics import SCALE, expected
from benchmarks.ratings import BOTS, Simulation, play_league, truth

ROOT = Path(__file__).parents[2]
NEARLY_NONE = 1e-7
"""Virtual games, where the likelihood of the real ones alone is to be looked at."""


def match(index, bots, ranks, block=None, scores=None):
    """`match(0, "ab", "12")`: bot a in seat 0 has won."""
    ranks = tuple(map(int, ranks))
    return Result(
        index, index if block is None else block, tuple(bots), ranks, scores or tuple(-rank for rank in ranks)
    )


def matches(*tables):
    """From pairs of bots and ranks, each a block of its own."""
    return [match(index, bots, ranks) for index, (bots, ranks) in enumerate(tables)]


def some_results(seed, sizes=(3,), blocks=30, bots="abcde", copies=False):
    """Blocks of rotations on a deal, with ties; a is the best."""
    dice = random.Random(seed)
    results = list[Result]()
    for block in range(blocks):
        size = sizes[block % len(sizes)]
        table = dice.choices(bots, k=size) if copies else dice.sample(bots, size)
        luck = [dice.gauss(seat / 3, 2) for seat in range(size)]
        for turn in range(size):
            seating = table[turn:] + table[:turn]
            scores = tuple(round(at - bots.index(bot) + dice.gauss(0, 3)) for at, bot in zip(luck, seating))
            ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
            results.append(Result(len(results), block, tuple(seating), ranks, scores))
    return results


SIZES = (2, 3, 4)
SEATINGS = {size: list(permutations("abcdef", size)) for size in SIZES}
POINTS = {size: list(product(range(size), repeat=size)) for size in SIZES}
TABLES = st.sampled_from(SIZES).flatmap(
    lambda size: st.tuples(st.sampled_from(SEATINGS[size]), st.sampled_from(POINTS[size]))
)


def played(tables):
    """Bots and points of tables; two matches make a block."""
    results = []
    for index, (bots, points) in enumerate(tables):
        ranks = tuple(1 + sum(other > own for other in points) for own in points)
        results.append(Result(index, index // 2, bots, ranks, points))
    return results


def leagues():
    return st.lists(TABLES, min_size=1, max_size=8).map(played)


def values(fitted):
    return {bot: fitted.rating(bot).value for bot in fitted.bots}


# Results.


def test_a_result_is_of_one_table():
    with pytest.raises(ValueError, match="result 4"):
        Result(4, 0, ("a", "b"), (1, 2, 3), (1, 2))
    with pytest.raises(ValueError, match="result 4"):
        Result(4, 0, ("a",), (1,), (1,))


def test_a_match_counts_once():
    won, lost = match(7, "ab", "12"), match(7, "ab", "21")
    assert elo([won, won]) == elo([won])
    for judge in (elo, fit, standings):
        with pytest.raises(ValueError, match="two results of match 7"):
            judge([won, lost])


# Classic Elo.


@pytest.mark.parametrize("k", [10, 20, 40])
def test_between_equals_half_of_k_changes_hands(k):
    assert elo(matches(("ab", "12")), k=k) == {"a": START + k / 2, "b": START - k / 2}
    assert elo(matches(("ab", "11")), k=k) == {"a": START, "b": START}


def test_a_table_is_a_game_of_each_with_each_for_a_share_of_k():
    assert elo(matches(("abcd", "1234"))) == {"a": 1504, "b": 1500 + 4 / 3, "c": pytest.approx(1500 - 4 / 3), "d": 1496}
    assert elo(matches(("abc", "113"))) == {"a": 1502, "b": 1502, "c": 1496}


def test_a_favourite_wins_less():
    after_one, after_two = elo(matches(("ab", "12"))), elo(matches(("ab", "12"), ("ab", "12")))
    gain = 8 * (1 - 1 / (1 + 10 ** (-8 / 400)))
    assert after_two["a"] - after_one["a"] == pytest.approx(gain)


def test_copies_of_one_bot_at_a_table_win_nothing_from_each_other():
    assert elo(matches(("aa", "12"))) == {"a": START}
    assert elo(matches(("aba", "132"))) == {"a": START + 4, "b": START - 4}


def quotient_elo(results, k=8, start=1500):
    """By the quotients of 10^(R/400), as textbooks have it."""
    ratings = dict[str, float]()
    for result in sorted(results, key=lambda result: result.index):
        strength = {bot: 10 ** (ratings.get(bot, start) / 400) for bot in result.bots}
        changes = dict.fromkeys(result.bots, 0.0)
        for (bot, rank), (other, other_rank) in permutations(zip(result.bots, result.ranks), 2):
            points = 1.0 if rank < other_rank else 0.5 if rank == other_rank else 0.0
            changes[bot] += points - strength[bot] / (strength[bot] + strength[other])
        for bot, change in changes.items():
            ratings[bot] = ratings.get(bot, start) + k / (len(result.bots) - 1) * change
    return ratings


@given(leagues())
def test_classic_elo_is_the_textbooks(results):
    assert elo(results) == pytest.approx(quotient_elo(results))


@given(leagues(), st.randoms(use_true_random=False))
def test_classic_elo_goes_by_the_plan_and_not_by_arrival(results, dice):
    shuffled = dice.sample(results, len(results))
    assert list(elo(shuffled).items()) == list(elo(results).items())


@given(leagues())
def test_classic_elo_makes_no_points(results):
    ratings = elo(results)
    assert math.fsum(ratings.values()) == pytest.approx(START * len(ratings))


@given(leagues(), st.data())
def test_a_better_place_never_costs_a_bot_points(results, data):
    at = data.draw(st.integers(0, len(results) - 1))
    seat = data.draw(st.integers(0, len(results[at].bots) - 1))
    ranks = list(results[at].ranks)
    ranks[seat] = data.draw(st.integers(1, ranks[seat]))
    better = [*results[:at], replace(results[at], ranks=tuple(ranks)), *results[at + 1 :]]
    bot = results[at].bots[seat]
    assert elo(better)[bot] >= elo(results)[bot] - 1e-9


# The fit, by hand. Every pairing is played from both seats, so that seats say nothing.


def score_in_both_seats(tallies):
    """Of (a, b, wins of a, wins of b) the matches, each result once from either seat."""
    tables = []
    for bot, other, wins, losses in tallies:
        tables += [(bot + other, "12"), (other + bot, "21")] * wins + [
            (bot + other, "21"),
            (other + bot, "12"),
        ] * losses
    return matches(*tables)


@pytest.mark.parametrize(("wins", "points"), [(75, 190.85), (64, 99.95), (76, 200.24), (91, 401.9), (50, 0)])
def test_a_share_of_the_points_is_a_difference_on_the_curve(wins, points):
    """200 games; for comparison, tables of chess give 0.76 for 200 points and 0.64 for 100."""
    fitted = fit(score_in_both_seats([("a", "b", wins, 100 - wins)]), virtual=NEARLY_NONE)
    difference = fitted.difference("a", "b")
    assert difference.value == pytest.approx(points, abs=0.05)
    error = SCALE / math.sqrt(200 * wins / 100 * (1 - wins / 100))
    assert difference.error == pytest.approx(error, rel=0.01), "as for 200 tosses of a coin"
    assert fitted.rating("a").value == pytest.approx(START + points / 2, abs=0.05)


def test_strength_is_passed_on_through_common_opponents():
    fitted = fit(score_in_both_seats([("a", "b", 75, 25), ("b", "c", 75, 25)]), virtual=NEARLY_NONE)
    assert fitted.difference("a", "c").value == pytest.approx(2 * 190.85, abs=0.1)


def test_half_points_are_half_wins():
    tables = [("ab", "12"), ("ba", "21")] * 30 + [("ab", "11"), ("ba", "11")] * 40 + [("ab", "21"), ("ba", "12")] * 10
    assert fit(matches(*tables)).difference("a", "b").value == pytest.approx(
        fit(score_in_both_seats([("a", "b", 50, 30)])).difference("a", "b").value
    )


def test_the_first_move_is_worth_what_it_wins():
    """Equal bots; seat 0 wins 64 of 100, which is 100 points of advantage, 50 to either side of the mean."""
    fitted = fit(matches(*[("ab", "12"), ("ba", "12")] * 32, *[("ab", "21"), ("ba", "21")] * 18), virtual=NEARLY_NONE)
    assert [(effect.size, effect.seat) for effect in fitted.seats] == [(2, 0), (2, 1)]
    assert [effect.elo.value for effect in fitted.seats] == pytest.approx([49.97, -49.97], abs=0.01)
    assert fitted.difference("a", "b").value == pytest.approx(0, abs=1e-6)


def test_a_weak_bot_in_the_good_seat_is_not_taken_for_a_strong_one():
    """c always sits first, and a and b show that first is worth 100 points."""
    tables = (
        [("ab", "12"), ("ba", "12")] * 320 + [("ab", "21"), ("ba", "21")] * 180 + [("ca", "12"), ("ca", "21")] * 200
    )
    fitted = fit(matches(*tables))
    assert fitted.difference("c", "a").value == pytest.approx(-100, abs=3)


def test_the_virtual_games_pull_towards_the_mean():
    """One win: 1 - p(d) of the game, and 1/2 - p(d/2) of the virtual ones of either bot, are to be nought together."""
    fitted = fit(score_in_both_seats([("a", "b", 1, 0)]))
    difference = fitted.difference("a", "b").value
    assert 2 * (1 - expected(difference)) + 0.5 * (1 - 2 * expected(difference / 2)) == pytest.approx(0, abs=1e-9)
    assert 0 < difference < 500


def test_every_size_of_table_has_its_own_seats():
    fitted = fit(some_results(1, sizes=(2, 4)))
    assert [(effect.size, effect.seat) for effect in fitted.seats] == [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (4, 3)]
    assert fitted.pooled
    assert fitted.sizes == (2, 4)
    assert not fit(some_results(1, sizes=(4,))).pooled
    for size in fitted.sizes:
        assert sum(effect.elo.value for effect in fitted.seats if effect.size == size) == pytest.approx(0, abs=1e-9)


# The fit, by another route: the likelihood written down once more, and everything else found from it numerically.


class Numerically:
    """Likelihood of blocks as a function of all strengths, maximised and differentiated by scipy and numpy."""

    def __init__(self, results, virtual):
        self.bots = sorted({bot for result in results for bot in result.bots})
        seats = sorted({(len(result.bots), seat) for result in results for seat in range(len(result.bots))})
        self.names = [*self.bots, *seats]
        self.virtual = virtual
        self.blocks = dict[int, list]()
        for result in results:
            self.blocks.setdefault(result.block, []).extend(self.rows(result))
        self.at = optimize.minimize(lambda x: -self.likelihood(x), np.zeros(len(self.names)), method="BFGS", tol=1e-9).x

    def rows(self, result):
        size = len(result.bots)
        for one, other in combinations(range(size), 2):
            if result.bots[one] != result.bots[other]:
                row = np.zeros(len(self.names))
                row[self.names.index(result.bots[one])] += 1
                row[self.names.index(result.bots[other])] -= 1
                row[self.names.index((size, one))] += 1
                row[self.names.index((size, other))] -= 1
                yield row, (np.sign(result.ranks[other] - result.ranks[one]) + 1) / 2

    def of_block(self, block, x):
        rows, points = (np.array(column) for column in zip(*self.blocks[block]))
        lead = rows @ x
        return np.sum(points * lead - np.logaddexp(0, lead))

    def likelihood(self, x):
        real = sum(self.of_block(block, x) for block in self.blocks if self.blocks[block])
        return real + self.virtual * np.sum(x - 2 * np.logaddexp(0, x))

    def slope(self, function, step=1e-5):
        return np.array(
            [(function(self.at + d) - function(self.at - d)) / (2 * step) for d in step * np.eye(len(self.at))]
        )

    def information(self, function, step=1e-3):
        moves = step * np.eye(len(self.at))
        return -np.array([
            [
                (function(self.at + a + b) - function(self.at + a - b) - function(self.at - a + b) + function(self.at - a - b))
                / (4 * step**2)
                for a in moves
            ]
            for b in moves
        ])  # fmt: skip

    def covariance(self):
        """The sandwich, with one block more, and with virtual games as blocks; and the degrees of freedom."""
        inverse = np.linalg.inv(self.information(self.likelihood))
        real = self.information(lambda x: sum(self.of_block(block, x) for block in self.blocks if self.blocks[block]))
        scores = [
            self.slope(lambda x, block=block: self.of_block(block, x)) for block in self.blocks if self.blocks[block]
        ]
        middle = sum(np.outer(score, score) for score in scores)
        pairs = np.array([sum(np.abs(row) for row, _ in block) for block in self.blocks.values() if block])
        count = pairs.sum(axis=0) ** 2 / (pairs**2).sum(axis=0)
        mean = pairs.sum(axis=0) / (pairs > 0).sum(axis=0)
        lack = np.sqrt(np.maximum(np.diag(middle) / np.diag(real), np.minimum(1, 4 / count)) / count)
        chance = 1 / (1 + np.exp(-self.at))
        middle = middle + real * np.outer(lack, lack) + self.virtual * np.diag(chance**2 + (1 - chance) ** 2)
        with np.errstate(divide="ignore"):
            return inverse @ middle @ inverse, np.minimum(count * mean / (mean - 1) + 1, 10**6)

    def interval(self, contrast, covariance, freedom):
        value, error = SCALE * contrast @ self.at, SCALE * math.sqrt(contrast @ covariance @ contrast)
        return np.array([value, error, *stats.t.interval(0.95, math.floor(freedom), value, error)])


ROUTES = {
    "two": some_results(1, sizes=(2,), bots="abcd"),
    "four": some_results(2, sizes=(4,), blocks=15),
    "pooled": some_results(3, sizes=(2, 3), blocks=16, bots="abcd"),
    "few": some_results(4, sizes=(3,), blocks=4, bots="abc"),
    "copies": some_results(5, sizes=(3,), blocks=25, bots="abc", copies=True),
    "lopsided": matches(*[("ab", "12"), ("ba", "21")] * 8, ("bc", "12"), ("cb", "12"), ("ac", "11")),
}


@pytest.mark.parametrize("results", ROUTES.values(), ids=ROUTES)
def test_ratings_and_intervals_are_those_of_the_numeric_route(results):
    fitted, route = fit(results), Numerically(results, virtual=0.5)
    covariance, freedom = route.covariance()
    bots = len(route.bots)
    unit = np.eye(len(route.names))
    mean = unit[:bots].mean(axis=0)
    # The last digit of a number of degrees of freedom can tip over when it is rounded down.
    close: dict[str, Any] = {"rel": 2e-3, "abs": 2e-3}
    for at, bot in enumerate(route.bots):
        found = list(asdict(fitted.rating(bot)).values()) - np.array([START, 0, START, START])
        assert found == pytest.approx(route.interval(unit[at] - mean, covariance, freedom[at] + 1e-6), **close)
    centre = np.eye(len(unit)) - mean
    centred = centre @ covariance @ centre.T
    for one, other in combinations(range(bots), 2):
        own, others = centred[one, one], centred[other, other]
        together = (own + others) ** 2 / (own**2 / freedom[one] + others**2 / freedom[other])
        together = min(together, sum(map(bool, route.blocks.values())) + 1)
        found = list(asdict(fitted.difference(route.bots[one], route.bots[other])).values())
        assert found == pytest.approx(route.interval(unit[one] - unit[other], covariance, together + 1e-6), **close)
    for effect in fitted.seats:
        at = route.names.index((effect.size, effect.seat))
        own = [k for k, name in enumerate(route.names) if name[0] == effect.size]
        wanted = route.interval(unit[at] - unit[own].mean(axis=0), covariance, freedom[at] + 1e-6)
        assert list(asdict(effect.elo).values()) == pytest.approx(wanted, **close)


def test_ratings_are_choixs_where_there_are_no_ties_and_no_seats():
    dice = random.Random(4)
    tallies = [(a, b, dice.randint(2, 30), dice.randint(2, 30)) for a, b in combinations("abcdef", 2)]
    games = [
        ("abcdef".index(winner), "abcdef".index(loser))
        for a, b, wins, losses in tallies
        for winner, loser in [(a, b)] * wins + [(b, a)] * losses
    ]
    strengths = choix.opt_pairwise(6, games, alpha=1e-9, tol=1e-9)
    wanted = dict(zip("abcdef", START + SCALE * (strengths - strengths.mean())))
    assert values(fit(score_in_both_seats(tallies), virtual=NEARLY_NONE)) == pytest.approx(wanted, abs=1e-2)


def test_two_at_a_table_are_rated_as_choix_rates_rankings():
    """A ranking of two is a pair: Plackett and Luce's model and ours are one there."""
    dice = random.Random(5)
    rankings = [tuple(dice.sample(range(4), 2)) for _ in range(300)]
    strengths = choix.opt_rankings(4, rankings, alpha=1e-9, tol=1e-9)
    results = matches(*[pair for one, other in rankings for pair in ((f"{one}{other}", "12"), (f"{other}{one}", "21"))])
    wanted = dict(zip("0123", START + SCALE * (strengths - strengths.mean())))
    assert values(fit(results, virtual=NEARLY_NONE)) == pytest.approx(wanted, abs=1e-2)


# What has to hold for any results.


@given(leagues(), st.randoms(use_true_random=False))
def test_standings_are_the_same_to_the_byte_in_any_order_of_arrival(results, dice):
    shuffled = dice.sample(results, len(results))
    assert repr(standings(shuffled, "fedcba")) == repr(standings(results, "abcdef"))
    assert repr(fit(shuffled, "fedcba")) == repr(fit(results, "abcdef"))


@given(leagues(), st.randoms(use_true_random=False))
def test_a_fit_is_the_same_to_the_byte_in_whatever_order_blocks_were_read(results, dice):
    """A league that is played reads what is new, and a resumed one reads all at once."""
    blocks = sorted({one.block for one in results})
    grown = Outcomes()
    for block in dice.sample(blocks, len(blocks)):
        for one in results:
            if one.block == block:
                grown.add(one.block, one.bots, one.ranks, one.scores)
    assert repr(fit(grown, "abcdef")) == repr(fit(results, "abcdef"))


@pytest.mark.usefixtures("processes")
def test_standings_are_the_same_to_the_byte_in_every_process():
    """Sets of texts have another order in each."""
    program = "import sys; from arena.league.elo import Result; from arena.league.standings import standings; print(standings(eval(sys.stdin.read())))"
    results = some_results(6, sizes=(2, 3))
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", program]
        ended = subprocess.run(command, input=repr(results), capture_output=True, text=True, env=environment)
        assert ended.stdout == f"{standings(results)}\n", ended.stderr


@pytest.mark.usefixtures("processes")
def test_what_is_shown_is_the_same_on_another_processor():
    """There numpy has other instructions, which round in another order. Where it has no such choice, nothing changes."""
    program = "import json, sys; from arena.league.elo import Result; from arena.league.standings import plain, standings; print(json.dumps([plain(one) for one in standings(eval(sys.stdin.read()))]))"
    results = some_results(6, sizes=(2, 5), blocks=300, bots="abcdefghijklmnop")
    older = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX2 FMA3"}
    environment = {**os.environ, **older, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", "-c", program]
    ended = subprocess.run(command, input=repr(results), capture_output=True, text=True, env=environment)
    assert json.loads(ended.stdout) == [plain(one) for one in standings(results)], ended.stderr


@given(leagues(), st.permutations("abcdef"))
def test_other_names_get_the_same_ratings(results, names):
    renamed = dict(zip("abcdef", names))
    other = fit([replace(one, bots=tuple(renamed[bot] for bot in one.bots)) for one in results], "abcdef")
    fitted = fit(results, "abcdef")
    for bot in "abcdef":
        assert list(asdict(other.rating(renamed[bot])).values()) == pytest.approx(
            list(asdict(fitted.rating(bot)).values()), abs=1e-5
        )


@given(leagues())
def test_all_results_a_second_time_change_no_rating(results):
    again = [replace(one, index=one.index + len(results), block=one.block + len(results)) for one in results]
    assert values(fit(results + again, virtual=1)) == pytest.approx(values(fit(results, virtual=0.5)), abs=1e-5)


@given(leagues())
def test_all_results_turned_over_turn_the_ratings_over(results):
    turned = [replace(one, ranks=tuple(len(one.ranks) + 1 - rank for rank in one.ranks)) for one in results]
    straight = values(fit(results))
    assert values(fit(turned)) == pytest.approx({bot: 2 * START - rating for bot, rating in straight.items()}, abs=1e-5)
    again = [replace(one, index=one.index + len(results), block=one.block + len(results)) for one in turned]
    assert values(fit(results + again)) == pytest.approx(dict.fromkeys(straight, START), abs=1e-5)


@given(leagues())
def test_everything_is_finite_and_in_its_interval(results):
    fitted = fit(results, "abcdefg")
    estimates = [*fitted.ratings, *(effect.elo for effect in fitted.seats)]
    estimates += [fitted.difference(one, other) for one, other in combinations(fitted.bots, 2)]
    for found in estimates:
        assert all(map(math.isfinite, asdict(found).values()))
        assert found.low <= found.value <= found.high


@given(leagues())
def test_either_this_one_is_better_or_that_one(results):
    fitted = fit(results, "abcdef")
    for one, other in permutations("abcdef", 2):
        assert fitted.superiority(one, other) + fitted.superiority(other, one) == pytest.approx(1)
        assert fitted.separated(one, other) == fitted.separated(other, one)
        assert not fitted.separated(one, one)
        difference, have_met = (
            fitted.difference(one, other),
            fitted.groups["abcdef".index(one)] == fitted.groups["abcdef".index(other)],
        )
        assert fitted.separated(one, other) == (have_met and not difference.low <= 0 <= difference.high)
        if fitted.separated(one, other):
            better = fitted.rating(one).value > fitted.rating(other).value
            assert fitted.superiority(one, other) > 0.975 if better else fitted.superiority(one, other) < 0.025


@pytest.mark.parametrize(("more", "order"), [(1e-9, "xy"), (1e-3, "yx")])
def test_bots_that_only_rounding_separates_are_in_the_order_of_their_names(more, order):
    """Rounding differs between machines."""
    fitted = fit(matches(("xy", "11"), ("yx", "11")))
    x, y = fitted.ratings
    assert "".join(replace(fitted, ratings=(x, replace(y, value=x.value + more))).order()) == order


def test_a_fit_of_many_parts_is_that_of_one(monkeypatch):
    """More pairs than are in memory at once."""
    results = some_results(3, sizes=(2, 4), blocks=40, copies=True)
    wanted = fit(results)
    for module in (likelihood, sandwich):
        monkeypatch.setattr(module, "AT_ONCE", 16)
    found = fit(results)
    for one, other in zip(
        (*found.ratings, *(seat.elo for seat in found.seats)), (*wanted.ratings, *(seat.elo for seat in wanted.seats))
    ):
        assert list(asdict(one).values()) == pytest.approx(list(asdict(other).values()), abs=1e-9)
    assert (found.blocks, found.groups, found.freedom) == (wanted.blocks, wanted.groups, wanted.freedom)


# Bots of which little is known.


def test_a_bot_that_always_wins_is_finite_and_its_interval_wide():
    results = some_results(7, sizes=(2,), blocks=40, bots="abcd")
    wins = [match(1000 + k, ("z", bot), "12", block=100 + k) for k, bot in enumerate("abcd" * 5)]
    fitted = fit(results + wins)
    star = fitted.rating("z")
    assert fitted.order()[0] == "z"
    assert 300 < star.value - START < 1500
    # 20 wins and half a virtual one against half a virtual loss: the error is that of a coin with these odds.
    assert star.error > 150
    assert star.high - star.low > 2.5 * (fitted.rating("a").high - fitted.rating("a").low)


def test_a_bot_that_never_played_may_be_anywhere():
    results = some_results(7, blocks=60)
    without, fitted = fit(results), fit(results, ["new"])
    new = fitted.rating("new")
    assert new.value == pytest.approx(START, abs=20)
    assert new.high - new.low > 1000
    assert not any(fitted.separated("new", bot) for bot in "abcde")
    for bot in "abcde":
        before = pytest.approx(list(asdict(without.rating(bot)).values()), abs=1e-9)
        assert list(asdict(fitted.rating(bot)).values()) == before, "and moves nobody"


def test_without_a_result_all_are_equal():
    fitted = fit([], ["a", "b"])
    assert values(fitted) == {"a": START, "b": START}
    assert fitted.superiority("a", "b") == 0.5
    assert not fitted.separated("a", "b")
    assert fit([]).bots == ()
    assert standings([]) == ()


def test_bots_that_never_met_are_not_separated():
    """a beats b, c beats d, and nobody knows about the other pairs."""
    fitted = fit(score_in_both_seats([("a", "b", 90, 10), ("c", "d", 60, 40)]))
    assert fitted.groups == (0, 0, 2, 2)
    assert fitted.separated("a", "b")
    assert not fitted.separated("a", "d")
    assert not fitted.separated("a", "c")
    met = fit([*score_in_both_seats([("a", "b", 90, 10), ("c", "d", 60, 40)]), match(9999, "bd", "11")])
    assert met.groups == (0, 0, 0, 0)


def test_bots_that_never_met_are_not_separated_however_far_apart_they_are():
    """a beats ten bots, z loses to ten others: their intervals do not overlap."""
    beaten, better = "bcdefghijk", "lmnopqrstu"
    fitted = fit(score_in_both_seats([*(("a", bot, 20, 0) for bot in beaten), *((bot, "z", 20, 0) for bot in better)]))
    assert fitted.difference("a", "z").low > 0
    assert not fitted.separated("a", "z")


def test_a_table_of_copies_says_nothing():
    results = some_results(8)
    copies = [match(500, "aaa", "123"), match(501, "zz", "12")]
    with_copies, without = fit(results + copies), fit(results)
    assert [with_copies.rating(bot).value for bot in "abcde"] == pytest.approx(
        [without.rating(bot).value for bot in "abcde"], abs=1e-6
    )
    assert with_copies.rating("z").value == pytest.approx(START, abs=30)


def test_games_that_share_a_deal_count_as_one():
    """The same results, as 100 deals of their own and as 10 deals: what repeats within a deal is no new knowledge."""
    tables = [("ab", "12"), ("ba", "21")] * 30 + [("ab", "21"), ("ba", "12")] * 20
    apart = fit(matches(*tables))
    together = fit([replace(one, block=one.index // 10) for one in matches(*tables)])
    assert together.difference("a", "b").value == pytest.approx(apart.difference("a", "b").value)
    assert together.difference("a", "b").error > 2 * apart.difference("a", "b").error


# Standings.

CLEAR = score_in_both_seats([("a", "b", 60, 40), ("b", "c", 90, 10), ("a", "c", 95, 5), ("c", "d", 52, 48)])


def test_ranks_are_ranges_where_bots_are_not_separated():
    table = standings(CLEAR)
    assert [(line.bot, line.rank, line.tier, line.not_separated) for line in table] == [
        ("a", "1", 1, ()),
        ("b", "2", 2, ()),
        ("c", "3-4", 3, ("d",)),
        ("d", "3-4", 3, ("c",)),
    ]


def test_a_tier_is_those_that_are_not_separated_from_its_first():
    """a and b, b and c are close, a and c are not."""
    chain = score_in_both_seats([("a", "b", 55, 45), ("b", "c", 55, 45), ("a", "c", 60, 40)])
    table = standings(chain)
    assert [(line.bot, line.rank, line.tier) for line in table] == [("a", "1-2", 1), ("b", "1-3", 1), ("c", "2-3", 2)]


def test_the_rating_ranks_and_not_the_points():
    """a wins narrowly, b loses narrowly and once by a mile."""
    results = [match(k, "ab", "12", scores=(10, 9)) for k in range(20)] + [match(20, "ab", "21", scores=(0, 500))]
    first, second = standings(results)
    assert (first.bot, first.wins) == ("a", 20)
    assert first.mean_score == pytest.approx(200 / 21)
    assert first.margin == pytest.approx((20 - 500) / 21)
    assert second.margin == pytest.approx((500 - 20) / 21)


def test_a_line_tells_what_a_bot_did():
    results = [
        match(0, "abc", "113", block=0, scores=(8, 8, 2)),
        match(1, "bca", "231", block=0, scores=(5, 2, 11)),
        match(2, "ab", "12", block=1, scores=(4, 1)),
    ]
    lines = {line.bot: line for line in standings(results, ["new"], {"c": 2})}
    a = lines["a"]
    assert (a.games, a.blocks, a.wins, a.shared) == (3, 2, 2, 1)
    assert a.mean_score == pytest.approx(23 / 3)
    assert a.mean_rank == 1
    assert a.margin == pytest.approx(((8 - 5) + (11 - 3.5) + 3) / 3)
    assert a.elo == elo(results)["a"]
    assert a.rating == fit(results, ["new"]).rating("a")
    assert (a.faults, lines["c"].faults) == (0, 2)
    new = lines["new"]
    assert (new.games, new.mean_score, new.mean_rank, new.margin, new.elo) == (0, None, None, None, START)
    assert new.rank == "1-4"
    assert [line.bot for line in standings(results, ["new"])][-1] == "new"


def test_a_fit_at_hand_need_not_be_made_again():
    assert standings(CLEAR, fitted=fit(CLEAR)) == standings(CLEAR)


@given(leagues())
def test_ranks_hold_together(results):
    table = standings(results, "abcdef")
    for place, line in enumerate(table, 1):
        assert 1 <= line.best <= place <= line.worst <= len(table)
        assert len(line.not_separated) == line.worst - line.best
    assert [line.tier for line in table] == sorted(line.tier for line in table)
    assert {line.bot for line in table} == set("abcdef")


# Units of a duel.


def exchange(block, first, second, bots="acb", scores=((9, 5, 3), (9, 5, 3))):
    """a and b among others: the ranks of a match, and of the match with a and b exchanged."""
    turned = bots.translate(str.maketrans("ab", "ba"))
    return [
        match(2 * block, bots, first, block=block, scores=scores[0]),
        match(2 * block + 1, turned, second, block=block, scores=scores[1]),
    ]


def test_a_unit_is_what_a_won_from_b_in_two_matches():
    results = exchange(0, "123", "321") + exchange(1, "123", "123") + exchange(2, "221", "113")
    assert exchanges_by_rank(results, "a", "b") == ((1, 1), (1, 0), (0, 0))
    assert exchanges_by_rank(results, "b", "a") == ((0, 0), (0, 1), (1, 1))
    assert exchanges_by_rank(exchange(0, "131", "212"), "a", "b") == ((0.5, 0.5),)
    assert exchanges_by_score(results, "a", "b") == ((6, -6),) * 3


def test_only_whole_units_count_and_only_up_to_the_first_that_is_not():
    results = exchange(0, "123", "321") + exchange(1, "123", "123") + exchange(2, "123", "321")
    assert exchanges_by_rank(results[:5], "a", "b") == ((1, 1), (1, 0))
    assert exchanges_by_rank([*results[:3], *results[4:]], "a", "b") == ((1, 1),), "units that were fast come too early"
    assert exchanges_by_rank(results[1:], "a", "b") == ()
    assert exchanges_by_rank(results[::-1], "a", "b") == ((1, 1), (1, 0), (1, 1))


@pytest.mark.parametrize(
    "results",
    [
        [match(0, "acb", "123", block=0), match(1, "acb", "123", block=0)],
        [match(0, "acd", "123", block=0), match(1, "bcd", "123", block=0)],
        [match(0, "aab", "123", block=0), match(1, "bba", "123", block=0)],
        [*exchange(0, "123", "321"), match(2, "acb", "123", block=0)],
    ],
)
def test_a_block_that_is_no_exchange_is_refused(results):
    with pytest.raises(ValueError, match="block 0 of a duel"):
        exchanges_by_rank(results, "a", "b")


# Leagues with known strengths; benchmarks/ratings.py plays thousands of them.


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    setting = Simulation(seats=3, luck=0.25, blocks=40)
    true = truth(setting)
    held = []
    for seed in range(40):
        fitted = fit(play_league(setting, random.Random(seed)))
        for one, other in combinations(BOTS, 2):
            difference = fitted.difference(one, other)
            held.append(difference.low <= true[one] - true[other] <= difference.high)
    assert 0.92 < np.mean(held) < 0.98


def test_the_best_bot_is_found():
    setting = Simulation(seats=4, luck=0.25, blocks=210)
    tops = [fit(play_league(setting, random.Random(seed))).order()[0] for seed in range(8)]
    assert tops.count(BOTS[0]) >= 7
