"""Games of other libraries, played at random through the Python interface that each library documents.

None of them is needed to use the arena. One that is not installed has a reason instead of numbers.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from typing import Any

from arena.bench.playouts import Contest, PlayoutRow, chooser

HOW = "`make bench` installs it"


@dataclass(slots=True)
class Peers:
    """Those of a contest."""

    documented: list[PlayoutRow] = field(default_factory=list)
    """OpenSpiel's games, as its documentation plays them: what checks compare with."""
    others: list[PlayoutRow] = field(default_factory=list)
    """OpenSpiel's games with a shortcut, and the games of PettingZoo."""
    missing: dict[str, str] = field(default_factory=dict)
    """By name, why there is no row."""

    @property
    def reason(self) -> str:
        """Why there is nothing to compare with."""
        return "" if self.documented else next(iter(self.missing.values()), "no game was named")


def peers_of(contest: Contest) -> Peers:
    """The games of a contest that can be played here."""
    peers = Peers()
    try:
        import pyspiel
    except ImportError as error:
        peers.missing |= dict.fromkeys(_openspiel(contest.peers), f"open_spiel is not installed ({error}); {HOW}")
    else:
        for name, game in zip(_openspiel(contest.peers), map(pyspiel.load_game, contest.peers)):
            peers.documented.append(PlayoutRow(name, openspiel_playout(game, by_probability())))
            peers.others.append(PlayoutRow(f"{name}, uniform chance", openspiel_playout(game, uniformly())))
    for game in contest.environments:
        name = f"pettingzoo {game}"
        try:
            peers.others.append(PlayoutRow(name, pettingzoo_playout(import_module(f"pettingzoo.classic.{game}").env())))
        except ImportError as error:  # also one of the libraries that a game needs
            peers.missing[name] = f"{error}; {HOW}"
    return peers


def _openspiel(names: Iterable[str]) -> Iterator[str]:
    return (f"open_spiel {name}" for name in names)


# OpenSpiel


def by_probability() -> Callable[[Any], Any]:
    """Chance as OpenSpiel documents it: by its outcomes and their probabilities."""
    sample = random.Random(1).choices

    def outcome(state: Any) -> Any:
        outcomes, probabilities = zip(*state.chance_outcomes())
        return sample(outcomes, probabilities)[0]

    return outcome


def uniformly() -> Callable[[Any], Any]:
    """A shortcut that is right only where all outcomes are equally likely, as in deals: any legal action of chance."""
    choose: Callable[[Any], Any] = chooser()
    return lambda state: choose(state.legal_actions())


def openspiel_playout(game: Any, outcome: Callable[[Any], Any]) -> Callable[[], int]:
    """Plays a game to its end, and counts decisions."""
    choose: Callable[[Any], Any] = chooser()

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(outcome(state))
            else:
                state.apply_action(choose(state.legal_actions()))
                decisions += 1
        return decisions

    return play


# PettingZoo


def pettingzoo_playout(environment: Any) -> Callable[[], int]:
    """The same with an environment in which agents act in turn, as PettingZoo documents it."""
    choose: Callable[[Any], Any] = chooser()
    seeds = count()

    def play() -> int:
        environment.reset(seed=next(seeds))
        decisions = 0
        for _ in environment.agent_iter():
            observation, _, is_over, is_cut, _ = environment.last()
            if is_over or is_cut:
                environment.step(None)
                continue
            environment.step(int(choose(observation["action_mask"].nonzero()[0])))
            decisions += 1
        return decisions

    return play
