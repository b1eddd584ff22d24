"""Whether two machines run the same arena: the same version, and the same source files.

Checkouts of one version can differ, and a result must not depend on the machine that played it.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.version import VERSION

PACKAGES = ("arena", "engine", "protocol")


@dataclass(frozen=True, slots=True)
class Arena:
    """Which arena is installed."""

    version: str
    source: str
    """A digest of its source files."""


@cache
def this_arena() -> Arena:
    root, state = Path(__file__).parents[2], hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        state.update(b"%s\0%s\0" % (path.relative_to(root).as_posix().encode(), path.read_bytes()))
    return Arena(VERSION, state.hexdigest()[:16])


def difference(there: Arena) -> str | None:
    """Why the arena of another machine is not this one; None: it is the same."""
    here = this_arena()
    if there.version != here.version:
        return f"it has arena {there.version}, and this machine has {here.version}. Install the same version there."
    if there.source != here.source:
        return f"its arena {there.version} has other source files. Install the same revision on both machines."
    return None
