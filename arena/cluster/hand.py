"""What a Dask worker does for a league. Everything here runs in the process of a Dask worker.

A hand drives the arena's own worker processes, `python -m arena.league.worker`: one for each slot, started for the
first block and kept for the next ones. A slot plays one block at a time. Whatever leagues share a Dask worker, no more
bots think there at once than it has cores. If the Dask worker is killed, the stdin of its arena workers closes: they
stop their bots and exit.
"""

import os
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from arena.cluster.process import ArenaProcess, WorkerEnded, WorkerRefused
from arena.league.wire import Block, Setting
from arena.league.workers import core_sets
from arena.match.launch import usable_cpus

if TYPE_CHECKING:
    from distributed import Worker as DaskWorker

NAME = "arena"
"""Of the hand among the extensions of a Dask worker."""
LOCAL_WORKERS = "ARENA_LOCAL_CLUSTER"
"""The environment variable from which a worker of `local:N` knows how many share this machine."""
IDLE_S = 120.0
"""How long an arena worker is kept without a block: its league may have been interrupted."""

OVER = "the run that it belongs to is over"


@dataclass(frozen=True, slots=True)
class LeagueHere:
    """A league that this worker plays, and its slots."""

    run: str
    """The session of the runner that they belong to."""
    slots: list["Slot"]


@dataclass(slots=True)
class Slot:
    """Plays one block after the other."""

    setting: Setting
    lock: threading.Lock = field(default_factory=threading.Lock)
    process: ArenaProcess | None = None
    used: float = 0.0
    is_open: bool = True

    def ready(self) -> str:
        """The tier of its process, which is started if there is none."""
        if self.process is None:
            self.process = ArenaProcess(asdict(self.setting))
            self.used = time.monotonic()
        return self.process.tier()

    def play(self, block: Block) -> Iterator[dict[str, Any]]:
        """A message for each match. WorkerEnded and WorkerRefused say why there are no more."""
        if not self.is_open:
            raise WorkerEnded(OVER)
        try:
            self.ready()
            assert self.process is not None
            yield from self.process.play(block)
        except (WorkerEnded, WorkerRefused):
            self.end()
            raise
        finally:
            self.used = time.monotonic()

    def end(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.end()


class Hand:
    """All leagues that this Dask worker plays for."""

    def __init__(self, cores: int, cpus: tuple[int, ...]) -> None:
        self.cores = cores
        self._cpus = cpus
        self._free = cores
        self._change = threading.Condition()
        self._leagues: dict[str, LeagueHere] = {}
        threading.Thread(target=self._end_idle, daemon=True).start()

    def prepare(self, league: str, run: str, setting: Setting, slots: int) -> str:
        """Start the first process of a league, and return its tier. A league has one runner: any other run is over."""
        with self._change:
            here = self._leagues.get(league)
            if here is None or here.run != run:
                self._dismiss(here)
                sets = core_sets(slots, self._cpus) if self._cpus else [()] * slots
                here = LeagueHere(run, [Slot(replace(setting, cpus=cpus)) for cpus in sets])
                self._leagues[league] = here
        slot = here.slots[0]
        with slot.lock:
            return slot.ready()

    def play(self, league: str, run: str, slot: int, block: Block) -> dict[str, Any]:
        """The matches that were played, and why not all of them were, if so."""
        here = self._leagues.get(league)
        if here is None or here.run != run:
            return {"played": [], "ended": OVER}
        messages: list[tuple[dict[str, Any], bytes | None]] = []
        with here.slots[slot].lock, self._taken(max(len(fixture["bots"]) for fixture in block)):
            try:
                for message in here.slots[slot].play(block):
                    record = message.pop("record", None)
                    messages.append((message, None if record is None else b64decode(record)))
            except WorkerEnded as error:
                return {"played": messages, "ended": str(error), "is_ready": error.was_ready}
            except WorkerRefused as error:
                return {"played": messages, "refused": str(error)}
        return {"played": messages}

    def dismiss(self, league: str, run: str) -> None:
        """End the processes of a league, also those that play."""
        with self._change:
            if league in self._leagues and self._leagues[league].run == run:
                self._dismiss(self._leagues.pop(league))

    def _dismiss(self, here: LeagueHere | None) -> None:
        for slot in here.slots if here else ():
            slot.is_open = False
            if slot.process is not None:  # which takes a moment to end its bots
                threading.Thread(target=slot.process.end, daemon=True).start()

    @contextmanager
    def _taken(self, seats: int) -> Iterator[None]:
        """Cores for this many bots, or all cores if there are fewer."""
        count = min(seats, self.cores)
        with self._change:
            self._change.wait_for(lambda: self._free >= count)
            self._free -= count
        try:
            yield
        finally:
            with self._change:
                self._free += count
                self._change.notify_all()

    def _end_idle(self) -> None:
        while True:
            time.sleep(IDLE_S / 4)
            for here in list(self._leagues.values()):
                for slot in here.slots:
                    if slot.process and time.monotonic() - slot.used > IDLE_S and slot.lock.acquire(blocking=False):
                        slot.end()
                        slot.lock.release()


def hand_of(worker: "DaskWorker") -> Hand:
    """The hand of a Dask worker, which is made when it is first needed."""
    extensions: dict[str, Any] = worker.extensions
    if NAME not in extensions:
        cores = worker.state.nthreads
        extensions[NAME] = Hand(cores, _own_cpus(cores, worker.name))
    found: Hand = extensions[NAME]
    return found


def _own_cpus(cores: int, name: object) -> tuple[int, ...]:
    """The cores that belong to this Dask worker alone; none if nothing says so: another worker may have them too."""
    local = int(os.environ.get(LOCAL_WORKERS, 0))
    if local and isinstance(name, int) and name < local:
        return core_sets(local)[name]
    cpus = usable_cpus()
    return tuple(cpus) if cores >= len(cpus) else ()
