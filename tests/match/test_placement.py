"""Where bots run: the rule with bots that only say where they are, then real processes."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
import trio

from arena.match import play as matches
from arena.match.company import open_company
from arena.match.cores import BY_USE, FREE, REFEREE, current_core, move
from arena.match.launch import SpawnerLauncher, usable_cpus
from arena.match.placement import LITTLE_S, ROOMY_MS, SHARED_TURNS, TRIAL, Placement
from arena.match.record import Header, Player
from arena.match.record_file import from_bytes, to_bytes
from engine.catalogue import game as find_game

CORES = tuple(usable_cpus())
several = pytest.mark.skipif(len(CORES) < 2, reason="there is only one core")


class Placed:
    """A bot as a placement sees it."""

    def __init__(self, can_move: bool = True, core: int | None = None) -> None:
        self.exit: object = None
        self.core = core
        self.cores = CORES if core is None else (core,)
        self.used_s = 0.0
        self._can_move = can_move

    def cpu_s(self) -> float:
        return self.used_s

    def keep_on(self, cores) -> bool:
        if self._can_move:
            self.cores = tuple(cores)
        return self._can_move


def turns(placement: Placement, count: int, bots=(), each_s: float = 0.0, is_alone: bool = True) -> None:
    """Some turns without a long wait, in each of which these bots use CPU time."""
    for _ in range(count):
        placement.asking(2, is_alone)
        for bot in bots:
            bot.used_s += each_s


def own_cores() -> tuple[int, ...]:
    return tuple(sorted(os.sched_getaffinity(0)))


@several
def test_bots_that_think_little_share_the_core_of_the_referee_until_the_match_ends():
    bots = [Placed(), Placed()]
    with (placement := Placement(bots, BY_USE, CORES, 100)):
        turns(placement, TRIAL, bots, LITTLE_S / 2)
        assert (placement.is_shared, bots[0].cores, own_cores()) == (False, CORES, CORES)
        turns(placement, 1)
        (core,) = own_cores()
        assert [bot.cores for bot in bots] == [(core,)] * 2
        assert [bot.core for bot in bots] == [core] * 2
        assert placement.shared == 0, "the questions before it had all cores"
        turns(placement, 3)
        assert placement.shared == 6
    assert own_cores() == CORES


@several
def test_bots_that_use_cpu_time_keep_all_cores_and_so_do_the_others_at_their_table():
    thinker, other = Placed(), Placed()
    with (placement := Placement([other, thinker], BY_USE, CORES, 100)):
        turns(placement, 20, [thinker], 2 * LITTLE_S)
        assert (thinker.cores, other.cores, placement.shared) == (CORES, CORES, 0)


@several
def test_before_a_long_wait_all_bots_get_all_cores_again_and_must_be_quick_for_longer():
    bots = [Placed(), Placed()]
    with (placement := Placement(bots, BY_USE, CORES, 100)):
        turns(placement, 1 + TRIAL)
        assert placement.is_shared
        placement.waiting()
        assert [bot.cores for bot in bots] == [CORES] * 2
        assert own_cores() == CORES
        turns(placement, 1 + TRIAL)
        assert not placement.is_shared, "that was enough at first"
        turns(placement, 1)
        assert placement.is_shared
        placement.waiting()
        turns(placement, 2 + TRIAL)
        placement.waiting()
        turns(placement, 3 + TRIAL)
        assert not placement.is_shared, "a long wait between quick turns starts the count again"
        turns(placement, 1)
        assert placement.is_shared


@several
def test_bots_that_share_a_core_and_use_more_and_more_cpu_time_without_a_long_wait_get_all_cores():
    bots = [Placed(), Placed()]
    with (placement := Placement(bots, BY_USE, CORES, 100)):
        turns(placement, 1 + TRIAL)
        turns(placement, 10 * SHARED_TURNS, bots, LITTLE_S)
        assert placement.is_shared
        turns(placement, SHARED_TURNS + TRIAL, bots, 3 * LITTLE_S)
        assert (placement.is_shared, bots[0].cores, own_cores()) == (False, CORES, CORES)


@several
def test_a_loop_with_other_matches_is_not_bound_to_a_core():
    bots = [Placed(), Placed()]
    with (placement := Placement(bots, BY_USE, CORES, 100)):
        turns(placement, 10, is_alone=False)
        assert not placement.is_shared
        turns(placement, 1 + TRIAL)
        assert placement.is_shared
        turns(placement, 1, is_alone=False)
        assert (placement.is_shared, bots[0].cores, own_cores()) == (False, CORES, CORES)


@several
@pytest.mark.parametrize(
    ("rule", "increment_ms", "first"),
    [
        (FREE, 100, Placed()),
        (BY_USE, ROOMY_MS - 1, Placed()),
        (BY_USE, 100, Placed(can_move=False)),
        (REFEREE, 100, Placed(can_move=False)),
    ],
    ids=["nothing to decide", "a clock on which a millisecond counts", "a person", "a person, and one core is wanted"],
)
def test_some_tables_never_share_a_core(rule, increment_ms, first):
    other = Placed()
    with (placement := Placement([other, first], rule, CORES, increment_ms)):
        turns(placement, 100)
        assert (placement.shared, other.cores, first.cores, own_cores()) == (0, CORES, CORES, CORES)


@several
def test_bots_that_shared_a_core_begin_there_and_a_newcomer_brings_them_all_cores():
    core = CORES[-1]
    with (placement := Placement([Placed(core=core), Placed(core=core)], BY_USE, CORES, 100)):
        turns(placement, 1)
        assert (placement.shared, own_cores()) == (2, (core,))
    old = Placed(core=core)
    with (placement := Placement([old, Placed()], BY_USE, CORES, 100)):
        assert (old.cores, old.core, own_cores()) == (CORES, None, CORES)
    old = Placed(core=core)
    with Placement([old, Placed(core=core)], FREE, CORES, 100):
        assert (old.cores, old.core) == (CORES, None)


@several
def test_the_referee_gets_all_cores_back_when_a_match_fails():
    with pytest.raises(ZeroDivisionError, match="1 core"), Placement([Placed(), Placed()], REFEREE, CORES, 0):
        raise ZeroDivisionError(f"{len(own_cores())} core")
    assert own_cores() == CORES


def test_on_one_core_everything_is_shared_and_nothing_is_moved():
    bots = [Placed(can_move=False), Placed(can_move=False)]
    with (placement := Placement(bots, BY_USE, (0,), 100)):
        turns(placement, 3)
        placement.waiting()
        turns(placement, 1)
        assert placement.shared == 8
    assert own_cores() == CORES


# Processes

FAMILY = """
import os, subprocess, sys, threading
stop = threading.Event()
for _ in range(3):
    threading.Thread(target=stop.wait).start()
child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
print(os.getpid(), child.pid, flush=True)
input()
stop.set()
child.communicate(b"\\n")
"""


def allowed(thread: str) -> tuple[int, ...]:
    return tuple(sorted(os.sched_getaffinity(int(thread))))


@pytest.mark.usefixtures("processes")
def test_all_threads_of_a_process_and_its_children_are_moved():
    core = CORES[-1]
    words = [sys.executable, "-S", "-c", FAMILY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        pid, child = parent.stdout.readline().split()
        threads = [*os.listdir(f"/proc/{pid}/task"), child]
        assert len(threads) == 5
        assert move(int(pid), (core,))
        assert {allowed(thread) for thread in threads} == {(core,)}
        assert move(int(pid), CORES)
        assert {allowed(thread) for thread in threads} == {CORES}
        parent.communicate("\n")
    assert not move(parent.pid, CORES), "it is gone"


def test_a_thread_knows_the_core_on_which_it_runs():
    try:
        os.sched_setaffinity(0, CORES[-1:])
        assert current_core() == CORES[-1]
    finally:
        os.sched_setaffinity(0, CORES)


THINKER = """
import json, os, sys

def say(**message):
    print(json.dumps(message), flush=True)

say(type="hello", protocol=1, name="thinker", version="1", games=["draftosaurus"])
matches = asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        matches, asked = matches + 1, 0
        say(type="ready")
    elif message["type"] == "decide":
        asked += 1
        while (matches, asked) == (2, 3) and len(os.sched_getaffinity(0)) == 1:
            pass
        say(type="move", id=message["id"], action=message["legal"][0], note=str(len(os.sched_getaffinity(0))))
    elif message["type"] == "bye":
        break
"""


@several
@pytest.mark.usefixtures("processes")
def test_a_bot_that_begins_to_think_has_all_cores_while_it_thinks(tmp_path):
    """In the first match all bots are kept on one core, so they begin the second one there. In its third decision each
    bot thinks until it has more cores."""
    (tmp_path / "thinker.py").write_text(THINKER)
    entries = matches.find_all([f"{sys.executable} -I -S {tmp_path}/thinker.py"] * 2)
    game = find_game("draftosaurus")
    header = Header("m", game.name, game.edition, {}, 1, tuple(Player(e.name, "1", "") for e in entries))

    async def play():
        async with open_company(SpawnerLauncher(), affinity=REFEREE) as company:
            bots = await company.hire(entries)
            first = await company.play(game, header, bots)
            places = [bot.core for bot in bots]
            second = await replace(company, affinity=BY_USE).play(game, header, bots)
            return first.record(), second.record(), places

    first, second, places = trio.run(play)
    assert places in [[core] * 2 for core in CORES]
    asked = [one for _, _, one in first.decisions() if one.status.is_timed]
    assert [one.note for one in asked] == ["1"] * first.verdict.shared
    assert second.verdict.faults == ()
    for seat in (0, 1):
        notes = [one.note for _, _, one in second.decisions() if one.seat == seat and one.status.is_timed]
        assert notes[2] == str(len(CORES))
    assert second.verdict.shared < len(asked)
    assert own_cores() == CORES


@several
@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("rule", [FREE, REFEREE])
def test_the_record_says_by_which_rule_bots_were_placed_and_how_often_they_shared_a_core(rule):
    setup = matches.MatchSetup(matches.find_all(["random", "random"]), seed=1, sandbox="none", affinity=rule)
    record = trio.run(matches.play, setup).record()
    asked = sum(one.status.is_timed for _, _, one in record.decisions())
    assert (record.header.affinity, record.verdict.shared) == (rule, asked if rule == REFEREE else 0)
    assert from_bytes(to_bytes(record)) == record
    assert record.without_times().header.affinity is None
    assert record.without_times().verdict.shared == 0
