"""How a league with rounds went, as text: tables of its groups, the bracket as a tree, and who went on, and why."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from arena.cli.tables import table
from arena.texts import counted, fitted, one_line

if TYPE_CHECKING:
    from arena.league.ties import Course, GroupPlace, GroupTable, Round, Tie
    from arena.league.tree import BracketColumn, BracketEntry

LEAST = 8
"""Characters of a name that a tree must have room for."""
JOINT = 5
"""Characters between a result and the name in the next round: a blank, a line, a corner, a line, a blank."""
LEGEND = "2/65: the sum of ranks, lower is better, then points; then the file's order."
OPEN = "…"
"""In place of a winner that is not known yet."""


def course_lines(course: "Course", room: int) -> Iterator[str]:
    """All of it, in lines of at most `room` characters where names allow it."""
    for group in course.groups:
        yield from ("", f"Group {group.name}{_progress(group)}")
        yield from group_lines(group)
    if course.rounds:
        yield ""
        yield from tree(course.rounds, room)
        yield from ties(course.rounds, room)
    if course.final is not None:
        yield from ("", f"Final{_progress(course.final)}")
        yield from group_lines(course.final)
    if course.champion is not None:
        what = "league" if course.groups else "knock-out"
        yield from ("", f"{one_line(course.champion)} wins the {what}.")


# Groups


def _progress(group: "GroupTable") -> str:
    return "" if group.is_over else f" ({group.played:,} of {counted(group.planned, 'match')})"


def group_lines(group: "GroupTable") -> list[str]:
    rows = [[str(at), *_cells(place)] for at, place in enumerate(group.places, 1)]
    headers = ["", "bot", "games", "beaten", "score"]
    if group.going_on:
        headers.append("")
        rows = [[*row, "goes on" if at < group.going_on else ""] for at, row in enumerate(rows)]
    return table(rows, headers, names=1).split("\n")


def _cells(place: "GroupPlace") -> list[str]:
    beaten = f"{halves(place.beaten)} of {place.met:,}"
    return [place.bot, str(place.games), beaten, f"{float(place.mean):.1f}"]


def halves(number: Fraction) -> str:
    """`7`, `7½`."""
    whole, half = divmod(number, 1)
    return f"{whole:,}" * (whole > 0 or not half) + "½" * bool(half)


# The bracket


def tree(rounds: "Sequence[Round]", room: int) -> list[str]:
    """The bracket as a tree, from left to right; no lines if there is too little room for it."""
    from arena.league.tree import columns

    drawn = [*columns(rounds)]
    names = [[one_line(entry.bot or OPEN) for entry in column.entries] for column in drawn]
    fixed = sum(max(map(len, map(_result, column.entries))) + 1 + JOINT for column in drawn[:-1])
    widest = max(LEAST, *(len(name) for column in names for name in column))
    width = next((most for most in range(widest, LEAST - 1, -1) if fixed + _widths(names, most) <= room), None)
    if width is None:
        return []
    shown = fitted(dict.fromkeys(entry.bot or OPEN for column in drawn for entry in column.entries), width)
    canvas, x = _Canvas(), 0
    for column in drawn:
        x = canvas.column(x, column, shown)
    return canvas.lines()


def _widths(names: Sequence[Sequence[str]], most: int) -> int:
    return sum(max(min(most, len(name)) for name in column) for column in names)


def _result(entry: "BracketEntry") -> str:
    return result(entry.tie, entry.bot) if entry.tie and entry.bot else ""


def result(tie: "Tie", bot: str) -> str:
    if tie.is_bye:
        return "bye"
    return f"{tie.ranks(bot)}/{tie.points(bot)}" if tie.rows else "–"


class _Canvas:
    """Characters by line and place."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], str] = {}

    def column(self, x: int, column: "BracketColumn", shown: Mapping[str, str]) -> int:
        """Draw a column and the lines behind it. Returns where the next one begins."""
        name = max(len(shown[entry.bot or OPEN]) for entry in column.entries)
        width = max(len(_result(entry)) for entry in column.entries)
        self._write(0, x, column.title)
        for entry in column.entries:
            text = f"{shown[entry.bot or OPEN]:{name}} {_result(entry):>{width}}"
            self._write(1 + entry.line, x, text.rstrip())
        end = x + name + 1 + width
        for lines in column.joints:
            self._join(end + 2, [1 + line for line in lines])
        return end + JOINT

    def _join(self, corner: int, lines: Sequence[int]) -> None:
        from arena.league.tree import middle

        first, last, out = min(lines), max(lines), middle(lines)
        for line in range(first, last + 1):
            if line in lines:
                self._write(line, corner - 1, "─")
            up, down, left, right = line > first, line < last, line in lines, line == out
            self._write(line, corner, LINES[up, down, left, right])
        self._write(out, corner + 1, "─")

    def _write(self, line: int, x: int, text: str) -> None:
        for at, char in enumerate(text):
            self._cells[line, x + at] = char

    def lines(self) -> list[str]:
        height = 1 + max(line for line, _ in self._cells)
        width = 1 + max(x for _, x in self._cells)
        return ["".join(self._cells.get((line, x), " ") for x in range(width)).rstrip() for line in range(height)]


LINES = {
    (False, False, True, True): "─", (False, True, True, False): "┐", (False, True, True, True): "┬",
    (True, False, True, False): "┘", (True, False, True, True): "┴", (True, True, False, False): "│",
    (True, True, True, False): "┤", (True, True, False, True): "├", (True, True, True, True): "┼",
}  # fmt: skip
"""Corners by where a line goes on: up, down, left, right."""


def ties(rounds: "Sequence[Round]", room: int) -> Iterator[str]:
    """Who went on in each round, and why."""
    from arena.league.tree import FINAL, title

    for at, round_ in enumerate(rounds):
        yield from ("", title(rounds, at))
        for tie in round_:
            words = _tie(tie, "wins" if title(rounds, at) == FINAL else "goes on")
            yield from textwrap.wrap(
                words,
                room,
                initial_indent="  ",
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    yield from ("", LEGEND)


def _tie(tie: "Tie", verb: str) -> str:
    if tie.is_bye:
        return f"{one_line(tie.best)}: bye"
    results = ", ".join(f"{one_line(bot)} {result(tie, bot)}" for bot in tie.bots)
    if not tie.is_over:
        return f"{results}: {len(tie.rows)} of {counted(len(tie.bots), 'match')} played"
    return f"{results}: {one_line(tie.best)} {verb} by {'the ' if ' ' in tie.why else ''}{tie.why}"
