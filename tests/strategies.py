"""How hypothesis chooses: dice, moves, set-ups."""

from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from engine.contract import Game
from engine.dice import fisher_yates
from engine.playouts import Choose

T = TypeVar("T")


class ChosenDice:
    """Dice that hypothesis throws."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.thrown: dict[tuple[str, int, int], int] = {}

    def roll(self, name: str, sides: int, index: int) -> int:
        thrown = self._throw((name, sides, index), sides - 1)
        # The first example of hypothesis is all zeros, and a zero is what has the kit look at a state: at every one.
        return sides - 1 - thrown if name == "conformance" else thrown

    def draw(self, name: str, items: Sequence[T], count: int) -> list[T]:
        return fisher_yates(self._throw((name, len(items), count), 2**256), items, count)

    def _throw(self, key: tuple[str, int, int], most: int) -> int:
        if key not in self.thrown:
            self.thrown[key] = self.data.draw(st.integers(0, most), label=key[0])
        return self.thrown[key]


def chosen_moves(data: st.DataObject) -> Choose:
    """Players that do what hypothesis says."""
    return lambda legal: data.draw(st.sampled_from(legal), label="action")


def setups(game: Game[Any]) -> st.SearchStrategy[tuple[int, dict[str, Any]]]:
    """A player count and a value for every option."""
    options = st.fixed_dictionaries({name: st.sampled_from(option.values) for name, option in game.options().items()})
    return st.tuples(st.sampled_from(list(game.seats)), options)
