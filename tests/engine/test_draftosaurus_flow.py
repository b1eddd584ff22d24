"""The course of the game: set-up, deals, rolls, turns, rounds, the end, and who sees what on the way."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest

from engine.contract import CHANCE, Value, plain
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.draftosaurus.state import State
from engine.errors import IllegalAction, MalformedAction, SetupError
from engine.playouts import at_random, steps

SPECIES = "TDCSGP"
Options = Mapping[str, Value]


def vector(name: str, *cases: tuple[object, ...]) -> list[object]:
    """The cases of one test vector, named after it."""
    return [pytest.param(*case, id=f"{name}-{number}") for number, case in enumerate(cases, 1)]


def states(seats: int, options: Options | None = None, seed: int = 1) -> Iterator[State]:
    """All states of a match between players who choose at random."""
    start, dice = GAME.start(seats, options or {}), Seed(seed)
    yield start
    for _, state in steps(GAME, start, dice, at_random(dice)):
        yield state


def in_phase(phase: str, seats: int, options: Options | None = None) -> list[State]:
    return [state for state in states(seats, options) if seen(state, "phase") == phase]


def end(seats: int, options: Options | None = None) -> State:
    *_, last = states(seats, options)
    return last


def seen(state: State, key: str, seat: int | None = None) -> Any:
    return GAME.view(state, seat)[key]


def hand(state: State, seat: int) -> str:
    return GAME.view(state, seat)["hands"][seat]


def play(state: State, *all_actions: Mapping[int, str]) -> State:
    for actions in all_actions:
        state = GAME.apply(state, actions)
    return state


def play_turn(state: State) -> State:
    """A turn in which the die shows woods and everybody plays the fallback."""
    state = GAME.apply(state, {CHANCE: "roll:W"})
    while GAME.to_act(state) not in ((), (CHANCE,)):
        state = GAME.apply(state, {seat: GAME.fallback(state, seat) for seat in GAME.to_act(state)})
    return state


def dinosaurs(state: State) -> Counter[str]:
    """All that lie in zoos and in the box."""
    zoos = "".join("".join(zoo.values()) for zoo in seen(state, "zoos"))
    return Counter((zoos + "".join(GAME.view(state, None).get("discards", []))).replace(".", ""))


# Set-up


@pytest.mark.rule("D-01")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_two_to_five_can_play(seats: int) -> None:
    assert seats in GAME.seats
    assert seen(GAME.start(seats, {}), "seats") == seats


@pytest.mark.rule("D-01")
@pytest.mark.parametrize("seats", [0, 1, 6])
def test_fewer_than_two_or_more_than_five_cannot_play(seats: int) -> None:
    with pytest.raises(SetupError, match=rf"\b{seats} seats? (is|are) not possible, it takes 2 to 5"):
        GAME.start(seats, {})


@pytest.mark.rule("D-02", "D-06")
@pytest.mark.parametrize("season", ["summer", "winter"])
def test_five_players_place_all_sixty_dinosaurs_of_the_box_ten_of_each_species(season: str) -> None:
    assert dinosaurs(end(5, {"season": season})) == dict.fromkeys(SPECIES, 10)


@pytest.mark.rule("D-03")
@pytest.mark.parametrize(
    ("options", "season", "pens"),
    [
        ({}, "summer", "FS WT KJ PL MD SI RV"),
        ({"season": "winter"}, "winter", "WO BL LO QZ BR PY0 PY1 PY2 RV"),
    ],
)
def test_all_players_use_the_same_side_which_is_summer_by_default(options: Options, season: str, pens: str) -> None:
    rolling = GAME.apply(GAME.start(3, options), {CHANCE: "deal:DDDDDD,CCCCCC,SSSSSS"})
    placing = play(rolling, {CHANCE: "roll:E"}, {0: "D", 1: "C", 2: "S"})
    assert seen(placing, "season") == season
    for seat, dino in enumerate("DCS"):
        assert GAME.legal(placing, seat) == tuple(f"{dino}@{pen}" for pen in pens.split())


@pytest.mark.rule("D-04")
@pytest.mark.parametrize(
    ("seats", "bag", "per_species"), vector("TV-42", (2, 48, 8), (3, 36, 6), (4, 48, 8), (5, 60, 10))
)
def test_the_bag_is_filled_for_the_number_of_players_and_used_up(seats: int, bag: int, per_species: int) -> None:
    assert seen(GAME.start(seats, {}), "bag_size") == bag
    assert seen(in_phase("roll", seats)[-1], "bag_size") == 0
    assert dinosaurs(end(seats)) == dict.fromkeys(SPECIES, per_species)


@pytest.mark.rule("D-05", "X-01")
@pytest.mark.parametrize(("options", "roller"), [({}, 0), ({"first_roller": 0}, 0), ({"first_roller": 2}, 2)])
def test_seat_zero_rolls_first_unless_another_seat_is_named(options: Options, roller: int) -> None:
    assert seen(in_phase("roll", 3, options)[0], "roller") == roller


@pytest.mark.rule("D-05", "X-01")
@pytest.mark.parametrize("first", [0, 1, 2])
def test_chance_may_choose_who_rolls_first(first: int) -> None:
    start = GAME.start(3, {"first_roller": "random"})
    assert GAME.to_act(start) == (CHANCE,)
    assert GAME.legal(start, CHANCE) == ("first:0", "first:1", "first:2")
    assert seen(GAME.apply(start, {CHANCE: f"first:{first}"}), "roller") == first


@pytest.mark.rule("D-05", "X-01")
def test_every_seat_is_chosen_to_roll_first_by_some_dice() -> None:
    start = GAME.start(5, {"first_roller": "random"})
    assert {GAME.deal(start, Seed(seed)) for seed in range(50)} == {f"first:{seat}" for seat in range(5)}


@pytest.mark.rule("X-01")
def test_a_first_roller_who_does_not_sit_at_the_table_is_refused() -> None:
    with pytest.raises(SetupError, match=r"first_roller=3: only 3 seats play\. Allowed: 0, 1, 2, random"):
        GAME.start(3, {"first_roller": 3})


# Deals and rolls


@pytest.mark.rule("D-07")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_round_begins_with_six_dinosaurs_from_the_bag_for_everybody(seats: int) -> None:
    dealing = in_phase("deal", seats)
    assert len(dealing) == (4 if seats == 2 else 2)
    for state in dealing:
        dealt = GAME.apply(state, {CHANCE: GAME.deal(state, Seed(7))})
        assert [len(hand(dealt, seat)) for seat in range(seats)] == [6] * seats
        assert seen(dealt, "bag_size") == seen(state, "bag_size") - 6 * seats


@pytest.mark.rule("D-07")
def test_what_is_dealt_is_what_leaves_the_bag() -> None:
    dealt = GAME.apply(GAME.start(3, {}), {CHANCE: "deal:TDCSGP,TTDDCC,SSSGGG"})
    assert [hand(dealt, seat) for seat in range(3)] == ["TDCSGP", "TTDDCC", "SSSGGG"]
    assert dealt.stage.bag == "TTTDDDCCCSSGGPPPPP"


@pytest.mark.rule("D-07")
def test_hands_are_drawn_at_random() -> None:
    start = GAME.start(5, {})
    drawn = Counter("".join(GAME.deal(start, Seed(seed)).removeprefix("deal:").split(",")[0] for seed in range(1000)))
    assert all(900 < drawn[dino] < 1100 for dino in SPECIES)


@pytest.mark.rule("D-02", "D-27")
def test_the_die_has_six_faces() -> None:
    rolling = in_phase("roll", 3)[0]
    assert GAME.legal(rolling, CHANCE) == ("roll:W", "roll:G", "roll:L", "roll:R", "roll:E", "roll:X")


@pytest.mark.rule("D-27")
def test_all_faces_of_the_die_come_up_equally_often() -> None:
    rolling = in_phase("roll", 3)
    rolls = Counter(GAME.deal(state, Seed(seed)) for seed in range(500) for state in rolling)
    assert rolls.total() == 6000
    # A fair die strays from 1000 by more than 120 once in thirty thousand counts.
    assert all(880 < rolls[action] < 1120 for action in GAME.legal(rolling[0], CHANCE))


# Turns


@pytest.mark.rule("D-06", "D-16")
@pytest.mark.parametrize(
    ("seats", "clock"), [(2, (4, 3)), (3, (2, 6)), (4, (2, 6)), (5, (2, 6))], ids=["2", "3", "4", "5"]
)
def test_a_game_has_twelve_turns_in_rounds(seats: int, clock: tuple[int, int]) -> None:
    rounds, turns = clock
    played = [(seen(state, "round"), seen(state, "turn")) for state in in_phase("roll", seats)]
    assert played == [(round_, turn) for round_ in range(1, rounds + 1) for turn in range(1, turns + 1)]


@pytest.mark.rule("D-06")
@pytest.mark.parametrize("season", ["summer", "winter"])
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_zoo_ends_with_twelve_dinosaurs(seats: int, season: str) -> None:
    zoos = seen(end(seats, {"season": season}), "zoos")
    assert [len("".join(zoo.values()).replace(".", "")) for zoo in zoos] == [12] * seats


@pytest.mark.rule("D-08", "X-05", "X-06")
@pytest.mark.parametrize(
    ("seats", "options", "phases"),
    [
        (3, {}, "deal roll pick place roll"),
        (3, {"commit": "pick_and_place"}, "deal roll draft roll"),
        (2, {}, "deal roll pick place discard roll"),
        (2, {"commit": "pick_and_place"}, "deal roll draft discard roll"),
        (2, {"discard_timing": "with_pick"}, "deal roll pick place roll"),
        (2, {"commit": "pick_and_place", "discard_timing": "with_pick"}, "deal roll draft roll"),
    ],
)
def test_a_turn_goes_through_its_phases_in_order(seats: int, options: Options, phases: str) -> None:
    played = [seen(state, "phase") for state in states(seats, options)]
    assert " ".join(played).startswith(phases)


@pytest.mark.rule("D-08")
@pytest.mark.parametrize("phase", ["pick", "place"])
def test_all_players_act_at_the_same_time(phase: str) -> None:
    assert {GAME.to_act(state) for state in in_phase(phase, 4)} == {(0, 1, 2, 3)}


@pytest.mark.rule("D-08", "D-53")
def test_picks_are_revealed_together_and_before_anybody_places() -> None:
    picking = GAME.parse("summer round=2 turn=6 phase=pick die=W | hand=D | hand=P | hand=S")
    placing = GAME.apply(picking, {0: "D", 1: "P", 2: "S"})
    for viewer in (0, 1, 2, None):
        assert seen(picking, "picks", viewer) is None
        assert seen(placing, "picks", viewer) == ["D", "P", "S"]
        assert [event["dino"] for event in GAME.events(picking, placing, viewer)] == ["D", "P", "S"]


@pytest.mark.rule("D-08")
def test_the_last_pick_of_a_round_is_forced_but_its_place_is_not() -> None:
    """TV-48."""
    picking = GAME.parse("summer round=2 turn=6 phase=pick die=W | hand=D | hand=P | hand=S | hand=G")
    assert [GAME.legal(picking, seat) for seat in range(4)] == [("D",), ("P",), ("S",), ("G",)]
    placing = GAME.apply(picking, {0: "D", 1: "P", 2: "S", 3: "G"})
    assert seen(placing, "phase") == "place"
    assert all(len(GAME.legal(placing, seat)) > 1 for seat in range(4))


@pytest.mark.rule("X-05")
def test_a_turn_ends_alike_whether_picks_are_placed_at_once_or_later() -> None:
    zoos = "| hand=DC FS=D | hand=SS | hand=GP"
    later = play(
        GAME.parse(f"summer round=2 turn=5 phase=pick die=W {zoos}"),
        {0: "D", 1: "S", 2: "P"},
        {0: "D@FS", 1: "S@PL", 2: "P@RV"},
    )
    at_once = play(
        GAME.parse(f"summer round=2 turn=5 phase=draft die=W commit=pick_and_place {zoos}"),
        {0: "D@FS", 1: "S@PL", 2: "P@RV"},
    )
    assert GAME.format(later) == "summer round=2 turn=6 phase=roll | hand=G FS=DD | hand=C PL=S | hand=S RV=P"
    assert GAME.format(at_once) == GAME.format(later).replace("roll |", "roll commit=pick_and_place |")


@pytest.mark.rule("D-08", "D-12")
def test_hands_pass_to_the_left_in_both_rounds() -> None:
    """TV-44."""
    state = GAME.apply(GAME.start(4, {}), {CHANCE: "deal:TTTTTT,DDDDDD,CCCCCC,SSSSSS"})
    holders = []
    for turn in range(6):
        holders += [seat for seat in range(4) if hand(state, seat) == "T" * (6 - turn)]
        state = play_turn(state)
    assert holders == [0, 1, 2, 3, 0, 1]
    state = GAME.apply(state, {CHANCE: "deal:GGGGGG,PPPPPP,TTDDCC,SSGGPP"})
    for turn in range(6):
        holders += [seat for seat in range(4) if hand(state, seat) == "G" * (6 - turn)]
        state = play_turn(state)
    assert holders[6:] == [0, 1, 2, 3, 0, 1]


@pytest.mark.rule("D-08", "D-13", "D-15", "X-02")
@pytest.mark.parametrize(
    ("seats", "options", "rollers"),
    vector(
        "TV-43",
        (2, {}, "0 1 0 1 0 1 0 1 0 1 0 1"),
        (3, {}, "0 1 2 0 1 2 0 1 2 0 1 2"),
        (4, {}, "0 1 2 3 0 1 2 3 0 1 2 3"),
        (5, {}, "0 1 2 3 4 0 1 2 3 4 0 1"),
        (5, {"five_player_last_turn": "all_bound"}, "0 1 2 3 4 4 0 1 2 3 4 4"),
        (4, {"first_roller": 3}, "3 0 1 2 3 0 1 2 3 0 1 2"),
    ),
)
def test_the_die_passes_to_the_left_also_across_rounds(seats: int, options: Options, rollers: str) -> None:
    assert " ".join(str(seen(state, "roller")) for state in in_phase("roll", seats, options)) == rollers


@pytest.mark.rule("D-09", "D-15", "X-02")
@pytest.mark.parametrize(
    ("seats", "options", "free_turns"),
    vector(
        "TV-43",
        (2, {}, [6, 6]),
        (3, {}, [4, 4, 4]),
        (4, {}, [3, 3, 3, 3]),
        (5, {}, [3, 3, 2, 2, 2]),
        (5, {"five_player_last_turn": "all_bound"}, [2, 2, 2, 2, 2]),
    ),
)
def test_a_seat_is_free_of_the_die_when_it_rolls(seats: int, options: Options, free_turns: list[int]) -> None:
    bound = [seen(state, "bound") for state in in_phase("place", seats, options)]
    assert [sum(not turn[seat] for turn in bound) for seat in range(seats)] == free_turns


@pytest.mark.rule("D-11")
@pytest.mark.parametrize("season", ["summer", "winter"])
def test_the_river_is_open_to_everybody_in_every_turn(season: str) -> None:
    for state in in_phase("place", 4, {"season": season}):
        for seat in range(4):
            assert f"{seen(state, 'picks')[seat]}@RV" in GAME.legal(state, seat)


@pytest.mark.rule("D-14")
@pytest.mark.parametrize("season", ["summer", "winter"])
def test_a_placed_dinosaur_stays_where_it_is_until_the_quarantine(season: str) -> None:
    rounds = [state for state in states(4, {"season": season}) if seen(state, "phase") not in ("quarantine", "over")]
    for before, after in pairwise(rounds):
        for was, now in zip(seen(before, "zoos"), seen(after, "zoos")):
            assert all(Counter(dinos.replace(".", "")) <= Counter(now[pen]) for pen, dinos in was.items())
            assert now.get("WO", "").startswith(was.get("WO", ""))
            assert all(cell in (".", new) for cell, new in zip(was.get("PY", ""), now.get("PY", "")))


# Two players


@pytest.mark.rule("D-15", "D-06")
def test_two_players_pick_one_discard_one_and_swap() -> None:
    placing = GAME.parse("summer round=4 turn=2 phase=place die=W | hand=DCC pick=T | hand=SGP pick=S")
    discarding = GAME.apply(placing, {0: "T@FS", 1: "S@RV"})
    swapped = GAME.apply(discarding, {0: "xC", 1: "xP"})
    assert GAME.format(discarding) == "summer round=4 turn=2 phase=discard | hand=DCC FS=T | hand=SGP RV=S"
    assert GAME.format(swapped) == "summer round=4 turn=3 phase=roll | hand=SG box=C FS=T | hand=DC box=P RV=S"


@pytest.mark.rule("D-15")
def test_hands_of_two_players_shrink_by_two_each_turn() -> None:
    """TV-45."""
    first_round = [state for state in states(2) if seen(state, "round") == 1]
    decisions = [
        (seen(state, "phase"), len(hand(state, 0)))
        for state in first_round
        if seen(state, "phase") in ("pick", "discard")
    ]
    assert decisions == [("pick", 6), ("discard", 5), ("pick", 4), ("discard", 3), ("pick", 2), ("discard", 1)]
    assert len(GAME.legal(first_round[-1], 0)) == 1


@pytest.mark.rule("D-04", "D-15")
def test_the_bag_of_two_players_lasts_four_deals() -> None:
    """TV-45."""
    first_rolls = [state for state in in_phase("roll", 2) if seen(state, "turn") == 1]
    assert [seen(state, "bag_size") for state in first_rolls] == [36, 24, 12, 0]


@pytest.mark.rule("D-15")
@pytest.mark.parametrize("timing", ["after_place", "with_pick"])
def test_two_players_put_half_of_the_dinosaurs_back_into_the_box(timing: str) -> None:
    last = end(2, {"discard_timing": timing})
    assert [len(box) for box in seen(last, "discards")] == [12, 12]


@pytest.mark.rule("D-15")
def test_more_than_two_players_discard_nothing() -> None:
    assert in_phase("discard", 3) == []
    assert "discards" not in GAME.view(end(3), None)


@pytest.mark.rule("X-06")
def test_a_discard_chosen_with_the_pick_leaves_the_hand_after_placing() -> None:
    picking = GAME.parse("summer round=4 turn=2 phase=pick die=W discard_timing=with_pick | hand=TDCC | hand=SSGP")
    placing = GAME.apply(picking, {0: "TxC", 1: "SxP"})
    swapped = GAME.apply(placing, {0: "T@FS", 1: "S@RV"})
    head = "summer round=4 turn=2 phase=place die=W discard_timing=with_pick"
    assert GAME.format(placing) == f"{head} | hand=DCC pick=T drop=C | hand=SGP pick=S drop=P"
    head = "summer round=4 turn=3 phase=roll discard_timing=with_pick"
    assert GAME.format(swapped) == f"{head} | hand=SG box=C FS=T | hand=DC box=P RV=S"


@pytest.mark.rule("X-05", "X-06")
def test_pick_place_and_discard_can_be_one_action() -> None:
    head = "summer round=4 turn=2 phase=draft die=W commit=pick_and_place discard_timing=with_pick"
    swapped = GAME.apply(GAME.parse(f"{head} | hand=TDCC | hand=SSGP"), {0: "T@FSxC", 1: "S@RVxP"})
    head = "summer round=4 turn=3 phase=roll commit=pick_and_place discard_timing=with_pick"
    assert GAME.format(swapped) == f"{head} | hand=SG box=C FS=T | hand=DC box=P RV=S"


@pytest.mark.rule("X-06")
def test_a_dinosaur_can_be_picked_and_discarded_only_if_the_hand_has_two() -> None:
    picking = GAME.parse("summer round=4 turn=2 phase=pick die=W discard_timing=with_pick | hand=TDCC | hand=SSSS")
    assert GAME.legal(picking, 0) == ("TxD", "TxC", "DxT", "DxC", "CxT", "CxD", "CxC")
    assert GAME.legal(picking, 1) == ("SxS",)


# The end


@pytest.mark.rule("D-16")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_game_ends_after_the_last_round_and_not_before(seats: int) -> None:
    *course, last = states(seats)
    assert all(GAME.outcome(state) is None and GAME.to_act(state) for state in course)
    assert (seen(last, "phase"), GAME.to_act(last)) == ("over", ())
    assert GAME.outcome(last) == GAME.tally(last)


@pytest.mark.rule("D-46", "D-14")
def test_the_quarantined_dinosaur_moves_after_the_last_turn() -> None:
    placing = GAME.parse("winter round=2 turn=6 phase=place die=L | pick=D WO=DC | pick=P | pick=S")
    moving = GAME.apply(placing, {0: "D@QZ", 1: "P@RV", 2: "S@RV"})
    assert GAME.to_act(moving) == (0,)
    assert GAME.format(moving) == "winter phase=quarantine | WO=DC QZ=D | RV=P | RV=S"
    assert GAME.format(GAME.apply(moving, {0: "Q>WO"})) == "winter | WO=DCD | RV=P | RV=S"


@pytest.mark.rule("D-46")
def test_without_a_quarantined_dinosaur_the_game_is_over_at_once() -> None:
    placing = GAME.parse("winter round=2 turn=6 phase=place die=L | pick=D WO=DC | pick=P | pick=S")
    assert GAME.format(GAME.apply(placing, {0: "D@WO", 1: "P@RV", 2: "S@RV"})) == "winter | WO=DCD | RV=P | RV=S"


@pytest.mark.rule("X-07")
def test_a_dinosaur_that_may_stay_in_quarantine_stays() -> None:
    moving = GAME.parse("winter phase=quarantine quarantine_move=may | QZ=D | -")
    assert GAME.format(GAME.apply(moving, {0: "Q="})) == "winter quarantine_move=may | QZ=D | -"


@pytest.mark.rule("D-52")
def test_the_winter_game_follows_the_summer_game_with_a_full_bag_and_empty_zoos() -> None:
    course = list(states(3, {"season": "summer_winter"}))
    winter = next(state for state in course if seen(state, "game") == 2)
    assert (seen(winter, "phase"), seen(winter, "season"), seen(winter, "round")) == ("deal", "winter", 1)
    assert (seen(winter, "bag_size"), seen(winter, "zoos")) == (36, [{}, {}, {}])
    assert [len("".join(zoo.values())) for zoo in seen(winter, "summer")] == [12, 12, 12]


@pytest.mark.rule("D-52")
def test_the_scores_of_both_halves_add_up_to_the_score_of_the_match() -> None:
    course = list(states(3, {"season": "summer_winter"}))
    halves = [
        event["scores"]
        for before, after in pairwise(course)
        for event in GAME.events(before, after, None)
        if event["event"] == "score"
    ]
    assert len(halves) == 2
    assert tuple(map(sum, zip(*halves))) == GAME.outcome(course[-1]).scores


@pytest.mark.rule("X-16")
@pytest.mark.parametrize(
    ("options", "rollers"),
    [
        ({}, "0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3"),
        ({"match_second_start": "next"}, "0 1 2 3 0 1 2 3 0 1 2 3 1 2 3 0 1 2 3 0 1 2 3 0"),
        ({"match_second_start": "next", "first_roller": 3}, "3 0 1 2 3 0 1 2 3 0 1 2 0 1 2 3 0 1 2 3 0 1 2 3"),
    ],
)
def test_the_winter_game_is_begun_by_the_same_seat_unless_by_the_next(options: Options, rollers: str) -> None:
    rolling = in_phase("roll", 4, {"season": "summer_winter", **options})
    assert " ".join(str(seen(state, "roller")) for state in rolling) == rollers


# Who sees what


@pytest.mark.rule("D-53", "D-07")
def test_a_seat_sees_its_own_hand_and_a_spectator_none() -> None:
    dealt = GAME.apply(GAME.start(3, {}), {CHANCE: "deal:TDCSGP,TTDDCC,SSSGGG"})
    assert seen(dealt, "hands", 0) == ["TDCSGP", None, None]
    assert seen(dealt, "hands", 2) == [None, None, "SSSGGG"]
    assert seen(dealt, "hands", None) == [None, None, None]


@pytest.mark.rule("D-53")
@pytest.mark.parametrize("viewer", [0, None])
def test_a_view_does_not_depend_on_hidden_hands_and_the_bag(viewer: int | None) -> None:
    start = GAME.start(3, {})
    here = GAME.apply(start, {CHANCE: "deal:TDCSGP,TTDDCC,SSSGGG"})
    there = GAME.apply(start, {CHANCE: "deal:TDCSGP,GPPPPP,TTTTTD"})
    assert GAME.view(here, viewer) == GAME.view(there, viewer)
    assert GAME.events(start, here, viewer) == GAME.events(start, there, viewer)


@pytest.mark.rule("D-53")
def test_a_seat_knows_the_hands_it_has_passed_on_from_what_was_picked() -> None:
    rolling = GAME.parse("summer round=2 turn=2 phase=roll | hand=GGGGP FS=T | hand=DDDDD RV=D | hand=SSSSS RV=C")
    assert seen(rolling, "hands", 0) == ["GGGGP", "DDDDD", None]


@pytest.mark.rule("D-53")
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_everybody_sees_zoos_die_and_roller(viewer: int | None) -> None:
    picking = GAME.parse("summer round=2 turn=5 phase=pick die=X | hand=DC FS=DD | hand=SS RV=T | hand=GP KJ=P")
    assert seen(picking, "zoos", viewer) == [{"FS": "DD"}, {"RV": "T"}, {"KJ": "P"}]
    assert (seen(picking, "die", viewer), seen(picking, "roller", viewer)) == ("X", 1)
    assert seen(picking, "bound", viewer) == [True, False, True]
    assert "bag" not in GAME.view(picking, viewer)


@pytest.mark.rule("D-53", "X-06")
@pytest.mark.parametrize("viewer", [0, 1, None])
def test_everybody_sees_the_discards_of_two_players(viewer: int | None) -> None:
    discarding = GAME.parse("summer round=4 turn=2 phase=discard | hand=DCC box=TD | hand=SGP box=PP")
    swapped = GAME.apply(discarding, {0: "xC", 1: "xG"})
    assert seen(swapped, "discards", viewer) == ["TDC", "PPG"]
    dropped = [event["dino"] for event in GAME.events(discarding, swapped, viewer) if event["event"] == "discard"]
    assert dropped == ["C", "G"]


@pytest.mark.rule("X-06")
@pytest.mark.parametrize(("viewer", "discards"), [(0, ["C", "?"]), (1, ["?", "G"]), (None, ["?", "?"])])
def test_a_hidden_discard_from_a_hand_not_yet_held_is_seen_by_its_player_only(
    viewer: int | None, discards: list[str]
) -> None:
    head = "summer round=4 turn=1 phase=discard discard_visibility=hidden"
    discarding = GAME.parse(f"{head} | hand=DDDCC | hand=SSGGP")
    swapped = GAME.apply(discarding, {0: "xC", 1: "xG"})
    assert seen(swapped, "discards", viewer) == discards
    dropped = [event["dino"] for event in GAME.events(discarding, swapped, viewer) if event["event"] == "discard"]
    assert dropped == discards


@pytest.mark.rule("X-06")
def test_a_hidden_discard_shows_when_the_hand_comes_back_to_who_knew_it() -> None:
    head = "summer round=4 turn=2 phase=discard discard_visibility=hidden"
    discarding = GAME.parse(f"{head} | hand=DCC box=T | hand=SGP box=P")
    swapped = GAME.apply(discarding, {0: "xC", 1: "xG"})
    assert seen(swapped, "hands", 0) == ["SP", "DC"]
    assert seen(swapped, "discards", 0) == ["TC", "?G"]


@pytest.mark.rule("X-06")
@pytest.mark.parametrize(
    ("option", "viewer", "drops"),
    [
        ("discard_visibility=public", 0, ["C", "P"]),
        ("discard_visibility=hidden", 0, ["C", None]),
        ("discard_visibility=hidden", None, [None, None]),
    ],
)
def test_a_discard_chosen_with_the_pick_is_seen_like_any_other(
    option: str, viewer: int | None, drops: list[str | None]
) -> None:
    head = f"summer round=4 turn=2 phase=place die=W discard_timing=with_pick {option}"
    assert seen(GAME.parse(f"{head} | hand=DCC pick=T drop=C | hand=SGP pick=S drop=P"), "drops", viewer) == drops


# Words


@pytest.mark.rule("X-19")
@pytest.mark.parametrize(
    ("face", "words"),
    [
        ("W", "woods"),
        ("G", "grass"),
        ("L", "left of the River"),
        ("R", "right of the River"),
        ("E", "empty pen"),
        ("X", "no T-Rex in the pen"),
    ],
)
def test_a_drawing_names_the_face_of_the_die_in_our_words(face: str, words: str) -> None:
    state = GAME.parse(f"summer round=2 turn=6 phase=place die={face} | pick=D | pick=P | pick=P")
    headline = GAME.draw(GAME.view(state, 0), GAME.tally(state), plain).splitlines()[0]
    assert headline.endswith(f"seat 2 rolled {face} ({words})")


@pytest.mark.rule("X-19")
@pytest.mark.parametrize(
    ("season", "banks"),
    [
        (
            "summer",
            [
                ("FS Forest of Sameness", "KJ King of the Jungle"),
                ("WT Woody Trio", "MD Meadow of Differences"),
                ("PL Prairie of Love", "SI Solitary Island"),
            ],
        ),
        (
            "winter",
            [
                ("WO Well-Ordered Wood", "LO Lookout"),
                ("BL Lovers' Bridge (left)", "BR Lovers' Bridge (right)"),
                ("QZ Quarantine Zone", "PY Pyramid"),
            ],
        ),
    ],
)
def test_a_drawing_names_the_pens_on_either_side_of_the_river(season: str, banks: list[tuple[str, str]]) -> None:
    state = GAME.parse(f"{season} | - | -")
    drawing = GAME.draw(GAME.view(state, 0), GAME.tally(state), plain).splitlines()
    for left, right in banks:
        assert any(line.startswith(f"│ {left} ") and f"│ {right} " in line for line in drawing)


# Refusals


@pytest.mark.rule("D-08")
@pytest.mark.parametrize(
    ("text", "actions", "message"),
    [
        (
            "summer round=2 turn=6 phase=pick die=W | hand=D | hand=P | hand=S",
            {0: "D", 2: "S"},
            "seat 1: '' is malformed, expected an action from seats 0, 1, 2.",
        ),
        (
            "summer round=2 turn=6 phase=pick die=W | hand=D | hand=P | hand=S",
            {0: "D", 1: "P", 2: "S", 3: "D"},
            "seat 3: 'D' is malformed, expected actions from seats 0, 1, 2 only.",
        ),
        (
            "summer round=2 turn=6 phase=pick die=W | hand=D | hand=P | hand=S",
            {CHANCE: "roll:W"},
            "seat 0: '' is malformed, expected an action from seats 0, 1, 2.",
        ),
        (
            "summer round=2 turn=6 phase=roll | hand=D | hand=P | hand=S",
            {0: "D"},
            "chance: '' is malformed, expected an action from chance.",
        ),
        (
            "winter phase=quarantine | QZ=D | -",
            {0: "Q>RV", 1: "Q>RV"},
            "seat 1: 'Q>RV' is malformed, expected actions from seats 0 only.",
        ),
        (
            "summer | FS=D | FS=D",
            {0: "D@FS"},
            "seat 0: 'D@FS' is malformed, expected actions from no seat (the game is over) only.",
        ),
    ],
)
def test_actions_must_come_from_the_seats_that_act(text: str, actions: Mapping[int, str], message: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        GAME.apply(GAME.parse(text), actions)
    assert str(caught.value) == message


FIRST = "first: and a seat, first:0"
DEAL = "deal: and for each seat six letters in the order TDCSGP, deal:TDDCSS,DCSGGP"
ROLL = "roll: and one of W G L R E X, roll:W"


@pytest.mark.parametrize(
    ("text", "action", "expected"),
    [
        ("summer phase=first first_roller=random | - | -", "first:2", FIRST),
        ("summer phase=first first_roller=random | - | -", "first:", FIRST),
        ("summer phase=first first_roller=random | - | -", "0", FIRST),
        ("summer phase=deal | - | -", "deal:", DEAL),
        ("summer phase=deal | - | -", "roll:W", DEAL),
        ("summer phase=deal | - | -", "TDCSGP,TDCSGP", DEAL),
        ("summer phase=deal | - | -", "deal:TDCSGP", DEAL),
        ("summer phase=deal | - | -", "deal:TDCSGP,TDCSGP,TDCSGP", DEAL),
        ("summer phase=deal | - | -", "deal:TDCSGP,TDCSG", DEAL),
        ("summer phase=deal | - | -", "deal:TDCSGP,TDCSGZ", DEAL),
        ("summer phase=deal | - | -", "deal:TDCSGP,PGSCDT", DEAL),
        ("summer round=4 turn=3 phase=roll | hand=DD | hand=PP", "roll:Z", ROLL),
        ("summer round=4 turn=3 phase=roll | hand=DD | hand=PP", "W", ROLL),
    ],
)
def test_chance_must_speak_its_grammar(text: str, action: str, expected: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        GAME.apply(GAME.parse(text), {CHANCE: action})
    assert str(caught.value) == f"chance: {action!r} is malformed, expected {expected}."


@pytest.mark.rule("D-04", "D-07")
def test_chance_cannot_deal_what_the_bag_does_not_hold() -> None:
    second = GAME.parse("summer round=2 phase=deal bag=TTTDDDCCCSSSGGGPPP | RV=TTTDDD | RV=CCCSSS | RV=GGGPPP")
    with pytest.raises(IllegalAction) as caught:
        GAME.apply(second, {CHANCE: "deal:TTTTDD,CCCSSS,GGGPPP"})
    reason = "the bag holds TTTDDDCCCSSSGGGPPP (D-07)"
    assert str(caught.value) == f"chance: deal:TTTTDD,CCCSSS,GGGPPP is not legal, {reason}."
    assert caught.value.rule == "D-07"
