"""planner at Draftosaurus: takes what promises the most points in the end.

What a pen will bring follows from weights that were fitted to games of this policy against itself, with such hands and
such dice, so many turns before the end. The King of the Jungle is worth what such a lead was worth there. A pick also
counts what the next seat does not get, and a discard what the opponent would have gained.
"""

from __future__ import annotations

import dinobot
import greedy_draftosaurus
from draftosaurus_deals import Deals
from draftosaurus_match import FREE, Manners, Match
from draftosaurus_pens import SPECIES, Weights
from draftosaurus_position import PER_REX, others_of
from draftosaurus_summer import SummerZoo
from draftosaurus_weights import WEIGHTS
from draftosaurus_winter import WinterZoo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PHASES = ("pick", "draft", "place", "discard", "quarantine")
DENY = {2: 0.1, 3: 0.0, 4: 0.0, 5: 0.0}
"""How much a pick counts what the next seat would have gained by it, by number of seats."""
SPOIL = 0.8
"""How much a discard counts what the player would still gain by it, against what the opponent would."""
GROUPS = ("FS", "WT", "KJ", "PL", "MD", "SI", "WO", "BR", "LO", "QZ", "PY")
"""What the names of weights begin with: a pen, or BR for the bridge. Each has a factor, 1 if nothing else is said."""


def weights_of(season: str, seats: int, tune: dict[str, float]) -> Weights:
    """The fitted weights, each times the factor of its group."""
    factors = {group: tune.get(group, 1.0) for group in GROUPS}
    found = WEIGHTS[season, seats]
    return {name: (a * factors[name[:2]], b * factors[name[:2]]) for name, (a, b) in found.items()}


class Evaluator:
    """Values of actions in all matches of one table."""

    def __init__(self, seats: int, tune: dict[str, float] | None = None) -> None:
        self.seats = seats
        self.tune = tune or {}
        self.deny = self.tune.get("deny", DENY[seats])
        self.manners = Manners(0.0, self.tune.get("spoil", SPOIL))
        """Of games that are played on: to deny there would cost a quarter of the time."""
        self._matches: dict[str, Match] = {}

    def match(self, view: dict[str, Any]) -> Match:
        """The tables for the board of a view; its options stay the same in a match."""
        season: str = view["season"]
        if season not in self._matches:
            weights = weights_of(season, self.seats, self.tune)
            self._matches[season] = Match(season, self.seats, view["options"], weights, self.manners)
        return self._matches[season]

    def deals(self, view: dict[str, Any]) -> Deals:
        return Deals(view, self.match(view))

    def final(self, view: dict[str, Any], zoos: list[dict[str, str]]) -> list[float]:
        """The points of these summer zoos, T-Rexes included."""
        match = self.match(view)
        grown = [SummerZoo.of(match, pens) for pens in zoos]
        return [zoo.score(others) - PER_REX * zoo.counts[0] for zoo, others in zip(grown, others_of(match, grown))]

    def values(self, question: dinobot.Message) -> dict[str, float]:
        """What each legal action is worth, in points."""
        view = question["view"]
        judged = Judged(self.deals(view), view["seat"], view["phase"], self.deny)
        return {action: judged.value(action) for action in question["legal"]}


class Judged:
    """What the actions of one seat are worth in one position."""

    def __init__(self, deals: Deals, seat: int, phase: str, deny: float) -> None:
        match, manners = deals.match, deals.match.manners
        others = deals.seen()
        self.own, self.others = deals.zoos[seat], others[seat]
        self.turns = deals.turns
        self.face = deals.face_of(seat)
        self.phase = phase
        self.best: list[float] = []
        self.denied = [0.0] * 6
        """By species: what a pick takes from the next seat, and what a discard does."""
        self.dropped = [0.0] * 6
        if phase in ("pick", "draft", "discard"):
            next_ = (seat + 1) % match.seats
            theirs = deals.zoos[next_].gains(max(0, self.turns - 1), FREE, others[next_])
            mine = self.own.gains(max(0, self.turns - 1), FREE, self.others)
            self.dropped = [gain - manners.spoil * keep for gain, keep in zip(theirs, mine)]
            if phase != "discard":
                self.best = self.own.gains(self.turns, self.face, self.others)
                self.denied = [deny * gain for gain in theirs]

    def value(self, action: str) -> float:
        """What one action is worth: D, D@FS, xC, DxC, D@FSxC, Q>BL or Q=."""
        head, _, drop = action.partition("x")
        value = self.dropped[SPECIES.index(drop)] if drop else 0.0
        if self.phase == "quarantine":
            return self._moved(action)
        dino, _, slot = head.partition("@")
        if slot:
            species = SPECIES.index(dino)
            places = self.own.places(species, self.turns, self.face, self.others)
            return value + places.get(slot, 0.0) + self._counted(species) + self.denied[species]
        return value + (self.best[SPECIES.index(dino)] + self.denied[SPECIES.index(dino)] if dino else 0.0)

    def _counted(self, species: int) -> float:
        """What a species means to pens that count it, wherever it stands."""
        plain = [0.0] * 6
        self.own.count(plain, self.turns, self.others)
        return plain[species]

    def _moved(self, action: str) -> float:
        zoo = self.own.copy()
        if isinstance(zoo, WinterZoo) and action.startswith("Q>"):
            zoo.move(action[2:])
        return zoo.score(self.others)


class PlannerPlayer:
    """Weighs every legal action on its own."""

    def __init__(self, start: dinobot.Message) -> None:
        self.evaluator = Evaluator(start["seats"], start.get("tune"))
        self.greedy = greedy_draftosaurus.GreedyPlayer(start)

    def decide(self, question: dinobot.Message) -> dinobot.Answer:
        if question["view"]["phase"] not in PHASES or question["view"]["season"] not in ("summer", "winter"):
            return self.greedy.decide(question)
        values = self.evaluator.values(question)
        return max(values, key=values.__getitem__)
