"""Whether search answers in time when other processes keep all cores busy: late answers in 1,000 decisions.

    .venv/bin/python -m benchmarks.never_late             # increments of 50, 200 and 1,000 ms; the last takes long
    .venv/bin/python -m benchmarks.never_late --increment-ms 50 --decisions 1000 --game dinodocus

Matches of search against random, in the sandbox and under the referee, with the default bank. One process for each core
does nothing but count meanwhile. The exit code is 1 if an answer was late.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from arena import running
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.play import MatchSetup
from arena.roster.entries import find

INCREMENTS_MS = (50, 200, 1000)


def spin() -> None:
    while True:
        pass


@contextmanager
def busy_cores() -> Iterator[int]:
    """As many processes that never wait as there are cores."""
    spinning = [multiprocessing.Process(target=spin, daemon=True) for _ in os.sched_getaffinity(0)]
    for process in spinning:
        process.start()
    try:
        yield len(spinning)
    finally:
        for process in spinning:
            process.kill()
            process.join()


def late(game: str, increment_ms: int, decisions: int, seed: int) -> tuple[int, int, int, int]:
    """Of that many decisions of search: how many, how many late, the longest in ms, and the smallest bank."""
    asked = missed = longest = 0
    clock = TimeControl(increment_ms=increment_ms)
    least = clock.bank_ms
    while asked < decisions:
        setup = MatchSetup([find("search"), find("random")], game=game, clocks=[clock] * 2, seed=seed)
        record = running.run(partial(matches.play, setup)).record()
        bank = clock.bank_ms
        for _, _, decision in record.decisions():
            if decision.seat == 0:
                asked += 1
                longest = max(longest, decision.used_us // 1000)
                bank -= max(0, decision.used_us // 1000 - increment_ms)
        least = min(least, bank)
        missed += sum(fault.seat == 0 for fault in record.verdict.faults)
        seed += 1
    return asked, missed, longest, least


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--increment-ms", nargs="*", type=int, default=INCREMENTS_MS)
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--game", default="draftosaurus")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    total = 0
    with busy_cores() as cores:
        say(f"{cores} cores kept busy by {cores} processes; bank {TimeControl().bank_ms} ms")
        say("| increment | decisions | late or failed | longest | least left in the bank |\n|---|---|---|---|---|")
        for increment in given.increment_ms:
            asked, missed, longest, least = late(given.game, increment, given.decisions, given.seed)
            total += missed
            say(f"| {increment} ms | {asked} | {missed} | {longest} ms | {least} ms |")
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
