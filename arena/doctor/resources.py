"""What limits a bot's memory and cores on this machine: control groups, autogroup, or regular checks.

All of it is data, from facts alone where possible; arena/cli/doctor.py has the words.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.sandbox import delegation
from arena.sandbox.cgroup import CONTROLLERS, read

FIRST_NAMESPACE = 0xEFFFFFFB
"""The inode of the initial control group namespace."""
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
    """What stops a bot with many busy threads from starving its opponent."""

    CGROUP = "cgroup"
    AUTOGROUP = "autogroup"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Resources:
    """What divides memory, threads and cores among bots."""

    controllers: tuple[str, ...] = ()
    """Of the control group that each bot gets."""
    cores: CoreShares = CoreShares.NOTHING
    lack: Lack | None = None


def look(layers: Sequence[str]) -> Resources:
    """What this machine has, given the layers that a program in the sandbox reported."""
    own = next((layer.split()[1:] for layer in layers if layer.split()[0] == "cgroup"), None)
    why = delegation.base()[1]
    return judge(own, why, has_autogroup())


def judge(controllers: Sequence[str] | None, why: str, autogroup: bool) -> Resources:
    """The same from facts: the controllers of a bot's group (None without a group), and why there is none."""
    found = tuple(controllers or ())
    cores = CoreShares.CGROUP if "cpu" in found else CoreShares.AUTOGROUP if autogroup else CoreShares.NOTHING
    if set(found) == set(CONTROLLERS):
        return Resources(found, cores)
    if controllers is not None:
        return Resources(found, cores, Lack.SOME_CONTROLLERS if found else Lack.NO_CONTROLLERS)
    return Resources(found, cores, Lack(why) if why in set(Lack) else Lack.OTHER)


def has_autogroup() -> bool:
    """Whether the kernel divides the cores among sessions; each bot has its own."""
    if read(AUTOGROUP).strip() != "1":
        return False
    groups = read("/proc/self/cgroup")
    group, _ = delegation.find(groups, read("/proc/self/mountinfo"))
    return reaches_autogroup(groups, os.stat("/proc/self/ns/cgroup").st_ino == FIRST_NAMESPACE, is_weighed(group))


def reaches_autogroup(groups: str, is_first: bool, weighed: bool) -> bool:
    """Whether autogroup applies: only to processes outside every cpu group. A container's own root is a group."""
    lines = (line.split(":", 2) for line in groups.splitlines())
    old = [path for _, controllers, path in lines if "cpu" in controllers.split(",")]
    return is_first and old == ["/"] if old else not weighed


def is_weighed(group: str) -> bool:
    """Whether the cpu controller (version 2) is on for this group or one above it."""
    while len(group) > 1:
        if os.path.exists(f"{group}/cpu.weight"):
            return True
        group = os.path.dirname(group)
    return False
