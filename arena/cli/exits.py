"""How a command ends, and how it imports what it needs.

`main` imports this before it handles Ctrl-C, so this module imports almost nothing.
"""

import gc
import signal
import sys
from collections.abc import Sequence
from enum import IntEnum
from importlib import import_module

MATCH = ("arena.running", "arena.match.play", "arena.match.record_file", "arena.replay.moments", "tabulate")
BUILD = ("arena.building.build", "arena.match.excerpt")
"""What plays matches, and what builds bots."""


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


def are_imported(modules: Sequence[str]) -> bool:
    """Whether an import of these takes no time."""
    return all(module in sys.modules for module in modules)


def import_all(modules: Sequence[str]) -> None:
    """Import these. Ctrl-C has to wait: an import that it interrupts may swallow it, or raise another error instead.

    The garbage collector leaves modules alone from now on. It would look through them many times, and once more at the
    end: that took 70 of the 315 ms of a command that only imports what plays a match. It stays off if it was off: until
    a command begins, nearly everything that is made is kept.
    """
    if are_imported(modules):
        return
    before, collects = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]), gc.isenabled()
    gc.disable()
    try:
        for module in modules:
            import_module(module)
    finally:
        gc.freeze()
        if collects:
            gc.enable()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
