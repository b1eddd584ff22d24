"""Positions of Dinodocus as text: what is written is read back, and what is impossible is refused in words."""

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dinodocus import GAME
from engine.dinodocus.cards import canonical
from engine.errors import NotationError

D1, D2 = "d1=H07,A15,P12,T09", "d2=H01,A08,P15,T15"
TWO = f"| {D1} | {D2}"


@pytest.mark.parametrize(
    "text",
    [
        f"basic phase=mutate {TWO}",
        f"basic turn=7 current=1 phase=mutate discards=H03,A05 next=9 rebuilt=0,1,0,2 | hand=H04,A02 {D1}/3/fern/closed timeline=d3:3,d6:2 | {D2}/2/bonus",
        f"basic turn=4 phase=carn | {D1}/fern | {D2}".replace(D1, "d1=H06,A15,P12,T09/fed d3=H04,A07,P06,T07/starving d4=H05,A04,P08,T14").replace("/fern", ""),
        f"basic phase=card draw=P {TWO}",
        f"basic phase=react focus=d2 discards=T01 | hand=A02 {D1} | hand=T04 d2=H01,A08,P15,T15/closed",
        f"basic real_bonus=true phase=bonus focus=d1 maker=0 | d1=H01,A01,P01,T01 | {D2}".replace("H01,A08", "H02,A08"),
        f"advanced phase=offer window=mutate round=2 | hand=H02 {D1} | hand=A02,A03 shown=A03 offer=A02 hidden=2 {D2}",
        f"advanced phase=answer window=react focus=d2 | hand=A02 offer=A02 {D1} | {D2}/closed",
        "basic turn=0 current=1 phase=flip | d1=H07,A15,P12,T09 | -",
        "basic turn=0 current=1 phase=first start_tie=random | d1=H12,A11,P14,T05 | d2=H15,A13,P11,T12",
        f"basic phase=alloc periods=1 | {D1}/fern d3=H08,A01,P01,T01/fern | {D2}",
        f"basic | {D1}/5 timeline=d7:4 | {D2}",
        f"basic turn_cap=50 carn_duty=own_optional phase=draw {TWO}",
    ],
)  # fmt: skip
def test_a_position_is_read_back_as_it_was_written(text):
    state = GAME.parse(text)
    assert GAME.parse(GAME.format(state)) == state
    assert GAME.format(GAME.parse(GAME.format(state))) == GAME.format(state)


def test_cards_may_stand_in_any_order():
    assert GAME.parse(f"basic phase=mutate | hand=T01,A02,H03 {D1} | {D2}") == GAME.parse(
        f"basic phase=mutate | hand=H03,A02,T01 {D1} | {D2}"
    )


def test_what_is_usual_is_left_out():
    assert GAME.format(GAME.parse(f"basic turn=1 current=0 phase=mutate {TWO}")) == f"basic phase=mutate {TWO}"


def test_a_deck_of_ones_own_is_part_of_the_position():
    deck = json.loads(files("engine.dinodocus").joinpath("decks/house-60.json").read_text())
    deck["label"] = "one | of my own"
    start = GAME.start(2, {"deck": json.dumps(deck, indent=2)})
    assert GAME.parse(GAME.format(start)) == start
    assert GAME.format(start).count("|") == 2


REFUSED = {
    "chess | - | -": "head: a position begins with basic or advanced, not 'chess'",
    f"basic | {D1}": "1 seat is not possible: write 2 to 6 parts",
    f"basic deck=house-61 {TWO}": "head: dinodocus: option deck: the text is not JSON",
    f"basic turn_cap=7 {TWO}": "option turn_cap does not take '7'",
    f"basic phase=lunch {TWO}": "phase=lunch: expected one of flip, first, discard",
    f"basic turn {TWO}": "'turn' is not written as key=value",
    f"basic turn=1 turn=2 {TWO}": "turn is given twice",
    f"basic turn=301 phase=mutate {TWO}": "turn=301: expected a number from 0 to 300",
    f"basic turn=٣ phase=mutate {TWO}": "turn=٣: expected a number",
    f"basic turn=01 phase=mutate {TWO}": "turn=01: expected a number",
    f"basic current=2 phase=mutate {TWO}": "current=2: expected a number from 0 to 1",
    f"basic fern=2 phase=mutate {TWO}": "fern=2 has no place here, expected turn, current",
    f"basic draw=H phase=mutate {TWO}": "draw=H has no place here",
    f"basic phase=mutate | fern=1 {D1} | {D2}": "seat 0: fern=1 has no place here, expected hand",
    f"basic phase=mutate | hand=H99 {D1} | {D2}": "hand=H99: 'H99' is not a card of this deck",
    f"basic phase=mutate | hand=A02,A02 {D1} | {D2}": "A02 appears twice",
    f"basic phase=mutate discards=H07 {TWO}": "H07 appears twice",
    f"basic phase=mutate | hand=A02 shown=A03 {D1} | {D2}": "shown: these cards must be in the hand, too",
    f"basic phase=mutate | hand=A02 offer=A02 {D1} | {D2}": "cards are on offer in the phases offer and answer only",
    f"basic rebuilt=1 {TWO}": "rebuilt=1: expected four numbers",
    f"basic | timeline=d3 {D1} | {D2}": "timeline=d3: expected dinosaurs and their period cards",
    f"basic | timeline=d3:0 {D1} | {D2}": "timeline=d3:0: expected dinosaurs",
    f"basic | timeline=d2:2 {D1} | {D2}": "a dinosaur appears twice",
    f"basic | timeline=d3:20 {D1}/6 | {D2}": "1 period card too many, the deck began with 25 (N-04)",
    f"basic periods=26 {TWO}": "periods=26: expected a number from 0 to 25",
    f"basic next=2 {TWO}": "next=2: expected a number from 3",
    f"basic | hidden=1 {D1} | {D2}": "hidden=1: expected a number from 0 to 0",
    f"basic | d1=H07,A15,P12 | {D2}": "a dinosaur is a head, front legs, back legs and a tail",
    f"basic | d1=H07,A15,P12,P13 | {D2}": "a dinosaur is a head",
    f"basic | {D1}/big | {D2}": "'big' has no place here, expected period cards, then fern, bonus",
    f"basic | {D1}/fern/fern | {D2}": "'fern' has no place here",
    f"basic | {D1}/closed | {D2}": "'closed' has no place here",
    f"basic | {D1} | {D2}/fern": "a carnivore holds no fern (N-31)",
    f"basic phase=carn | {D1}/fed | {D2}": "only carnivores of the current player are fed or starving",
    f"basic phase=carn | {D1} | {D2}/starving": "only carnivores of the current player are fed or starving",
    f"basic | d0=H07,A15,P12,T09 | {D2}": "d0=H07,A15,P12,T09 has no place here",
    "basic | d1=H07,A01,P01,T01/fern d2=H08,A02,P02,T02/fern d3=H09,A03,P03,T03/fern | d4=H10,A04,P04,T04/fern d5=H11,A05,P05,T05/fern": "there are more than 4 ferns (N-03)",
    f"basic phase=mutate periods=0 {TWO}": "without period cards the game is over (N-53)",
    f"basic turn=0 phase=mutate {TWO}": "turn=0 is the set-up",
    f"basic turn=0 phase=flip {TWO}": "in the set-up the seats before the current one have a dinosaur each",
    f"basic phase=flip {TWO}": "a player who has a dinosaur does not flip one (N-11)",
    f"basic phase=first {TWO}": "this is the end of the set-up",
    f"basic turn=0 current=1 phase=first {TWO}": "no other seat has a dinosaur as weak as this (N-06)",
    f"basic phase=draw | hand=A01,A02,A03,A04,A05 {D1} | {D2}": "a hand of 5 or more draws nothing (N-13)",
    f"basic phase=card {TWO}": "draw=: expected one of H, A, P, T in this phase",
    f"basic phase=card draw=Q {TWO}": "draw=Q: expected one of H, A, P, T",
    f"basic phase=bonus focus=d1 {TWO}": "the bonus is for real dinosaurs, with real_bonus=true (N-26)",
    f"basic phase=bonus real_bonus=true focus=d1 {TWO}": "the bonus is for real dinosaurs",
    "basic phase=bonus real_bonus=true focus=d1 maker=2 | d1=H01,A01,P01,T01 | - | -": "the maker is the current player or the owner",
    f"basic phase=bonus focus=d9 {TWO}": "focus=d9: expected one of d1, d2",
    f"basic phase=offer window=mutate | {D1} | hand=A02 {D2}": "cards are offered in the advanced game only (N-60)",
    f"advanced phase=offer | {D1} | hand=A02 {D2}": "window=: expected one of turn, mutate, react",
    f"advanced phase=offer window=mutate round=3 | {D1} | hand=A02,A03 offer=A03 {D2}": "round=3: expected a number from 1 to 2",
    f"advanced phase=offer window=mutate offer_rounds=1 round=2 | {D1} | hand=A02,A03 offer=A03 {D2}": "round=2: expected a number from 1 to 1",
    f"advanced phase=offer window=react focus=d1 | {D1} | hand=A02 {D2}": "players do not react to their own change (N-25)",
    f"advanced phase=offer window=mutate | hand=A02 offer=A02 {D1} | hand=A03 {D2}": "players do not offer cards to themselves (N-63)",
    f"advanced phase=answer window=mutate | {D1} | hand=A02 {D2}": "no card is on offer",
    f"advanced phase=offer window=mutate {TWO}": "phase=offer, but no seat has a decision to make",
    f"basic phase=react focus=d1 | hand=A02 {D1} | {D2}": "players do not react to their own change (N-25)",
    f"basic phase=react focus=d2 | hand=A02 {D1} | {D2}": "the owner has no cards to react with (N-25)",
    f"basic phase=alloc {TWO}": "no choice: 25 period cards for 1 dinosaur (N-53)",
    f"basic phase=herb | {D1}/fern | {D2}": "phase=herb, but no seat has a decision to make",
    f"basic phase=carn {TWO}": "phase=carn, but no seat has a decision to make",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_impossible_is_refused_in_words(text):
    with pytest.raises(NotationError) as refusal:
        GAME.parse(text)
    assert REFUSED[text] in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_flip_from_an_empty_deck_is_impossible():
    heads = ",".join(f"H{number:02}" for number in range(2, 16))
    with pytest.raises(NotationError, match=r"a deck is empty \(M-04\)"):
        GAME.parse(f"basic current=0 phase=flip discards={heads} | - | {D2}")


def test_a_card_from_an_empty_deck_is_impossible():
    heads = ",".join(f"H{number:02}" for number in range(2, 16))
    with pytest.raises(NotationError, match=r"the deck is empty \(N-14\)"):
        GAME.parse(f"basic phase=card draw=H discards={heads} | - | {D2}")


def test_a_text_with_more_dinosaurs_than_cards_is_refused_before_they_are_read():
    """To read 99,999 of them took 48 s, for the time grew with their square."""
    dinos = " ".join(f"d{number}=H07,A15,P12,T09/closed" for number in range(1, 100_000))
    with pytest.raises(
        NotationError, match=r"^seat 1: the table has 99,999 dinosaurs, the deck has cards for 15 \(N-20\)\.$"
    ):
        GAME.parse(f"basic phase=mutate | - | {dinos}")


def test_all_dinosaurs_that_a_deck_can_make_may_be_on_the_table():
    dinos = " ".join(f"d{number}=H{number:02},A{number:02},P{number:02},T{number:02}" for number in range(1, 16))
    assert len(GAME.parse(f"basic phase=mutate | {dinos} | -").dinos) == 15


def great_deck(size: int) -> str:
    """So many cards of each part, as a position has them."""
    values = {"attack": 1, "defence": 1, "refs": [], "syllable": "x"}
    cards = [
        {"id": f"{part}{number}", "part": part, **values, **({"diet": "H"} if part == "H" else {})}
        for part in "HAPT"
        for number in range(1, size + 1)
    ]
    return canonical(json.dumps({"format": 1, "species": [], "cards": cards}))


def test_a_hand_that_can_hatch_in_too_many_ways_is_refused():
    hand = ",".join(f"{part}{number}" for part in "HAPT" for number in range(1, 18))
    with pytest.raises(
        NotationError, match=r"phase=mutate: more than 65,536 choices\. Make the hand or the table smaller"
    ):
        GAME.parse(f"basic phase=mutate deck={great_deck(17)} | hand={hand} | -")


def test_last_period_cards_that_can_be_given_in_too_many_ways_are_refused():
    dinos = " ".join(f"d{number}=H{number},A{number},P{number},T{number}" for number in range(1, 21))
    with pytest.raises(
        NotationError, match=r"phase=alloc: more than 65,536 choices\. Make the hand or the table smaller"
    ):
        GAME.parse(f"basic phase=alloc periods=10 deck={great_deck(20)} | {dinos} | -")


def test_a_card_is_on_offer_once_however_often_it_is_named():
    text = f"advanced phase=answer window=mutate | {D1} | hand=A02 offer={{}} {D2}"
    assert GAME.parse(text.format("A02,A02")) == GAME.parse(text.format("A02"))


@given(st.text("basicdvne =|/,:-d1234HAPT07fr", max_size=80))
def test_any_text_is_a_position_or_a_notation_error(text):
    check_text(text)


def check_text(text: str) -> None:
    """It is a position that is written as it was read, or a notation error."""
    try:
        state = GAME.parse(text)
    except NotationError:
        return
    assert GAME.parse(GAME.format(state)) == state


@given(st.text("mutaeofrcwi =|/,:-d1234HAPT0579", max_size=60), st.integers(0, 120))
def test_any_change_of_a_position_is_a_position_or_a_notation_error(text, at):
    whole = f"advanced turn=4 phase=mutate discards=T01 | hand=A02 {D1}/2 timeline=d4:3 | hand=P02 {D2}/closed"
    check_text(whole[:at] + text + whole[at + len(text) :])
