"""Results in columns: the same results, in a fraction of the memory."""

import random
import tracemalloc

import pytest

from arena.league.elo import Result
from arena.league.fit import fit
from arena.league.outcomes import Outcomes
from arena.league.standings import standings


def drawn(count: int, blocks: int = 10**9, bots: int = 30, seats: int = 4) -> list[Result]:
    dice = random.Random(5)
    results = []
    for at in range(count):
        seated = tuple(f"bot-{number}" for number in dice.sample(range(bots), seats))
        scores = tuple(dice.randint(-40, 90) for _ in seated)
        ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
        results.append(Result(at, dice.randrange(blocks), seated, ranks, scores))
    return results


@pytest.mark.parametrize("top", [1, 200, 40_000, 2**31, 2**53])
def test_numbers_of_any_size_come_back_as_they_were(top):
    results = [
        Result(0, 0, ("a", "b"), (1, 2), (3, -3)),
        Result(1, top, ("b", "c"), (1, 1), (top, -top)),
        Result(2, 1, ("c", "a", "b"), (1, 2, 3), (0, 0, 0)),
    ]
    assert list(Outcomes.of(results)) == results


def test_results_in_any_order_are_brought_into_plan_order():
    results = drawn(20)
    assert list(Outcomes.of(reversed(results))) == results


def test_two_results_of_one_match_are_refused():
    one = Result(0, 0, ("a", "b"), (1, 2), (3, 1))
    with pytest.raises(ValueError, match="A match counts once"):
        Outcomes.of([one, Result(0, 0, ("a", "b"), (2, 1), (1, 3))])


def test_the_first_of_them_know_only_their_own_bots():
    results = [Result(0, 0, ("a", "b"), (1, 2), (3, 1)), Result(1, 1, ("c", "d", "e"), (1, 2, 3), (3, 2, 1))]
    part = Outcomes.of(results).first(1)
    assert (list(part), len(part), part.played(), part.sizes()) == (results[:1], 1, {"a", "b"}, [2])
    assert fit(part).bots == ("a", "b")


def test_blocks_are_found_wherever_their_matches_stand():
    results = drawn(300, blocks=40)
    outcomes = Outcomes.of(results)
    names = [[[outcomes.bots[number] for number in seated] for seated, _ in tables] for tables in outcomes.by_block()]
    blocks = sorted({result.block for result in results})
    assert names == [[list(one.bots) for one in results if one.block == block] for block in blocks]


def test_no_results_are_a_fit_of_bots_that_have_not_played():
    assert fit(Outcomes(), ["a", "b"]).ratings[0].value == 1500
    assert [one.games for one in standings(Outcomes(), ["a", "b"])] == [0, 0]


def test_a_result_takes_about_thirty_bytes():
    rows = [(one.block, one.bots, one.ranks, one.scores) for one in drawn(5000, 2**40)]
    tracemalloc.start()
    try:
        outcomes = Outcomes(rows)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / len(outcomes) < 40
