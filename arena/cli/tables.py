"""Tables: of any texts, and of where the points of a match came from."""

import re
import shutil
import sys
import textwrap
from collections.abc import Sequence

from arena.cli.paragraphs import listed
from arena.cli.terminal import is_terminal
from arena.texts import fitted
from arena.words.lines import WIDTH
from engine.contract import Outcome

LEAST_NAME = 8
"""Characters of a bot's name that a table shows however narrow the terminal is."""
COLUMN = 12
"""Characters of a player's name over a column."""


def table(rows: list[list[str]], headers: list[str], names: int | None = None) -> str:
    """A table of texts. Numbers stay as they are written, on the right. In a terminal, the table fits its width.

    The column `names` has names of bots, which are cut, with a sign, only if there is no room for them. The headers are
    an ordinary row for tabulate, because it pads columns that have real headers.
    """
    from tabulate import tabulate

    room = terminal_width()
    if names is not None:
        rows = _with_names(rows, headers, names, room)
    columns = list(zip(headers, *rows))
    widths = _widths(columns)
    if room is not None:
        _make_fit(widths, columns, room)
    head, *body = [[_folded_cell(*cell) for cell in zip(row, widths)] for row in (headers, *rows)]
    sides = ["right" if all(map(_is_number, cells)) else "left" for _, *cells in columns]
    whole = [head, ["-" * width for width in widths], *body]
    return tabulate(whole, tablefmt="plain", disable_numparse=True, colalign=sides)


def terminal_width() -> int | None:
    """How wide the terminal on stdout is; None if it is not one."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def _widths(columns: Sequence[Sequence[str]]) -> list[int]:
    return [max(1, *(len(line) for cell in column for line in cell.split("\n"))) for column in columns]


def _with_names(rows: list[list[str]], headers: list[str], at: int, room: int | None) -> list[list[str]]:
    """The rows with names on one line each, cut to the room that the other columns leave."""
    others = [width for column, width in enumerate(_widths(list(zip(headers, *rows)))) if column != at]
    most = sys.maxsize if room is None else max(LEAST_NAME, room - sum(others) - 2 * len(others))
    shown = fitted((row[at] for row in rows), most)
    return [[*row[:at], shown[row[at]], *row[at + 1 :]] for row in rows]


def _folded_cell(text: str, width: int) -> str:
    """A cell in lines of this width. Tabulate's own wrapping fails on numbers such as 1,000."""
    lines = (
        textwrap.wrap(line, max(1, width), break_long_words=False, break_on_hyphens=False) for line in text.split("\n")
    )
    return "\n".join("\n".join(parts) for parts in lines)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[±+<-]?[\d.,]*", cell) is not None


def _make_fit(widths: list[int], columns: Sequence[Sequence[str]], room: int) -> None:
    """Narrow the widest columns until all fit, but break no word."""
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    while sum(widths) + 2 * len(widths) - 2 > room:
        slack = [max(0, width - low) for width, low in zip(widths, least)]
        if not any(slack):
            break
        widths[max(range(len(widths)), key=lambda i: (slack[i] > 0, widths[i]))] -= 1


def outcome_table(outcome: Outcome, names: Sequence[str] = ()) -> str:
    """Where the points come from: a column for each seat, with the players' names if there are any.

    If the seats have points for different things, there is a row for each seat instead.
    """
    shown = fitted(names, COLUMN)
    titles = [shown[name] for name in names] or [f"seat {seat}" for seat in range(len(outcome.scores))]
    zones = list(outcome.breakdown[0])
    if not zones or any(list(part) != zones for part in outcome.breakdown):
        return _ragged_table(outcome, titles)
    rows = [[zone, *(str(part[zone]) for part in outcome.breakdown)] for zone in zones]
    rows += [["score", *map(str, outcome.scores)], ["rank", *map(str, outcome.ranks)]]
    return table(rows, ["zone", *titles])


def _ragged_table(outcome: Outcome, titles: Sequence[str]) -> str:
    """A row for each seat; the largest points come first."""
    headers = ["player", "score", "rank", "points for"]
    others = [max(map(len, [*titles, headers[0]])), *map(len, headers[1:3])]
    room = WIDTH - sum(others) - 2 * len(others)
    rows = []
    for title, score, rank, part in zip(titles, outcome.scores, outcome.ranks, outcome.breakdown):
        most_first = sorted(part.items(), key=lambda item: -item[1])
        points = "\n".join(listed([f"{what} {worth}" for what, worth in most_first if worth], room))
        rows.append([title, str(score), str(rank), points])
    return table(rows, headers)
