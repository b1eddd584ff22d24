"""What this machine has, as tests need it: a test of what is missing is skipped, with the reason.

Only here, so that one look tells what can be missing at all. Where CI is set nothing is skipped (tests/conftest.py).
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from arena.match import tiers
from arena.match.tiers import TIERS, probe
from arena.roster.entries import find
from arena.sandbox import kernel
from arena.sandbox.policy import Policy, Tier
from arena.sandbox.runtime import stand_in


@cache
def why_not(tier: str) -> str | None:
    """Why bots cannot play in a tier here; None: they can."""
    if tier == Tier.NONE:
        return None
    return probe(Tier(tier), Policy())[1]


@cache
def best_tier() -> Tier | None:
    """What `--sandbox auto` chooses."""
    return next((tier for tier in TIERS if why_not(tier) is None), None)


@cache
def why_no_sandbox() -> str | None:
    """Why a Python bot of our own has no sandbox here; None: it has one."""
    return "no sandbox works here" if best_tier() is None else tiers.why_no_sandbox(find("greedy"))


def at_best() -> str:
    """The sandbox for bots that tests bring along: the best there is. They are ours, so elsewhere they need none."""
    return "none" if why_no_sandbox() else "auto"


def let_our_bots_play(setenv: Callable[[str, str], None]) -> None:
    """Where no sandbox works, commands play the bots of a test without one, by their variables for --sandbox."""
    for command in ("ASK", "CHECK", "DUEL", "PLAY", "TRACE", "TUNE"):
        setenv(f"ARENA_{command}_SANDBOX", at_best())


@contextmanager
def somebody_else() -> Iterator[None]:
    """Root may read and write everything, so be another user for a while if we are root."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)
        if me == 0:  # who changes users hides what is in /proc of it, in a container also from itself
            kernel.prctl("dumpable", kernel.PR_SET_DUMPABLE, 1)


def is_confined() -> bool:
    """Whether this process is held back itself, as in a container: by a filter, or by no_new_privs."""
    status = Path("/proc/self/status").read_text()
    return "NoNewPrivs:\t1" in status or "Seccomp:\t0" not in status


def need_freedom() -> None:
    """Skip the control of an attack where the host stops it without our help."""
    if is_confined():
        pytest.skip("this process is held back itself, so the control of an attack shows nothing")


def bot_python() -> str:
    """Our interpreter, as a bot in the best tier can reach it, also by way of another program."""
    return stand_in(sys.executable) if os.geteuid() == 0 and best_tier() is Tier.LITE else sys.executable


def need_tier(tier: str) -> None:
    """Skip the test if bots cannot play in this tier here."""
    if reason := why_not(tier):
        pytest.skip(f"tier {tier} does not work here: {reason}")


def need_sandbox() -> None:
    """Skip the test if no tier works here."""
    if reason := why_no_sandbox():
        pytest.skip(reason)


def need_program(name: str) -> str:
    """Where a program is; skip the test if it is missing."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is missing")
    return found


def need_browser() -> str:
    """Where Chromium is; skip the test if it is missing."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("Chromium is missing")


def need_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can do this")


def is_reachable(path: Path) -> bool:
    """Whether every user may read it."""
    folders = path.resolve().parents
    return all(folder.stat().st_mode & 0o001 for folder in folders) and bool(path.stat().st_mode & 0o004)


needs_sandbox = pytest.mark.usefixtures("sandbox")
"""For tests of strangers' bots: the fixture skips them where no tier works."""
