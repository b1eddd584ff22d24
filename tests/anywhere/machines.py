"""The matrix: every machine that a visitor may have, as far as one machine can pretend to be it.

A machine is a checkout, a user, what is taken away (flags of container.py), an environment, and what `look.py` must
find in it. What it expects is what makes it this machine; a simulation that does nothing is found out by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tests.anywhere import debian
from tests.anywhere.debian import SYSTEM_PATH
from tests.anywhere.pythons import ORDINARY, OWN, VERSIONS, Host

ODD_NAME = "jurský park – 恐竜"
"""A folder's name with spaces and letters of more than one script."""


class Who(StrEnum):
    """Whose machine it is."""

    STARTER = "starter"
    """Whoever runs this."""
    ROOT = "root"
    ORDINARY = "ordinary"


class Checkout(StrEnum):
    """Which copy of the project is used; others are named by the version of their Python."""

    OWN = "own"
    """The starter's, with the Python that runs this."""
    OPEN = "open"
    """An ordinary user's, with a Python that every user can start."""
    ODD = "odd"
    """Like the starter's, in a folder called ODD_NAME."""
    BARE_ROOT = "bare-root"
    """Root's in a bare system (debian.py)."""
    BARE_USER = "bare-user"
    """An ordinary user's there."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A row of the matrix."""

    name: str
    expects: Mapping[str, Any]
    """What `look.py` has to find, by its keys."""
    who: Who = Who.STARTER
    checkout: str = Checkout.OWN
    flags: tuple[str, ...] | None = None
    """Of container.py; None: it is not used."""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    """What differs from the usual; None: not set."""
    has_toolchains: bool = True
    skip: str = ""
    """Why it is not tried here."""


CONTAINER = {"new_namespaces": "EPERM", "has_sys_admin": False}
NO_LANDLOCK = {"landlock": "ENOSYS", "doctor_landlock": 0}
NO_SECCOMP = {"filter_by_prctl": "EINVAL", "filter_by_seccomp": "ENOSYS", "doctor_seccomp": False}
NO_SANDBOX = {"tier": None}
NO_TOOLS = {"toolchains": [], "doctor_toolchains": ["python3", "make"]}


def container(name: str, who: Who, expects: Mapping[str, Any], *flags: str, checkout: str = Checkout.OPEN) -> Machine:
    """A machine that is a container, and may lack more than that."""
    return Machine(name, {**CONTAINER, **expects}, who, checkout, flags)


TABLE = (
    container("container, root", Who.ROOT, {}),
    container("container, user", Who.ORDINARY, {}),
    container("container, root, private Python", Who.ROOT, {}, checkout=Checkout.OWN),
    container("no Landlock, root", Who.ROOT, NO_LANDLOCK | NO_SANDBOX, "--no-landlock"),
    container("no Landlock, user", Who.ORDINARY, NO_LANDLOCK | NO_SANDBOX, "--no-landlock"),
    container("no seccomp, user", Who.ORDINARY, NO_SECCOMP | NO_SANDBOX, "--no-seccomp"),
    container(
        "no Landlock, no seccomp, root",
        Who.ROOT,
        NO_LANDLOCK | NO_SECCOMP | NO_SANDBOX,
        "--no-landlock",
        "--no-seccomp",
    ),
    Machine("host without Landlock", NO_LANDLOCK, Who.ORDINARY, Checkout.OPEN, ("--host", "--no-landlock")),
    Machine("one core", {"cores": 1, "doctor_cores": 1}, flags=("--host", "--cores", "1")),
    Machine("no compiler", NO_TOOLS, has_toolchains=False),
    Machine("no HOME", {"home": None}, Who.ORDINARY, Checkout.OPEN, ("--host",), {"HOME": None}),
    Machine(
        "LC_ALL=C, TERM=dumb",
        {"locale": "C", "term": "dumb"},
        environment={"LC_ALL": "C", "LANG": None, "TERM": "dumb"},
    ),
    Machine("spaces and letters in paths", {"is_folder_odd": True}, checkout=Checkout.ODD),
)

BARE = {"is_bare": True, **NO_TOOLS}
DEBIAN = (
    Machine("bare Debian, root", BARE, Who.ROOT, Checkout.BARE_ROOT, environment={"PATH": SYSTEM_PATH}),
    Machine("bare Debian, user", BARE, Who.ORDINARY, Checkout.BARE_USER, environment={"PATH": SYSTEM_PATH}),
)
"""These take minutes to make."""


def matrix(host: Host) -> list[Machine]:
    """All machines, those that cannot be tried here with the reason."""
    versions = [Machine(f"Python {version}", {"python": version}, checkout=_of(version)) for version in VERSIONS]
    return [settled(machine, host) for machine in (*versions, *TABLE)]


def bare_systems(host: Host) -> list[Machine]:
    """Those that need a system of their own."""
    reason = debian.why_not()
    return [replace(settled(machine, host), skip=reason) for machine in DEBIAN]


def _of(version: str) -> str:
    return Checkout.OWN if version == OWN else version


def settled(machine: Machine, host: Host) -> Machine:
    """The machine as it is tried on this host: who it really is, what of that is expected, and why it is left out."""
    is_root = host.is_root and machine.who is not Who.ORDINARY
    flags = machine.flags
    if flags is not None and host.is_root and not is_root:
        flags = ("--user", str(ORDINARY), *flags)
    return replace(
        machine,
        expects={"is_root": is_root, **machine.expects},
        flags=flags,
        checkout=machine.checkout if host.is_root or machine.checkout != Checkout.OPEN else Checkout.OWN,
        skip=why_not(machine, host),
    )


def why_not(machine: Machine, host: Host) -> str:
    """Why a machine cannot be tried here; empty if it can."""
    if machine.checkout not in list(Checkout) and not host.pythons.get(machine.checkout):
        return f"no Python {machine.checkout} found"
    if machine.flags is not None and host.cannot_simulate:
        return host.cannot_simulate
    if machine.who is Who.ROOT and not host.is_root:
        return "not started by root"
    if machine.checkout == Checkout.OPEN and host.open_python is None:
        return "no Python that an ordinary user could start"
    if machine.name.endswith("private Python") and host.open_python == host.own_python:
        return "every user can start this Python"
    return ""
