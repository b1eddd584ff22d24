"""Where dinosaurs may go, and what is said of those that may not.

In the last turn of the second round of three players seat 2 has rolled, so the die binds seat 0; first=1 makes seat 0
the roller. A zoo in the middle of a game need not be complete.
"""

import pytest

from engine.draftosaurus import GAME, boards
from engine.errors import ActionError, IllegalAction, MalformedAction

FACES = "WGLREX"


def vector(name: str, *cases: tuple[object, ...]) -> list[object]:
    """The cases of one test vector, named after it."""
    return [pytest.param(*case, id=f"{name}-{number}") for number, case in enumerate(cases, 1)]


def legal(text: str, seat: int = 0) -> str:
    return " ".join(GAME.legal(GAME.parse(text), seat))


def pens(text: str, seat: int = 0) -> str:
    """Where the one dinosaur that was picked may go."""
    return " ".join(action.partition("@")[2] for action in GAME.legal(GAME.parse(text), seat))


def cells(text: str) -> str:
    """Which cells of the Pyramid are open to the dinosaur that seat 0 has picked."""
    return "".join(pen.removeprefix("PY") for pen in pens(text).split() if pen.startswith("PY"))


def refusal(text: str, action: str, seat: int = 0) -> ActionError:
    """The error for this action, the other seats playing something legal."""
    state = GAME.parse(text)
    played = {other: GAME.fallback(state, other) for other in GAME.to_act(state)}
    with pytest.raises(ActionError) as caught:
        GAME.apply(state, {**played, seat: action})
    return caught.value


# The die


@pytest.mark.rule("D-10", "D-20", "D-21", "D-22", "D-23", "D-24", "D-25", "D-26")
@pytest.mark.parametrize(
    ("face", "open_pens"),
    vector(
        "TV-29",
        ("W", "FS WT KJ RV"),
        ("G", "PL MD SI RV"),
        ("R", "KJ MD SI RV"),
        ("L", "FS WT PL RV"),
        ("E", "FS WT KJ PL MD SI RV"),
        ("X", "FS WT KJ PL MD SI RV"),
    ),
)
def test_the_die_opens_its_zone_of_an_empty_summer_zoo(face: str, open_pens: str) -> None:
    assert pens(f"summer round=2 turn=6 phase=place die={face} | pick=D | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-10", "D-20", "D-21", "D-22", "D-23", "D-24", "D-25", "D-26", "X-10")
@pytest.mark.parametrize(
    ("face", "open_pens"),
    vector(
        "TV-31",
        ("W", "WO BL LO RV"),
        ("G", "QZ BR PY0 PY1 PY2 RV"),
        ("R", "LO BR PY0 PY1 PY2 RV"),
        ("L", "WO BL QZ RV"),
        ("E", "WO BL LO QZ BR PY0 PY1 PY2 RV"),
        ("X", "WO BL LO QZ BR PY0 PY1 PY2 RV"),
    ),
)
def test_the_die_opens_its_zone_of_an_empty_winter_zoo(face: str, open_pens: str) -> None:
    assert pens(f"winter round=2 turn=6 phase=place die={face} | pick=D | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-09")
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    ("season", "open_pens"),
    [
        pytest.param("summer", "FS WT KJ PL MD SI RV", id="TV-30"),
        pytest.param("winter", "WO BL LO QZ BR PY0 PY1 PY2 RV", id="TV-31"),
    ],
)
def test_the_roller_ignores_the_die(season: str, open_pens: str, face: str) -> None:
    assert pens(f"{season} round=2 turn=6 phase=place die={face} first=1 | pick=D | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-09", "D-10", "D-20")
def test_the_die_binds_every_seat_but_the_roller() -> None:
    text = "summer round=2 turn=6 phase=place die=W | pick=D | pick=D | pick=D"
    assert [pens(text, seat) for seat in range(3)] == ["FS WT KJ RV", "FS WT KJ RV", "FS WT KJ PL MD SI RV"]


@pytest.mark.rule("D-10", "D-20", "D-21", "D-24", "D-25", "D-30", "D-31")
@pytest.mark.parametrize(
    ("face", "actions"),
    vector(
        "TV-32",
        ("W", "D@WT D@KJ D@RV C@FS C@WT C@KJ C@RV"),
        ("G", "D@PL D@SI D@RV C@PL C@SI C@RV"),
        ("E", "D@KJ D@SI D@RV C@KJ C@SI C@RV"),
        ("X", "D@KJ D@SI D@RV C@FS C@KJ C@SI C@RV"),
    ),
)
def test_a_pen_must_suit_both_the_die_and_its_own_rule(face: str, actions: str) -> None:
    head = f"summer round=2 turn=5 phase=draft die={face} commit=pick_and_place"
    assert legal(f"{head} | hand=CD FS=CC WT=T PL=DT MD=DC | hand=SS | hand=GG") == actions


@pytest.mark.rule("D-10", "D-20", "D-24", "D-25", "D-40", "D-42", "D-45")
@pytest.mark.parametrize(
    ("face", "actions"),
    vector(
        "TV-35",
        ("W", "T@BL T@RV D@WO D@BL D@RV C@BL C@RV"),
        ("E", "T@QZ T@BR T@RV D@QZ D@BR D@RV C@QZ C@BR C@RV"),
        ("X", "T@BL T@QZ T@BR T@RV D@WO D@BL D@QZ D@BR D@RV C@BL C@QZ C@BR C@RV"),
    ),
)
def test_a_winter_pen_must_suit_both_the_die_and_its_own_rule(face: str, actions: str) -> None:
    head = f"winter round=2 turn=4 phase=draft die={face} first=1 commit=pick_and_place"
    assert legal(f"{head} | hand=DCT WO=DC BL=S LO=P PY=T..... | hand=SSS | hand=GGG") == actions


@pytest.mark.rule("D-24")
@pytest.mark.parametrize(
    ("zoo", "open_pens"),
    [
        ("FS=D WT=D PL=D", "KJ MD SI RV"),
        ("KJ=D MD=C SI=D", "FS WT PL RV"),
        ("FS=D WT=D KJ=D PL=D MD=C SI=D", "RV"),
    ],
)
def test_the_empty_face_closes_every_pen_with_a_dinosaur_in_it(zoo: str, open_pens: str) -> None:
    assert pens(f"summer round=2 turn=6 phase=place die=E | pick=D {zoo} | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-25")
@pytest.mark.parametrize(("picked", "open_pens"), vector("TV-34", ("T", "WT PL SI RV"), ("D", "WT PL SI RV")))
def test_the_no_rex_face_closes_pens_with_a_rex_to_all_but_no_pen_to_a_rex(picked: str, open_pens: str) -> None:
    text = f"summer round=2 turn=6 phase=place die=X | pick={picked} KJ=T MD=TD FS=G | pick=P | pick=P"
    assert pens(text) == open_pens


@pytest.mark.rule("X-04", "D-09", "D-30", "D-31", "D-33", "D-34", "D-35")
def test_the_roller_still_obeys_the_pens() -> None:
    zoo = "FS=C WT=CCC KJ=S MD=D SI=P"
    assert pens(f"summer round=2 turn=6 phase=place die=W first=1 | pick=D {zoo} | pick=P | pick=P") == "PL RV"


# The River


@pytest.mark.rule("D-11", "D-26", "X-15")
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("zoo", ["RV=P", "RV=TTTPPPPPPP", "FS=C WT=TTT KJ=T PL=T MD=TD SI=T"])
def test_the_river_takes_any_dinosaur_under_every_face(zoo: str, face: str) -> None:
    text = f"summer round=2 turn=6 phase=place die={face} | pick=D {zoo} | pick=S | pick=S | pick=S"
    assert pens(text).endswith("RV")


@pytest.mark.rule("D-11", "D-26")
def test_a_player_may_choose_the_river_though_pens_are_open() -> None:
    state = GAME.parse("summer round=2 turn=6 phase=place die=W | pick=D | pick=P | pick=P")
    after = GAME.apply(state, {0: "D@RV", 1: "P@FS", 2: "P@FS"})
    assert GAME.format(after) == "summer | RV=D | FS=P | FS=P"


@pytest.mark.rule("D-24", "D-25", "D-26")
@pytest.mark.parametrize("face", "EX")
def test_a_rex_in_the_river_closes_no_pen(face: str) -> None:
    text = f"summer round=2 turn=6 phase=place die={face} | pick=D RV=T | pick=P | pick=P"
    assert pens(text) == "FS WT KJ PL MD SI RV"


# The rules of the pens, asked of the roller, whom no die disturbs


@pytest.mark.rule("D-30", "D-31", "D-32", "D-33", "D-34", "D-35", "X-11")
@pytest.mark.parametrize(("dino", "open_pens"), vector("TV-33", ("C", "RV"), ("D", "RV"), ("G", "MD RV")))
def test_nothing_but_the_river_is_left_when_every_pen_is_full_or_unfit(dino: str, open_pens: str) -> None:
    # Nineteen dinosaurs are more than any zoo of a game holds, so only the board itself can be asked.
    summer = boards.summer(prairie_capacity=6)
    filled = {"FS": "CCCCCC", "WT": "TDG", "KJ": "S", "PL": "DDCCSS", "MD": "DC", "SI": "P", "RV": ""}
    zoo = tuple(filled[pen] for pen in summer.names)
    placements = summer.placements(summer.room(zoo), dino, face="")
    assert placements == tuple(f"{dino}@{pen}" for pen in open_pens.split())


@pytest.mark.rule("D-30", "D-31", "D-32", "D-33", "D-34", "D-35")
@pytest.mark.parametrize(
    ("zoo", "open_pens"),
    [
        pytest.param("FS=D", "FS WT KJ PL MD SI RV", id="the Forest holds one species"),
        pytest.param("FS=C", "WT KJ PL MD SI RV", id="and no other"),
        pytest.param("FS=DDDDDD", "WT KJ PL MD SI RV", id="and six of it"),
        pytest.param("WT=DC", "FS WT KJ PL MD SI RV", id="the Trio has a third place"),
        pytest.param("WT=DDC", "FS KJ PL MD SI RV", id="and no fourth"),
        pytest.param("KJ=C", "FS WT PL MD SI RV", id="there is one King"),
        pytest.param("PL=DDDDC", "FS WT KJ PL MD SI RV", id="the Prairie takes all species"),
        pytest.param("MD=C", "FS WT KJ PL MD SI RV", id="the Meadow takes a new species"),
        pytest.param("MD=CD", "FS WT KJ PL SI RV", id="and none twice"),
        pytest.param("SI=C", "FS WT KJ PL MD RV", id="the Island is solitary"),
    ],
)
def test_a_summer_pen_admits_what_its_rule_says(zoo: str, open_pens: str) -> None:
    text = f"summer round=2 turn=6 phase=place die=W first=1 | pick=D {zoo} | pick=P | pick=P | pick=P"
    assert pens(text) == open_pens


@pytest.mark.rule("D-32", "X-11")
@pytest.mark.parametrize(
    ("option", "open_pens"),
    vector("TV-39", ("", "WT KJ MD SI RV"), ("prairie_capacity=null", "WT KJ PL MD SI RV")),
)
def test_the_prairie_of_love_holds_six_unless_it_has_no_limit(option: str, open_pens: str) -> None:
    text = f"summer round=2 turn=6 phase=place die=W first=1 {option} | pick=D FS=C PL=DDCCSS | pick=P | pick=P"
    assert pens(text) == open_pens


@pytest.mark.rule("D-40")
@pytest.mark.parametrize(
    ("wood", "admitted"),
    vector("TV-38", ("WO=D", "TCSGP"), ("WO=DC", "D"), ("WO=DCD", "C"), ("WO=DCDCDC", ""), ("", "TDCSGP")),
)
def test_the_well_ordered_wood_alternates_two_species(wood: str, admitted: str) -> None:
    head = "winter round=2 turn=1 phase=draft die=W commit=pick_and_place"
    actions = legal(f"{head} | hand=TDCSGP {wood} | hand=TTSSGG | hand=TTSSPP").split()
    assert "".join(action[0] for action in actions if action.endswith("@WO")) == admitted


@pytest.mark.rule("D-45", "D-46")
@pytest.mark.parametrize(
    ("zoo", "open_pens"), [("LO=C", "WO BL QZ BR PY0 PY1 PY2 RV"), ("QZ=C", "WO BL LO BR PY0 PY1 PY2 RV")]
)
def test_lookout_and_quarantine_hold_one_dinosaur(zoo: str, open_pens: str) -> None:
    assert pens(f"winter round=2 turn=6 phase=place die=W first=1 | pick=D {zoo} | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-43", "D-44")
@pytest.mark.parametrize(
    ("pyramid", "dino", "open_cells"),
    vector(
        "TV-36",
        ("D.....", "D", "2"),
        ("D.....", "C", "12"),
        (".D....", "D", ""),
        (".D....", "C", "02"),
        ("D.D...", "D", ""),
        ("D.D...", "C", "1"),
        ("DCD...", "D", ""),
        ("DCD...", "C", ""),
        ("DCD...", "G", "34"),
        ("DCS...", "D", "4"),
        ("DCS...", "S", "3"),
        ("DCS...", "C", ""),
        ("DCS...", "G", "34"),
        ("DCSG..", "D", "4"),
        ("DCSG..", "G", ""),
        ("DCSGD.", "C", "5"),
        ("DCSGD.", "G", ""),
        ("DCSGD.", "D", ""),
        ("DCSGDP", "T", ""),
    ),
)
def test_the_pyramid_is_built_row_by_row_and_equal_species_never_touch(
    pyramid: str, dino: str, open_cells: str
) -> None:
    text = f"winter round=2 turn=6 phase=place die=W first=1 | pick={dino} PY={pyramid} | pick=P | pick=P"
    assert cells(text) == open_cells


@pytest.mark.rule("D-44")
@pytest.mark.parametrize(
    ("pyramid", "dino", "open_cells"),
    [
        pytest.param("DCS.G.", "G", "", id="the middle row touches itself, also leftwards"),
        pytest.param("DCS.G.", "S", "3", id="the left middle brick does not touch the bottom right"),
        pytest.param("DCSGP.", "D", "5", id="the top does not touch the bottom left"),
        pytest.param("DCSGP.", "S", "5", id="the top does not touch the bottom right"),
    ],
)
def test_only_bricks_that_meet_are_neighbours(pyramid: str, dino: str, open_cells: str) -> None:
    text = f"winter round=2 turn=6 phase=place die=W first=1 | pick={dino} PY={pyramid} | pick=P | pick=P"
    assert cells(text) == open_cells


# Options of the boards


@pytest.mark.rule("D-42", "X-09")
@pytest.mark.parametrize(
    ("option", "open_pens"),
    vector("TV-37", ("", "WO LO QZ BR PY0 PY1 PY2 RV"), ("bridge_die_unit=whole", "WO LO QZ PY0 PY1 PY2 RV")),
)
def test_the_empty_face_asks_each_bank_of_the_bridge_alone_unless_it_is_one(option: str, open_pens: str) -> None:
    assert pens(f"winter round=2 turn=6 phase=place die=E {option} | pick=D BL=S | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-42", "X-09")
@pytest.mark.parametrize(
    ("option", "open_pens"), [("", "WO BL LO QZ PY0 PY1 PY2 RV"), ("bridge_die_unit=whole", "WO LO QZ PY0 PY1 PY2 RV")]
)
def test_the_no_rex_face_asks_each_bank_of_the_bridge_alone_unless_it_is_one(option: str, open_pens: str) -> None:
    assert pens(f"winter round=2 turn=6 phase=place die=X {option} | pick=D BR=T | pick=P | pick=P") == open_pens


@pytest.mark.rule("X-10")
@pytest.mark.parametrize(
    ("face", "option", "open_pens"),
    vector(
        "TV-41",
        ("G", "bridge_region=split", "QZ BR PY0 PY1 PY2 RV"),
        ("G", "bridge_region=woods_only", "QZ PY0 PY1 PY2 RV"),
        ("G", "bridge_region=both", "BL QZ BR PY0 PY1 PY2 RV"),
        ("W", "bridge_region=split", "WO BL LO RV"),
        ("W", "bridge_region=woods_only", "WO BL LO BR RV"),
        ("W", "bridge_region=both", "WO BL LO BR RV"),
    ),
)
def test_the_bridge_lies_in_the_regions_that_the_option_says(face: str, option: str, open_pens: str) -> None:
    assert pens(f"winter round=2 turn=6 phase=place die={face} {option} | pick=D | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-41", "X-12")
@pytest.mark.parametrize(
    ("option", "open_pens"),
    [
        ("", "BL QZ BR PY0 PY1 PY2 RV"),
        ("bridge_capacity=4", "BL QZ BR PY0 PY1 PY2 RV"),
        ("bridge_capacity=3", "QZ BR PY0 PY1 PY2 RV"),
    ],
)
def test_each_bank_of_the_bridge_holds_as_many_as_the_option_says(option: str, open_pens: str) -> None:
    head = f"winter round=2 turn=6 phase=place die=W first=1 {option}"
    assert pens(f"{head} | pick=D WO=D LO=C BL=CSG BR=SG | pick=P | pick=P") == open_pens


@pytest.mark.rule("D-41", "X-12")
def test_a_bank_of_the_bridge_has_no_limit_by_default() -> None:
    text = "winter round=2 turn=6 phase=place die=W | pick=D BL=DDDDDCCCCSS | pick=P | pick=P"
    assert pens(text) == "WO BL LO RV"


@pytest.mark.rule("X-13", "D-43")
@pytest.mark.parametrize(
    ("pyramid", "free", "from_the_left"),
    [("......", "012", "0"), ("D.....", "12", "1"), ("DC....", "2", "2"), ("DCS...", "34", "3"), ("DCSG..", "4", "4")],
)
def test_a_pyramid_row_is_filled_freely_unless_from_left_to_right(pyramid: str, free: str, from_the_left: str) -> None:
    head, zoos = "winter round=2 turn=6 phase=place die=W first=1", f"| pick=P PY={pyramid} | pick=P | pick=P"
    assert cells(f"{head} {zoos}") == free
    assert cells(f"{head} pyramid_fill=left_to_right {zoos}") == from_the_left


@pytest.mark.rule("X-13", "D-44")
def test_from_left_to_right_a_species_that_touches_its_like_must_wait() -> None:
    head = "winter round=2 turn=6 phase=place die=W first=1 pyramid_fill=left_to_right"
    assert cells(f"{head} | pick=D PY=D..... | pick=P | pick=P") == ""


@pytest.mark.rule("X-02")
@pytest.mark.parametrize(
    ("option", "roller", "open_pens"),
    vector(
        "TV-40",
        ("five_player_last_turn=all_bound", 4, "FS WT KJ RV"),
        ("five_player_last_turn=standard", 1, "FS WT KJ PL MD SI RV"),
    ),
)
def test_the_last_roll_of_a_round_of_five_binds_the_roller_only_under_all_bound(
    option: str, roller: int, open_pens: str
) -> None:
    text = f"summer round=2 turn=6 phase=place die=W {option} | pick=D | pick=D | pick=D | pick=D | pick=D"
    assert GAME.view(GAME.parse(text), None)["roller"] == roller
    assert pens(text, roller) == open_pens


@pytest.mark.rule("X-02")
def test_all_bound_is_a_rule_for_five_players_only() -> None:
    head = "summer round=2 turn=6 phase=place die=W first=1 five_player_last_turn=all_bound"
    assert pens(f"{head} | pick=D | pick=D | pick=D") == "FS WT KJ PL MD SI RV"


@pytest.mark.rule("X-05")
@pytest.mark.parametrize("face", FACES)
def test_picking_and_placing_at_once_allows_the_same_placements(face: str) -> None:
    zoo = "WO=DC BL=S LO=P PY=T....."
    drafted = legal(
        f"winter round=2 turn=1 phase=draft die={face} first=1 commit=pick_and_place"
        f" | hand=TDCSGP {zoo} | hand=TDDGGG | hand=TSSGPP"
    )
    one_by_one = [
        legal(f"winter round=2 turn=6 phase=place die={face} | pick={dino} {zoo} | pick=D | pick=G")
        for dino in "TDCSGP"
    ]
    assert drafted == " ".join(one_by_one)


# Quarantine


@pytest.mark.rule("D-46")
@pytest.mark.parametrize(
    ("zoo", "moves"),
    [
        pytest.param("WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P", "Q>BL Q>LO Q>BR Q>PY3 Q>PY4 Q>RV", id="TV-24"),
        pytest.param("WO=DCD LO=G QZ=C", "Q>WO Q>BL Q>BR Q>PY0 Q>PY1 Q>PY2 Q>RV", id="the wood needs this one"),
    ],
)
def test_the_quarantined_dinosaur_obeys_the_pen_it_moves_to_and_no_die(zoo: str, moves: str) -> None:
    assert legal(f"winter phase=quarantine | {zoo} | - | RV=PPPP") == moves


@pytest.mark.rule("X-07")
@pytest.mark.parametrize(
    ("option", "moves"),
    vector("TV-25", ("", "Q>BL Q>BR Q>RV"), ("quarantine_move=may", "Q>BL Q>BR Q>RV Q=")),
)
def test_the_quarantined_dinosaur_must_move_unless_it_may_stay(option: str, moves: str) -> None:
    assert legal(f"winter phase=quarantine {option} | WO=DC LO=G PY=DCDGSC QZ=T | -") == moves


@pytest.mark.rule("X-08")
def test_all_quarantined_dinosaurs_move_at_once() -> None:
    state = GAME.parse("winter phase=quarantine | QZ=D | - | QZ=C")
    assert GAME.to_act(state) == (0, 2)
    assert GAME.format(GAME.apply(state, {0: "Q>WO", 2: "Q>PY0"})) == "winter | WO=D | - | PY=C....."


@pytest.mark.rule("X-08")
@pytest.mark.parametrize(
    ("zoos", "best"),
    [
        ("WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P | - | RV=PPPP", "Q>LO"),
        ("WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P | - | -", "Q>BR"),
        ("WO=DCD PY=GSG... QZ=C | - | -", "Q>WO"),
    ],
)
def test_auto_best_leaves_only_the_move_with_the_highest_score(zoos: str, best: str) -> None:
    assert legal(f"winter phase=quarantine quarantine_resolution=auto_best | {zoos}") == best


# Refusals


PICK = "summer round=2 turn=5 phase=pick die=W | hand=DC | hand=SS | hand=GG"
PICK_AND_DROP = "summer round=4 turn=3 phase=pick die=W discard_timing=with_pick | hand=DC | hand=SS"
PLACE = "summer round=2 turn=6 phase=place die=W | pick=D FS=C WT=DCT KJ=S | pick=P | pick=P"
DRAFT = "summer round=2 turn=6 phase=draft die=W commit=pick_and_place | hand=D FS=C | hand=P | hand=P"
DRAFT_AND_DROP = (
    "summer round=4 turn=3 phase=draft die=W commit=pick_and_place discard_timing=with_pick"
    " | hand=DC FS=C WT=SSS KJ=S | hand=SS"
)
DISCARD = "summer round=4 turn=2 phase=discard | hand=DCC | hand=SSS"
QUARANTINE = "winter phase=quarantine | LO=G PY=DCDGSC QZ=C | -"


@pytest.mark.parametrize(
    ("text", "action", "message"),
    [
        (PICK, "P", "P is not legal, the hand holds DC (D-08). Legal: D C."),
        (PICK_AND_DROP, "PxD", "PxD is not legal, the hand holds DC (D-08). Legal: DxC CxD."),
        (PICK_AND_DROP, "DxD", "DxD is not legal, the hand then holds C (D-15). Legal: DxC CxD."),
        (PLACE, "P@RV", "P@RV is not legal, the dinosaur picked is D (D-08). Legal: D@RV."),
        (DRAFT, "P@RV", "P@RV is not legal, the hand holds D (D-08). Legal: D@WT D@KJ D@RV."),
        (
            DRAFT,
            "D@FS",
            "D@FS is not legal, the Forest of Sameness holds one species only and has C (D-30). Legal: D@WT D@KJ D@RV.",
        ),
        (
            DRAFT_AND_DROP,
            "P@RVxD",
            "P@RVxD is not legal, the hand holds DC (D-08). Legal: D@RVxC C@FSxD C@RVxD.",
        ),
        (
            DRAFT_AND_DROP,
            "C@FSxC",
            "C@FSxC is not legal, the hand then holds D (D-15). Legal: D@RVxC C@FSxD C@RVxD.",
        ),
        (
            DRAFT_AND_DROP,
            "C@KJxD",
            "C@KJxD is not legal, the King of the Jungle is full with S (D-34). Legal: D@RVxC C@FSxD C@RVxD.",
        ),
        (DISCARD, "xP", "xP is not legal, the hand holds DCC (D-15). Legal: xD xC."),
        (
            QUARANTINE,
            "Q>LO",
            "Q>LO is not legal, the Lookout is full with G (D-45). Legal: Q>WO Q>BL Q>BR Q>RV.",
        ),
        (
            QUARANTINE,
            "Q>QZ",
            "Q>QZ is not legal, the Quarantine Zone is full with C (D-46). Legal: Q>WO Q>BL Q>BR Q>RV.",
        ),
        (
            QUARANTINE,
            "Q=",
            "Q= is not legal, the dinosaur must leave the quarantine (X-07). Legal: Q>WO Q>BL Q>BR Q>RV.",
        ),
        (
            QUARANTINE.replace(" |", " quarantine_resolution=auto_best |", 1),
            "Q>RV",
            "Q>RV is not legal, the best move is made for the player (X-08). Legal: Q>WO.",
        ),
    ],
)
@pytest.mark.rule("D-08", "D-15", "X-07", "X-08")
def test_an_illegal_action_is_refused_with_the_rule_and_the_way_out(text: str, action: str, message: str) -> None:
    error = refusal(text, action)
    assert isinstance(error, IllegalAction)
    assert str(error) == f"seat 0: {message}"


@pytest.mark.rule("D-20", "D-21", "D-22", "D-23", "D-24", "D-25")
@pytest.mark.parametrize(
    ("face", "action", "reason"),
    [
        ("W", "D@SI", "the die says W (woods), which the Solitary Island is not (D-20)"),
        ("G", "D@KJ", "the die says G (grass), which the King of the Jungle is not (D-21)"),
        ("R", "D@FS", "the die says R (right of the River), which the Forest of Sameness is not (D-22)"),
        ("L", "D@SI", "the die says L (left of the River), which the Solitary Island is not (D-23)"),
        ("E", "D@PL", "the die says E (empty pen), which the Prairie of Love is not (D-24)"),
        ("X", "D@PL", "the die says X (no T-Rex in the pen), which the Prairie of Love is not (D-25)"),
    ],
)
def test_a_placement_against_the_die_is_refused_in_the_words_of_its_face(face: str, action: str, reason: str) -> None:
    text = f"summer round=2 turn=6 phase=place die={face} | pick=D PL=T | pick=P | pick=P"
    assert f"seat 0: {action} is not legal, {reason}. Legal: {legal(text)}." == str(refusal(text, action))


@pytest.mark.rule("D-30", "D-31", "D-32", "D-33", "D-34", "D-35")
@pytest.mark.parametrize(
    ("zoo", "action", "reason"),
    [
        ("FS=CC", "D@FS", "the Forest of Sameness holds one species only and has CC (D-30)"),
        ("FS=DDDDDD", "D@FS", "the Forest of Sameness is full with DDDDDD (D-30)"),
        ("MD=DC", "D@MD", "the Meadow of Differences holds different species only and has DC (D-31)"),
        ("PL=DDCCSS", "D@PL", "the Prairie of Love is full with DDCCSS (D-32)"),
        ("WT=TDG", "D@WT", "the Woody Trio is full with TDG (D-33)"),
        ("KJ=S", "D@KJ", "the King of the Jungle is full with S (D-34)"),
        ("SI=P", "D@SI", "the Solitary Island is full with P (D-35)"),
    ],
)
def test_a_placement_against_a_summer_pen_is_refused_in_the_words_of_the_pen(
    zoo: str, action: str, reason: str
) -> None:
    text = f"summer round=2 turn=6 phase=place die=W first=1 | pick=D {zoo} | pick=P | pick=P | pick=P"
    assert str(refusal(text, action)) == f"seat 0: {action} is not legal, {reason}. Legal: {legal(text)}."


@pytest.mark.rule("D-40", "D-41", "D-43", "D-44", "D-45", "D-46", "X-12", "X-13")
@pytest.mark.parametrize(
    ("option", "zoo", "action", "reason"),
    [
        ("", "WO=D", "D@WO", "the Well-Ordered Wood holds two species in turn and has D (D-40)"),
        ("", "WO=DCDCDC", "D@WO", "the Well-Ordered Wood is full with DCDCDC (D-40)"),
        ("bridge_capacity=2", "BL=CC", "D@BL", "the Lovers' Bridge (left) is full with CC (D-41)"),
        ("bridge_capacity=2", "BR=CC", "D@BR", "the Lovers' Bridge (right) is full with CC (D-41)"),
        ("", "PY=DC....", "D@PY0", "cell 0 of the Pyramid holds D (D-43)"),
        ("", "PY=DC....", "D@PY3", "the Pyramid is filled row by row and has DC.... (D-43)"),
        (
            "pyramid_fill=left_to_right",
            "PY=C.....",
            "D@PY2",
            "the Pyramid is filled row by row, from the left and has C..... (D-43)",
        ),
        ("", "PY=D.....", "D@PY1", "cell 1 of the Pyramid touches another D in D..... (D-44)"),
        ("", "LO=S", "D@LO", "the Lookout is full with S (D-45)"),
        ("", "QZ=S", "D@QZ", "the Quarantine Zone is full with S (D-46)"),
    ],
)
def test_a_placement_against_a_winter_pen_is_refused_in_the_words_of_the_pen(
    option: str, zoo: str, action: str, reason: str
) -> None:
    text = f"winter round=2 turn=6 phase=place die=W first=1 {option} | pick=D {zoo} | pick=P | pick=P"
    assert str(refusal(text, action)) == f"seat 0: {action} is not legal, {reason}. Legal: {legal(text)}."


PICKED = "a species letter, D; with discard_timing=with_pick also the discard, DxC"
PLACED = "species@pen, D@FS; pyramid cells are PY0 to PY5, the River is RV"
DRAFTED = "species@pen, D@FS; with discard_timing=with_pick also the discard, D@FSxC"
DISCARDED = "x and a species letter, xD"
MOVED = "Q> and the new pen, Q>BL; Q= to stay, if quarantine_move=may"


@pytest.mark.parametrize(
    ("text", "action", "expected"),
    [
        (PICK, "", PICKED),
        (PICK, "d", PICKED),
        (PICK, "Z", PICKED),
        (PICK, "D ", PICKED),
        (PICK, "DC", PICKED),
        (PICK, "D@FS", PICKED),
        (PICK, "DxC", PICKED),
        (PICK_AND_DROP, "D", PICKED),
        (PICK_AND_DROP, "DxZ", PICKED),
        (PLACE, "D", PLACED),
        (PLACE, "D@", PLACED),
        (PLACE, "D@fs", PLACED),
        (PLACE, "D@WO", PLACED),
        (PLACE, "D@PY0", PLACED),
        (PLACE, "D@RVxC", PLACED),
        (DRAFT, "D@RVxC", DRAFTED),
        (DRAFT, "D@ZZ", DRAFTED),
        (DRAFT_AND_DROP, "D@RV", DRAFTED),
        (DRAFT_AND_DROP, "D@RVx", DRAFTED),
        (DISCARD, "D", DISCARDED),
        (DISCARD, "xZ", DISCARDED),
        (DISCARD, "DxC", DISCARDED),
        (QUARANTINE, "C@BL", MOVED),
        (QUARANTINE, "Q>", MOVED),
        (QUARANTINE, "Q>FS", MOVED),
        (QUARANTINE, "Q>PY", MOVED),
    ],
)
def test_a_malformed_action_is_refused_with_its_grammar_and_the_way_out(text: str, action: str, expected: str) -> None:
    error = refusal(text, action)
    assert isinstance(error, MalformedAction)
    assert str(error) == f"seat 0: {action!r} is malformed, expected {expected}. Legal: {legal(text)}."


@pytest.mark.parametrize("text", [PICK, PLACE, DRAFT, DISCARD], ids=["pick", "place", "draft", "discard"])
def test_a_refusal_names_the_seat_and_keeps_the_action(text: str) -> None:
    error = refusal(text, "nonsense", seat=1)
    assert (error.seat, error.action) == (1, "nonsense")
    assert str(error).startswith("seat 1: 'nonsense' is malformed")


@pytest.mark.parametrize(
    ("text", "action", "rule"),
    [(PICK, "P", "D-08"), (PLACE, "D@FS", "D-30"), (DISCARD, "xP", "D-15"), (QUARANTINE, "Q=", "X-07")],
)
def test_an_illegal_action_carries_the_rule_it_breaks(text: str, action: str, rule: str) -> None:
    error = refusal(text, action)
    assert isinstance(error, IllegalAction)
    assert error.rule == rule
