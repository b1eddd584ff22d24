"""Bots come and go: nothing grows, nobody is left, and no two are the same user."""

import os

import pytest

from tests.attacks.theatre import TIERS, play_scene


def test_a_hundred_starts_in_a_row_leave_nothing_behind(user: str, tier: str) -> None:
    found = play_scene(user, tier, "many_starts", starts=100)
    first, *others = found["samples"]
    assert found["changed"] == []
    assert len(others) == 4
    for sample in others:
        assert sample["children"] == []
        assert sample["mounts"] == first["mounts"]
        assert sample["descriptors"] <= 7 + 4, (
            "control, deaths, streams, a network, a control group; four of the one that has just ended"
        )
        assert sample["rss_kb"] < first["rss_kb"] + 1024


def test_when_the_spawner_is_killed_its_bots_die(user: str, tier: str) -> None:
    """In `lite` the parent-death signal has to be asked for again when the bot has got its own user number."""
    assert play_scene(user, tier, "orphans")["gone"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's bots are that user")
@pytest.mark.parametrize("tier", TIERS[1:])
def test_the_bots_of_two_root_arenas_are_four_users(tier: str) -> None:
    """Else they would share one limit of threads, and one bot could keep another arena's from starting."""
    users = play_scene("root", tier, "strangers")["users"]
    assert len(set(users)) == 4
    assert 0 not in users
