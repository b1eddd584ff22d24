"""novice: plays like greedy, but every other move is a random one. It fills the gap between random and greedy."""

import random

import dinobot
import greedy_bot

CARELESS = 0.5
"""The share of random moves."""


class NovicePlayer:
    """Chance decides when it pays no attention, but the same `bot_seed` decides the same way."""

    def __init__(self, start: dinobot.Message) -> None:
        self.chance = random.Random(start["bot_seed"])
        self.greedy = greedy_bot.player(start)

    def decide(self, question: dinobot.Message) -> dinobot.Answer:
        if self.chance.random() < CARELESS:
            legal: list[str] = question["legal"]
            return self.chance.choice(legal)
        return self.greedy.decide(question)


if __name__ == "__main__":
    dinobot.run(name="novice", version="1.0", games=list(greedy_bot.PLAYERS), player=NovicePlayer)
