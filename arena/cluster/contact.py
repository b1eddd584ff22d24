"""A session with a Dask scheduler: who joins and leaves, calls to single workers, and the end of the session.

Dask brings blocks to workers and results back, and reports which workers there are. Which worker plays what is decided
here and not by Dask's scheduler, as for the workers on one machine: each slot has the block that it plays and the next
one. So no block waits behind a slow worker, and no more tasks wait in the cluster than it needs.

A session ends when the connection does. A new one starts from nothing: a scheduler that was restarted knows no tasks.
"""

import logging
import math
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import trio
from distributed import Client
from distributed import Event as Presence
from distributed.security import Security

from arena.cluster.bridge import Bridge, Pending
from arena.errors import LaunchError

CLOSE_S = 1.0
"""How long a session may take to end."""
LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.scheduler", "tornado")


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    address: str


@dataclass(frozen=True, slots=True)
class WorkerLeft:
    address: str


News = WorkerJoined | WorkerLeft


class Contact:
    """One session. `is_lost` when the scheduler is gone."""

    def __init__(self, bridge: Bridge, client: Client) -> None:
        self._bridge = bridge
        self._client = client
        self._send, self.news = trio.open_memory_channel[News](math.inf)
        self._left: set[str] = set()
        """Workers that left, maybe before the answer came that they are there."""
        self.is_lost = False

    async def listen(self) -> None:
        """From now on `news` has all workers: those that are there, and then each that joins or leaves."""
        tell, me = self._bridge.teller(self._hear), self._client.id

        def enrol(dask_scheduler: Any) -> list[str]:
            # In one step of the scheduler. The client's own request travels apart from its questions and may come
            # later: a worker that joins in between would be neither in the answer nor in the news.
            dask_scheduler.subscribe_topic("all", me)
            return list(dask_scheduler.workers)

        async def subscribe() -> list[str]:
            self._client.subscribe_topic("all", lambda event: tell(event[1]))
            there: list[str] = await self._client.run_on_scheduler(enrol)
            return there

        for address in await self._bridge.call(subscribe()):
            if address not in self._left:
                self._send.send_nowait(WorkerJoined(address))

    def _hear(self, event: dict[str, Any]) -> None:
        if event.get("action") == "add-worker":
            self._left.discard(event["worker"])
            self._send.send_nowait(WorkerJoined(event["worker"]))
        elif event.get("action") == "remove-worker":
            self._left.add(event["worker"])
            self._send.send_nowait(WorkerLeft(event["worker"]))

    async def until_lost(self) -> None:
        """Return when the scheduler is gone: it never answers this question, so only the end of the connection does."""

        async def wait() -> None:
            with suppress(OSError):
                await Presence(client=self._client).wait()

        await self._bridge.call(wait())
        self.is_lost = True

    async def run(self, address: str, duty: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that takes a moment in a worker's event loop. Raises what it raises there."""

        async def call() -> Any:
            return (await self._client.run(duty, *arguments, workers=[address]))[address]

        return await self._bridge.call(call())

    def submit(self, address: str, key: str, duty: Callable[[str], Any], order: str) -> Pending[Any]:
        """Start a task on one worker. The order is a text, so that Dask does not look into it."""

        async def compute() -> Any:
            future = self._client.submit(
                duty, order, key=key, workers=[address], allow_other_workers=False, pure=False, retries=0
            )
            try:
                return await future
            finally:
                future.release()

        return self._bridge.begin(compute())


def check_security(address: str) -> None:
    """LaunchError if Dask's configuration does not allow a connection to this address."""
    try:
        found = Security().get_connection_args("client")
    except (OSError, TypeError, ValueError) as error:
        raise LaunchError(f"Dask's configuration of TLS cannot be used: {error} (`arena docs cluster`)") from None
    if address.startswith("tls://") and found.get("ssl_context") is None:
        raise LaunchError(f"{address} needs TLS, and Dask's configuration names no certificates (`arena docs cluster`)")
    if not address.startswith("tls://") and found.get("require_encryption"):
        raise LaunchError(f"{address} is not encrypted, and Dask's configuration requires that. Use tls://")


@asynccontextmanager
async def session(bridge: Bridge, address: str, timeout_s: float) -> AsyncIterator[Contact]:
    """A session with the scheduler at this address. OSError if it cannot be reached within this time."""
    for name in LOGGERS:  # what matters is reported in our own words
        logging.getLogger(name).setLevel(logging.CRITICAL)

    async def connect() -> Client:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about versions that differ, which we check ourselves
            opened: Client = await Client(address, asynchronous=True, timeout=timeout_s, set_as_default=False)
            return opened

    client = await bridge.call(connect())
    try:
        yield Contact(bridge, client)
    finally:
        with trio.move_on_after(CLOSE_S, shield=True):
            await bridge.call(_closed(client))


async def _closed(client: Client) -> None:
    with suppress(OSError, TimeoutError, ValueError):
        client.unsubscribe_topic("all")  # or the scheduler complains that we are gone
        await client.close(timeout=CLOSE_S)
