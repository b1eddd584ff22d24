"""What the spawner ends a bot for where no control group counts: the numbers of /proc, at each limit and above it."""

from types import SimpleNamespace
from typing import cast

import pytest

from arena.sandbox import spawner
from arena.sandbox.cgroup import SLACK_MB
from arena.sandbox.spawner import Child, excess

CELL = {"memory_mb": 256, "scratch_mb": 64, "threads": 10, "processes": 1}
MEGA = 1 << 10
"""Of kilobytes."""
MOST = (256 + SLACK_MB) * MEGA


def child(**limits: int) -> Child:
    """A bot, as far as its limits need one."""
    return cast(Child, SimpleNamespace(cell=CELL | limits, bot=1))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({}, ""),
        ({"RssAnon": MOST}, ""),
        ({"RssAnon": MOST + MEGA}, "256 MB of memory"),
        ({"RssAnon": MOST - 2 * MEGA, "VmSwap": MEGA, "VmPTE": MEGA}, ""),
        ({"RssAnon": MOST - 2 * MEGA, "VmSwap": 2 * MEGA, "VmPTE": MEGA}, "256 MB of memory"),
        ({"RssShmem": MOST + 64 * MEGA}, ""),
        ({"RssShmem": MOST + 65 * MEGA}, "256 MB of memory"),
        ({"RssAnon": MOST, "RssShmem": 64 * MEGA}, ""),
        ({"RssAnon": MOST, "RssShmem": 65 * MEGA}, "256 MB of memory"),
        ({"Threads": 11}, ""),
        ({"Threads": 12}, "10 threads"),
    ],
)
def test_a_bot_may_have_just_what_its_limits_say(found, words, monkeypatch):
    monkeypatch.setattr(spawner, "status_of", lambda _pid: found)
    assert excess(child()) == words


def test_what_the_processes_of_a_bot_have_counts_together(monkeypatch):
    monkeypatch.setattr(spawner, "family_of", lambda _pid, _processes: [1, 2])
    monkeypatch.setattr(spawner, "status_of", lambda _pid: {"RssAnon": MOST // 2 + MEGA})
    assert excess(child(processes=2)) == "256 MB of memory"
