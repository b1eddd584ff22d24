"""Options, player counts and ranks: what all games share."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.contract import Option, changed, check_seats, earlier, plain, ranks, settle, spell, why_not
from engine.draftosaurus import GAME
from engine.errors import SetupError

OPTIONS = {
    "size": Option(6, (6, None), "how large", "X-1"),
    "fast": Option(False, (False, True), "how fast", "X-2"),
    "side": Option("left", ("left", "right"), "which side", "X-3"),
}


def test_what_is_not_given_has_its_default():
    assert settle("nim", OPTIONS, {"size": None}) == {"size": None, "fast": False, "side": "left"}


def test_what_is_not_as_usual_is_listed_in_the_order_of_the_values():
    settled = settle("nim", OPTIONS, {"side": "right", "size": None, "fast": False})
    assert list(changed(OPTIONS, settled).items()) == [("size", None), ("side", "right")]
    assert changed(OPTIONS, settle("nim", OPTIONS, {})) == {}


def test_an_unknown_option_is_named_with_those_that_exist():
    with pytest.raises(
        SetupError, match=r"^nim: unknown option 'sise'\. Did you mean size\? Options: size, fast, side\.$"
    ):
        settle("nim", OPTIONS, {"sise": 6})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"size": 7}, "nim: option size does not take '7'. Allowed: 6, null."),
        ({"fast": 1}, "nim: option fast does not take '1'. Allowed: false, true."),
        ({"size": "6"}, "nim: option size does not take '6'. Allowed: 6, null."),
    ],
)
def test_a_bad_value_is_named_with_those_allowed(given, text):
    with pytest.raises(SetupError) as refusal:
        settle("nim", OPTIONS, given)
    assert str(refusal.value) == text


@pytest.mark.parametrize("option", OPTIONS.values())
def test_values_can_be_written_and_read(option):
    assert [option.read(spell(value)) for value in option.values] == list(option.values)


def test_a_text_that_is_no_value_stays_a_text():
    assert OPTIONS["size"].read("seven") == "seven"


@pytest.mark.parametrize("seats", [1, 6, "3", True])
def test_a_bad_number_of_seats_is_named_with_the_range(seats):
    with pytest.raises(SetupError, match=rf"^nim: {seats} seats? (is|are) not possible, it takes 2 to 5\.$"):
        check_seats("nim", range(2, 6), seats)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [((5, 7, 7), (3, 1, 1)), ((1,), (1,)), ((3, 3, 3), (1, 1, 1)), (((4, -1), (4, -2)), (1, 2))],
)
def test_equal_keys_share_the_better_rank(keys, expected):
    assert ranks(keys) == expected


def test_a_pipe_gets_no_colour():
    assert plain("T", "red") == "T"


def test_a_game_lists_earlier_editions_that_it_can_still_play():
    nim: Any = SimpleNamespace(edition=3, earlier={2: {"size": 5}})
    assert [earlier(nim, edition) for edition in (1, 2, 3, 4)] == [None, {"size": 5}, {}, None]


def test_a_game_need_not_know_earlier_editions():
    nim: Any = SimpleNamespace(edition=2)
    assert [earlier(nim, edition) for edition in (1, 2)] == [None, {}]


def test_a_game_says_why_an_action_is_not_legal():
    state = GAME.parse("summer phase=place die=W | pick=D hand=CCCCC | pick=C hand=DDDDD")
    assert str(why_not(GAME, state, 0, "C@FS")).startswith(
        "seat 0: C@FS is not legal, the dinosaur picked is D (D-08)."
    )
    with pytest.raises(AssertionError, match="draftosaurus applies 'D@FS', which it does not list as legal"):
        why_not(GAME, state, 0, "D@FS")
