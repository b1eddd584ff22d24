"""Bots' players without their processes, and whole matches between them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from engine.contract import CHANCE, Game, Outcome
from engine.dice import Seed
from tests.bots.processes import BOTS

Player = Any
Players = Mapping[str, Callable[[Mapping[str, Any]], Player]]


def imported(name: str) -> ModuleType:
    """A module of bots/python, as a bot that lies beside it imports it."""
    sys.path.insert(0, str(BOTS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(BOTS))


def seated(players: Players, names: Sequence[str], seed: int = 0, *, game: Game[Any]) -> list[Player]:
    start = {"game": game.name, "seats": len(names)}
    return [players[name]({**start, "seat": seat, "bot_seed": 100 * seed + seat}) for seat, name in enumerate(names)]


def play(table: Sequence[Player], options: Mapping[str, Any], seed: int = 0, *, game: Game[Any]) -> Outcome:
    """A whole game in this process; every answer has to be legal."""
    state, dice = game.start(len(table), options), Seed(seed)
    while actors := game.to_act(state):
        if actors == (CHANCE,):
            actions = {CHANCE: game.deal(state, dice)}
        else:
            actions = {seat: action_of(table[seat].decide(question(state, seat, game=game))) for seat in actors}
        state = game.apply(state, actions)  # which refuses what is not legal
    return game.outcome(state)


def action_of(answer: Any) -> Any:
    """An answer is an action, or an action and a note."""
    return answer[0] if isinstance(answer, tuple) else answer


def question(state: Any, seat: int, *, game: Game[Any]) -> dict[str, Any]:
    return {"view": game.view(state, seat), "legal": list(game.legal(state, seat))}
