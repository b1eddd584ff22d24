"""What the page of one seat shows, as plain values: a function of that seat's messages and of nothing else.

The words of a game are made for a terminal, with columns of blanks. Here they become labels, cells and paragraphs,
which the page lays out by itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.texts import safe
from arena.words import words_for
from arena.words.plain import LABEL
from arena.words.refusal import refusal
from engine.contract import Event, Game, View, plain
from engine.dice import Seed
from protocol.messages import Decide, End, Start

Plain = dict[str, Any]

MOST_TOLD = 200
"""Sentences of the story that a page keeps."""
LONGEST = 400
"""Characters of a person's action that are looked at."""
MANY = 6
"""From this many choices on, they stand under headings."""
_LABELLED = re.compile(rf"(?=.{{{LABEL}}}\S)(\S.*?) {{2,}}(?=\S)")
_GAP = re.compile(r" {2,}")


@dataclass(frozen=True, slots=True)
class SeatSight:
    """The table as one seat sees it after a step: all that is known until the seat is asked."""

    view: View
    events: Sequence[Event]
    """Since the seat was asked last."""
    out: Sequence[int] = ()
    """The seats for which the arena plays."""


@dataclass(slots=True)
class SeatTelling:
    """One seat's match so far, and the values that its page shows."""

    game: Game[Any]
    start: Start
    origin: View | None = None
    """What the seat sees where its match begins, if that is in the middle of another match."""
    questions: list[Decide] = field(default_factory=list)
    """All that was asked, for whoever should give a hint."""
    _story: list[Plain] = field(default_factory=list)
    """What had happened up to the last question."""
    _fresh: int = 0
    """How many sentences of it are new at that question."""
    _names: list[str] = field(default_factory=list)
    _words: Any = None

    def __post_init__(self) -> None:
        self._names = [safe(name) for name in self.start.players]
        self._words = words_for(self.game, self.who, self.start.options)

    def who(self, seat: int) -> str:
        return "you" if seat == self.start.seat else self._names[seat]

    def about(self) -> Plain:
        """What does not change during the match."""
        start = self.start
        return {
            "game": start.game,
            "options": start.options,
            "seat": start.seat,
            "names": self._names,
        }

    def ask(self, question: Decide) -> None:
        """The seat is asked."""
        told = self._told(question.events, self._last_view())
        self._story = [*self._story, *told][-MOST_TOLD:]
        self._fresh = min(len(told), MOST_TOLD)
        self.questions.append(question)

    def asked(self, out: Sequence[int]) -> Plain:
        """The page at the open question."""
        question = self.questions[-1]
        return {
            **self._table(question.view, out),
            "story": self._story,
            "fresh": self._fresh,
            "question": {
                "id": question.id,
                "phase": question.phase,
                "asked": [unwrapped(line) for line in self._words.question(question)],
                "choices": self._choices(question),
                "attempts": self._attempts(question),
            },
        }

    def waiting(self, seen: SeatSight) -> Plain:
        """The page while others decide, and at the end."""
        told = self._told(seen.events, self._last_view())
        story = [*self._story, *told][-MOST_TOLD:]
        return {**self._table(seen.view, seen.out), "story": story, "fresh": min(len(told), len(story))}

    def _last_view(self) -> View | None:
        """What the person saw at the last question."""
        return self.questions[-1].view if self.questions else self.origin

    def why_not(self, action: str) -> str:
        """Why the open question cannot be answered with this, in the game's words."""
        return safe(refusal(self.game, self.questions[-1], self.start.seat, (action[:LONGEST],), self.who))

    def meaning(self, action: str) -> str:
        """What a legal answer to the open question means."""
        return ", ".join(cells(self._words.meaning(self.questions[-1], action)))

    # Parts of a page

    def _table(self, view: View, out: Sequence[int]) -> Plain:
        """The boards, the scores as if the match ended now, and the rules in short."""
        tally = self.game.tally(self.game.determinize(view, Seed(0)))
        return {
            "view": view,
            "scores": list(tally.scores),
            "ranks": list(tally.ranks),
            "breakdown": [dict(part) for part in tally.breakdown],
            "out": list(out),
            "drawing": self.game.draw(view, tally, plain),
            "rules": [rule(line) for line in self._words.rules(view)],
        }

    def _told(self, events: Sequence[Event], before: View | None) -> list[Plain]:
        return [spoken(line) for line in self._words.story(events, before)]

    def _choices(self, question: Decide) -> list[Plain]:
        """Every legal action with its meaning. Many stand under headings, which say what they have in common."""
        made = [
            {"action": action, "meaning": cells(self._words.meaning(question, action)), "heading": ""}
            for action in question.legal
        ]
        gathered = [(heading, cell) for heading, under in self._words.gathered(question) for cell in under]
        if len(made) >= MANY and any(heading for heading, _ in gathered):
            for choice, (heading, cell) in zip(made, gathered):
                choice["heading"] = unwrapped(heading)
                if heading:
                    choice["short"] = cells(cell)
        return made

    def _attempts(self, question: Decide) -> list[str]:
        """Actions that a newcomer might try, and that are refused: the page explains why when they are tried."""
        attempts = getattr(self._words, "attempts", None)
        legal = set(question.legal)
        return [] if attempts is None else [action for action in attempts(question) if action not in legal]


def ended(end: End) -> Plain:
    """The result, as its message has it."""
    return {
        "scores": end.scores,
        "ranks": end.ranks,
        "void": end.void and safe(end.void),
        "faults": [{"seat": fault["seat"], "text": safe(fault["text"])} for fault in end.faults],
    }


# From lines for a terminal to parts of a page


def unwrapped(text: str) -> str:
    """A paragraph on one line."""
    return " ".join(text.split())


def cells(line: str) -> list[str]:
    """The columns of a line."""
    return [unwrapped(cell) for cell in _GAP.split(line.strip()) if cell]


def spoken(line: str) -> Plain:
    """A sentence of a story, with its label if it has one."""
    found = _LABELLED.match(line)
    if found and found.end() == LABEL:
        return {"label": found[1], "text": unwrapped(line[LABEL:])}
    return {"label": "", "text": unwrapped(line)}


def rule(line: str) -> list[str]:
    """A paragraph of the rules in short, or the cells of a row: an indented line with columns."""
    first = line.partition("\n")[0]
    return cells(line) if first.startswith("  ") and len(cells(line)) > 1 else [unwrapped(line)]
