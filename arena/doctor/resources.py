"""What keeps a bot from more than its share of memory and cores on this machine: control groups, autogroup, or looks.

All of it is data, from facts alone where that can be; arena/cli/doctor.py has the words.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.sandbox import delegation
from arena.sandbox.cgroup import CONTROLLERS, read

FIRST_NAMESPACE = 0xEFFFFFFB
"""The number of the control group namespace that all others come from."""
AUTOGROUP = "/proc/sys/kernel/sched_autogroup_enabled"


class Lack(StrEnum):
    """Why a bot has no control group, or one without all controllers."""

    NO_VERSION_2 = "no version 2"
    NOT_DELEGATED = "not delegated"
    READ_ONLY = "read-only"
    NO_CONTROLLERS = "no controllers"
    SOME_CONTROLLERS = "some controllers"
    OTHER = "other lack"


class CoreShares(StrEnum):
    """What keeps a bot with many busy threads from starving its opponent."""

    CGROUP = "cgroup"
    AUTOGROUP = "autogroup"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Resources:
    """By whom memory, threads and cores are shared out."""

    controllers: tuple[str, ...] = ()
    """Those of the control group that each bot gets."""
    cores: CoreShares = CoreShares.NOTHING
    lack: Lack | None = None


def look(layers: Sequence[str]) -> Resources:
    """What there is here, given the layers that a program in the sandbox has reported."""
    own = next((layer.split()[1:] for layer in layers if layer.split()[0] == "cgroup"), None)
    why = delegation.base()[1]
    return judge(own, why, has_autogroup())


def judge(controllers: Sequence[str] | None, why: str, autogroup: bool) -> Resources:
    """The same from facts: the controllers of a bot's group, None without one, and why there is none."""
    found = tuple(controllers or ())
    cores = CoreShares.CGROUP if "cpu" in found else CoreShares.AUTOGROUP if autogroup else CoreShares.NOTHING
    if set(found) == set(CONTROLLERS):
        return Resources(found, cores)
    if controllers is not None:
        return Resources(found, cores, Lack.SOME_CONTROLLERS if found else Lack.NO_CONTROLLERS)
    return Resources(found, cores, Lack(why) if why in set(Lack) else Lack.OTHER)


def has_autogroup() -> bool:
    """Whether the kernel shares the cores out between sessions, of which each bot has one."""
    if read(AUTOGROUP).strip() != "1":
        return False
    groups = read("/proc/self/cgroup")
    group, _ = delegation.find(groups, read("/proc/self/mountinfo"))
    return reaches_autogroup(groups, os.stat("/proc/self/ns/cgroup").st_ino == FIRST_NAMESPACE, is_weighed(group))


def reaches_autogroup(groups: str, is_first: bool, weighed: bool) -> bool:
    """Autogroup is for processes of no cpu group, given /proc/self/cgroup. A container's own root is a group."""
    lines = (line.split(":", 2) for line in groups.splitlines())
    old = [path for _, controllers, path in lines if "cpu" in controllers.split(",")]
    return is_first and old == ["/"] if old else not weighed


def is_weighed(group: str) -> bool:
    """Whether the cpu controller, of version 2, knows this group or one above it."""
    while len(group) > 1:
        if os.path.exists(f"{group}/cpu.weight"):
            return True
        group = os.path.dirname(group)
    return False
