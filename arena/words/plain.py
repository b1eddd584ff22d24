"""What words for a game are, and plain words for any game."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from arena.words.lines import WIDTH, said, wrapped
from engine.contract import Event, Game, Value, View

if TYPE_CHECKING:
    from protocol.messages import Decide

LABEL = 12
"""Columns of the label before a story."""
Gathered = Sequence[tuple[str, Sequence[str]]]
"""Choices under headings, all of them and in order; "" heads what needs no heading."""


class Words(Protocol):
    """How a game is described to people. `before` is the view before the events, None at the beginning of a match."""

    def story(self, events: Sequence[Event], before: View | None) -> list[str]:
        """What has happened."""

    def aftermath(self, events: Sequence[Event], before: View | None) -> list[str]:
        """What happened in one step, as far as its actions do not show it."""

    def question(self, question: "Decide") -> list[str]:
        """What to decide now."""

    def meaning(self, question: "Decide", action: str) -> str:
        """What a choice means."""

    def gathered(self, question: "Decide") -> Gathered:
        """The choices in short, if there are many."""

    def rules(self, view: View) -> list[str]:
        """The rules in short."""


Who = Callable[[int], str]
"""A seat by name, or "you"."""


class PlainWords:
    """Words for any game: events and actions as they are, and the game's grammar."""

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
    """A paragraph after a label. Names are not broken at their hyphens."""
    first, indent = f"{label:<{LABEL}}", " " * LABEL
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
