"""Sealed Nim in words, for `arena human` and replays. Without this module the arena shows events and actions as they are.

The methods are those of arena.words.Words; nothing of the arena is imported, so the game needs the engine only.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine import Event, Game, Value, View
from engine.texts import counted


class SealedNimWords:
    """Words for a person who has never played Sealed Nim."""

    def __init__(self, _game: Game[Any], who: Callable[[int], str], options: Mapping[str, Value]) -> None:
        self._who = who
        self._options = options

    def story(self, events: Sequence[Event], _before: View | None) -> list[str]:
        return [self._sentence(event) for event in events]

    def _sentence(self, event: Event) -> str:
        match event["event"]:
            case "deal":
                return f"You have lost your card {event['lost']}." if event["lost"] else "Each player has lost a card."
            case "roll":
                return f"The die shows {event['die']}: there are {event['heap']} tokens in the heap."
            case "halve":
                return f"The heap {'is halved' if event['halved'] else 'stays'}: {event['heap']} tokens."
        return f"{self._who(event['seat'])} bid {event['card']} and got {counted(event['taken'], 'token')}."

    def aftermath(self, events: Sequence[Event], _before: View | None) -> list[str]:
        """Who took what: the bids alone do not say it."""
        return [self._sentence(event) for event in events if event["event"] == "bid"]

    def question(self, question: Any) -> list[str]:
        heap = question.view["heap"]
        if question.phase == "halve":
            return [f"Do you want half of the {heap} tokens to go back into the box?"]
        return [f"Which card do you bid for the {heap} tokens?"]

    def meaning(self, question: Any, action: str) -> str:
        heap, answer = question.view["heap"], action.partition(":")[2]
        if question.phase == "halve":
            return f"leave {heap - heap // 2} tokens, if all who are asked agree" if answer == "yes" else "leave all"
        return f"take {answer}, if the heap can pay for all bids" if int(answer) <= heap else "more than there is"

    def gathered(self, question: Any) -> Sequence[tuple[str, Sequence[str]]]:
        return [("", question.legal)]

    def rules(self, _view: View) -> list[str]:
        fall = "the highest bids fall" if self._options["bust"] == "highest" else "all bids fall"
        last = self._options["last"]
        return [
            f"Bid a card for as many tokens. If the heap cannot pay for all bids, {fall}.",
            f"Each token is a point. Those who empty the heap get {last:+} points.",
        ]
