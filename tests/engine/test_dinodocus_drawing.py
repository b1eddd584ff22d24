"""What the table of Dinodocus looks like in a terminal."""

import json

import pytest

from engine.contract import Outcome, plain
from engine.dice import Seed
from engine.dinodocus import GAME
from engine.dinodocus.drawing import PHASES
from engine.dinodocus.state import Phase
from engine.playouts import at_random, steps
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
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
)

ALL = (
    RED_6_5, RED_2_4, RED_4_2, RED_5_1, RED_3_4, RED_1_5, GREEN_1_3, GREEN_3_4, GREEN_0_7, GREEN_4_2, GREEN_3_5,
    GREEN_4_3, GREEN_6_1, GREEN_3_3, GREEN_5_3,
)  # fmt: skip

BASIC = f"basic turn=7 current=1 phase=mutate discards=H03,A05,A08 | hand=H01,A02 d4=H07,A15,P12,T09/3/fern timeline=d1:3,d3:6 | hand=H02,A03,P01,T01,T02 d5={RED_4_2}/2/closed"
ADVANCED = f"advanced turn=9 current=2 phase=answer window=mutate | hand=A02,T03 shown=T03 offer=A02 d1={GREEN_0_7}/1 hidden=2 | hand=H06,P14 offer=H06,P14 hidden=1 | d2={RED_6_5}/10"
HUNT = f"basic turn=3 phase=carn carn_duty=free real_bonus=true real_repeat=once_per_dino | d1={RED_6_5}/1/fed/bonus d2={RED_2_4}/starving d3={GREEN_1_3}/12/fern d5={RED_5_1} | d4={GREEN_3_4}"


def drawn(text: str, seat: int | None = None, tally: Outcome | None = None) -> str:
    state = GAME.parse(text)
    return GAME.draw(GAME.view(state, seat), tally or GAME.tally(state), plain)


def block(picture: str, seat: int) -> list[str]:
    """The lines of one player."""
    return picture.split("\n\n")[1 + seat].split("\n")


def test_the_table_is_drawn_as_each_of_them_sees_it(golden):
    seen = [(BASIC, None), (BASIC, 1), (ADVANCED, None), (ADVANCED, 1), (HUNT, 0)]
    seen.append((f"advanced turn=31 periods=0 | d1={GREEN_0_7}/1 hidden=2 | hand=H01 timeline=d2:5 | -", None))
    golden("dinodocus/drawings.txt", "\n\n\n".join(drawn(text, seat) for text, seat in seen) + "\n")


def test_each_phase_is_told_in_words():
    assert set(PHASES) == {phase.value for phase in Phase} - {"over"}
    headlines = {
        "basic turn=0 phase=flip | - | -": "set-up, seat 0: a dinosaur from the tops of the decks",
        BASIC: "turn 7, seat 1: hatching and mutation",
        ADVANCED: "turn 9, seat 2: seat 2 may accept offers",
        f"basic phase=react focus=d1 | - | hand=H02 d1={RED_6_5}/closed": "turn 1, seat 0: d1 was modified, its owner may react",
        f"basic phase=bonus focus=d1 real_bonus=true | d1=H01,A01,P01,T01 | d2={GREEN_0_7}": "turn 1, seat 0: seat 0 may add period cards to d1",
        f"basic | d1={RED_6_5} | -": "the game is over, after 1 turn",
    }
    assert {text: drawn(text).split("\n")[0] for text in headlines} == headlines


def test_points_are_those_that_can_be_seen():
    nonsense = Outcome((99, 99, 99), (1, 1, 1), ({"d1": 99}, {"d1": 99}, {"d1": 99}))
    for seat in (0, 1, 2, None):
        assert drawn(ADVANCED, seat, nonsense) == drawn(ADVANCED, seat)
    assert [block(drawn(ADVANCED), seat)[0] for seat in range(3)] == [
        "seat 0  1 point and hidden ones  hand 2 (1 A 1 T)",
        "seat 1  0 points and hidden ones  hand 2 (1 H 1 P)",
        "seat 2  40 points and hidden ones  hand empty",
    ]
    assert block(drawn(ADVANCED, 0), 0)[0] == "seat 0  4 points  2 hidden period cards"
    assert block(drawn(BASIC), 0)[0] == "seat 0  32 points, rank 1  hand 2 (1 H 1 A)"


def test_nobody_sees_what_is_hidden():
    other = (
        ADVANCED.replace("hidden=2 ", "hidden=0 ").replace("hidden=1 ", "hidden=2 ").replace("hidden=0 ", "hidden=1 ")
    )
    assert drawn(ADVANCED, 2) == drawn(other, 2)
    assert drawn(BASIC, 1) == drawn(BASIC.replace("hand=H01,A02", "hand=H06,A09"), 1)


def test_a_hand_whose_parts_are_not_public_is_a_number():
    assert block(drawn("basic phase=mutate hand_parts_public=false | - | hand=H01,A02"), 1) == [
        "seat 1  0 points, rank 1  hand 2"
    ]


def test_dinosaurs_are_coloured_by_diet():
    state = GAME.parse(BASIC)
    painted = GAME.draw(GAME.view(state, 1), GAME.tally(state), lambda text, colour: f"<{colour}:{text}>")
    assert "<green:Dikymidon           >  <green:herbivore>  1/5  <green:fern> " in painted
    assert "<red:Deitrorotor         >  <red:carnivore>" in painted
    assert "hand  H02 2/1 <red:carnivore>, A03 1/0" in painted
    assert "<bold:seat 0>  32 points" in painted
    assert "turn 7, seat 1:" in painted, "only who a block belongs to is bold"


def test_a_full_table_fits_80_columns():
    dinos = [f"d{i}={cards}/1/closed" for i, cards in enumerate(ALL, 100)]
    extinct = ",".join(f"d{i}:1" for i in range(80, 95))
    picture = drawn(f"basic turn=300 phase=mutate | {' '.join(dinos)} | timeline={extinct} | - | - | - | -")
    assert max(map(len, picture.splitlines())) <= 80
    assert [line[:7] for line in block(picture, 0)[1:]] == [f"  d{i}*" for i in range(100, 115)]
    assert len(block(picture, 1)) > 2, "the timeline takes two lines"


@pytest.mark.parametrize("seats", GAME.seats)
def test_whole_games_fit_80_columns_and_have_a_block_for_each_seat(seats):
    dice = Seed(seats)
    start = GAME.start(seats, {"advanced": True, "real_bonus": True, "real_repeat": "once_per_dino"})
    for _, state in steps(GAME, start, dice, at_random(dice)):
        picture = GAME.draw(GAME.view(state, seats - 1), GAME.tally(state), plain)
        assert max(map(len, picture.splitlines())) <= 80
        assert [lines.split("  ")[0] for lines in picture.split("\n\n")[1:]] == [
            f"seat {seat}" for seat in range(seats)
        ]


def test_cards_that_are_not_ours_fit_as_well():
    cards = [
        {"id": f"{part}{i}", "part": part, "syllable": "x" * 40, "attack": 99, "defence": 99, "refs": []}
        | ({"diet": "C"} if part == "H" else {})
        for part in "HAPT" for i in range(997, 1000)
    ]  # fmt: skip
    deck = {"format": 1, "species": [{"ref": 1, "name": "None", "diet": "C"}], "cards": cards}
    for card in cards[::3]:
        card["refs"] = [1]
    state = GAME.start(2, {"deck": json.dumps(deck)})
    state = GAME.apply(state, {-1: "flip:H997,A997,P997,T997"})
    picture = GAME.draw(GAME.view(state, 0), GAME.tally(state), plain)
    assert max(map(len, picture.splitlines())) <= 80
    assert f"  d1   X{'x' * 18}…  carnivore  396/396  " in picture
