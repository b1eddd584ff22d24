"""The machine that plays a match: its name, its cores and its speed. arena/match/speed.py finds those of this one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field

MOST_WORD = 64
"""Characters of a name; a host name has at most 63."""
MOST_CORES = 1 << 16
REFERENCE_SPEED = 100
"""The speed of the reference machine. One that is twice as fast has 200."""
MOST_SPEED = 100_000

HostWord = Annotated[str, Field(max_length=MOST_WORD)]


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that plays matches. Its texts may come from a stranger: escape them where they are shown."""

    name: HostWord
    cores: Annotated[int, Field(ge=1, le=MOST_CORES)]
    """Those that the arena may use there."""
    speed: Annotated[int, Field(ge=1, le=MOST_SPEED)]
    """Of one core while all are busy; REFERENCE_SPEED is that of the reference machine."""
    python: HostWord
    machine: HostWord
    """The kind of processor, such as x86_64."""
    calibration: Annotated[int, Field(ge=1, le=2**53)]
    """The version of the program that measured the speed. Speeds of different versions cannot be compared."""

    @property
    def id(self) -> str:
        """16 hexadecimal digits that follow from everything else."""
        facts = json.dumps(list(self.plain().values()), separators=(",", ":"))
        return hashlib.sha256(facts.encode()).hexdigest()[:16]

    @property
    def place(self) -> tuple[str, str, int]:
        """What stays the same when it is measured again: name, kind of processor, cores."""
        return self.name, self.machine, self.cores

    def plain(self) -> dict[str, Any]:
        """As values that can be sent and stored, without its id."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "Host":
        """The host that `plain` returned. Values from a file are checked first (arena/league/shapes.py)."""
        return cls(**plain)
