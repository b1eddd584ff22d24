"""What a conversation with bots is about, as a state machine without IO; arena.match.conversation moves the bytes."""

from collections.abc import Sequence
from typing import Protocol

from arena.match.faults import Broken
from protocol.messages import Message
from protocol.session import Refused, Stale

Heard = Message | Stale | Refused | Broken


class Agenda(Protocol):
    """What one conversation is about."""

    deadline: float
    """When to call `time_is_up`, on the clock of arena.match.clock.now; inf: never."""
    charges_cpu: bool
    """Whether the CPU clock of any bot must be read."""

    @property
    def resting(self) -> Sequence[int]:
        """The seats that owe nothing, and have no reason to run."""

    @property
    def over(self) -> bool:
        """Whether nothing more is awaited. What is in the outbox is still sent."""

    def outbox(self) -> list[tuple[int, Message]]:
        """Take the messages to send now, each with its seat."""

    def asked(self, seat: int, at: float, cpu: float) -> None:
        """A question was written at this time, when the bot had used this much CPU time."""

    def heard(self, seat: int, item: Heard, at: float, cpu: float) -> None:
        """This has arrived."""

    def delayed(self, seconds: float) -> None:
        """The referee was late by this much in looking."""

    def time_is_up(self, at: float) -> None:
        """The deadline has passed."""
