"""Groups with a final: who is in which group, who goes on, and that a pair of one group can meet again."""

import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import SettingError, StoreError
from arena.league import schedule
from arena.league.groups import seeded, split
from arena.league.kinds import Entrants, Groups
from arena.league.store import Row, open_store
from arena.league.ties import Course, GroupTally
from arena.league.tournament import read_tournament
from tests.league.small_league import small_league
from tests.league.test_kinds import walk
from tests.league.test_store import begun, row
from tests.sizes import sweep


@st.composite
def leagues(draw: st.DrawFn) -> tuple[Groups, tuple[str, ...], int]:
    """Settings that can be played: the kind, the bots, the seats."""
    size, groups, advance = draw(st.integers(2, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    final = draw(st.sampled_from(["knock_out", "round_robin"]))
    least = groups * max(size, advance)
    bots = tuple(f"b{number}" for number in range(draw(st.integers(least, least + 4))))
    kind = Groups(groups, advance, draw(st.integers(1, 2)), final)
    if any(kind.number_mistakes(len(bots), size)):
        return Groups(2, 2), bots[:1] + ("x", "y", "z", "w", "v"), 2
    return kind, bots, size


def course_of(kind: Groups, bots: tuple[str, ...], size: int, seed: int) -> tuple[Course, list[schedule.Fixture]]:
    """How a league goes in which chance decides each match."""
    with TemporaryDirectory() as folder, open_store(Path(folder), create=True) as store:
        fixtures = walk(kind, Entrants(bots, (size,), dice=7), store, random.Random(seed))
        begun(Path(folder), [], schedule=[kind.name, size], seeding=list(bots), **kind.identity())
        return Groups.course(store), fixtures


def test_the_first_bots_of_the_file_are_in_different_groups():
    assert split("abcdefghij", 3) == [tuple("afg"), tuple("beh"), tuple("cdij")]


@pytest.mark.thorough
@settings(max_examples=sweep(15, 400), deadline=None)
@given(leagues(), st.integers(0, 99))
def test_all_is_played_and_the_best_of_every_group_are_in_the_final(league, seed):
    kind, bots, size = league
    course, fixtures = course_of(kind, bots, size, seed)
    assert len(fixtures) == kind.total(Entrants(bots, (size,)))
    assert [one.index for one in fixtures] == list(range(len(fixtures)))
    finalists = {bot for one in course.groups for bot in one.bots[: kind.advance]}
    played = {bot for one in fixtures[sum(one.planned for one in course.groups) :] for bot in one.bots}
    assert played == finalists
    assert course.champion in finalists


@pytest.mark.thorough
@settings(max_examples=sweep(15, 400), deadline=None)
@given(leagues(), st.integers(0, 99))
def test_no_two_blocks_share_a_deal_or_a_number(league, seed):
    kind, bots, size = league
    _, fixtures = course_of(kind, bots, size, seed)
    blocks = {(one.block, one.deal) for one in fixtures}
    assert len(blocks) == len({block for block, _ in blocks}) == len({deal for _, deal in blocks})


@settings(max_examples=sweep(15, 400), deadline=None)
@given(leagues(), st.integers(0, 99))
def test_every_match_counts_in_one_group_or_in_the_final(league, seed):
    """Although a pair of one group may meet again."""
    kind, bots, size = league
    course, fixtures = course_of(kind, bots, size, seed)
    in_final = sum(len(tie.rows) for round_ in course.rounds for tie in round_)
    in_final += course.final.played if course.final else 0
    assert sum(one.played for one in course.groups) + in_final == len(fixtures)
    assert all(one.is_over for one in course.groups)


@pytest.mark.parametrize("groups", range(2, 13))
def test_where_two_of_each_group_go_on_no_group_meets_again_in_the_first_round(groups):
    ranked = [(f"{letter}1", f"{letter}2") for letter in "ABCDEFGHIJKL"[:groups]]
    places = seeded(ranked, 2, 2)
    assert sorted(places) == sorted(bot for bots in ranked for bot in bots)
    assert {bot[1] for bot in places[:groups]} == {"1"}, "winners of groups have the best places"
    assert [table for table in schedule.bracket(places, 2) if len({bot[0] for bot in table}) < len(table)] == []


def test_cycles_are_whole_round_robins():
    _, fixtures = course_of(Groups(2, 1, 3), tuple("abcdef"), 2, 1)
    met = Counter(frozenset(one.bots) for one in fixtures[:36])
    assert met == {frozenset(pair): 6 for bots in ("ade", "bcf") for pair in combinations(bots, 2)}


# Who is better in a group


def place(plan: int, winner: str, loser: str, scores: tuple[int, int], ranks: tuple[int, int] = (1, 2)):
    return row(plan, bots=(winner, loser), scores=scores, ranks=ranks)


def ranked(bots: str, rows: list[Row]) -> tuple[str, ...]:
    tally = GroupTally(bots)
    for one in rows:
        tally.add(one)
    return tally.table("A", len(rows), 1).bots


def test_a_tie_is_worth_half_of_a_win():
    """By ranks alone, three ties would be as good as three wins: a shared first place is a first place."""
    played = [place(0, "b", "c", (2, 1)), place(2, "a", "b", (9, 9), (1, 1)), place(4, "a", "c", (9, 9), (1, 1))]
    assert ranked("abc", played) == ("b", "a", "c")


def test_points_decide_between_bots_that_beat_equally_many_and_then_the_order_in_the_file():
    played = [place(0, "a", "b", (5, 4)), place(1, "b", "c", (9, 4)), place(2, "c", "a", (5, 4))]
    assert ranked("abc", played) == ("b", "a", "c")


@pytest.mark.parametrize("final", ["knock_out", "round_robin"])
def test_only_the_final_decides_between_bots_that_meet_again_in_it(tmp_path, final):
    played = [place(0, "a", "b", (2, 1)), place(1, "a", "b", (2, 1))]
    played += [place(2, "b", "a", (2, 1)), place(3, "b", "a", (2, 1))]
    league = {"schedule": ["groups", 2], "seeding": ["a", "b"], **Groups(1, 2, 1, final).identity()}
    with open_store(begun(tmp_path, played, **league)) as store:
        course = Groups.course(store)
    assert [one.bots for one in course.groups] == [("a", "b")]
    assert course.champion == "b"


@pytest.mark.parametrize("plan", [0, 4], ids=["in a group", "in the final before the groups are over"])
def test_a_result_of_no_table_is_damage(tmp_path, plan):
    league = {"schedule": ["groups", 2], "seeding": list("abcd"), **Groups().identity()}
    folder = begun(tmp_path, [place(plan, "a", "b", (2, 1))], **league)
    with open_store(folder) as store, pytest.raises(StoreError, match="the bracket has no such table"):
        Groups.course(store)


# Mistakes

WRONG = [
    ({"kind": "groups", "groups": 3}, "schedule.groups: the smallest of 3 groups has 1 bot, but a table has 2 seats, and 2 go on."),
    ({"kind": "groups", "advance": 3}, "schedule.groups: the smallest of 2 groups has 2 bots, but a table has 2 seats, and 3 go on."),
    ({"kind": "groups", "groups": 1, "advance": 1}, "schedule.advance: only 1 bot would be in the final. Raise it."),
    (
        {"kind": "groups", "groups": 1, "advance": 2, "seats": [3], "final": "round_robin"},
        "schedule.advance: only 2 bots would be in the final. Raise it.",
    ),
    ({"kind": "groups", "seats": [2, 3]}, "schedule.seats: groups have tables of one size. Name only one."),
    ({"kind": "groups", "blocks": 3}, "schedule.blocks: groups play whole cycles, and then their final. Omit it, or write cycles."),
    ({"groups": 2}, 'schedule.groups: only for kind = "groups". Omit it, or change the kind.'),
    ({"kind": "knock_out", "final": "knock_out"}, 'schedule.final: only for kind = "groups". Omit it, or change the kind.'),
    ({"kind": "groups", "final": "swiss"}, "schedule.final: expected 'knock_out' or 'round_robin', got 'swiss'."),
    ({"kind": "groups", "groups": 0}, "schedule.groups: expected 1 or more, got 0."),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "words"), WRONG, ids=[words[:40] for _, words in WRONG])
def test_what_is_wrong_with_groups_is_said_with_the_way_out(tmp_path, keys, words):
    with pytest.raises(SettingError) as refused:
        read_tournament(small_league(tmp_path, **keys))
    assert words in str(refused.value)


@pytest.mark.parametrize("changes", [{"groups": 9}, {"seeding": ["a", "b"]}, {"schedule": ["groups", 9]}], ids=str)
def test_a_store_with_settings_that_cannot_be_played_is_damaged(tmp_path, changes):
    league = {"schedule": ["groups", 2], "seeding": list("abcd"), **Groups().identity()}
    with open_store(begun(tmp_path, [], **(league | changes))) as store, pytest.raises(StoreError, match="is damaged"):
        Groups.course(store)
