"""Time: what a bot may use, what it has used, and how much of that was the referee's own doing.

Each decision has a free increment; beyond it the bank pays. Times are measured from the referee's write to the arrival
of the last byte of the answer. What the referee itself was late is found in two places, and never charged: the time
that its thread was ready to run and did not (the kernel counts it), and the time that its loop was busy with other
matches when the answer came (DelayWatch).
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import trio

from arena.errors import SettingError

now = time.perf_counter
"""Seconds on the clock that every stamp in the arena is taken from."""


MOST_MS = 2**53
"""The largest number that every language's JSON reads as it is written; 285,000 years."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What a bot may use. `charge` is "wall" or "cpu"; with "cpu" the wall clock is only the last resort.

    SettingError names a value that no clock can have.
    """

    hello_ms: int = 10_000
    prepare_ms: int = 10_000
    bank_ms: int = 10_000
    increment_ms: int = 100
    charge: str = "wall"

    def __post_init__(self) -> None:
        times = {"hello_ms": 1, "prepare_ms": 1, "bank_ms": 0, "increment_ms": 0}
        for name, least in times.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= MOST_MS:
                raise SettingError(
                    f"clock.{name}: expected an integer from {least} to 2^53, got {value!r:.40}. "
                    "Write 2000 for two seconds."
                )
        if self.charge not in ("wall", "cpu"):
            raise SettingError(f"clock.charge: expected 'wall' or 'cpu', got {self.charge!r:.40}. Which time counts?")

    @property
    def wire(self) -> dict[str, int]:
        """What `start` tells of it."""
        return {"prepare_ms": self.prepare_ms, "bank_ms": self.bank_ms, "increment_ms": self.increment_ms}


CPU_PATIENCE = 4
"""How many times its allowance a bot may take by the wall clock when it is charged for CPU time."""


class Clock:
    """One seat's time in one match."""

    __slots__ = ("_bank_us", "_increment_us", "_patience", "bank_ms", "charges_cpu", "increment_ms", "patience_s")

    def __init__(self, control: TimeControl) -> None:
        self.charges_cpu = control.charge == "cpu"
        self.increment_ms = control.increment_ms
        self._increment_us = control.increment_ms * 1000
        self._patience = (CPU_PATIENCE if self.charges_cpu else 1) * 1e-6
        self._put_in_bank(control.bank_ms * 1000)

    def _put_in_bank(self, bank_us: int) -> None:
        self._bank_us = bank_us
        self.bank_ms = bank_us // 1000
        # How long the referee waits for the next answer, by the wall clock.
        self.patience_s = (self._increment_us + bank_us) * self._patience

    def spend(self, used_us: int) -> bool:
        """Book a decision. Whether it was in time."""
        over = used_us - self._increment_us
        if over <= 0:
            return True
        left = self._bank_us - over
        self._put_in_bank(max(0, left))
        return left >= 0


class RunDelay:
    """How long this thread has been ready to run without running, in seconds, as the kernel counts it."""

    def __init__(self) -> None:
        self._fd: int | None = None
        with suppress(OSError):  # a kernel without it: nothing is known, nothing is deducted
            self._fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> float:
        return 0.0 if self._fd is None else int(os.pread(self._fd, 64, 0).split()[1]) * 1e-9

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


BLOCKED_S = 20e-6
"""A wait shorter than this found the news waiting; a longer one was woken by it."""
STOPPED_S = 0.1
"""A wait that goes on for so much longer than it was to is none of ours."""


class DelayWatch(trio.abc.Instrument):
    """Watches trio's loop, and tells how long the news of this turn of the loop may have waited for it."""

    def __init__(self) -> None:
        self._entered = self._woke = self._news = now()
        self._resumed = 0.0

    @contextmanager
    def noticing_stops(self) -> Iterator[None]:
        """Meanwhile, notice when this process goes on after it was stopped, as by Ctrl-Z."""
        if threading.current_thread() is not threading.main_thread():
            yield  # signals are not ours to hear
            return
        before = signal.signal(signal.SIGCONT, lambda _number, _frame: self._go_on())
        try:
            yield
        finally:
            signal.signal(signal.SIGCONT, before)

    def _go_on(self) -> None:
        self._resumed = now()

    def before_io_wait(self, _timeout: float) -> None:
        self._entered = now()

    def after_io_wait(self, timeout: float) -> None:
        woke = now()
        # If the loop did not sleep, the news came at some time since it last looked.
        has_slept = timeout > 0 and woke - self._entered > BLOCKED_S
        self._news = woke if has_slept else self._woke
        if self._resumed > self._entered or woke - self._entered > timeout + STOPPED_S:
            self._news = self._entered  # we were stopped, and know nothing of the time since
        self._woke = woke

    @property
    def news_since(self) -> float:
        """The earliest moment at which what is being handled now can have arrived."""
        return self._news


def cpu_clock(pid: int) -> float:
    """The CPU seconds that a process has used, all its threads together; 0 when it is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0
