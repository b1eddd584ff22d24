"""Natural Selection: ferns for herbivores, prey for carnivores, extinction of the unfed, period cards for the fed.

Four ferns are in the game. Where a position shows four of them beside dinosaurs, the pool is empty.
"""

import pytest

from engine.dinodocus import GAME
from engine.errors import IllegalAction, MalformedAction
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
    GREEN_2_2,
    GREEN_3_3,
    GREEN_3_4,
    GREEN_3_5,
    GREEN_4_2,
    GREEN_4_3,
    GREEN_5_3,
    GREEN_6_1,
    RED_1_5,
    RED_2_4,
    RED_3_4,
    RED_4_2,
    RED_5_1,
    RED_6_5,
    after,
    dinos,
    happened,
    legal,
    line,
    phase,
    play,
    refusal,
    seen,
)

# Ferns of the pool


@pytest.mark.rule("N-31", "N-40")
def test_a_herbivore_that_holds_a_fern_is_fed_and_keeps_it() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_1_3}/2/fern | d2={GREEN_3_4}"
    assert after(text, "end") == line(f"basic turn=6 current=1 phase=draw | d1={GREEN_1_3}/3/fern | d2={GREEN_3_4}")
    assert seen(play(text, "end"), "pool") == 3


@pytest.mark.rule("N-32", "N-40")
def test_hungry_herbivores_are_fed_without_a_question_while_the_pool_has_enough() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_1_3} d2={GREEN_3_4}/1 | d3={GREEN_5_3}/fern d4={GREEN_6_1}/fern"
    assert after(text, "end") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_1_3}/1/fern d2={GREEN_3_4}/2/fern | d3={GREEN_5_3}/fern d4={GREEN_6_1}/fern"
    )
    assert seen(play(text, "end"), "pool") == 0


@pytest.mark.rule("N-32")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_who_takes_a_fern_from_the_pool(viewer: int | None) -> None:
    events = happened(f"basic turn=5 phase=mutate | d1={GREEN_1_3} | d2={GREEN_3_4}", "end", seat=viewer)
    assert {"event": "take", "dino": "d1", "owner": 0} in events


@pytest.mark.rule("N-32")
def test_nothing_is_stolen_while_the_pool_has_a_fern() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7} | d2={GREEN_2_2}/fern d3={GREEN_3_5}/fern d4={GREEN_5_3}/fern"
    assert after(text, "end") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_0_7}/1/fern | d2={GREEN_2_2}/fern d3={GREEN_3_5}/fern d4={GREEN_5_3}/fern"
    )


@pytest.mark.rule("N-32", "N-30")
def test_the_player_chooses_who_takes_the_last_fern_of_the_pool() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_6_1} d2={GREEN_3_5} | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern"
    assert phase(text, "end") == "herb"
    assert legal(text, "end") == ("take:d1", "take:d2")


@pytest.mark.rule("N-32", "N-33")
def test_the_weak_take_the_last_fern_and_the_strong_steal() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_6_1} d2={GREEN_3_5} | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern"
    assert legal(text, "end", "take:d1") == ("steal:d2:d3",)
    assert after(text, "end", "take:d1", "steal:d2:d3") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_6_1}/1/fern d2={GREEN_3_5}/1/fern | d3={GREEN_3_4} d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern"
    )


@pytest.mark.rule("N-32", "N-38")
def test_the_weak_starve_when_the_strong_take_the_last_fern() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_6_1} d2={GREEN_3_5} | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern"
    assert after(text, "end", "take:d2") == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_6_1} | d2={GREEN_3_5}/1/fern | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern"
    )


@pytest.mark.rule("N-32")
def test_a_carnivore_needs_no_fern() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} | d2={GREEN_0_7}"
    assert seen(play(text, "end"), "pool") == 4


# Stealing


@pytest.mark.rule("N-33")
@pytest.mark.parametrize(
    ("thief", "others", "steals"),
    [
        ("H08,A11,P14,T12", "d2=H11,A08,P15,T15/fern d3=H13,A06,P06,T08/fern d4=H09,A05,P03,T13/fern", None),
        (
            "H11,A08,P15,T15",
            "d2=H08,A11,P14,T12/fern d3=H13,A06,P06,T08/fern d4=H09,A05,P03,T13/fern",
            ("steal:d1:d2", "steal:d1:d3", "steal:d1:d4"),
        ),
        ("H13,A06,P06,T08", "d2=H08,A11,P14,T12/fern d3=H11,A08,P15,T15/fern d4=H09,A05,P03,T13/fern", None),
        (
            "H09,A05,P03,T13",
            "d2=H08,A11,P14,T12/fern d3=H11,A08,P15,T15/fern d4=H13,A06,P06,T08/fern",
            ("steal:d1:d2",),
        ),
    ],
    ids=["Imelorus", "Galplolorus", "Pretronytops", "Pronosauphale"],
)
def test_the_rulebooks_four_herbivores_rob_whom_they_can(
    thief: str, others: str, steals: tuple[str, ...] | None
) -> None:
    """(1, 3), (3, 6), (4, 2) and (3, 4); a fifth holds the fourth fern and is too strong for all, (0, 7)."""
    text = f"basic turn=5 phase=mutate | d1={thief} | {others} d5=H14,A15,P09,T11/fern"
    if steals is None:
        assert "d1" not in dinos(play(text, "end"))
    else:
        assert legal(text, "end") == steals


@pytest.mark.rule("N-33")
def test_defence_equal_to_strength_is_not_enough_to_steal() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_3}/1 | d2={GREEN_1_3}/fern d3={GREEN_4_3}/fern d4={GREEN_0_7}/fern d5={GREEN_6_1}/fern"
    assert seen(play(text, "end"), "timelines")[0] == {"d1": 1}


@pytest.mark.rule("N-33")
def test_only_who_holds_a_fern_can_be_robbed() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_5} | d2={GREEN_1_3} d3={GREEN_3_4}/fern d4={RED_2_4} d5={GREEN_0_7}/fern d6={GREEN_6_1}/fern d7={GREEN_5_3}/fern"
    assert legal(text, "end") == ("steal:d1:d3",)


@pytest.mark.rule("N-34", "N-33")
def test_the_robbed_dinosaur_stays_on_the_table() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_5} | d2={GREEN_1_3}/4/fern d3={GREEN_0_7}/fern d4={GREEN_6_1}/fern d5={GREEN_5_3}/fern"
    assert after(text, "end", "steal:d1:d2") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_3_5}/1/fern | d2={GREEN_1_3}/4 d3={GREEN_0_7}/fern d4={GREEN_6_1}/fern d5={GREEN_5_3}/fern"
    )


@pytest.mark.rule("N-33", "N-34")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_a_theft(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_5} | d2={GREEN_1_3}/4/fern d3={GREEN_0_7}/fern d4={GREEN_6_1}/fern d5={GREEN_5_3}/fern"
    theft = {"event": "steal", "dino": "d1", "owner": 0, "from": "d2", "robbed": 1}
    assert theft in happened(text, "end", "steal:d1:d2", seat=viewer)


@pytest.mark.rule("N-34", "N-33")
def test_the_owner_of_a_robbed_dinosaur_may_improve_it_and_steal_the_fern_back() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_4} | hand=A15,P01,P02,P04,T04 d2=H07,A01,P12,T13/4/fern | d3=H14,A08,P09,T08/fern d4={GREEN_6_1}/fern d5={GREEN_5_3}/fern"
    stolen = ("end", "steal:d1:d2", "ok")
    assert legal(text, *stolen, "mod:d2:A15", "end") == ("steal:d2:d1",)
    assert seen(play(text, *stolen, "end"), "timelines")[1] == {"d2": 4}


@pytest.mark.rule("M-10")
def test_a_hungry_herbivore_must_steal_when_it_can() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_5} | d2={GREEN_1_3}/fern d3={GREEN_3_4}/fern d4={GREEN_6_1}/fern d5={GREEN_5_3}/fern"
    assert legal(text, "end") == ("steal:d1:d2", "steal:d1:d3")


@pytest.mark.rule("M-10")
def test_a_hungry_herbivore_may_be_left_free_to_starve() -> None:
    text = f"basic turn=5 phase=mutate herb_duty=free | d1={GREEN_3_5}/2 | d2={GREEN_1_3}/fern d3={GREEN_3_4}/fern d4={GREEN_6_1}/fern d5={GREEN_5_3}/fern"
    assert legal(text, "end") == ("steal:d1:d2", "steal:d1:d3", "done")
    assert seen(play(text, "end", "done"), "timelines")[0] == {"d1": 2}


@pytest.mark.rule("M-10", "N-32")
def test_the_pool_must_be_used_even_by_who_is_free_not_to_steal() -> None:
    text = f"basic turn=5 phase=mutate herb_duty=free | d1={GREEN_6_1} d2={GREEN_3_5} | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern"
    assert legal(text, "end") == ("take:d1", "take:d2")
    assert legal(text, "end", "take:d1") == ("steal:d2:d3", "done")


@pytest.mark.rule("N-35", "M-10")
def test_a_player_may_rob_an_own_herbivore_but_need_not() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_1_3}/3/fern d2={GREEN_3_5} | d3={GREEN_0_7}/fern d4={GREEN_5_3}/fern d5={GREEN_6_1}/fern"
    assert legal(text, "end") == ("steal:d2:d1", "done")


@pytest.mark.rule("N-35", "N-38")
def test_an_own_herbivore_that_was_robbed_starves() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_1_3}/3/fern d2={GREEN_3_5} | d3={GREEN_0_7}/fern d4={GREEN_5_3}/fern d5={GREEN_6_1}/fern"
    state = play(text, "end", "steal:d2:d1")
    assert GAME.format(state) == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_1_3} | d2={GREEN_3_5}/1/fern timeline=d1:3 | d3={GREEN_0_7}/fern d4={GREEN_5_3}/fern d5={GREEN_6_1}/fern"
    )
    assert GAME.tally(state).breakdown[0] == {"d1": 6, "d2": 1}


@pytest.mark.rule("N-35", "N-38")
def test_an_own_herbivore_that_was_spared_lives_and_the_hungry_one_starves() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_1_3}/3/fern d2={GREEN_3_5} | d3={GREEN_0_7}/fern d4={GREEN_5_3}/fern d5={GREEN_6_1}/fern"
    assert after(text, "end", "done") == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_3_5} | d1={GREEN_1_3}/4/fern | d3={GREEN_0_7}/fern d4={GREEN_5_3}/fern d5={GREEN_6_1}/fern"
    )


@pytest.mark.rule("N-35", "M-10")
def test_an_own_herbivore_that_was_robbed_must_steal_in_its_turn() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_4}/fern d2={GREEN_3_5} | d3={GREEN_1_3}/fern d4={GREEN_5_3}/fern d5={GREEN_6_1}/fern"
    assert legal(text, "end") == ("steal:d2:d1", "steal:d2:d3")
    assert legal(text, "end", "steal:d2:d1") == ("steal:d1:d3",)
    fed = dinos(play(text, "end", "steal:d2:d1", "steal:d1:d3"))
    assert [(fed[dino]["fern"], fed[dino]["periods"]) for dino in ("d1", "d2", "d3")] == [
        (True, 1),
        (True, 1),
        (False, 0),
    ]


@pytest.mark.rule("N-35")
def test_a_fern_that_passes_through_two_own_herbivores_feeds_only_the_last() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_4} d2={GREEN_3_5} | d3={GREEN_1_3}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    assert legal(text, "end") == ("steal:d1:d3", "steal:d2:d3")
    assert legal(text, "end", "steal:d1:d3") == ("steal:d2:d1", "done")
    fed = dinos(play(text, "end", "steal:d1:d3", "steal:d2:d1"))
    assert ("d1" in fed, fed["d2"]["fern"], fed["d2"]["periods"]) == (False, True, 1)


@pytest.mark.rule("N-33", "N-38")
def test_the_second_thief_goes_hungry_when_the_only_victim_was_robbed() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_3_4} d2={GREEN_3_5} | d3={GREEN_1_3}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    state = play(text, "end", "steal:d2:d3")
    assert seen(state, "turn") == 6
    assert [dino for dino in ("d1", "d2", "d3") if dino in dinos(state)] == ["d2", "d3"]


# Hunting


@pytest.mark.rule("N-36")
@pytest.mark.parametrize(
    ("hunter", "others", "prey"),
    [
        (RED_6_5, f"d2={RED_2_4} d3={GREEN_1_3} d4={RED_4_2}", ("eat:d1:d2", "eat:d1:d3", "eat:d1:d4")),
        (RED_2_4, f"d2={RED_6_5} d3={GREEN_1_3} d4={RED_4_2}", None),
        (GREEN_1_3, f"d2={RED_6_5} d3={RED_2_4} d4={RED_4_2}", None),
        (RED_4_2, f"d2={RED_6_5} d3={RED_2_4} d4={GREEN_1_3}", ("eat:d1:d4",)),
    ],
    ids=["Typlolorus", "Disimirus", "Dinocephale", "Deitrorotor"],
)
def test_the_rulebooks_dinosaurs_eat_whom_they_can(hunter: str, others: str, prey: tuple[str, ...] | None) -> None:
    text = f"basic turn=5 phase=mutate | d1={hunter} | {others}"
    if prey is None:
        assert phase(text, "end") in ("draw", "flip")
    else:
        assert phase(text, "end") == "carn"
        assert legal(text, "end") == prey


@pytest.mark.rule("N-36", "N-38")
def test_attack_equal_to_strength_is_not_enough_to_eat() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_4_2}/2 | d2={GREEN_4_3} d3={GREEN_3_4}"
    assert seen(play(text, "end"), "timelines")[0] == {"d1": 2}


@pytest.mark.rule("N-36")
def test_own_dinosaurs_are_prey_too_but_never_the_hunter_itself() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} d2={GREEN_3_4}/fern d3={RED_1_5} | d4={GREEN_1_3}/fern"
    assert legal(text, "end") == ("eat:d1:d2", "eat:d1:d3", "eat:d1:d4")


@pytest.mark.rule("N-36")
def test_a_carnivore_eats_once() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} | d2={GREEN_3_4}/fern d3={GREEN_1_3}/fern"
    state = play(text, "end", "eat:d1:d2")
    assert (seen(state, "turn"), list(dinos(state))) == (6, ["d1", "d3"])


@pytest.mark.rule("N-36")
def test_the_player_chooses_the_order_of_own_carnivores() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} d2={RED_5_1} | d3={GREEN_3_4}/fern d4={GREEN_1_3}/fern"
    assert legal(text, "end") == ("eat:d1:d2", "eat:d1:d3", "eat:d1:d4", "eat:d2:d3", "eat:d2:d4")
    assert legal(text, "end", "eat:d2:d3") == ("eat:d1:d2", "eat:d1:d4")
    assert legal(text, "end", "eat:d1:d4") == ("eat:d2:d3",)
    assert dinos(play(text, "end", "eat:d2:d3"))["d2"]["fed"] is True


@pytest.mark.rule("N-36", "N-37")
def test_a_carnivore_that_is_eaten_before_it_ate_needs_no_prey() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} d2={RED_5_1}/2 | d3={GREEN_3_4}/fern"
    assert after(text, "end", "eat:d1:d2") == line(
        f"basic turn=6 current=1 phase=draw discards={RED_5_1} | d1={RED_6_5}/1 timeline=d2:2 | d3={GREEN_3_4}/fern"
    )


@pytest.mark.rule("N-36", "N-37", "N-40")
def test_a_carnivore_that_ate_may_be_eaten_and_gets_no_period_card() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} d2={RED_5_1}/2 | d3={GREEN_3_4}/3/fern"
    assert legal(text, "end", "eat:d2:d3") == ("eat:d1:d2",)
    state = play(text, "end", "eat:d2:d3", "eat:d1:d2")
    assert seen(state, "timelines") == [{"d2": 2}, {"d3": 3}]
    assert seen(state, "periods") == 25 - 2 - 3 - 1


@pytest.mark.rule("N-36", "N-38")
def test_a_carnivore_whose_prey_another_ate_starves() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} d2={RED_5_1}/2 | d3={GREEN_3_4}/fern d4={GREEN_0_7}/fern"
    assert after(text, "end", "eat:d1:d3") == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_3_4},{RED_5_1} | d1={RED_6_5}/1 timeline=d2:2 | d4={GREEN_0_7}/fern"
    )


@pytest.mark.rule("N-36", "M-11")
def test_a_carnivore_must_eat_an_own_dinosaur_if_there_is_no_other_prey() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_5_1} d2={GREEN_1_3}/fern | d3={GREEN_5_3} d4={GREEN_6_1}"
    assert legal(text, "end") == ("eat:d1:d2",)


@pytest.mark.rule("M-11")
def test_a_carnivore_may_be_left_to_starve_rather_than_eat_an_own_dinosaur() -> None:
    text = f"basic turn=5 phase=mutate carn_duty=own_optional | d1={RED_5_1}/1 d2={GREEN_1_3}/fern | d3={GREEN_5_3} d4={GREEN_6_1}"
    assert legal(text, "end") == ("eat:d1:d2", "starve:d1")
    assert after(text, "end", "starve:d1") == line(
        f"basic turn=6 current=1 phase=draw carn_duty=own_optional discards={RED_5_1} | d2={GREEN_1_3}/1/fern timeline=d1:1 | d3={GREEN_5_3} d4={GREEN_6_1}"
    )


@pytest.mark.rule("M-11")
def test_a_carnivore_with_prey_of_others_may_not_starve_unless_it_is_free_to() -> None:
    table = f"| d1={RED_5_1} d2={GREEN_1_3}/fern | d3={GREEN_3_4} d4={GREEN_6_1}"
    eats = ("eat:d1:d2", "eat:d1:d3")
    assert legal(f"basic turn=5 phase=mutate {table}", "end") == eats
    assert legal(f"basic turn=5 phase=mutate carn_duty=own_optional {table}", "end") == eats
    assert legal(f"basic turn=5 phase=mutate carn_duty=free {table}", "end") == (*eats, "starve:d1")


@pytest.mark.rule("M-11")
def test_a_carnivore_left_to_starve_may_still_be_eaten() -> None:
    text = f"basic turn=5 phase=mutate carn_duty=free | d1={RED_6_5} d2={RED_5_1}/3 | d3={GREEN_3_4}/fern"
    assert dinos(play(text, "end", "starve:d2"))["d2"]["starving"] is True
    assert "eat:d1:d2" in legal(text, "end", "starve:d2")
    assert "eat:d2:d3" not in legal(text, "end", "starve:d2")
    assert list(dinos(play(text, "end", "starve:d2", "eat:d1:d2"))) == ["d1", "d3"]


@pytest.mark.rule("M-11")
def test_a_carnivore_left_to_starve_is_not_asked_again_when_another_is_eaten() -> None:
    text = f"basic turn=5 phase=mutate carn_duty=free | d1={RED_6_5} d2={RED_5_1} d3={RED_4_2}/2 | d4={GREEN_1_3}/fern"
    state = play(text, "end", "starve:d2", "starve:d3", "eat:d1:d2")
    assert (seen(state, "turn"), seen(state, "timelines")[0]) == (6, {"d3": 2})


@pytest.mark.rule("N-37", "N-40", "N-51")
def test_the_owner_of_the_prey_scores_its_period_cards() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5}/1 | d2={GREEN_3_4}/4/fern d3={GREEN_1_3}/2"
    state = play(text, "end", "eat:d1:d2")
    assert GAME.format(state) == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_3_4} | d1={RED_6_5}/2 | d3={GREEN_1_3}/2 timeline=d2:4"
    )
    assert GAME.tally(state).breakdown == ({"d1": 3}, {"d2": 10, "d3": 3})


@pytest.mark.rule("N-37")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_who_was_eaten(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5}/1 | d2={GREEN_3_4}/4/fern d3={GREEN_1_3}/2"
    meal = {"event": "eat", "dino": "d1", "owner": 0, "prey": "d2", "victim": 1, "periods": 4}
    assert meal in happened(text, "end", "eat:d1:d2", seat=viewer)


@pytest.mark.rule("N-37")
def test_the_fern_of_a_prey_returns_to_the_pool() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_6_5} | d2={GREEN_3_4}/fern d3={GREEN_1_3}/fern"
    assert (seen(play(text, "end"), "pool"), seen(play(text, "end", "eat:d1:d2"), "pool")) == (2, 3)


@pytest.mark.rule("N-36", "N-37", "N-40")
def test_an_own_carnivore_may_eat_an_own_herbivore_that_was_fed() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_1_3}/3/fern d2={RED_6_5}/1 | d3={GREEN_0_7}"
    state = play(text, "end", "eat:d2:d1")
    assert GAME.format(state) == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_1_3} | d2={RED_6_5}/2 timeline=d1:3 | d3={GREEN_0_7}"
    )
    assert seen(state, "pool") == 4


@pytest.mark.rule("M-13", "N-30")
def test_a_fern_that_a_carnivore_frees_comes_too_late_for_a_hungry_herbivore() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_4_2}/2 d2={RED_6_5} | d3={GREEN_3_4}/fern d4={GREEN_3_5}/fern d5={GREEN_0_7}/fern d6={GREEN_5_3}/fern"
    assert legal(text, "end") == ("eat:d2:d1", "eat:d2:d3", "eat:d2:d4", "eat:d2:d6")
    state = play(text, "end", "eat:d2:d3")
    assert GAME.format(state) == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_3_4},{GREEN_4_2} | d2={RED_6_5}/1 timeline=d1:2 | d4={GREEN_3_5}/fern d5={GREEN_0_7}/fern d6={GREEN_5_3}/fern"
    )
    assert seen(state, "pool") == 1


# Extinction


@pytest.mark.rule("M-12", "N-38")
def test_a_starving_herbivore_can_still_feed_an_own_carnivore() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_2_2}/1 d2={RED_3_4} | d3={GREEN_3_5}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    assert legal(text, "end") == ("eat:d2:d1",)
    assert after(text, "end", "eat:d2:d1") == line(
        f"basic turn=6 current=1 phase=draw discards={GREEN_2_2} | d2={RED_3_4}/1 timeline=d1:1 | d3={GREEN_3_5}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    )


@pytest.mark.rule("M-12", "N-38")
def test_a_starving_herbivore_may_be_gone_before_the_carnivores_feed() -> None:
    text = f"basic turn=5 phase=mutate unfed_discard=immediate | d1={GREEN_2_2}/1 d2={RED_3_4} | d3={GREEN_3_5}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    assert after(text, "end") == line(
        f"basic turn=6 current=1 phase=draw unfed_discard=immediate discards={GREEN_2_2},{RED_3_4} | timeline=d1:1 | d3={GREEN_3_5}/fern d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_6_1}/fern"
    )


@pytest.mark.rule("M-12")
def test_unfed_carnivores_always_stay_until_the_end_of_the_feeding() -> None:
    text = f"basic turn=5 phase=mutate unfed_discard=immediate | d1={RED_6_5} d2={RED_1_5}/2 | d3={GREEN_0_7}/fern"
    assert legal(text, "end") == ("eat:d1:d2",)


@pytest.mark.rule("N-38", "N-51")
def test_an_unfed_dinosaur_goes_extinct_and_its_period_cards_to_the_timeline() -> None:
    text = f"basic turn=5 phase=mutate discards=T01 | d1={RED_1_5}/3 d2={GREEN_0_7}/fern timeline=d3:2 | d4={GREEN_1_3}"
    assert after(text, "end") == line(
        f"basic turn=6 current=1 phase=draw discards=T01,{RED_1_5} | d2={GREEN_0_7}/1/fern timeline=d3:2,d1:3 | d4={GREEN_1_3}"
    )


@pytest.mark.rule("N-38", "N-51")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_who_went_extinct_for_want_of_food(viewer: int | None) -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_1_5}/3 d2={GREEN_0_7}/fern | d4={GREEN_1_3}"
    assert {"event": "starve", "dino": "d1", "owner": 0, "periods": 3} in happened(text, "end", seat=viewer)


@pytest.mark.rule("N-38", "N-30")
def test_dinosaurs_of_others_neither_eat_nor_starve() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern | d2={GREEN_1_3}/1 d3={RED_6_5}/1 | d4={RED_1_5}"
    assert after(text, "end") == line(
        f"basic turn=6 current=1 phase=draw | d1={GREEN_0_7}/1/fern | d2={GREEN_1_3}/1 d3={RED_6_5}/1 | d4={RED_1_5}"
    )


@pytest.mark.rule("N-38", "N-11")
def test_a_player_whose_last_dinosaur_starved_flips_another_in_the_next_turn() -> None:
    text = f"basic turn=5 phase=mutate | d1={RED_1_5} | hand=A01,A02,A03,A04,A06 d2={GREEN_1_3}/fern"
    state = play(text, "end", "ok", "end")
    assert (seen(state, "phase"), seen(state, "turn"), seen(state, "current")) == ("flip", 7, 0)


# Period cards


@pytest.mark.rule("N-40")
def test_every_fed_dinosaur_of_the_player_receives_one_period_card() -> None:
    text = f"basic turn=5 phase=mutate | d1={GREEN_0_7}/fern d2={RED_6_5}/4 d3={GREEN_3_5} | d4={GREEN_1_3}/1/fern d5={GREEN_3_4}/fern"
    assert after(text, "end", "eat:d2:d5") == line(
        f"basic turn=6 current=1 phase=draw next=6 discards={GREEN_3_4} | d1={GREEN_0_7}/1/fern d2={RED_6_5}/5 d3={GREEN_3_5}/1/fern | d4={GREEN_1_3}/1/fern"
    )


@pytest.mark.rule("N-40", "N-50")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_the_period_cards_being_given(viewer: int | None) -> None:
    events = happened(f"basic turn=5 phase=mutate | d1={GREEN_0_7}/2/fern | d2={GREEN_1_3}", "end", seat=viewer)
    assert {"event": "period", "dino": "d1", "owner": 0, "periods": 3} in events


# Refusals

POOL = f"basic turn=5 phase=herb | hand=A03 d1={GREEN_4_2} d2={GREEN_3_5} d3={GREEN_3_4}/fern | d4={GREEN_0_7}/fern d5={GREEN_5_3}/fern d6={GREEN_1_3}"
COMPETITION = f"basic turn=5 phase=herb | hand=A03 d1={GREEN_3_4} d2={RED_2_4} d8={GREEN_3_3}/fern | d3={GREEN_1_3}/fern d4={GREEN_3_5}/fern d5={GREEN_6_1}/fern d7={GREEN_5_3}"
HUNT = f"basic turn=5 phase=carn | hand=A01 d1={RED_5_1} d2={GREEN_3_5}/fern d5={RED_4_2}/fed | d3={GREEN_1_3}/fern d4={RED_6_5}"


@pytest.mark.parametrize(
    ("text", "action", "rule"),
    [
        pytest.param(POOL, "steal:d2:d3", "N-32", marks=pytest.mark.rule("N-32")),
        pytest.param(POOL, "take:d3", "N-31", marks=pytest.mark.rule("N-31")),
        pytest.param(POOL, "take:d6", "N-30", marks=pytest.mark.rule("N-30")),
        pytest.param(POOL, "take:d9", "N-30", marks=pytest.mark.rule("N-30")),
        pytest.param(POOL, "done", "N-32", marks=pytest.mark.rule("N-32")),
        pytest.param(COMPETITION, "take:d1", "N-32", marks=pytest.mark.rule("N-32")),
        pytest.param(COMPETITION, "steal:d1:d4", "N-33", marks=pytest.mark.rule("N-33")),
        pytest.param(COMPETITION, "steal:d1:d7", "N-33", marks=pytest.mark.rule("N-33")),
        pytest.param(COMPETITION, "steal:d1:d2", "N-33", marks=pytest.mark.rule("N-33")),
        pytest.param(COMPETITION, "steal:d1:d1", "N-33", marks=pytest.mark.rule("N-33")),
        pytest.param(COMPETITION, "steal:d1:d9", "N-33", marks=pytest.mark.rule("N-33")),
        pytest.param(COMPETITION, "steal:d8:d3", "N-31", marks=pytest.mark.rule("N-31")),
        pytest.param(COMPETITION, "steal:d7:d3", "N-30", marks=pytest.mark.rule("N-30")),
        pytest.param(COMPETITION, "done", "M-10", marks=pytest.mark.rule("M-10")),
        pytest.param(HUNT, "eat:d1:d4", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "eat:d1:d1", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "eat:d1:d2", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "eat:d1:d9", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "eat:d2:d3", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "eat:d4:d3", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "eat:d5:d3", "N-36", marks=pytest.mark.rule("N-36")),
        pytest.param(HUNT, "starve:d1", "M-11", marks=pytest.mark.rule("M-11")),
    ],
)
def test_illegal_feeding_is_refused_with_the_rule(text: str, action: str, rule: str) -> None:
    error = refusal(text, action)
    assert isinstance(error, IllegalAction)
    assert (error.seat, error.rule) == (0, rule)
    assert f"{action} is not legal, " in str(error)
    assert f"Legal: {' '.join(legal(text))}." in str(error)


@pytest.mark.rule("N-27", "N-30")
@pytest.mark.parametrize(
    ("text", "actions"),
    [
        (POOL, ["mod:d1:A03", "hatch:H01,A03,P15,T15", "end", "take", "take:4", "steal:d1", "eat:d1:d2", "pass"]),
        (COMPETITION, ["mod:d1:A03", "end", "steal:d1:d2:d3", "take:d1:d2", "starve:d1", ""]),
        (HUNT, ["mod:d1:A01", "end", "done", "eat:d1", "eat:1:3", "take:d1", "starve", "pass"]),
    ],
    ids=["pool", "competition", "hunt"],
)
def test_once_the_feeding_began_nothing_but_feeding_is_an_action(text: str, actions: list[str]) -> None:
    for action in actions:
        error = refusal(text, action)
        assert isinstance(error, MalformedAction), action
        assert f"{action!r} is malformed, expected " in str(error)


@pytest.mark.parametrize("text", [POOL, COMPETITION, HUNT], ids=["pool", "competition", "hunt"])
def test_for_a_player_who_does_not_answer_the_first_legal_action_is_played(text: str) -> None:
    assert GAME.fallback(GAME.parse(text), 0) == legal(text)[0]
