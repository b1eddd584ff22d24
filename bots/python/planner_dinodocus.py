"""planner at Dinodocus: looks at what each action makes of the turn, in a few deals of what it cannot see.

In every deal the policy of `dinodocus_playout` finishes the turn; then the table is worth what each player will
probably have in the end. The deals are the same for all actions, and depend on nothing but the number of the deal.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import dinobot
from dinodocus_deal import Moves, Situation, policy_of
from dinodocus_playout import Playout
from dinodocus_weights import WEIGHTS
from greedy_dinodocus import GreedyPlayer


def is_market(view: dict[str, Any]) -> bool:
    """Whether cards are sold, which pays more than dinosaurs: greedy knows how, the estimate does not."""
    return bool(view["options"].get("advanced", False)) and view["seats"] > 2


def always() -> bool:
    return True


class PlannerPlayer:
    """Takes the action with the greatest expected lead."""

    def __init__(self, start: dinobot.Message) -> None:
        self.seat: int = start["seat"]
        self.weights = {**WEIGHTS, **(start.get("tune") or {})}
        self.policy: Playout | None = None
        self.trader = GreedyPlayer(start)

    def decide(self, question: dinobot.Message) -> dinobot.Answer:
        view: dict[str, Any] = question["view"]
        legal: list[str] = question["legal"]
        if len(legal) == 1:
            return legal[0]
        if is_market(question["view"]):
            return self.trader.decide(question)
        if self.policy is None:
            self.policy = policy_of(view, self.weights)
        values = estimates(Situation(view), self.policy, self.seat, legal, int(self.weights["deals"]))
        best = max(legal, key=values.__getitem__)
        return best, f"{100 * values[best]:.0f} % to win"


def estimates(
    situation: Situation, policy: Playout, seat: int, legal: list[str], deals: int, goes_on: Callable[[], bool] = always
) -> dict[str, float]:
    """By action: the chance to win, judged at the end of this turn; in fewer deals if it shall not go on."""
    moves = Moves(situation, policy, seat)
    sums = dict.fromkeys(legal, 0.0)
    done = 0
    while done < deals and (done == 0 or goes_on()):
        deal = situation.deal(Random(done))
        for action in legal:
            sums[action] += policy.estimate.promise(moves.after(deal, action, 0, done), seat)
        done += 1
    return {action: total / done for action, total in sums.items()}
