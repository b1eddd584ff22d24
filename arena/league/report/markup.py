"""Markup, escaped: elements, texts, names of bots, tables.

All markup is made by `tag`, which escapes everything that is not Html, and spells out what cannot be printed.
"""

import html
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from arena import texts
from arena.texts import flat

SHORT_NAME, SHORT_TEXT = 32, 300
"""Characters that are shown of a name, and of any other text."""


class Html(str):
    """Markup. A plain str is text, and is escaped where it becomes part of markup."""

    __slots__ = ()


VOID = frozenset(("meta", "br", "link", "input"))
Attribute = str | float | None


def tag(element: str, /, *content: str, **attributes: Attribute) -> Html:
    """An element; `class_` and `stroke_width` are written as HTML has them, and None is left out."""
    given = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{_escaped(figure(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if element in VOID:
        return Html(f"<{element}{given}>")
    return Html(f"<{element}{given}>{''.join(map(_markup, content))}</{element}>")


def join(parts: Iterable[str], between: str = "") -> Html:
    return Html(_markup(between).join(map(_markup, parts)))


def _markup(content: str) -> str:
    return content if isinstance(content, Html) else _escaped(content)


def _escaped(text: str) -> str:
    return html.escape(flat(text))


def figure(value: str | float) -> str:
    """A number with at most one digit after the point, which is enough for coordinates."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def short(text: str, most: int = SHORT_NAME) -> str:
    return texts.short(text, most)


def clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def bot_name(bot: str) -> Html:
    return tag("bdi", short(bot), title=clipped(bot, SHORT_TEXT) if len(bot) > SHORT_NAME else None)


def bot_names(bots: Sequence[str], most: int = 4) -> Html:
    """`a, b and c`, or `a, b and 7 more`."""
    if len(bots) > most:
        return join([join(map(bot_name, bots[: most - 1]), ", "), f"{len(bots) - most + 1} more"], " and ")
    names = [bot_name(bot) for bot in bots]
    return join([join(names[:-1], ", "), names[-1]] if len(names) > 1 else names, " and ")


def coded(text: str) -> Html:
    """A text with the parts between backticks as code."""
    return join(tag("code", part) if at % 2 else part for at, part in enumerate(text.split("`")))


def paragraph(text: str, class_: str | None = None) -> Html:
    return tag("p", coded(text), class_=class_)


Cells = Sequence[str]


def table_of(label: str, head: Cells, *bodies: Sequence[Cells], class_: str | None = None) -> Html:
    """A table that can be scrolled. A cell that is a plain str is wrapped in td, or in th in the head."""
    top = tag("thead", _row(head, partial(tag, "th", scope="col")))
    parts = (tag("tbody", *(_row(row, partial(tag, "td")) for row in body)) for body in bodies if body)
    table = tag("table", tag("caption", label, class_="unseen"), top, *parts, class_=class_)
    return scrolled(label, table)


def _row(cells: Cells, made: Callable[[str], Html]) -> Html:
    return tag("tr", *(cell if isinstance(cell, Html) else made(cell) for cell in cells))


def scrolled(label: str, content: Html) -> Html:
    return tag("div", content, class_="scroll", role="region", aria_label=label, tabindex=0)


def left_head(text: str) -> Html:
    return tag("th", text, scope="col", class_="left")


def row_head(bot: str, address: str | None = None) -> Html:
    return tag("th", linked(bot_name(bot), address), scope="row")


def linked(content: str, address: str | None) -> Html:
    """A link, if there is an address."""
    return join([content]) if address is None else tag("a", content, href=address)


def left_cell(*content: str) -> Html:
    return tag("td", *content, class_="left")
