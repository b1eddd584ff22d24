"""The pens of Draftosaurus as tables: what each may hold next, what it scores, and what that will be worth.

Theory of operation. A pen has few different contents, so each is a `Contents` object that is made when a game first
comes to it, and knows those that follow. Species are numbers: 0 is T-Rex, then D C S G P. What contents are worth is
their points, and a little more or less for each turn to come, by weights that were fitted (draftosaurus_weights.py):

    worth = points + (a + b * x) * x,    x = turns to come / 12

So `gains[turns]`, what each species would add, is computed once, and then looked up: a policy that looks at all pens
for all species takes some microseconds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SPECIES = "TDCSGP"
ALL = range(6)
REX = 0
TURNS = 12
NEVER = -1e9
"""The gain where a species may not go."""

SAMENESS = (0, 2, 4, 8, 12, 18, 24)
DIFFERENCES = (0, 1, 3, 6, 10, 15, 21)
PYRAMID = (0, 2, 4, 6, 10, 14, 21)
COUPLE = 5
BLANK = "......"
ROWS = ((0, 1, 2), (3, 4), (5,))
TOUCHING = ((1, 3), (0, 2, 3, 4), (1, 4), (0, 1, 4, 5), (1, 2, 3, 5), (3, 4))

Weights = dict[str, tuple[float, float]]
"""What a feature is worth beside its points: a and b."""


def later(weights: Weights, feature: str, turns: int) -> float:
    """What a feature is worth beside its points, with so many turns to come."""
    a, b = weights.get(feature, (0.0, 0.0))
    x = turns / TURNS
    return (a + b * x) * x


class Table(dict[int, "Any"]):
    """A dict by turns to come that computes an entry when it is first looked up."""

    def __init__(self, compute: Callable[[int], Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, turns: int) -> Any:
        value = self[turns] = self._compute(turns)
        return value


class Contents:
    """What stands in a pen."""

    __slots__ = ("after", "dinos", "fair", "gains", "pen", "points", "rex", "size", "worth")

    def __init__(self, pen: Pen, dinos: str) -> None:
        self.pen = pen
        self.dinos = dinos
        self.size = len(dinos.replace(".", ""))
        self.rex = "T" in dinos
        self.points: int = pen.points(dinos) + self.rex
        self.after: list[Contents | None] = []
        """By species; the best of several cells. Filled as soon as gains are asked for."""
        self.gains = Table(self._gains)
        """By turns to come after the placement, and by species."""
        self.worth = Table(self._worth)
        """By turns to come: the points that a seat expects of this, by which it plays."""
        self.fair = Table(self._fair)
        """By turns to come: the points that this will probably bring in the end."""

    def _gains(self, turns: int) -> list[float]:
        if not self.after:
            self.after = [self.pen.best_after(self, dino) for dino in ALL]
        now = self.worth[turns]
        return [NEVER if grown is None else grown.worth[turns] - now for grown in self.after]

    def _worth(self, turns: int) -> float:
        guess = self.pen.guess
        return self.fair[turns] if guess is None else guess(self, turns) + self.rex

    def _fair(self, turns: int) -> float:
        weights = self.pen.weights
        return self.points + sum(times * later(weights, name, turns) for name, times in self.pen.features(self))


class Pen:
    """A pen under the options of a match: `held` has all contents met so far."""

    def __init__(self, name: str, room: int | None, weights: Weights) -> None:
        self.name = name
        self.room = room
        self.weights = weights
        self.held: dict[str, Contents] = {}
        self.guess: Callable[[Contents, int], float] | None = None
        """What a seat expects of contents, without T-Rexes, if it does not play by the weights."""

    def contents(self, dinos: str) -> Contents:
        if dinos not in self.held:
            self.held[dinos] = Contents(self, dinos)
        return self.held[dinos]

    def slots(self, contents: Contents, dino: int) -> dict[str, Contents]:
        """Where in this pen a species may go now, and what the pen then holds."""
        full = self.room is not None and contents.size >= self.room
        letter = SPECIES[dino]
        return {} if full or not self.admits(contents.dinos, letter) else {self.name: self.with_one(contents, letter)}

    def with_one(self, contents: Contents, letter: str) -> Contents:
        return self.contents("".join(sorted(contents.dinos + letter, key=SPECIES.index)))

    def best_after(self, contents: Contents, dino: int) -> Contents | None:
        return next(iter(self.slots(contents, dino).values()), None)

    def admits(self, dinos: str, letter: str) -> bool:  # noqa: ARG002  # any species
        return True

    def points(self, dinos: str) -> int:  # noqa: ARG002
        return 0

    def features(self, contents: Contents) -> tuple[tuple[str, float], ...]:
        """The names of what is weighted, and how often it counts."""
        return ((f"{self.name}{contents.size}", 1),)


class Forest(Pen):
    """FS: one species only."""

    def admits(self, dinos: str, letter: str) -> bool:
        return not dinos or letter in dinos

    def points(self, dinos: str) -> int:
        return SAMENESS[len(dinos)]


class Meadow(Pen):
    """MD: different species only."""

    def admits(self, dinos: str, letter: str) -> bool:
        return letter not in dinos

    def points(self, dinos: str) -> int:
        return DIFFERENCES[len(dinos)]


class Trio(Pen):
    """WT: points for exactly three."""

    full = 7

    def points(self, dinos: str) -> int:
        return self.full if len(dinos) == 3 else 0


class Prairie(Pen):
    """PL: points for pairs."""

    def points(self, dinos: str) -> int:
        return COUPLE * sum(dinos.count(letter) // 2 for letter in SPECIES)

    def features(self, contents: Contents) -> tuple[tuple[str, float], ...]:
        singles = sum(contents.dinos.count(letter) % 2 for letter in SPECIES)
        pairs = (contents.size - singles) // 2
        return ((f"PL{min(pairs, 3)}.{min(singles, 4)}", 1),)


class Wood(Pen):
    """WO: two species in turn, so the order counts."""

    def with_one(self, contents: Contents, letter: str) -> Contents:
        return self.contents(contents.dinos + letter)

    def admits(self, dinos: str, letter: str) -> bool:
        return letter == dinos[-2] if len(dinos) > 1 else letter != dinos

    def points(self, dinos: str) -> int:
        return SAMENESS[len(dinos)]


class Pyramid(Pen):
    """PY: six cells, equal species never touching."""

    left_to_right = False

    def slots(self, contents: Contents, dino: int) -> dict[str, Contents]:
        cells, letter = contents.dinos or BLANK, SPECIES[dino]
        free = next((free for row in ROWS if (free := [cell for cell in row if cells[cell] == "."])), [])
        return {
            f"PY{cell}": self.contents(cells[:cell] + letter + cells[cell + 1 :])
            for cell in (free[:1] if self.left_to_right else free)
            if all(cells[other] != letter for other in TOUCHING[cell])
        }

    def best_after(self, contents: Contents, dino: int) -> Contents | None:
        grown = self.slots(contents, dino).values()
        return max(grown, key=self.welcome, default=None)

    def welcome(self, contents: Contents) -> int:
        """How many species may come next."""
        return sum(bool(self.slots(contents, dino)) for dino in ALL)

    def points(self, dinos: str) -> int:
        return PYRAMID[len(dinos.replace(".", ""))]

    def features(self, contents: Contents) -> tuple[tuple[str, float], ...]:
        return ((f"PY{contents.size}", 1), ("PYwelcome", self.welcome(contents) if contents.size < 6 else 0))
