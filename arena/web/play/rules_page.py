"""The rules of a game as a page: every rule has its id as an anchor, and every mention of an id leads there.

RULES.md needs little of Markdown: headings, paragraphs, lists, tables, code, and bold text. The rules of a plug-in game
are a stranger's text like any other: all markup is made by `tag`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from arena.league.report.markup import Html, join, scrolled, tag

_RULE = re.compile(r"\b([A-Z]-\d{2,3})\b")
_DEFINED = re.compile(r"^(?:- \*\*|\| )([A-Z]-\d{2,3})\b", re.MULTILINE)
_INLINE = re.compile(r"(`[^`]+`|\*\*[^*]+\*\*)")
_RULER = re.compile(r"[|: -]+")


def rules_body(text: str) -> Html:
    """RULES.md as markup."""
    return join(RulesMarkup(frozenset(_DEFINED.findall(text))).blocks(text))


class RulesMarkup:
    """Turns the blocks of a text into markup. An id gets its anchor where it is defined first."""

    def __init__(self, defined: frozenset[str]) -> None:
        self._defined = defined
        self._anchored: set[str] = set()

    def blocks(self, text: str) -> Iterator[Html]:
        for at, part in enumerate(re.split(r"^```.*\n", text, flags=re.MULTILINE)):
            if at % 2:
                yield tag("pre", Html(tag("code", *_kept(part))), tabindex=0)
            else:
                for block in re.split(r"\n{2,}", part.strip("\n")):
                    yield from self._block(block.splitlines())

    def _block(self, lines: Sequence[str]) -> Iterator[Html]:
        for kind, group in groupby(lines, _kind(lines)):
            yield from _MAKERS[kind](self, list(group))

    def _heading(self, lines: Sequence[str]) -> Iterator[Html]:
        for line in lines:
            level = len(line) - len(line.lstrip("#"))
            yield tag(f"h{min(level, 4)}", self._inline(line.lstrip("# ")))

    def _paragraph(self, lines: Sequence[str]) -> Iterator[Html]:
        if text := " ".join(line.strip() for line in lines):
            yield tag("p", self._inline(text))

    def _list(self, lines: Sequence[str]) -> Iterator[Html]:
        items: list[str] = []
        for line in lines:
            if line.startswith("- "):
                items.append(line[2:])
            else:
                items[-1] += f" {line.strip()}"
        yield tag("ul", *(tag("li", self._inline(item), id=self._anchor(item.lstrip("*"))) for item in items))

    def _table(self, lines: Sequence[str]) -> Iterator[Html]:
        head, *rows = [
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in lines
            if not _RULER.fullmatch(line)
        ]
        body = [
            tag("tr", *(tag("td", self._inline(cell), class_="left") for cell in row), id=self._anchor(row[0]))
            for row in rows
        ]
        top = tag("tr", *(tag("th", self._inline(cell), scope="col", class_="left") for cell in head))
        yield scrolled("A table of the rules", tag("table", tag("thead", top), tag("tbody", *body)))

    def _anchor(self, text: str) -> str | None:
        found = _RULE.match(text)
        if found is None or found[1] in self._anchored:
            return None
        self._anchored.add(found[1])
        return found[1]

    def _inline(self, text: str) -> Html:
        return join(self._word(part) for part in _INLINE.split(text))

    def _word(self, part: str) -> Html:
        if part.startswith("`"):
            return tag("code", part.strip("`"))
        if part.startswith("**"):
            return tag("b", self._linked(part.strip("*")))
        return self._linked(part)

    def _linked(self, text: str) -> Html:
        parts = _RULE.split(text)
        return join(
            tag("a", part, href=f"#{part}") if at % 2 and part in self._defined else part
            for at, part in enumerate(parts)
        )


def _kept(code: str) -> Iterator[Html]:
    """Lines of code as they are: `tag` alone would put them on one line."""
    for line in code.rstrip("\n").split("\n"):
        yield Html(f"{tag('span', line).removeprefix('<span>').removesuffix('</span>')}\n")


def _kind(lines: Sequence[str]) -> Callable[[str], str]:
    """The kind of each line; one that is indented continues a list."""
    is_list = bool(lines) and lines[0].startswith("- ")

    def kind(line: str) -> str:
        if line.startswith("#"):
            return "heading"
        if line.startswith("|"):
            return "table"
        return "list" if line.startswith("- ") or is_list else "paragraph"

    return kind


_MAKERS: Mapping[str, Callable[[RulesMarkup, Sequence[str]], Iterator[Html]]] = {
    "heading": RulesMarkup._heading,
    "table": RulesMarkup._table,
    "list": RulesMarkup._list,
    "paragraph": RulesMarkup._paragraph,
}
