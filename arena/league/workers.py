"""Where the matches of a league are played: worker processes on this machine.

A worker gets blocks and gives back a message for each match. It has two blocks at a time, so that it never waits for
us. One that dies has lost its matches, which are handed out again; a new one takes its place. Where the plan comes in
parts, the workers stay, and wait between them.
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import trio

from arena.errors import ArenaError, HostError, LaunchError, StoreError
from arena.league.wire import Assignment, Block, Setting
from arena.league.worker import READ

WINDOW = 2
"""Blocks that a worker has at once."""
MOST_STILLBORN = 3
"""So many workers in a row that did not get ready, and there is no use in going on."""
GRACE_S = 5.0
"""How long a worker may take to see its bots off."""

STOPS: Mapping[str, type[ArenaError]] = {kind.__name__: kind for kind in (HostError, StoreError)}
"""Errors of a worker that would come again and again."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match has been played, or was void."""

    fixture: Assignment
    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker is gone, and with it this match."""

    fixture: Assignment
    reason: str


Event = Played | Lost
Tell = Callable[[Event], None]


def usable_cores() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def worker_count(wanted: int | None, seats: Sequence[int]) -> int:
    """So many that no more bots think at once than there are cores, unless somebody wants it otherwise."""
    return wanted or max(1, len(usable_cores()) // max(seats))


def core_sets(count: int) -> list[tuple[int, ...]]:
    """The cores of each worker, referee and bots alike; concurrent matches get different ones, if there are enough."""
    cores = usable_cores()
    if count > len(cores):
        return [()] * count
    share = len(cores) // count
    return [tuple(cores[number * share : (number + 1) * share]) for number in range(count)]


class Workers:
    """Worker processes that share the blocks of a plan, and those that are handed back.

    Each part of the plan is asked for when all of the part before it has been played.
    """

    def __init__(self, setting: Setting, count: int, parts: Iterator[Iterator[Block]]) -> None:
        self._setting = setting
        self._count = count
        self._parts = parts
        self._blocks: Iterator[Block] = iter(())
        self._again: list[Block] = []
        self._stillborn = 0
        self._idle = trio.Condition()
        self._busy = 0

    def again(self, fixture: Assignment) -> None:
        """Play this one once more."""
        self._again.append([fixture])

    async def work(self, tell: Tell) -> None:
        """Play everything, and tell what happens at once: a part is over when all of it has been told."""
        async with trio.open_nursery() as nursery:
            for cpus in core_sets(self._count):
                nursery.start_soon(self._keep_working, replace(self._setting, cpus=cpus), tell)

    async def _keep_working(self, setting: Setting, tell: Tell) -> None:
        while block := await self._next():
            async with _started(setting) as worker:
                while block and await self._feed(worker, block, tell):
                    block = await self._next()

    async def _next(self) -> Block | None:
        """The next block; None when all are played, for a match that is still running may have to be played again."""
        async with self._idle:
            while True:
                if block := self._take():
                    self._busy += 1
                    return block
                if self._busy:
                    await self._idle.wait()
                    continue
                self._idle.notify_all()
                if (part := next(self._parts, None)) is None:
                    return None
                self._blocks = part
                await trio.lowlevel.checkpoint()  # a part may be there already, and so may all that follow

    def _take(self) -> Block | None:
        return self._again.pop(0) if self._again else next(self._blocks, None)

    async def _feed(self, worker: "Worker", first: Block, tell: Tell) -> bool:
        """Give a worker blocks as long as there are any, and pass on what it says; whether it is still there."""
        running: list[Block] = [first]
        await worker.send(first)
        while running:
            while len(running) < WINDOW and worker.is_ready and (block := self._take()):
                self._busy += 1
                running.append(block)
                await worker.send(block)
            message = await worker.next()
            if message and "stop" in message:
                raise STOPS[message["kind"]](message["stop"])
            if message is None or "failed" in message:
                reason = message["failed"] if message else "the worker process ended"
                await self._lost(worker, running, reason, tell)
                return False
            if "ready" in message:
                self._stillborn = 0
                continue
            fixture = running[0].pop(0)
            assert fixture["match"] == message["match"]
            tell(Played(fixture, message))
            if not running[0]:
                running.pop(0)
                await self._finished()
        return True

    async def _finished(self) -> None:
        async with self._idle:
            self._busy -= 1
            self._idle.notify_all()

    async def _lost(self, worker: "Worker", running: list[Block], reason: str, tell: Tell) -> None:
        """A worker is gone: the match it was at counts as an attempt, the others of its blocks are innocent."""
        if not worker.is_ready:
            self._stillborn += 1
            if self._stillborn >= MOST_STILLBORN:
                raise LaunchError(f"no worker gets ready: {reason}")
        elif running[0]:
            tell(Lost(running[0].pop(0), reason))
        self._again += [block for block in running if block]
        for _ in running:
            await self._finished()


class Worker:
    """One worker process."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._rest = b""
        self._lines: list[bytes] = []
        self.is_ready = False

    async def send(self, message: object) -> None:
        assert self._process.stdin is not None
        with suppress(trio.BrokenResourceError):  # `next` tells that it is gone
            await self._process.stdin.send_all(json.dumps(message).encode() + b"\n")

    async def next(self) -> dict[str, Any] | None:
        """What it says next; None when it is gone."""
        assert self._process.stdout is not None
        while not self._lines:
            try:
                data = await self._process.stdout.receive_some(READ)
            except trio.BrokenResourceError:
                return None
            if not data:
                return None
            *self._lines, self._rest = (self._rest + data).split(b"\n")
        message: dict[str, Any] = json.loads(self._lines.pop(0))
        self.is_ready |= "ready" in message
        return message


@asynccontextmanager
async def _started(setting: Setting) -> AsyncIterator[Worker]:
    """A worker, which goes when the block ends: at first by itself, because its stdin has ended."""
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "arena.league.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    worker = Worker(process)
    try:
        await worker.send(asdict(setting))
        yield worker
    finally:
        assert process.stdin is not None
        with trio.move_on_after(GRACE_S, shield=True):
            await process.stdin.aclose()
            await process.wait()
        if process.returncode is None:
            process.kill()
