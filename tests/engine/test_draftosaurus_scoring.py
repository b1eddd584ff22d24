"""What zoos are worth and who wins.

A position without a phase is a finished table, so each text is a sum to work out. The zoo in question is seat 0's,
and the others are there for what it is compared with.
"""

import pytest

from engine.draftosaurus import GAME


def vector(name: str, *cases: tuple[object, ...]) -> list[object]:
    """The cases of one test vector, named after it."""
    return [pytest.param(*case, id=f"{name}-{number}") for number, case in enumerate(cases, 1)]


def score(text: str, seat: int = 0) -> int:
    return GAME.tally(GAME.parse(text)).scores[seat]


def points(text: str, zone: str, seat: int = 0) -> int:
    return GAME.tally(GAME.parse(text)).breakdown[seat][zone]


def ranks(text: str) -> tuple[int, ...]:
    return GAME.tally(GAME.parse(text)).ranks


def score_after(text: str, action: str) -> int:
    """Seat 0's score when only it acts, and so."""
    return GAME.tally(GAME.apply(GAME.parse(text), {0: action})).scores[0]


# Summer pens


@pytest.mark.rule("D-30")
@pytest.mark.parametrize(
    ("zoo", "worth"),
    vector(
        "TV-03",
        ("-", 0),
        ("FS=D", 2),
        ("FS=DD", 4),
        ("FS=DDD", 8),
        ("FS=DDDD", 12),
        ("FS=DDDDD", 18),
        ("FS=DDDDDD", 24),
    ),
)
def test_the_forest_of_sameness_pays_more_for_every_dinosaur(zoo: str, worth: int) -> None:
    assert score(f"summer | {zoo} | -") == worth


@pytest.mark.rule("D-31", "D-39")
@pytest.mark.parametrize(
    ("zoo", "worth"),
    vector(
        "TV-04",
        ("-", 0),
        ("MD=C", 1),
        ("MD=CD", 3),
        ("MD=CDS", 6),
        ("MD=CDSG", 10),
        ("MD=CDSGP", 15),
        ("MD=CDSGPT", 22),
    ),
)
def test_the_meadow_of_differences_pays_more_for_every_species(zoo: str, worth: int) -> None:
    assert score(f"summer | {zoo} | -") == worth


@pytest.mark.rule("D-32", "D-39")
@pytest.mark.parametrize(
    ("zoo", "worth"),
    vector(
        "TV-05",
        ("PL=C", 0),
        ("PL=CC", 5),
        ("PL=CCC", 5),
        ("PL=CCCC", 10),
        ("PL=CCCDDD", 10),
        ("PL=CCDDSS", 15),
        ("PL=CCCCCC", 15),
        ("PL=CDSGP", 0),
        ("PL=CDSGPT", 1),
    ),
)
def test_the_prairie_of_love_pays_five_for_every_pair(zoo: str, worth: int) -> None:
    assert score(f"summer | {zoo} | -") == worth


@pytest.mark.rule("D-33", "D-39", "X-03")
@pytest.mark.parametrize(("zoo", "worth"), vector("TV-06", ("WT=C", 0), ("WT=CD", 0), ("WT=CCC", 7), ("WT=CDT", 8)))
def test_a_full_trio_is_worth_seven(zoo: str, worth: int) -> None:
    assert score(f"summer | {zoo} | -") == worth


@pytest.mark.rule("X-03")
@pytest.mark.parametrize(("zoo", "worth"), vector("TV-06", ("WT=C", 0), ("WT=CD", 0), ("WT=CCC", 6), ("WT=CDT", 7)))
def test_a_full_trio_is_worth_six_where_the_option_says_so(zoo: str, worth: int) -> None:
    assert score(f"summer trio_points=6 | {zoo} | -") == worth


@pytest.mark.rule("D-34")
@pytest.mark.parametrize("others", vector("TV-07", ("RV=CCC | RV=CC | -",), ("RV=CC | FS=C WT=C PL=C | -",)))
def test_the_king_still_rules_when_an_opponent_has_as_many(others: str) -> None:
    assert score(f"summer | KJ=C PL=CC | {others}") == 7 + 5


@pytest.mark.rule("D-34", "D-39")
@pytest.mark.parametrize("others", vector("TV-08", ("RV=TT | -",), ("- | WT=TT",)))
def test_the_king_falls_when_any_opponent_has_more_but_keeps_its_rex_bonus(others: str) -> None:
    assert score(f"summer | KJ=T | {others}") == 1


@pytest.mark.rule("D-34", "D-36")
@pytest.mark.parametrize("others", vector("TV-09", ("RV=DDD",), ("FS=D KJ=D RV=D",)))
def test_the_king_counts_the_whole_zoo_and_its_river(others: str) -> None:
    assert score(f"summer | KJ=D RV=DD | {others}") == 7 + 2


@pytest.mark.rule("D-35", "D-36")
@pytest.mark.parametrize("twin", ["FS=P", "WT=P", "KJ=P", "PL=P", "MD=P", pytest.param("RV=P", id="TV-10")])
def test_a_twin_anywhere_in_the_zoo_spoils_the_solitary_island(twin: str) -> None:
    assert points(f"summer | SI=P {twin} | -", "SI") == 0


@pytest.mark.rule("D-35", "D-38")
def test_a_twin_in_the_river_leaves_the_river_point_only() -> None:
    assert score("summer | SI=P RV=P | -") == 1


@pytest.mark.rule("D-35", "D-39")
@pytest.mark.parametrize(("zoo", "worth"), vector("TV-11", ("SI=T", 7 + 1), ("SI=P", 7)))
def test_a_solitary_dinosaur_is_worth_seven(zoo: str, worth: int) -> None:
    assert score(f"summer | {zoo} | FS=TTT WT=PPP") == worth


# Both sides


@pytest.mark.rule("D-38", "D-39")
@pytest.mark.parametrize(
    ("season", "zoo"), vector("TV-14", ("summer", "RV=TTDDCCSSGGPP"), ("winter", "RV=TTDDCCSSGGPP"))
)
def test_the_river_pays_one_for_each_dinosaur_and_no_rex_bonus(season: str, zoo: str) -> None:
    assert score(f"{season} | {zoo} | -") == 12


@pytest.mark.rule("D-39")
@pytest.mark.parametrize(
    ("text", "bonus"),
    [
        pytest.param("summer | FS=TTT PL=TT RV=TT | -", 2, id="TV-12"),
        pytest.param("summer | FS=T MD=T PL=T WT=T KJ=T SI=T | -", 6, id="TV-13"),
        pytest.param("winter | WO=TDT BL=TT LO=T PY=TDT... RV=T | -", 4, id="winter"),
    ],
)
def test_every_pen_with_a_rex_pays_one_more_however_many_it_holds(text: str, bonus: int) -> None:
    assert points(text, "rex") == bonus


# Whole summer zoos


@pytest.mark.rule("D-30", "D-31", "D-32", "D-33", "D-34", "D-35", "D-36", "D-38", "D-39", "D-50")
@pytest.mark.parametrize(
    ("text", "total"),
    [
        pytest.param(
            "summer | FS=DD KJ=D WT=T MD=TCS PL=DDT RV=G SI=P | RV=DDDDD | - | - | -",
            4 + 7 + 0 + 6 + 5 + 1 + 7 + 3,
            id="TV-01",
        ),
        pytest.param("summer | FS=GGG WT=SSD PL=PP MD=CDTS | - | -", 8 + 7 + 5 + 10 + 1, id="TV-02"),
        pytest.param("summer | FS=TTT PL=TT RV=TT | -", 8 + 5 + 2 + 2, id="TV-12"),
        pytest.param("summer | FS=T MD=T PL=T WT=T KJ=T SI=T | -", 2 + 1 + 0 + 0 + 7 + 0 + 6, id="TV-13"),
        pytest.param("summer | FS=TTTTTT KJ=T MD=TCSG SI=P | -", 24 + 7 + 10 + 7 + 3, id="TV-15, the most there is"),
        pytest.param(
            "summer | WT=DC PL=CDSGP KJ=D SI=D RV=SGP | FS=DDDDDD | - | - | -", 3, id="TV-16, the least there is"
        ),
        pytest.param(
            "summer | FS=SSS WT=TDG KJ=S MD=DC SI=P RV=CG | RV=SSSSS | - | - | -",
            8 + 7 + 0 + 3 + 7 + 2 + 1,
            id="TV-17a",
        ),
        pytest.param(
            "summer | FS=SSS WT=TDG KJ=S MD=DC SI=P RV=CG | RV=SSSS | - | - | -",
            8 + 7 + 7 + 3 + 7 + 2 + 1,
            id="TV-17b",
        ),
    ],
)
def test_a_summer_zoo_is_worth_its_pens_its_river_and_its_rexes(text: str, total: int) -> None:
    assert score(text) == total


@pytest.mark.rule("D-50")
def test_a_score_can_be_read_pen_by_pen() -> None:
    outcome = GAME.tally(GAME.parse("summer | FS=DD KJ=D WT=T MD=TCS PL=DDT RV=G SI=P | RV=DDDDD | - | - | -"))
    assert outcome.breakdown[0] == {"FS": 4, "WT": 0, "KJ": 7, "PL": 5, "MD": 6, "SI": 7, "RV": 1, "rex": 3}


# Winter pens


@pytest.mark.rule("D-40")
@pytest.mark.parametrize(
    ("zoo", "worth"),
    vector(
        "TV-19",
        ("-", 0),
        ("WO=D", 2),
        ("WO=DC", 4),
        ("WO=DCD", 8),
        ("WO=DCDC", 12),
        ("WO=DCDCD", 18),
        ("WO=DCDCDC", 24),
    ),
)
def test_the_well_ordered_wood_pays_like_the_forest_of_sameness(zoo: str, worth: int) -> None:
    assert score(f"winter | {zoo} | -") == worth


@pytest.mark.rule("D-39", "D-41", "D-42")
@pytest.mark.parametrize(
    ("zoo", "worth"),
    vector(
        "TV-20",
        ("BL=DDC BR=DCC", 12),
        ("BL=DDDD BR=C", 0),
        ("BL=TT BR=TTT", 12 + 2),
        ("BL=DCS BR=GPT", 1),
        ("BL=T BR=D", 1),
        ("BL=DCSG BR=DCSG", 24),
    ),
)
def test_the_bridge_pays_six_for_every_couple_across_the_river(zoo: str, worth: int) -> None:
    assert score(f"winter | {zoo} | -") == worth


@pytest.mark.rule("D-42")
def test_each_bank_of_the_bridge_has_a_rex_bonus_of_its_own() -> None:
    assert points("winter | BL=T BR=T | -", "rex") == 2


@pytest.mark.rule("D-39", "D-43")
@pytest.mark.parametrize(
    ("zoo", "worth"),
    vector(
        "TV-21",
        ("PY=D.....", 2),
        ("PY=D.D...", 4),
        ("PY=DCD...", 6),
        ("PY=DCDG..", 10),
        ("PY=DCDGS.", 14),
        ("PY=DCDGSC", 21),
        ("PY=TCTGST", 21 + 1),
    ),
)
def test_higher_rows_of_the_pyramid_pay_more(zoo: str, worth: int) -> None:
    assert score(f"winter | {zoo} | -") == worth


@pytest.mark.rule("D-36", "D-45")
@pytest.mark.parametrize("right", vector("TV-22", ("WO=GDG RV=G LO=G",), ("BL=GG QZ=G PY=G.....",)))
def test_the_lookout_pays_two_for_each_of_its_species_in_the_whole_zoo_to_the_right(right: str) -> None:
    assert score(f"winter quarantine_move=may | LO=G | - | {right}") == 8


@pytest.mark.rule("D-39", "D-45")
@pytest.mark.parametrize("others", vector("TV-23", ("RV=DD | -",), ("RV=TT | RV=DD",)))
def test_a_lookout_that_sees_none_of_its_species_still_has_its_rex_bonus(others: str) -> None:
    assert score(f"winter | LO=T | {others}") == 1


@pytest.mark.rule("D-45")
@pytest.mark.parametrize(
    ("text", "seat", "worth"),
    [
        pytest.param("winter | RV=DDDD | LO=D | RV=D", 1, 8, id="TV-28"),
        pytest.param("winter | LO=D | RV=D | RV=DDDD", 0, 8, id="seat 0 looks round the table"),
        pytest.param("winter | RV=D | RV=DDDD | LO=D", 2, 8, id="the last seat"),
    ],
)
def test_the_lookout_looks_right_at_whoever_passes_hands_to_it(text: str, seat: int, worth: int) -> None:
    assert points(text, "LO", seat) == worth


@pytest.mark.rule("X-18")
@pytest.mark.parametrize(("text", "seat"), [("winter | LO=D | RV=DDD", 0), ("winter | RV=DDD | LO=D", 1)])
def test_the_lookout_of_two_players_looks_at_the_opponent(text: str, seat: int) -> None:
    assert points(text, "LO", seat) == 6


# Whole winter zoos


@pytest.mark.rule("D-39", "D-40", "D-41", "D-43", "D-45", "D-50")
@pytest.mark.parametrize(
    ("text", "total"),
    [
        pytest.param("winter | WO=DCD LO=G BL=TP BR=TP PY=SCDG.. | - | RV=GGG", 8 + 6 + 12 + 10 + 0 + 2, id="TV-18"),
        pytest.param(
            "winter | WO=TCTCTC BL=TC BR=TC PY=T..... LO=D | RV=DDDDDDD",
            24 + 12 + 2 + 14 + 4,
            id="TV-26, the most two players can have",
        ),
        pytest.param("winter | BL=DDDDDDDDCCCC | -", 0, id="TV-27, the least there is"),
    ],
)
def test_a_winter_zoo_is_worth_its_pens_its_river_and_its_rexes(text: str, total: int) -> None:
    assert score(text) == total


@pytest.mark.rule("D-46")
@pytest.mark.parametrize(
    ("move", "total"),
    vector("TV-24", ("Q>BL", 23), ("Q>BR", 29), ("Q>LO", 31), ("Q>PY3", 27), ("Q>PY4", 27), ("Q>RV", 24)),
)
def test_the_quarantined_dinosaur_scores_where_it_moves_to(move: str, total: int) -> None:
    text = "winter phase=quarantine | WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P | - | RV=PPPP"
    assert score_after(text, move) == total


@pytest.mark.rule("D-39", "X-07")
@pytest.mark.parametrize(
    ("dino", "move", "total"), vector("TV-25", ("T", "Q=", 24), ("T", "Q>RV", 24), ("P", "Q=", 23))
)
def test_staying_in_quarantine_is_worth_a_rex_bonus_at_most(dino: str, move: str, total: int) -> None:
    text = f"winter phase=quarantine quarantine_move=may | WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ={dino} | - | RV=PPPP"
    assert score_after(text, move) == total


@pytest.mark.rule("D-36", "X-08")
@pytest.mark.parametrize("move", ["Q>WO", "Q>BL", "Q>LO", "Q>BR", "Q>PY0", "Q>RV"])
def test_a_quarantine_move_never_changes_what_others_see_of_the_zoo(move: str) -> None:
    after = GAME.apply(GAME.parse("winter phase=quarantine | QZ=D | LO=D | -"), {0: move})
    assert GAME.tally(after).breakdown[1]["LO"] == 2


# What counts as the zoo


@pytest.mark.rule("D-36", "X-14")
@pytest.mark.parametrize(
    ("zoos", "zone", "with_river", "without"),
    [
        pytest.param("summer | SI=P RV=P | -", "SI", 0, 7, id="the twin in the own River"),
        pytest.param("summer | KJ=D RV=DD | PL=DDD", "KJ", 7, 0, id="the king's own River"),
        pytest.param("summer | KJ=D | RV=DD", "KJ", 0, 7, id="the opponent's River"),
        pytest.param("winter | LO=G | BL=G RV=GGG", "LO", 8, 2, id="the neighbour's River"),
    ],
)
def test_the_river_is_part_of_the_zoo_unless_only_pens_count(
    zoos: str, zone: str, with_river: int, without: int
) -> None:
    season, rest = zoos.split(" ", 1)
    assert points(zoos, zone) == with_river
    assert points(f"{season} zoo_scope=pens_only {rest}", zone) == without


@pytest.mark.rule("D-36", "D-51", "X-14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("summer | FS=C RV=T | FS=D RV=D", (2, 1)),
        ("summer zoo_scope=pens_only | FS=C RV=T | FS=D RV=D", (1, 1)),
    ],
)
def test_a_rex_in_the_river_breaks_ties_unless_only_pens_count(text: str, expected: tuple[int, ...]) -> None:
    assert ranks(text) == expected


@pytest.mark.rule("D-38", "X-14")
def test_the_river_pays_its_points_even_if_only_pens_count() -> None:
    assert points("summer zoo_scope=pens_only | RV=DDD | -", "RV") == 3


# The winner


@pytest.mark.rule("D-50")
def test_the_highest_score_wins() -> None:
    assert ranks("summer | FS=D | FS=CCC | RV=S | FS=GG") == (3, 1, 4, 2)


@pytest.mark.rule("D-50")
def test_a_rex_less_never_beats_a_point_more() -> None:
    assert ranks("summer | RV=TTT | RV=DD") == (1, 2)


@pytest.mark.rule("D-51")
@pytest.mark.parametrize(
    ("text", "scores", "expected"),
    vector(
        "TV-46",
        (
            "summer | FS=DDDDDD WT=TTT SI=P RV=CG | FS=CCCCCC WT=TTS SI=G RV=DP | FS=SSSSSS WT=PPP SI=D RV=GG | -",
            (41, 41, 40, 0),
            (2, 1, 3, 4),
        ),
        (
            "summer | FS=DDDDDD WT=TTT SI=P RV=CG | FS=CCCCCC WT=TTT SI=G RV=DP | FS=SSSSSS WT=PPP SI=D RV=GG | -",
            (41, 41, 40, 0),
            (1, 1, 3, 4),
        ),
    ),
)
def test_of_equal_scores_the_zoo_with_fewer_rexes_wins_and_else_they_share(
    text: str, scores: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    outcome = GAME.tally(GAME.parse(text))
    assert outcome.scores == scores
    assert outcome.ranks == expected


SUMMER_AND_WINTER = (
    "| WO=DCDC LO=G BL=TT BR=T PY=SCDG.. + FS=DDDD WT=TTT KJ=D MD=TC RV=CG"
    " | WO=TGTG BL=TGCS BR=TG PY=DS.... + FS=CCCCC WT=TTS KJ=C PL=DP SI=G"
)
"""Seat 0 has 38 and 33 points with 3 and 4 T-Rex, seat 1 has 31 and 40 with 4 and 2."""


@pytest.mark.rule("D-52")
def test_summer_and_winter_scores_are_added() -> None:
    first, second = GAME.tally(GAME.parse(f"summer_winter {SUMMER_AND_WINTER}")).breakdown
    for seat, summer, winter in ((first, 33, 38), (second, 40, 31)):
        assert sum(worth for zone, worth in seat.items() if zone.startswith("summer.")) == summer
        assert sum(worth for zone, worth in seat.items() if zone.startswith("winter.")) == winter
        assert sum(seat.values()) == 71


@pytest.mark.rule("D-52", "X-17")
@pytest.mark.parametrize(
    ("head", "expected"),
    vector("TV-47", ("summer_winter", (2, 1)), ("summer_winter match_tiebreak=shared", (1, 1))),
)
def test_a_tie_over_both_halves_goes_to_fewer_rexes_in_both_zoos(head: str, expected: tuple[int, ...]) -> None:
    outcome = GAME.tally(GAME.parse(f"{head} {SUMMER_AND_WINTER}"))
    assert outcome.scores == (71, 71)
    assert outcome.ranks == expected
