"""What a terminal is: how wide, and whether it shows colours and obeys escape sequences. A pipe gets plain text."""

import os
import re
import sys
from typing import IO

import typer

from engine.contract import Paint, plain


def painter() -> Paint:
    """Colours for a terminal; none for a pipe, a dumb terminal, or when NO_COLOR is set (no-color.org)."""
    return _paint if takes_escapes(sys.stdout) and not os.environ.get("NO_COLOR") else plain


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person reads or types there. A stream that was closed when the arena started is None."""
    return stream is not None and stream.isatty()


def takes_escapes(stream: IO[str] | None) -> bool:
    """Whether it is a terminal that obeys escape sequences. Those in editors and build logs do not."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def _paint(text: str, colour: str) -> str:
    return typer.style(text, bold=True) if colour == "bold" else typer.style(text, fg=colour, bold=True)


def unstyled(text: str) -> str:
    """A text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
