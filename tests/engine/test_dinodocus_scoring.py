"""Timelines, the end of the game and who wins.

A position without a phase is a finished table, so each text is a sum to work out.
"""

import pytest

from engine.dinodocus import GAME
from engine.errors import ActionError, IllegalAction, MalformedAction
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
    GREEN_3_4,
    GREEN_3_5,
    GREEN_6_1,
    RED_1_5,
    RED_6_5,
    dinos,
    happened,
    legal,
    line,
    phase,
    play,
    refusal,
    seen,
)


def scores(text: str, *moves: str) -> tuple[int, ...]:
    return GAME.tally(play(text, *moves)).scores


# Timelines


@pytest.mark.rule("N-52")
@pytest.mark.parametrize(
    ("periods", "worth"), [(0, 0), (1, 1), (2, 3), (3, 6), (4, 10), (5, 15), (6, 20), (7, 25), (8, 30), (20, 90)]
)
def test_period_cards_lengthen_a_timeline_by_one_to_five_steps(periods: int, worth: int) -> None:
    assert scores(f"basic | d1={GREEN_0_7}/{periods} | -" if periods else f"basic | d1={GREEN_0_7} | -") == (worth, 0)


@pytest.mark.rule("N-52", "N-51")
@pytest.mark.parametrize(("timeline", "length"), [("d1:3", 6), ("d1:3,d2:6", 26), ("d1:2,d2:2", 6), ("d1:5,d2:5", 30)])
def test_every_dinosaur_of_a_timeline_starts_again_at_one(timeline: str, length: int) -> None:
    assert scores(f"basic | timeline={timeline} | -") == (length, 0)


@pytest.mark.rule("N-52", "N-54")
def test_a_long_life_is_worth_more_than_several_short_ones() -> None:
    text = f"basic | d1={GREEN_0_7}/6 | d2={GREEN_3_5}/2 d3={GREEN_1_3}/2 d4={GREEN_6_1}/2"
    assert scores(text) == (20, 9)


@pytest.mark.rule("N-51", "N-52")
def test_the_first_extinction_begins_the_timeline_and_the_second_lengthens_it() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_1_5}/6 d2={GREEN_0_7}/fern timeline=d3:3 | d4={GREEN_1_3}"
    state = play(text, "end")
    assert seen(state, "timelines") == [{"d3": 3, "d1": 6}, {}]
    assert GAME.tally(state).breakdown[0] == {"d3": 6, "d1": 20, "d2": 1}


@pytest.mark.rule("N-50")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_everybody_sees_the_period_cards_beside_dinosaurs_and_on_timelines(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7}/3 timeline=d4:2 | d2={GREEN_1_3}/1 | d3={RED_6_5}"
    view = GAME.view(GAME.parse(text), viewer)
    assert {dino["id"]: dino["periods"] for dino in view["dinos"]} == {"d1": 3, "d2": 1, "d3": 0}
    assert view["timelines"] == [{"d4": 2}, {}, {}]
    assert view["periods"] == 31 - 3 - 2 - 1


# The end


@pytest.mark.rule("N-54")
def test_at_the_end_living_dinosaurs_count_as_if_they_went_extinct() -> None:
    outcome = GAME.outcome(
        GAME.parse(f"basic | d1={GREEN_0_7}/4 d2={RED_6_5} timeline=d5:3 | d3={GREEN_1_3}/1 | timeline=d4:2")
    )
    assert outcome.scores == (16, 1, 3)
    assert outcome.breakdown == ({"d1": 10, "d5": 6}, {"d3": 1}, {"d4": 3})


@pytest.mark.rule("N-54")
def test_the_longest_timeline_wins() -> None:
    outcome = GAME.outcome(GAME.parse(f"basic | d1={GREEN_0_7}/4 | d2={GREEN_1_3}/5 | d3={GREEN_3_4}/1"))
    assert outcome.ranks == (2, 1, 3)


@pytest.mark.rule("M-14")
def test_equally_long_timelines_share_the_win() -> None:
    outcome = GAME.outcome(GAME.parse(f"basic | timeline=d1:3 | d2={GREEN_1_3}/2 d4={GREEN_0_7}/2 | d3={GREEN_3_4}/1"))
    assert (outcome.scores, outcome.ranks) == ((6, 6, 1), (1, 1, 3))


@pytest.mark.rule("N-53")
def test_the_game_goes_on_while_a_period_card_is_left() -> None:
    text = f"basic turn=5 phase=mutate periods=3 | d1={GREEN_0_7}/fern d2={GREEN_3_5}/3/fern | d3={GREEN_1_3}"
    state = play(text, "end")
    assert (seen(state, "phase"), seen(state, "periods"), GAME.outcome(state)) == ("draw", 1, None)


@pytest.mark.rule("N-53", "N-54")
def test_the_game_ends_when_the_last_period_card_is_taken() -> None:
    text = f"basic turn=5 phase=mutate periods=2 | d1={GREEN_0_7}/fern d2={GREEN_3_5}/3/fern | d3={GREEN_1_3}/1"
    state = play(text, "end")
    assert (seen(state, "phase"), seen(state, "periods"), GAME.to_act(state)) == ("over", 0, ())
    assert GAME.legal(state, 0) == GAME.legal(state, 1) == ()
    assert GAME.outcome(state) == GAME.tally(state)
    assert GAME.outcome(state).scores == (11, 1)


@pytest.mark.rule("N-54")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_the_final_scores(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate periods=2 | d1={GREEN_0_7}/fern d2={GREEN_3_5}/3/fern | d3={GREEN_1_3}/1"
    assert happened(text, "end", seat=viewer)[-1] == {"event": "score", "scores": [11, 1]}


@pytest.mark.rule("N-53", "N-38")
def test_the_dinosaurs_that_starve_in_the_last_turn_are_scored_too() -> None:
    text = f"basic turn=5 phase=mutate periods=1 | d1={GREEN_0_7}/fern d2={RED_1_5}/4 | d3={GREEN_1_3}/1"
    state = play(text, "end")
    assert GAME.outcome(state).breakdown == ({"d1": 1, "d2": 10}, {"d3": 1})


@pytest.mark.rule("N-53")
def test_nothing_can_be_played_after_the_end() -> None:
    text = f"basic | d1={GREEN_0_7}/4 | d2={GREEN_1_3}/5"
    assert GAME.to_act(GAME.parse(text)) == ()
    assert isinstance(refusal(text, {0: "end"}), MalformedAction)


# Fewer period cards than fed dinosaurs


@pytest.mark.rule("N-53", "M-15")
def test_the_player_chooses_who_receives_the_last_period_cards() -> None:
    text = f"basic turn=5 phase=mutate periods=2 | d1={GREEN_0_7}/fern d2={GREEN_3_5}/3/fern d3={GREEN_1_3}/5/fern | d4={GREEN_6_1}/1"
    assert phase(text, "end") == "alloc"
    assert legal(text, "end") == ("give:d1,d2", "give:d1,d3", "give:d2,d3")


@pytest.mark.rule("N-53", "N-52", "M-15")
@pytest.mark.parametrize(("action", "gain"), [("give:d1,d2", 5), ("give:d1,d3", 6), ("give:d2,d3", 9)])
def test_the_last_period_cards_are_worth_what_their_dinosaurs_make_of_them(action: str, gain: int) -> None:
    text = f"basic turn=5 phase=mutate periods=2 | d1={GREEN_0_7}/fern d2={GREEN_3_5}/3/fern d3={GREEN_1_3}/5/fern | d4={GREEN_6_1}/1"
    state = play(text, "end", action)
    assert (seen(state, "phase"), seen(state, "periods")) == ("over", 0)
    assert GAME.outcome(state).scores == (0 + 6 + 15 + gain, 1)


@pytest.mark.rule("M-15")
def test_the_last_period_cards_may_be_given_to_the_oldest_without_a_question() -> None:
    text = f"basic turn=5 phase=mutate periods=2 final_allocation=auto_best | d1={GREEN_0_7}/3/fern d2={GREEN_3_5}/fern d3={GREEN_1_3}/5/fern | d4={GREEN_6_1}/1"
    assert GAME.outcome(play(text, "end")).scores == (30, 1)


@pytest.mark.rule("M-15", "N-38")
def test_an_unfed_dinosaur_cannot_receive_the_last_period_card() -> None:
    text = f"basic turn=5 phase=mutate periods=1 | d1={GREEN_0_7}/fern d2={RED_1_5}/3 d3={GREEN_1_3}/fern | d4={GREEN_6_1}/1"
    assert legal(text, "end") == ("give:d1", "give:d3")
    assert seen(play(text, "end"), "timelines")[0] == {"d2": 3}
    assert "d2" not in dinos(play(text, "end"))


@pytest.mark.rule("N-53")
def test_a_player_who_does_not_answer_gives_the_last_period_cards_to_the_oldest() -> None:
    text = f"basic turn=5 phase=mutate periods=2 | d1={GREEN_0_7}/5/fern d2={GREEN_3_5}/fern d3={GREEN_1_3}/3/fern | d4={GREEN_6_1}/1"
    assert GAME.fallback(play(text, "end"), 0) == "give:d1,d3"


ALLOCATION = f"basic turn=5 phase=alloc periods=2 | d1={GREEN_0_7}/fern d2={GREEN_3_5}/3/fern d3={GREEN_1_3}/5/fern | d4={GREEN_6_1}/1/fern"


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        pytest.param("give:d1", "N-53", marks=pytest.mark.rule("N-53")),
        pytest.param("give:d1,d2,d3", "N-53", marks=pytest.mark.rule("N-53")),
        pytest.param("give:d1,d4", "N-53", marks=pytest.mark.rule("N-53")),
        pytest.param("give:d1,d9", "N-53", marks=pytest.mark.rule("N-53")),
    ],
)
def test_an_illegal_allocation_is_refused_with_the_rule(action: str, rule: str) -> None:
    error = refusal(ALLOCATION, action)
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (0, rule)
    assert "Legal: give:d1,d2 give:d1,d3 give:d2,d3." in str(error)


@pytest.mark.rule("N-53")
@pytest.mark.parametrize("action", ["give", "give:", "give:A05", "give:1,2", "d1,d2", "end", ""])
def test_what_is_no_allocation_is_malformed(action: str) -> None:
    assert isinstance(refusal(ALLOCATION, action), MalformedAction)


@pytest.mark.rule("N-53")
@pytest.mark.parametrize("action", ["give:d2,d1", "give:d1,d1"])
def test_an_allocation_names_different_dinosaurs_in_ascending_order(action: str) -> None:
    assert isinstance(refusal(ALLOCATION, action), ActionError)


# The turn cap


@pytest.mark.rule("M-20", "N-54")
@pytest.mark.parametrize(
    ("cap", "turn", "now"),
    [
        ("", 299, "draw"),
        ("", 300, "over"),
        ("turn_cap=50", 49, "draw"),
        ("turn_cap=50", 50, "over"),
        ("turn_cap=1000", 300, "draw"),
    ],
)
def test_after_the_last_turn_of_the_cap_the_game_is_over(cap: str, turn: int, now: str) -> None:
    text = f"basic turn={turn} phase=mutate {cap} | d1={GREEN_0_7}/2/fern | d2={GREEN_1_3}/1"
    assert phase(text, "end") == now


@pytest.mark.rule("M-20", "N-54")
def test_a_game_that_the_cap_ends_is_scored_with_what_its_last_turn_brought() -> None:
    text = f"basic turn=50 phase=mutate turn_cap=50 | d1={GREEN_0_7}/2/fern d3={RED_1_5}/3 | d2={GREEN_1_3}/1"
    state = play(text, "end")
    assert GAME.outcome(state).scores == (6 + 6, 1)
    assert seen(state, "periods") == 25 - 3 - 3 - 1


@pytest.mark.rule("M-20")
def test_a_capped_game_ends_before_the_next_player_flips_a_dinosaur() -> None:
    assert phase(f"basic turn=50 phase=mutate turn_cap=50 | d1={GREEN_0_7}/2/fern | -", "end") == "over"


# Written down


@pytest.mark.rule("N-51")
def test_extinct_dinosaurs_without_period_cards_are_not_kept() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_1_5} d2={GREEN_0_7}/fern | d3={GREEN_1_3}"
    assert GAME.format(play(text, "end")) == line(
        f"basic turn=6 current=1 phase=draw discards={RED_1_5} | d2={GREEN_0_7}/1/fern | d3={GREEN_1_3}"
    )
