"""Our pages, which are Markdown, drawn for a terminal; and long text in a pager. A pipe gets a page as it is written.

Pages need little of Markdown: headings, paragraphs, lists, tables, code, bold text and links.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator

import typer

from arena.cli.tables import table
from arena.cli.terminal import columns, painter, takes_escapes

WIDEST = 100
"""Columns of a paragraph; longer lines are hard to read."""
MANY, MOST_FOLDED = 4, 2
"""From this many columns on, a table may be this many times as wide as the terminal before it becomes a list."""
ITEM = re.compile(r"(\s*)([-*]|\d+\.) +(.*)", re.DOTALL)
LESS = "FRX"
"""For the pager `less`, as git sets it: leave at once if all fits, pass colours, leave the text on the screen."""


def show_page(text: str) -> None:
    """Print a page: drawn, and paged if it is long, on a terminal; else as it is."""
    if not takes_escapes(sys.stdout):
        typer.echo(text.rstrip("\n"))
        return
    paged("\n".join(drawn(text, columns(sys.stdout))))


def paged(text: str) -> None:
    """Print a text; through the user's pager if it is longer than the terminal."""
    size = shutil.get_terminal_size()
    if not takes_escapes(sys.stdout) or text.count("\n") + 2 <= size.lines:
        typer.echo(text)
        return
    words = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    try:
        subprocess.run(words, input=text + "\n", text=True, env={"LESS": LESS, **os.environ}, check=False)
    except OSError:  # there is no such program
        typer.echo(text)


def drawn(text: str, width: int) -> Iterator[str]:
    """The lines of a page for a terminal of this width."""
    for block in blocks(text):
        yield from _block(block, width)
        yield ""


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, headings, lists, tables and whole pieces of code."""
    for part in re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE):
        if part.startswith("```"):
            yield part
        else:
            yield from (block.strip("\n") for block in re.split(r"\n\s*\n|\n(?=#)", part) if block.strip())


def _block(block: str, width: int) -> Iterator[str]:
    if block.startswith("```"):
        yield from (f"  {line}" for line in block.split("\n")[1:-1])
    elif block.startswith("#"):
        title, _, rest = block.partition("\n")
        yield painter()(inline(title.lstrip("# ")), "bold")
        if rest:
            yield from _block(rest, width)
    elif block.startswith("|"):
        yield from _table(block, width)
    else:
        for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", block):
            yield from _paragraph(item, min(width, WIDEST))


def _table(block: str, width: int) -> Iterator[str]:
    """A table; each row as a list of its cells, if the table is too wide for the terminal."""
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.split("\n")]
    head, _rule, *body = [[inline(cell.replace(r"\|", "|").strip()) for cell in row] for row in cells]
    body = [(row + [""] * len(head))[: len(head)] for row in body]
    natural = sum(max(map(len, column)) + 2 for column in zip(head, *body))
    lines = table(body, head).split("\n")
    if max(map(len, lines)) <= width and (len(head) < MANY or natural < MOST_FOLDED * width):
        yield from lines
        return
    for first, *rest in body:
        yield from textwrap.wrap(painter()(first, "bold"), width)
        for title, cell in zip(head[1:], rest):
            words = f"{title}: {cell}" if title else cell
            yield from textwrap.wrap(
                words, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )


def _paragraph(text: str, width: int) -> Iterator[str]:
    item = ITEM.fullmatch(text)
    lead = f"{item[1]}{item[2]} " if item else ""
    words = " ".join((item[3] if item else text).split())
    if re.fullmatch(r"!\[.*\]\(.*\)", words):
        return
    lines = textwrap.wrap(
        _plain(words), width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip
    yield from map(_bold, lines)


def inline(text: str) -> str:
    """A line without the marks of links and bold text."""
    return _plain(text).replace("**", "")


def _plain(text: str) -> str:
    """Links show their text, and their address if it leads out of these pages."""
    text = re.sub(r"!?\[([^]]*)\]\((https?://[^)]+)\)", r"\1 (\2)", text)
    return re.sub(r"!?\[([^]]*)\]\([^)]+\)", r"\1", text)


def _bold(line: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", lambda found: painter()(found[1], "bold"), line)
