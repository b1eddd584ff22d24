"""novice: plays like greedy, but every other move is a random one. It fills the gap between random and greedy.

With `--careless 20` it is novice-20, of whose moves 20 % are random.
"""

import random
import sys

import dinobot
import greedy_bot

CARELESS = 50
"""How many of a hundred moves are random."""
OPTION = "--careless"


class NovicePlayer:
    """Chance decides when it pays no attention, but the same `bot_seed` decides the same way."""

    def __init__(self, start: dinobot.Message, careless: int = CARELESS) -> None:
        self.careless = careless / 100
        self.chance = random.Random(start["bot_seed"])
        self.greedy = greedy_bot.player(start)

    def decide(self, question: dinobot.Message) -> dinobot.Answer:
        if self.chance.random() < self.careless:
            legal: list[str] = question["legal"]
            return self.chance.choice(legal)
        return self.greedy.decide(question)


if __name__ == "__main__":
    careless = int(sys.argv[sys.argv.index(OPTION) + 1]) if OPTION in sys.argv else CARELESS
    name = "novice" if careless == CARELESS else f"novice-{careless}"
    dinobot.run(name, "1.0", list(greedy_bot.PLAYERS), lambda start: NovicePlayer(start, careless))
