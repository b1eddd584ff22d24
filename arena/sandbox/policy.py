"""What a bot may use, and which walls have to stand."""

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum


class Tier(StrEnum):
    """How strong the walls are, the strongest last."""

    NONE = "none"
    LITE = "lite"
    FULL = "full"

    def __ge__(self, other: str) -> bool:
        return STRENGTH.index(self) >= STRENGTH.index(Tier(other))


STRENGTH = (Tier.NONE, Tier.LITE, Tier.FULL)


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of one bot."""

    memory_mb: int = 256
    cpu_s: int = 3600
    """Over the whole life of the process; the clock of each decision is the referee's."""
    processes: int = 1
    threads: int = 64
    open_files: int = 256
    file_mb: int = 32
    scratch_mb: int = 64
    scratch_inodes: int = 4096

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits for records."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:8]

    def hints(self) -> dict[str, str]:
        """What keeps common runtimes within the limits, and the Java machine from talking on stdout."""
        heap = max(16, self.memory_mb // 2)
        java = f"-Xmx{heap}m -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -Xlog:all=warning:stderr"
        return {
            "JAVA_TOOL_OPTIONS": f"{java} -XX:ReservedCodeCacheSize=32m -XX:CompressedClassSpaceSize=32m",
            "NODE_OPTIONS": f"--max-old-space-size={heap}",
            "GOMEMLIMIT": f"{heap}MiB",
            "GOMAXPROCS": "2",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
