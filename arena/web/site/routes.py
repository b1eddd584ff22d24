"""The site's part of the server: each address of the table as a route, with pages that are kept by edition."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena.errors import StoreError
from arena.web.site.api import league_document
from arena.web.site.assets import assets, type_of
from arena.web.site.edition import Edition, KeptText
from arena.web.site.files import FILES, record_bytes, replay_bytes
from arena.web.site.hall import MOST_WATCHERS, Hall
from arena.web.site.home_page import home_page
from arena.web.site.openapi import openapi
from arena.web.site.shell import Link, page
from arena.web.site.table import API, PAGES, PARTS, ApiRoute, PageRoute
from arena.web.site.visit import BadQuery, NoPage, Visit

T = TypeVar("T")
HTML, JSON = "text/html; charset=utf-8", "application/json"
REPLAY_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""A replay is complete in itself, and has a policy of its own in its head, by the digests of its parts."""
RETRY = {"retry-after": "2"}
Endpoint = Callable[[Request], Awaitable[Response]]


class _AddressPart(Convertor[str]):
    """A part of an address that has the form that PARTS says."""

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


for _name, (_form, _) in PARTS.items():
    register_url_convertor(f"site_{_name}", type(f"_{_name.title()}", (_AddressPart,), {"regex": _form})())


def site_routes(hall: Hall, links: Sequence[Link] = ()) -> list[BaseRoute]:
    """All routes of the site; `links` stand at the top of every page."""
    return [Route(_pattern(path), endpoint, methods=["GET"]) for path, endpoint in _endpoints(hall, links)]


def _endpoints(hall: Hall, links: Sequence[Link]) -> Iterator[tuple[str, Endpoint]]:
    home = partial(_home, hall, links)
    yield from (("/", home), ("/index.html", home), ("/events", partial(_events, hall)))
    yield "/static/{file}", _static
    yield "/api/openapi.json", _openapi
    yield "/api/leagues.json", partial(_leagues, hall)
    for route in API:
        yield f"/api/leagues/{{league}}/{route.path}", partial(_document, hall, route)
    yield from (("/{league}", partial(_to_folder, hall)), ("/{league}/", partial(_page, hall, links, PAGES[0])))
    yield "/{league}/events", partial(_events, hall)
    for one in PAGES:
        yield f"/{{league}}/{one.path}", partial(_page, hall, links, one)
    yield "/{league}/records/{match}.match.jsonl.gz", partial(_record, hall)
    yield "/{league}/replays/{match}.html", partial(_replay, hall)
    for name in FILES:
        yield f"/{{league}}/{name}", partial(_file, hall, name)


def _pattern(path: str) -> str:
    """An address of the table as Starlette wants it: each part has its own form."""
    return re.sub(rf"\{{({'|'.join(PARTS)})\}}", r"{\1:site_\1}", path)


# Pages


async def _edition(hall: Hall, request: Request) -> Edition:
    """The league that the address names, or an answer in words."""
    slug = request.path_params["league"]
    try:
        edition = await hall.edition(slug)
    except KeyError:
        raise HTTPException(404, f"There is no league {slug} here. The list of leagues is at /.") from None
    except StoreError as error:
        raise HTTPException(503, f"The league {slug} cannot be read. {error}", RETRY) from None
    if edition is None:
        raise HTTPException(503, f"The league {slug} is being read. Try again in a moment.", RETRY)
    return edition


async def _page(hall: Hall, links: Sequence[Link], route: PageRoute, request: Request) -> Response:
    edition = await _edition(hall, request)
    address = _address(request)
    text = edition.kept.get(address)
    if text is None:
        visit = Visit(edition, depth=route.depth, path=request.path_params, query=_query(request, route.query))
        text = edition.kept.put(address, await asyncio.to_thread(_rendered, route, visit, links))
    return _answer(request, text, HTML)


def _address(request: Request) -> str:
    return f"{request.scope['path']}?{request.scope['query_string'].decode('latin-1')}"


def _rendered(route: PageRoute, visit: Visit, links: Sequence[Link]) -> bytes:
    return page(_made(route.make, visit), links).encode()


def _made(make: Callable[[Visit], T], visit: Visit) -> T:
    """What a page or a document is, or an answer in words."""
    try:
        return make(visit)
    except NoPage as error:
        raise HTTPException(404, str(error)) from None
    except BadQuery as error:
        raise HTTPException(400, str(error)) from None


def _query(request: Request, known: object) -> dict[str, str]:
    """What stands after the question mark, each name once."""
    pairs = request.query_params.multi_items()
    if not known and pairs:
        raise HTTPException(400, "This address takes nothing after a question mark.")
    if len(dict(pairs)) != len(pairs):
        raise HTTPException(400, "A name stands twice after the question mark.")
    return dict(pairs)


async def _home(hall: Hall, links: Sequence[Link], request: Request) -> Response:
    _query(request, ())
    await hall.look_at_all()
    exhibits = hall.exhibits()
    editions = [one.edition for one in exhibits.values() if one.edition is not None]
    troubles = {slug: why for slug, why in hall.troubles.items() if slug in exhibits and exhibits[slug].edition is None}
    waiting = [slug for slug, one in exhibits.items() if one.edition is None and slug not in troubles]
    text = page(home_page(editions, waiting, troubles, "events"), links)
    return _answer(request, KeptText.of(text.encode()), HTML)


async def _to_folder(hall: Hall, request: Request) -> Response:
    """Links are relative, so the address of a league must end like that of a folder."""
    slug = request.path_params["league"]
    if slug not in hall.exhibits():
        raise HTTPException(404, f"There is no league {slug} here. The list of leagues is at /.")
    return RedirectResponse(f"/{slug}/")


# Documents


async def _leagues(hall: Hall, request: Request) -> Response:
    _query(request, ())
    editions = [await hall.edition(slug) for slug in hall.exhibits() if slug not in hall.troubles]
    found = [league_document(edition) for edition in editions if edition is not None]
    return _answer(request, KeptText.of(_json({"leagues": found})), JSON)


async def _document(hall: Hall, route: ApiRoute, request: Request) -> Response:
    edition = await _edition(hall, request)
    address = _address(request)
    text = edition.kept.get(address)
    if text is None:
        visit = Visit(edition, path=request.path_params, query=_query(request, route.query))
        text = edition.kept.put(address, await asyncio.to_thread(lambda: _json(_made(route.make, visit))))
    return _answer(request, text, JSON)


async def _openapi(request: Request) -> Response:
    _query(request, ())
    return _answer(request, KeptText.of(_json(openapi())), JSON)


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


# Files


async def _static(request: Request) -> Response:
    name = request.path_params["file"]
    if name not in assets():
        raise HTTPException(404)
    return _answer(request, KeptText.of(assets()[name]), type_of(name))


async def _record(hall: Hall, request: Request) -> Response:
    edition, match = await _edition(hall, request), request.path_params["match"]
    data = await asyncio.to_thread(_made, partial(record_bytes, match=match), Visit(edition))
    headers = {"content-disposition": f'attachment; filename="{match}.match.jsonl.gz"'}
    return _answer(request, KeptText.of(data), "application/gzip", headers)


async def _replay(hall: Hall, request: Request) -> Response:
    edition, match = await _edition(hall, request), request.path_params["match"]
    address = f"replays/{match}"
    text = edition.kept.get(address)
    if text is None:
        data = await asyncio.to_thread(_made, partial(replay_bytes, match=match), Visit(edition))
        text = edition.kept.put(address, data)
    return _answer(request, text, HTML, {"content-security-policy": REPLAY_POLICY})


async def _file(hall: Hall, name: str, request: Request) -> Response:
    edition = await _edition(hall, request)
    _query(request, ())
    file = FILES[name]
    headers = {"content-disposition": f'attachment; filename="{edition.slug}-{name}"', "cache-control": "no-cache"}
    return StreamingResponse(file(Visit(edition)), media_type="text/csv; charset=utf-8", headers=headers)


def _answer(request: Request, text: KeptText, media: str, headers: dict[str, str] | None = None) -> Response:
    """The text, or only that it is the same as before."""
    own = {"etag": text.tag, "cache-control": "no-cache", **(headers or {})}
    if text.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=own)
    return Response(text.data, media_type=media, headers=own)


# News


async def _events(hall: Hall, request: Request) -> Response:
    """A stream with a line whenever the league, or any league, has a new edition."""
    slug = request.path_params.get("league")
    if slug is not None and slug not in hall.exhibits():
        raise HTTPException(404, f"There is no league {slug} here.")
    if hall.watchers >= MOST_WATCHERS:
        raise HTTPException(503, f"{MOST_WATCHERS:,} viewers are watching already. Reload the page instead.", RETRY)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")

    async def lines() -> AsyncIterator[str]:
        async for numbers in hall.watch(slug):
            yield f"data: {numbers}\n\n" if numbers else ": still here\n\n"

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(lines(), media_type="text/event-stream", headers=headers)
