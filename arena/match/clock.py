"""The time that a bot may use, and has used: each decision has a free increment, and the bank pays for the rest."""

import time
from dataclasses import dataclass

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
            raise SettingError(f"clock.charge: expected 'wall' or 'cpu', got {self.charge!r:.40}.")

    @property
    def wire(self) -> dict[str, int]:
        """What `start` sends of it."""
        return {"prepare_ms": self.prepare_ms, "bank_ms": self.bank_ms, "increment_ms": self.increment_ms}


CPU_PATIENCE = 4
"""How many times its allowance a bot may take by the wall clock when it is charged for CPU time."""


class Clock:
    """One seat's time in one match."""

    # fmt: off
    __slots__ = (
        "_bank_us", "_increment_us", "_patience", "allowance_us", "bank_ms", "charges_cpu", "increment_ms",
        "patience_s",
    )
    # fmt: on

    def __init__(self, control: TimeControl) -> None:
        self.charges_cpu = control.charge == "cpu"
        self.increment_ms = control.increment_ms
        self._increment_us = control.increment_ms * 1000
        self._patience = (CPU_PATIENCE if self.charges_cpu else 1) * 1e-6
        self._put_in_bank(control.bank_ms * 1000)

    def _put_in_bank(self, bank_us: int) -> None:
        self._bank_us = bank_us
        self.bank_ms = bank_us // 1000
        self.allowance_us = self._increment_us + bank_us
        # How long the referee waits for the next answer, by the wall clock.
        self.patience_s = self.allowance_us * self._patience

    def spend(self, used_us: int) -> bool:
        """Charge a decision. Whether it was in time."""
        over = used_us - self._increment_us
        if over <= 0:
            return True
        left = self._bank_us - over
        self._put_in_bank(max(0, left))
        return left >= 0


def cpu_clock(pid: int) -> float:
    """The CPU seconds that a process has used, all its threads together; 0 when it is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0
