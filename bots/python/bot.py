"""my-bot: keeps its dinosaurs out of the river."""

import dinobot


class MyPlayer:
    def __init__(self, start):
        self.seat = start["seat"]  # a new player for every match

    def decide(self, question):
        dry = [action for action in question["legal"] if "RV" not in action]
        return (dry or question["legal"])[-1]


dinobot.run("my-bot", "1.0", ["draftosaurus", "dinodocus"], MyPlayer)
