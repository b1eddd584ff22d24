"""What stands before every page: which requests come in, and which headers go out.

A page on this machine can be reached by every other page that its user's browser has open. So a request must name a
host that is ours (else another site's name could be pointed at this machine, "DNS rebinding"), and what changes
something must come from a page of ours. Texts of strangers are escaped where markup is made; if that ever failed, the
policy below forbids their scripts.
"""

import ipaddress
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from arena.texts import quoted

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

READING = frozenset(("GET", "HEAD"))
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Sent with every answer that does not have them already."""
MOST_TARGET = 2048
"""Bytes of a path with its query."""
MOST_HEAD = 16 << 10
"""Bytes of all headers of a request."""
MOST_BODY = 64 << 10
"""Bytes of what a page of ours sends."""
HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered, as a status and in words."""

    status: int
    words: str


class Guard:
    """Lets only requests in that a page of ours or a person can have sent, and puts HEADERS on every answer."""

    def __init__(self, app: Asgi, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower().rstrip(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = refused(scope, self._names)
        if scope["type"] != "http":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
        elif refusal is None:
            await self._app(scope, _bounded(receive), _with_headers(send))
        else:
            await _refuse(refusal, scope["method"], _with_headers(send))


def refused(scope: Scope, names: frozenset[str]) -> Refusal | None:
    """Why a request is refused before any page sees it; None if it is not."""
    headers = scope["headers"]
    hosts = [value for key, value in headers if key == b"host"]
    host = _host(hosts[0]) if len(hosts) == 1 else None
    if host is None:
        return Refusal(400, "A request must have one Host header with a name or an address.")
    if not is_ours(host, names):
        return Refusal(
            421, f"This site is not called {quoted(host)}. If it should be, start it with `arena serve --name {host}`."
        )
    if len(scope["raw_path"]) + len(scope["query_string"]) > MOST_TARGET:
        return Refusal(414, f"The address has more than {MOST_TARGET:,} bytes. No page here needs that many.")
    if sum(len(key) + len(value) for key, value in headers) > MOST_HEAD:
        return Refusal(431, f"The request has more than {MOST_HEAD:,} bytes of headers. No page here needs that many.")
    length = next((value for key, value in headers if key == b"content-length"), b"0")
    if not length.isdigit() or int(length) > MOST_BODY:
        return Refusal(413, f"The request has more than {MOST_BODY:,} bytes. No page here needs that many.")
    is_reading = scope["type"] == "http" and scope["method"] in READING
    if not is_reading and not _is_from_here(headers, hosts[0]):
        return Refusal(403, "This request comes from a page of another site. Open the page here, and try again.")
    return None


def is_ours(host: str, names: frozenset[str]) -> bool:
    """Whether a site may be called by this host. Rebinding needs a name, so that addresses are harmless."""
    try:
        ipaddress.ip_address(host.strip("[]"))
        return True
    except ValueError:
        return host in names or host == "localhost" or host.endswith(".localhost")


def _host(value: bytes) -> str | None:
    found = HOST.fullmatch(value.decode("latin-1"))
    return found["name"].lower().rstrip(".") if found else None


def _is_from_here(headers: Iterable[tuple[bytes, bytes]], host: bytes) -> bool:
    """Whether the page that sent this is one of this site. Every browser says so with what is not only read."""
    origins = [value.decode("latin-1") for key, value in headers if key == b"origin"]
    if len(origins) != 1:
        return False
    origin = urlsplit(origins[0])
    return origin.scheme in ("http", "https") and origin.netloc.lower() == host.decode("latin-1").lower()


def _bounded(receive: Receive) -> Receive:
    """The body in pieces, of which there are not more than MOST_BODY bytes, whatever its length was said to be."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return message if seen <= MOST_BODY else {"type": "http.disconnect"}

    return bounded


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            has = {key.lower() for key, _ in own}
            message = {**message, "headers": own + [one for one in HEADERS if one[0] not in has]}
        await send(message)

    return sending


async def _refuse(refusal: Refusal, method: str, send: Send) -> None:
    body = f"{refusal.words}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # the rest of what was sent is not read
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
