"""How a command ends, and how long Ctrl-C has to wait.

`main` imports this before it handles Ctrl-C, so this module imports almost nothing.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum


class Exit(IntEnum):
    """How a command ends."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    BOT = 3
    CONFIGURATION = 4
    ENVIRONMENT = 5
    INTERRUPTED = 130


class Reported(SystemExit):
    """The end of a command that has already printed why."""


@contextmanager
def unbroken() -> Iterator[None]:
    """Hold Ctrl-C back: an import that it interrupts may swallow it, or raise another error in its place."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
