"""The command line. Data goes to stdout, words to stderr; every foreseeable mistake is one line and an exit code.

Next to nothing is imported here, so that Ctrl-C finds `main` in charge from the first moment on; app.py has the rest.
"""

import signal
import sys
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


SHORTAGES = ("failed to map segment", "can't start new thread", "returned NULL without setting an exception")


class Told(SystemExit):
    """The end of a command that has said why."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        with unbroken():
            from arena.cli.app import run
        run()
    except KeyboardInterrupt:
        _leave()
    except (MemoryError, ImportError, RuntimeError, SystemError) as error:
        if not _is_short_of_memory(error):
            raise
        words = "there is too little memory. Is there a limit, as by `ulimit -v`? Raise it."
        sys.stderr.write(f"arena: {words}\n")
        sys.exit(Exit.ENVIRONMENT)
    except SystemExit as ended:
        if ended.code != Exit.INTERRUPTED or isinstance(ended, Told):
            raise
        _leave()  # typer makes an exit code of Ctrl-C, without a word


def _is_short_of_memory(error: Exception) -> bool:
    """Python has several ways to say so."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in SHORTAGES)


@contextmanager
def unbroken() -> Iterator[None]:
    """Ctrl-C has to wait: imports that it breaks off may swallow it, or make another error of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left that a second Ctrl-C could end
    if sys.stderr is not None:
        sys.stderr.write("arena: interrupted\n")
    sys.exit(Exit.INTERRUPTED)
