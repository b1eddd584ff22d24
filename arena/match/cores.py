"""Who used the cores while an answer was due, and for how much of that time the bot is not responsible.

Theory of operation. The kernel knows for each process the CPU time that it has used, for each thread how long it was
ready to run and did not, and for each core how long it was idle. Two readings make a Usage: who had the cores between
them. What the bots of the table and this process did not use, others did.

A bot that waits for a core cannot think, and the wall clock goes on. A bot can inflate how long it has waited: if it
has many threads, nearly all of them wait nearly always. It cannot inflate how long others had the cores. So it gets
back what it waited, but no more than the time for which others can have held all the cores. On a machine where only its
own threads run, that is nothing. If it has answered, it gets back at least the time for which they held all
the cores for certain: then it could not think, and a wait may be missing from the kernel's count.
"""

import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from arena.match.clock import cpu_clock, now

BY_USE, FREE, REFEREE = "auto", "free", "referee"
AFFINITIES = (BY_USE, FREE, REFEREE)
"""Where bots may run: as arena/match/placement.py decides, on all cores, or on the core of the referee."""
PASSES = 8
"""How often the threads of a process are listed when it is moved, because it may start new ones meanwhile."""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
"""The unit in which the kernel counts idle time."""
RECENT_S: Final = 0.05
BY_FAR = 1.5
"""A bot that used this many times its share of the cores is a suspect."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the kernel has counted up to a moment, in seconds. By bot: 0 for one without a process."""

    at: float
    idle_s: float
    stolen_s: float
    arena_s: float
    bots_s: tuple[float, ...]
    waited_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Who had the cores for some time, in seconds."""

    wall_s: float
    cores: int
    others_s: float
    """CPU time of all but the bots of the table and the arena."""
    bots_s: tuple[float, ...]
    waited_s: tuple[float, ...]
    """For how long the threads of each bot were ready to run and did not, all threads together."""
    paused_s: float = 0.0
    """For how long the whole arena was stopped."""


def between(before: Reading, after: Reading, cores: int, paused_s: float = 0.0, ready: Collection[int] = ()) -> Usage:
    """Who had the cores from one reading to the next.

    The kernel counts a wait when it is over. For bots that are ready to run, by index, all the time may be one wait.
    What the host of a virtual machine took from its cores, it may have taken while this bot had them.
    """
    wall_s = after.at - before.at
    bots_s = tuple(max(0.0, late - early) for early, late in zip(before.bots_s, after.bots_s))
    stolen_s = after.stolen_s - before.stolen_s
    used_s = cores * wall_s - (after.idle_s - before.idle_s)
    others_s = used_s - sum(bots_s) - (after.arena_s - before.arena_s)
    waited_s = [max(0.0, late - early) + stolen_s for early, late in zip(before.waited_s, after.waited_s)]
    for bot in ready:
        waited_s[bot] = max(waited_s[bot], wall_s - bots_s[bot])
    return Usage(wall_s, cores, max(0.0, others_s), bots_s, tuple(waited_s), paused_s)


def held_s(usage: Usage, seat: int) -> float:
    """For how long others than this bot can have held all the cores."""
    others_s = usage.others_s + sum(usage.bots_s) - usage.bots_s[seat]
    return min(usage.wall_s, others_s / usage.cores)


def kept_s(usage: Usage, seat: int) -> float:
    """For how long others kept this bot from thinking."""
    return min(usage.wall_s, usage.paused_s + min(usage.waited_s[seat], held_s(usage, seat)))


def barred_s(usage: Usage) -> float:
    """For how long others held all the cores for certain, so that no bot could think, whatever it did."""
    return usage.paused_s + max(0.0, usage.others_s - (usage.cores - 1) * usage.wall_s)


def suspects(usage: Usage) -> tuple[int, ...]:
    """The seats that used far more than their share of the cores: at least one whole core, if there are two."""
    share_s = usage.wall_s * max(usage.cores / len(usage.bots_s), min(1.0, usage.cores / 2))
    return tuple(seat for seat, used_s in enumerate(usage.bots_s) if used_s > BY_FAR * share_s)


class CoreCounters:
    """Some cores of this machine, and what the kernel counts for them."""

    def __init__(self, cpus: Sequence[int]) -> None:
        self.count = max(1, len(cpus))
        self._names = frozenset(b"cpu%d" % cpu for cpu in cpus)
        self._pids: Sequence[int | None] = ()
        self._last = Reading(0.0, 0.0, 0.0, 0.0, (), ())
        self._fd: int | None = None
        with suppress(OSError):  # a system without it: nothing is known, and no time is given back
            self._fd = os.open("/proc/stat", os.O_RDONLY | os.O_CLOEXEC)

    def recent(self, pids: Sequence[int | None]) -> Reading:
        """A recent reading of these bots: a new one takes as long as a decision of a fast bot."""
        if pids != self._pids or now() - self._last.at > RECENT_S:
            self._pids, self._last = pids, self.read(pids)
        return self._last

    def read(self, pids: Sequence[int | None]) -> Reading:
        """Of these bots, and now."""
        idle_s, stolen_s = self._idle_and_stolen()
        return Reading(
            now(),
            idle_s,
            stolen_s,
            time.process_time(),
            tuple(cpu_clock(pid) if pid else 0.0 for pid in pids),
            tuple(waited_s(pid) if pid else 0.0 for pid in pids),
        )

    def _idle_and_stolen(self) -> tuple[float, float]:
        """Idle time is exact. Time in use is counted by samples, and a bot can choose when it is idle."""
        if self._fd is None:
            return now() * self.count, 0.0
        lines = (line.split() for line in os.pread(self._fd, 1 << 16, 0).split(b"\n"))
        counts = [words for words in lines if words and words[0] in self._names]
        idle = sum(int(words[4]) + int(words[5]) for words in counts)
        return idle * TICK_S, sum(int(words[8]) for words in counts) * TICK_S

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def waited_s(pid: int) -> float:
    """How long the threads of a process have been ready to run without running, all together; 0 when it is gone."""
    return sum(int(text.split()[1]) for text in _of_threads(pid, "schedstat")) * 1e-9


def is_ready(pid: int) -> bool:
    """Whether a thread of a process runs, or would if there was a core."""
    return any(text.rpartition(b")")[2].split()[0] == b"R" for text in _of_threads(pid, "stat"))


def current_core() -> int | None:
    """The core on which this thread runs now; None if nothing says so."""
    with suppress(OSError):
        fd = os.open("/proc/thread-self/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return int(os.read(fd, 1024).rpartition(b")")[2].split()[36])
        finally:
            os.close(fd)
    return None


def move(pid: int, cores: Sequence[int]) -> bool:
    """Let all threads of a process, and of its children, run on these cores only. Whether that was possible."""
    moved: set[str] = set()
    for _ in range(PASSES):
        new = _family(pid) - moved
        if not new:
            return bool(moved)
        for thread in new:
            try:
                os.sched_setaffinity(int(thread), cores)
            except ProcessLookupError:
                continue  # it has just ended
            except OSError:
                return False
        moved |= new
    return False  # it starts threads faster than they can be moved


def _family(pid: int) -> set[str]:
    """The threads of a process and of all its descendants."""
    found = set[str]()
    processes = [str(pid)]
    for process in processes:  # the loop comes to the children too
        with suppress(OSError):
            threads = os.listdir(f"/proc/{process}/task")
            found.update(threads)
            for thread in threads:
                processes += _children(process, thread)
    return found


def _children(process: str, thread: str) -> list[str]:
    """The processes that a thread has started; none if the thread has ended, or the kernel does not list them."""
    try:
        with open(f"/proc/{process}/task/{thread}/children", "rb", buffering=0) as file:
            return file.read().decode().split()
    except OSError:
        return []


def _of_threads(pid: int, name: str) -> Iterator[bytes]:
    """This file of /proc for each thread, as far as they are still there."""
    with suppress(OSError):
        folder = f"/proc/{pid}/task"
        # The folder has a link for each thread, and two more. Not to list it saves a fifth.
        threads = [str(pid)] if os.stat(folder).st_nlink == 3 else os.listdir(folder)
        for thread in threads:
            with suppress(OSError):
                fd = os.open(f"{folder}/{thread}/{name}", os.O_RDONLY | os.O_CLOEXEC)
                try:
                    text = os.read(fd, 1024)
                finally:
                    os.close(fd)
                yield text
