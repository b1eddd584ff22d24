"""Turns on a core: workers that share one play one after the other as long as their bots answer at once.

Two matches at the same time on one core take a quarter more CPU time than one after the other: each message lets the
other one run, which has to fill the caches again. So a worker takes the core's turn before a match, and keeps it for
TURN_S or longer, up to the end of a block. It gives it back before any long wait, because a bot that thinks, starts or
sleeps leaves the core to others, and takes it again before the next match.

A turn is a lock in a file without a name. If a worker ends, however it ends, the kernel unlocks what it held.
"""

import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import trio

from arena.match.clock import now

TURN_S = 0.05
"""How long a worker keeps its turn if it never has to wait."""
CORE, NEXT = 0, 1
"""The bytes of the file that are locked: by the worker that plays, and by the one that is next. Without the second, a
worker that has just ended its turn would mostly take it again, because it runs and the others have to be woken."""


@contextmanager
def turns(places: Sequence[tuple[int, ...]]) -> Iterator[list[int | None]]:
    """For each worker the descriptor of its turn; None if it shares its cores with no other."""
    counts = Counter(places)
    with ExitStack() as stack:
        files = {}
        for cores, count in counts.items():
            if count > 1:
                files[cores] = os.memfd_create("turn")
                stack.callback(os.close, files[cores])
        yield [files.get(cores) for cores in places]


class Turn:
    """The turn of this process on its core, given the descriptor; None: it has the core for itself."""

    def __init__(self, file: int | None) -> None:
        self._file = file
        self._is_ours = file is None
        self._ends = 0.0

    async def take(self) -> None:
        """Wait until it is our turn, if it is not."""
        if not self._is_ours:
            if not (self._is_free(NEXT) and self._is_free(CORE)):
                await trio.to_thread.run_sync(self._queue, abandon_on_cancel=True)
            self._lock(fcntl.LOCK_UN, NEXT)
            self._is_ours = True
            self._ends = now() + TURN_S

    def end_block(self) -> None:
        """Let the next one play if our turn has lasted long enough."""
        if now() > self._ends:
            self.give_back()

    def give_back(self) -> None:
        """Let the next one play. It costs nothing if it was not our turn."""
        if self._is_ours and self._file is not None:
            self._is_ours = False
            self._lock(fcntl.LOCK_UN, CORE)

    def _is_free(self, byte: int) -> bool:
        """Lock it if no other has."""
        try:
            self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB, byte)
        except BlockingIOError:
            return False
        return True

    def _queue(self) -> None:
        self._lock(fcntl.LOCK_EX, NEXT)
        self._lock(fcntl.LOCK_EX, CORE)

    def _lock(self, operation: int, byte: int) -> None:
        assert self._file is not None
        fcntl.lockf(self._file, operation, 1, byte)
