"""Exact play at the end of Draftosaurus is what brute force through the engine finds."""

import random

import pytest
from scipy.optimize import linprog

from engine.contract import CHANCE
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.draftosaurus.state import Phase
from tests.bots.players import imported, question

SPECIES = "TDCSGP"
endgame, games, planner = (imported(name) for name in ("draftosaurus_endgame", "games_of_two", "planner_draftosaurus"))


def value_of(matrix: list[list[float]]) -> float:
    """The value for the player of the rows, by linear programming."""
    rows, columns = len(matrix), len(matrix[0])
    found = linprog(
        [0.0] * rows + [-1.0],
        A_ub=[[-matrix[row][column] for row in range(rows)] + [1.0] for column in range(columns)],
        b_ub=[0.0] * columns,
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * rows + [(None, None)],
    )
    return float(found.x[-1])


def brute(state) -> float:
    """What seat 0 has of a win if both play as well as possible from here, by trying all that the engine allows."""
    if (end := GAME.outcome(state)) is not None:
        one, two = end.ranks
        return 0.5 if one == two else float(one < two)
    actors = GAME.to_act(state)
    if actors == (CHANCE,):
        rolls = GAME.legal(state, CHANCE)
        return sum(brute(GAME.apply(state, {CHANCE: roll})) for roll in rolls) / len(rolls)
    first = GAME.legal(state, 0) if 0 in actors else (None,)
    second = GAME.legal(state, 1) if 1 in actors else (None,)
    matrix = [
        [brute(GAME.apply(state, {s: a for s, a in ((0, one), (1, two)) if a is not None})) for two in second]
        for one in first
    ]
    return value_of(matrix) if len(first) > 1 and len(second) > 1 else max(min(row) for row in matrix)


def close_to_the_end(season: str, seed: int, phase: Phase, turn: int):
    """A random game of two up to a phase of this turn."""
    state, dice, chance = GAME.start(2, {"season": season}), Seed(seed), random.Random(seed)
    while not (state.stage.round == 3 and state.turn == turn and state.phase is phase):
        actors = GAME.to_act(state)
        state = GAME.apply(
            state,
            {CHANCE: GAME.deal(state, dice)}
            if actors == (CHANCE,)
            else {seat: chance.choice(GAME.legal(state, seat)) for seat in actors},
        )
    return state


@pytest.mark.parametrize("season", ["summer", "winter"])
@pytest.mark.parametrize("seed", range(4))
def test_the_last_pick_is_worth_what_brute_force_finds(season, seed):
    state = close_to_the_end(season, seed, Phase.PICK, 2)
    assert worth(state) == pytest.approx(brute(state))


@pytest.mark.thorough
@pytest.mark.parametrize("season", ["summer", "winter"])
@pytest.mark.parametrize("seed", range(2))
def test_the_discard_before_it_is_worth_what_brute_force_finds(season, seed):
    state = close_to_the_end(season, seed, Phase.DISCARD, 1)
    assert worth(state) == pytest.approx(brute(state))


def worth(state) -> float:
    """The value for seat 0 of the mixtures that both seats find, each from its own view."""
    found = []
    for seat in (0, 1):
        asked = question(state, seat, game=GAME)
        deals = planner.Evaluator(2).deals(asked["view"])
        assert endgame.is_exact(deals)
        dinos = [SPECIES.index(action[-1]) for action in asked["legal"]]
        found.append(dict(zip(asked["legal"], endgame.mixture(deals, seat, dinos, [0.0, 0.0]))))
    return sum(
        p * q * brute(GAME.apply(state, {0: one, 1: two}))
        for one, p in found[0].items()
        for two, q in found[1].items()
        if p * q > 0
    )


@pytest.mark.parametrize("seed", range(60))
def test_small_games_are_solved(seed):
    chance = random.Random(seed)
    rows, columns = chance.randrange(1, 6), chance.randrange(1, 6)
    matrix = [[chance.choice((0, 0.25, 0.5, 0.5, 1)) for _ in range(columns)] for _ in range(rows)]
    value, weights = games.solve(matrix)
    assert value == pytest.approx(value_of(matrix))
    assert sum(weights) == pytest.approx(1)
    assert min(sum(w * row[column] for w, row in zip(weights, matrix)) for column in range(columns)) >= value - 1e-6
