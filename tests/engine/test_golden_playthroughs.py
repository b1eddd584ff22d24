"""Whole games as text: whoever changes a rule sees here what it changes. Written anew by `make golden`."""

import json

import pytest

from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.playouts import at_random, steps

SEASONS = GAME.options()["season"].values


def playthrough(seats: int, season: str, seed: int) -> str:
    """The positions and actions of a random game, one line each, and its outcome."""
    dice = Seed(seed)
    state = start = GAME.start(seats, {"season": season})
    lines = [f"{GAME.name} edition {GAME.edition}, {seats} seats, {season}, seed {seed}", "", GAME.format(start)]
    for played, state in steps(GAME, start, dice, at_random(dice)):
        lines += ["> " + " ".join(played.values()), GAME.format(state)]
    outcome = GAME.outcome(state)
    lines += ["", f"scores {outcome.scores}, ranks {outcome.ranks}"]
    lines += [f"seat {seat}: {part}" for seat, part in enumerate(outcome.breakdown)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("season", SEASONS)
@pytest.mark.parametrize("seats", GAME.seats)
def test_a_seed_gives_the_same_game_for_ever(seats, season, golden):
    golden(f"draftosaurus/{season}-{seats}p.txt", playthrough(seats, season, seed=seats))


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("summer-3p", 3, {}),
        ("double-hidden-2p", 2, {"season": "summer_winter", "discard_visibility": "hidden"}),
        ("draft-hidden-with-pick-2p", 2, {"commit": "pick_and_place", "discard_visibility": "hidden", "discard_timing": "with_pick"}),
        ("pick-hidden-with-pick-2p", 2, {"discard_visibility": "hidden", "discard_timing": "with_pick"}),
        ("winter-random-first-4p", 4, {"season": "winter", "first_roller": "random"}),
    ],
)  # fmt: skip
def test_a_seat_and_a_spectator_see_the_same_for_ever(name, seats, options, golden):
    dice = Seed(11)
    before = GAME.start(seats, options)
    lines = []
    for _, state in steps(GAME, before, dice, at_random(dice)):
        for viewer in (1, None):
            events = json.dumps(GAME.events(before, state, viewer))
            lines.append(f"{viewer}: {events}\n   {json.dumps(GAME.view(state, viewer))}")
        before = state
    golden(f"draftosaurus/views/{name}.txt", "\n".join(lines) + "\n")
