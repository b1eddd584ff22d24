"""What hostile bots try in order to have more memory, threads and cores than others, and who stops them.

Where a bot has a control group with controllers, the kernel does; elsewhere it is limits on each process and looks, and
what these cannot see is not promised. So a test asks the match's own layers what to expect. A user is one more here:
the ordinary user to whom root has delegated a control group, where that can be done.
"""

from typing import Any

import pytest

from tests.attacks.test_attacks import TIGHT, check_the_match
from tests.attacks.theatre import DELEGATES, TIERS, USERS, perform, play_scene

STORM = 2000
"""Threads that the attack asks for."""
SPARE = 1024 + 256
"""Tasks that an ordinary user's other programs may start, and how exactly they are counted."""

by_all = pytest.mark.parametrize("user", [*USERS, *DELEGATES])
in_sandboxes = pytest.mark.parametrize("tier", TIERS[1:])


def counts(found: dict[str, Any], controller: str) -> bool:
    return controller in found["resources"]["controllers"]


@by_all
def test_a_bot_has_a_group_of_its_own_exactly_where_the_arena_may_make_groups(user: str, tier: str) -> None:
    found = play_scene(user, tier, "shares")
    has_group = any(layer.split()[0] == "cgroup" for layer in found["layers"])
    may_make = tier != "none" and found["lack"] in (None, "no controllers", "some controllers")
    assert has_group == may_make
    assert user != "delegate" or tier == "none" or has_group
    for group, pid in zip(found["groups"], found["pids"]):
        assert (group is not None) == has_group
        assert not has_group or pid in group, "and it is in it, with its init at most"
        assert not has_group or len(group) == (2 if tier == "full" else 1)
    assert found["left"] == []


@by_all
def test_no_two_bots_compete_for_the_cores_as_one(user: str, tier: str) -> None:
    """Autogroup gives sessions equal shares, and control groups theirs: bots are in different ones of both."""
    found = play_scene(user, tier, "shares")
    assert len(set(found["sessions"])) == 2
    assert found["cores"] != "cgroup" or len({tuple(group) for group in found["groups"]}) == 2


@by_all
def test_a_storm_of_threads_ends_before_anybody_has_to_look(user: str, tier: str) -> None:
    """Only in lite, for an ordinary user without a control group, can it be more than the policy says, for a moment."""
    found = perform(user, tier, "clone_storm", strikes=1)
    check_the_match(found, tier)
    started = int(found["stderr"][1].split()[-1])
    most = found["threads"]
    if tier == "none":
        assert started == STORM
        assert found["faults"] == []
    elif found["faults"]:
        assert (tier, user == "root", counts(found, "pids")) == ("lite", False, False)
        assert started <= most + SPARE < STORM
        assert found["faults"] == [["crash", 1, f"it used more than {most} threads"]]
    else:
        assert started == most


@by_all
def test_socket_buffers_are_the_bots_own_memory_where_a_control_group_counts_it(user: str, tier: str) -> None:
    """The kernel allots them, so no limit on a process and no look at it can see them."""
    found = perform(user, tier, "sockets", **TIGHT)
    check_the_match(found, tier)
    got = found["notes"]["hostile"].get("sockets")
    if got is None:
        assert counts(found, "memory")
        assert found["faults"] == [["crash", 1, "it used more than 64 MB of memory"]]
        assert found["endings"][1] == "used more than 64 MB of memory"
    else:
        assert found["faults"] == []
        assert not counts(found, "memory") or got < 64 + 64 + 16, "that much is its own"
        assert tier != "none" or got > 5, "the control: at least what sockets have by default"


@by_all
@in_sandboxes
def test_the_record_has_the_peak_of_memory_where_a_control_group_counts_it(user: str, tier: str) -> None:
    found = perform(user, tier, "scratch")
    check_the_match(found, tier)
    for peak in found["peaks_kb"]:
        assert (1000 < peak < 400_000) if counts(found, "memory") else peak == 0


@by_all
def test_a_bot_that_another_process_has_killed_is_said_to_be(user: str, tier: str) -> None:
    ended = play_scene(user, tier, "killed")
    assert ended["by_us"] == "was ended by signal 9 (SIGKILL)"
    first, _, rest = ended["by_another"].partition(": ")
    assert first == ended["by_us"]
    assert "out-of-memory killer" in rest
    assert rest.endswith("MB of memory at most" if tier == "none" else "MB of memory at most, and may have 256 MB")


@by_all
@in_sandboxes
def test_a_bot_with_a_group_can_be_frozen_thawed_and_ended_while_it_is_frozen(user: str, tier: str) -> None:
    found = play_scene(user, tier, "frozen")
    if found["cgroup"]:
        assert not found["while_frozen"]
    assert found["said"] == (["one\n", "two\n"] if found["cgroup"] else ["one\n"])
    assert found["ended"] == "was ended by signal 9 (SIGKILL)"


@by_all
@in_sandboxes
def test_only_the_groups_of_dead_spawners_are_swept_away(user: str, tier: str) -> None:
    found = play_scene(user, tier, "stale")
    has_groups = found["before"] == [True, True]
    assert has_groups or found["before"] == [False, False]
    assert found["after"] == [False, has_groups]
    assert found["alive"]
