"""Can a bot have a match declared void, or think at a lower price? Matches with a bot that makes noise, in the sandbox.

    python benchmarks/void_at_will.py [--matches 50] [--threads 4 12 58] [--loads 0 2] [--rows silent think honest]

For each number of threads, on a machine that is quiet but for the bot and with busy loops beside it:

- `silent`: the noisy bot does not answer. It has to be disqualified, and the match never void.
- `think`: it answers after 0.4 s each time. What it is charged, beside what it has measured itself.

And the control: an honest bot that needs 30 ms of CPU time for each decision and has 60 ms, among busy loops. It must
never be blamed. With 50 matches it takes some 75 minutes; the machine should have nothing else to do.
"""

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import running
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.record import MatchRecord
from arena.match.tiers import choose
from arena.roster.entries import Entry
from arena.sandbox.policy import Policy

HERE = Path(__file__).resolve().parent
NOISY = 1
"""The seat of the bot that is looked at; in the other one sits an honest one."""
CLOCKS = {
    "silent": TimeControl(bank_ms=1_500, increment_ms=100),
    "think": TimeControl(bank_ms=60_000, increment_ms=100),
    "honest": TimeControl(bank_ms=0, increment_ms=60),
}
PATIENT = TimeControl(bank_ms=60_000, increment_ms=1_000)


def entry(how: str, threads: int) -> Entry:
    words = ("/usr/bin/python3", "-I", "-S", str(HERE / "noisy_bot.py"), how, str(threads))
    return Entry(how, "1", words, HERE)


def play(how: str, threads: int, sandbox: str, seed: int) -> MatchRecord:
    entries, clocks = [entry("honest", 0), entry(how, threads)], [PATIENT, CLOCKS[how]]
    setup = matches.MatchSetup(entries, seed=seed, clocks=clocks)
    launcher = choose(sandbox, setup.entries, Policy(threads=64))
    return running.run(lambda: matches.play(setup, launcher)).record()


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many loops beside it, each in a session of its own, as other people's programs are."""
    words = [sys.executable, "-S", "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"]
    running = [subprocess.Popen(words, start_new_session=True) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in running:
            loop.kill()
            loop.wait()


def fate(record: MatchRecord) -> str:
    if record.verdict.void is not None:
        return "void"
    if any(fault.seat != NOISY for fault in record.verdict.faults):
        return "the other one is blamed"
    kinds = {fault.kind for fault in record.verdict.faults}
    return "disqualified" if "strikes" in kinds else "late" if "late" in kinds else "played"


def charged(record: MatchRecord) -> Iterator[float]:
    """What each decision was charged, of what the bot has measured."""
    for _, _, decision in record.decisions():
        if decision.seat == NOISY and decision.note:
            yield decision.used_us / int(decision.note)


def row(how: str, threads: int, loops: int, count: int, sandbox: str) -> bool:
    """Play, and show what came of it. Whether that is as it should be."""
    with busy(loops):
        records = [play(how, threads, sandbox, seed) for seed in range(count)]
    fates = Counter(map(fate, records))
    good = fates["disqualified" if how == "silent" else "played"] == count
    words = [
        f"{how:6} {threads:3} threads {loops:3} busy loops:",
        ", ".join(f"{n} {word}" for word, n in fates.items()),
    ]
    if how == "think":
        whole = [_whole(record) for record in records]
        shares = sorted(share for record in records for share in charged(record))
        words.append(f"; charged {min(whole):.1%} to {max(whole):.1%} a match")
        words.append(f"({shares[0]:.1%} to {shares[-1]:.1%} a decision, median {median(shares):.1%})")
        good = good and 0.97 <= min(whole) <= max(whole) <= 1.03
    spared = sum(record.verdict.accounts[NOISY].spared_us for record in records) / 1e6
    words.append(f"; spared {spared:.1f} s" if spared else "")
    sys.stdout.write(" ".join(words) + ("" if good else "   NOT AS IT SHOULD BE") + "\n")
    sys.stdout.flush()
    return good


def _whole(record: MatchRecord) -> float:
    own = [d for _, _, d in record.decisions() if d.seat == NOISY and d.note]
    return sum(d.used_us for d in own) / sum(int(d.note or 0) for d in own)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--threads", type=int, nargs="+", default=[4, 12, 58])
    parser.add_argument("--loads", type=int, nargs="+", default=[0, 2], help="busy loops beside the bots")
    parser.add_argument("--rows", nargs="+", choices=CLOCKS, default=list(CLOCKS), help="measure only these")
    parser.add_argument("--overload", type=int, default=12, help="busy loops beside the honest bot")
    parser.add_argument("--sandbox", default="auto")
    given = parser.parse_args()
    results = [
        row(how, threads, loops, given.matches, given.sandbox)
        for loops in given.loads
        for threads in given.threads
        for how in ("silent", "think")
        if how in given.rows
    ]
    if "honest" in given.rows:
        results.append(row("honest", 0, given.overload, given.matches, given.sandbox))
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
