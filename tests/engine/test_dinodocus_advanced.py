"""The advanced game: who may offer a card to whom and when, answers, and the hidden period cards that help earns."""

from collections.abc import Mapping

import pytest

from engine.dinodocus import GAME
from engine.errors import ActionError, IllegalAction, MalformedAction
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
    GREEN_3_4,
    GREEN_3_5,
    GREEN_4_2,
    GREEN_6_1,
    RED_4_2,
    Move,
    body,
    course,
    dinos,
    happened,
    legal,
    phase,
    play,
    refusal,
    seen,
)


def window(text: str, *moves: Move) -> tuple[object, ...]:
    """Phase, window, round, receiver and who acts."""
    state = play(text, *moves)
    return *(seen(state, key) for key in ("phase", "window", "round", "receiver")), GAME.to_act(state)


def hand(text: str, *moves: Move, seat: int = 0) -> list[str]:
    return seen(play(text, *moves), "hands", seat)[seat]


def hidden(text: str, *moves: Move) -> list[int]:
    """How many hidden period cards each player has."""
    state = play(text, *moves)
    return [seen(state, "hidden", seat)[seat] for seat in range(seen(state, "seats"))]


# Windows


@pytest.mark.rule("N-60", "M-16")
def test_others_may_offer_cards_before_the_first_action_of_the_mutation() -> None:
    table = f"| hand=A01,A02,A03,A04 d1={GREEN_0_7} | hand=H01 d2={GREEN_1_3} | hand=T04 d3={GREEN_3_4}"
    assert window(f"advanced turn=5 phase=draw {table}", "w:A", "A06") == ("offer", "mutate", 1, 0, (1, 2))
    assert phase(f"basic turn=5 phase=draw {table}", "w:A", "A06") == "mutate"


@pytest.mark.rule("N-60", "M-16")
def test_others_may_offer_cards_before_every_further_action_also_the_end() -> None:
    text = f"advanced turn=5 phase=mutate | hand=H08,A01,A02,P02,T10 d1={GREEN_0_7} | hand=H01 d2={GREEN_1_3}"
    assert window(text, "mod:d1:A01") == ("offer", "mutate", 1, 0, (1,))
    assert phase(text, "mod:d1:A01", "pass") == "mutate"
    assert window(text, "mod:d1:A01", "pass", "hatch:H08,A02,P02,T10") == ("offer", "mutate", 1, 0, (1,))
    assert legal(text, "mod:d1:A01", "pass", "hatch:H08,A02,P02,T10", "pass") == ("end",)


@pytest.mark.rule("N-60")
def test_who_has_no_card_is_not_asked_for_one() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | d2={GREEN_1_3} | hand=T04 d3={GREEN_3_4}"
    assert window(text, "mod:d1:A01") == ("offer", "mutate", 1, 0, (2,))


@pytest.mark.rule("N-60")
def test_nobody_is_asked_when_no_other_player_has_a_card() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | d2={GREEN_1_3} | d3={GREEN_3_4}"
    assert phase(text, "mod:d1:A01") == "mutate"


@pytest.mark.rule("N-60")
def test_after_a_modification_everybody_else_may_offer_a_card_to_the_owner() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3} | hand=T10 d3={GREEN_3_4} | hand=H01 d4={GREEN_6_1}"
    assert window(text, "mod:d2:A01") == ("offer", "react", 1, 1, (0, 2, 3))
    assert seen(play(text, "mod:d2:A01"), "focus") == "d2"


@pytest.mark.rule("N-60")
def test_after_a_modification_of_an_own_dinosaur_there_is_no_owner_to_help() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3} | hand=T10 d3={GREEN_3_4}"
    assert window(text, "mod:d1:A01") == ("offer", "mutate", 1, 0, (1, 2))


@pytest.mark.rule("N-60", "N-25")
def test_the_reaction_follows_the_offers_to_the_owner_and_then_the_offers_to_the_current_player() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3}"
    states = course(text, "mod:d2:A01", "pass", "pass", "pass")
    assert [(seen(state, "phase"), seen(state, "window"), GAME.to_act(state)) for state in states] == [
        ("mutate", None, (0,)),
        ("offer", "react", (0,)),
        ("react", None, (1,)),
        ("offer", "mutate", (1,)),
        ("mutate", None, (0,)),
    ]


@pytest.mark.rule("N-26", "N-60")
def test_the_bonus_for_a_real_dinosaur_comes_before_the_offers_to_its_owner() -> None:
    text = f"advanced turn=5 phase=mutate real_bonus=true | hand=T02,T13 d1={GREEN_0_7} | hand=A03 d2=H13,A05,P14,T01"
    states = course(text, "mod:d2:T13", "bonus", "pass")
    assert [seen(state, "phase") for state in states] == ["mutate", "bonus", "offer", "react"]
    assert seen(states[2], "window") == "react"


@pytest.mark.rule("M-16")
def test_there_are_no_offers_at_the_start_of_a_turn() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3}"
    assert phase(text, "end") == "discard"


@pytest.mark.rule("M-16")
def test_offers_may_be_allowed_at_the_start_of_a_turn_before_the_discards() -> None:
    text = f"advanced turn=5 phase=mutate offer_windows=mutate_and_turn_start | hand=A01 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3} | hand=T10 d3={GREEN_3_4}"
    assert window(text, "end") == ("offer", "turn", 1, 1, (0, 2))
    assert phase(text, "end", {0: "pass", 2: "pass"}) == "discard"
    moves: list[Move] = ["end", {0: "give:A01", 2: "pass"}, "pass", "yes:A01"]
    assert phase(text, *moves) == "discard"
    assert legal(text, *moves) == ("d:A01", "d:T04", "ok")


@pytest.mark.rule("M-16", "N-11")
def test_offers_at_the_start_of_a_turn_come_after_the_flip() -> None:
    text = f"advanced turn=5 phase=mutate offer_windows=mutate_and_turn_start | hand=A01 d1={GREEN_0_7} | -"
    assert phase(text, "end") == "flip"
    assert window(text, "end", f"flip:{GREEN_1_3}") == ("offer", "turn", 1, 1, (0,))


@pytest.mark.rule("M-24")
@pytest.mark.parametrize("windows", ["mutate", "mutate_and_turn_start"])
def test_nobody_offers_a_card_between_discards_and_draws_nor_while_dinosaurs_feed(windows: str) -> None:
    """Others hold cards all the time, but between these steps only the current player and chance act."""
    text = f"advanced turn=5 phase=discard offer_windows={windows} | hand=A01,A02,A03,A12 d1={GREEN_3_5} d2=H01,A08,P15,T15 | hand=T04 d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5=H12,A07,P07,T14/fern d6={GREEN_6_1}/fern"
    states = course(text, "d:A01", "ok", "w:H", "H02", "w:A", "A06", "pass", "end", "steal:d1:d3", "eat:d2:d3")
    phases = [seen(state, "phase") for state in states[:-1]]
    assert phases == ["discard", "discard", "draw", "card", "draw", "card", "offer", "mutate", "herb", "carn"]
    assert {GAME.to_act(state) for state, name in zip(states, phases) if name != "offer"} == {(0,), (-1,)}


# Rounds


@pytest.mark.rule("N-60", "M-17")
def test_a_player_offers_one_of_the_own_cards_or_passes() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,P01,T04 d2={GREEN_1_3} | hand=A02 d3={GREEN_3_4}"
    state = GAME.parse(text)
    assert GAME.legal(state, 1) == ("give:H01", "give:P01", "give:T04", "pass")
    assert GAME.legal(state, 2) == ("give:A02", "pass")
    assert GAME.legal(state, 0) == ()


@pytest.mark.rule("N-60", "M-17")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_offered_cards_are_shown_to_everybody(viewer: int | None) -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 d2={GREEN_1_3} | hand=A02,P01 d3={GREEN_3_4}"
    moves: list[Move] = [{1: "give:T04", 2: "give:A02"}]
    state = play(text, *moves)
    assert sorted((offer["seat"], offer["card"]) for offer in seen(state, "offers", viewer)) == [(1, "T04"), (2, "A02")]
    assert seen(state, "shown", viewer) == [[], ["T04"], ["A02"]]
    events = happened(text, *moves, seat=viewer)
    assert {"event": "offer", "seat": 1, "to": 0, "card": "T04"} in events
    assert {"event": "offer", "seat": 2, "to": 0, "card": "A02"} in events


@pytest.mark.rule("M-17")
def test_a_round_without_offers_closes_the_window() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 d2={GREEN_1_3} | hand=A02 d3={GREEN_3_4}"
    assert phase(text, {1: "pass", 2: "pass"}) == "mutate"
    assert phase(text, {1: "give:H01", 2: "pass"}, {1: "pass", 2: "pass"}) == "answer"


@pytest.mark.rule("M-17", "N-60")
def test_who_passed_may_make_a_better_offer_in_the_next_round() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 d2={GREEN_1_3} | hand=A02 d3={GREEN_3_4}"
    assert window(text, {1: "give:H01", 2: "pass"}) == ("offer", "mutate", 2, 0, (1, 2))
    assert window(text, {1: "give:H01", 2: "pass"}, {1: "pass", 2: "give:A02"}) == ("offer", "mutate", 3, 0, (1,))


@pytest.mark.rule("M-17")
def test_a_card_is_offered_once_in_a_window() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,P01,T04 d2={GREEN_1_3} | hand=A02 d3={GREEN_3_4}"
    state = play(text, {1: "give:P01", 2: "pass"})
    assert GAME.legal(state, 1) == ("give:H01", "give:T04", "pass")


@pytest.mark.rule("M-17")
def test_who_has_offered_all_cards_is_not_asked_again() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 d2={GREEN_1_3} | hand=A02 d3={GREEN_3_4}"
    assert window(text, {1: "give:H01", 2: "give:A02"}) == ("offer", "mutate", 2, 0, (1,))
    assert phase(text, {1: "give:H01", 2: "give:A02"}, "give:T04") == "answer"


@pytest.mark.rule("M-17")
def test_a_player_may_offer_every_card_of_the_hand_in_one_window() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,H02,H03,P01,T04,T10 d2={GREEN_1_3} | d3={GREEN_3_4}"
    gifts = ["give:H01", "give:H02", "give:H03", "give:P01", "give:T04", "give:T10"]
    assert [phase(text, *gifts[:count]) for count in range(7)] == ["offer"] * 6 + ["answer"]
    assert len(seen(play(text, *gifts), "offers")) == 6


@pytest.mark.rule("M-17")
@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_there_are_so_many_rounds_of_offers_and_no_more(rounds: int) -> None:
    text = f"advanced turn=5 phase=offer window=mutate offer_rounds={rounds} | hand=A01 d1={GREEN_0_7} | hand=H01,H02,H03,P01,T04,T10 d2={GREEN_1_3}"
    gifts = ["give:H01", "give:H02", "give:H03", "give:P01", "give:T04"]
    assert [phase(text, *gifts[:count]) for count in range(rounds + 1)] == ["offer"] * rounds + ["answer"]


# Answers


@pytest.mark.rule("N-61", "M-17")
def test_the_receiver_answers_one_offer_after_the_other_in_the_order_of_cards() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=T04,T10 d2={GREEN_1_3} | hand=H01,T02 d3={GREEN_3_4}"
    moves: list[Move] = [{1: "give:T10", 2: "give:T02"}, {1: "give:T04", 2: "give:H01"}]
    assert window(text, *moves)[0] == "answer"
    asked = []
    while phase(text, *moves) == "answer":
        yes, no = legal(text, *moves)
        assert yes.removeprefix("yes:") == no.removeprefix("no:")
        asked.append(no.removeprefix("no:"))
        moves.append(no)
    assert asked == ["H01", "T02", "T04", "T10"]


@pytest.mark.rule("N-61")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_all_offers_are_seen_before_the_first_answer(viewer: int | None) -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 offer=H01,T04 d2={GREEN_1_3} | hand=A02 offer=A02 d3={GREEN_3_4}"
    assert [(offer["seat"], offer["card"]) for offer in seen(play(text), "offers", viewer)] == [
        (1, "H01"),
        (2, "A02"),
        (1, "T04"),
    ]
    assert [offer["card"] for offer in seen(play(text, "no:H01"), "offers", viewer)] == ["A02", "T04"]


@pytest.mark.rule("N-61")
@pytest.mark.parametrize(
    ("answers", "received", "earned"),
    [
        (("yes:H01", "yes:A02", "yes:T04"), ["H01", "A01", "A02", "T04"], [0, 2, 1]),
        (("no:H01", "yes:A02", "yes:T04"), ["A01", "A02", "T04"], [0, 1, 1]),
        (("yes:H01", "no:A02", "no:T04"), ["H01", "A01"], [0, 1, 0]),
        (("no:H01", "no:A02", "no:T04"), ["A01"], [0, 0, 0]),
    ],
)
def test_the_receiver_accepts_all_some_or_none(
    answers: tuple[str, ...], received: list[str], earned: list[int]
) -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 offer=H01,T04 d2={GREEN_1_3} | hand=A02 offer=A02 d3={GREEN_3_4}"
    assert phase(text, *answers) == "mutate"
    assert (hand(text, *answers), hidden(text, *answers)) == (received, earned)
    assert seen(play(text, *answers), "periods") == 31 - sum(earned)


@pytest.mark.rule("N-62")
def test_card_and_period_card_change_hands_with_the_very_answer() -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 offer=H01,T04 d2={GREEN_1_3}"
    assert phase(text, "yes:H01") == "answer"
    assert (hand(text, "yes:H01"), hand(text, "yes:H01", seat=1)) == (["H01", "A01"], ["T04"])
    assert (hidden(text, "yes:H01"), seen(play(text, "yes:H01"), "periods")) == ([0, 1], 24)


@pytest.mark.rule("N-61", "N-21")
def test_an_accepted_card_can_be_played_at_once() -> None:
    text = f"advanced turn=5 phase=answer window=mutate | d1={GREEN_0_7} | hand=T04 offer=T04 d2={GREEN_1_3}"
    assert legal(text, "yes:T04") == ("mod:d1:T04", "mod:d2:T04", "end")
    assert legal(text, "no:T04") == ("end",)


@pytest.mark.rule("M-17")
def test_a_refused_card_may_be_offered_again_in_the_next_window() -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=T04 offer=T04 d2={GREEN_1_3}"
    assert legal(text, "no:T04", "mod:d1:A01") == ("give:T04", "pass")


@pytest.mark.rule("M-17")
def test_a_window_opens_anew_in_its_first_round() -> None:
    text = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,H02,T04 d2={GREEN_1_3}"
    moves = ("give:H01", "give:H02", "give:T04", "no:H01", "no:H02", "no:T04", "mod:d1:A01")
    assert window(text, *moves) == ("offer", "mutate", 1, 0, (1,))
    assert legal(text, *moves) == ("give:H01", "give:H02", "give:T04", "pass")


@pytest.mark.rule("N-61", "N-62")
def test_a_card_that_was_given_may_be_offered_on() -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=T04 offer=T04 d2={GREEN_1_3}"
    moves = ("yes:T04", "mod:d2:A01", "give:T04", "yes:T04")
    assert hidden(text, *moves) == [1, 1]
    assert legal(text, *moves) == ("r:T04", "pass")


@pytest.mark.rule("N-60")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_a_card_that_was_shown_stays_known_in_whatever_hand_it_is(viewer: int | None) -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,P01,T04 offer=H01,T04 d2={GREEN_1_3} | hand=A02 d3={GREEN_3_4}"
    state = play(text, "yes:H01", "no:T04")
    assert seen(state, "shown", viewer) == [["H01"], ["T04"], []]
    assert seen(state, "hand_sizes", viewer) == [2, 2, 1]


@pytest.mark.rule("N-60")
def test_a_shown_card_that_is_played_is_no_longer_in_a_hand() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,T04 shown=T04 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert seen(GAME.parse(text), "shown", 1) == [["T04"], []]
    assert seen(play(text, "mod:d1:T04"), "shown", 1) == [[], []]


@pytest.mark.rule("N-60", "N-14")
def test_a_shown_card_that_was_discarded_and_drawn_again_is_a_secret_again() -> None:
    """The two heads that are discarded are the only ones to draw: all others are on the table and in hands."""
    text = f"advanced turn=5 phase=discard | hand=H02,H03,H04,H05 shown=H04 d1=H01,A08,P15,T15 | hand=H06,H08,H10,H11,H12 d2={GREEN_1_3} | hand=H13,H15 d3={GREEN_3_4} d4={GREEN_0_7}"
    moves = ("d:H04", "d:H05", "ok", "w:H")
    assert legal(text, *moves) == ("H04", "H05")
    assert seen(play(text, *moves, "H04"), "shown", 1) == [[], [], []]


@pytest.mark.rule("N-61")
@pytest.mark.parametrize(("answer", "event"), [("yes:T04", "accept"), ("no:T04", "refuse")])
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_everybody_sees_the_answer(viewer: int | None, answer: str, event: str) -> None:
    text = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=T04 offer=T04 d2={GREEN_1_3} | d3={GREEN_3_4}"
    assert {"event": event, "seat": 1, "to": 0, "card": "T04"} in happened(text, answer, seat=viewer)


@pytest.mark.rule("M-18")
@pytest.mark.parametrize(("answer", "event"), [("yes:T04", "accept"), ("no:T04", "refuse")])
@pytest.mark.parametrize(("viewer", "told"), [(0, True), (1, True), (2, False), (None, False)])
def test_answers_may_be_known_to_giver_and_receiver_only(
    viewer: int | None, told: bool, answer: str, event: str
) -> None:
    text = f"advanced turn=5 phase=answer window=mutate help_events_public=false | hand=A01 d1={GREEN_0_7} | hand=T04 offer=T04 d2={GREEN_1_3} | d3={GREEN_3_4}"
    assert (event in [seen["event"] for seen in happened(text, answer, seat=viewer)]) is told


# The owner of a modified dinosaur


@pytest.mark.rule("N-63", "N-64")
def test_the_current_player_may_help_the_very_owner_whose_dinosaur_was_modified() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | d2={GREEN_1_3} | d3={GREEN_3_4}"
    assert window(text, "mod:d2:A01") == ("offer", "react", 1, 1, (0,))
    moves = ("mod:d2:A01", "give:A02", "yes:A02")
    assert (legal(text, *moves), hidden(text, *moves)) == (("r:A02", "pass"), [1, 0, 0])


@pytest.mark.rule("N-60", "N-61")
def test_the_owner_of_the_modified_dinosaur_answers_the_offers_made_to_him() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01 d1={GREEN_0_7} | d2={GREEN_1_3} | hand=T04,T10 d3={GREEN_3_4}"
    state = play(text, "mod:d2:A01", "give:T04", "pass")
    assert (seen(state, "phase"), seen(state, "window"), GAME.to_act(state)) == ("answer", "react", (1,))
    offer = {"event": "offer", "seat": 2, "to": 1, "card": "T04"}
    assert offer in happened(text, "mod:d2:A01", "give:T04")


@pytest.mark.rule("N-63")
def test_nobody_offers_a_card_to_himself() -> None:
    current = f"advanced turn=5 phase=offer window=mutate | hand=A01 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3}"
    owner = (
        f"advanced turn=5 phase=offer window=react focus=d2 | hand=A01 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3}/closed"
    )
    assert isinstance(refusal(current, {0: "give:A01", 1: "pass"}), MalformedAction)
    assert isinstance(refusal(owner, {0: "pass", 1: "give:T04"}), MalformedAction)


@pytest.mark.rule("N-64", "N-25")
def test_a_card_received_may_be_used_for_the_reaction_or_kept() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01 d1={GREEN_0_7} | d2={GREEN_1_3} | hand=T04 d3={GREEN_3_4}"
    moves = ("mod:d2:A01", "give:T04", "yes:T04")
    assert (phase(text, *moves), legal(text, *moves)) == ("react", ("r:T04", "pass"))
    assert body(play(text, *moves, "r:T04"), "d2") == (2, 3)
    assert hand(text, *moves, "pass", seat=1) == ["T04"]


@pytest.mark.rule("N-25", "N-61")
def test_an_owner_who_has_no_card_and_refuses_is_not_asked_to_react() -> None:
    text = f"advanced turn=5 phase=mutate | hand=A01 d1={GREEN_0_7} | d2={GREEN_1_3} | hand=T04 d3={GREEN_3_4}"
    assert window(text, "mod:d2:A01", "give:T04", "no:T04") == ("offer", "mutate", 1, 0, (2,))


@pytest.mark.rule("N-60", "N-61", "N-62", "N-64", "N-65")
def test_blue_helps_red_to_weaken_the_dinosaur_of_green_and_green_to_save_it() -> None:
    """Red, whose carnivore has attack 4, is seat 0; Blue is seat 1 and earns twice; Green is seat 2."""
    text = f"advanced turn=5 phase=offer window=mutate | d1={RED_4_2}/3 | hand=A05,P09 d2={GREEN_3_5}/fern | d3=H07,A15,P05,T03/fern"
    moves = ("give:A05", "pass", "yes:A05", "mod:d3:A05", "give:P09", "yes:P09", "r:P09", "end")
    states = course(text, *moves)
    assert [body(state, "d3") for state in (states[0], states[4], states[-1])] == [(1, 4), (1, 3), (0, 5)]
    assert list(dinos(states[-1])) == ["d2", "d3"]
    assert seen(states[-1], "timelines") == [{"d1": 3}, {}, {}]
    assert hidden(text, *moves) == [0, 2, 0]
    assert GAME.tally(states[-1]).scores == (6, 3, 0)


# Hidden period cards


@pytest.mark.rule("N-65", "N-54")
def test_hidden_period_cards_score_as_one_dinosaur() -> None:
    text = f"advanced | d1={GREEN_0_7}/2 d2={GREEN_1_3}/5 timeline=d3:3 hidden=4 | hidden=5 d4={GREEN_4_2}"
    outcome = GAME.outcome(GAME.parse(text))
    assert outcome.scores == (34, 15)
    assert outcome.breakdown == ({"d1": 3, "d2": 15, "d3": 6, "hidden": 10}, {"hidden": 15})


@pytest.mark.rule("N-62")
@pytest.mark.parametrize(
    ("viewer", "known"), [(0, [2, None, None]), (1, [None, 0, None]), (2, [None, None, 3]), (None, [None, None, None])]
)
def test_hidden_period_cards_are_known_to_their_player_only(viewer: int | None, known: list[int | None]) -> None:
    text = f"advanced turn=5 phase=mutate | d1={GREEN_0_7} hidden=2 | d2={GREEN_1_3} | d3={GREEN_3_4} hidden=3"
    assert seen(GAME.parse(text), "hidden", viewer) == known


@pytest.mark.rule("N-62", "N-65")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_hidden_period_cards_are_revealed_at_the_end(viewer: int | None) -> None:
    text = f"advanced | d1={GREEN_0_7} hidden=2 | d2={GREEN_1_3} | d3={GREEN_3_4} hidden=3"
    assert seen(GAME.parse(text), "hidden", viewer) == [2, 0, 3]


@pytest.mark.rule("N-53", "N-62", "N-65")
def test_an_accepted_offer_that_takes_the_last_period_card_ends_the_game_amid_the_answers() -> None:
    text = f"advanced turn=5 phase=answer window=mutate periods=1 | hand=A01 d1={GREEN_0_7}/1 | hand=H01,T04 offer=H01,T04 d2={GREEN_1_3}/2 hidden=1"
    state = play(text, "yes:H01")
    assert (seen(state, "phase"), seen(state, "periods"), GAME.to_act(state)) == ("over", 0, ())
    assert GAME.outcome(state).scores == (1, 3 + 3)
    assert seen(state, "hidden") == [0, 2]
    assert phase(text, "no:H01") == "answer"


@pytest.mark.rule("N-53", "N-62")
def test_a_refused_offer_takes_no_period_card() -> None:
    text = f"advanced turn=5 phase=answer window=mutate periods=1 | hand=A01 d1={GREEN_0_7}/1 | hand=T04 offer=T04 d2={GREEN_1_3}/2"
    state = play(text, "no:T04")
    assert (seen(state, "phase"), seen(state, "periods")) == ("mutate", 1)


# Refusals

OFFERING = f"advanced turn=5 phase=offer window=mutate round=2 | hand=A01 d1={GREEN_0_7} | hand=H01,T04 offer=H01 d2={GREEN_1_3} | hand=P01 d3={GREEN_3_4}"
ANSWERING = f"advanced turn=5 phase=answer window=mutate | hand=A01 d1={GREEN_0_7} | hand=H01,T04 offer=H01,T04 d2={GREEN_1_3} | hand=P01 d3={GREEN_3_4}"


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        pytest.param("give:A01", "N-60", marks=pytest.mark.rule("N-60")),
        pytest.param("give:P01", "N-60", marks=pytest.mark.rule("N-60")),
        pytest.param("give:A15", "N-60", marks=pytest.mark.rule("N-60")),
        pytest.param("give:H01", "M-17", marks=pytest.mark.rule("M-17")),
    ],
)
def test_an_illegal_offer_is_refused_with_the_rule(action: str, rule: str) -> None:
    error = refusal(OFFERING, {1: action, 2: "pass"})
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (1, rule)
    assert "Legal: give:T04 pass." in str(error)


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        pytest.param("yes:T04", "M-17", marks=pytest.mark.rule("M-17")),
        pytest.param("no:T04", "M-17", marks=pytest.mark.rule("M-17")),
        pytest.param("yes:P01", "M-17", marks=pytest.mark.rule("M-17")),
    ],
)
def test_an_illegal_answer_is_refused_with_the_rule(action: str, rule: str) -> None:
    error = refusal(ANSWERING, action)
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (0, rule)
    assert "Legal: yes:H01 no:H01." in str(error)


@pytest.mark.rule("N-60", "N-61")
@pytest.mark.parametrize(
    ("text", "move"),
    [
        *(
            (OFFERING, {1: action, 2: "pass"})
            for action in ("give", "give:", "give:d2", "offer:T04", "yes:T04", "no", "")
        ),
        *((ANSWERING, {0: action}) for action in ("yes", "no", "yes:", "pass", "H01", "give:A01", "yes:H01,T04", "")),
    ],
)
def test_what_is_no_offer_or_answer_is_malformed(text: str, move: Mapping[int, str]) -> None:
    assert isinstance(refusal(text, move), MalformedAction)


@pytest.mark.rule("N-60")
@pytest.mark.parametrize("move", [{1: "pass"}, {2: "pass"}, {}, {0: "pass", 1: "pass", 2: "pass"}, {0: "end"}])
def test_everybody_who_is_asked_and_nobody_else_answers_in_a_round(move: Mapping[int, str]) -> None:
    assert isinstance(refusal(OFFERING, move), MalformedAction)


@pytest.mark.parametrize(
    ("text", "seat", "action"), [(OFFERING, 1, "pass"), (OFFERING, 2, "pass"), (ANSWERING, 0, "no:H01")]
)
def test_a_player_who_does_not_answer_neither_gives_nor_takes(text: str, seat: int, action: str) -> None:
    assert GAME.fallback(GAME.parse(text), seat) == action


@pytest.mark.rule("N-60")
def test_there_are_no_offers_in_the_basic_game() -> None:
    text = (
        f"basic turn=5 phase=mutate | hand=A01,A02 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3} | hand=T10 d3={GREEN_3_4}"
    )
    assert phase(text, "mod:d1:A01") == "mutate"
    assert phase(text, "mod:d2:A01") == "react"
    assert seen(GAME.parse(text), "hidden") == [0, 0, 0]
    with pytest.raises(ActionError):
        play(text, "give:A01")
