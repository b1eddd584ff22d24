"""What this machine has for the arena: facts, sandbox tiers, attacks on the best of them, toolchains, disk space.

All of it is data; arena/cli/doctor.py has the words. `inspect_machine` looks at the real machine. CAUSES decides why a
tier is refused, from facts alone, so that tests can try any machine on any other.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from arena.doctor.canaries import Flight, fly
from arena.doctor.resources import Resources, look
from arena.errors import LaunchError
from arena.match.hosts import Host
from arena.match.launch import FIRST_UID, SpawnerLauncher, usable_cpus
from arena.match.speed import this_host
from arena.match.tiers import TIERS, probe
from arena.sandbox import landlock, seccomp
from arena.sandbox.policy import Policy, Tier
from arena.sandbox.runtime import is_system
from arena.texts import without_escapes

LEAST_KERNEL = (5, 14)
"""From this version on, Linux limits the processes of each user namespace."""
VERSION_S = 5.0
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
HARMLESS = "/proc/sys/fs/binfmt_misc"
"""Systemd mounts this on every host; it does not hide anything."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides whether a sandbox can be built here."""

    system: str = "linux"
    """As in sys.platform."""
    machine: str = "x86_64"
    kernel: str = "6.8.0"
    is_root: bool = False
    has_bot_uids: bool = True
    """Whether the user ids that a root arena gives to bots exist here."""
    is_container: bool = False
    is_proc_masked: bool = False
    sysctl: Mapping[str, int | None] = field(default_factory=dict)
    """Those of SYSCTLS that the kernel has."""
    seccomp: str | None = None
    """Why there are no system call filters, if there are none."""
    landlock_abi: int = 7
    landlock: str | None = None
    """Why Landlock cannot be used, if it cannot."""

    @property
    def kernel_version(self) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", self.kernel)[:2])


class Cause(StrEnum):
    """Why a tier is missing."""

    SYSTEM = "system"
    MACHINE = "machine"
    SECCOMP = "seccomp"
    ROOTLESS = "rootless"
    OLD_KERNEL = "old kernel"
    CONTAINER_ROOT = "container root"
    NO_USER_NAMESPACES = "no user namespaces"
    USERNS_CLONE = "userns clone"
    APPARMOR = "apparmor"
    MASKED_PROC = "masked proc"
    CONTAINER = "container"
    OLD_LANDLOCK = "old landlock"
    LANDLOCK_OFF = "landlock off"
    NO_LANDLOCK = "no landlock"
    OTHER = "other"


Applies = Callable[[Facts, str], bool]
"""Whether a cause explains why a tier is refused, given the facts and the error of the attempt."""

EVERY_TIER: Mapping[Cause, Applies] = {
    Cause.SYSTEM: lambda facts, _: facts.system != "linux",
    Cause.MACHINE: lambda facts, _: facts.machine not in seccomp.MACHINES,
    Cause.SECCOMP: lambda facts, _: facts.seccomp is not None,
    Cause.ROOTLESS: lambda facts, _: facts.is_root and not facts.has_bot_uids,
}
CAUSES: Mapping[Tier, Mapping[Cause, Applies]] = {
    Tier.FULL: {
        **EVERY_TIER,
        Cause.OLD_KERNEL: lambda facts, _: facts.kernel_version < LEAST_KERNEL,
        Cause.CONTAINER_ROOT: lambda facts, said: facts.is_root and "namespaces" in said,
        Cause.NO_USER_NAMESPACES: lambda facts, _: _refuses(facts, "user.max_user_namespaces", 0),
        Cause.USERNS_CLONE: lambda facts, _: _refuses(facts, "kernel.unprivileged_userns_clone", 0),
        Cause.APPARMOR: lambda facts, _: _refuses(facts, "kernel.apparmor_restrict_unprivileged_userns", 1),
        Cause.MASKED_PROC: lambda facts, said: facts.is_proc_masked and "/proc:" in said,
        Cause.CONTAINER: lambda facts, _: facts.is_container,
        Cause.OTHER: lambda _, __: True,
    },
    Tier.LITE: {
        **EVERY_TIER,
        Cause.OLD_LANDLOCK: lambda facts, _: 0 < facts.landlock_abi < landlock.LEAST_ABI,
        Cause.LANDLOCK_OFF: lambda facts, _: "lsm=" in (facts.landlock or ""),
        Cause.NO_LANDLOCK: lambda facts, _: facts.landlock is not None,
        Cause.OTHER: lambda _, __: True,
    },
}
"""For each tier its possible causes: the first one that applies must be fixed first."""
SYSCTLS = (
    "kernel.apparmor_restrict_unprivileged_userns",
    "kernel.unprivileged_userns_clone",
    "user.max_user_namespaces",
)


def _refuses(facts: Facts, name: str, value: int) -> bool:
    """Whether this setting stops ordinary users from creating namespaces."""
    return not facts.is_root and facts.sysctl.get(name) == value


def diagnose(tier: Tier, facts: Facts, said: str) -> Cause:
    """Why a tier is missing, given the error of the attempt to use it."""
    return next(cause for cause, applies in CAUSES[tier].items() if applies(facts, said))


@dataclass(frozen=True, slots=True)
class TierReport:
    """Whether a tier works here: the layers that a program in it reported, or the error and its cause."""

    tier: Tier
    works: bool
    layers: tuple[str, ...] = ()
    said: str = ""
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A compiler, a runtime or a browser, and the version that it prints, if it is installed."""

    name: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Disk:
    """Where records go."""

    folder: Path
    free_mb: int
    is_seen_by_bots: bool


@dataclass(frozen=True, slots=True)
class MachineReport:
    """Everything that was found."""

    python: str
    is_venv: bool
    cores: int
    user: str
    facts: Facts
    tiers: tuple[TierReport, ...]
    flight: Flight | None
    tools: tuple[Tool, ...]
    browser: Tool
    disk: Disk
    resources: Resources | None = None
    """Of bots in the chosen tier, if there is one."""
    host: Host | None = None
    """This machine as leagues store it, if its speed can be measured."""

    @property
    def auto(self) -> Tier | None:
        """The tier that `--sandbox auto` chooses."""
        return best(self.tiers)

    @property
    def is_well(self) -> bool:
        """Whether strangers' bots can play here."""
        return self.flight is not None and self.flight.all_held


def best(tiers: Sequence[TierReport]) -> Tier | None:
    """The best tier that works."""
    return next((report.tier for report in tiers if report.works), None)


def inspect_machine(folder: Path) -> MachineReport:
    """Inspect this machine, for an arena that keeps its records in this folder."""
    facts = gather()
    running = {name: _ask(words) for name, words in {**TOOLS, "browser": BROWSER}.items()}
    tiers = tuple(_try(tier, facts) for tier in TIERS)
    chosen = next((report for report in tiers if report.works), None)
    flight = fly(SpawnerLauncher(chosen.tier, layers=chosen.layers)) if chosen else None
    tools = {name: Tool(name, _version(process)) for name, process in running.items()}
    return MachineReport(
        python=platform.python_version(),
        is_venv=sys.prefix != sys.base_prefix,
        cores=len(usable_cpus()) or os.cpu_count() or 1,
        user=_user(),
        facts=facts,
        tiers=tiers,
        flight=flight,
        browser=tools.pop("browser"),
        tools=tuple(tools.values()),
        disk=Disk(folder, shutil.disk_usage(folder).free >> 20, is_system(folder)),
        resources=look(chosen.layers) if chosen else None,
        host=_host(),
    )


def _host() -> Host | None:
    with suppress(LaunchError):
        return this_host()
    return None


def _try(tier: Tier, facts: Facts) -> TierReport:
    """Run a real program in this tier: what it reports counts more than the facts."""
    if facts.system != "linux":
        return TierReport(tier, False, cause=diagnose(tier, facts, ""))
    layers, said = probe(tier, Policy())
    if said is None:
        return TierReport(tier, True, tuple(layers))
    return TierReport(tier, False, said=said, cause=diagnose(tier, facts, said))


# Facts


def gather() -> Facts:
    """The facts of this machine."""
    name = platform.uname()
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if sys.platform != "linux":
        return Facts(sys.platform, name.machine, name.release, is_root)
    return Facts(
        system=sys.platform,
        machine=name.machine,
        kernel=name.release,
        is_root=is_root,
        has_bot_uids=maps_uid(_read("/proc/self/uid_map"), FIRST_UID),
        is_container=any(os.path.exists(path) for path in CONTAINER_MARKS),
        is_proc_masked=masks_proc(_read("/proc/self/mountinfo")),
        sysctl={name: _sysctl(name) for name in SYSCTLS},
        seccomp=seccomp.is_possible(),
        landlock_abi=landlock.abi(),
        landlock=landlock.is_possible(),
    )


def maps_uid(uid_map: str, uid: int) -> bool:
    """Whether a user id exists, given /proc/self/uid_map: lines of first, first outside, count."""
    ranges = [tuple(map(int, line.split())) for line in uid_map.splitlines()]
    return any(first <= uid < first + count for first, _, count in ranges)


def masks_proc(mountinfo: str) -> bool:
    """Whether a mount covers a part of /proc, given /proc/self/mountinfo."""
    points = [line.split()[4] for line in mountinfo.splitlines()]
    return any(point.startswith("/proc/") and not point.startswith(HARMLESS) for point in points)


def _sysctl(name: str) -> int | None:
    text = _read(f"/proc/sys/{name.replace('.', '/')}").strip()
    return int(text) if text.isdigit() else None


def _read(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_text("utf-8", "replace")
    return ""


def _user() -> str:
    import pwd

    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_name
    return str(os.geteuid())


# Toolchains

TOOLS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "python3": (("python3", "--version"),),
    "node": (("node", "--version"),),
    "npm": (("npm", "--version"),),
    "cc": (("cc", "--version"),),
    "c++": (("c++", "--version"),),
    "make": (("make", "--version"),),
    "java": (("java", "-version"),),
    "javac": (("javac", "-version"),),
    "mvn": (("mvn", "--version"),),
    "go": (("go", "version"),),
    "rustc": (("rustc", "--version"),),
    "cargo": (("cargo", "--version"),),
}
BROWSER = tuple((name, "--version") for name in ("chromium", "chromium-browser", "google-chrome", "chrome"))
Asked = subprocess.Popen[str]


def _ask(commands: Sequence[Sequence[str]]) -> Asked | None:
    """Start the first of these commands that is installed."""
    for words in commands:
        if shutil.which(words[0]):
            with suppress(OSError):
                return subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
    return None


def _version(process: Asked | None) -> str | None:
    """The first line that it prints, if it succeeds. Java's is on stderr; Chromium's stderr has only warnings."""
    if process is None:
        return None
    try:
        out, err = process.communicate(timeout=VERSION_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    said = out.strip() or err.strip()
    return without_escapes(said.splitlines()[0]) if said and process.returncode == 0 else None
