"""What a terminal is: how wide, and whether it shows colours and obeys escape sequences. A pipe gets plain text."""

import os
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import IO

import typer

from arena.texts import without_escapes
from engine.contract import Paint, plain

USUAL = 80
"""Columns of a terminal that does not say how many it has."""
HARD = "\N{NO-BREAK SPACE}"


def painter() -> Paint:
    """Colours for a terminal; none for a pipe, a dumb terminal, or when NO_COLOR is set (no-color.org)."""
    return _paint if takes_escapes(sys.stdout) and not os.environ.get("NO_COLOR") else plain


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person reads or types there. A stream that was closed when the arena started is None."""
    return stream is not None and stream.isatty()


def takes_escapes(stream: IO[str] | None) -> bool:
    """Whether it is a terminal that obeys escape sequences. Those in editors and build logs do not."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def say(words: str) -> None:
    """Print what the user should know to stderr. In a terminal, lines break between words.

    A command stays on one line, so that it can be copied: one in backquotes, or one after two spaces, which then has a
    line of its own.
    """
    typer.echo("\n".join(fitting(f"arena: {words}".split("\n"), sys.stderr)), err=True)


def fitting(lines: Iterable[str], stream: IO[str]) -> list[str]:
    """Lines that fit the terminal behind a stream; elsewhere they stay as they are."""
    if not is_terminal(stream):
        return list(lines)
    width = columns(stream)
    return [part for line in lines for part in _folded(line, width)]


def columns(stream: IO[str]) -> int:
    """The columns of the terminal behind a stream; of 80 if it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except (OSError, ValueError):
        return USUAL


def _folded(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    words, is_command, command = line.partition(":  ")
    whole = re.sub("`[^`]*`", lambda found: found[0].replace(" ", HARD), words + is_command.rstrip())
    lines = textwrap.wrap(whole, width, break_long_words=False, break_on_hyphens=False)
    return [*(one.replace(HARD, " ") for one in lines), *([f"  {command}"] if is_command else [])]


def _paint(text: str, colour: str) -> str:
    return typer.style(text, bold=True) if colour == "bold" else typer.style(text, fg=colour, bold=True)


def unstyled(text: str) -> str:
    """A text without its colours."""
    return without_escapes(text)
