"""random: gives every legal action the same chance. Plays any game."""

import random

import dinobot


class RandomPlayer:
    """Chance decides, but the same `bot_seed` decides the same way."""

    def __init__(self, start: dinobot.Message) -> None:
        self.chance = random.Random(start["bot_seed"])

    def decide(self, question: dinobot.Message) -> str:
        legal: list[str] = question["legal"]
        return self.chance.choice(legal)


if __name__ == "__main__":
    dinobot.run(name="random", version="1.1", games=["draftosaurus", "dinodocus"], player=RandomPlayer)
