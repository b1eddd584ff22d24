"""What all pages of the site have in common: head, Open Graph text, the way back, and what keeps them up to date."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.league.report.markup import Html, join, short, tag
from arena.texts import cut, flat

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'"
)
MOST_ABOUT = 200
"""Characters of what chats show of a page."""


MOST_LINK = 40
"""Characters of a link at the top of a page."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words, and where they lead: an address from the root of the site, without a slash at its beginning."""

    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page without its shell."""

    title: str
    about: str
    """What a chat shows of it, in a sentence or two."""
    body: Html
    depth: int = 0
    """How many folders it is below the root of the site."""
    trail: Sequence[Link] = ()
    """The pages above it."""
    parts: Sequence[Link] = ()
    """The pages beside it."""
    scripts: Sequence[str] = ()
    events: str = ""
    """The address of the stream that says when it changes; empty: it does not."""


def page(sheet: Sheet, links: Sequence[Link] = ()) -> str:
    """The whole text of a page; `links` stand at the top of every page of a site."""
    up = "../" * sheet.depth
    title, about = f"{flat(sheet.title)} · Dino Arena", cut(flat(sheet.about), MOST_ABOUT)
    scripts = [*sheet.scripts, *(["live.js"] if sheet.events else [])]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("meta", name="description", content=about),
        tag("meta", property="og:title", content=title),
        tag("meta", property="og:description", content=about),
        tag("meta", property="og:type", content="website"),
        tag("meta", property="og:site_name", content="Dino Arena"),
        tag("link", rel="icon", href=f"{up}static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href=f"{up}static/site.css"),
        *(tag("script", type="module", src=f"{up}static/{name}") for name in scripts),
    )
    live = {"data_events": f"{up}{sheet.events}"} if sheet.events else {}
    body = tag("body", _top(sheet, links, up), tag("main", sheet.body, id="main", **live))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _top(sheet: Sheet, links: Sequence[Link], up: str) -> Html:
    """The way back to the list of leagues, and the pages beside this one."""
    home = tag("a", "Dino Arena", href=f"{up}index.html", class_="home")
    trail = (join([tag("span", "/", class_="quiet", aria_hidden="true"), _link(one, up)]) for one in sheet.trail)
    here = {one.address for one in sheet.trail[-1:]} or {one.address for one in sheet.parts[:1]}
    parts = [tag("li", _link(one, up, "page" if one.address in here else None)) for one in sheet.parts]
    more = [tag("li", _link(one, up)) for one in links]
    listed = [tag("ul", *parts, *more)] if parts or more else []
    return tag("nav", tag("div", home, *trail, class_="trail"), *listed, class_="top", aria_label="Site")


def _link(link: Link, up: str, current: str | None = None) -> Html:
    return tag("a", tag("bdi", short(link.words, MOST_LINK)), href=f"{up}{link.address}", aria_current=current)
