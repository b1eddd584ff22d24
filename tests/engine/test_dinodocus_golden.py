"""Whole games of Dinodocus as text: whoever changes a rule sees here what it changes. Written anew by `make golden`."""

import json
from typing import Any

import pytest

from engine.dice import Seed
from engine.dinodocus import GAME
from engine.playouts import at_random, steps

SETUPS: dict[str, tuple[int, dict[str, Any]]] = {
    "basic-2p": (2, {}),
    "basic-6p": (6, {}),
    "basic-4p-all-free": (
        4,
        {
            "start_tie": "random",
            "reshuffle": "immediate",
            "draw_mode": "may_stop",
            "mutate_fresh": False,
            "herb_duty": "free",
            "carn_duty": "free",
            "unfed_discard": "immediate",
            "final_allocation": "auto_best",
        },
    ),
    "advanced-3p": (3, {"advanced": True}),
    "advanced-5p-turn-start": (
        5,
        {"advanced": True, "real_bonus": True, "offer_windows": "mutate_and_turn_start", "offer_rounds": 2},
    ),
}
SECRETIVE = {"advanced": True, "help_events_public": False, "hand_parts_public": False}


def playthrough(seats: int, options: dict, seed: int) -> str:
    """The actions of a random game, the position at the beginning of each turn, and the outcome."""
    dice = Seed(seed)
    state = before = GAME.start(seats, options)
    lines = [f"{GAME.name} edition {GAME.edition}, {seats} seats, seed {seed}", "", GAME.format(state)]
    for played, state in steps(GAME, before, dice, at_random(dice)):
        lines.append("> " + " ".join(f"{seat}:{action}" for seat, action in played.items()))
        if state.turn > before.turn:
            lines.append(GAME.format(state))
        before = state
    outcome = GAME.outcome(state)
    lines += [GAME.format(state), "", f"scores {outcome.scores}, ranks {outcome.ranks}"]
    lines += [f"seat {seat}: {part}" for seat, part in enumerate(outcome.breakdown)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", SETUPS)
def test_a_seed_gives_the_same_game_for_ever(name, golden):
    seats, options = SETUPS[name]
    golden(f"dinodocus/{name}.txt", playthrough(seats, options, seed=seats))


@pytest.mark.parametrize(("name", "options"), [("open", {"advanced": True}), ("secretive", SECRETIVE)])
def test_a_seat_and_a_spectator_see_the_same_for_ever(name, options, golden):
    dice = Seed(11)
    before = GAME.start(3, options)
    lines = []
    for _, state in steps(GAME, before, dice, at_random(dice)):
        for viewer in (1, None):
            lines.append(f"{viewer}: {json.dumps(GAME.events(before, state, viewer))}")
            if state.turn > before.turn:
                lines.append(f"   {json.dumps({**GAME.view(state, viewer), 'cards': '...'})}")
        before = state
    golden(f"dinodocus/views/{name}-3p.txt", "\n".join(lines) + "\n")
