"""planner: takes what promises the most points in the end, given what it has not seen."""

from importlib import import_module

import dinobot
import greedy_bot

MODULES = {"draftosaurus": "planner_draftosaurus", "dinodocus": "planner_dinodocus"}
"""Where each game's PlannerPlayer is: a match imports the player of one game only."""


def player(start: dinobot.Message) -> dinobot.Player:
    """Who plays this match; greedy in a game that has no planner yet."""
    if start["game"] not in MODULES:
        return greedy_bot.player(start)
    try:
        module = import_module(MODULES[start["game"]])
    except ModuleNotFoundError:
        return greedy_bot.player(start)
    chosen: dinobot.Player = module.PlannerPlayer(start)
    return chosen


if __name__ == "__main__":
    dinobot.run(name="planner", version="1.0", games=list(MODULES), player=player)
