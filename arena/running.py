"""Running a trio program from ordinary code: Ctrl-C and SIGTERM end it cleanly, also in a notebook or a thread."""

import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

import trio

from arena.errors import Interrupted

T = TypeVar("T")


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run this in trio. Ctrl-C and SIGTERM end every wait, and so every bot."""
    try:
        if _loop_is_running():
            return _run_aside(main)
        return trio.run(_until_told_to_stop, main, restrict_keyboard_interrupt_to_checkpoints=True)
    except KeyboardInterrupt:
        raise Interrupted("interrupted") from None
    except BaseExceptionGroup as group:
        if group.subgroup(KeyboardInterrupt):
            raise Interrupted("interrupted") from None
        raise innermost(group) from None


def _loop_is_running() -> bool:
    """Whether this thread belongs to asyncio, as in a notebook, or to trio."""
    if trio.lowlevel.in_trio_run():
        return True
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


def _run_aside(main: Callable[[], Awaitable[T]]) -> T:
    """Run this in another thread, and stop it if we are interrupted while we wait."""
    scope, tokens, future = trio.CancelScope(), [], Future[T]()

    async def work() -> T:
        tokens.append(trio.lowlevel.current_trio_token())
        with scope:
            return await main()
        raise Interrupted("interrupted")

    def aside() -> None:
        try:
            future.set_result(trio.run(work))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=aside).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        for token in tokens:
            token.run_sync_soon(scope.cancel)
        raise


def innermost(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error in nested groups, or the first of one kind, as when two tasks meet a full disk; else the group."""
    errors = list(_leaves(group))
    return errors[0] if len({type(error) for error in errors}) == 1 else group


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _until_told_to_stop(main: Callable[[], Awaitable[T]]) -> T:
    if threading.current_thread() is not threading.main_thread():
        return await main()  # signals are not ours to hear
    results: list[T] = []
    async with trio.open_nursery() as nursery:
        with trio.open_signal_receiver(signal.SIGTERM) as signals:

            async def work() -> None:
                results.append(await main())
                nursery.cancel_scope.cancel()

            nursery.start_soon(work)
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break
    if not results:
        raise Interrupted("ended by SIGTERM")
    return results[0]
