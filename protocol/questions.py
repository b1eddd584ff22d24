"""A question and its answer: two of the eight messages, and nearly all that are sent.

They are apart from the others because this module is compiled (pyproject.toml). mypyc takes a class variable of a
dataclass for a field, and does not compile its `__init__`. So `type` is a property, and `__init__` is written out.
"""

from dataclasses import dataclass
from typing import Any

Plain = dict[str, Any]


class Decide:
    """A question: which of the legal actions?

    The view may be given in two parts: what all who are asked at the same time may know, and the rest. Then it is put
    together only if somebody asks for it: on the wire, the bytes of the first part are the same for all.
    """

    __slots__ = ("_view", "clock", "events", "id", "last", "legal", "parts", "phase")

    def __init__(
        self,
        id: int,  # noqa: A002  # its name on the wire
        phase: str,
        view: Plain | None,
        legal: list[str],
        events: list[Plain],
        clock: Plain,
        last: Plain | None = None,
        parts: tuple[Plain, Plain] | None = None,
    ) -> None:
        self.id = id
        self.phase = phase
        self._view = view
        self.legal = legal
        self.events = events
        self.clock = clock
        self.last = last
        self.parts = parts

    @property
    def type(self) -> str:
        return "decide"

    @property
    def view(self) -> Plain:
        if self._view is None:
            assert self.parts is not None, "a question has a view, or its parts"
            public, private = self.parts
            self._view = public | private
        return self._view

    def again(self, number: int, clock: Plain | None = None) -> "Decide":
        """The same question with another number, and perhaps with another clock."""
        clock = self.clock if clock is None else clock
        return Decide(number, self.phase, self._view, self.legal, self.events, clock, self.last, self.parts)

    def _all(self) -> tuple[Any, ...]:
        return self.id, self.phase, self.view, self.legal, self.events, self.clock, self.last

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decide) and self._all() == other._all()

    def __repr__(self) -> str:
        return f"Decide{self._all()}"


@dataclass(slots=True, init=False)  # not frozen: it takes half a microsecond to make, and three times that frozen
class Move:
    """The answer."""

    id: int
    action: str
    note: str | None = None

    def __init__(self, id: int, action: str, note: str | None = None) -> None:  # noqa: A002
        self.id = id
        self.action = action
        self.note = note

    @property
    def type(self) -> str:
        return "move"
