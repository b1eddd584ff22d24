"""Meetings of versions, and plans for rosters that change."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import SettingError
from arena.league import season
from arena.league.kinds import Adaptive, Entrants, Gauntlet, RoundRobin
from arena.league.lineup import BotVersion, Lineup, RosterChange
from arena.league.meetings import BLOCK_BITS, block_of, circle, meeting, meetings, version_key
from arena.league.results import ResultsSoFar
from arena.league.schedule import rotations, round_robin
from arena.league.season import Newcomer
from arena.league.store import open_store
from tests.league.test_store import LEAGUE, row
from tests.sizes import sweep

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus")
KEYS = {name: version_key(name, "0", [name]) for name in NAMES}
SIZES = st.integers(2, 4)


def planned(kind, bots, size, founders=(), newcomers=(), versions=KEYS, dice=7):
    """The fixtures of a league by meetings."""
    entrants = Entrants(tuple(bots), (size,), None, dice, versions, tuple(founders), tuple(newcomers))
    return list(kind.whole(entrants))


def tables(fixtures):
    """How often each table meets."""
    return Counter(frozenset(one.bots) for one in fixtures if one.rotation == 0)


# One meeting


@given(SIZES, st.integers(0, 30), st.randoms(use_true_random=False))
def test_a_meeting_follows_from_its_versions_and_its_number_alone(size, number, luck):
    names = {KEYS[name]: name for name in luck.sample(NAMES, size)}
    other = dict(luck.sample(sorted(names.items()), size))
    assert list(meeting(names, number, 5)) == list(meeting(other, number, 5))
    (block,) = {one.block for one in meeting(names, number, 5)}
    assert 0 <= block == block_of(sorted(names), number) < 2**BLOCK_BITS


@given(SIZES, st.integers(0, 9))
def test_every_bot_has_every_seat_once_in_a_meeting(size, number):
    seatings = [one.bots for one in meeting({KEYS[name]: name for name in NAMES[:size]}, number, 5)]
    assert all(sorted(column) == sorted(NAMES[:size]) for column in zip(*seatings))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_circles_come_before_one_comes_again(size):
    keys = sorted(KEYS.values())[:size]
    every = {frozenset(rotations(order)) for order in permutations(keys)}
    for turn in range(2):
        found = [frozenset(rotations(circle(keys, turn * len(every) + at, 5))) for at in range(len(every))]
        assert set(found) == every
    assert [circle(keys, at, 5) for at in range(6)] != [circle(keys, at, 6) for at in range(6)] or size == 2


def test_a_large_table_is_shuffled_for_each_meeting():
    keys = [f"{number:016x}" for number in range(8)]
    assert sorted(circle(keys, 0, 5)) == keys
    assert len({tuple(circle(keys, number, 5)) for number in range(20)}) == 20


def test_other_files_other_commands_and_other_names_are_other_versions():
    assert (
        len(
            {
                version_key(*what)
                for what in [("a", "0", ["x"]), ("b", "0", ["x"]), ("a", "1", ["x"]), ("a", "0", ["y"])]
            }
        )
        == 4
    )


@given(st.integers(2, 3), st.integers(1, 40))
def test_the_meetings_of_one_table_are_numbered_from_0(size, blocks):
    met = Counter[int]()
    found = list(meetings(round_robin(NAMES[:4], size, blocks, 7), KEYS, 7, met))
    for table, count in tables(found).items():
        numbers = [one.index for one in found if one.rotation == 0 and set(one.bots) == table]
        assert numbers == list(range(count))
    assert met.total() == blocks
    assert len({one.block for one in found}) == blocks


def test_blocks_that_are_done_are_left_out():
    plan = round_robin(NAMES[:4], 2, 10, 7)
    found = list(meetings(plan, KEYS, 7, Counter()))
    done = {found[0].block, found[7].block}
    assert [one for one in found if one.block not in done] == list(meetings(plan, KEYS, 7, Counter(), done))


# Rosters that change


@settings(max_examples=sweep(20, 600))
@given(SIZES, st.none() | st.integers(1, 30), st.integers(4, 6))
def test_a_newcomer_costs_its_own_blocks_and_no_others(size, blocks, founders):
    kind, bots = RoundRobin(blocks), NAMES[:founders]
    before = planned(kind, bots, size, bots)
    after = planned(kind, NAMES[: founders + 1], size, bots, [Newcomer(NAMES[founders], bots)])
    more = tables(after) - tables(before)
    assert tables(before) - tables(after) == Counter()
    assert all(NAMES[founders] in table for table in more)
    assert {one.block for one in before} <= {one.block for one in after}
    if blocks is not None:
        assert more.total() == -(-blocks * size // founders)


@given(SIZES, st.none() | st.integers(1, 30))
def test_a_retirement_costs_nothing(size, blocks):
    kind = RoundRobin(blocks)
    before, after = planned(kind, NAMES[:6], size, NAMES[:6]), planned(kind, NAMES[1:6], size, NAMES[:6])
    assert tables(after) == Counter({table: count for table, count in tables(before).items() if NAMES[0] not in table})
    assert {one.block for one in after} <= {one.block for one in before}


@given(SIZES, st.integers(5, 30))
def test_tables_of_a_newcomer_with_a_guest_that_retires_are_left_out(size, blocks):
    kind, founders, newcomers = RoundRobin(blocks), NAMES[:5], [Newcomer("fay", NAMES[:5])]
    before = planned(kind, NAMES[:6], size, founders, newcomers)
    after = planned(kind, NAMES[1:6], size, founders, newcomers)
    assert tables(after) == Counter({table: count for table, count in tables(before).items() if NAMES[0] not in table})


@given(SIZES, st.integers(1, 30))
def test_an_update_costs_the_matches_of_one_bot(size, blocks):
    kind, newer = RoundRobin(blocks), {**KEYS, "bob": version_key("bob", "1", ["bob"])}
    before, after = planned(kind, NAMES[:5], size), planned(kind, NAMES[:5], size, versions=newer)
    assert tables(before) == tables(after)
    kept = {one.block for one in before} & {one.block for one in after}
    assert kept == {one.block for one in before if "bob" not in one.bots}


@given(st.integers(2, 3), st.none() | st.integers(1, 30))
def test_in_a_gauntlet_a_newcomer_meets_the_challengers(size, blocks):
    kind, bots = Gauntlet(("ada", "bob"), blocks), NAMES[:6]
    before = planned(kind, bots, size, bots)
    after = planned(kind, NAMES, size, bots, [Newcomer("gus", bots)])
    more = tables(after) - tables(before)
    assert more
    assert all("gus" in table and len(table & {"ada", "bob"}) == 1 for table in more)


def test_bots_of_one_author_do_not_meet_a_newcomer_of_theirs():
    authors = dict.fromkeys(("ada", "gus"), "Ann")
    entrants = Entrants(NAMES, (3,), authors, 7, KEYS, NAMES[:6], (Newcomer("gus", NAMES[:6]),))
    assert not any({"ada", "gus"} <= set(one.bots) for one in RoundRobin(40).whole(entrants))
    few = Entrants(NAMES[:3], (3,), authors | {"bob": "Ann"}, 7, KEYS, NAMES[1:4], (Newcomer("ada", ("bob", "cyd")),))
    with pytest.raises(SettingError, match="a table needs 2 more bots of different authors, and there are 1"):
        list(RoundRobin(40).whole(few))


@settings(max_examples=sweep(15, 300))
@given(st.integers(3, 5), st.integers(101, 140), st.integers(0, 5))
def test_of_very_many_bots_each_plays_once_a_round(size, bots, dice):
    names = [f"bot-{number}" for number in range(bots)]
    plan = season.rounds(names, [size], 2 * bots, dice, None)
    played = Counter[str]()
    for fixture in plan:
        if fixture.rotation == 0:
            assert len(set(fixture.bots)) == size
            played.update(fixture.bots)
            assert max(played.values()) - min(played[name] for name in names) <= 2
    assert set(played.values()) == {2 * size}
    assert len(plan) == 2 * bots * size


def test_very_many_bots_of_few_authors_never_meet_their_own():
    names = [f"bot-{number}" for number in range(120)]
    authors = {name: f"author {number % 7}" for number, name in enumerate(names)}
    for fixture in season.rounds(names, [2, 4], 200, 7, authors):
        assert len({authors[bot] for bot in fixture.bots}) == len(fixture.bots)


def test_a_league_whose_plan_follows_results_has_no_whole_plan():
    entrants = Entrants(NAMES, (2,), None, 7, KEYS, NAMES)
    assert RoundRobin(4, "separated").whole(entrants) is None
    assert Adaptive(4).whole(entrants) is None


def test_an_adaptive_league_gives_a_newcomer_its_blocks(tmp_path):
    entrants = Entrants(NAMES, (2,), None, 7, KEYS, NAMES[:6], (Newcomer("gus", NAMES[:6]),), epoch=1)
    with open_store(tmp_path, create=True) as store:
        first = list(next(Adaptive(40).parts(entrants, ResultsSoFar(store, entrants.bots))))
    assert "gus" in {bot for one in first for bot in one.bots}
    assert Adaptive(40).total(entrants) == 2 * -(-40 * 7 // 6)


def test_what_an_adaptive_league_has_played_before_a_change_counts_for_its_budget(tmp_path):
    """Two founders have met 30 times when a third bot joins: of 60 blocks, 30 are left."""
    met = list(meetings(round_robin(NAMES[:2], 2, 30, 7), KEYS, 7, Counter()))
    versions = {one: tuple(KEYS[bot] for bot in one.bots) for one in met}
    entrants = Entrants(NAMES[:3], (2,), None, 7, KEYS, NAMES[:2], (Newcomer("cyd", NAMES[:2]),), epoch=1)
    with open_store(tmp_path, create=True) as store:
        store.settle(LEAGUE)
        for at, one in enumerate(met):
            there = replace(row(at, bots=one.bots), plan=one.index, block=one.block, rotation=one.rotation)
            store.add([replace(there, versions=versions[one])])
        part = list(next(Adaptive(40).parts(entrants, ResultsSoFar(store, entrants.bots))))
        assert Adaptive(40).total(entrants) == 120
        assert len({one.block for one in part}) == 16
        assert not {one.block for one in part} & {one.block for one in met}
        (first, *_) = Adaptive(22).parts(entrants, ResultsSoFar(store, entrants.bots))
    assert len({one.block for one in first}) == 3, "a budget of 33 blocks, of which 30 are played"


# Who plays


def lineup(*changes):
    """From (epoch, name, version); a version of None retires."""
    versions = {}
    log = []
    for epoch, name, version in changes:
        key = None
        if version is not None:
            key = version_key(name, version, [])
            versions[key] = BotVersion(key, name, version, version, ())
        log.append(RosterChange(epoch, f"2026-01-{epoch + 1:02}T00:00:00Z", name, key))
    return Lineup(versions, log)


def test_the_roster_is_what_the_log_says_in_the_end():
    found = lineup(
        (0, "ada", "1"), (0, "bob", "1"), (1, "cyd", "1"), (2, "ada", None), (2, "bob", "2"), (3, "ada", "1")
    )
    assert {name: one.version for name, one in found.current.items()} == {"ada": "1", "bob": "2", "cyd": "1"}
    assert (found.founders, found.epoch) == (("ada", "bob"), 3)
    assert found.newcomers == (Newcomer("cyd", ("ada", "bob")),)
    later = lineup((0, "ada", "1"), (0, "bob", "1"), (1, "bob", None), (2, "cyd", "1"))
    assert later.newcomers == (Newcomer("cyd", ("ada",)),), "who has retired before is no guest"
    assert [(one.joined[:10], (one.left or "")[:10]) for one in found.reigns("ada")] == [
        ("2026-01-01", "2026-01-03"),
        ("2026-01-04", ""),
    ]


def test_every_version_has_a_label_of_its_own_and_a_current_one_its_name():
    found = lineup((0, "ada", "1"), (0, "ada 1", "x"), (1, "ada", "2"), (2, "ada", "3"))
    assert found.labels[found.current["ada"].key] == "ada"
    assert len(set(found.labels.values())) == len(found.versions) == 4
    assert "ada 2" in found.labels.values()
    older = version_key("ada", "1", [])
    assert found.labels[older] == f"ada 1 ({older[:6]})", "another bot is called ada 1"
    assert all(label not in found.current or found.current[label].key == key for key, label in found.labels.items())


@given(st.lists(st.tuples(st.sampled_from(NAMES[:4]), st.sampled_from(["1", "2", None])), max_size=12))
def test_pairs_of_labels_never_coincide(changes):
    found = lineup(*((epoch, name, version) for epoch, (name, version) in enumerate(changes)))
    assert all(one != other for one, other in combinations(found.labels.values(), 2))
