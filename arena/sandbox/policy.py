"""What a bot may use, and how strong its sandbox is."""

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache


class Tier(StrEnum):
    """How strong the walls are, the strongest last."""

    NONE = "none"
    LITE = "lite"
    FULL = "full"

    def __ge__(self, other: str) -> bool:
        return STRENGTH.index(self) >= STRENGTH.index(Tier(other))


RUNTIMES = {"java": 16, "node": 12, "nodejs": 12, "deno": 12, "bun": 12, "dotnet": 16}
"""Threads that runtimes start by themselves. Measured with two cores: Java with the hints below 14, Node 7, and four
more for its first file; the others get as much. Python, Go, Rust, C, Ruby and PHP need four at most."""

STRENGTH = (Tier.NONE, Tier.LITE, Tier.FULL)
AUTO = "auto"
CHOICES = (AUTO, *(tier.value for tier in reversed(STRENGTH)))
"""What a user can ask for: the best tier that works on this machine, or one tier."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of one bot."""

    memory_mb: int = 256
    cpu_s: int = 3600
    """Over the whole life of the process; the clock of each decision is the referee's."""
    processes: int = 1
    threads: int = 8
    """Beyond one for each core and those that a runtime starts by itself (RUNTIMES)."""
    open_files: int = 256
    file_mb: int = 32
    scratch_mb: int = 64
    scratch_inodes: int = 4096
    freeze: bool = True
    """Whether a bot that owes no answer is stopped while another bot thinks."""

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits for records."""
        return _digest(self)

    def threads_for(self, program: str, cores: int) -> int:
        """The threads that a bot with this program may have. One per core does no harm, and libraries expect it."""
        return self.threads + cores + RUNTIMES.get(program, 0)

    def hints(self) -> dict[str, str]:
        """Environment variables that keep common runtimes within the limits, and Java from writing to stdout."""
        heap = max(16, self.memory_mb // 2)
        java = f"-Xmx{heap}m -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -Xlog:all=warning:stderr"
        java += " -XX:ActiveProcessorCount=2"
        return {
            "JAVA_TOOL_OPTIONS": f"{java} -XX:ReservedCodeCacheSize=32m -XX:CompressedClassSpaceSize=32m",
            "NODE_OPTIONS": f"--max-old-space-size={heap}",
            "GOMEMLIMIT": f"{heap}MiB",
            "GOMAXPROCS": "2",
            "OMP_NUM_THREADS": "2",
            "OPENBLAS_NUM_THREADS": "2",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


@cache
def _digest(policy: Policy) -> str:
    return hashlib.sha256(json.dumps(asdict(policy), sort_keys=True).encode()).hexdigest()[:8]
