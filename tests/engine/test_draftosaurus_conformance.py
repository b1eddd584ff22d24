"""Draftosaurus keeps every promise of the Game interface, at every player count and with every option."""

import pickle

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.conformance import check_game, check_playout
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.playouts import at_random, steps
from tests.engine.draftosaurus_witness import WITNESS
from tests.sizes import sweep
from tests.strategies import ChosenDice, chosen_moves, setups

SEASONS = GAME.options()["season"].values


@pytest.mark.thorough
@pytest.mark.parametrize("seats", GAME.seats)
def test_every_option_value_conforms_on_both_boards(seats):
    values = sum(len(option.values) for option in GAME.options().values())
    defaults = len(GAME.options())
    refused = 5 - seats  # first_roller names a seat that this table does not have
    every = sweep(40, 16)
    assert (
        check_game(GAME, WITNESS, {"season": "summer_winter"}, [seats], every=every) == 1 + values - defaults - refused
    )


@pytest.mark.thorough
@pytest.mark.parametrize("season", SEASONS)
@pytest.mark.parametrize("seats", GAME.seats)
@settings(
    max_examples=sweep(2, 20), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_every_table_conforms_with_chosen_dice_and_moves(data, seats, season):
    start = GAME.start(seats, {"season": season})
    check_playout(GAME, start, ChosenDice(data), chosen_moves(data), WITNESS, every=3)


@settings(
    max_examples=sweep(8, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(setup=setups(GAME), seed=st.integers(0, 2**64))
def test_options_conform_in_any_combination(setup, seed):
    seats, options = setup
    assume(options["first_roller"] == "random" or options["first_roller"] < seats)
    dice = Seed(seed)
    check_playout(GAME, GAME.start(seats, options), dice, at_random(dice), WITNESS, every=4)


def test_states_survive_pickling():
    dice = Seed(1)
    for _, state in steps(GAME, GAME.start(2, {"season": "summer_winter"}), dice, at_random(dice)):
        assert pickle.loads(pickle.dumps(state)) == state
