"""An asyncio loop in a thread of its own, for a trio program that has to call asyncio code.

Dask's client needs asyncio, the league needs trio. Everything that is decided is decided in trio; only the calls to
Dask run in the other thread. No side polls: each wakes the other through its loop. The thread does not keep the program
from exiting, so a call that hangs costs nothing.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import Any, Generic, TypeVar

import trio

T = TypeVar("T")
STOP_S = 1.0
"""How long the thread may take to end its tasks."""


class Pending(Generic[T]):
    """A call that runs in the asyncio thread."""

    def __init__(self, future: Future[T]) -> None:
        self._future = future
        self._done = trio.Event()
        token = trio.lowlevel.current_trio_token()
        future.add_done_callback(lambda _: _wake(token, self._done))

    async def wait(self) -> T:
        """What the call returns or raises. If the wait is cancelled, so is the call."""
        try:
            await self._done.wait()
        except trio.Cancelled:
            self._future.cancel()
            raise
        return self._future.result()

    def cancel(self) -> None:
        self._future.cancel()


def _wake(token: trio.lowlevel.TrioToken, event: trio.Event) -> None:
    with suppress(trio.RunFinishedError):  # the league may have ended
        token.run_sync_soon(event.set)


class Bridge:
    """The way from trio to the asyncio thread, and back."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._token = trio.lowlevel.current_trio_token()

    def begin(self, call: Coroutine[Any, Any, T]) -> Pending[T]:
        """Start a call, and do not wait for it."""
        return Pending(asyncio.run_coroutine_threadsafe(call, self._loop))

    async def call(self, call: Coroutine[Any, Any, T]) -> T:
        return await self.begin(call).wait()

    def teller(self, tell: Callable[[Any], None]) -> Callable[[Any], None]:
        """A function for the asyncio thread, which lets trio call `tell`."""

        def pass_on(news: Any) -> None:
            with suppress(trio.RunFinishedError):  # the league may have ended
                self._token.run_sync_soon(tell, news)

        return pass_on


@asynccontextmanager
async def open_bridge() -> AsyncIterator[Bridge]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_serve, args=(loop,), name="asyncio", daemon=True)
    thread.start()
    try:
        yield Bridge(loop)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(thread.join, STOP_S)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    try:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
