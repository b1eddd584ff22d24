"""Dinodocus keeps every promise of the Game interface, at every player count and with every option."""

import pickle
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.conformance import check_game, check_playout
from engine.dice import Seed
from engine.dinodocus import GAME, cards
from engine.playouts import at_random, steps
from tests.engine.dinodocus_witness import WITNESS
from tests.sizes import sweep
from tests.strategies import ChosenDice, chosen_moves, setups

BOTH = pytest.mark.parametrize("advanced", [False, True], ids=["basic", "advanced"])


SOME = [(2, True), (3, False), (4, True), (5, False), (6, True)]
ALL = [(seats, advanced) for seats in GAME.seats for advanced in (False, True)]


@pytest.mark.thorough
@pytest.mark.parametrize(("seats", "advanced"), sweep(SOME, ALL))
def test_every_option_value_conforms(seats, advanced):
    base = {"advanced": advanced, "real_bonus": True}
    values = sum(len(option.values) - 1 for option in GAME.options().values())
    assert check_game(GAME, WITNESS, base, [seats], every=100) == 1 + values


@BOTH
@pytest.mark.parametrize(
    "seats", [2, 3, *(pytest.param(seats, marks=pytest.mark.thorough) for seats in GAME.seats[2:])]
)
def test_the_states_of_a_match_conform(seats, advanced):
    dice, every = Seed(seats), sweep(6, 2 if seats < 4 else 6)  # large tables take long to look at
    check_playout(GAME, GAME.start(seats, {"advanced": advanced}), dice, at_random(dice), WITNESS, every=every)


@pytest.mark.thorough
@BOTH
@settings(
    max_examples=sweep(3, 30), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_tables_conform_with_chosen_dice_and_moves(data, advanced):
    seats = data.draw(st.sampled_from(list(GAME.seats)), label="seats")
    start = GAME.start(seats, {"advanced": advanced, "real_bonus": True, "turn_cap": 50})
    check_playout(GAME, start, ChosenDice(data), chosen_moves(data), WITNESS, every=40)


@settings(
    max_examples=sweep(8, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(setup=setups(GAME), seed=st.integers(0, 2**64))
def test_options_conform_in_any_combination(setup, seed):
    seats, options = setup
    dice = Seed(seed)
    check_playout(GAME, GAME.start(seats, options), dice, at_random(dice), WITNESS, every=40)


def test_states_survive_pickling():
    dice = Seed(1)
    for _, state in steps(GAME, GAME.start(3, {"advanced": True}), dice, at_random(dice)):
        assert pickle.loads(pickle.dumps(state)) == state


def test_nothing_happens_after_the_end():
    over = GAME.parse("basic | d1=H07,A15,P12,T09/5 | d2=H01,A08,P15,T15")
    assert GAME.apply(over, {}) is over


@pytest.mark.pure("it changes a constant, which compiled code does not look up")
def test_a_great_deck_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(cards, "MOST_BODIES", 2)
    deck = cards.read_deck(files("engine.dinodocus").joinpath("decks/house-60.json").read_text())
    made = [deck.body((0, 15, 30, tail)) for tail in range(45, 50)]
    assert [body.attack for body in made] == [6, 6, 5, 6, 5]
    assert deck.body((0, 15, 30, 45)) == made[0]


def test_the_house_deck_can_be_asked_for_by_name():
    assert GAME.start(2, {"deck": "house-60"}) == GAME.start(2, {})
