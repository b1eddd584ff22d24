"""Who plays whom: every schedule is fair at every point, and the same for everybody."""

import math
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, groupby, islice, permutations, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.errors import SettingError
from arena.league.old_leagues import OldSeed
from arena.league.schedule import (
    CYCLE_LIMIT,
    Fixture,
    Schedule,
    chain,
    duel,
    gauntlet,
    knock_out,
    placing,
    round_robin,
    top_up,
)
from tests.sizes import sweep

Block = list[Fixture]
Table = tuple[str, ...]

SEEDS = st.integers(-(2**70), 2**70)
NAMES = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=8)


def letters(number: int) -> list[str]:
    return [f"bot-{i:02}" for i in range(number)]


def blocks_of(plan: Iterable[Fixture]) -> list[Block]:
    return [list(block) for _, block in groupby(plan, lambda fixture: fixture.block)]


def circles(plan: Iterable[Fixture]) -> list[Table]:
    """Who plays, by block, in the order of the first seating."""
    return [fixture.bots for fixture in plan if fixture.rotation == 0]


def meetings(tables: Iterable[Iterable[str]], bots: Iterable[str]) -> list[int]:
    met = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    return [met[pair] for pair in combinations(sorted(bots), 2)]


def followings(tables: Iterable[Table], bots: Iterable[str]) -> list[int]:
    after = Counter((table[i - 1], table[i]) for table in tables for i in range(len(table)))
    return [after[pair] for pair in permutations(bots, 2)]


def spread(counts: Iterable[int]) -> int:
    counts = list(counts)
    return max(counts) - min(counts)


def spread_over_time(tables: Iterable[Table], bots: Sequence[str]) -> list[int]:
    """After each table: by how much the appearances of the bots differ."""
    count = dict.fromkeys(bots, 0)
    spreads = []
    for table in tables:
        for bot in table:
            if bot in count:
                count[bot] += 1
        spreads.append(spread(count.values()))
    return spreads


def random_tables(bots: Sequence[str], seats: int, number: int, seed: int) -> list[Table]:
    dice = random.Random(seed)
    return [tuple(dice.sample(bots, seats)) for _ in range(number)]


# ---- what is true of any schedule


def _all(seats: int | set[int]) -> set[int]:
    return {seats} if isinstance(seats, int) else seats


@st.composite
def makers(draw: st.DrawFn, without: Sequence[str] = ()) -> tuple[list[str], Callable[[Sequence[str], int], Schedule]]:
    """Bots, and a schedule of any kind for them and a budget."""
    bots = draw(st.lists(NAMES, min_size=4, max_size=9, unique=True))
    seats = draw(st.one_of(st.integers(2, 4), st.sets(st.integers(2, 4), min_size=1)))
    seed = draw(SEEDS)
    a, b = sorted(bots)[:2]
    pairs = draw(st.lists(st.sampled_from(list(combinations(sorted(bots), 2))), max_size=5))

    def field(names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in (a, b)]

    kinds: dict[str, Callable[[Sequence[str], int], Schedule]] = {
        "round robin": lambda names, budget: round_robin(names, seats, budget, seed),
        "gauntlet": lambda names, budget: gauntlet(a, [name for name in names if name != a], seats, budget, seed),
        "challengers": lambda names, budget: gauntlet([b, a], [*field(names), "guest"], seats, budget, seed),
        "duel": lambda names, budget: duel(a, b, field(names), seats, budget, seed),
        "chain": lambda names, budget: chain(sorted(names), max(_all(seats)), budget, seed),
        "placing": lambda names, budget: placing([sorted(field(names))[:2] + [a]] * budget, seed, 0, 0),
        "top-up": lambda names, budget: top_up(names, seats, budget, seed, pairs, floor=3),
    }
    assume("guest" not in bots)
    return bots, kinds[draw(st.sampled_from([kind for kind in kinds if kind not in without]))]


@given(makers(), st.integers(1, 30), st.randoms(use_true_random=False))
def test_the_order_in_which_bots_are_named_changes_nothing(maker, budget, dice):
    bots, schedule = maker
    assert list(schedule(bots, budget)) == list(schedule(dice.sample(bots, len(bots)), budget))


@given(makers(), st.integers(1, 20), st.integers(1, 20))
def test_a_longer_budget_extends_a_shorter_plan(maker, budget, more):
    bots, schedule = maker
    short, long = schedule(bots, budget), schedule(bots, budget + more)
    assert list(islice(long, len(short))) == list(short)
    assert len(long) > len(short)


@given(makers(), st.integers(1, 30))
def test_fixtures_are_counted_before_they_are_made_and_numbered_in_order(maker, budget):
    bots, schedule = maker
    plan = schedule(bots, budget)
    fixtures = list(plan)
    assert len(plan) == len(fixtures)
    assert [fixture.index for fixture in fixtures] == list(range(len(plan)))
    assert [block[0].block for block in blocks_of(fixtures)] == list(range(budget))
    assert all([fixture.rotation for fixture in block] == list(range(len(block))) for block in blocks_of(fixtures))
    assert list(plan) == fixtures, "every walk is the same"


@given(makers(), st.integers(1, 30))
def test_nobody_sits_twice_at_a_table_and_no_fixture_comes_twice(maker, budget):
    bots, schedule = maker
    fixtures = list(schedule(bots, budget))
    assert all(len(set(fixture.bots)) == len(fixture.bots) for fixture in fixtures)
    assert len({(fixture.bots, fixture.deal) for fixture in fixtures}) == len(fixtures)


@given(makers(), st.integers(1, 30))
def test_a_block_names_one_deal_and_every_block_its_own(maker, budget):
    bots, schedule = maker
    deals = [{fixture.deal for fixture in block} for block in blocks_of(schedule(bots, budget))]
    assert all(len(deal) == 1 for deal in deals)
    assert len(set.union(*deals)) == budget


@given(makers(without=["duel"]), st.integers(1, 30))
def test_a_block_is_one_circle_in_all_rotations(maker, budget):
    bots, schedule = maker
    for block in blocks_of(schedule(bots, budget)):
        first = block[0].bots
        assert [fixture.bots for fixture in block] == [first[i:] + first[:i] for i in range(len(first))]


@given(SEEDS, SEEDS)
def test_another_seed_is_another_plan(seed, other):
    assume(seed != other)
    plans = [circles(round_robin(letters(9), 3, 30, each)) for each in (seed, other)]
    assert plans[0] != plans[1]


def test_two_kinds_of_plan_share_no_deal_though_their_seed_is_the_same():
    plans = [round_robin("ab", 2, 20, 7), gauntlet("a", "b", 2, 20, 7), duel("a", "b", "", 2, 20, 7)]
    plans += [top_up("ab", 2, 20, 7, []), knock_out("ab", 2, 7), chain("ab", 2, 20, 7), placing(["ab"] * 20, 7, 0, 0)]
    deals = [fixture.deal for plan in plans for fixture in plan if fixture.rotation == 0]
    assert len(set(deals)) == len(deals) == 121


def test_a_deal_belongs_to_the_circle_and_not_to_its_place_in_the_plan():
    deals: dict[Table, set[str]] = {}
    for before in range(12):
        (fixture, _) = top_up("ab", 2, 1, 7, [], played=[("x", "y")] * before)
        assert fixture.block == before
        deals.setdefault(fixture.bots, set()).add(fixture.deal)
    assert sorted(deals) == [("a", "b"), ("b", "a")]
    assert all(len(names) == 1 for names in deals.values())


@pytest.mark.usefixtures("processes")
def test_plans_are_the_same_whatever_the_order_of_hashes():
    code = """
from arena.league.schedule import *
bots = {f"bot-{i}" for i in range(13)}
plans = [round_robin(bots, 3, 40, 7), round_robin(bots, {2, 3, 5}, 40, 7), round_robin(bots, 5, 40, 7)]
plans += [gauntlet({"x", "y"}, bots, 4, 40, 7), duel("x", "y", bots, {4, 5}, 40, 7), top_up(bots, 4, 40, 7, [("bot-1", "bot-2")])]
print([list(plan) for plan in plans])
"""
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_a_plan_of_a_thousand_million_blocks_begins_at_once():
    plan = round_robin(letters(100), 6, 10**9, 7)
    assert len(plan) == 6 * 10**9
    assert len(list(islice(plan, 60))) == 60


# ---- round robin


@given(st.integers(2, 9), st.integers(1, 3), SEEDS)
def test_with_two_seats_every_pair_meets_once_a_cycle_on_each_side(number, cycles, seed):
    bots = letters(number)
    plan = list(round_robin(bots, 2, cycles * math.comb(number, 2), seed))
    assert Counter(fixture.bots for fixture in plan) == dict.fromkeys(permutations(bots, 2), cycles)
    one_cycle = len(plan) // cycles
    for first in range(0, len(plan), one_cycle):
        assert set(meetings(circles(plan[first : first + one_cycle]), bots)) == {1}


def test_there_are_never_too_many_pairs_for_a_cycle():
    bots = letters(50)
    assert math.comb(50, 2) > CYCLE_LIMIT
    assert set(meetings(circles(round_robin(bots, 2, None, 7)), bots)) == {1}


@given(st.integers(1, 6), SEEDS)
def test_an_odd_number_of_bots_plays_pairs_in_rounds_with_one_bye_for_each(half, seed):
    bots = letters(2 * half + 1)
    pairs = circles(round_robin(bots, 2, None, seed))
    byes = [set(bots).difference(*pairs[first : first + half]) for first in range(0, len(pairs), half)]
    assert sorted(map(list, byes)) == [[bot] for bot in bots]


@given(st.integers(2, 40), st.integers(1, 300), SEEDS)
@settings(max_examples=sweep(15, 300))
def test_with_two_seats_appearances_never_differ_by_more_than_one(number, budget, seed):
    bots = letters(number)
    assert max(spread_over_time(circles(round_robin(bots, 2, budget, seed)), bots)) <= 1


SMALL = [(bots, seats) for bots in range(3, 11) for seats in range(3, bots + 1)]


@pytest.mark.parametrize(("number", "seats"), [*SMALL, (12, 4), (19, 3), (11, 6)])
def test_a_cycle_has_every_table_once_and_every_pair_equally_often(number, seats):
    bots = letters(number)
    tables = circles(round_robin(bots, seats, None, 7))
    assert sorted(tuple(sorted(table)) for table in tables) == list(combinations(bots, seats))
    assert set(meetings(tables, bots)) == {math.comb(number - 2, seats - 2)}


@pytest.mark.parametrize(("number", "seats"), [*SMALL, (12, 4), (19, 3), (11, 6)])
def test_in_cycles_appearances_never_differ_by_more_than_one(number, seats):
    bots = letters(number)
    tables = circles(round_robin(bots, seats, 3 * math.comb(number, seats) // 2, 7))
    assert max(spread_over_time(tables, bots)) <= 1


@pytest.mark.parametrize(("number", "seats"), [(8, 4), (10, 4), (12, 4), (10, 5)])
def test_in_cycles_meetings_are_spread_over_the_whole_cycle(number, seats):
    bots = letters(number)
    tables = circles(round_robin(bots, seats, None, 7))
    assert max(spread(meetings(tables[:end], bots)) for end in range(1, len(tables), 3)) <= 5, "seen, not proved"


@given(st.integers(19, 30), st.integers(4, 6), st.integers(1, 120), SEEDS)
@settings(max_examples=sweep(15, 300))
def test_in_a_sample_appearances_never_differ_by_more_than_one(number, seats, budget, seed):
    bots = letters(number)
    assert math.comb(number, seats) > CYCLE_LIMIT
    assert max(spread_over_time(circles(round_robin(bots, seats, budget, seed)), bots)) <= 1


@given(
    st.sampled_from([(8, 3, 20), (8, 4, 14), (9, 4, 40), (12, 4, 60), (20, 4, 95), (20, 5, 76), (64, 4, 336)]),
    st.integers(0, 999),
)
@settings(max_examples=sweep(10, 200))
def test_opponents_are_more_even_than_those_of_a_random_plan(plan, seed):
    number, seats, budget = plan
    bots = letters(number)
    ours = spread(meetings(circles(round_robin(bots, seats, budget, seed)), bots))
    theirs = [spread(meetings(random_tables(bots, seats, budget, seed + i), bots)) for i in range(5)]
    assert ours <= sum(theirs) / 5, "one random plan may be lucky"


@given(st.integers(3, 12), st.integers(2, 6), st.integers(1, 40), SEEDS)
def test_everybody_has_every_seat_equally_often_after_every_block(number, seats, budget, seed):
    assume(seats <= number)
    for block in blocks_of(round_robin(letters(number), seats, budget, seed)):
        places = Counter(place for fixture in block for place in enumerate(fixture.bots))
        assert places == dict.fromkeys(product(range(seats), block[0].bots), 1)


@pytest.mark.parametrize(("number", "blocks", "each"), [(3, 6, 3), (4, 12, 4)])
def test_at_a_single_table_each_follows_each_equally_often(number, blocks, each):
    bots = letters(number)
    for seed in range(10):
        assert set(followings(circles(round_robin(bots, number, blocks, seed)), bots)) == {each}


@pytest.mark.parametrize(("number", "seats", "budget"), [(8, 4, 70), (10, 5, 100), (12, 3, 220), (20, 6, 200)])
def test_who_follows_whom_is_more_even_than_by_chance(number, seats, budget):
    bots = letters(number)
    for seed in range(3):
        ours = circles(round_robin(bots, seats, budget, seed))
        dice = random.Random(seed)
        shuffled = [tuple(dice.sample(table, seats)) for table in ours]
        assert spread(followings(ours, bots)) < spread(followings(shuffled, bots))
        assert spread(followings(ours, bots)) <= 4


def test_without_a_budget_it_is_one_cycle_or_as_many_blocks_as_pairs_would_give_each_bot():
    assert len(round_robin(letters(6), 2, None, 7)) == 15 * 2
    assert len(round_robin(letters(8), 4, None, 7)) == 70 * 4
    assert len(round_robin(letters(4), 4, None, 7)) == 1 * 4
    assert math.comb(20, 4) > CYCLE_LIMIT
    appearances = Counter(bot for table in circles(round_robin(letters(20), 4, None, 7)) for bot in table)
    assert set(appearances.values()) == {19}


def test_the_next_cycle_has_the_same_tables_in_another_order():
    tables = [frozenset(table) for table in circles(round_robin(letters(6), 3, 40, 7))]
    assert tables[:20] != tables[20:]
    assert set(tables[:20]) == set(tables[20:])


MIXTURES = st.sets(st.integers(2, 6), min_size=2)


@given(st.integers(6, 20), MIXTURES, st.integers(1, 100), SEEDS)
@settings(max_examples=sweep(20, 500))
def test_several_sizes_take_turns_and_bots_are_even_at_each_of_them_and_in_all(number, sizes, budget, seed):
    bots = letters(number)
    tables = circles(round_robin(bots, sizes, budget, seed))
    assert [len(table) for table in tables] == [sorted(sizes)[block % len(sizes)] for block in range(budget)]
    for size in {len(table) for table in tables}:
        assert max(spread_over_time([table for table in tables if len(table) == size], bots)) <= 1
    assert max(spread_over_time(tables, bots)) <= len(sizes)


@pytest.mark.parametrize("number", [5, 8, 20])
def test_several_sizes_are_tuned_to_each_other(number):
    for seed in range(5):
        tables = circles(round_robin(letters(number), [2, 3, 4, 5], 100, seed))
        assert max(spread_over_time(tables, letters(number))) <= 2, "seen, not proved"


def test_several_sizes_without_a_budget_have_as_many_blocks_each_as_pairs_would():
    tables = circles(round_robin(letters(8), [2, 3, 4, 5], None, 7))
    assert Counter(map(len, tables)) == dict.fromkeys([2, 3, 4, 5], 28)
    assert spread(meetings([table for table in tables if len(table) == 2], letters(8))) <= 2


# ---- gauntlet


@given(st.integers(1, 9), st.integers(1, 3), st.integers(2, 5), st.integers(1, 60), SEEDS)
def test_one_challenger_is_in_every_fixture_and_the_field_is_even_after_every_block(field, new, seats, budget, seed):
    assume(seats <= field + 1)
    challengers, bots = [f"new-{i}" for i in range(new)], letters(field)
    plan = list(gauntlet(challengers, bots, seats, budget, seed))
    assert all(len(set(challengers) & set(fixture.bots)) == 1 for fixture in plan)
    assert max(spread_over_time(circles(plan), bots)) <= 1
    for challenger in challengers:
        against = [table for table in circles(plan) if challenger in table]
        assert max(spread_over_time(against, bots), default=0) <= 1
    assert max(spread_over_time(circles(plan), challengers)) <= field


@given(st.integers(3, 8), st.sets(st.integers(2, 4), min_size=2), st.integers(1, 60), SEEDS)
def test_the_field_of_a_gauntlet_is_even_at_every_size(field, sizes, budget, seed):
    bots = letters(field)
    tables = circles(gauntlet("new", bots, sizes, budget, seed))
    for size in {len(table) for table in tables}:
        assert max(spread_over_time([table for table in tables if len(table) == size], bots)) <= 1
    assert max(spread_over_time(tables, bots)) <= len(sizes)


@given(st.integers(1, 8), st.integers(1, 3), SEEDS)
def test_without_a_budget_two_seats_give_each_challenger_each_of_the_field_once(field, new, seed):
    challengers, bots = [f"new-{i}" for i in range(new)], letters(field)
    tables = circles(gauntlet(challengers, bots, 2, None, seed))
    assert len(tables) == field * new
    assert {frozenset(table) for table in tables} == {frozenset(pair) for pair in product(challengers, bots)}


def test_without_a_budget_the_field_of_a_gauntlet_is_perfectly_even():
    tables = circles(gauntlet(["new", "newer"], letters(7), [3, 4], None, 7))
    assert Counter(bot for table in tables for bot in table) == {
        **dict.fromkeys(letters(7), 2 * (2 + 3)),
        **dict.fromkeys(["new", "newer"], 2 * 7),
    }


# ---- chain


def test_in_a_chain_neighbours_meet_most_and_bots_far_apart_never():
    order = "dcabe"
    met = Counter(frozenset(table) for table in circles(chain(order, 2, None, 7)))
    near = {frozenset(order[at : at + 2]): 1 if at in (0, 3) else 2 for at in range(4)}
    assert met == near | {frozenset((order[at], order[at + 2])): 1 for at in range(3)}


@pytest.mark.parametrize(("bots", "size"), [(2, 2), (3, 2), (4, 4), (5, 4), (7, 3), (8, 6)])
def test_a_chain_has_whole_tables_of_near_bots_each_as_often_as_the_others(bots, size):
    names = letters(bots)
    tables = circles(chain(names, size, None, 7))
    assert all(len(set(table)) == size for table in tables)
    assert all(max(map(names.index, table)) - min(map(names.index, table)) <= size for table in tables)
    assert circles(chain(names, size, 2 * len(tables), 7))[: len(tables)] == tables
    assert {bot for table in tables for bot in table} == set(names)


# ---- placing


def test_a_placing_goes_on_where_the_part_before_it_ended():
    first, then = placing(["ab", "ac"], 7, 0, 0), placing(["cb"], 7, 2, 4)
    whole = placing(["ab", "ac", "cb"], 7, 0, 0)
    assert [*first, *then] == list(whole)
    assert [fixture.index for fixture in whole] == list(range(6))


# ---- duel


@given(st.integers(4, 8), st.one_of(st.integers(2, 5), st.sets(st.integers(2, 5), min_size=1)), SEEDS)
def test_a_unit_is_two_fixtures_of_one_deal_that_exchange_just_the_two(field, seats, seed):
    for unit in blocks_of(duel("A", "B", letters(field), seats, 20, seed)):
        first, second = unit
        assert first.deal == second.deal
        assert {"A", "B"} < {*first.bots, "field"}
        assert second.bots == tuple({"A": "B", "B": "A"}.get(bot, bot) for bot in first.bots)


@given(st.integers(2, 5), st.integers(1, 3), SEEDS)
def test_the_two_go_through_all_pairs_of_seats(seats, cycles, seed):
    units = cycles * seats * (seats - 1)
    tables = circles(duel("A", "B", letters(5), seats, units, seed))
    places = Counter((table.index("A"), table.index("B")) for table in tables)
    assert places == dict.fromkeys(permutations(range(seats), 2), cycles)


def test_everybody_of_the_field_comes_to_sit_everywhere():
    places = {place for table in circles(duel("A", "B", letters(6), 4, 300, 7)) for place in enumerate(table)}
    assert places == set(product(range(4), ["A", "B", *letters(6)]))


@given(st.integers(1, 6), st.integers(2, 6), SEEDS)
def test_copies_sit_at_a_duel_only_if_the_field_is_too_small(field, seats, seed):
    for table in circles(duel("A", "B", letters(field), seats, 10, seed)):
        copies = Counter(table)
        assert copies["A"] == copies["B"] == 1
        assert spread(copies[bot] for bot in letters(field)) <= 1
        assert max(copies.values()) <= max(1, -(-(seats - 2) // field))


# ---- top-up


def undecided_among(bots: Sequence[str]) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(st.sampled_from(list(permutations(bots, 2))), min_size=1, max_size=6)


@given(undecided_among(letters(8)), st.integers(2, 5), st.integers(0, 20), SEEDS)
def test_every_table_of_a_top_up_holds_the_undecided_pair_that_has_met_least(pairs, seats, before, seed):
    bots = letters(8)
    played = circles(round_robin(bots, seats, before + 1, seed))
    for table in circles(top_up(bots, seats, 15, seed, pairs, played)):
        met = [sum(set(pair) <= set(other) for other in played) for pair in pairs]
        assert set(pairs[met.index(min(met))]) <= set(table), "of several the one that is named first"
        played.append(table)


def test_undecided_pairs_take_turns_in_the_order_given():
    tables = circles(top_up("abcdef", 2, 6, 7, [("d", "e"), ("a", "f"), ("b", "c")]))
    assert ["".join(sorted(table)) for table in tables] == ["de", "af", "bc", "de", "af", "bc"]


def test_beside_an_undecided_pair_sits_who_is_undecided_with_it():
    pairs = [("a", "b"), ("b", "f"), ("a", "f"), ("c", "f")]
    for seed in range(10):
        (table,) = circles(top_up("abcdef", 4, 1, seed, pairs))
        assert sorted(table) == ["a", "b", "c", "f"], "f is undecided with two, then c with one"


@given(st.integers(4, 8), st.integers(2, 4), st.integers(1, 5), undecided_among(letters(4)), SEEDS)
def test_nobody_stays_below_the_floor(number, seats, floor, pairs, seed):
    bots = letters(number)
    enough = -(-number * floor // seats) + floor
    tables = circles(top_up(bots, seats, enough, seed, pairs, floor=floor))
    played = dict.fromkeys(bots, 0)
    for table in tables:
        hungry = [bot for bot in bots if played[bot] < floor]
        assert len(set(table) & set(hungry)) == min(seats, len(hungry)), "they come first"
        assert not hungry or max(played[bot] for bot in set(table) & set(hungry)) <= min(played.values()) + 1
        for bot in table:
            played[bot] += 1
    assert min(played.values()) >= floor


def test_a_newcomer_gets_its_floor_at_once_and_then_pairs_are_preferred_again():
    played = [("a", "b"), ("c", "d")] * 5
    tables = circles(top_up("abcde", 2, 7, 7, [("a", "b")], played, floor=5))
    assert ["e" in table for table in tables] == [True] * 5 + [False] * 2
    assert {*tables[5], *tables[6]} == {"a", "b"}


@given(undecided_among(letters(6)), st.sampled_from([2, 3, [2, 3, 5]]), st.integers(1, 9), st.integers(1, 9), SEEDS)
def test_told_what_is_played_the_top_up_goes_on_as_if_it_had_never_stopped(pairs, seats, first, then, seed):
    bots = letters(6)
    played = circles(round_robin(bots, 3, 5, seed))
    whole = list(top_up(bots, seats, first + then, seed, pairs, played, floor=4))
    begun = list(top_up(bots, seats, first, seed, pairs, played, floor=4))
    rest = top_up(bots, seats, then, seed, pairs, [*played, *circles(begun)], floor=4)
    assert begun + list(rest) == whole
    assert len(begun) + len(rest) == len(whole)
    assert whole[0].block == 5
    assert whole[0].index == 15


@given(undecided_among(letters(6)), st.randoms(use_true_random=False), SEEDS)
def test_neither_the_order_nor_the_rotation_of_what_is_played_matters(pairs, dice, seed):
    bots = letters(6)
    plan = blocks_of(round_robin(bots, 3, 12, seed))
    again = [dice.choice(block).bots for block in dice.sample(plan, len(plan))]
    played = iter([block[0].bots for block in plan])
    schedule = top_up(bots, 3, 6, seed, pairs, played)
    assert list(schedule) == list(top_up(bots, 3, 6, seed, pairs, again)) == list(schedule)


@given(st.integers(3, 12), st.integers(2, 5), st.integers(1, 60), SEEDS)
def test_with_nothing_undecided_a_top_up_is_even(number, seats, budget, seed):
    assume(seats <= number)
    bots = letters(number)
    assert max(spread_over_time(circles(top_up(bots, seats, budget, seed, [])), bots)) <= 1


def test_who_has_left_is_not_asked_to_play_again_and_counts_for_nobody():
    played = [("a", "gone", "b"), ("gone", "lost", "c"), ("gone", "d", "gone")]
    tables = circles(top_up("abcd", 2, 20, 7, [], played))
    assert {bot for table in tables for bot in table} == set("abcd")
    assert max(spread_over_time(tables, "abcd")) <= 1


# ---- knock-out


@given(st.integers(1, 40), st.integers(2, 5), SEEDS, st.randoms(use_true_random=False))
def test_a_knock_out_eliminates_all_but_one_and_gives_nobody_two_byes(number, seats, seed, dice):
    bots = letters(number)
    left, winners, byes, tables, deals = set(bots), list[set[str]](), Counter[str](), 0, set()
    index = 0
    while plan := list(knock_out(bots, seats, seed, winners)):
        blocks = blocks_of(plan)
        assert [block[0].block for block in blocks] == list(range(tables, tables + len(blocks)))
        assert [fixture.index for fixture in plan] == list(range(index, index + len(plan)))
        seated = [bot for block in blocks for bot in block[0].bots]
        assert len(seated) == len(set(seated))
        assert set(seated) <= left, "who is out stays out"
        byes.update(left - set(seated))
        winners.append({dice.choice(block[0].bots) for block in blocks})
        left -= set(seated) - winners[-1]
        tables, index = tables + len(blocks), index + len(plan)
        deals |= {fixture.deal for fixture in plan}
        assert len(left) in [seats**power for power in range(7)]
        assert all(2 <= len(block[0].bots) <= seats for block in blocks)
    assert len(left) == 1
    assert all(number == 1 for number in byes.values())
    assert len(deals) == tables


def test_two_at_a_table_take_one_block_for_each_elimination():
    winners: list[Table] = []
    while plan := list(knock_out(letters(11), 2, 7, winners)):
        winners.append(tuple(min(table) for table in circles(plan)))
    assert sum(map(len, winners)) == 10
    assert winners[-1] == ("bot-00",)


def test_the_best_have_the_byes_and_meet_last():
    def round_after(*winners: str) -> list[str]:
        return ["".join(sorted(table)) for table in circles(knock_out("abcdef", 2, 7, winners))]

    assert round_after() == ["cf", "de"], "a and b have a bye"
    assert round_after("cd") == ["ad", "bc"]
    assert round_after("fe") == ["ae", "bf"]
    assert round_after("cd", "ab") == ["ab"]
    assert round_after("cd", "ab", "a") == []


def test_later_tables_of_a_knock_out_are_full():
    tables = circles(knock_out(letters(20), 3, 7))
    assert sorted(map(len, tables)) == [2] * 7 + [3] * 2
    winners = [min(table) for table in tables]
    assert [len(table) for table in circles(knock_out(letters(20), 3, 7, [winners]))] == [3, 3, 3]


def test_seeding_is_the_order_in_which_the_bots_of_a_knock_out_are_named():
    assert {frozenset(table) for table in circles(knock_out("adbc", 2, 7))} == {frozenset("ac"), frozenset("bd")}


# ---- what cannot be scheduled


@pytest.mark.parametrize(
    ("schedule", "refusal"),
    [
        (lambda: round_robin([], 2, 1, 7), "bots: expected at least one, got none. Name at least one bot."),
        (lambda: round_robin("aba", 2, 1, 7), "bots: 'a' appears twice. Give each bot its own name."),
        (lambda: round_robin("ab", 3, 1, 7), "seats: expected at most 2, the number of bots for a table, got 3."),
        (lambda: round_robin("ab", [2, 3], 1, 7), "seats: expected at most 2, the number of bots for a table, got 3."),
        (lambda: round_robin("ab", 1, 1, 7), "seats: expected 2 or more, got 1. Name the number of seats at a table."),
        (
            lambda: round_robin("ab", [], 1, 7),
            "seats: expected 2 or more, got []. Name the number of seats at a table.",
        ),
        (lambda: round_robin("ab", 2, 0, 7), "blocks: expected 1 or more, got 0."),
        (lambda: gauntlet("a", "abc", 2, 1, 7), "bots: 'a' appears twice. Give each bot its own name."),
        (lambda: gauntlet("abc", "d", 2, 0, 7), "blocks: expected 1 or more, got 0."),
        (lambda: gauntlet([], "abc", 2, 1, 7), "bots: expected at least one, got none. Name at least one bot."),
        (lambda: gauntlet("a", "bc", 4, 1, 7), "seats: expected at most 3, the number of bots for a table, got 4."),
        (lambda: gauntlet("a", [], 2, None, 7), "seats: expected at most 1, the number of bots for a table, got 2."),
        (lambda: duel("a", "a", "bc", 2, 1, 7), "bots: 'a' appears twice. Give each bot its own name."),
        (lambda: duel("a", "b", "bc", 2, 1, 7), "bots: 'b' appears twice. Give each bot its own name."),
        (
            lambda: duel("a", "b", "", 4, 1, 7),
            "field: expected bots for 2 more seats, got none. Or let the two play alone.",
        ),
        (lambda: duel("a", "b", "", 2, 0, 7), "units: expected 1 or more, got 0."),
        (
            lambda: top_up("abc", 2, 1, 7, [("a", "z")]),
            "pairs: expected two of the bots, got 'a' and 'z'.",
        ),
        (
            lambda: top_up("abc", 2, 1, 7, [("a", "a")]),
            "pairs: expected two of the bots, got 'a' and 'a'.",
        ),
        (lambda: top_up("abc", 2, 0, 7, []), "blocks: expected 1 or more, got 0."),
        (lambda: knock_out("aba", 2, 7), "bots: 'a' appears twice. Give each bot its own name."),
        (lambda: knock_out("abc", 1, 7), "seats: expected 2 or more, got 1. Name the number of seats at a table."),
        (lambda: knock_out("abcd", 2, 7, ["a"]), "winners: expected one of b, c, got none. Name the one that goes on."),
        (
            lambda: knock_out("abcd", 2, 7, ["acb"]),
            "winners: expected one of b, c, got b, c. Name the one that goes on.",
        ),
    ],
)
def test_what_cannot_be_scheduled_is_refused_in_one_line(schedule: Callable[[], Any], refusal: str):
    with pytest.raises(SettingError) as caught:
        schedule()
    assert str(caught.value) == refusal


# ---- whole plans, to be kept for ever: a stored league goes on with them


def written(plan: Schedule) -> list[str]:
    """A plan as leagues have it that were begun before there were secrets."""
    deal = OldSeed(7).deal
    return [f"{f.index} {f.block}.{f.rotation} {' '.join(f.bots)} {deal([f.deal]):016x}" for f in plan]


def in_short(plan: Schedule) -> str:
    return " ".join("".join(table) for table in circles(plan))


def test_four_bots_at_three_seats():
    assert written(round_robin("ABCD", 3, None, 7)) == [
        "0 0.0 A B C 174a0865de401243",
        "1 0.1 B C A 174a0865de401243",
        "2 0.2 C A B 174a0865de401243",
        "3 1.0 A D B 03964175aec3e235",
        "4 1.1 D B A 03964175aec3e235",
        "5 1.2 B A D 03964175aec3e235",
        "6 2.0 B D C 31683f8310502c41",
        "7 2.1 D C B 31683f8310502c41",
        "8 2.2 C B D 31683f8310502c41",
        "9 3.0 A C D fdcd0ea15e77e4f9",
        "10 3.1 C D A fdcd0ea15e77e4f9",
        "11 3.2 D A C fdcd0ea15e77e4f9",
    ]


def test_two_units_of_a_duel():
    assert written(duel("X", "Y", "ABC", 3, 2, 7)) == [
        "0 0.0 X B Y 929ffd60e32b1a17",
        "1 0.1 Y B X 929ffd60e32b1a17",
        "2 1.0 Y A X 1e456265cdc6b0fd",
        "3 1.1 X A Y 1e456265cdc6b0fd",
    ]


def test_eight_bots_at_four_seats_have_all_met_three_times_after_fourteen_blocks():
    plan = round_robin("ABCDEFGH", 4, 14, 7)
    assert in_short(plan) == "FGCA HBED GECH DBFA HABG DEFC HDGF BACE AEGD HCFB EGBF DCAH BDCG AFHE"
    assert set(meetings(circles(plan), "ABCDEFGH")) == {3}


@pytest.mark.parametrize(
    ("plan", "tables"),
    [
        (round_robin("ABCDE", 2, 15, 7), "BD CE AD BE CA DE BA DC AE CB AB CE BD CA ED"),
        (round_robin("ABCDEFGHIJKLMNOPQRST", 4, 10, 7), "NPGA TESL JHCM IFKD BROQ DSNB PEOI JFAR KCLG QTMH"),
        (round_robin("ABCDE", [2, 3, 4], 9, 7), "CE ABD CEBA AD CED BEDC AB AEB CDAE"),
        (gauntlet("X", "ABCDE", 3, 5, 7), "EXA CDX XBC XDE BAX"),
        (top_up("ABCDE", 3, 6, 7, [("A", "B"), ("C", "D")]), "BCA CED DBA DEC EBA CBD"),
        (knock_out("ABCDEFG", 2, 7), "BG CF DE"),
    ],
)
def test_small_plans_of_every_kind(plan, tables):
    assert in_short(plan) == tables
