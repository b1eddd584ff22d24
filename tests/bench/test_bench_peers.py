"""Games of other libraries: how a playout of theirs is counted, and what is said of one that is missing."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from arena.bench import peers
from arena.bench.playouts import CONTESTS
from tests.bench.shape import must_be_described


class CoinGame:
    """What OpenSpiel's states can do, in a game of a coin and two choices."""

    def __init__(self) -> None:
        self.applied: list[int] = []

    def new_initial_state(self) -> "CoinGame":
        self.applied = []
        return self

    def is_terminal(self) -> bool:
        return len(self.applied) == 3

    def is_chance_node(self) -> bool:
        return not self.applied

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.0), (1, 1.0)]

    def legal_actions(self) -> list[int]:
        return [7]

    def apply_action(self, action: int) -> None:
        self.applied.append(action)


@pytest.mark.parametrize(("outcome", "chance"), [(peers.by_probability(), 1), (peers.uniformly(), 7)])
def test_a_playout_of_openspiel_counts_its_decisions_and_not_its_chance(outcome, chance):
    coin = CoinGame()
    assert peers.openspiel_playout(coin, outcome)() == 2
    assert coin.applied == [chance, 7, 7]


class TwoTurns:
    """What PettingZoo's environments can do, in a game in which each of two agents acts once."""

    def __init__(self) -> None:
        self.stepped: list[int | None] = []

    def reset(self, seed: int) -> None:  # noqa: ARG002
        self.stepped = []

    def agent_iter(self) -> Iterator[str]:
        yield from ("first", "second", "first", "second")

    def last(self) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, object]]:
        mask = np.array([0, 0, 0, 1], dtype=np.int8)
        return {"action_mask": mask}, 0.0, len(self.stepped) >= 2, False, {}

    def step(self, action: int | None) -> None:
        self.stepped.append(action)


def test_a_playout_of_pettingzoo_counts_decisions_and_not_the_farewell():
    environment = TwoTurns()
    assert peers.pettingzoo_playout(environment)() == 2
    assert environment.stepped == [3, 3, None, None]
    assert {type(action) for action in environment.stepped[:2]} == {int}


def test_each_library_that_is_missing_is_named_with_a_way_out(monkeypatch):
    for name in ("pyspiel", "pettingzoo"):
        monkeypatch.setitem(sys.modules, name, None)
    found = peers.peers_of(CONTESTS[0])
    assert (found.documented, found.others) == ([], [])
    assert list(found.missing) == [
        "open_spiel hearts",
        "open_spiel oh_hell",
        "open_spiel skat",
        "pettingzoo connect_four_v3",
        "pettingzoo texas_holdem_v4",
    ]
    assert all(reason.endswith("`make bench` installs it") for reason in found.missing.values())
    assert found.reason == found.missing["open_spiel hearts"]
    must_be_described({"rows": [{"name": name, "skipped": why} for name, why in found.missing.items()], "checks": []})
