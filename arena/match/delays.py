"""How late the referee itself was. Times are measured from its write to the arrival of the last byte of the answer.

The referee can be late in two ways (DelayWatch): its thread was ready to run and did not, which the kernel counts,
after the answer woke it; or its loop was busy with other matches when the answer came. A bot is not charged for this
time where others had the cores (arena/match/cores.py).
"""

import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import trio

from arena.match.clock import now


class RunDelay:
    """How long this thread has been ready to run without running, in seconds, as the kernel counts it."""

    def __init__(self) -> None:
        self._fd: int | None = None
        with suppress(OSError):  # a kernel without it: no delay is known, and none is deducted
            self._fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> float:
        return 0.0 if self._fd is None else int(os.pread(self._fd, 64, 0).split()[1]) * 1e-9

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


BLOCKED_S = 20e-6
"""If a wait is shorter than this, the news was there before it; the news usually ends a longer one."""
BUSY_S = 0.001
"""After this much work that is not certain enough, and we ask the kernel whether the thread has slept."""
SHORT_S = 0.0005
"""The delay of a shorter wait does not matter, and reading it takes time."""
BRIEF_S, RECENT_S = 0.001, 0.05
"""Before a wait that is at most so brief, a reading of the run delay that is so recent will do. It takes longer to read
than an answer. What has been added since then can be taken for a delay of this wait, but never more than the wait."""
STOPPED_S = 0.1
"""If a wait overruns its timeout by this much, and not for want of a core, the process was suspended."""


class DelayWatch(trio.abc.Instrument):
    """Watches trio's loop, and knows how long the news of this turn of the loop may have waited for it.

    Only the wake-up that brought the news counts. A bot can wake the loop as often as it likes, so the sum of the
    delays of all wake-ups says nothing about one answer.
    """

    def __init__(self, run_delay: RunDelay) -> None:
        self._run_delay = run_delay
        self._entered = self._woke = self._news = now()
        self._ready_s = 0.0
        """The run delay when the loop went to sleep, or a moment before."""
        self._last_s, self._last_at = 0.0, -RECENT_S
        """The last reading of it."""
        self._switches: int | None = None
        """How often the thread had slept before the wait, if that is worth asking."""
        self._resumed = 0.0
        self.paused_s = 0.0
        """For how long the process was stopped in total."""
        self.conversations = 0
        """How many there are. The only one may wait outside the loop for a moment (arena/match/conversation.py)."""

    @contextmanager
    def noticing_stops(self) -> Iterator[None]:
        """In this block, notice when this process continues after it was stopped, as by Ctrl-Z."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread receives signals
            return
        before = signal.signal(signal.SIGCONT, lambda _number, _frame: self._go_on())
        try:
            yield
        finally:
            signal.signal(signal.SIGCONT, before)

    def _go_on(self) -> None:
        self._resumed = now()

    def before_io_wait(self, timeout: float) -> None:
        self._entered = now()
        if timeout > 0:
            if timeout > BRIEF_S or self._entered - self._last_at > RECENT_S:
                self._read()
                self._entered = now()
            self._ready_s = self._last_s
        self._switches = _sleeps() if self._entered - self._woke > BUSY_S else None

    def after_io_wait(self, timeout: float) -> None:
        woke = now()
        slept = woke - self._entered
        behind = 0.0
        if timeout > 0 and slept > SHORT_S:
            self._read()
            behind = self._last_s - self._ready_s
            if timeout <= BRIEF_S and behind > slept:
                behind = slept
        # If the loop did not sleep, the news came at some time since it last looked.
        has_slept = slept > BLOCKED_S if self._switches is None else _sleeps() > self._switches
        self._news = woke - behind if timeout > 0 and has_slept else self._woke
        if self._resumed > self._entered or slept - behind > timeout + STOPPED_S:
            self._news = self._entered  # we were stopped, and know nothing about the time since
            self.paused_s += slept
        self._woke = woke

    def _read(self) -> None:
        self._last_s, self._last_at = self._run_delay.read(), now()

    @property
    def news_since(self) -> float:
        """The earliest moment at which what is being handled now can have arrived."""
        return self._news

    def queued_s(self) -> float:
        """For how long, at most, our thread has waited for a core since then; otherwise it was working."""
        return self._run_delay.read() - self._ready_s


def _sleeps() -> int:
    """How often this thread has slept, that is, given up its core because there was nothing to do."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
