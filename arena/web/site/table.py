"""All addresses of a league, in one table: the server, the OpenAPI document and the static files are made from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.web.site import api
from arena.web.site.bot_page import bot_page
from arena.web.site.figures_page import data_page, figures_page
from arena.web.site.league_page import league_page
from arena.web.site.match_list import QUERY, match_list
from arena.web.site.match_page import match_page
from arena.web.site.pair_page import pair_page
from arena.web.site.shell import Sheet
from arena.web.site.visit import Visit

SLUG, ID, NUMBER = r"[A-Za-z0-9~][A-Za-z0-9._-]{0,80}", r"[0-9a-f]{24}", r"[1-9][0-9]{0,8}"
PARTS: Mapping[str, tuple[str, str]] = {
    "league": (SLUG, "a league, by its part of addresses"),
    "bot": (SLUG, "a bot, by its part of addresses: `id` in the standings"),
    "other": (SLUG, "another bot"),
    "match": (ID, "the id of a match"),
    "page": (NUMBER, "the number of a page"),
}
"""What can stand in an address: its form, and what it means."""
NO_QUERY: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A page of a league; `path` is below the league's folder."""

    path: str
    make: Callable[[Visit], Sheet]
    query: Mapping[str, str] = field(default_factory=lambda: NO_QUERY)
    """Names after the question mark, and what they mean."""

    @property
    def depth(self) -> int:
        return self.path.count("/")


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """A JSON document of a league; `path` is below /api/leagues/LEAGUE/."""

    path: str
    make: Callable[[Visit], dict[str, Any]]
    summary: str
    schema: str
    """The name of its schema in the OpenAPI document."""
    query: Mapping[str, str] = field(default_factory=lambda: NO_QUERY)


PAGES = (
    PageRoute("index.html", league_page),
    PageRoute("figures.html", figures_page),
    PageRoute("data.html", data_page),
    PageRoute("bots/{bot}.html", bot_page),
    PageRoute("pairs/{bot}/{other}.html", pair_page),
    PageRoute("matches/index.html", match_list, QUERY),
    PageRoute("matches/page-{page}.html", match_list),
    PageRoute("matches/{match}.html", match_page),
)
API = (
    ApiRoute("status.json", api.status_document, "How far the league is", "Status"),
    ApiRoute("standings.json", api.standings_document, "The standings, best first, with 95 % intervals", "Standings"),
    ApiRoute("bots.json", api.bots_document, "All bots and all versions that ever played", "Bots"),
    ApiRoute("bots/{bot}.json", api.bot_document, "A bot: rating, opponents, seats, faults", "Bot"),
    ApiRoute("matches.json", api.matches_document, "A page of the matches, newest first", "Matches", QUERY),
    ApiRoute("matches/{match}.json", api.match_document, "The result of a match", "Match"),
)
