"""One session of a league with a cluster: which workers may play, and what each of their slots plays.

A worker is admitted if it has the same arena, can play the bots, and has a good enough sandbox. Each of its slots has
two blocks: the one that it plays, and the next one. If a worker leaves, the matches of the blocks that it played count
as attempts, because their bots have seen the deals; its other blocks go back to the supply. If the scheduler is lost,
all blocks go back, as if the runner had been interrupted.
"""

import math
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import trio

from arena.cluster import duties
from arena.cluster.bridge import Pending
from arena.cluster.contact import Contact, WorkerJoined
from arena.cluster.orders import Orders, digest_of
from arena.cluster.records import keep_records
from arena.cluster.sameness import Arena, difference
from arena.errors import LaunchError, RecordError
from arena.league.executor import Lost, Notice, OnEvent, Played, Supply, too_weak
from arena.league.wire import Block
from arena.texts import SENTENCE, one_line

WINDOW = 2
"""Blocks that a slot has at once."""
PATIENCE_S = 60.0
"""How long the league waits for a worker when there is none."""
MOST_FAILURES = 3
"""After this many failures in a row, a worker gets no more work."""
PAUSE_S = 1.0
"""Between a failure of a worker and its next block."""
FAREWELL_S = 0.5


@dataclass(slots=True, eq=False)
class ClusterWorker:
    """A Dask worker."""

    address: str
    number: int
    host: str = "?"
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    is_gone: bool = False
    failures: int = 0

    @property
    def shown(self) -> str:
        return f"worker {self.address} on {self.host}"


@dataclass(frozen=True, slots=True)
class Handed:
    """A block that a slot has, and the answer that will come."""

    block: Block
    answer: Pending[Any]


class Shift:
    """Plays the supply in one session, until it is played or the scheduler is lost."""

    def __init__(self, contact: Contact, orders: Orders, supply: Supply, records: Path, on_event: OnEvent) -> None:
        self._contact = contact
        self._orders = orders
        self._supply = supply
        self._records = records
        self._on_event = on_event
        self._numbers = count()
        self._known: dict[str, ClusterWorker] = {}
        self._arriving: set[str] = set()
        self._playing: set[str] = set()
        self._has_had_workers = False
        self._refusals: list[str] = []
        self._patience = trio.CancelScope()
        self._alone_until = 0.0
        self._all = trio.CancelScope()

    async def work(self) -> None:
        try:
            with self._all:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._watch_scheduler)
                    await self._attend(nursery)
        finally:
            with trio.move_on_after(FAREWELL_S, shield=True):
                await self._say_goodbye()

    async def _watch_scheduler(self) -> None:
        await self._contact.until_lost()
        self._all.cancel()

    async def _attend(self, nursery: trio.Nursery) -> None:
        """Employ workers that join, and part from those that leave."""
        self._alone_until = self._patience.deadline = trio.current_time() + PATIENCE_S
        with self._patience:
            with suppress(OSError):  # then the scheduler has gone already
                await self._contact.listen()
            async for news in self._contact.news:
                known = self._known.get(news.address)
                if isinstance(news, WorkerJoined):
                    if known is None:
                        self._known[news.address] = worker = ClusterWorker(news.address, next(self._numbers))
                        nursery.start_soon(self._employ, worker)
                elif known is not None:
                    del self._known[news.address]
                    known.is_gone = True
                    known.scope.cancel()
        if self._patience.cancelled_caught:
            why = "; ".join(self._refusals) or ("all have left" if self._has_had_workers else "none has joined")
            raise LaunchError(
                f"the cluster has had no worker for this league for {PATIENCE_S:g} s: {why.rstrip('.')}. All results "
                "so far are saved. Start workers (`arena docs cluster`), and run the same command again."
            )

    # One worker

    async def _employ(self, worker: ClusterWorker) -> None:
        with worker.scope:
            with self._among(self._arriving, worker):
                slots = await self._admit(worker)
            if slots:
                self._has_had_workers = True
                with self._among(self._playing, worker):
                    await self._play_all(worker, slots)

    async def _play_all(self, worker: ClusterWorker, slots: int) -> None:
        async with trio.open_nursery() as nursery:
            for slot in range(slots):
                nursery.start_soon(self._keep_playing, worker, slot)

    @contextmanager
    def _among(self, some: set[str], worker: ClusterWorker) -> Iterator[None]:
        """While a worker plays or may soon, the league is patient. The time without any counts from the last one that
        played: workers that join and are refused, again and again, do not prolong it."""
        some.add(worker.address)
        self._patience.deadline = math.inf
        try:
            yield
        finally:
            some.discard(worker.address)
            if some is self._playing and not some:
                self._alone_until = trio.current_time() + PATIENCE_S
            if not self._playing and not self._arriving:
                self._patience.deadline = self._alone_until

    async def _admit(self, worker: ClusterWorker) -> int:
        """How many slots it has; 0, and the reason is reported, if it gets no work."""
        slots, reason = 0, None
        try:
            for _ in range(2):  # a bot that is damaged there is sent once more
                slots, reason = await self._try(worker)
                if slots == 0 or reason is None:
                    break
            if reason is None:
                return slots
        except (ImportError, AttributeError) as error:
            reason = f"it has no arena, or another one: {error}. Install the same version there."
        except Exception as error:  # whatever is wrong with it, the league goes on without it
            reason = f"{type(error).__name__}: {error}"
        self._refuse(worker, reason or "?")
        return 0

    async def _try(self, worker: ClusterWorker) -> tuple[int, str | None]:
        """How many slots it has, and why it cannot play, if so."""
        luggage = self._orders.luggage
        facts = await self._contact.run(worker.address, duties.introduce, list(luggage.archives))
        worker.host = facts["host"]
        if reason := difference(Arena(**facts["arena"])):
            return 0, reason
        for digest in facts["lacks"]:
            for piece, is_last in luggage.pieces(digest):
                sender = f"{self._orders.run}{worker.number:08x}"
                await self._contact.run(worker.address, duties.receive, digest, sender, piece, is_last)
        slots = self._orders.slots(facts["cores"])
        key = self._orders.key("prepare")
        answer = await self._contact.submit(worker.address, key, duties.prepare, self._orders.prepare(slots)).wait()
        if "ready" in answer:
            return slots, too_weak(answer["ready"], self._orders.min_tier)
        return (0, answer["refused"]) if "refused" in answer else (slots, answer["ended"])

    def _refuse(self, worker: ClusterWorker, reason: str) -> None:
        reason = one_line(reason, SENTENCE)
        words = f"{worker.host}: {reason}"
        if words not in self._refusals:  # a worker that Dask restarts has another address each time
            self._refusals.append(words)
            self._on_event(Notice(f"{worker.shown} gets no work: {reason}"))

    # One slot

    async def _keep_playing(self, worker: ClusterWorker, slot: int) -> None:
        while block := await self._supply.next():
            running = [self._hand_out(worker, slot, block)]
            try:
                while running:
                    if len(running) < WINDOW and (more := self._supply.take()):
                        running.append(self._hand_out(worker, slot, more))
                    answer = await _answer(running[0])
                    await self._keep(running[0], answer)
                    self._settle(worker, running.pop(0).block, answer)
                    if worker.failures:
                        await trio.sleep(PAUSE_S)
            finally:
                self._part(worker, running)
        self._all.cancel()

    def _hand_out(self, worker: ClusterWorker, slot: int, block: Block) -> Handed:
        key = self._orders.key(digest_of(block))
        return Handed(block, self._contact.submit(worker.address, key, duties.play, self._orders.play(slot, block)))

    async def _keep(self, handed: Handed, answer: dict[str, Any]) -> None:
        """Write the records of a block before any of its results counts."""
        try:
            answer["hosts"] = await trio.to_thread.run_sync(keep_records, self._records, handed.block, answer["played"])
        except RecordError as error:
            answer |= {"played": [], "hosts": [], "refused": str(error)}

    def _settle(self, worker: ClusterWorker, block: Block, answer: dict[str, Any]) -> None:
        """Report what a block came to. What is left of it is played again, here or elsewhere."""
        for fixture, (message, _), host in zip(block, answer["played"], answer["hosts"]):
            self._on_event(Played(fixture, message, host))
        rest = block[len(answer["played"]) :]
        worker.failures = worker.failures + 1 if rest else 0
        if rest and answer.get("is_ready"):
            self._on_event(Lost(rest.pop(0), answer["ended"]))
        self._supply.give_back(rest)
        if "refused" in answer or worker.failures >= MOST_FAILURES:
            self._refuse(worker, answer.get("refused") or answer["ended"])
            worker.scope.cancel()

    def _part(self, worker: ClusterWorker, running: list[Handed]) -> None:
        """A slot ends while it has blocks."""
        for number, handed in enumerate(running):
            handed.answer.cancel()
            if worker.is_gone and number == 0:
                for fixture in handed.block:
                    self._on_event(Lost(fixture, f"the {worker.shown} was lost"))
                self._supply.finished()
            else:
                self._supply.give_back(handed.block)

    async def _say_goodbye(self) -> None:
        """Let the workers end the processes of this session; they would do so later by themselves."""

        async def dismiss(address: str) -> None:
            with suppress(Exception):
                await self._contact.run(address, duties.dismiss, self._orders.league, self._orders.run)

        if not self._contact.is_lost:
            async with trio.open_nursery() as nursery:
                for address in self._known:
                    nursery.start_soon(dismiss, address)


async def _answer(handed: Handed) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = await handed.answer.wait()
        return answer
    except CancelledError:
        return {"played": [], "ended": "its task was cancelled"}
    except Exception as error:  # of Dask, such as KilledWorker
        return {"played": [], "ended": f"{type(error).__name__}: {error}"}
