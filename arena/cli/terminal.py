"""How things look in a terminal, how plainly in a pipe, and what is typed there."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import IO

import typer

from arena.errors import SettingError
from arena.options import contents
from arena.texts import SHOWN, one_line, quoted, safe
from engine.contract import Option, Outcome, Paint, Value, plain, spell

WIDTH = 80
LAST_LINES = 15
"""How many lines are shown of the end of a bot's stderr."""
COLUMN = 12
"""Characters of a player's name over a column."""
LONGEST_VALUE = 40
"""Characters of an option's value that is shown whole."""


def painter() -> Paint:
    """Colours for a terminal; none for a pipe, a dumb terminal, or when NO_COLOR is set (no-color.org)."""
    return _paint if takes_escapes(sys.stdout) and not os.environ.get("NO_COLOR") else plain


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether somebody looks or types there; a stream that was closed when the arena began is None."""
    return stream is not None and stream.isatty()


def takes_escapes(stream: IO[str] | None) -> bool:
    """Whether it is a terminal that does what escape sequences say, as all do but those in editors and build logs."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def _paint(text: str, colour: str) -> str:
    return typer.style(text, bold=True) if colour == "bold" else typer.style(text, fg=colour, bold=True)


def last_lines(who: str, stderr: str) -> list[str]:
    """The end of what somebody wrote to stderr, after an empty line and a title."""
    return ["", f"stderr of {who}, its end:", *(f"  {safe(line)}" for line in stderr.splitlines()[-LAST_LINES:])]


def wrapped(text: str, indent: int = 0) -> str:
    """A paragraph in lines of WIDTH; all but the first are indented."""
    return textwrap.fill(" ".join(text.split()), WIDTH, subsequent_indent=" " * indent)


def paragraph(text: str, first: str, indent: str = "") -> list[str]:
    """A text after the beginning of a line, in as many lines of WIDTH as it needs. Colours take no room."""
    head = unstyled(first)
    lines = textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False)
    return [first + lines[0][len(head) :], *lines[1:]] if lines else [first.rstrip()]


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


def by_name(block: Sequence[str], name: Callable[[int], str]) -> list[str]:
    """The lines of a part of a drawing, with players instead of seats in the first one."""
    caption = re.sub(r"seat (\d+)", lambda found: name(int(found[1])), block[0])
    return [*folded(caption), *block[1:]]


def listed(items: Sequence[str], width: int = WIDTH, title: str = "") -> list[str]:
    """Items after a title in lines that break between items only."""
    text = ", ".join(item.replace(" ", "\N{NO-BREAK SPACE}") for item in items)
    lines = textwrap.wrap(text, width, initial_indent=title, subsequent_indent=" " * len(title))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def said(value: object) -> str:
    """A value of a view or an event as it can be read."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {said(item)}" for key, item in value.items())
    return " ".join(map(said, value)) if isinstance(value, list | tuple) else spell(value)


def short(value: Value) -> str:
    """An option's value; of a long one the beginning."""
    text = one_line(spell(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE // 2]}... ({len(text)} characters)"


def unstyled(text: str) -> str:
    """A text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def table(rows: list[list[str]], headers: list[str]) -> str:
    """A table of texts; numbers stay as they are written, on the right. In a terminal it is no wider than that.

    To tabulate the headers are a row like any other: beside headers it leaves room that is missing elsewhere.
    """
    from tabulate import tabulate

    columns = list(zip(headers, *rows))
    widths = [max(1, *(len(line) for cell in column for line in cell.split("\n"))) for column in columns]
    if is_terminal(sys.stdout):
        _make_fit(widths, columns, shutil.get_terminal_size().columns)
    head, *body = [[_folded_cell(*cell) for cell in zip(row, widths)] for row in (headers, *rows)]
    sides = ["right" if all(map(_is_number, cells)) else "left" for _, *cells in columns]
    whole = [head, ["-" * width for width in widths], *body]
    return tabulate(whole, tablefmt="plain", disable_numparse=True, colalign=sides)


def _folded_cell(text: str, width: int) -> str:
    """A cell in lines of this width. Tabulate could do it too, but takes 1,000 for a number that it cannot read."""
    lines = (
        textwrap.wrap(line, max(1, width), break_long_words=False, break_on_hyphens=False) for line in text.split("\n")
    )
    return "\n".join("\n".join(parts) for parts in lines)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[±+-]?[\d.,]*", cell) is not None


def _make_fit(widths: list[int], columns: Sequence[Sequence[str]], room: int) -> None:
    """Let the widest columns give way until all fit; but no word is broken."""
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    while sum(widths) + 2 * len(widths) - 2 > room:
        slack = [max(0, width - low) for width, low in zip(widths, least)]
        if not any(slack):
            break
        widths[max(range(len(widths)), key=lambda i: (slack[i] > 0, widths[i]))] -= 1


def option_table(options: Mapping[str, Option]) -> str:
    """Name, values, help and rule of each option."""
    rows = [[name, _values(option), option.help, option.rule] for name, option in options.items()]
    return table(rows, ["option", "values, default first", "meaning", "rule"])


def _values(option: Option) -> str:
    values = [option.default, *(value for value in option.values if spell(value) != spell(option.default))]
    return " ".join([*map(spell, values), *(["FILE"] if option.text else [])])


def read_options(options: Mapping[str, Option], words: list[str]) -> dict[str, Value]:
    """Options as people write them, name=value, or name=file for those that take a text."""
    given: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise typer.BadParameter(f"{quoted(word)} is not written as name=value, for instance season=winter")
        if name in given:
            raise typer.BadParameter(f"option {one_line(name, SHOWN)} is given twice")
        given[name] = read_value(name, options[name], text) if name in options else text
    return given


def read_value(name: str, option: Option, text: str) -> Value:
    """An option's value as people write it: one of those that it lists, a text, or a file that holds one."""
    try:
        value = contents(option, option.read(text))
    except SettingError as error:
        raise SettingError(f"option {name}: {error}") from None
    return value if option.text is None or option.takes(value) else option.text(str(value))


def outcome_table(outcome: Outcome, names: Sequence[str] = ()) -> str:
    """Where the points came from: a column for each seat, under the players' names if there are any.

    Where the seats got them for different things it is a row for each seat.
    """
    titles = [one_line(name)[:COLUMN] for name in names] or [f"seat {seat}" for seat in range(len(outcome.scores))]
    zones = list(outcome.breakdown[0])
    if not zones or any(list(part) != zones for part in outcome.breakdown):
        return _ragged_table(outcome, titles)
    rows = [[zone, *(str(part[zone]) for part in outcome.breakdown)] for zone in zones]
    rows += [["score", *map(str, outcome.scores)], ["rank", *map(str, outcome.ranks)]]
    return table(rows, ["zone", *titles])


def _ragged_table(outcome: Outcome, titles: Sequence[str]) -> str:
    """A row for each seat; what gave most comes first."""
    headers = ["player", "score", "rank", "points for"]
    others = [max(map(len, [*titles, headers[0]])), *map(len, headers[1:3])]
    room = WIDTH - sum(others) - 2 * len(others)
    rows = []
    for title, score, rank, part in zip(titles, outcome.scores, outcome.ranks, outcome.breakdown):
        most_first = sorted(part.items(), key=lambda item: -item[1])
        points = "\n".join(listed([f"{what} {worth}" for what, worth in most_first if worth], room))
        rows.append([title, str(score), str(rank), points])
    return table(rows, headers)


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
