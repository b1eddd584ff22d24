"""search: plays its ideas on in many deals of what it cannot see, and takes the one that wins most.

It thinks as long as the clock allows; with `--playouts N` or `--ms N` so long (thinking.py).
"""

import sys
from importlib import import_module

import dinobot
import greedy_bot
from thinking import Thinking, thinking_of

MODULES = {"draftosaurus": "searcher_draftosaurus", "dinodocus": "searcher_dinodocus"}
"""Where each game's SearchPlayer is: a match imports the player of one game only."""


def player(start: dinobot.Message, thinking: Thinking) -> dinobot.Player:
    """Who plays this match; greedy in a game that has no search yet."""
    if start["game"] not in MODULES:
        return greedy_bot.player(start)
    try:
        module = import_module(MODULES[start["game"]])
    except ModuleNotFoundError:
        return greedy_bot.player(start)
    chosen: dinobot.Player = module.SearchPlayer(start, thinking)
    return chosen


def name_of(thinking: Thinking) -> str:
    """search, search-64 or search-200ms."""
    if thinking.playouts is not None:
        return f"search-{thinking.playouts}"
    return "search" if thinking.ms is None else f"search-{thinking.ms}ms"


if __name__ == "__main__":
    thinking = thinking_of(sys.argv[1:])
    dinobot.run(name_of(thinking), "1.0", list(MODULES), lambda start: player(start, thinking))
