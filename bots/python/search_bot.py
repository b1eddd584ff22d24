"""my-bot: deals the hands that it cannot see, plays its best ideas on in many such deals, takes the one that leads."""

import time

import dinobot
from greedy_draftosaurus import GreedyPlayer, Table

from engine import CHANCE, Seed, game

IDEAS, STEPS = 4, 12  # actions to try, and how far to play on: three turns of two players


class SearchPlayer:
    def __init__(self, start):
        self.game, self.seat, self.seats = game(start["game"]), start["seat"], range(start["seats"])
        self.greedy = [GreedyPlayer({**start, "seat": seat}) for seat in self.seats]

    def decide(self, question):
        until = time.perf_counter() + 0.8 * question["clock"]["increment_ms"] / 1000
        view, table, deals = question["view"], Table.of(question["view"]), 0
        die = view["die"] if view["bound"][self.seat] else None
        best = sorted(question["legal"], key=lambda action: -self.greedy[self.seat].value(table, die, action))
        lead = dict.fromkeys(best[:IDEAS], 0.0)
        while len(lead) > 1 and time.perf_counter() < until:
            deals += 1
            state = self.game.determinize(view, Seed(deals))  # every idea meets the same hands and dice
            for action in lead:
                lead[action] += self.play_on(state, Seed(deals), {self.seat: action})
        return max(lead, key=lead.__getitem__), f"{deals} deals"

    def play_on(self, state, dice, chosen):
        for _ in range(STEPS):
            for seat in self.game.to_act(state):
                chosen[seat] = chosen.get(seat) or self.choose(state, seat, dice)
            state, chosen = self.game.apply(state, chosen) if chosen else state, {}
        table = Table.of(self.game.public(state))
        worth = [table.worth(seat, table.zoos[seat]) for seat in self.seats]
        return worth.pop(self.seat) - max(worth)

    def choose(self, state, seat, dice):
        if seat == CHANCE:
            return self.game.deal(state, dice)
        return self.greedy[seat].decide({"view": self.game.view(state, seat), "legal": self.game.legal(state, seat)})


if __name__ == "__main__":
    dinobot.run("my-bot", "1.0", ["draftosaurus"], SearchPlayer)
