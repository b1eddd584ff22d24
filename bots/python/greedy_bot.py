"""greedy: takes what promises the most points, in every game that it has a player for."""

import dinobot


def draftosaurus(start: dinobot.Message) -> dinobot.Player:
    from greedy_draftosaurus import GreedyPlayer  # here, because a match needs the player of one game only

    return GreedyPlayer(start)


def dinodocus(start: dinobot.Message) -> dinobot.Player:
    from greedy_dinodocus import GreedyPlayer

    return GreedyPlayer(start)


PLAYERS = {"draftosaurus": draftosaurus, "dinodocus": dinodocus}


class FirstPlayer:
    """Plays a game that came after this bot: the first legal action will do."""

    def __init__(self, start: dinobot.Message) -> None:
        pass

    def decide(self, question: dinobot.Message) -> str:
        legal: list[str] = question["legal"]
        return legal[0]


def player(start: dinobot.Message) -> dinobot.Player:
    """Who plays this match."""
    return PLAYERS.get(start["game"], FirstPlayer)(start)


if __name__ == "__main__":
    dinobot.run(name="greedy", version="1.1", games=list(PLAYERS), player=player)
