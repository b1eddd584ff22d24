"""Processes for the exams of a bot that starts slowly: kept after an exam, or started before the next one.

About forty processes are examined. With a bot that needs 2.6 s of a core to start, that took a minute and a half, most
of it for starts. So if its first hello is slow, three things change:

- The processes of the exam `start`, which have only said hello, are given to the next exams.
- A process that waits between matches after its exam is kept. Exams of single messages and questions use it, and in the
  end `goodbye` sees it off. What fails there is held again in a new process, and only that counts: a process that has
  played before may fail for another reason.
- While an exam is held, processes for the next ones start.

No more processes start at a time than there are cores, so that each has for its hello what it would have in a match.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import trio

from arena.check.probe import Probe, whole
from arena.errors import LaunchError
from arena.match.launch import usable_cpus
from protocol.session import Stage

AHEAD = 2
"""Processes that start while an exam is held. More would only compete for the cores."""
MOST_KEPT, MOST_KEPT_KB = 12, 1 << 20
"""How many processes may wait, and the memory of all of them: of a bot with a large model, few are kept."""
UNKNOWN_KB = 256 << 10
"""Of a process whose memory cannot be seen."""


class Standby:
    """Processes of one bot in one tier, each held open by a task of its own."""

    def __init__(self, nursery: trio.Nursery, opened: Callable[[], AbstractAsyncContextManager[Probe]]) -> None:
        self._nursery = nursery
        self._opened = opened
        self._new: list[Probe] = []
        """They wait for welcome."""
        self._used: list[Probe] = []
        """They wait for the next match."""
        self._ahead = 0
        """Processes that will be new."""
        self._starting = trio.Semaphore(len(usable_cpus()))

    async def new(self) -> Probe:
        """A process whose hello was not answered: one that was started before, or another."""
        if self._new:
            return self._new.pop(0)
        probe: Probe = await self._nursery.start(self._hold)
        return probe

    def used(self) -> Probe | None:
        """A process that waits between matches, if there is one."""
        return self._used.pop() if self._used else None

    def give_back(self, probe: Probe) -> None:
        """Keep a process for later if it can be used again; else end it."""
        probe.twist, probe.pieces = None, whole
        places = {Stage.WELCOME: self._new, Stage.LOBBY: self._used}
        place = places.get(probe.session.stage)
        if place is not None and probe.is_listening and self._has_room_for(probe):
            place.append(probe)
        else:
            probe.dismissed.set()

    def _has_room_for(self, probe: Probe) -> bool:
        kept = [*self._new, *self._used, probe]
        return len(kept) <= MOST_KEPT and sum(one.rss_kb or UNKNOWN_KB for one in kept) <= MOST_KEPT_KB

    def start_ahead(self, wanted: int) -> None:
        """Let processes start, until this many are new or on their way, or as many as is sensible."""
        likely_kb = max((one.rss_kb for one in (*self._new, *self._used)), default=0)
        if likely_kb * AHEAD > MOST_KEPT_KB:
            return
        for _ in range(min(wanted, AHEAD) - len(self._new) - self._ahead):
            self._ahead += 1
            self._nursery.start_soon(self._hold_ahead)

    def clear(self) -> None:
        """End all that wait."""
        for probe in (*self._new, *self._used):
            probe.dismissed.set()
        self._new.clear()
        self._used.clear()

    async def _hold(self, task_status: trio.TaskStatus[Probe] = trio.TASK_STATUS_IGNORED) -> None:
        """Start a process, and hold it open until it is dismissed."""
        async with AsyncExitStack() as held:
            async with self._starting:
                probe = await held.enter_async_context(self._opened())
                task_status.started(probe)
                with trio.move_on_after(probe.hello_s):
                    await probe.heard.wait()
            await probe.dismissed.wait()

    async def _hold_ahead(self) -> None:
        try:
            self._new.append(await self._nursery.start(self._hold))
        except LaunchError:
            return  # the exam that needs the process will say so
        finally:
            self._ahead -= 1
