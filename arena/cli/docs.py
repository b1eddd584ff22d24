"""`arena docs`: the documentation that belongs to this arena, from a checkout or from the installed package."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.markdown import inline, show_page
from arena.cli.parameters import AsJson
from arena.errors import SettingError
from arena.texts import meant, quoted

PACKAGES = Path(__file__).parents[2]
PLACES = (PACKAGES / "arena" / "documents", PACKAGES)
"""Where pages are: in a wheel those of no package are in the first folder, which a checkout does not have."""
INDEX = "docs/README.md"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the documentation."""

    topic: str
    title: str
    path: str
    """From the top of a checkout."""
    about: str

    def text(self) -> str:
        """As it is written, in Markdown."""
        return read_page(self.path)


def read_page(path: str) -> str:
    """The text of a page. SettingError if this installation lacks it."""
    for place in PLACES:
        if (place / path).is_file():
            return (place / path).read_text("utf-8")
    raise SettingError(f"{path} is not in this installation. Install the arena again.")


def pages() -> dict[str, Page]:
    """All pages of the index, by topic."""
    rows = re.findall(r"^\| \[(.*?)\]\((.*?)\) \| (.*?) \|$", read_page(INDEX), re.MULTILINE)
    found = [os.path.normpath(os.path.join("docs", path)) for _, path, _ in rows]
    listed = [Page(_topic(path), title.strip("`"), path, about) for path, (title, _, about) in zip(found, rows)]
    return {page.topic: page for page in listed}


def _topic(path: str) -> str:
    """docs/check.md is check, protocol/SPEC.md is spec, bots/README.md is bots, engine/GAME/RULES.md is GAME-rules."""
    folder, name = os.path.split(path)
    stem, owner = name.removesuffix(".md").lower(), os.path.basename(folder)
    if stem == "rules":
        return f"{owner}-rules"
    return owner if stem == "readme" and owner else stem


def docs(
    topic: Annotated[str | None, typer.Argument(metavar="TOPIC", help="A page. Default: the list of all.")] = None,
    section: Annotated[
        str | None,
        typer.Argument(metavar="SECTION", help="Only this part: a number such as 2.1, or words of its title."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a page of the documentation, or list all.

    \b
        arena docs                all pages, and who needs which
        arena docs write-a-bot    how to begin
        arena docs spec 2.1       a part of the protocol
    """
    known = pages()
    if topic is None:
        _show_list(list(known.values()), as_json)
        return
    page = known.get(topic.lower().removesuffix(".md").rpartition("/")[2])
    if page is None:
        raise SettingError(f"there is no page {quoted(topic)}.{meant(topic, known)} `arena docs` lists all.")
    text = page.text() if section is None else part(page, section)
    if as_json:
        typer.echo(json.dumps({"topic": page.topic, "title": page.title, "text": text}, indent=2))
    else:
        show_page(text)


def _show_list(listed: list[Page], as_json: bool) -> None:
    from arena.cli.tables import table

    if as_json:
        typer.echo(
            json.dumps([{"topic": one.topic, "title": one.title, "about": one.about} for one in listed], indent=2)
        )
        return
    typer.echo(table([[one.topic, inline(one.about)] for one in listed], ["topic", "who needs it"]))
    typer.echo("\nRead one:  arena docs TOPIC", err=True)


def part(page: Page, wanted: str) -> str:
    """The part of a page under the first heading that begins with these words, or has them."""
    pieces = re.split(r"^(?=#+ )", page.text(), flags=re.MULTILINE)
    titles = [piece.partition("\n")[0].lstrip("#").strip() for piece in pieces]
    word = wanted.lower()
    at = next((i for i, title in enumerate(titles) if re.match(rf"{re.escape(word)}\b", title.lower())), None)
    if at is None:
        at = next((i for i, title in enumerate(titles) if word in title.lower()), None)
    if at is None:
        named = "; ".join(title for title in titles[1:] if title)
        raise SettingError(f"{page.topic} has no part {quoted(wanted)}. It has: {named}.")
    level = _level(pieces[at])
    end = next((i for i in range(at + 1, len(pieces)) if _level(pieces[i]) <= level), len(pieces))
    return "".join(pieces[at:end])


def _level(piece: str) -> int:
    return len(piece) - len(piece.lstrip("#"))
