"""Values and counts in messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import SHIPPED, game
from engine.errors import EngineError
from engine.texts import SHOWN, counted, quoted, shown


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "point", "0 points"),
        (1, "point", "1 point"),
        (2, "point", "2 points"),
        (1, "match", "1 match"),
        (1000, "match", "1,000 matches"),
        (-1, "point", "-1 points"),
    ],
)
def test_one_of_a_kind_is_no_plural(number, noun, text):
    assert counted(number, noun) == text


@given(st.text())
def test_what_is_shown_is_short_and_can_be_printed(text):
    for found in (shown(text), quoted(text)):
        assert found.isprintable()
        assert len(found) <= 2 + 10 * SHOWN, "a character is spelled out as \\U0001f995 at most"


def test_what_is_short_and_plain_stays_as_it_is():
    assert (shown("turn=7"), quoted("turn=7")) == ("turn=7", "'turn=7'")
    assert shown("x" * (SHOWN + 1)) == "x" * (SHOWN - 3) + "..."
    assert shown("\x1b]0;owned\x07") == r"\x1b]0;owned\x07"


WORDS = st.one_of(
    st.sampled_from(
        ["basic", "advanced", "summer", "winter", "phase", "hand", "d1", "timeline", "FS", "=", "|", "-", " "]
    ),
    st.text(max_size=200),
)


@pytest.mark.parametrize("name", SHIPPED)
@given(text=st.lists(WORDS, max_size=20).map("".join))
def test_no_position_text_comes_back_as_it_was(name, text):
    complaint = ""
    try:
        game(name).parse(text)
    except EngineError as error:
        complaint = str(error)
    assert complaint.isprintable()
    assert len(complaint) < 2000
