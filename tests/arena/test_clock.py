"""What a bot pays for, and what it does not."""

import subprocess
import sys
import time

import pytest
import trio

from arena.clock import BLOCKED_S, CPU_PATIENCE, Clock, DelayWatch, RunDelay, TimeControl, cpu_clock, now


def test_the_bank_pays_what_the_increment_does_not():
    clock = Clock(TimeControl(bank_ms=300, increment_ms=100))
    assert clock.patience_s == pytest.approx(0.4)
    assert clock.spend(100_000)
    assert clock.bank_ms == 300
    assert clock.spend(250_000)
    assert clock.bank_ms == 150
    assert clock.spend(250_000), "to the last microsecond"
    assert clock.bank_ms == 0
    assert not clock.spend(100_001)
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


def test_news_that_waited_while_the_loop_was_busy_is_dated_back():
    async def main() -> tuple[float, float]:
        watch = DelayWatch()
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
from arena.clock import DelayWatch, now

async def main():
    watch = DelayWatch()
    trio.lowlevel.add_instrument(watch)
    with watch.noticing_stops(), subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE) as child:
        await trio.lowlevel.wait_readable(child.stdout)
        print(now() - watch.news_since)

trio.run(main)
"""


def test_news_that_came_while_the_process_was_stopped_is_dated_back():
    ended = subprocess.run([sys.executable, "-c", IS_STOPPED, STOPS], capture_output=True, text=True, timeout=60)
    assert float(ended.stdout) >= 0.29, ended.stderr
