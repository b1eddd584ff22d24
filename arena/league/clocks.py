"""The clock of a league: the same for all matches, or scaled by the speed of the host that plays.

A scaled clock gives every bot the same work on every host: all its times are multiplied by 100 / speed, bank and
increment alike, and also those to say hello and to prepare. Each is rounded up to whole milliseconds, so that no time
above zero becomes zero.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from arena.errors import SettingError
from arena.match.clock import MOST_MS, TimeControl
from arena.match.hosts import REFERENCE_SPEED, Host

SCALE = "scale"
"""The key of the tournament file and of the stored setting. It is stored only if it is true, as in older leagues."""
_KEYS = {SCALE, *(field.name for field in fields(TimeControl))}


def scaled(control: TimeControl, host: Host) -> TimeControl:
    """The same clock for a host of this speed."""

    def on_host(ms: int) -> int:
        return min(MOST_MS, -(-ms * REFERENCE_SPEED // host.speed))  # rounded up

    return replace(
        control,
        hello_ms=on_host(control.hello_ms),
        prepare_ms=on_host(control.prepare_ms),
        bank_ms=on_host(control.bank_ms),
        increment_ms=on_host(control.increment_ms),
    )


@dataclass(frozen=True, slots=True)
class LeagueClock:
    """The time that bots have in all matches of a league."""

    control: TimeControl
    """On the reference machine, if it is scaled; else everywhere."""
    is_scaled: bool = False

    def on(self, host: Host) -> TimeControl:
        """The clock of a match on this host."""
        return scaled(self.control, host) if self.is_scaled else self.control

    def plain(self) -> dict[str, Any]:
        """As values that can be sent and stored."""
        return {**asdict(self.control), **({SCALE: True} if self.is_scaled else {})}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "LeagueClock":
        """The clock that `plain` returned. SettingError names a value that no clock can have."""
        if unknown := plain.keys() - _KEYS:
            raise SettingError(f"clock.{min(unknown)}: there is no such key. Keys here: {', '.join(sorted(_KEYS))}.")
        is_scaled = plain.get(SCALE, False)
        if type(is_scaled) is not bool:
            raise SettingError(f"clock.{SCALE}: expected true or false, got {is_scaled!r:.40}.")
        return cls(TimeControl(**{name: value for name, value in plain.items() if name != SCALE}), is_scaled)
