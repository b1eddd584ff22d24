"""All measurements, by name, and a report of several of them."""

import os
import platform
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from arena.errors import ArenaError
from arena.version import VERSION, make

SHORT: Mapping[str, Mapping[str, int]] = {
    "engine": {"rounds": 3},
    "referee": {"rounds": 3},
    "sandbox": {"rounds": 5},
    "league": {"rounds": 1},
    "kits": {"slices": 3},
    "web": {},
    "start": {"rounds": 3},
    "ratings": {},
    "bots": {"rounds": 2},
}
"""The modules of this package that measure a part, each with its settings for a short measurement: fewer rounds of the
same. A league of 100,000 results cannot be had for less."""


def measure(parts: Mapping[str, Mapping[str, int]], tell: Callable[[str], None]) -> dict[str, Any]:
    """The reports of these parts with these settings, which arena this is, and on which machine.

    `tell` hears the name of each part before it is measured.
    """
    found = {}
    for name, settings in parts.items():
        tell(name)
        found[name] = _measured(name, settings)
    return {"arena": {"version": VERSION, "make": make()}, "machine": machine(), "parts": found}


def _measured(name: str, settings: Mapping[str, int]) -> dict[str, Any]:
    began = time.monotonic()
    try:
        report = import_module(f"arena.bench.{name}").measure(**settings)
    except ArenaError as error:
        report = {"rows": [], "checks": [], "skipped": str(error)}
    return {"seconds": round(time.monotonic() - began, 1), **report}


def machine() -> dict[str, Any]:
    """What the numbers depend on. No name of the machine: a report may be published."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "processor": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
