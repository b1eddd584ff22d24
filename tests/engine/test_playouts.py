"""Playouts: the same game in one loop or step by step."""

from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.playouts import at_random, playout, steps


def test_a_playout_ends_where_its_steps_end():
    start = GAME.start(3, {"season": "summer_winter"})
    end, decisions = playout(GAME, start, Seed(3), at_random(Seed(3)))
    *_, (_, last) = steps(GAME, start, Seed(3), at_random(Seed(3)))
    assert end == last
    assert GAME.outcome(end) is not None
    assert decisions >= 2 * 3 * 24


def test_dice_do_not_depend_on_what_players_do():
    def chance(name: str) -> list[str]:
        played = steps(GAME, GAME.start(4, {}), Seed(9), at_random(Seed(9), name))
        return [actions[-1] for actions, _ in played if -1 in actions]

    assert chance("bold") == chance("shy")
