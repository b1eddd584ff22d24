"""The time that a bot may use, and the clocks that it is measured with. arena/match/bank.py keeps the account."""

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


def cpu_clock(pid: int) -> float:
    """The CPU seconds that a process has used, all its threads together; 0 when it is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0
