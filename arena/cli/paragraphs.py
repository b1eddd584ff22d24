"""Text in lines that fit a terminal."""

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence

from arena.cli.terminal import columns, is_terminal, unstyled
from arena.words.lines import WIDTH

LEAST = 20
"""Columns for a line of a program's output, however narrow the terminal is."""


def paragraph(text: str, first: str, indent: str = "") -> list[str]:
    """A text after the start of a line, in lines of WIDTH. Colours take no room."""
    head = unstyled(first)
    lines = textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False)
    return [first + lines[0][len(head) :], *lines[1:]] if lines else [first.rstrip()]


def folded(line: str) -> list[str]:
    """A caption in lines of WIDTH; it breaks only at two spaces."""
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


def quoted(lines: Iterable[str], margin: str) -> list[str]:
    """Lines of a program's output after a margin. On a terminal they break between words, elsewhere they do not."""
    if not is_terminal(sys.stdout):
        return [f"{margin}{line}" for line in lines]
    room = max(LEAST, columns(sys.stdout) - len(margin))
    parts = (textwrap.wrap(line, room, break_on_hyphens=False) or [""] for line in lines)
    return [f"{margin}{part}" for line in parts for part in line]


def stderr_lines(who: str, stderr: str) -> list[str]:
    """The lines of a bot's stderr that show why it failed, after an empty line and a title; none if it is empty."""
    from arena.match.telling import telling

    lines = telling(stderr)
    return ["", f"stderr of {who}:", *quoted(lines, "  ")] if lines else []
