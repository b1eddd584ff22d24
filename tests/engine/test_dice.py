"""Dice are the same for ever, and fair."""

import re
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dice import MOST_ITEMS, MOST_SIDES, Seed, fisher_yates

PUBLISHED = (Path(__file__).parents[2] / "docs" / "dice.md").read_text("utf-8")
ROLLS = re.findall(r"^\| (\d+) \| `(\S+)` \| (\d+) \| ([\d ]+) \|$", PUBLISHED, re.MULTILINE)
DRAWS = re.findall(r"^\| (\d+) \| `(\S+)` \| `(\w+)` \| (\d+) \| `(\w+)` \|$", PUBLISHED, re.MULTILINE)


@pytest.mark.parametrize(("seed", "name", "sides", "rolled"), ROLLS)
def test_published_rolls_hold(seed, name, sides, rolled):
    expected = list(map(int, rolled.split()))
    assert [Seed(int(seed)).roll(name, int(sides), index) for index in range(len(expected))] == expected


@pytest.mark.parametrize(("seed", "name", "items", "count", "drawn"), DRAWS)
def test_published_draws_hold(seed, name, items, count, drawn):
    assert "".join(Seed(int(seed)).draw(name, items, int(count))) == drawn


def test_vectors_are_published():
    assert len(ROLLS) >= 4
    assert len(DRAWS) >= 4


@given(seed=st.integers(), index=st.integers(0, 1000), sides=st.integers(1, MOST_SIDES))
def test_a_roll_is_below_its_sides_and_can_be_asked_again(seed, index, sides):
    dice = Seed(seed)
    assert 0 <= dice.roll("die", sides, index) < sides
    assert dice.roll("die", sides, index) == Seed(seed).roll("die", sides, index)


def test_names_and_seeds_are_independent():
    rows = {
        (seed, name): tuple(Seed(seed).roll(name, 6, i) for i in range(24)) for seed in (1, 2) for name in ("a", "b")
    }
    assert len(set(rows.values())) == len(rows)


@given(seed=st.integers(), items=st.lists(st.integers(), max_size=200), data=st.data())
def test_a_draw_takes_each_item_at_most_once(seed, items, data):
    count = data.draw(st.integers(0, len(items)))
    drawn = Seed(seed).draw("bag", items, count)
    assert len(drawn) == count
    assert not Counter(drawn) - Counter(items)


def test_every_number_below_n_factorial_is_another_shuffle():
    assert {"".join(fisher_yates(number, "abcd", 4)) for number in range(24)} == set(map("".join, permutations("abcd")))


def test_draws_from_large_decks_reach_every_card():
    assert {Seed(seed).draw("deck", range(MOST_ITEMS), 1)[0] // 64 for seed in range(200)} == set(range(8))
    assert sorted(Seed(1).draw("deck", range(MOST_ITEMS), MOST_ITEMS)) == list(range(MOST_ITEMS))


@pytest.mark.parametrize(("items", "count"), [(5, 6), (5, -1), (MOST_ITEMS + 1, 1)])
def test_impossible_draws_are_refused(items, count):
    with pytest.raises(ValueError, match=f"cannot draw {count} of {items}"):
        Seed(1).draw("bag", range(items), count)


@pytest.mark.parametrize("sides", [0, MOST_SIDES + 1])
def test_impossible_dice_are_refused(sides):
    with pytest.raises(ValueError, match=f"not {sides}"):
        Seed(1).roll("die", sides, 0)
