"""What bots try with the clock: have a match called off, think at a lower price, or work while another one thinks."""

import pytest

from tests.attacks.test_attacks import KILLED, check_the_match, in_sandboxes
from tests.attacks.theatre import perform, perform_once

HURRY = {"clock": {"bank_ms": 500, "increment_ms": 100}, "strikes": 1}
SLOW = {"witness": "witness,slow"}


def test_noise_does_not_save_a_bot_that_does_not_answer(user: str, tier: str) -> None:
    """Once, and not again if the machine was busy: there are no two ways about it."""
    found = perform_once(user, tier, "crowd_and_stay_silent", **HURRY)
    check_the_match(found, tier)
    assert [kind for kind, _, _ in found["faults"]] == ["late", "strikes"]


def test_noise_makes_thinking_no_cheaper(user: str, tier: str) -> None:
    attacks = ["crowd_and_think"] * 5
    found = perform_once(user, tier, *attacks)
    check_the_match(found, tier)
    assert found["faults"] == []
    charged, truth = found["used_us"][: len(attacks)], found["thought_us"]
    assert len(truth) == len(attacks)
    assert sum(charged) >= 0.9 * sum(truth), f"{charged} for {truth}"


UNASKED = ("leave_threads_behind", "longest_rest")
REST_S = 0.5
"""While the opponent thinks for 0.8 s: threads that may run rest for less, and those that may not for more."""


def test_a_bot_that_is_not_asked_does_not_work_in_the_sandbox(user: str, tier: str) -> None:
    found = perform(user, tier, *UNASKED, **SLOW)
    check_the_match(found, tier)
    assert found["faults"] == []
    assert (found["notes"]["hostile"]["longest_rest"] > REST_S) == (tier != "none")


@in_sandboxes
def test_a_policy_can_let_bots_work_while_they_are_not_asked(user: str, tier: str) -> None:
    found = perform(user, tier, *UNASKED, policy={"freeze": False}, **SLOW)
    check_the_match(found, tier)
    assert found["notes"]["hostile"]["longest_rest"] < REST_S


@in_sandboxes
@pytest.mark.parametrize("attack", ["stop", "stubborn"])
def test_a_bot_that_was_frozen_can_be_ended(user: str, tier: str, attack: str) -> None:
    """It is frozen while the slow one thinks, thawed for a question that it does not answer, and killed."""
    found = perform(user, tier, "who_am_i", "who_am_i", attack, **SLOW, **HURRY)
    check_the_match(found, tier)
    assert [kind for kind, _, _ in found["faults"]] == ["late", "strikes"]
    assert found["endings"][1] in KILLED
