"""greedy at Dinodocus: takes what promises the most points, looking as far as the end of the feeding.

`dinodocus_judge` estimates what a table is worth; an action is worth what the table is worth after it, less something
for each card spent. Views hold everything, so nothing is remembered. Equal actions are decided by the order of `legal`.
"""

from typing import Any

import dinobot
from dinodocus_judge import THRIFT, TYPICAL, Judge, gain

HAND = 5

# Guesses, found by playing against itself and random.
SPARE = 1.4
"""Points that a card must promise at once, or it may be discarded for another."""
TARGETS = 4
"""So many dinosaurs, the oldest, are looked at to choose a deck."""


class GreedyPlayer:
    """Weighs every legal action on its own."""

    def __init__(self, start: dinobot.Message) -> None:
        self.seat: int = start["seat"]
        self.phases = {
            "discard": self.discard,
            "draw": self.draw,
            "mutate": self.mutate,
            "bonus": self.claim,
            "offer": self.offer,
            "answer": self.answer,
            "react": self.react,
            "herb": self.feed,
            "carn": self.feed,
            "alloc": self.allocate,
        }

    def decide(self, question: dinobot.Message) -> str:
        view: dict[str, Any] = question["view"]
        legal: list[str] = question["legal"]
        if len(legal) == 1 or view["phase"] not in self.phases:
            return legal[0]
        return self.phases[view["phase"]](Judge(view, self.seat), legal)

    def discard(self, judge: Judge, legal: list[str]) -> str:
        """Whatever does nothing now, and is weak or not the only one of its part; but a great hand is kept."""
        hand: list[str] = judge.view["hands"][self.seat]
        parts = [card[0] for card in hand]
        kept = judge.brood(hand)
        for card in hand if len(hand) <= HAND else []:
            poor = parts.count(card[0]) > 1 or judge.size(card) < TYPICAL
            if poor and card not in kept and judge.use(card, judge.dinos) <= SPARE:
                return f"d:{card}"
        return legal[-1]

    def draw(self, judge: Judge, legal: list[str]) -> str:
        """First a card of each part, then from the deck that promises most."""
        parts = {card[0] for card in judge.view["hands"][self.seat]}
        missing = [action for action in legal if action != "stop" and action[2:] not in parts]
        if missing:
            return missing[0]
        oldest = sorted(judge.dinos, key=lambda key: -judge.dinos[key].periods)[:TARGETS]

        def value(action: str) -> float:
            cards = judge.unseen(action[2:]) if action != "stop" else []
            return sum([judge.use(card, oldest) for card in cards]) / len(cards) if cards else -1

        return max(legal, key=value)

    def mutate(self, judge: Judge, legal: list[str]) -> str:
        def value(action: str) -> float:
            kind, _, what = action.partition(":")
            if kind == "hatch":
                return judge.hatching(what.split(","))
            return judge.mutation(*what.split(":")) if kind == "mod" else 0

        return max(reversed(legal), key=value)

    def react(self, judge: Judge, legal: list[str]) -> str:
        focus: str = judge.view["focus"]
        return max(reversed(legal), key=lambda action: judge.mutation(focus, action[2:]) if action[:2] == "r:" else 0)

    def claim(self, judge: Judge, legal: list[str]) -> str:
        return legal[0] if judge.dinos[judge.view["focus"]].owner == self.seat else legal[-1]

    def offer(self, judge: Judge, legal: list[str]) -> str:
        """The weakest card, whatever the receiver does with it: but not if there is nobody else to suffer from it."""
        if judge.seats == 2:
            return legal[-1]
        return min(legal[:-1], key=lambda action: judge.size(action.removeprefix("give:")))

    def answer(self, judge: Judge, legal: list[str]) -> str:
        """Yes, if the card is worth more than what the giver gets for it."""
        card = legal[0].removeprefix("yes:")
        wanted = max(0, self.help(judge, card) - judge.thrift) + THRIFT + judge.resale()
        return legal[0] if wanted > judge.fee() else legal[1]

    def help(self, judge: Judge, card: str) -> float:
        """What can be done with a card in the end, beyond what the hand can do."""
        view = judge.view
        hand: list[str] = view["hands"][self.seat]
        if view["window"] == "react":
            focus = [view["focus"]]
            return judge.use(card, focus) - max([judge.use(other, focus) for other in hand], default=0)
        use = judge.use(card, [dino["id"] for dino in view["dinos"] if not dino["closed"]])
        brood = judge.brood([*hand, card])
        return max(use, judge.hatching(brood) + judge.thrift) if brood and not judge.brood(hand) else use

    def feed(self, judge: Judge, legal: list[str]) -> str:
        def value(action: str) -> float:
            dinos = dict(judge.dinos)
            kind, *keys = action.split(":")
            if kind in ("take", "steal", "eat"):
                dinos[keys[0]] = dinos[keys[0]]._replace(fed=True)
            if kind == "steal":
                dinos[keys[1]] = dinos[keys[1]]._replace(fed=False)
            elif kind == "eat":
                del dinos[keys[1]]
            elif kind == "starve":
                dinos[keys[0]] = dinos[keys[0]]._replace(attack=0)
            return judge.worth(dinos, grazing=kind in ("take", "steal"))

        return max(legal, key=value)

    def allocate(self, judge: Judge, legal: list[str]) -> str:
        def value(action: str) -> int:
            return sum([gain(judge.dinos[key].periods) for key in action.removeprefix("give:").split(",")])

        return max(legal, key=value)
