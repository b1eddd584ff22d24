"""Bots that are started for a test, or for a whole file of tests, and players without a process."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

import pytest

from tests.bots.players import Players
from tests.bots.processes import BOTS, Bot


@pytest.fixture
def launch(processes: None) -> Iterator[Callable[..., Bot]]:  # noqa: ARG001
    """launch(script, codec) starts a bot and greets it."""
    with ExitStack() as stack:

        def start(script: Path, codec: str = "", **environment: str) -> Bot:
            bot = stack.enter_context(Bot(script, codec, **environment))
            bot.greet()
            return bot

        yield start


@pytest.fixture(scope="module")
def six(processes: None) -> Iterator[list[Bot]]:  # noqa: ARG001
    """Greedy and random bots in turn, that play many matches in the same processes."""
    with ExitStack() as stack:
        bots = [stack.enter_context(Bot(BOTS / f"{name}_bot.py")) for name in ("greedy", "random") * 3]
        for bot in bots:
            bot.greet()
        yield bots


@pytest.fixture(scope="session")
def players() -> Iterator[Players]:
    """What makes each bot's player, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BOTS))
        patch.setattr(sys, "dont_write_bytecode", True)
        search, thinking = import_module("searcher_bot").player, import_module("thinking").Thinking
        yield {
            "greedy": import_module("greedy_bot").player,
            "random": import_module("random_bot").RandomPlayer,
            "novice": import_module("novice_bot").NovicePlayer,
            "planner": import_module("planner_bot").player,
            "search": lambda start: search(start, thinking(playouts=4)),
        }
