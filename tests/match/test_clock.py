"""What a bot pays for, and what it does not."""

import signal
import subprocess
import sys
import time
from typing import Any

import pytest
import trio

from arena.match.bank import CPU_PATIENCE, Clock
from arena.match.clock import TimeControl, cpu_clock, now
from arena.match.delays import BLOCKED_S, BRIEF_S, SHORT_S, DelayWatch, RunDelay


def test_the_bank_pays_what_the_increment_does_not():
    clock = Clock(TimeControl(bank_ms=300, increment_ms=100))
    assert clock.patience_s == pytest.approx(0.4)
    assert clock.spend(100_000)
    assert clock.bank_ms == 300
    assert clock.spend(250_000)
    assert clock.bank_ms == 150
    assert clock.spend(250_000), "to the last microsecond"
    assert clock.bank_ms == 0
    assert not clock.spend(150_000)
    assert clock.bank_ms == 0, "who is late owes nothing later"
    assert clock.allowance_us == 100_000
    assert clock.patience_s == pytest.approx(0.1)
    assert clock.spend(100_000), "the increment is there again"


def test_a_bot_that_pays_for_cpu_time_gets_more_patience():
    clock = Clock(TimeControl(bank_ms=300, increment_ms=100, charge="cpu"))
    assert clock.patience_s == pytest.approx(0.4 * CPU_PATIENCE)


def test_the_cpu_clock_of_a_process_counts_its_work():
    import os

    before = cpu_clock(os.getpid())
    start = time.process_time()
    while time.process_time() - start < 0.02:
        pass
    assert cpu_clock(os.getpid()) - before >= 0.019
    assert cpu_clock(2**22 + 1) == 0.0, "nobody has this number"


def test_the_run_delay_rises_and_ends():
    delay = RunDelay()
    first = delay.read()
    assert 0.0 <= first <= delay.read()
    delay.close()
    assert delay.read() == 0.0


class PretendedRunDelay(RunDelay):
    """What the kernel would say."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def read(self) -> float:
        return self.seconds


def waited(watch: DelayWatch, run_delay: PretendedRunDelay, timeout: float, behind_s: float, slept_s: float) -> Any:
    """How long the news has waited by the watch, after a wait in which the thread stood in the queue for a core."""
    watch.before_io_wait(timeout)
    time.sleep(slept_s)
    run_delay.seconds += behind_s
    early = now()
    watch.after_io_wait(timeout)
    late = now()
    return pytest.approx((early + late) / 2 - watch.news_since, abs=(late - early) / 2 + 1e-6)


def test_only_the_wake_up_that_brought_the_news_counts():
    run_delay = PretendedRunDelay()
    watch = DelayWatch(run_delay)
    for behind in (0.5, 0.5, 0.0, 0.25):
        assert behind == waited(watch, run_delay, 1.0, behind, 0.002), "and not the sum of all before it"
    assert watch.paused_s == 0.0


def test_before_a_brief_wait_a_recent_reading_will_do_and_gives_nobody_more_than_the_wait():
    """Of the time in the queue before it, no more can be taken for a delay of its own than it lasted."""
    run_delay = PretendedRunDelay()
    watch = DelayWatch(run_delay)
    watch._last_at = now() + 1000  # the first reading is recent, however busy this machine is
    run_delay.seconds += 0.5
    began = now()
    watch.before_io_wait(BRIEF_S)
    entered = now()
    time.sleep(2 * SHORT_S)
    watch.after_io_wait(BRIEF_S)
    assert began <= watch.news_since <= entered
    assert waited(watch, run_delay, BRIEF_S, 0.0, 2 * SHORT_S) == 0.0, "the wait before it has ended with a reading"


def test_a_wait_that_overran_because_no_core_was_free_is_no_stop():
    run_delay = PretendedRunDelay()
    watch = DelayWatch(run_delay)
    watch.before_io_wait(0.001)
    began = now()
    time.sleep(0.2)
    run_delay.seconds += now() - began
    watch.after_io_wait(0.001)
    assert watch.paused_s == 0.0


def test_a_wait_that_overran_without_a_reason_was_a_stop():
    run_delay = PretendedRunDelay()
    watch = DelayWatch(run_delay)
    waited(watch, run_delay, 0.001, 0.0, 0.2)
    assert watch.paused_s >= 0.2
    assert now() - watch.news_since >= 0.2


def test_news_that_was_there_when_the_loop_looked_is_dated_back_though_the_look_took_long():
    """On a busy machine a look can take as long as a short sleep."""
    watch = DelayWatch(PretendedRunDelay())
    began = now()
    while now() - began < 0.05:
        pass
    watch.before_io_wait(1.0)
    entered = now()
    while now() - entered < 10 * BLOCKED_S:
        pass
    watch.after_io_wait(1.0)
    assert watch.news_since <= began


def test_news_that_waited_while_the_loop_was_busy_is_dated_back():
    async def main() -> tuple[float, float]:
        watch = DelayWatch(PretendedRunDelay())
        trio.lowlevel.add_instrument(watch)
        await trio.sleep(BLOCKED_S * 100)  # the loop sleeps, and the news wakes it
        woken = now() - watch.news_since
        began = now()
        while now() - began < 0.01:  # the loop is busy; whatever comes meanwhile has to wait for it
            pass
        await trio.lowlevel.checkpoint()
        return woken, now() - watch.news_since

    woken, waited = trio.run(main)
    assert woken < 0.01
    assert waited >= 0.01


STOPS = """
import os, signal, sys, time
os.kill(os.getppid(), signal.SIGSTOP)
os.write(1, b"news")
time.sleep(0.3)  # for so long it is stopped
os.kill(os.getppid(), signal.SIGCONT)
"""
IS_STOPPED = """
import subprocess, sys, trio
from arena.match.clock import now
from arena.match.delays import DelayWatch, RunDelay

async def main():
    watch = DelayWatch(RunDelay())
    trio.lowlevel.add_instrument(watch)
    with watch.noticing_stops(), subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE) as child:
        await trio.lowlevel.wait_readable(child.stdout)
        print(now() - watch.news_since)

trio.run(main)
"""


@pytest.mark.usefixtures("processes")
def test_news_that_came_while_the_process_was_stopped_is_dated_back():
    ended = subprocess.run([sys.executable, "-c", IS_STOPPED, STOPS], capture_output=True, text=True, timeout=60)
    assert float(ended.stdout) >= 0.29, ended.stderr


def test_after_a_match_sigcont_means_what_it_meant_before():
    before = signal.getsignal(signal.SIGCONT)
    with DelayWatch(RunDelay()).noticing_stops():
        assert signal.getsignal(signal.SIGCONT) is not before
    assert signal.getsignal(signal.SIGCONT) is before
