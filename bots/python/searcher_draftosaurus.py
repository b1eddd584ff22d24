"""search at Draftosaurus: plays its ideas on in many deals that fit what it sees, and takes the one that wins most.

In each deal all ideas meet the same hands, bag and dice. From then on the seat itself plays by a tree of what did well
so far (draftosaurus_tree.py), and each rival by the cheap policy that fits what it did (draftosaurus_rivals.py), until
the next round is over. The end counts as the chance to win with such a margin to the best rival; what the zoos will
still score is estimated as planner does. An idea that is behind by more than chance explains is dropped, so the time
goes to those that are close.
"""

from __future__ import annotations

import random
from math import exp, sqrt

import dinobot
from draftosaurus_deals import Deals
from draftosaurus_endgame import end_scores, is_exact, is_last_place, mixture
from draftosaurus_pens import SPECIES
from draftosaurus_position import LAST, Position
from draftosaurus_rivals import GreedyMatch, Rivals
from draftosaurus_tree import Node, Path
from draftosaurus_zoos import NONE
from planner_draftosaurus import PHASES, PlannerPlayer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from thinking import Thinking

IDEAS = 8
"""How many actions are tried: the best by the planner's own values."""
MARGIN, SUMMER_MARGIN = 4.0, 8.0
"""The scale of a lead, and if a winter game follows."""
GAP = 6.0
"""Points by which the planner may value an action less than the best, for it to be tried."""
LEAST = 8
"""Deals before an idea may be dropped, and between two looks at it."""
DOUBT = 3.0
"""Standard errors that an idea may be behind."""


class Idea:
    """An action that is tried: what it does in a position, and what has come of it."""

    def __init__(self, action: str, phase: str) -> None:
        self.action = action
        head, _, drop = action.partition("x")
        letter, _, self.slot = head.partition("@")
        self.dino = SPECIES.index(letter) if letter and phase != "place" else NONE
        self.drop = SPECIES.index(drop) if drop else NONE
        self.values: list[float] = []
        self.root = Node()

    def play(self, position: Position, deals: Deals, last: int, prize: Prize) -> None:
        """Play it on in a deal, to the end of a turn."""
        path = Path(self.root, prize.seat, self.dino, self.slot, self.drop)
        position.play_on(deals.stage, deals.picks[:], last, path)
        value = prize.of(position.scores())
        path.learn(value)
        self.values.append(value)

    def behind(self, leader: Idea) -> float:
        """By how many standard errors of their difference it is behind."""
        gaps = [ours - own for ours, own in zip(leader.values, self.values)]
        mean = sum(gaps) / len(gaps)
        spread = sum((gap - mean) ** 2 for gap in gaps) / len(gaps)
        return mean / sqrt((spread + 1e-6) / len(gaps))


class SearchPlayer(PlannerPlayer):
    """Thinks as long as it may."""

    def __init__(self, start: dinobot.Message, thinking: Thinking) -> None:
        super().__init__(start)
        self.thinking = thinking
        self.chance = random.Random(start["bot_seed"])
        self.rivals = Rivals(start["seat"], start["seats"])
        self._greedy: dict[str, GreedyMatch] = {}

    def decide(self, question: dinobot.Message) -> dinobot.Answer:
        view, legal = question["view"], question["legal"]
        known = view["phase"] in PHASES and view["season"] in ("summer", "winter")
        if not known or view["phase"] == "quarantine":
            return super().decide(question)
        deals, offsets = self.deals(view), self.summer_points(view)
        self.rivals.watch(deals, view["phase"])
        if len(legal) == 1:
            return super().decide(question)
        if exact := self.exactly(view, legal, deals, offsets):
            return exact, "exact"
        budget = self.thinking.for_decision(question, decisions_to_come(view))
        values = self.evaluator.values(question)
        best = sorted(values, key=values.__getitem__, reverse=True)[:IDEAS]
        ideas = [Idea(action, view["phase"]) for action in best if values[action] > values[best[0]] - GAP]
        is_double = view["options"].get("season") == "summer_winter" and view["game"] == 1
        prize = Prize(view["seat"], offsets, SUMMER_MARGIN if is_double else MARGIN)
        last, likely, number = horizon(deals), self.rivals.likely(), 0
        while len(ideas) > 1 and budget.has_time():
            position = deals.draw(self.chance, likely)
            for idea in ideas:
                idea.play(position.copy(), deals, last, prize)
            budget.count(len(ideas))
            number += 1
            if number % LEAST == 0:
                ideas = drop(ideas)
        leader = max(ideas, key=lambda idea: sum(idea.values))
        return leader.action, f"{number} deals"

    def deals(self, view: dict[str, Any]) -> Deals:
        season: str = view["season"]
        match = self.evaluator.match(view)
        if season not in self._greedy:
            self._greedy[season] = GreedyMatch(season, match.seats, match.options, match.weights)
        return Deals(view, match, self._greedy[season])

    def exactly(self, view: dict[str, Any], legal: list[str], deals: Deals, offsets: list[float]) -> str | None:
        """The answer of an end that can be worked out, else None."""
        seat: int = view["seat"]
        if is_last_place(deals, view["phase"]):
            scores = end_scores(deals.zoos[seat], deals.picks[seat], deals.face_of(seat), deals.seen()[seat])
            return max(legal, key=lambda action: scores[action[2:]])
        if view["phase"] in ("pick", "discard") and is_exact(deals):
            dinos = [SPECIES.index(action[-1]) for action in legal]
            chosen: str = self.chance.choices(legal, mixture(deals, seat, dinos, offsets))[0]
            return chosen
        return None

    def summer_points(self, view: dict[str, Any]) -> list[float]:
        """What each seat has from the summer half of a double game."""
        if not view.get("summer"):
            return [0.0] * view["seats"]
        return self.evaluator.final({**view, "season": "summer"}, view["summer"])


def drop(ideas: list[Idea]) -> list[Idea]:
    """Without those that are behind by more than chance explains."""
    leader = max(ideas, key=lambda idea: sum(idea.values))
    return [idea for idea in ideas if idea is leader or idea.behind(leader) < DOUBT]


def horizon(deals: Deals) -> int:
    """The last turn that is played on: of the next round."""
    turns = deals.match.turns
    return min(LAST, deals.turn - deals.turn % turns + 2 * turns - 1)


class Prize:
    """What the end of a playout is worth to a seat."""

    def __init__(self, seat: int, offsets: list[float], scale: float) -> None:
        self.seat = seat
        self.offsets = offsets
        """By seat: the points from before."""
        self.scale = scale
        """A lead of so many points is worth 73 %."""

    def of(self, scores: list[float]) -> float:
        """A share of a win that grows with the margin to the best rival."""
        totals = [score + offset for score, offset in zip(scores, self.offsets)]
        mine = totals.pop(self.seat)
        return 1 / (1 + exp((max(totals) - mine) / self.scale))


def decisions_to_come(view: dict[str, Any]) -> int:
    """About how many decisions of this seat will follow in the match."""
    turns, each = (3, 3) if view["seats"] == 2 else (6, 2)
    left: int = 12 - (view["round"] - 1) * turns - view["turn"]
    games: bool = view["options"].get("season") == "summer_winter" and view["game"] == 1
    return (left + 12 * games) * each + 1
