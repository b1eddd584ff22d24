"""Hatching and Mutation: new dinosaurs, changed ones, the reactions of their owners, and dinosaurs that really existed."""

import pytest

from engine.dinodocus import GAME
from engine.errors import IllegalAction, MalformedAction
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
    GREEN_3_3,
    GREEN_3_4,
    GREEN_3_5,
    GREEN_4_2,
    GREEN_4_3,
    GREEN_6_1,
    RED_2_4,
    RED_6_5,
    after,
    body,
    course,
    dinos,
    happened,
    legal,
    line,
    phase,
    play,
    refusal,
    seen,
)

TYRANNOSAURUS = "H01,A01,P01,T01"
GALLIMIMUS = "H11,A13,P12,T12"
PRENOCEPHALE = "H13,A05,P14,T13"


# Hatching


@pytest.mark.rule("N-20")
def test_a_card_of_each_part_hatches_as_a_new_dinosaur() -> None:
    text = f"basic turn=5 phase=mutate | hand=H08,H09,A02,P01,T04 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert after(text, "hatch:H08,A02,P01,T04") == line(
        f"basic turn=5 phase=mutate | hand=H09 d1={GREEN_0_7} d3={GREEN_4_3} | d2={GREEN_1_3}"
    )


@pytest.mark.rule("N-20", "N-21", "N-24")
def test_every_hatching_and_every_mutation_is_listed_and_last_the_end() -> None:
    text = f"basic turn=5 phase=mutate | hand=H08,H09,A02,P01,T04 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert legal(text) == (
        "hatch:H08,A02,P01,T04",
        "hatch:H09,A02,P01,T04",
        "mod:d1:H08",
        "mod:d1:H09",
        "mod:d1:A02",
        "mod:d1:P01",
        "mod:d1:T04",
        "mod:d2:H08",
        "mod:d2:H09",
        "mod:d2:A02",
        "mod:d2:P01",
        "mod:d2:T04",
        "end",
    )


@pytest.mark.rule("N-20")
@pytest.mark.parametrize("hand", ["A02,P01,T04", "H08,P01,T04", "H08,A02,T04", "H08,A02,P01", "H08,H09,A02,A03,P01"])
def test_without_all_four_parts_nothing_hatches(hand: str) -> None:
    actions = legal(f"basic turn=5 phase=mutate | hand={hand} d1={GREEN_0_7} | d2={GREEN_1_3}")
    assert not [action for action in actions if action.startswith("hatch")]


@pytest.mark.rule("N-20")
def test_as_many_dinosaurs_hatch_in_a_turn_as_the_cards_allow() -> None:
    text = f"advanced turn=5 phase=mutate | hand=H08,H11,A01,A02,P01,P02,T04,T10 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert after(text, f"hatch:{GREEN_4_3}", f"hatch:{GREEN_3_3}") == line(
        f"advanced turn=5 phase=mutate | d1={GREEN_0_7} d3={GREEN_4_3} d4={GREEN_3_3} | d2={GREEN_1_3}"
    )


@pytest.mark.rule("N-20")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_what_hatched_and_how_it_is_called(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | hand=H01,A08,P15,T15 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert happened(text, f"hatch:{RED_6_5}", seat=viewer) == [
        {"event": "hatch", "seat": 0, "dino": "d3", "cards": RED_6_5.split(",")}
    ]
    hatched = next(dino for dino in seen(play(text, f"hatch:{RED_6_5}"), "dinos", viewer) if dino["id"] == "d3")
    assert (hatched["name"], hatched["owner"], hatched["diet"]) == ("Typlolorus", 0, "C")


@pytest.mark.rule("N-20", "N-31")
@pytest.mark.parametrize(
    ("name", "cards", "attack", "defence"),
    [
        ("Typlolorus", "H01,A08,P15,T15", 6, 5),
        ("Galplolorus", "H11,A08,P15,T15", 3, 6),
        ("Disimirus", "H03,A14,P12,T03", 2, 4),
        ("Dinocephale", "H07,A05,P14,T13", 1, 3),
        ("Pronosauphale", "H09,A05,P03,T13", 3, 4),
        ("Pretronytops", "H13,A06,P06,T08", 4, 2),
        ("Deitrorotor", "H04,A06,P11,T06", 4, 2),
    ],
)
def test_attack_and_defence_are_the_sums_over_the_cards(name: str, cards: str, attack: int, defence: int) -> None:
    state = play(f"basic turn=5 phase=mutate | hand={cards} d1={GREEN_4_3} | -", f"hatch:{cards}")
    assert (dinos(state)["d2"]["name"], body(state, "d2")) == (name, (attack, defence))


@pytest.mark.rule("N-20", "N-30")
def test_a_hatched_dinosaur_is_fed_in_the_same_turn() -> None:
    text = f"basic turn=5 phase=mutate | hand=H08,A02,P01,T04 d1={GREEN_0_7}/fern | d2={GREEN_1_3}"
    assert after(text, f"hatch:{GREEN_4_3}", "end") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_0_7}/1/fern d3={GREEN_4_3}/1/fern | d2={GREEN_1_3}"
    )


# Mutation


@pytest.mark.rule("N-21")
def test_a_mutated_dinosaur_keeps_its_fern_and_period_cards_and_the_old_card_is_discarded() -> None:
    text = f"basic turn=5 phase=mutate discards=H01 | hand=A02 d1={GREEN_0_7}/2/fern | d2={GREEN_1_3}"
    assert after(text, "mod:d1:A02") == line(
        f"basic turn=5 phase=mutate discards=H01,A15 | d1=H14,A02,P09,T08/2/fern/closed | d2={GREEN_1_3}"
    )


@pytest.mark.rule("N-21")
def test_dinosaurs_of_others_can_be_mutated() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | d2={GREEN_1_3}/3/fern"
    assert after(text, "mod:d2:A02") == line(
        f"basic turn=5 phase=mutate discards=A05 | d1={GREEN_0_7} | d2=H07,A02,P14,T13/3/fern/closed"
    )


@pytest.mark.rule("N-21")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_a_mutation(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert happened(text, "mod:d2:A02", seat=viewer) == [
        {"event": "mutate", "seat": 0, "dino": "d2", "card": "A02", "replaced": "A05"}
    ]


@pytest.mark.rule("N-22")
def test_only_one_card_of_a_dinosaur_changes_in_a_turn_but_of_several_dinosaurs() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02,P01,T04 d1={GREEN_0_7} | d2={GREEN_1_3} d3={GREEN_3_4}"
    assert legal(text, "mod:d2:A02") == ("mod:d1:P01", "mod:d1:T04", "mod:d3:P01", "mod:d3:T04", "end")
    assert legal(text, "mod:d2:A02", "mod:d1:T04") == ("mod:d3:P01", "end")
    assert legal(text, "mod:d2:A02", "mod:d1:T04", "mod:d3:P01") == ("end",)


@pytest.mark.rule("N-22", "N-25")
def test_a_dinosaur_that_its_owner_changed_back_cannot_be_mutated_again() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02,P01 d1={GREEN_0_7} | hand=A03 d2={GREEN_1_3}"
    assert legal(text, "mod:d2:A02", "r:A03") == ("mod:d1:P01", "end")


@pytest.mark.rule("N-22")
def test_two_players_may_change_the_same_dinosaur_in_their_turns() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | hand=P01,P02,P04,T04,T10 d2={GREEN_1_3} | d3={GREEN_3_4}"
    assert "mod:d3:P01" in legal(text, "mod:d3:A02", "end", "ok")
    assert body(play(text, "mod:d3:A02", "end", "ok", "mod:d3:P01"), "d3") == (4, 3)


@pytest.mark.rule("N-22")
def test_a_player_may_change_the_same_dinosaur_again_in_the_next_turn() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02,P02,P04,T04,T10 d1={GREEN_0_7}/fern | hand=A01,A03,A04,A06,A07 d2={GREEN_1_3}/fern"
    moves = ("mod:d1:A02", "end", "ok", "end", "ok", "w:P", "P01")
    assert "mod:d1:P01" in legal(text, *moves)


@pytest.mark.rule("N-23")
def test_a_head_is_replaced_by_a_head_of_the_same_diet_only() -> None:
    text = f"basic turn=5 phase=mutate | hand=H01,H09 d1={GREEN_0_7} d2={RED_2_4} | d3={GREEN_1_3}"
    assert legal(text) == ("mod:d1:H09", "mod:d2:H01", "mod:d3:H09", "end")


@pytest.mark.rule("N-24")
def test_hatching_and_mutation_mix_in_any_order() -> None:
    text = f"basic turn=5 phase=mutate | hand=H08,A02,A03,P01,T04 d1={GREEN_0_7} | d2={GREEN_1_3}"
    either = after(text, "mod:d1:A03", f"hatch:{GREEN_4_3}")
    assert either == after(text, f"hatch:{GREEN_4_3}", "mod:d1:A03")
    assert either == line(
        f"basic turn=5 phase=mutate discards=A15 | d1=H14,A03,P09,T08/closed d3={GREEN_4_3} | d2={GREEN_1_3}"
    )


@pytest.mark.rule("N-24")
def test_cards_may_be_kept_for_later() -> None:
    text = f"basic turn=5 phase=mutate | hand=H08,A02,P01,T04 d1={GREEN_0_7}/fern | d2={GREEN_1_3}"
    assert after(text, "end") == line(
        f"basic turn=6 current=1 phase=draw | hand=H08,A02,P01,T04 d1={GREEN_0_7}/1/fern | d2={GREEN_1_3}"
    )


@pytest.mark.rule("N-24")
def test_a_player_without_cards_can_only_end() -> None:
    assert legal(f"basic turn=5 phase=mutate | d1={GREEN_0_7} | d2={GREEN_1_3}") == ("end",)


@pytest.mark.rule("M-06")
def test_a_dinosaur_may_mutate_in_the_turn_in_which_it_hatched() -> None:
    text = f"basic turn=5 phase=mutate | hand=H08,A02,A03,P01,T04 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert legal(text, f"hatch:{GREEN_4_3}") == ("mod:d1:A03", "mod:d2:A03", "mod:d3:A03", "end")
    assert legal(text, f"hatch:{GREEN_4_3}", "mod:d3:A03") == ("end",)


@pytest.mark.rule("M-06")
def test_a_fresh_dinosaur_may_be_kept_from_mutating() -> None:
    text = f"basic turn=5 phase=mutate mutate_fresh=false | hand=H08,A02,A03,P01,T04 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert legal(text, f"hatch:{GREEN_4_3}") == ("mod:d1:A03", "mod:d2:A03", "end")
    hatched = f"basic turn=5 phase=mutate mutate_fresh=false | hand=A03 d1={GREEN_4_3}/closed | d2={GREEN_1_3}"
    error = refusal(hatched, "mod:d1:A03")
    assert isinstance(error, IllegalAction)
    assert error.rule == "M-06"


# Reactions


@pytest.mark.rule("N-25")
def test_the_owner_of_a_modified_dinosaur_may_replace_any_one_of_its_cards() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | hand=H08,A03,T04 d2={GREEN_1_3} d3={GREEN_3_4}"
    asked = play(text, "mod:d2:A02")
    assert (seen(asked, "phase"), seen(asked, "focus"), GAME.to_act(asked)) == ("react", "d2", (1,))
    assert GAME.legal(asked, 1) == ("r:H08", "r:A03", "r:T04", "pass")
    assert after(text, "mod:d2:A02", "r:T04") == line(
        f"basic turn=5 phase=mutate discards=A05,T13 | d1={GREEN_0_7} | hand=H08,A03 d2=H07,A02,P14,T04/closed d3={GREEN_3_4}"
    )


@pytest.mark.rule("N-25")
def test_the_owner_may_let_it_be() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | hand=H08,A03 d2={GREEN_1_3}"
    assert after(text, "mod:d2:A02", "pass") == line(
        f"basic turn=5 phase=mutate discards=A05 | d1={GREEN_0_7} | hand=H08,A03 d2=H07,A02,P14,T13/closed"
    )


@pytest.mark.rule("N-25")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_everybody_sees_a_reaction(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3} | d3={GREEN_3_4}"
    assert happened(text, "mod:d2:A02", "r:T04", seat=viewer) == [
        {"event": "react", "seat": 1, "dino": "d2", "card": "T04", "replaced": "T13"}
    ]


@pytest.mark.rule("N-25")
def test_nobody_reacts_to_a_change_of_the_players_own_dinosaur() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02,A03 d1={GREEN_0_7} | hand=T04 d2={GREEN_1_3}"
    assert phase(text, "mod:d1:A02") == "mutate"


@pytest.mark.rule("N-25")
def test_nobody_reacts_to_a_reaction() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02,A03 d1={GREEN_0_7} | hand=T04,T10 d2={GREEN_1_3} | hand=A01 d3={GREEN_3_4}"
    reacted = play(text, "mod:d2:A02", "r:T04")
    assert (seen(reacted, "phase"), GAME.to_act(reacted)) == ("mutate", (0,))


@pytest.mark.rule("N-25")
def test_the_owner_may_react_to_every_modification() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02,P01 d1={GREEN_0_7} | hand=T04,T10 d2={GREEN_1_3} d3={GREEN_3_4}"
    assert [seen(state, "phase") for state in course(text, "mod:d2:A02", "r:T04", "mod:d3:P01", "r:T10")] == [
        "mutate",
        "react",
        "mutate",
        "react",
        "mutate",
    ]


@pytest.mark.rule("N-25")
def test_an_owner_without_cards_is_not_asked() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | d2={GREEN_1_3} | hand=T04 d3={GREEN_3_4}"
    assert phase(text, "mod:d2:A02") == "mutate"


@pytest.mark.rule("N-25", "N-23")
def test_an_owner_without_a_fitting_card_is_asked_but_can_only_pass() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | hand=H01,H02 d2={GREEN_1_3}"
    assert phase(text, "mod:d2:A02") == "react"
    assert legal(text, "mod:d2:A02") == ("pass",)


@pytest.mark.rule("N-25", "N-23")
def test_a_reaction_does_not_change_the_diet_either() -> None:
    text = f"basic turn=5 phase=mutate | hand=A02 d1={GREEN_0_7} | hand=H02,H08 d2={RED_6_5}"
    assert legal(text, "mod:d2:A02") == ("r:H02", "pass")


@pytest.mark.rule("N-21", "N-25")
def test_the_tail_answers_new_legs_and_a_head_answers_a_head() -> None:
    """Blue changes the legs of Red's Dikymidon, and later Green its head."""
    blue = f"basic turn=5 phase=mutate | hand=A05 d2={GREEN_4_2} | hand=H10,T03 d1=H07,A15,P12,T09/fern | hand=H12 d3={GREEN_6_1}"
    bodies = [(dinos(state)["d1"]["name"], body(state, "d1")) for state in course(blue, "mod:d1:A05", "r:T03")]
    assert bodies == [("Dikymidon", (1, 5)), ("Dinomidon", (1, 4)), ("Dinomirus", (0, 5))]
    green = f"basic turn=7 current=2 phase=mutate | d2={GREEN_4_2} | hand=H10 d1=H07,A05,P12,T03/fern | hand=H12 d3={GREEN_6_1}"
    bodies = [(dinos(state)["d1"]["name"], body(state, "d1")) for state in course(green, "mod:d1:H12", "r:H10")]
    assert bodies == [("Dinomirus", (0, 5)), ("Hypnomirus", (0, 5)), ("Paranomirus", (0, 6))]


# Dinosaurs that really existed


@pytest.mark.rule("M-07", "N-26")
def test_real_dinosaurs_are_worth_nothing_unless_the_rule_is_in_play() -> None:
    text = f"basic turn=5 phase=mutate | hand={TYRANNOSAURUS} d1={GREEN_0_7} | d2={GREEN_1_3}"
    state = play(text, f"hatch:{TYRANNOSAURUS}")
    assert (seen(state, "phase"), dinos(state)["d3"]["periods"]) == ("mutate", 0)


@pytest.mark.rule("N-26", "M-07")
def test_who_hatches_a_real_dinosaur_may_add_two_period_cards() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand={TYRANNOSAURUS} d1={GREEN_0_7} | d2={GREEN_1_3}"
    asked = play(text, f"hatch:{TYRANNOSAURUS}")
    assert (seen(asked, "phase"), seen(asked, "focus"), seen(asked, "maker")) == ("bonus", "d3", 0)
    assert legal(text, f"hatch:{TYRANNOSAURUS}") == ("bonus", "no")
    taken, left = play(text, f"hatch:{TYRANNOSAURUS}", "bonus"), play(text, f"hatch:{TYRANNOSAURUS}", "no")
    assert (seen(taken, "phase"), dinos(taken)["d3"]["periods"], seen(taken, "periods")) == ("mutate", 2, 23)
    assert (seen(left, "phase"), dinos(left)["d3"]["periods"], seen(left, "periods")) == ("mutate", 0, 25)


@pytest.mark.rule("N-26")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_the_bonus(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand={TYRANNOSAURUS} d1={GREEN_0_7} | d2={GREEN_1_3}"
    events = happened(text, f"hatch:{TYRANNOSAURUS}", "bonus", seat=viewer)
    assert [(event["event"], event["seat"], event["dino"], event["periods"]) for event in events] == [
        ("bonus", 0, "d3", 2)
    ]


@pytest.mark.rule("N-26")
def test_a_dinosaur_of_different_numbers_is_not_real() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=H01,A01,P01,T02 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert phase(text, "hatch:H01,A01,P01,T02") == "mutate"


@pytest.mark.rule("N-26")
def test_a_mutation_can_make_a_dinosaur_real() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=T13 d1=H13,A05,P14,T01/1 | d2={GREEN_0_7}"
    assert phase(text, "mod:d1:T13") == "bonus"
    assert dinos(play(text, "mod:d1:T13", "bonus"))["d1"]["periods"] == 3


@pytest.mark.rule("N-26", "N-25")
def test_a_reaction_can_make_a_dinosaur_real() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=T02 d1={GREEN_0_7} | hand=T13 d2=H13,A05,P14,T01"
    asked = play(text, "mod:d2:T02", "r:T13")
    assert (seen(asked, "phase"), seen(asked, "maker"), GAME.to_act(asked)) == ("bonus", 1, (1,))
    taken = play(text, "mod:d2:T02", "r:T13", "bonus")
    assert (seen(taken, "phase"), GAME.to_act(taken), dinos(taken)["d2"]["periods"]) == ("mutate", (0,), 2)


@pytest.mark.rule("N-26", "N-11")
def test_a_flipped_dinosaur_is_no_reason_for_a_bonus() -> None:
    start = GAME.start(2, {"real_bonus": True})
    flipped = GAME.apply(GAME.apply(start, {-1: f"flip:{GALLIMIMUS}"}), {-1: f"flip:{RED_6_5}"})
    assert (seen(flipped, "phase"), seen(flipped, "periods")) == ("draw", 25)
    text = f"basic turn=5 phase=mutate real_bonus=true | d1={GREEN_0_7} | -"
    assert phase(text, "end", f"flip:{GALLIMIMUS}") == "draw"


@pytest.mark.rule("N-26", "N-25")
def test_the_bonus_comes_before_the_reaction_and_stays_whatever_the_reaction_is() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=T13 d1={GREEN_0_7} | hand=A03 d2=H13,A05,P14,T01"
    states = course(text, "mod:d2:T13", "bonus", "r:A03")
    assert [seen(state, "phase") for state in states] == ["mutate", "bonus", "react", "mutate"]
    assert dinos(states[-1])["d2"]["periods"] == 2


@pytest.mark.rule("M-08")
def test_a_dinosaur_that_becomes_real_by_another_number_earns_again() -> None:
    """Prosaurolophus and Parasaurolophus differ by the head."""
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=T11 d1={GREEN_0_7} | hand=H10 d2=H09,A12,P11,T01"
    states = course(text, "mod:d2:T11", "bonus", "r:H10", "bonus")
    assert [dinos(state)["d2"]["periods"] for state in states] == [0, 0, 2, 2, 4]


@pytest.mark.rule("M-08")
def test_a_dinosaur_may_earn_only_once() -> None:
    head = "basic turn=5 phase=mutate real_bonus=true real_repeat=once_per_dino"
    text = f"{head} | hand=T11 d1={GREEN_0_7} | hand=H10 d2=H09,A12,P11,T01"
    assert phase(text, "mod:d2:T11", "bonus", "r:H10") == "mutate"
    assert phase(text, "mod:d2:T11", "no", "r:H10") == "bonus"


@pytest.mark.rule("M-08")
def test_a_dinosaur_that_earned_once_in_an_earlier_turn_does_not_again() -> None:
    head = "basic turn=5 phase=mutate real_bonus=true real_repeat=once_per_dino"
    assert phase(f"{head} | hand=T13 d1=H13,A05,P14,T01/2/bonus | d2={GREEN_0_7}", "mod:d1:T13") == "mutate"
    assert phase(f"{head} | hand=T13 d1=H13,A05,P14,T01/2 | d2={GREEN_0_7}", "mod:d1:T13") == "bonus"


@pytest.mark.rule("M-08", "N-26")
def test_a_dinosaur_that_is_no_longer_real_earns_nothing() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=T01 d1={PRENOCEPHALE} | d2={GREEN_0_7}"
    assert phase(text, "mod:d1:T01") == "mutate"


@pytest.mark.rule("M-09")
def test_who_makes_the_dinosaur_of_another_real_decides_and_the_cards_go_to_the_dinosaur() -> None:
    text = f"basic turn=5 phase=mutate real_bonus=true | hand=T13 d1={GREEN_0_7} | d2=H13,A05,P14,T01/1"
    asked = play(text, "mod:d2:T13")
    assert (seen(asked, "phase"), seen(asked, "maker"), GAME.to_act(asked)) == ("bonus", 0, (0,))
    assert GAME.tally(play(text, "mod:d2:T13", "bonus")).scores == (0, 6)


@pytest.mark.rule("M-09")
def test_only_an_owner_may_earn_by_the_other_reading() -> None:
    head = "basic turn=5 phase=mutate real_bonus=true real_maker=owner_only"
    others = f"{head} | hand=T13 d1={GREEN_0_7} | hand=A03 d2=H13,A05,P14,T01"
    own = f"{head} | hand=T13 d1=H13,A05,P14,T01 | d2={GREEN_0_7}"
    reaction = f"{head} | hand=T02 d1={GREEN_0_7} | hand=T13 d2=H13,A05,P14,T01"
    assert phase(others, "mod:d2:T13") == "react"
    assert phase(own, "mod:d1:T13") == "bonus"
    assert phase(reaction, "mod:d2:T02", "r:T13") == "bonus"


@pytest.mark.rule("M-22", "N-26", "N-53")
def test_a_bonus_takes_the_last_period_card_and_ends_the_game() -> None:
    text = f"basic turn=5 phase=mutate periods=1 real_bonus=true | hand={TYRANNOSAURUS} d1={GREEN_0_7} | d2={GREEN_1_3}"
    state = play(text, f"hatch:{TYRANNOSAURUS}", "bonus")
    assert dinos(play(text, f"hatch:{TYRANNOSAURUS}"))["d3"]["name"] == "Tyrannosaurus"
    assert (seen(state, "phase"), seen(state, "periods"), GAME.to_act(state)) == ("over", 0, ())
    assert GAME.outcome(state).scores == (1, 0)


@pytest.mark.rule("M-22", "N-53")
def test_a_bonus_that_takes_the_last_two_period_cards_ends_the_game() -> None:
    text = f"basic turn=5 phase=mutate periods=2 real_bonus=true | hand={TYRANNOSAURUS} d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert GAME.outcome(play(text, f"hatch:{TYRANNOSAURUS}", "bonus")).scores == (3, 0)
    assert phase(text, f"hatch:{TYRANNOSAURUS}", "no") == "mutate"


# Refusals

MUTATING = (
    f"basic turn=5 phase=mutate | hand=H01,A02,P01 d1={GREEN_0_7} d2={GREEN_3_5}/closed | hand=T02 d3={GREEN_1_3}"
)
REACTING = f"basic turn=5 phase=react focus=d2 | hand=P01 d1={GREEN_0_7} | hand=H01,T04 d2={GREEN_1_3}/closed"
EARNING = f"basic turn=5 phase=bonus focus=d1 maker=0 real_bonus=true | d1={PRENOCEPHALE}/closed | d2={GREEN_0_7}"


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        pytest.param("mod:d1:H01", "N-23", marks=pytest.mark.rule("N-23")),
        pytest.param("mod:d3:H01", "N-23", marks=pytest.mark.rule("N-23")),
        pytest.param("mod:d2:A02", "N-22", marks=pytest.mark.rule("N-22")),
        pytest.param("mod:d1:T02", "N-21", marks=pytest.mark.rule("N-21")),
        pytest.param("mod:d1:A15", "N-21", marks=pytest.mark.rule("N-21")),
        pytest.param("mod:d9:A02", "N-21", marks=pytest.mark.rule("N-21")),
        pytest.param("hatch:H01,A02,P01,T02", "N-20", marks=pytest.mark.rule("N-20")),
        pytest.param("hatch:H01,A02,P01,P01", "N-20", marks=pytest.mark.rule("N-20")),
        pytest.param("hatch:A02,H01,P01,T02", "N-20", marks=pytest.mark.rule("N-20")),
    ],
)
def test_an_illegal_mutation_is_refused_with_the_rule(action: str, rule: str) -> None:
    error = refusal(MUTATING, action)
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (0, rule)
    assert f"{action} is not legal, " in str(error)
    assert "Legal: mod:d1:A02 mod:d1:P01 mod:d3:A02 mod:d3:P01 end." in str(error)


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        pytest.param("r:H01", "N-23", marks=pytest.mark.rule("N-23")),
        pytest.param("r:P01", "N-25", marks=pytest.mark.rule("N-25")),
        pytest.param("r:T13", "N-25", marks=pytest.mark.rule("N-25")),
    ],
)
def test_an_illegal_reaction_is_refused_with_the_rule(action: str, rule: str) -> None:
    error = refusal(REACTING, action)
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (1, rule)
    assert "Legal: r:T04 pass." in str(error)


@pytest.mark.rule("N-10", "N-20", "N-21", "N-25", "N-26")
@pytest.mark.parametrize(
    ("text", "actions"),
    [
        (MUTATING, ["A02", "mod:d1", "mod:1:A02", "mod:d1:A02:P01", "mod:d1:A02,P01", "hatch:H01,A02,P01", "END", ""]),
        (MUTATING, ["hatch:", "hatch:H01 A02 P01 T02", "pass", "d:A02", "r:A02", "bonus", "give:A02"]),
        (REACTING, ["T04", "r:", "mod:d2:T04", "end", "no", "r:d2:T04"]),
        (EARNING, ["yes", "pass", "end", "bonus:d1"]),
    ],
)
def test_what_is_no_action_of_the_phase_is_malformed(text: str, actions: list[str]) -> None:
    for action in actions:
        error = refusal(text, action)
        assert isinstance(error, MalformedAction), action
        assert f"{action!r} is malformed, expected " in str(error)


@pytest.mark.rule("N-25")
def test_only_the_owner_reacts() -> None:
    assert isinstance(refusal(REACTING, {0: "pass"}), MalformedAction)


@pytest.mark.parametrize(("text", "seat", "action"), [(MUTATING, 0, "end"), (REACTING, 1, "pass"), (EARNING, 0, "no")])
def test_a_player_who_does_not_answer_changes_nothing(text: str, seat: int, action: str) -> None:
    assert GAME.fallback(GAME.parse(text), seat) == action
