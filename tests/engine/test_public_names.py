"""What `from engine import ...` and `from protocol import ...` give."""

import importlib
import pkgutil
from types import ModuleType

import pytest

import engine
import protocol


@pytest.mark.parametrize("package", [engine, protocol])
def test_no_public_name_is_hidden_by_a_module_of_that_name(package):
    """Python sets `engine.game` to the module as soon as an `engine/game.py` is imported, wherever that happens."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    assert [name for name in package.__all__ if isinstance(getattr(package, name), ModuleType)] == []
    assert len(set(package.__all__)) == len(package.__all__)


def test_a_game_is_played_with_public_names_alone():
    from engine import Seed, at_random, game, playout

    draftosaurus, dice = game("draftosaurus"), Seed(7)
    end, decisions = playout(draftosaurus, draftosaurus.start(4, {}), dice, at_random(dice))
    assert draftosaurus.outcome(end) is not None
    assert decisions > 0


def test_a_bot_and_an_arena_greet_each_other_with_public_names_alone():
    from protocol import JSON, REVISION, Hello, Role, Session

    hello = Hello(REVISION, "my bot", "1.0", ["draftosaurus"])
    assert list(Session(Role.ARENA).receive(Session(Role.BOT, JSON).send(hello))) == [hello]
