"""What words for a game are, and those that do for any game."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from arena.cli.paragraphs import said, wrapped
from arena.cli.terminal import WIDTH
from engine.contract import Event, Game, Value, View

if TYPE_CHECKING:
    from protocol.messages import Decide

LABEL = 12
"""Columns before what is told of events."""
Gathered = Sequence[tuple[str, Sequence[str]]]
"""Choices under headings, all of them and in order; "" heads what needs no heading."""


class Words(Protocol):
    """How a game is talked about. What was seen before the events is None at the beginning of a match."""

    def story(self, events: Sequence[Event], before: View | None) -> list[str]:
        """What has happened."""

    def aftermath(self, events: Sequence[Event], before: View | None) -> list[str]:
        """What happened in one step that its actions do not say by themselves."""

    def question(self, question: "Decide") -> list[str]:
        """What is to be decided now."""

    def meaning(self, question: "Decide", action: str) -> str:
        """What a choice means."""

    def gathered(self, question: "Decide") -> Gathered:
        """The choices in short, for when they are many."""

    def rules(self, view: View) -> list[str]:
        """The rules in short."""


Who = Callable[[int], str]
"""A seat by name, or "you"."""


class PlainWords:
    """Words for any game: its own, and what events and actions say by themselves."""

    def __init__(self, game: Game[Any], who: Who, _options: Mapping[str, Value]) -> None:
        self._game = game
        self._who = who

    def story(self, events: Sequence[Event], _before: View | None) -> list[str]:
        return [wrapped(self._told(event), 4) for event in events]

    def _told(self, event: Event) -> str:
        who = f"{self._who(event['seat'])}: " if isinstance(event.get("seat"), int) else ""
        rest = [f"{key} {said(value)}" for key, value in event.items() if key not in ("event", "seat")]
        return f"{who}{event.get('event', '')} {', '.join(rest)}".rstrip()

    def aftermath(self, _events: Sequence[Event], _before: View | None) -> list[str]:
        return []

    def question(self, question: "Decide") -> list[str]:
        return [f"{question.phase}: {self._game.grammar.get(question.phase, 'choose')}"]

    def meaning(self, _question: "Decide", _action: str) -> str:
        return ""

    def gathered(self, question: "Decide") -> Gathered:
        return [("", question.legal)]

    def rules(self, _view: View) -> list[str]:
        return [wrapped(f"{phase}: {text}", 4) for phase, text in self._game.grammar.items()]


def labelled(label: str, text: str) -> str:
    """A paragraph after a label."""
    return textwrap.fill(text, WIDTH, initial_indent=f"{label:<{LABEL}}", subsequent_indent=" " * LABEL)
