"""The command line. Data goes to stdout, words to stderr; every foreseeable mistake is one line and an exit code.

Almost nothing is imported here, so that `main` handles Ctrl-C from the first moment on. app.py has the rest.
"""

import gc
import os
import signal
import sys

from arena.cli.exits import Exit, Reported, import_all

MEMORY_ERRORS = (
    "failed to map segment",
    "can't start new thread",
    "returned NULL without setting an exception",
    "error return without exception set",
)
"""What Python says where it has no memory left even for a MemoryError."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.disable()  # until a command begins (app.py)
    try:
        import_all(["arena.cli.app"])
        from arena.cli.app import run

        run()
    except KeyboardInterrupt:
        _leave()
    except (MemoryError, ImportError, RuntimeError, SystemError) as error:
        if not _is_short_of_memory(error):
            raise
        words = "there is too little memory. Is there a limit, such as `ulimit -v`? Raise it."
        sys.stderr.write(f"arena: {words}\n")
        sys.stderr.flush()
        os._exit(Exit.ENVIRONMENT)  # to clean up takes memory, too: Python would print each step that fails
    except SystemExit as ended:
        if ended.code != Exit.INTERRUPTED or isinstance(ended, Reported):
            raise
        _leave()  # typer turns Ctrl-C into an exit code without a message


def _is_short_of_memory(error: Exception) -> bool:
    """Python has several ways to say so."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in MEMORY_ERRORS)


def _leave() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left that a second Ctrl-C could end
    if sys.stderr is not None:
        after_echo = "\n" if sys.stderr.isatty() else ""  # the terminal has just shown ^C
        sys.stderr.write(f"{after_echo}arena: interrupted\n")
    sys.exit(Exit.INTERRUPTED)
