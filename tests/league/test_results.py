"""What a league knows of its results while it is played: each look reads what is new, and decides as if it read all."""

import random
from typing import Any

import pytest

from arena.league.lineup import BotVersion, RosterChange
from arena.league.results import ResultsSoFar, table
from arena.league.store import Row, Store, open_store
from tests.league.test_store import LEAGUE, TIMES, row

BOTS = ("a", "b", "c", "d", "e")


def played(blocks: int, seed: int = 1) -> list[Row]:
    """Blocks of two matches at tables of two or three. Numbers of blocks do not follow the plan; a is the best."""
    dice, rows = random.Random(seed), list[Row]()
    numbers = dice.sample(range(10**6), blocks)
    for number in numbers:
        bots = tuple(dice.sample(BOTS, dice.choice([2, 3])))
        for rotation, seated in enumerate((bots, bots[::-1])):
            scores = tuple(round(dice.gauss(0, 3) - 0.8 * BOTS.index(bot)) for bot in seated)
            ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
            seats: dict[str, Any] = {"breakdown": ({},) * len(bots), "times": (TIMES,) * len(bots), "faults": ()}
            seats |= {"bots": seated, "ranks": ranks, "scores": scores}
            rows.append(row(len(rows), block=number, rotation=rotation, **seats))
    return rows


def blocks_of(rows: list[Row]) -> list[int]:
    return list(dict.fromkeys(one.block for one in rows))


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path, create=True) as opened:
        opened.settle(LEAGUE | {"order": list(BOTS), "bots": {bot: ["1", "x"] for bot in BOTS}})
        yield opened


@pytest.fixture
def reads(monkeypatch):
    """How many results each look reads."""
    found, outcomes = list[int](), Store.outcomes

    def counted(*words):
        found.append(0)
        for outcome in outcomes(*words):
            found[-1] += 1
            yield outcome

    monkeypatch.setattr(Store, "outcomes", counted)
    return found


def test_a_look_reads_the_results_of_new_blocks_and_no_others(store, reads):
    rows = played(60)
    store.add(rows)
    blocks, so_far = blocks_of(rows), ResultsSoFar(store, BOTS)
    for count in (20, 30, 30, 60):
        so_far.undecided(blocks[:count])
    assert reads == [40, 20, 60]


@pytest.mark.parametrize("seed", range(5))
def test_results_that_are_read_bit_by_bit_decide_as_if_they_were_read_at_once(store, seed):
    """A resumed league reads them at once. Blocks may be named in any order."""
    rows = played(80, seed)
    store.add(rows)
    blocks, so_far = random.Random(seed).sample(blocks_of(rows), 80), ResultsSoFar(store, BOTS)
    lengths = list[int]()
    for count in (1, 2, 5, 20, 40, 80):
        pairs = so_far.undecided(blocks[:count])
        assert pairs == ResultsSoFar(store, BOTS).undecided(blocks[:count])
        lengths.append(len(pairs))
    assert lengths[0] == 10 > lengths[-1] > 0, "some pairs are decided, and others are not"
    assert pairs == [(one.bot, other) for one in table(store) for other in one.not_separated if one.bot < other]


def test_with_fewer_blocks_or_other_names_of_versions_a_look_begins_again(store, reads):
    rows = [row(at, versions=("0" * 16, "1" * 16)) for at in range(40)]
    store.add(rows)
    so_far = ResultsSoFar(store, ("a", "b"))
    some, every = so_far.undecided(range(5)), so_far.undecided(range(20))
    assert so_far.undecided(range(5)) == some
    assert so_far.undecided(range(20)) == every
    versions = [BotVersion(str(at) * 16, bot, "1", "x", (), "", {}) for at, bot in enumerate("ab")]
    store.enlist(versions, [RosterChange(0, "2026-01-01T00:00:00Z", one.name, one.key) for one in versions])
    so_far.undecided(range(20))
    assert reads == [10, 30, 10, 30, 40]


def test_bots_that_have_left_are_not_undecided(store):
    store.add([row(at, versions=(str(at % 2) * 16, str(1 - at % 2) * 16)) for at in range(4)])
    versions = [BotVersion(str(at) * 16, bot, "1", "x", (), "", {}) for at, bot in enumerate("bac")]
    changes = [RosterChange(0, "2026-01-01T00:00:00Z", one.name, one.key) for one in versions]
    store.enlist(versions, [*changes, RosterChange(1, "2026-01-02T00:00:00Z", "b", None)])
    assert ResultsSoFar(store, ("a", "c")).undecided([0, 1]) == [("a", "c")]
