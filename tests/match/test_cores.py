"""Who had the cores, and what follows from it for a bot that is late."""

import subprocess
import sys
import time

import pytest

from arena.match.cores import (
    CoreCounters,
    Reading,
    Usage,
    barred_s,
    between,
    held_s,
    is_ready,
    kept_s,
    suspects,
    waited_s,
)
from arena.match.launch import usable_cpus

# wall, cores, others, CPU time of seats 0 and 1, what the threads of seat 0 waited: what seat 0 gets back
KEPT = {
    "a quiet machine, and a bot that sleeps": (10, 2, 0, (0, 0), 0, 0),
    "a quiet machine, and a bot with one thread": (10, 2, 0, (10, 0), 0, 0),
    "a quiet machine, and 58 threads of its own": (10, 2, 0, (20, 0), 560, 0),
    "a busy machine, and a bot that sleeps": (10, 2, 20, (0, 0), 0, 0),
    "a busy machine, and a bot with one thread that got a tenth": (10, 2, 19, (1, 0), 9, 9),
    "a busy machine, and 58 threads that got a half": (10, 2, 10, (10, 0), 570, 5),
    "others had one core of two, and its thread was on that one": (10, 2, 10, (5, 0), 5, 5),
    "the opponent has 58 threads": (10, 2, 0, (1, 19), 9, 9),
    "the opponent has 58 threads, and so has it": (10, 2, 0, (10, 10), 570, 5),
    "others can have held all cores for a part of the time only": (10, 4, 8, (10, 10), 9, 4.5),
    "one core": (10, 1, 9, (1, 0), 9, 9),
    "counters that do not fit are no gift": (10, 2, 999, (0, 0), 999, 10),
}


@pytest.mark.parametrize(("wall", "cores", "others", "bots", "waited", "back"), KEPT.values(), ids=KEPT)
def test_a_bot_gets_back_what_it_waited_and_others_held(wall, cores, others, bots, waited, back):
    usage = Usage(wall, cores, others, bots, (waited, 0))
    assert kept_s(usage, 0) == pytest.approx(back)
    assert kept_s(usage, 0) <= held_s(usage, 0) <= wall


def test_what_the_arena_was_stopped_for_is_given_back_to_all():
    usage = Usage(10, 2, 0, (0, 0), (0, 0), paused_s=4)
    assert [kept_s(usage, seat) for seat in (0, 1)] == [4, 4]


# wall, cores, CPU time of the seats: the suspects
SUSPECTS = {
    "nobody worked": (10, 2, (0, 0), ()),
    "two threads, two cores": (10, 2, (10, 10), ()),
    "one thread each, and one finished early": (10, 2, (10, 1), ()),
    "one with many threads": (10, 2, (19, 1), (0,)),
    "one thread at a table of four": (10, 2, (10, 1, 1, 1), ()),
    "many threads at a table of four": (10, 2, (1, 1, 16, 1), (2,)),
    "one core, shared": (10, 1, (5, 5), ()),
    "one core, and one took it": (10, 1, (9, 1), (0,)),
    "eight cores, eight threads": (10, 8, (60, 10), ()),
    "eight cores, and one took them": (10, 8, (65, 10), (0,)),
    "the machine was busy, and nobody got much": (10, 2, (1, 2), ()),
}


@pytest.mark.parametrize(("wall", "cores", "bots", "found"), SUSPECTS.values(), ids=SUSPECTS)
def test_a_suspect_used_far_more_than_its_share(wall, cores, bots, found):
    assert suspects(Usage(wall, cores, 0, bots, (0,) * len(bots))) == found


def test_what_nobody_of_us_used_others_did():
    before = Reading(100.0, 50.0, 1.0, 3.0, (1.0, 0.0), (0.5, 0.0))
    after = Reading(110.0, 54.0, 3.0, 4.0, (6.0, 2.0), (2.5, 0.0))
    usage = between(before, after, 2, 0.25)
    assert usage == Usage(10.0, 2, 20.0 - 4.0 - 1.0 - 7.0, (5.0, 2.0), (4.0, 2.0), 0.25), (
        "and all of the stolen time may be that of one bot"
    )


def test_while_others_have_all_cores_no_bot_can_think():
    assert barred_s(Usage(10.0, 2, 19.0, (1.0,), (0.0,), 0.5)) == 9.5
    assert barred_s(Usage(10.0, 2, 9.0, (1.0,), (0.0,))) == 0.0, "one core was free"


def test_who_is_ready_to_run_may_have_been_so_all_the_time():
    """A wait is counted when it is over, and this one is not."""
    before = Reading(100.0, 0.0, 0.0, 0.0, (1.0, 1.0), (0.0, 0.0))
    after = Reading(110.0, 0.0, 0.0, 0.0, (3.0, 1.0), (0.5, 0.5))
    assert between(before, after, 1).waited_s == (0.5, 0.5)
    assert between(before, after, 1, ready=[0]).waited_s == (8.0, 0.5)


def test_a_process_that_is_gone_has_used_nothing_since():
    before = Reading(100.0, 0.0, 0.0, 0.0, (5.0,), (5.0,))
    after = Reading(101.0, 2.0, 0.0, 0.0, (0.0,), (0.0,))
    assert between(before, after, 2) == Usage(1.0, 2, 0.0, (0.0,), (0.0,))


WORK = """
import os, sys, time
os.sched_setaffinity(0, [int(sys.argv[1])])
print("here", flush=True)
input()
while time.process_time() < float(sys.argv[2]):
    pass
print("done", flush=True)
input()
"""


def worker(core: int, seconds: float) -> subprocess.Popen[str]:
    """A process on one core that begins when it is told to, and works until it has used so much CPU time."""
    words = [sys.executable, "-S", "-c", WORK, str(core), str(seconds)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"
    return process


def begin(process: subprocess.Popen[str]) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.usefixtures("processes")
def test_the_kernel_tells_who_kept_whom_from_a_core():
    """Two processes want the same core: one of them is a bot, and the other is not."""
    core = usable_cpus()[-1]
    cores = CoreCounters([core])
    with worker(core, 0.5) as bot, worker(core, 600) as other:
        begin(other)
        before = cores.read([bot.pid])
        begin(bot)
        assert bot.stdout.readline() == "done\n"
        usage = between(before, cores.read([bot.pid]), cores.count)
        assert is_ready(other.pid)
        other.kill()
        bot.communicate("\n")
    cores.close()
    assert 0.4 <= usage.bots_s[0] <= 0.6
    assert usage.others_s >= 0.25
    assert 0.25 <= kept_s(usage, 0) <= usage.wall_s - usage.bots_s[0] + 0.1


@pytest.mark.usefixtures("processes")
def test_who_sleeps_is_kept_by_nobody():
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as asleep:
        time.sleep(0.1)  # until it has started; if it has not, it waits for more
        before = waited_s(asleep.pid)
        time.sleep(0.1)
        waited = waited_s(asleep.pid) - before
        is_awake = is_ready(asleep.pid)
        asleep.communicate(b"\n")
    assert 0.0 <= waited < 0.1
    assert not is_awake
    assert waited_s(asleep.pid) == 0.0, "it is gone"
