"""A position is one line of text that says everything, and a wrong one is refused with the way out."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.draftosaurus import GAME
from engine.errors import EngineError, NotationError
from tests.sizes import sweep


@pytest.mark.parametrize(
    "text",
    [
        "summer | - | -",
        "summer | FS=DD WT=T KJ=D PL=TDD MD=TCS SI=P RV=G | RV=DD",
        "winter trio_points=6 | WO=DCD BL=TP LO=G BR=TP PY=SCDG.. | RV=GGG",
        "winter phase=quarantine | BL=T QZ=P | -",
        "winter quarantine_move=may | QZ=P | -",
        "summer round=1 turn=1 phase=deal | - | - | -",
        "summer phase=first first_roller=random | - | - | -",
        "summer round=2 turn=6 phase=pick die=W first=2 | hand=D | hand=C | hand=S",
        "summer round=2 turn=6 phase=draft die=E commit=pick_and_place | hand=D | hand=C | hand=S",
        "summer round=4 turn=3 phase=discard | hand=D box=TC | hand=C",
        "summer round=4 turn=3 phase=place die=X discard_timing=with_pick | hand=D pick=C drop=D | hand=G pick=S drop=G",
        "summer_winter | WO=DC + FS=DD | + RV=T",
        "summer_winter game=2 round=2 turn=6 phase=roll | hand=D WO=DC + FS=DD | hand=T + | hand=G +",
        "summer round=3 turn=3 phase=roll bag=TTTTTTDDDDDD | hand=CC | hand=SS",
        "summer prairie_capacity=null bridge_capacity=3 | PL=TTTTTTT | -",
    ],
)
def test_a_canonical_text_is_kept_as_it_is(text):
    assert GAME.format(GAME.parse(text)) == text


def test_dinosaurs_may_stand_in_any_order_where_order_means_nothing():
    assert GAME.format(GAME.parse("summer |  MD=CDTS WT=SSD |RV=GT")) == "summer | WT=DSS MD=TDCS | RV=TG"


def test_the_bag_is_what_nobody_has():
    dealt = "summer round=1 turn=6 phase=roll | hand=T FS=DDDDD | hand=T RV=CCCCC | hand=T RV=SSSSS"
    assert GAME.parse(dealt).stage.bag == "TTTDCSGGGGGGPPPPPP"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "head: a position begins with a season, one of summer, winter, summer_winter, not ''."),
        ("spring | - | -", "head: a position begins with a season, one of summer, winter, summer_winter, not 'spring'."),
        ("summer | -", "head: 1 seat is not possible: write 2 to 5 parts, each after a |."),
        ("summer | - | - | - | - | - | -", "head: 6 seats are not possible: write 2 to 5 parts, each after a |."),
        ("summer trio | - | -", "head: 'trio' is not written as key=value."),
        ("summer die= | - | -", "head: 'die=' is not written as key=value."),
        ("summer first=0 first=1 | - | -", "head: first is given twice."),
        ("summer first=2 | - | -", "head: first=2: expected a number from 0 to 1."),
        ("summer first=x | - | -", "head: first=x: expected a number from 0 to 1."),
        ("summer trio_points=5 | - | -", "head: draftosaurus: option trio_points does not take '5'. Allowed: 7, 6."),
        ("summer colour=red | - | -", "head: colour=red has no place here, expected game, round, turn, phase, die, first, bag, or an option: first_roller,"),
        ("summer round=1 | - | -", "head: round=1 has no place here, expected game,"),
        ("summer phase=lunch | - | -", "head: phase=lunch: expected one of deal, roll, pick, place, discard, over with these options."),
        ("summer phase=first | - | - | -", "head: phase=first: expected one of deal, roll, pick, place, over with these"),
        ("summer phase=roll round=3 | - | - | -", "head: round=3: expected a number from 1 to 2."),
        ("summer phase=deal turn=2 | - | - | -", "head: turn=2: expected a number from 1 to 1."),
        ("summer phase=pick | - | - | -", "head: die=: expected one of W, G, L, R, E, X in phase pick."),
        ("summer phase=roll round=2 turn=6 | hand=D | hand=C | -", "seat 2: hand=: expected 1 of them at this point of the game, got 0."),
        ("summer phase=roll round=2 turn=6 | hand=A | hand=C | -", "seat 0: hand=A: dinosaurs are T D C S G P."),
        ("summer phase=roll round=1 turn=6 | hand=D | hand=C | hand=S", "head: bag=: expected 18 of them at this point of the game, got 0."),
        ("summer | FS=DC | -", "seat 0: FS=DC is not possible, the Forest of Sameness holds one species only and has D (D-30)."),
        ("summer | - | KJ=DD", "seat 1: KJ=DD is not possible, the King of the Jungle is full with D (D-34)."),
        ("summer | KJ=A | -", "seat 0: KJ=A: expected dinosaurs, of T D C S G P."),
        ("summer | WO=D | -", "seat 0: WO=D has no place here, expected hand, pick, drop, box when it is their time, or a pen of FS, WT,"),
        ("summer | hand=D | -", "seat 0: hand=D: expected 0 of them at this point of the game, got 1."),
        ("summer | pick=D | -", "seat 0: pick=D has no place here, expected hand,"),
        ("summer | RV=TTTTTTTTDDDDD | -", "seat 0: a zoo holds at most 12 dinosaurs at this point of the game (D-06)."),
        ("summer | RV=TTTTT | RV=TTTT", "head: there are 9 T on the table, but the bag began with 8 (D-04)."),
        ("summer_winter | + RV=TTTTT | + RV=TTTT", "head: there are 9 T on the table, but the bag began with 8 (D-04)."),
        ("summer | + FS=D | -", "seat 0, summer: FS=D has no place here, expected no + before the winter half of summer_winter."),
        ("summer_winter | + WO=D | -", "seat 0, summer: WO=D has no place here, expected pens of FS,"),
        ("winter | PY=...D.. | -", "seat 0: PY=...D.. is not possible, the Pyramid is filled row by row and has ...... (D-43)."),
        ("winter | PY=DD.... | -", "seat 0: PY=DD.... is not possible, cell 1 of the Pyramid touches another D in D..... (D-44)."),
        ("winter pyramid_fill=left_to_right | PY=.D.... | -", "seat 0: PY=.D.... is not possible, the Pyramid is filled row by row, from the left and has ...... (D-43)."),
        ("winter | PY=DCDGSTT | -", "seat 0: PY=DCDGSTT: expected six cells from the bottom left up, each . or one of T D C S G P."),
        ("winter | PY=D | -", "seat 0: PY=D: expected six cells from the bottom left up"),
        ("winter | -WO=D | -", "seat 0: -WO=D has no place here"),
        ("summer season=winter | - | -", "head: season=winter has no place here"),
        ("summer phase=roll round=" + "9" * 5000 + " | - | -", "head: round=9999"),
        ("summer_winter game=2 phase=first first_roller=random | - | -", "head: game=2 has no place here"),
        ("summer round=1 turn=2 phase=roll | hand=DDDC RV=TT | hand=SSSG", "seat 0: a zoo holds at most 1 dinosaurs at this point"),
        ("winter | WO=DCC | -", "seat 0: WO=DCC is not possible, the Well-Ordered Wood holds two species in turn and has DC (D-40)."),
        ("winter | QZ=P | -", "head: seat 0 has a dinosaur in QZ after the end, but it must move (D-46). Write phase=quarantine to see its moves, or quarantine_move=may."),
        ("winter phase=quarantine | - | -", "head: phase=quarantine, but no zoo has a dinosaur in QZ (D-46)."),
        ("summer | box=TTTTTTDDDDDDC | -", "seat 0: a player has discarded at most 12 dinosaurs at this point of the game (D-15)."),
        ("summer | box=T | - | -", "seat 0: a player has discarded at most 0 dinosaurs at this point of the game (D-15)."),
        ("summer round=4 turn=3 phase=place die=X discard_timing=with_pick | hand=D pick=C drop=C | hand=G pick=S drop=G", "seat 0: drop=C: the dinosaur to discard is still in the hand, which is D (D-15)."),
    ],
)  # fmt: skip
def test_a_wrong_position_is_refused_in_one_line(text, complaint):
    with pytest.raises(NotationError) as refusal:
        GAME.parse(text)
    assert str(refusal.value).startswith(complaint)
    assert "\n" not in str(refusal.value)


@settings(max_examples=sweep(100, 2000))
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from([
            "summer", "winter", "summer_winter", "|", "|", "-", "+", "phase=pick", "phase=place", "phase=roll", "phase=quarantine",
            "die=X", "round=2", "turn=6", "hand=D", "pick=T", "FS=DD", "QZ=T", "PY=DC....", "RV=TT", "box=T", "game=2", "=", "first=1",
        ]), max_size=14).map(" ".join),
    )
)  # fmt: skip
def test_any_text_is_a_position_or_a_refusal(text):
    try:
        state = GAME.parse(text)
    except EngineError:
        return
    assert GAME.parse(GAME.format(state)) == state


def test_a_huge_text_is_refused_before_anything_is_placed():
    tracemalloc.start()
    with pytest.raises(NotationError, match="a zoo holds at most 12 dinosaurs"):
        GAME.parse(f"summer | RV={'T' * 100_000} | -")
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
