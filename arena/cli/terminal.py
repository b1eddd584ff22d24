"""How things look in a terminal, how plainly in a pipe, and what is typed there."""

import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import IO

import typer

from engine.game import Option, Outcome, Paint, Value, plain, spell

WIDTH = 80
LAST_LINES = 15
"""How many lines are shown of the end of a bot's stderr."""
COLUMN = 12
"""Characters of a player's name over a column."""


def painter() -> Paint:
    """Colours for a terminal; none for a pipe or when NO_COLOR is set (no-color.org)."""
    return _paint if is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") else plain


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether somebody looks or types there; a stream that was closed when the arena began is None."""
    return stream is not None and stream.isatty()


def _paint(text: str, colour: str) -> str:
    return typer.style(text, bold=True) if colour == "bold" else typer.style(text, fg=colour, bold=True)


def safe(text: str) -> str:
    """A bot's words, with everything spelled out that a terminal might obey."""
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in text)


def one_line(text: str) -> str:
    """A bot's words on one line."""
    return safe(text).replace("\n", "\\n")


def last_lines(who: str, stderr: str) -> list[str]:
    """The end of what somebody wrote to stderr, after an empty line and a title."""
    return ["", f"stderr of {who}, its end:", *(f"  {safe(line)}" for line in stderr.splitlines()[-LAST_LINES:])]


def wrapped(text: str, indent: int = 0) -> str:
    """A paragraph in lines of WIDTH; all but the first are indented."""
    return textwrap.fill(" ".join(text.split()), WIDTH, subsequent_indent=" " * indent)


def folded(line: str) -> list[str]:
    """A caption in as many lines as it needs; it breaks where two blanks stand."""
    lines = [""]
    for part in line.split("  "):
        longer = f"{lines[-1]}  {part}" if lines[-1] else part
        if len(unstyled(longer)) > WIDTH and lines[-1]:
            longer = f"    {part}"
            lines.append("")
        lines[-1] = longer
    return lines


def unstyled(text: str) -> str:
    """A text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def table(rows: list[list[str]], headers: list[str]) -> str:
    """A table of texts; numbers stay as they are written."""
    from tabulate import tabulate

    return tabulate(rows, headers, tablefmt="simple", disable_numparse=True)


def option_rows(options: Mapping[str, Option]) -> list[list[str]]:
    """Name, default, values, help and rule of each option."""
    return [
        [name, spell(option.default), " ".join(map(spell, option.values)), option.help, option.rule]
        for name, option in options.items()
    ]


def read_options(options: Mapping[str, Option], words: list[str]) -> dict[str, Value]:
    """Options as people write them, name=value."""
    given: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise typer.BadParameter(f"{word!r} is not written as name=value, for instance season=winter")
        if name in given:
            raise typer.BadParameter(f"option {name} is given twice")
        given[name] = options[name].read(text) if name in options else text
    return given


def outcome_table(outcome: Outcome, names: Sequence[str] = ()) -> str:
    """Points by zone, one column for each seat, under the players' names if there are any."""
    seats = range(len(outcome.scores))
    zones = list(outcome.breakdown[0])
    rows = [[zone, *(str(outcome.breakdown[seat][zone]) for seat in seats)] for zone in zones]
    rows += [["score", *map(str, outcome.scores)], ["rank", *map(str, outcome.ranks)]]
    titles = [one_line(name)[:COLUMN] for name in names] or [f"seat {seat}" for seat in seats]
    return table(rows, ["zone", *titles])


class Lines:
    """The lines of a descriptor, as they come; None is one that is closed. It holds nobody up but who asks."""

    MOST = 1 << 16

    def __init__(self, fd: int | None) -> None:
        self._fd = fd
        self._rest = b""

    async def next(self) -> str | None:
        """A line without its end; None when there are no more."""
        while b"\n" not in self._rest and len(self._rest) < self.MOST:
            data = await self._more()
            if not data:
                break
            self._rest += data
        line, end, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "backslashreplace") if line or end else None

    async def _more(self) -> bytes:
        import trio

        if self._fd is None:
            return b""
        try:
            await trio.lowlevel.wait_readable(self._fd)
            return os.read(self._fd, self.MOST)
        except PermissionError:  # a file, which is always ready
            return os.read(self._fd, self.MOST)
        except OSError:  # a terminal that is gone
            return b""
