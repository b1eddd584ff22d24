"""What a seat may know of Dinodocus, and what it may not. The conformance kit looks at every state besides."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import CHANCE
from engine.dice import Seed
from engine.dinodocus import GAME
from engine.dinodocus.state import State
from engine.errors import NotationError
from engine.playouts import at_random, steps

D1, D2, D3 = "d1=H07,A15,P12,T09", "d2=H02,A08,P15,T15", "d3=H10,A14,P13,T03"
DRAW = f"basic phase=card draw=A | hand=H01 {D1} | {D2} | {D3}"


def seen(state: State, viewer: int | None) -> str:
    return json.dumps(GAME.view(state, viewer))


@pytest.mark.rule("N-12", "M-19")
@pytest.mark.parametrize("options", ["", "hand_parts_public=false "])
def test_nobody_else_learns_which_card_was_drawn(options):
    before = GAME.parse(DRAW.replace("basic ", f"basic {options}"))
    first, second = (GAME.apply(before, {CHANCE: card}) for card in ("A05", "A06"))
    for viewer in (1, 2, None):
        assert GAME.events(before, first, viewer) == GAME.events(before, second, viewer)
        assert seen(first, viewer) == seen(second, viewer)
        assert "A05" not in json.dumps(GAME.events(before, first, viewer))
    assert GAME.events(before, first, 0)[0]["card"] == "A05"


@pytest.mark.rule("M-19")
def test_the_deck_of_a_draw_is_public_only_by_the_option():
    before = GAME.parse(DRAW)
    assert GAME.events(before, GAME.apply(before, {CHANCE: "A05"}), 1)[0]["part"] == "A"
    hushed = GAME.parse(DRAW.replace("basic ", "basic hand_parts_public=false "))
    assert GAME.events(hushed, GAME.apply(hushed, {CHANCE: "A05"}), 1)[0]["part"] is None
    assert GAME.view(hushed, 1)["hand_parts"] is None
    assert GAME.view(hushed, 1)["draw"] is None
    assert GAME.view(hushed, 0)["draw"] == "A"


@pytest.mark.rule("N-60")
def test_an_offer_is_seen_when_all_have_offered_and_remembered_as_long_as_the_card_is_in_a_hand():
    before = GAME.parse(f"advanced phase=offer window=mutate | {D1} | hand=A02 {D2} | hand=T05 {D3}")
    after = GAME.apply(before, {1: "give:A02", 2: "pass"})
    assert GAME.view(before, 2)["shown"] == [[], [], []]
    assert GAME.view(after, 2)["shown"] == [[], ["A02"], []]
    assert GAME.view(after, 2)["offers"] == [{"seat": 1, "card": "A02"}]
    refused = GAME.parse(f"advanced phase=answer window=mutate | {D1} | hand=A02 offer=A02 {D2} | hand=T05 {D3}")
    assert GAME.view(GAME.apply(refused, {0: "no:A02"}), 2)["shown"] == [[], ["A02"], []]
    assert GAME.view(GAME.apply(refused, {0: "yes:A02"}), 2)["shown"] == [["A02"], [], []]


@pytest.mark.rule("N-62", "M-18")
def test_hidden_period_cards_are_known_to_their_owner_alone_until_the_end():
    text = f"advanced phase=mutate | hidden=2 {D1} | hidden=3 {D2} | {D3}"
    state = GAME.parse(text)
    assert [GAME.view(state, viewer)["hidden"] for viewer in (0, 1, None)] == [
        [2, None, None],
        [None, 3, None],
        [None, None, None],
    ]
    assert GAME.view(GAME.parse(text.replace("phase=mutate ", "")), None)["hidden"] == [2, 3, 0]


@pytest.mark.rule("M-18")
def test_answers_are_told_to_all_or_to_those_concerned():
    text = f"advanced phase=answer window=mutate | {D1} | hand=A02 offer=A02 {D2} | hand=T05 {D3}"
    before = GAME.parse(text)
    after = GAME.apply(before, {0: "yes:A02"})
    told = {"event": "accept", "seat": 1, "to": 0, "card": "A02"}
    assert all(GAME.events(before, after, viewer)[0] == told for viewer in (0, 1, 2, None))
    before = GAME.parse(text.replace("advanced ", "advanced help_events_public=false "))
    after = GAME.apply(before, {0: "yes:A02"})
    assert all(told in GAME.events(before, after, viewer) for viewer in (0, 1))
    assert not any(told in GAME.events(before, after, viewer) for viewer in (2, None))


@given(st.integers(0, 2**32), st.booleans())
def test_a_card_that_nobody_showed_is_in_no_message_to_others(seed, advanced):
    dice = Seed(seed)
    before = GAME.start(3, {"advanced": advanced})
    for step, (_, state) in enumerate(steps(GAME, before, dice, at_random(dice))):
        names = state.setup.cards.names
        secret = set(names(state.hands[0])) - set(names(state.shown))
        told = json.dumps([{**GAME.view(state, 1), "cards": None}, GAME.legal(state, 1), GAME.events(before, state, 1)])
        assert not [card for card in secret if f'"{card}"' in told or f":{card}" in told or f",{card}" in told]
        before = state
        if step > 80:
            break


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("decks", {"H": 15, "A": 12, "P": 12, "T": 12}, "this view has 15 cards in deck H, but only 12 are left"),
        ("hand_parts", [{"H": 9, "A": 0, "P": 0, "T": 0}] * 3, "more cards in hands than are left"),
    ],
)
def test_a_view_that_cannot_be_is_refused(field, value, words):
    view = GAME.view(GAME.parse(f"basic phase=mutate | {D1} | {D2} | {D3}"), None)
    with pytest.raises(NotationError, match=words):
        GAME.determinize({**view, field: value}, Seed(0))
