"""Bots that are started for a test, or for a whole file of tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.bots.processes import BOTS, Bot


@pytest.fixture
def launch() -> Iterator[Callable[..., Bot]]:
    """launch(script, codec) starts a bot and greets it."""
    with ExitStack() as stack:

        def start(script: Path, codec: str = "", **environment: str) -> Bot:
            bot = stack.enter_context(Bot(script, codec, **environment))
            bot.greet()
            return bot

        yield start


@pytest.fixture(scope="module")
def six() -> Iterator[list[Bot]]:
    """Greedy and random bots in turn, that play many matches in the same processes."""
    with ExitStack() as stack:
        bots = [stack.enter_context(Bot(BOTS / f"{name}_bot.py")) for name in ("greedy", "random") * 3]
        for bot in bots:
            bot.greet()
        yield bots
