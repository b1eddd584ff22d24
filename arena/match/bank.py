"""The time that a bot has left: each decision has a free increment, and the bank pays for the rest."""

from typing import Final

from arena.match.clock import TimeControl

CPU_PATIENCE: Final = 4
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
