"""How long a bot thinks about a decision: by the clock that it is told, or as its command line says.

    thinking = thinking_of(sys.argv[1:])
    budget = thinking.for_decision(question, to_come=20)
    while budget.has_time():
        ...  # play some playouts
        budget.count(4)

With `--playouts N` a decision costs N playouts, whatever the time: the same answers on every machine. With `--ms N` it
takes so many milliseconds, if the clock allows it. Otherwise it takes what the clock allows: most of the increment, and
a share of the bank. A part of the bank is kept, because a busy machine may let a bot wait before and after it thinks.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import dinobot

OF_INCREMENT = 0.85
"""The part of the free time that is used: the way to the bot and back takes the rest."""
OF_BANK = 0.8
"""The part of an equal share of the bank."""
RESERVE_MS = 4000
"""What stays in the bank for delays, or half of it if it is small."""


class Budget:
    """What one decision may cost."""

    def __init__(self, playouts: int | None, seconds: float, now: Callable[[], float]) -> None:
        self.spent = 0
        """Playouts so far."""
        self._most = playouts
        self._now = now
        self._until = now() + seconds

    def has_time(self) -> bool:
        if self._most is not None:
            return self.spent < self._most
        return self._now() < self._until

    def count(self, playouts: int) -> None:
        self.spent += playouts


class Thinking:
    """How long to think, for all decisions of a bot. `now` is the clock that counts, in seconds."""

    def __init__(
        self, playouts: int | None = None, ms: int | None = None, now: Callable[[], float] = time.perf_counter
    ) -> None:
        self.playouts = playouts
        self.ms = ms
        self.now = now

    def for_decision(self, question: dinobot.Message, to_come: int) -> Budget:
        """The budget of this decision, if about `to_come` more will follow in the match."""
        if self.playouts is not None:
            return Budget(self.playouts, 0, self.now)
        allowed = allowed_ms(question["clock"], to_come) if "clock" in question else self.ms or 0
        return Budget(None, min(allowed, self.ms or allowed) / 1000, self.now)


def allowed_ms(clock: dict[str, int], to_come: int) -> float:
    """How many milliseconds the clock allows for a decision, and an equal share for those to come."""
    bank: int = clock["bank_ms"]
    spare = bank - min(RESERVE_MS, bank / 2)
    return OF_INCREMENT * clock["increment_ms"] + OF_BANK * spare / (to_come + 1)


def thinking_of(words: list[str]) -> Thinking:
    """What the words of a command line say about thinking."""
    match words:
        case []:
            return Thinking()
        case ["--playouts", number] if number.isdecimal():
            return Thinking(playouts=int(number))
        case ["--ms", number] if number.isdecimal():
            return Thinking(ms=int(number))
    sys.exit(f"expected nothing, --playouts N or --ms N, got: {' '.join(words)}")
