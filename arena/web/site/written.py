"""The site as files for any web host: the same pages, with relative links, and as many replays as are wanted."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from arena.errors import SettingError
from arena.texts import counted
from arena.web.site.api import league_document
from arena.web.site.assets import assets
from arena.web.site.edition import Edition
from arena.web.site.exhibit import EAGER, Exhibit
from arena.web.site.files import FILES, record_bytes, replay_bytes
from arena.web.site.hall import free_slug
from arena.web.site.home_page import home_page
from arena.web.site.index import ALL_MATCHES
from arena.web.site.match_list import PER_PAGE
from arena.web.site.shell import page
from arena.web.site.table import API, PAGES, PageRoute
from arena.web.site.visit import NoPage, Outlet, Visit

REPLAYS = 200
"""How many matches have a page, a replay and their record, unless another number is wanted."""
MOST_PAGES = 200
"""Pages of the list of matches."""
MOST_PAIRED = 24
"""Bots of which any two have a page: the first in the standings."""
MARK = ".dino-arena-site"
"""A file in the folder of a site, so that a later site may replace this one and nothing else."""


@dataclass(frozen=True, slots=True)
class WrittenSite:
    """What was written."""

    files: int
    bytes: int
    replays: int
    matches: int


def write_site(
    folders: Sequence[Path], target: Path, replays: int = REPLAYS, watch: Callable[[int], None] = lambda _: None
) -> WrittenSite:
    """Write the site of these leagues. SettingError if the folder has something else in it."""
    _check_target(target)
    taken: set[str] = set()
    files = size = shown = matches = 0
    editions = list[Edition]()
    for folder in folders:
        slug = free_slug(folder.name, taken)
        taken.add(slug)
        editions.append(Exhibit(folder, slug, EAGER).refresh())
    for path, data in _all(editions, replays):
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        files, size, shown = files + 1, size + len(data), shown + ("/replays/" in path)
        watch(files)
    matches = sum(edition.count for edition in editions)
    return WrittenSite(files, size, shown, matches)


def _check_target(target: Path) -> None:
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).exists():
        raise SettingError(f"{target}: this folder has other files in it. Name a new or an empty one.")


def _all(editions: Sequence[Edition], replays: int) -> Iterator[tuple[str, bytes]]:
    yield MARK, b"Written by `arena league site`, which may write it again.\n"
    yield "index.html", page(home_page(editions)).encode()
    yield "api/leagues.json", _json({"leagues": [league_document(edition) for edition in editions]})
    for name, data in assets().items():
        yield f"static/{name}", data
    for edition in editions:
        yield from _league(edition, replays)


def _league(edition: Edition, replays: int) -> Iterator[tuple[str, bytes]]:
    newest = edition.index.find(ALL_MATCHES, edition.count)
    shown = [edition.index.match(at).match for at in newest[:replays]]
    paired = frozenset(one.bot for one in edition.league.table[:MOST_PAIRED])
    outlet = Outlet(False, frozenset(shown).__contains__, paired.__contains__, _note(edition, len(shown)))
    for route, path in _pages(edition, shown):
        address = route.path.format(**path)
        visit = Visit(edition, outlet, route.depth, path)
        yield f"{edition.slug}/{address}", page(route.make(visit)).encode()
    for name, texts in FILES.items():
        yield f"{edition.slug}/{name}", "".join(texts(Visit(edition))).encode()
    yield from _documents(edition, outlet)
    for match in shown:
        yield from _match_files(Visit(edition, outlet), match)


def _note(edition: Edition, shown: int) -> str:
    if shown == edition.count:
        return ""
    return (
        f"Of {counted(edition.count, 'match')}, the newest {shown:,} have a page, a replay and their record here. "
        "`arena serve` shows all of them, and `arena league site --replays NUMBER` writes more."
    )


def _pages(edition: Edition, shown: Sequence[str]) -> Iterator[tuple[PageRoute, dict[str, str]]]:
    """Every page of a league that becomes a file, with the parts of its address."""
    bots = list(edition.slugs.values())
    paired = [edition.slugs[one.bot] for one in edition.league.table[:MOST_PAIRED]]
    pages = min(MOST_PAGES, -(-edition.count // PER_PAGE))
    parts: dict[str, list[dict[str, str]]] = {
        "bots/{bot}.html": [{"bot": bot} for bot in bots],
        "pairs/{bot}/{other}.html": [{"bot": bot, "other": other} for bot, other in permutations(paired, 2)],
        "matches/page-{page}.html": [{"page": str(number)} for number in range(2, pages + 1)],
        "matches/{match}.html": [{"match": match} for match in shown],
    }
    for route in PAGES:
        for path in parts.get(route.path, [{}]):
            yield route, path


def _documents(edition: Edition, outlet: Outlet) -> Iterator[tuple[str, bytes]]:
    for route in API:
        if "{" not in route.path and not route.query:
            yield f"api/leagues/{edition.slug}/{route.path}", _json(route.make(Visit(edition, outlet)))


def _match_files(visit: Visit, match: str) -> Iterator[tuple[str, bytes]]:
    """The record and the replay of a match, if there are any."""
    slug = visit.edition.slug
    if (record := visit.record(match)) is None:
        return
    yield f"{slug}/{record}", record_bytes(visit, match)
    try:
        yield f"{slug}/replays/{match}.html", replay_bytes(visit, match)
    except NoPage:  # the record is there, but it cannot be shown
        return


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
