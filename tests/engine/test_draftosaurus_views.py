"""What a seat may know, in detail. That nothing else leaks is the conformance kit's business."""

import pytest

from engine.contract import plain
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.errors import NotationError

THIRD_TURN = "summer round=2 turn=3 phase=place die=X first=1 | hand=DDG pick=T RV=S | hand=CSS pick=D | hand=TGP pick=P | hand=GGP pick=S"


def test_a_view_holds_all_that_is_public_and_the_hands_that_were_held():
    assert GAME.view(GAME.parse(THIRD_TURN), 1) == {
        "phase": "place",
        "season": "summer",
        "game": 1,
        "round": 2,
        "turn": 3,
        "seat": 1,
        "seats": 4,
        "options": {},
        "first": 1,
        "roller": 1,
        "die": "X",
        "bound": [True, False, True, True],
        "zoos": [{"RV": "S"}, {}, {}, {}],
        "hands": [None, "CSS", "TGP", "GGP"],
        "hand_size": 3,
        "bag_size": 0,
        "per_species": 8,
        "picks": ["T", "D", "P", "S"],
    }


@pytest.mark.parametrize(
    ("turn", "known"),
    [(1, [True, False, False]), (2, [True, True, False]), (3, [True, True, True]), (6, [True, True, True])],
)
@pytest.mark.rule("D-12", "D-53")
def test_a_seat_knows_the_hands_it_has_passed_on(turn, known):
    hands = ["DDCCSS"[: 7 - turn]] * 3
    state = GAME.parse(f"summer round=2 turn={turn} phase=pick die=W | " + " | ".join(f"hand={hand}" for hand in hands))
    assert [hand is not None for hand in GAME.view(state, 0)["hands"]] == known
    assert GAME.view(state, None)["hands"] == [None, None, None]


@pytest.mark.rule("X-06")
def test_a_hidden_discard_shows_when_its_hand_comes_back():
    text = "summer round=2 turn=3 phase=roll discard_visibility=hidden bag=TTTTTTDDDDDDCCCCCCSSSSSS | hand=GG box=TDCSG | hand=PP box=PGSCD"
    state = GAME.parse(text)
    assert GAME.view(state, 0)["discards"] == ["TDCSG", "?GS?D"]
    assert GAME.view(state, 1)["discards"] == ["?DC?G", "PGSCD"]
    assert GAME.view(state, None)["discards"] == ["?????", "?????"]


@pytest.mark.rule("X-06")
def test_a_discard_chosen_with_the_pick_is_its_owners_secret_until_it_is_boxed():
    state = GAME.parse(
        "summer round=4 turn=2 phase=place die=W discard_timing=with_pick discard_visibility=hidden | hand=DCG pick=T drop=C | hand=SSP pick=D drop=P"
    )
    assert GAME.view(state, 0)["drops"] == ["C", None]
    assert GAME.view(state, None)["drops"] == [None, None]
    after = GAME.apply(state, {0: "T@RV", 1: "D@RV"})
    assert {"event": "discard", "seat": 1, "dino": "P"} in GAME.events(state, after, 0)
    assert {"event": "discard", "seat": 1, "dino": "?"} in GAME.events(state, after, None)


def test_a_view_that_does_not_add_up_is_refused():
    view = {**GAME.view(GAME.parse(THIRD_TURN), 0), "bag_size": 60}
    with pytest.raises(NotationError, match="this view hides 63 dinosaurs, but only"):
        GAME.determinize(view, Seed(1))


def test_an_incomplete_position_is_completed_with_dinosaurs_nobody_has():
    view = GAME.view(GAME.parse(THIRD_TURN), 1)
    guesses = {GAME.determinize(view, Seed(seed)).hands for seed in range(50)}
    assert {hands[1:] for hands in guesses} == {("CSS", "TGP", "GGP")}
    assert len({hands[0] for hands in guesses}) > 10


def test_zoos_are_drawn_as_they_lie_on_the_table(golden):
    texts = [
        "summer | FS=DD KJ=D WT=T MD=TCS PL=DDT RV=G SI=P | RV=TTTDDCCSSGPP",
        "winter phase=quarantine | WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P | BL=DDDDDCCCCCGG",
        THIRD_TURN,
        "summer_winter game=2 round=2 turn=6 phase=roll | hand=D WO=DC PY=DCDGST + FS=DD | hand=T + | hand=G + RV=T",
    ]
    drawn = [GAME.draw(GAME.view(state, 0), GAME.tally(state), plain) for state in map(GAME.parse, texts)]
    assert max(len(line) for picture in drawn for line in picture.splitlines()) <= 80
    golden("draftosaurus/drawings.txt", "\n\n".join(drawn) + "\n")


@pytest.mark.rule("D-43")
def test_the_pyramid_is_drawn_as_a_pyramid():
    state = GAME.parse("winter | PY=DCDGST | PY=S.....")
    drawing = GAME.draw(GAME.view(state, None), GAME.tally(state), plain)
    right = [line.split("│")[3].rstrip() for line in drawing.splitlines() if line.count("│") == 4]
    first, second = (["".join(line) for line in right[at - 3 : at]] for at in (7, 14))
    assert first == [
        " PY Pyramid       T         21",
        "                 G S",
        "                D C D",
    ]
    assert second == [
        " PY Pyramid       ·          2",
        "                 · ·",
        "                S · ·",
    ]


def test_a_painted_pyramid_is_as_wide_as_a_plain_one():
    state = GAME.parse("winter | PY=DCDGST | -")
    plainly, painted = (
        GAME.draw(GAME.view(state, None), GAME.tally(state), paint)
        for paint in (plain, lambda text, _: f"\x1b[1m{text}\x1b[0m")
    )
    assert painted.replace("\x1b[1m", "").replace("\x1b[0m", "") == plainly


@pytest.mark.parametrize(("score", "words"), [(0, "0 points,"), (1, "1 point,"), (2, "2 points,")])
def test_one_point_is_one_point(score, words):
    state = GAME.parse(f"summer | RV={'D' * score} WT=DC | -".replace("RV= ", ""))
    assert f"seat 0  {words} rank 1" in GAME.draw(GAME.view(state, None), GAME.tally(state), plain)


def test_a_drawing_is_coloured_by_species():
    state = GAME.parse("summer | RV=TD | -")
    painted = GAME.draw(GAME.view(state, None), GAME.tally(state), lambda text, colour: f"<{colour}:{text}>")
    assert "<red:T> <cyan:D>" in painted
    assert "<bold:seat 0>" in painted
