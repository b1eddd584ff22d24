"""`--quiet` and `--verbose`: how much a command prints on stderr. Errors are printed in any case.

The words are taken out of the command line before typer reads it, so that every command has them, in any place.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from enum import Enum

VOLUME = {
    "-q, --quiet": "Print only results and errors.",
    "-v, --verbose": "Also print what the arena does, and where in it an error came from.",
}
DIALOGUES = frozenset({"human", "whatif"})
"""Commands that talk with a person on stderr."""


class Volume(Enum):
    """How much is printed."""

    QUIET = "-q"
    USUAL = ""
    VERBOSE = "-v"


WORDS = {
    "-q": Volume.QUIET,
    "--quiet": Volume.QUIET,
    "-v": Volume.VERBOSE,
    "--verbose": Volume.VERBOSE,
}


def heard(words: Sequence[str]) -> tuple[Volume, list[str]]:
    """How much to print, and the command line without the words that say so. The last such word counts."""
    if next((word for word in words if not word.startswith("-")), "") in DIALOGUES:
        return Volume.USUAL, list(words)
    end = list(words).index("--") if "--" in words else len(words)
    said = [WORDS[word] for word in words[:end] if word in WORDS]
    return [Volume.USUAL, *said][-1], [*(word for word in words[:end] if word not in WORDS), *words[end:]]


@contextmanager
def at(volume: Volume) -> Iterator[None]:
    """Print this much. What is printed after this block, such as an error, is always shown."""
    if volume is Volume.QUIET:
        with redirect_stderr(Nowhere()):
            yield
        return
    if volume is Volume.VERBOSE:
        import logging

        form = "arena: %(relativeCreated)6d ms  %(message)s"
        logging.basicConfig(stream=sys.stderr, format=form)
        logging.getLogger("arena").setLevel(logging.DEBUG)
    yield


class Nowhere(io.TextIOBase):
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)
