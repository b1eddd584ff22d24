"""The worker processes on this machine that play the matches of a league.

A worker receives blocks and returns a message for each match. It has two blocks at a time, so that it never waits for
the runner. If a worker dies, its unfinished matches go to other workers, and a new worker replaces it. If the plan
comes in parts, the workers keep running, and wait between the parts.
"""

import json
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from typing import Any

import trio

from arena.building.copies import built_here
from arena.errors import ArenaError, HostError, LaunchError, StoreError
from arena.league.executor import Lost, Notice, OnEvent, Parts, Played, Supply, too_weak
from arena.league.turns import turns
from arena.league.wire import Assignment, Block, Setting
from arena.league.worker import READ, find_host
from arena.match.hosts import Host
from arena.match.launch import usable_cpus
from arena.version import RUN_OURS

WINDOW = 2
"""Blocks that a worker has at once."""
MOST_FAILED_STARTS = 3
"""After this many workers in a row that ended before they were ready, the league stops."""
GRACE_S = 5.0
"""How long a worker may take to stop its bots."""

STOPS: Mapping[str, type[ArenaError]] = {kind.__name__: kind for kind in (HostError, StoreError)}
"""Errors of a worker that stop the league, because every worker would have them."""


def worker_count(wanted: int | None, seats: Sequence[int]) -> int:
    """As many as the user wants; else so many that no more bots think at once than there are cores."""
    return wanted or max(1, len(usable_cpus()) // max(seats))


def core_sets(count: int, cores: Sequence[int] | None = None) -> list[tuple[int, ...]]:
    """The cores of each worker, for referee and bots. Concurrent matches have different cores if there are enough.

    If there are not, each worker has one core all the same: moving from core to core takes a fifth of the speed.
    """
    cores = usable_cpus() if cores is None else cores
    if count > len(cores):
        return [tuple(cores[number % len(cores) :][:1]) for number in range(count)] if cores else [()] * count
    share = len(cores) // count
    return [tuple(cores[number * share : (number + 1) * share]) for number in range(count)]


class Workers:
    """Worker processes that share the blocks of a plan, and the matches that must be played again."""

    def __init__(self, setting: Setting, count: int, parts: Parts) -> None:
        self._setting = setting
        self._count = count
        self._supply = Supply(parts)
        self._failed_starts = 0

    def retry(self, fixture: Assignment) -> None:
        """Play this match once more."""
        self._supply.retry(fixture)

    async def work(self, on_event: OnEvent) -> None:
        """Play everything, and call `on_event` for each event at once: a part ends after its last event."""

        def tell(words: str) -> None:
            on_event(Notice(words))

        first = await self._supply.next()
        if first is None:  # a league that is complete needs neither builds nor workers
            return
        self._supply.give_back(first)
        bots = {name: await built_here(self._setting.entry(name), tell) for name in self._setting.entries}
        host = await find_host()  # before the workers load the cores that it measures
        setting = replace(self._setting, entries={name: bot.plain() for name, bot in bots.items()}, host=host.plain())
        places = core_sets(self._count)
        with turns(places) as files:
            async with trio.open_nursery() as nursery:
                for cpus, turn in zip(places, files):
                    nursery.start_soon(self._keep_working, replace(setting, cpus=cpus, turn=turn), on_event)

    async def _keep_working(self, setting: Setting, on_event: OnEvent) -> None:
        while block := await self._supply.next():
            async with _started(setting) as worker:
                while block and await self._feed(worker, block, on_event):
                    block = await self._supply.next()

    async def _feed(self, worker: "Worker", first: Block, on_event: OnEvent) -> bool:
        """Send a worker blocks while there are any, and report its messages. Returns whether it is still alive."""
        running: list[Block] = [first]
        await worker.send(first)
        while running:
            while len(running) < WINDOW and worker.is_ready and (block := self._supply.take()):
                running.append(block)
                await worker.send(block)
            message = await worker.next()
            if message and "stop" in message:
                raise STOPS[message["kind"]](message["stop"])
            if message is None or "failed" in message:
                reason = message["failed"] if message else "the worker process ended"
                self._lost(worker, running, reason, on_event)
                return False
            if "ready" in message:
                self._failed_starts = 0
                if reason := too_weak(message["ready"], self._setting.min_tier):
                    raise HostError(f"this machine cannot play the league: {reason}")
                continue
            fixture = running[0].pop(0)
            assert fixture["match"] == message["match"]
            on_event(Played(fixture, message, worker.host))
            if not running[0]:
                running.pop(0)
                self._supply.finished()
        return True

    def _lost(self, worker: "Worker", running: list[Block], reason: str, on_event: OnEvent) -> None:
        """A worker ended: the match that it played counts as an attempt, and its other matches are played again."""
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= MOST_FAILED_STARTS:
                raise LaunchError(
                    f"no worker process starts: {reason.removesuffix('.')}. Run it again; if it happens again, "
                    "`arena doctor` shows what is wrong."
                )
        elif running[0]:
            on_event(Lost(running[0].pop(0), reason))
        for block in running:
            self._supply.give_back(block)


class Worker:
    """One worker process."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._rest = b""
        self._lines: list[bytes] = []
        self._host: Host | None = None

    @property
    def is_ready(self) -> bool:
        return self._host is not None

    @property
    def host(self) -> Host:
        """The machine that it runs on. A worker reports it before any match."""
        assert self._host is not None
        return self._host

    async def send(self, message: object) -> None:
        assert self._process.stdin is not None
        with suppress(trio.BrokenResourceError):  # `next` reports that it has ended
            await self._process.stdin.send_all(json.dumps(message).encode() + b"\n")

    async def next(self) -> dict[str, Any] | None:
        """Its next message; None if it has ended."""
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
        if "ready" in message:
            self._host = Host.from_plain(message["host"])
        return message


@asynccontextmanager
async def _started(setting: Setting) -> AsyncIterator[Worker]:
    """A worker for the body of the `async with`. Then its stdin closes so that it exits, and it is killed if not."""
    process = await trio.lowlevel.open_process(
        [*RUN_OURS, "arena.league.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        pass_fds=() if setting.turn is None else (setting.turn,),
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
