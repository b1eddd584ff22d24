"""search at Dinodocus: plays its best ideas on in many deals of what it cannot see, and takes the one that leads.

Theory of operation. The estimate of `planner` sorts the actions; the best of them are ideas. All ideas meet the same
deals and, until they change something, the same cards to draw, so luck cancels out. A playout goes on for some turns
and ends with the same estimate, which also counts like a few deals itself. An idea is dropped once it is behind the
best by more than its error; if one is left, or the time is over, the best is played.
"""

import math
from random import Random
from typing import Any

import dinobot
from dinodocus_deal import Moves, Situation, policy_of
from dinodocus_playout import Playout
from dinodocus_weights import WEIGHTS
from greedy_dinodocus import GreedyPlayer
from planner_dinodocus import estimates, is_market
from thinking import Thinking

IDEAS = 10
"""So many actions are tried at most; with few playouts fewer, so that each gets some."""
EACH = 8
ESTIMATES = 4
"""The deals in which all actions are estimated."""
FIRST = 8
"""After so many deals ideas are compared, and each time when there are twice as many."""
SURE = 2.5
"""By so many standard errors an idea must be behind."""


class SearchPlayer:
    """Tries ideas in deals until the budget is spent."""

    def __init__(self, start: dinobot.Message, thinking: Thinking) -> None:
        self.seat: int = start["seat"]
        self.seats: int = start["seats"]
        self.seed: int = start.get("bot_seed", 0)
        self.thinking = thinking
        self.weights = {**WEIGHTS, **(start.get("tune") or {})}
        self.policy: Playout | None = None
        self.trader = GreedyPlayer(start)

    def decide(self, question: dinobot.Message) -> dinobot.Answer:
        legal: list[str] = question["legal"]
        if len(legal) == 1:
            return legal[0]
        if is_market(question["view"]):
            return self.trader.decide(question)
        view: dict[str, Any] = question["view"]
        if self.policy is None:
            self.policy = policy_of(view, self.weights)
        budget = self.thinking.for_decision(question, to_come=4 * view["periods"] // self.seats)
        situation = Situation(view)
        prior = estimates(situation, self.policy, self.seat, legal, ESTIMATES, budget.has_time)
        ideas = sorted(legal, key=lambda action: -prior[action])[: self.most()]
        values: dict[str, list[float]] = {action: [] for action in ideas}
        trust = self.weights["trust"]
        moves, deals = Moves(situation, self.policy, self.seat), 0
        while len(ideas) > 1 and budget.has_time():
            number = 1_000_003 * (self.seed + 1) + deals
            deal = situation.deal(Random(number))
            for action in ideas:
                values[action].append(self.value(moves, deal, action, number))
                budget.count(1)
            deals += 1
            if deals >= FIRST and deals & (deals - 1) == 0:
                ideas = left(ideas, values)
        best = max(ideas, key=lambda action: (trust * prior[action] + sum(values[action])) / (trust + deals or 1))
        return best, f"{budget.spent} playouts"

    def most(self) -> int:
        """How many actions are ideas."""
        playouts = self.thinking.playouts
        return IDEAS if playouts is None else min(IDEAS, max(2, playouts // EACH))

    def value(self, moves: Moves, deal: Any, action: str, number: int) -> float:
        """How far ahead this seat is in this deal in the end, or after some turns."""
        policy = moves.policy
        table = moves.after(deal, action, int(self.weights["turns" if self.seats == 2 else "turns_of_many"]), number)
        return policy.estimate.promise(table, self.seat)


def left(ideas: list[str], values: dict[str, list[float]]) -> list[str]:
    """The ideas that are not clearly behind the best."""
    best = max(ideas, key=lambda action: sum(values[action]))
    return [action for action in ideas if action == best or not behind(values[action], values[best])]


def behind(values: list[float], best: list[float]) -> bool:
    """Whether these are lower, beyond doubt; both met the same deals."""
    count = len(values)
    gaps = [high - low for high, low in zip(best, values)]
    mean = sum(gaps) / count
    spread = sum([(gap - mean) ** 2 for gap in gaps]) / (count - 1)
    return mean > SURE * math.sqrt(spread / count) and mean > 0
