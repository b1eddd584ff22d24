"""What every kind of league promises, and what is true of one kind only.

A new kind joins by a row in EXAMPLES: one test fails without it.
"""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import SettingError, StoreError
from arena.league.kinds import (
    GROUP_KEYS,
    IN_FILES,
    KINDS,
    SEPARATED,
    Adaptive,
    Chain,
    Duel,
    Entrants,
    Gauntlet,
    Groups,
    KnockOut,
    LeagueKind,
    Placing,
    RoundRobin,
    ScheduleKeys,
    kind_of,
)
from arena.league.placing import Scale
from arena.league.results import ResultsSoFar
from arena.league.schedule import Fixture
from arena.league.store import Store, open_store
from arena.league.tournament import read_tournament
from arena.roster.entries import Entry
from tests.league.small_league import small_league
from tests.league.test_store import TIMES, begun, row
from tests.sizes import sweep

BOTS = ("a", "b", "c", "d", "e", "f")
RUNGS = ("a", "b", "d", "e", "f")
SCALE = Scale(RUNGS, (900.0, 1200.0, 1500.0, 1600.0, 1900.0), ((100.0,) * 5,) * 5, (5.0, -5.0))
EXAMPLES: Mapping[str, st.SearchStrategy[LeagueKind]] = {
    "round_robin": st.builds(RoundRobin, st.none() | st.integers(1, 40), st.sampled_from([None, "separated"])),
    "gauntlet": st.builds(Gauntlet, st.sampled_from([("a",), ("b", "e")]), st.none() | st.integers(1, 40)),
    "adaptive": st.builds(Adaptive, st.integers(1, 60)),
    "knock_out": st.just(KnockOut()),
    "groups": st.builds(
        Groups, st.just(1), st.integers(4, 6), st.integers(1, 2), st.sampled_from(["knock_out", "round_robin"])
    ),
    "chain": st.builds(Chain, st.none() | st.integers(1, 40)),
    "placing": st.builds(Placing, st.just("c"), st.just(SCALE), st.integers(1, 40)),
    "duel": st.builds(Duel, st.just("c"), st.just("d"), st.integers(1, 40), st.booleans()),
}
GUIDE = Path(__file__).parents[2] / "docs" / "leagues.md"
LEAGUES = st.one_of(*EXAMPLES.values())


def entrants(size: int = 2, dice: int = 7) -> Entrants:
    return Entrants(BOTS, (size,), dice=dice)


def walk(kind: LeagueKind, players: Entrants, store: Store, luck: random.Random) -> list[Fixture]:
    """Every fixture of a league in which chance decides each match."""
    found = list[Fixture]()
    for part in kind.parts(players, ResultsSoFar(store, players.bots)):
        fixtures = list(part)
        found += fixtures
        for one in fixtures:
            scores = tuple(luck.randrange(40) for _ in one.bots)
            ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
            played: dict[str, Any] = {
                "block": one.block,
                "rotation": one.rotation,
                "bots": one.bots,
                "ranks": ranks,
                "scores": scores,
            }
            seats = len(one.bots)
            store.add([row(one.index, breakdown=({},) * seats, faults=(), times=(TIMES,) * seats, **played)])
    return found


def played(kind: LeagueKind, size: int, seed: int = 1, dice: int = 7) -> list[Fixture]:
    with TemporaryDirectory() as folder, open_store(Path(folder), create=True) as store:
        return walk(kind, entrants(size, dice), store, random.Random(seed))


# What every kind promises


def test_every_kind_has_an_example_here_and_a_row_in_the_guide():
    assert EXAMPLES.keys() == KINDS.keys()
    guide = GUIDE.read_text("utf-8")
    assert [name for name in IN_FILES if f"`{name}`" not in guide and f'`"{name}"`' not in guide] == []


@settings(max_examples=sweep(15, 400))
@given(kind=LEAGUES, size=st.integers(2, 4), seed=st.integers(0, 99))
def test_no_more_is_played_than_planned_and_all_of_it_unless_the_kind_says_why(kind, size, seed):
    fixtures, total = played(kind, size, seed), kind.total(entrants(size))
    assert len(fixtures) <= total
    assert len(fixtures) == total or kind.early_end


@settings(max_examples=sweep(15, 400))
@given(kind=LEAGUES, size=st.integers(2, 4), seed=st.integers(0, 99))
def test_fixtures_are_numbered_in_order_and_seat_entrants_only(kind, size, seed):
    fixtures = played(kind, size, seed)
    assert [one.index for one in fixtures] == list(range(len(fixtures)))
    assert all(2 <= len(one.bots) <= size for one in fixtures), "the last tables of a knock-out may be smaller"
    assert {bot.partition("#")[0] for one in fixtures for bot in one.bots} <= set(BOTS)


@settings(max_examples=sweep(10, 200))
@given(kind=LEAGUES, size=st.integers(2, 4), seed=st.integers(0, 99))
def test_the_same_results_and_dice_lead_to_the_same_plan(kind, size, seed):
    assert played(kind, size, seed) == played(kind, size, seed)


@pytest.mark.thorough
@settings(max_examples=sweep(15, 400))
@given(kind=LEAGUES, size=st.integers(2, 4), seed=st.integers(0, 99))
def test_a_league_that_has_all_its_results_is_planned_as_it_was(kind, size, seed):
    """A part may depend on the results before it, never on later ones: else a resumed league would go another way."""
    with TemporaryDirectory() as folder, open_store(Path(folder), create=True) as store:
        fixtures = walk(kind, entrants(size), store, random.Random(seed))
        again = ResultsSoFar(store, BOTS)
        assert [one for part in kind.parts(entrants(size), again) for one in part] == fixtures


@settings(max_examples=sweep(10, 200))
@given(kind=LEAGUES, size=st.integers(2, 4), dice=st.integers(8, 99))
def test_the_total_does_not_depend_on_the_dice(kind, size, dice):
    assert kind.total(entrants(size)) == kind.total(entrants(size, dice))


@pytest.mark.thorough
@settings(max_examples=sweep(15, 400))
@given(kind=LEAGUES, size=st.integers(2, 4))
def test_what_identifies_a_league_is_enough_to_plan_it_again(kind, size):
    """An audit of somebody else's league has only the store."""
    known = json.loads(json.dumps(kind.identity()))
    fixtures = played(kind, size)
    own = {key: known.get(key) for key in GROUP_KEYS}
    keys = ScheduleKeys(
        (size,), 1 + fixtures[-1].block, challengers=tuple(known["challengers"]), ladder=known.get("ladder"), **own
    )
    again = type(kind).from_keys(keys)
    assert played(again, size)[: len(fixtures)] == fixtures


# What is true of some kinds


@pytest.mark.parametrize(
    "kind", [RoundRobin(40, "separated"), Gauntlet(("a",), 40, "separated"), Adaptive(40, "separated")]
)
def test_whether_all_are_separated_is_decided_by_the_plan_so_far(tmp_path, kind):
    with open_store(tmp_path, create=True) as store:
        store.add([row(at, ranks=(1, 2) if at % 2 else (2, 1)) for at in range(40)])  # a wins all
        so_far = ResultsSoFar(store, ("a", "b"))
        assert (kind.why_over(so_far, {0}), kind.why_over(so_far, range(40))) == ("", SEPARATED)


@settings(max_examples=sweep(15, 400))
@given(kind=LEAGUES, size=st.integers(2, 3), authors=st.lists(st.sampled_from("XYZ"), min_size=6, max_size=6))
def test_bots_of_one_author_never_meet_or_are_refused(kind, size, authors):
    entries = [Entry(bot, "1", (bot,), Path("/strangers", bot), author=author) for bot, author in zip(BOTS, authors)]
    if not kind.is_in_files or any(kind.author_mistakes(entries, size)):
        return
    with TemporaryDirectory() as folder, open_store(Path(folder), create=True) as store:
        players = Entrants(BOTS, (size,), dict(zip(BOTS, authors)), dice=7)
        for fixture in walk(kind, players, store, random.Random(1)):
            table = [authors[BOTS.index(bot)] for bot in fixture.bots]
            assert len(set(table)) == size


# What is not a kind


def test_a_kind_that_is_not_in_the_table_is_never_played_as_another_one(tmp_path):
    folder, refusal = (
        begun(tmp_path, [row(0)], schedule=["no_such_kind", 2]),
        r"this arena does not know leagues of the kind 'no_such_kind'\.",
    )
    with open_store(folder) as store, pytest.raises(StoreError, match=refusal):
        kind_of(store)
    path = small_league(tmp_path, kind="no_such_kind")
    with pytest.raises(SettingError, match=r"schedule.kind: expected 'round_robin', 'gauntlet', .*got 'no_such_kind'"):
        read_tournament(path)


def test_a_duel_is_not_for_tournament_files(tmp_path):
    assert set(KINDS) - set(IN_FILES) == {"duel", "placing"}
    with pytest.raises(SettingError, match=r"schedule.kind: expected .*got 'duel'"):
        read_tournament(small_league(tmp_path, kind="duel"))


@pytest.mark.parametrize("challengers", [(), ("a",), ("a", "b", "c")])
def test_a_duel_is_between_two(challengers):
    with pytest.raises(SettingError, match=f"challengers: a duel has two, got {len(challengers)}"):
        Duel.from_keys(ScheduleKeys((2,), challengers=challengers))
