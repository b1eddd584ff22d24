"""Games are found by name, those of other packages too."""

import sys

import pytest

from engine import catalogue
from engine.draftosaurus import GAME
from engine.errors import IllegalAction, UnknownGame
from engine.playouts import playout


def test_the_shipped_game_is_found():
    assert catalogue.game("draftosaurus") is GAME
    assert "draftosaurus" in catalogue.names()


def test_an_unknown_game_is_named_with_those_that_exist():
    with pytest.raises(UnknownGame, match=r"^unknown game 'chess'\. Games: .*draftosaurus"):
        catalogue.game("chess")


def test_a_game_of_another_package_is_found(plug_in):
    module = "from engine.draftosaurus import Draftosaurus\nGAME = Draftosaurus()\nGAME.name = 'nim'\n"
    plug_in("nim_pack", module, "arena.games: nim = nim_pack:GAME")
    assert "nim" in catalogue.names()
    assert catalogue.game("nim").name == "nim"


INHERITING = """
from engine import Dice, Game, IllegalAction
from engine.draftosaurus import Draftosaurus

class Weights(Dice):
    def roll(self, name, sides, index):
        return sides - 1

    def draw(self, name, items, count):
        return list(items[:count])

class Tired(IllegalAction):
    pass

class Nim(Draftosaurus, Game):
    name = "nim"

    @staticmethod
    def apply(state, actions):
        if actions.get(0) == "z":
            raise Tired(0, "z", "it is late", "N-01")
        return Draftosaurus.apply(state, actions)

GAME = Nim()
"""


def test_another_package_can_inherit_from_games_dice_and_errors(plug_in):
    """Also where our rules are compiled. From a compiled class no Python class can inherit."""
    plug_in("nim_pack", INHERITING, "arena.games: nim = nim_pack:GAME")
    game, dice = catalogue.game("nim"), sys.modules["nim_pack"].Weights()
    end, decisions = playout(game, game.start(2, {}), dice, lambda legal: legal[0])
    assert decisions > 0
    assert game.outcome(end) is not None
    with pytest.raises(IllegalAction, match="z is not legal, it is late"):
        game.apply(game.start(2, {}), {0: "z"})


def test_a_plug_in_that_lacks_something_is_told_what(plug_in):
    plug_in(
        "half_pack",
        "class Nim:\n    name = 'nim'\n    edition = 1\nGAME = Nim()\n",
        "arena.games: nim = half_pack:GAME",
    )
    with pytest.raises(
        UnknownGame, match=r"half_pack .* is not a whole Game, it lacks seats, grammar, options, start, "
    ):
        catalogue.game("nim")


def test_a_plug_in_that_breaks_on_import_is_blamed_in_one_line(plug_in):
    plug_in("broken_pack", "raise RuntimeError('no luck')\n", "arena.games: nim = broken_pack:GAME")
    with pytest.raises(UnknownGame) as refusal:
        catalogue.game("nim")
    assert str(refusal.value) == "game nim of broken_pack (broken_pack:GAME) does not load: RuntimeError('no luck')."


def test_a_plug_in_that_is_no_game_is_blamed(plug_in):
    plug_in("wrong_pack", "GAME = 42\n", "arena.games: nim = wrong_pack:GAME")
    with pytest.raises(UnknownGame, match=r"wrong_pack .* is not a Game of that name: 42"):
        catalogue.game("nim")


def test_two_plug_ins_of_one_name_are_both_named(plug_in):
    plug_in("one_pack", "GAME = 1\n", "arena.games: nim = one_pack:GAME")
    plug_in("two_pack", "GAME = 2\n", "arena.games: nim = two_pack:GAME")
    with pytest.raises(UnknownGame, match=r"several packages: (one_pack.*two_pack|two_pack.*one_pack).* Keep one"):
        catalogue.game("nim")


def test_a_plug_in_cannot_replace_a_shipped_game(plug_in):
    plug_in("thief_pack", "GAME = None\n", "arena.games: draftosaurus = thief_pack:GAME")
    assert catalogue.game("draftosaurus") is GAME
