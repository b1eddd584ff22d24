"""Runs an application as a server: binds its address first, says what it opens, and ends at Ctrl-C."""

import asyncio
import errno
import ipaddress
import os
import socket
from collections.abc import Callable
from contextlib import suppress

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.errors import ArenaError, SettingError
from arena.web.guard import MOST_HEAD, Asgi

BACKLOG = 256
MOST_CONNECTIONS = 2000
REQUEST_S = 20.0
"""How long a request may take to come in. Connections that say nothing would use up MOST_CONNECTIONS."""
NICER = 5
"""How much less urgent a site is than the leagues that it shows."""


class PromptConnection(H11Protocol):
    """A connection that is closed if its request does not come in within REQUEST_S."""

    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._due = self.loop.call_later(REQUEST_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._wait_no_longer()
        elif self._due is None:
            self._due = self.loop.call_later(REQUEST_S, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_longer()
        super().connection_lost(exc)

    @property
    def is_request_due(self) -> bool:
        return self._due is not None

    def _wait_no_longer(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


class SiteServer(uvicorn.Server):
    """A server that ends streams before it waits for their end."""

    def __init__(self, config: uvicorn.Config, before_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._before_end = before_end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._before_end()
        await super().shutdown(sockets)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there. SettingError says why it cannot, and the way out."""
    try:
        ((family, _, _, _, address), *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise SettingError(f"--host {host}: {error.strerror}. Name an address of this machine.") from None
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it every answer takes 40 ms more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise ArenaError(_refused(host, port, error)) from None
    return listening


def _refused(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program. Choose another one: --port {port + 1}, or --port 0 for any."
    if error.errno == errno.EACCES:
        return f"port {port} needs rights that you do not have. Choose one above 1023: --port 8765."
    return f"{host}: {error.strerror}. Name an address of this machine, such as --host 127.0.0.1."


def is_open(listening: socket.socket) -> bool:
    """Whether other machines can reach it."""
    return not ipaddress.ip_address(listening.getsockname()[0]).is_loopback


def address_of(listening: socket.socket) -> str:
    """What to type into a browser of this machine."""
    host, port = listening.getsockname()[:2]
    where = ipaddress.ip_address(host)
    if where.is_unspecified:
        host = "127.0.0.1" if where.version == 4 else "::1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(app: Asgi, listening: socket.socket, before_end: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C or SIGTERM. `before_end` ends what would go on for ever."""
    server_of(app, before_end).run(sockets=[listening])


def server_of(app: Asgi, before_end: Callable[[], None]) -> SiteServer:
    """A server that answers nobody yet."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        h11_max_incomplete_event_size=MOST_HEAD,
        http=PromptConnection,
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
        backlog=BACKLOG,
        lifespan="on",
    )
    return SiteServer(config, before_end)


def be_modest() -> None:
    """Let everything else on this machine come first: a league must not notice who looks at it.

    As a batch process it does not interrupt a bot or a referee when a request comes, but waits until they wait.
    """
    os.nice(NICER)
    with suppress(OSError):  # some containers refuse it, and then it is only less modest
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
