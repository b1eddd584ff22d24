"""The rules of the games: pure, deterministic, ignorant of bots, bytes and clocks.

    from engine import Seed, at_random, game, playout

    draftosaurus, dice = game("draftosaurus"), Seed(7)
    end, decisions = playout(draftosaurus, draftosaurus.start(4, {}), dice, at_random(dice))

Here is what programs and games of other packages need. `engine.conformance` checks a game, `engine.positions` helps to
read position texts.
"""

from engine.catalogue import game, names
from engine.contract import (
    CHANCE,
    Dice,
    Event,
    Game,
    Option,
    Outcome,
    Paint,
    Seat,
    Value,
    View,
    changed,
    check_seats,
    plain,
    ranks,
    settle,
    spell,
    wrong_seats,
)
from engine.dice import Seed
from engine.errors import (
    ActionError,
    EngineError,
    IllegalAction,
    MalformedAction,
    NotationError,
    SetupError,
    UnknownGame,
)
from engine.playouts import Choose, at_random, perft, playout, steps
from engine.rare import RarePhase

__all__ = [  # noqa: RUF022  # in reading order
    # play
    "game",
    "names",
    "Seed",
    "Dice",
    "playout",
    "steps",
    "perft",
    "at_random",
    "Choose",
    # what a game is
    "Game",
    "CHANCE",
    "Seat",
    "Option",
    "Value",
    "View",
    "Event",
    "Outcome",
    "RarePhase",
    "Paint",
    "plain",
    # what games have in common
    "check_seats",
    "settle",
    "changed",
    "spell",
    "ranks",
    "wrong_seats",
    # errors
    "EngineError",
    "UnknownGame",
    "SetupError",
    "NotationError",
    "ActionError",
    "MalformedAction",
    "IllegalAction",
]
