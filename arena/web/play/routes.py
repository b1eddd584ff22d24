"""The tables over HTTP: pages, a stream of server-sent events for each browser, and what people do as JSON.

Theory of operation. A browser proves that it holds a chair by the chair's token, in the Authorization header. Another
site's page cannot send one, and no address and no log has it. The guard of the site (arena/web/guard.py) checks the
host and the origin before all of this. A stream sends the page of each of the browser's chairs when there is a new one.
"""

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena import running
from arena.errors import ArenaError
from arena.match.packing import SUFFIX
from arena.match.play import MatchSetup
from arena.match.record import MatchRecord
from arena.match.record_file import fresh_path, load, save
from arena.replay.whatif import branch_point
from arena.texts import safe
from arena.web.play.bridge import Audience, MatchThread
from arena.web.play.hints import advise
from arena.web.play.pages import play_page, replay_sheet, rules_page, script_and_style
from arena.web.play.plans import Declined, Offer, Plan, Reason
from arena.web.play.tables import Chair, GameRoom, Table
from engine.catalogue import game as find_game
from engine.catalogue import names as game_names
from engine.errors import UnknownGame

STATUSES = {
    Reason.MALFORMED: HTTPStatus.BAD_REQUEST,
    Reason.UNKNOWN: HTTPStatus.NOT_FOUND,
    Reason.FORBIDDEN: HTTPStatus.FORBIDDEN,
    Reason.STALE: HTTPStatus.CONFLICT,
    Reason.REFUSED: HTTPStatus.UNPROCESSABLE_ENTITY,
    Reason.FULL: HTTPStatus.SERVICE_UNAVAILABLE,
}
MOST_BODY = 16 << 10
"""Bytes of what a browser may send."""
MOST_STREAMS = 32
"""Streams at one table: each of its people may have a few browsers open."""
MOST_HINTS = 2
"""Bots that think about hints at the same time."""
BEAT_S = 15.0
"""A stream says something at least so often, so that a browser that has gone away is noticed."""
TIDY_S = 15.0
SCRIPT, STYLES = "text/javascript; charset=utf-8", "text/css; charset=utf-8"
KEPT = {"cache-control": "no-store"}

_RECORD = re.compile(r"[a-z][a-z0-9_]{0,63}-[0-9a-f-]{1,100}" + re.escape(SUFFIX), re.ASCII)

Handler = Callable[[Request], Awaitable[Response]]


class PlayPages:
    """All that people at tables see and do."""

    def __init__(self, offer: Offer, records: Path) -> None:
        self._records = records
        self.room = GameRoom(offer, self._start)
        games = [game["name"] for game in offer.plain()["games"]]
        self._texts = script_and_style("play", "play.css", games), script_and_style("play_replay", "page.css", games)
        self._is_closing = threading.Event()
        self._hints = asyncio.Semaphore(MOST_HINTS)
        self._advised: set[tuple[str, int]] = set()
        """Tables and seats for which a bot thinks at this moment."""

    def routes(self) -> Sequence[BaseRoute]:
        """The routes, to stand before those of the site."""
        posts: Mapping[str, Handler] = {
            "/play/api/tables": self._open,
            "/play/api/tables/{table}/sit": self._sit,
            "/play/api/tables/{table}/answer": self._answer,
            "/play/api/tables/{table}/hint": self._hint,
            "/play/api/tables/{table}/leave": self._leave,
        }
        gets: Mapping[str, Handler] = {
            "/play": self._page,
            "/play/": self._page,
            "/play/table/{table}": self._page,
            "/play/play.js": self._script,
            "/play/play.css": self._style,
            "/play/api/offer": self._offer,
            "/play/replay.js": self._replay_script,
            "/play/replay.css": self._replay_style,
            "/play/api/records/{record}": self._recorded,
            "/play/api/tables/{table}": self._lobby,
            "/play/api/tables/{table}/events": self._events,
            "/play/replay/{record}": self._replay,
            "/play/record/{record}": self._record,
            "/rules/{game}": self._rules,
        }
        return [
            *(Route(path, _declining(handler), methods=["POST"]) for path, handler in posts.items()),
            *(Route(path, _declining(handler), methods=["GET"]) for path, handler in gets.items()),
        ]

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """While the server runs. At its end all matches end, and nothing unfinished is recorded."""
        tidying = asyncio.create_task(self._tidy())
        try:
            yield
        finally:
            tidying.cancel()
            await asyncio.to_thread(self.room.close)

    def close(self) -> None:
        """End all streams, so that the server can end."""
        self._is_closing.set()
        for table in self.room.tables.values():
            for listener in list(table.listeners):
                listener()

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(TIDY_S)
            self.room.tidy(time.monotonic())

    # Matches

    def _start(self, setup: MatchSetup, audience: Audience) -> MatchThread:
        return MatchThread(find_game(setup.game), setup, audience, _post_to(asyncio.get_running_loop()), self._keep)

    def _keep(self, record: MatchRecord) -> MatchRecord:
        """Called in the thread of the match."""
        self._records.mkdir(parents=True, exist_ok=True)
        return save(record, fresh_path(self._records, record.header))

    # What people do

    async def _open(self, request: Request) -> Response:
        asked = await _body(request)
        table, tokens = self.room.open(await self._planned(asked), time.monotonic())
        if isinstance(before := asked.get("after"), str):
            with suppress(Declined):  # the table before it may be gone, and then nobody waits there
                earlier = self.room.find(before)
                earlier.chair_of(_token(request))
                earlier.succeed(table)
        return JSONResponse({"table": table.id, "tokens": {str(seat): token for seat, token in tokens.items()}})

    async def _planned(self, asked: dict[str, Any]) -> Plan:
        """A new match, or one that continues a record of this server."""
        match asked:
            case {"branch": {"record": str(name), "step": int(step)} as branch}:
                path = self._named(name)
                try:
                    point = await asyncio.to_thread(lambda: branch_point(load(path), step))
                except ArenaError as error:
                    raise Declined(Reason.REFUSED, safe(str(error))) from None
                return self.room.offer.branch(point, branch)
        return self.room.offer.read(asked.get("plan"))

    async def _sit(self, request: Request) -> Response:
        asked, table = await _body(request), self._table(request)
        name, seat = asked.get("name"), asked.get("seat")
        if not isinstance(name, str):
            raise Declined(Reason.MALFORMED, "Say who sits down.")
        token = table.sit(seat, name, time.monotonic())
        table.begin_if_full()
        return JSONResponse({"table": table.id, "tokens": {str(seat): token}})

    async def _answer(self, request: Request) -> Response:
        asked, (table, chair) = await _body(request), self._chair(request)
        if not isinstance(action := asked.get("action"), str):
            raise Declined(Reason.MALFORMED, "An answer needs an action.")
        try:
            table.answer(chair, asked.get("question"), action, time.monotonic())
        except Declined as declined:
            if declined.reason is not Reason.REFUSED:
                raise
            return JSONResponse({"refused": str(declined)})  # no error: people may try things, and consoles stay quiet
        return JSONResponse({})

    async def _leave(self, request: Request) -> Response:
        await _body(request)
        table, chair = self._chair(request)
        table.leave(chair)
        return JSONResponse({})

    async def _hint(self, request: Request) -> Response:
        asked, (table, chair) = await _body(request), self._chair(request)
        telling = table.material(chair, asked.get("question"))
        entry = self.room.adviser(str(asked.get("bot")), table.plan.game)
        key = (table.id, chair.seat)
        if key in self._advised:
            raise Declined(Reason.STALE, "A bot is already thinking about a hint for you.")
        self._advised.add(key)
        try:
            async with self._hints:
                ask = partial(advise, entry, telling.start, tuple(telling.questions), self.room.offer.sandbox)
                advice = await asyncio.to_thread(running.run, ask)
        except ArenaError as error:
            raise Declined(Reason.REFUSED, safe(str(error))) from None
        finally:
            self._advised.discard(key)
        table.material(chair, asked.get("question"))  # Declined if the question is not open any more
        return JSONResponse(
            {"action": advice.action, "meaning": telling.meaning(advice.action), "note": advice.note}, headers=KEPT
        )

    # What people see

    async def _lobby(self, request: Request) -> Response:
        return JSONResponse(self._table(request).lobby(), headers=KEPT)

    async def _offer(self, _request: Request) -> Response:
        return JSONResponse(self.room.offer.plain(), headers=KEPT)

    async def _events(self, request: Request) -> Response:
        table = self._table(request)
        chairs = [table.chair_of(token) for token in _tokens(request)[: len(table.chairs)]]
        if not chairs:
            raise Declined(Reason.FORBIDDEN, "This is not your seat. Open the link of the table again.")
        if len(table.listeners) >= MOST_STREAMS:
            raise Declined(Reason.FULL, "Too many browsers look at this table.")
        headers = {**KEPT, "x-accel-buffering": "no"}
        return StreamingResponse(
            _pages(table, chairs, self._is_closing), media_type="text/event-stream", headers=headers
        )

    async def _page(self, _request: Request) -> Response:
        return Response(play_page(), media_type="text/html; charset=utf-8")

    async def _script(self, _request: Request) -> Response:
        return Response(self._texts[0][0], media_type=SCRIPT)

    async def _style(self, _request: Request) -> Response:
        return Response(self._texts[0][1], media_type=STYLES)

    async def _replay_script(self, _request: Request) -> Response:
        return Response(self._texts[1][0], media_type=SCRIPT)

    async def _replay_style(self, _request: Request) -> Response:
        return Response(self._texts[1][1], media_type=STYLES)

    async def _rules(self, request: Request) -> Response:
        name = request.path_params["game"]
        if name not in game_names():
            raise Declined(Reason.UNKNOWN, "There is no such game.")
        with suppress(UnknownGame):
            return Response(rules_page(name), media_type="text/html; charset=utf-8")
        raise Declined(Reason.UNKNOWN, "This game does not load.")

    async def _replay(self, request: Request) -> Response:
        """A replay from which a seat can be taken. It has the policy of all pages here: its script is a file."""
        path = self._named(request.path_params["record"])
        made = await asyncio.to_thread(lambda: replay_sheet(load(path)))
        return Response(made, media_type="text/html; charset=utf-8", headers={"cache-control": "no-cache"})

    async def _record(self, request: Request) -> Response:
        path = self._named(request.path_params["record"])
        headers = {"content-disposition": f'attachment; filename="{path.name}"', "cache-control": "no-cache"}
        return Response(path.read_bytes(), media_type="application/gzip", headers=headers)

    async def _recorded(self, request: Request) -> Response:
        """What must be known of a record to play on from it."""
        path = self._named(request.path_params["record"])
        record = await asyncio.to_thread(load, path)
        names = [safe(player.name) for player in record.header.players]
        return JSONResponse({"game": record.header.game, "names": names, "steps": len(record.steps)}, headers=KEPT)

    def _named(self, name: str) -> Path:
        """A record that was kept here. Its name has the seed in it, so only who has played it knows it."""
        path = self._records / name
        if not _RECORD.fullmatch(name) or not path.is_file():
            raise Declined(Reason.UNKNOWN, "There is no such record here.")
        return path

    # Who asks

    def _table(self, request: Request) -> Table:
        return self.room.find(request.path_params["table"])

    def _chair(self, request: Request) -> tuple[Table, Chair]:
        table = self._table(request)
        return table, table.chair_of(_token(request))


async def _pages(table: Table, chairs: Sequence[Chair], is_closing: threading.Event) -> AsyncIterator[bytes]:
    """The pages of these chairs as events, each when it is new, until the server ends."""
    news = asyncio.Event()
    sent = dict.fromkeys((chair.seat for chair in chairs), 0)
    table.listeners.append(news.set)
    for chair in chairs:
        table.arrive(chair)
    try:
        while not is_closing.is_set():
            news.clear()
            for chair in chairs:
                if sent[chair.seat] != chair.version:
                    sent[chair.seat] = chair.version
                    yield b"data: " + table.page(chair) + b"\n\n"
            if not await _comes(news):
                yield b":\n\n"
    finally:
        table.listeners.remove(news.set)
        for chair in chairs:
            table.depart(chair, time.monotonic())


async def _comes(news: asyncio.Event) -> bool:
    """Whether there is news before the next beat."""
    with suppress(TimeoutError):
        async with asyncio.timeout(BEAT_S):
            return await news.wait()
    return False


def _post_to(loop: asyncio.AbstractEventLoop) -> Callable[[Callable[[], None]], None]:
    def post(call: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the server has ended, and so has everybody who would hear it
            loop.call_soon_threadsafe(call)

    return post


def _declining(handler: Handler) -> Handler:
    """A handler whose Declined becomes an answer with the reason."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except Declined as declined:
            return JSONResponse({"error": str(declined)}, STATUSES[declined.reason], headers=KEPT)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)

    return handle


async def _body(request: Request) -> dict[str, Any]:
    """What a page of ours has sent: a JSON object."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Declined(Reason.MALFORMED, "Send JSON, as application/json.")
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY:
            raise Declined(Reason.MALFORMED, f"A request has at most {MOST_BODY} bytes.")
    try:
        asked = json.loads(data)
    except (ValueError, RecursionError):
        raise Declined(Reason.MALFORMED, "This is not JSON.") from None
    if not isinstance(asked, dict):
        raise Declined(Reason.MALFORMED, "Send a JSON object.")
    return asked


def _tokens(request: Request) -> list[str]:
    kind, _, tokens = request.headers.get("authorization", "").partition(" ")
    return tokens.split() if kind == "Bearer" else []


def _token(request: Request) -> str:
    return " ".join(_tokens(request))
