"""Set-up and Incubation: seats, decks, ferns and period cards, starting dinosaurs, who begins, discards and draws."""

import re
from collections.abc import Mapping

import pytest

from engine.contract import CHANCE, Value
from engine.dice import Seed
from engine.dinodocus import GAME
from engine.dinodocus.state import State
from engine.errors import ActionError, IllegalAction, MalformedAction, SetupError
from tests.engine import dinodocus_play
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
    GREEN_3_3,
    GREEN_3_4,
    GREEN_3_5,
    GREEN_5_3,
    GREEN_6_1,
    RED_1_5,
    RED_5_1,
    RED_6_5,
    SMALL_DECK,
    Move,
    after,
    course,
    dinos,
    happened,
    legal,
    line,
    phase,
    play,
    refusal,
    seen,
    step,
)

PARTS = "HAPT"


def begin(seats: int, *flips: str, **options: Value) -> State:
    """The state after these cards were flipped for the first seats."""
    state = GAME.start(seats, options)
    for flip in flips:
        state = GAME.apply(state, {CHANCE: f"flip:{flip}"})
    return state


def heads(*numbers: int) -> str:
    return ",".join(f"H{number:02}" for number in numbers)


# The dinosaurs of these tests


@pytest.mark.parametrize("name", [name for name in vars(dinodocus_play) if re.fullmatch(r"(RED|GREEN)_\d_\d", name)])
def test_the_dinosaurs_of_these_tests_are_what_they_are_called(name: str) -> None:
    colour, attack, defence = name.split("_")
    dino = dinos(GAME.parse(f"basic | d1={getattr(dinodocus_play, name)} | -"))["d1"]
    assert (dino["diet"], dino["attack"], dino["defence"]) == (
        {"RED": "C", "GREEN": "H"}[colour],
        int(attack),
        int(defence),
    )


# The table


@pytest.mark.rule("N-01")
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_two_to_six_can_play(seats: int) -> None:
    assert seats in GAME.seats
    assert seen(GAME.start(seats, {}), "seats") == seats


@pytest.mark.rule("N-01")
@pytest.mark.parametrize("seats", [0, 1, 7])
def test_fewer_than_two_or_more_than_six_cannot_play(seats: int) -> None:
    assert seats not in GAME.seats
    with pytest.raises(SetupError, match=rf"\b{seats} seats? (is|are) not possible, it takes 2 to 6"):
        GAME.start(seats, {})


@pytest.mark.rule("N-02")
def test_sixty_cards_lie_in_four_decks_by_part_with_empty_discard_piles() -> None:
    start = GAME.start(4, {})
    assert seen(start, "decks") == dict.fromkeys(PARTS, 15)
    assert seen(start, "discards") == {part: [] for part in PARTS}
    assert len(seen(start, "cards")) == 60


@pytest.mark.rule("N-02")
def test_the_decks_are_shuffled() -> None:
    start = GAME.start(2, {})
    flips = [GAME.deal(start, Seed(seed)).removeprefix("flip:").split(",") for seed in range(300)]
    for place, part in enumerate(PARTS):
        assert {flip[place] for flip in flips} == {f"{part}{number:02}" for number in range(1, 16)}


@pytest.mark.rule("N-02")
def test_the_cards_of_a_deck_come_in_the_same_order_whoever_draws_them() -> None:
    assert taken("HHHHHAAAAA") == taken("AAAAAHHHHH") == taken("HAHAHAHAHA")


def taken(draws: str) -> list[list[str]]:
    """The first seven heads and front legs of a match in which these decks are drawn from, one after the other."""
    state, dice, order = GAME.start(2, {}), Seed(5), iter(draws)
    cards: list[str] = []
    while len(cards) < 18:
        if GAME.to_act(state) == (CHANCE,):
            cards += re.findall(r"[HAPT]\d\d", GAME.deal(state, dice))
            state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
        elif seen(state, "phase") == "draw":
            state = step(state, f"w:{next(order)}")
        else:
            state = step(state, GAME.fallback(state, *GAME.to_act(state)))
    return [[card for card in cards if card[0] == part][:7] for part in "HA"]


@pytest.mark.rule("N-03")
def test_the_pool_begins_with_four_ferns() -> None:
    assert seen(begin(2, GREEN_0_7, RED_6_5), "pool") == 4


@pytest.mark.rule("N-04")
@pytest.mark.parametrize(("seats", "periods"), [(2, 25), (3, 31), (4, 33), (5, 37), (6, 37)])
def test_the_period_deck_is_made_for_the_number_of_players(seats: int, periods: int) -> None:
    assert seen(GAME.start(seats, {}), "periods") == periods


@pytest.mark.rule("N-05")
def test_every_player_in_turn_flips_a_card_of_each_deck_as_starting_dinosaur() -> None:
    start = GAME.start(3, {})
    flipped = begin(3, GREEN_0_7, RED_6_5)
    assert (seen(start, "phase"), seen(start, "turn"), seen(start, "current")) == ("flip", 0, 0)
    assert (seen(flipped, "phase"), seen(flipped, "turn"), seen(flipped, "current")) == ("flip", 0, 2)
    assert {dino["id"]: (dino["owner"], ",".join(dino["cards"])) for dino in seen(flipped, "dinos")} == {
        "d1": (0, GREEN_0_7),
        "d2": (1, RED_6_5),
    }
    assert seen(flipped, "decks") == dict.fromkeys(PARTS, 13)


@pytest.mark.rule("N-05")
def test_hands_start_empty() -> None:
    assert seen(begin(3, GREEN_0_7, RED_6_5, GREEN_1_3), "hand_sizes") == [0, 0, 0]


@pytest.mark.rule("N-05")
def test_a_starting_dinosaur_has_neither_fern_nor_period_cards() -> None:
    assert GAME.format(begin(2, GREEN_0_7, RED_6_5)) == line(f"basic phase=draw | d1={GREEN_0_7} | d2={RED_6_5}")


@pytest.mark.rule("N-05")
@pytest.mark.parametrize(
    "flip",
    [
        f"flip:{GREEN_0_7}",
        "flip:H01,A15,P01,T01",
        "flip:H01,A01,P01",
        "flip:A01,H01,P01,T01",
        "flip:H99,A01,P01,T01",
        "H01,A01,P01,T01",
    ],
)
def test_only_a_card_of_every_deck_can_be_flipped(flip: str) -> None:
    with pytest.raises(ActionError, match=r"^chance: "):
        GAME.apply(begin(2, GREEN_0_7), {CHANCE: flip})


@pytest.mark.rule("N-06")
@pytest.mark.parametrize(
    ("flips", "first"),
    [
        ((RED_6_5, GREEN_3_5, GREEN_1_3), 2),
        ((RED_6_5, GREEN_1_3, GREEN_3_5), 1),
        ((GREEN_1_3, RED_6_5, GREEN_3_5), 0),
        ((GREEN_3_5, GREEN_0_7, GREEN_5_3), 1),
    ],
)
def test_the_weakest_starting_dinosaur_by_attack_and_defence_together_begins(
    flips: tuple[str, ...], first: int
) -> None:
    begun = begin(3, *flips)
    assert {"event": "turn", "turn": 1, "seat": first} in GAME.events(begin(3, *flips[:2]), begun, None)
    assert (seen(begun, "turn"), seen(begun, "current"), GAME.to_act(begun)) == (1, first, (first,))


@pytest.mark.rule("N-06", "M-01")
def test_of_two_equally_weak_the_lowest_seat_begins() -> None:
    nine, seven, seven_too = "H11,A08,P15,T15", "H09,A05,P03,T13", "H13,A02,P01,T04"
    assert seen(begin(3, nine, seven, seven_too), "current") == 1


@pytest.mark.rule("M-01")
@pytest.mark.parametrize("first", [1, 2])
def test_chance_may_choose_among_the_equally_weak(first: int) -> None:
    nine, seven, seven_too = "H11,A08,P15,T15", "H09,A05,P03,T13", "H13,A02,P01,T04"
    tied = begin(3, nine, seven, seven_too, start_tie="random")
    assert (seen(tied, "phase"), GAME.to_act(tied)) == ("first", (CHANCE,))
    assert GAME.legal(tied, CHANCE) == ("first:1", "first:2")
    assert {GAME.deal(tied, Seed(seed)) for seed in range(30)} == {"first:1", "first:2"}
    begun = step(tied, f"first:{first}")
    assert (seen(begun, "phase"), seen(begun, "turn"), seen(begun, "current")) == ("draw", 1, first)
    assert {"event": "first", "seat": first} in GAME.events(tied, begun, None)


@pytest.mark.rule("M-01")
def test_chance_may_not_choose_a_stronger_dinosaur() -> None:
    nine, seven, seven_too = "H11,A08,P15,T15", "H09,A05,P03,T13", "H13,A02,P01,T04"
    with pytest.raises(ActionError, match=r"^chance: "):
        step(begin(3, nine, seven, seven_too, start_tie="random"), "first:0")


@pytest.mark.rule("M-01")
def test_chance_is_not_asked_who_begins_when_one_is_weakest() -> None:
    begun = begin(3, RED_6_5, GREEN_3_5, GREEN_1_3, start_tie="random")
    assert (seen(begun, "phase"), seen(begun, "current")) == ("draw", 2)


@pytest.mark.rule("N-07")
def test_a_timeline_begins_empty_and_worth_nothing() -> None:
    begun = begin(3, GREEN_0_7, RED_6_5, GREEN_1_3)
    assert seen(begun, "timelines") == [{}, {}, {}]
    assert GAME.tally(begun).scores == (0, 0, 0)


def test_the_options_and_their_values_are_these() -> None:
    assert {name: (option.default, *option.values) for name, option in GAME.options().items() if name != "deck"} == {
        "advanced": (False, False, True),
        "start_tie": ("lowest_seat", "lowest_seat", "random"),
        "reshuffle": ("on_need", "on_need", "immediate"),
        "no_card": ("skip", "skip"),
        "draw_mode": ("must_fill", "must_fill", "may_stop"),
        "mutate_fresh": (True, True, False),
        "real_bonus": (False, False, True),
        "real_repeat": ("each_time", "each_time", "once_per_dino"),
        "real_maker": ("maker_decides", "maker_decides", "owner_only"),
        "herb_duty": ("strict", "strict", "free"),
        "carn_duty": ("strict", "strict", "own_optional", "free"),
        "unfed_discard": ("end", "end", "immediate"),
        "final_allocation": ("player", "player", "auto_best"),
        "offer_windows": ("mutate", "mutate", "mutate_and_turn_start"),
        "offer_rounds": (None, None, 1, 2, 3, 4, 5),
        "help_events_public": (True, True, False),
        "hand_parts_public": (True, True, False),
        "turn_cap": (300, 300, 50, 100, 200, 500, 1000),
    }


@pytest.mark.parametrize("options", [{"advanced": 1}, {"offer_rounds": 6}, {"turn_cap": 301}, {"colour": "red"}])
def test_an_unknown_option_or_value_is_refused(options: Mapping[str, Value]) -> None:
    with pytest.raises(SetupError, match=next(iter(options))):
        GAME.start(3, options)


# The turn


@pytest.mark.rule("N-10", "N-12", "N-30")
def test_a_turn_is_incubation_then_hatching_and_mutation_then_natural_selection() -> None:
    text = f"basic turn=3 phase=discard | hand=A01,P01,T04,T10 d1={GREEN_3_5} d2={RED_6_5} | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    moves: list[Move] = ["ok", "w:H", "H02", "end", "steal:d1:d3", "eat:d2:d3"]
    states = course(text, *moves)
    assert [seen(state, "phase") for state in states] == ["discard", "draw", "card", "mutate", "herb", "carn", "draw"]
    assert [seen(state, "current") for state in states] == [0, 0, 0, 0, 0, 0, 1]
    assert [seen(state, "turn") for state in states] == [3, 3, 3, 3, 3, 3, 4]


@pytest.mark.rule("M-02")
@pytest.mark.parametrize(("current", "following"), [(0, 1), (1, 2), (2, 0)])
def test_turns_go_round_clockwise(current: int, following: int) -> None:
    state = play(
        f"basic turn=5 current={current} phase=mutate | d1={GREEN_0_7} | d2={GREEN_1_3} | d3={GREEN_3_4}", "end"
    )
    assert (seen(state, "turn"), seen(state, "current")) == (6, following)


@pytest.mark.rule("M-02")
def test_the_new_turn_is_an_event_that_everybody_sees() -> None:
    events = happened(f"basic turn=5 phase=mutate | d1={GREEN_0_7} | d2={GREEN_1_3}", "end")
    assert {"event": "turn", "turn": 6, "seat": 1} in events


@pytest.mark.rule("N-11")
def test_a_player_without_dinosaur_flips_one_before_the_turn() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern | timeline=d2:3"
    flipping = play(text, "end")
    assert (seen(flipping, "phase"), seen(flipping, "current"), GAME.to_act(flipping)) == ("flip", 1, (CHANCE,))
    assert after(text, "end", f"flip:{RED_6_5}") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_0_7}/1/fern | d3={RED_6_5} timeline=d2:3"
    )


@pytest.mark.rule("N-11")
def test_a_flipped_dinosaur_is_an_event_that_everybody_sees() -> None:
    events = happened(f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern | timeline=d2:3", "end", f"flip:{RED_6_5}")
    assert {"event": "flip", "seat": 1, "dino": "d3", "cards": RED_6_5.split(",")} in events


@pytest.mark.rule("N-11")
def test_a_player_with_a_dinosaur_flips_none() -> None:
    assert phase(f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern | d2={GREEN_1_3}", "end") == "draw"


@pytest.mark.rule("N-11", "N-12")
def test_a_flip_costs_the_player_nothing_of_the_turn() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern | hand=A01,A02"
    assert phase(text, "end", f"flip:{RED_6_5}") == "discard"
    assert phase(text, "end", f"flip:{RED_6_5}", "ok") == "draw"


@pytest.mark.rule("N-11", "N-30", "N-38")
def test_a_flipped_dinosaur_must_be_fed_in_the_same_turn() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern | hand=A01,A02,A03,A04,A06"
    assert after(text, "end", f"flip:{GREEN_1_3}", "ok", "end") == line(
        f"basic turn=7 phase=draw | d1={GREEN_0_7}/1/fern | hand=A01,A02,A03,A04,A06 d2={GREEN_1_3}/1/fern"
    )
    assert after(text, "end", f"flip:{RED_1_5}", "ok", "end") == line(
        f"basic turn=7 phase=draw next=3 discards={RED_1_5} | d1={GREEN_0_7}/1/fern | hand=A01,A02,A03,A04,A06"
    )


# Discards


@pytest.mark.rule("N-12")
def test_any_number_of_hand_cards_may_be_discarded_before_drawing() -> None:
    text = f"basic turn=5 phase=discard | hand=H01,A02,P03 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert legal(text) == ("d:H01", "d:A02", "d:P03", "ok")
    assert legal(text, "d:A02") == ("d:H01", "d:P03", "ok")
    assert after(text, "d:A02", "d:H01", "ok") == line(
        f"basic turn=5 phase=draw discards=H01,A02 | hand=P03 d1={GREEN_0_7} | d2={GREEN_1_3}"
    )


@pytest.mark.rule("N-12")
def test_discarding_the_whole_hand_leads_to_the_draw() -> None:
    text = f"basic turn=5 phase=discard | hand=H01,A02 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert phase(text, "d:A02", "d:H01") == "draw"


@pytest.mark.rule("N-12")
def test_an_empty_hand_is_not_asked_for_discards() -> None:
    assert phase(f"basic turn=5 phase=mutate | d1={GREEN_0_7} | d2={GREEN_1_3}", "end") == "draw"
    assert phase(f"basic turn=5 phase=mutate | d1={GREEN_0_7} | hand=A01 d2={GREEN_1_3}", "end") == "discard"


@pytest.mark.rule("N-02", "N-12")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_discards_lie_face_up(viewer: int | None) -> None:
    text = f"basic turn=5 phase=discard | hand=H01,A02 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert seen(play(text, "d:A02"), "discards", viewer) == {"H": [], "A": ["A02"], "P": [], "T": []}
    assert happened(text, "d:A02", seat=viewer) == [{"event": "discard", "seat": 0, "card": "A02"}]


@pytest.mark.rule("N-02", "M-23")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_may_look_through_the_discard_piles(viewer: int | None) -> None:
    """Also at cards that lie below others, and that went there in earlier turns."""
    text = f"basic turn=5 phase=mutate discards=H02,A02,A03,A04 | hand=A01 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert seen(GAME.parse(text), "discards", viewer) == {"H": ["H02"], "A": ["A02", "A03", "A04"], "P": [], "T": []}
    assert seen(play(text, "mod:d2:A01"), "discards", viewer)["A"] == ["A02", "A03", "A04", "A05"]


# Draws


@pytest.mark.rule("N-12")
def test_cards_are_drawn_one_at_a_time_from_any_deck_until_the_hand_holds_five() -> None:
    text = f"basic turn=5 phase=draw | hand=H01,A02,P03 d1={GREEN_0_7} | d2={GREEN_1_3}"
    states = course(text, "w:P", "P01", "w:H", "H02")
    assert legal(text) == legal(text, "w:P", "P01") == ("w:H", "w:A", "w:P", "w:T")
    assert [seen(state, "phase") for state in states] == ["draw", "card", "draw", "card", "mutate"]
    assert [seen(state, "hands", 0)[0] for state in (states[2], states[4])] == [
        ["H01", "A02", "P01", "P03"],
        ["H01", "H02", "A02", "P01", "P03"],
    ]


@pytest.mark.rule("N-12", "N-02")
def test_any_card_that_is_nowhere_else_may_come_from_its_deck() -> None:
    text = (
        f"basic turn=5 phase=card draw=P discards=P04 | hand=H01,A02,P03 d1={GREEN_0_7} | hand=P05,P06 d2={GREEN_1_3}"
    )
    assert GAME.to_act(play(text)) == (CHANCE,)
    assert legal(text) == ("P01", "P02", "P07", "P08", "P10", "P11", "P12", "P13", "P15")


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("card", ["P04", "P05", "P09", "P03", "A01", "P16", "w:P"])
def test_no_other_card_may_come(card: str) -> None:
    text = (
        f"basic turn=5 phase=card draw=P discards=P04 | hand=H01,A02,P03 d1={GREEN_0_7} | hand=P05,P06 d2={GREEN_1_3}"
    )
    assert str(refusal(text, card)).startswith("chance: ")


@pytest.mark.rule("N-12", "M-19")
@pytest.mark.parametrize(("viewer", "card"), [(0, "P01"), (1, None), (None, None)])
def test_only_the_player_sees_the_card_drawn_but_everybody_the_deck(viewer: int | None, card: str | None) -> None:
    text = f"basic turn=5 phase=draw | hand=H01 d1={GREEN_0_7} | d2={GREEN_1_3}"
    state = play(text, "w:P", "P01")
    assert happened(text, "w:P", "P01", seat=viewer) == [{"event": "draw", "seat": 0, "part": "P", "card": card}]
    assert seen(state, "hands", viewer)[0] == (["H01", "P01"] if viewer == 0 else None)
    assert seen(state, "hand_parts", viewer) == [{"H": 1, "A": 0, "P": 1, "T": 0}, {"H": 0, "A": 0, "P": 0, "T": 0}]


@pytest.mark.rule("M-19")
@pytest.mark.parametrize("viewer", [1, None])
def test_the_parts_of_a_hand_may_be_kept_secret(viewer: int | None) -> None:
    text = f"basic turn=5 phase=draw hand_parts_public=false | hand=H01 d1={GREEN_0_7} | d2={GREEN_1_3}"
    state = play(text, "w:P", "P01")
    (draw,) = happened(text, "w:P", "P01", seat=viewer)
    assert (draw["event"], draw["seat"], draw.get("part"), draw.get("card")) == ("draw", 0, None, None)
    assert (seen(state, "hand_parts", viewer), seen(state, "hand_sizes", viewer)) == (None, [2, 0])


@pytest.mark.rule("N-13")
def test_a_hand_of_five_draws_nothing() -> None:
    text = f"basic turn=5 phase=discard | hand=H01,A02,P01,P02,P03 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert phase(text, "ok") == "mutate"


@pytest.mark.rule("N-13")
def test_a_hand_of_six_draws_nothing_and_after_two_discards_one_card() -> None:
    text = f"advanced turn=5 phase=discard | hand=H01,A02,P01,P02,P03,T01 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert phase(text, "ok") == "mutate"
    assert phase(text, "d:T01", "ok") == "mutate"
    assert phase(text, "d:T01", "d:P01", "ok") == "draw"
    assert phase(text, "d:T01", "d:P01", "ok", "w:H", "H02") == "mutate"


@pytest.mark.rule("M-05")
def test_a_hand_must_be_filled() -> None:
    text = f"basic turn=5 phase=draw | hand=H01 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert "stop" not in legal(text)
    error = refusal(text, "stop")
    assert isinstance(error, IllegalAction)
    assert error.rule == "M-05"


@pytest.mark.rule("M-05")
def test_a_player_who_may_stop_keeps_a_smaller_hand() -> None:
    text = f"basic turn=5 phase=draw draw_mode=may_stop | hand=H01 d1={GREEN_0_7} | d2={GREEN_1_3}"
    assert legal(text) == ("w:H", "w:A", "w:P", "w:T", "stop")
    assert after(text, "w:H", "H02", "stop") == line(
        f"basic turn=5 phase=mutate draw_mode=may_stop | hand=H01,H02 d1={GREEN_0_7} | d2={GREEN_1_3}"
    )


# Exhausted decks: of the fifteen heads none is left but those that a position names


@pytest.mark.rule("N-14", "M-03")
def test_an_exhausted_deck_is_rebuilt_from_its_discards_when_a_card_is_needed() -> None:
    text = f"basic turn=5 phase=card draw=H discards=A01,{heads(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15)} | hand=A02 d1={GREEN_0_7} | -"
    last_taken = play(text, "H01")
    assert (seen(last_taken, "decks")["H"], len(seen(last_taken, "discards")["H"])) == (0, 13)
    assert "w:H" in legal(text, "H01")
    rebuilt = play(text, "H01", "w:H", "H07")
    assert (seen(rebuilt, "decks")["H"], seen(rebuilt, "discards")) == (12, {"H": [], "A": ["A01"], "P": [], "T": []})
    assert {"event": "rebuild", "part": "H"} in happened(text, "H01", "w:H") + happened(text, "H01", "w:H", "H07")


@pytest.mark.rule("M-03")
def test_an_exhausted_deck_may_be_rebuilt_at_once() -> None:
    text = f"basic turn=5 phase=card draw=H reshuffle=immediate discards=A01,{heads(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15)} | hand=A02 d1={GREEN_0_7} | -"
    rebuilt = play(text, "H01")
    assert (seen(rebuilt, "decks")["H"], seen(rebuilt, "discards")) == (13, {"H": [], "A": ["A01"], "P": [], "T": []})
    assert {"event": "rebuild", "part": "H"} in happened(text, "H01")


@pytest.mark.rule("M-03")
def test_without_discards_a_deck_is_rebuilt_on_need_even_if_it_should_be_at_once() -> None:
    text = f"basic turn=5 phase=card draw=H reshuffle=immediate | hand={heads(3, 4, 5, 6)} d1={RED_6_5} | hand={heads(7, 8, 9, 10, 11)} d2={GREEN_5_3} | hand={heads(13, 15)} d3={GREEN_0_7}"
    modified = play(text, "H02", "mod:d1:H02")
    assert (seen(modified, "decks")["H"], seen(modified, "discards")["H"]) == (0, ["H01"])


@pytest.mark.rule("N-14", "M-03")
def test_a_rebuilt_deck_is_shuffled_anew() -> None:
    pile = f"discards={heads(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15)}"
    drawing = play(f"basic turn=5 phase=draw {pile} | hand=H01,A02 d1={GREEN_0_7} | -", "w:H")
    again = play(f"basic turn=5 phase=draw rebuilt=1,0,0,0 {pile} | hand=H01,A02 d1={GREEN_0_7} | -", "w:H")
    first = [GAME.deal(drawing, Seed(seed)) for seed in range(200)]
    assert set(first) == set(heads(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15).split(","))
    assert first != [GAME.deal(again, Seed(seed)) for seed in range(200)]


@pytest.mark.rule("N-14")
def test_a_card_discarded_in_this_turn_may_come_back_in_this_turn() -> None:
    text = f"basic turn=5 phase=discard | hand={heads(2, 3, 4, 5)} d1={RED_6_5} | hand={heads(6, 7, 8, 9, 10)} d2={GREEN_5_3} | hand={heads(11, 13, 15)} d3={GREEN_0_7}"
    assert legal(text, "d:H04", "ok", "w:H") == ("H04",)


@pytest.mark.rule("N-11", "N-14", "M-03")
def test_a_flip_rebuilds_an_exhausted_deck() -> None:
    text = f"basic turn=5 phase=mutate discards={heads(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15)} | d1={GREEN_5_3}/fern | -"
    assert after(text, "end", "flip:H01,A01,P01,T01") == line(
        f"basic turn=6 current=1 phase=draw rebuilt=1,0,0,0 | d1={GREEN_5_3}/1/fern | d2=H01,A01,P01,T01"
    )


@pytest.mark.rule("M-04")
def test_a_part_that_is_neither_in_deck_nor_discards_cannot_be_drawn() -> None:
    text = f"basic turn=5 phase=draw | hand={heads(2, 3, 4, 5)} d1={RED_6_5} | hand={heads(7, 8, 9, 10, 11)} d2={RED_5_1} | hand={heads(13, 14, 15)} d3={GREEN_5_3}/fern"
    assert legal(text) == ("w:A", "w:P", "w:T")
    error = refusal(text, "w:H")
    assert isinstance(error, IllegalAction)
    assert error.rule == "M-04"


@pytest.mark.rule("M-04", "N-11")
def test_a_player_without_dinosaur_lays_none_while_a_part_is_missing() -> None:
    table = f"hand={heads(1, 2, 3, 4, 5)} d1={GREEN_5_3}{{}}/fern | hand={heads(6, 7, 8, 9, 10)} | hand={heads(13, 14, 15)} d2={GREEN_3_3}/fern"
    text = f"basic turn=5 phase=mutate | {table.format('')}"
    assert after(text, "end") == line(f"basic turn=6 current=1 phase=discard | {table.format('/1')}")
    assert after(text, "end", "ok", "end") == line(f"basic turn=7 current=2 phase=discard | {table.format('/1')}")


@pytest.mark.rule("M-04")
def test_the_draw_is_over_when_no_deck_has_a_card() -> None:
    state = GAME.start(2, {"deck": SMALL_DECK})
    for move in ("flip:H1,A1,P1,T1", "flip:H2,A2,P2,T2", "w:H"):
        state = step(state, move)
    state = step(state, "H3")
    assert seen(state, "phase") == "mutate"


# Refusals


@pytest.mark.rule("N-12")
@pytest.mark.parametrize("action", ["d:H02", "d:A15", "d:T15"])
def test_a_card_that_is_not_in_the_hand_cannot_be_discarded(action: str) -> None:
    error = refusal(f"basic turn=5 phase=discard | hand=H01,A02 d1={GREEN_0_7} | hand=H02 d2={GREEN_1_3}", action)
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (0, "N-12")
    assert "Legal: d:H01 d:A02 ok." in str(error)


@pytest.mark.rule("N-10", "N-12")
@pytest.mark.parametrize(
    ("head", "action"),
    [
        ("phase=discard", "H01"),
        ("phase=discard", "d:"),
        ("phase=discard", "d:H01,A02"),
        ("phase=discard", "w:H"),
        ("phase=discard", "end"),
        ("phase=discard", "OK"),
        ("phase=discard", ""),
        ("phase=draw", "w:X"),
        ("phase=draw", "w:H01"),
        ("phase=draw", "w"),
        ("phase=draw", "d:H01"),
        ("phase=draw", "end"),
    ],
)
def test_what_is_no_action_of_the_phase_is_malformed(head: str, action: str) -> None:
    error = refusal(f"basic turn=5 {head} | hand=H01,A02 d1={GREEN_0_7} | hand=H02 d2={GREEN_1_3}", action)
    assert isinstance(error, MalformedAction)
    assert f"{action!r} is malformed, expected " in str(error)


@pytest.mark.rule("N-10")
@pytest.mark.parametrize("move", [{1: "ok"}, {}, {0: "ok", 1: "ok"}, {CHANCE: "ok"}, {2: "ok"}])
def test_only_the_current_player_may_discard(move: Mapping[int, str]) -> None:
    text = f"basic turn=5 phase=discard | hand=H01,A02 d1={GREEN_0_7} | hand=H02 d2={GREEN_1_3}"
    assert isinstance(refusal(text, move), MalformedAction)


@pytest.mark.rule("N-12")
@pytest.mark.parametrize(
    ("head", "action"),
    [("phase=discard", "ok"), ("phase=draw", "w:H")],
)
def test_a_player_who_does_not_answer_keeps_the_hand_and_draws_from_the_first_deck(head: str, action: str) -> None:
    state = GAME.parse(f"basic turn=5 {head} | hand=H01,A02 d1={GREEN_0_7} | d2={GREEN_1_3}")
    assert GAME.fallback(state, 0) == action
