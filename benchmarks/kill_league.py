"""Whether a league survives kills: one is left alone, one is killed many times, and their results must be equal.

Deterministic bots play a small league twice. The second time a process is killed with SIGKILL at random moments: the
runner, a worker, the process that starts a worker's bots, or all at once, as in a power cut. Each time the same command
resumes the league, until it is complete. Then every match must have exactly one result and the same course, the
standings must be equal byte for byte, every record must verify, no partly written file may be left, and no process may
be left: this program adopts every process that outlives its parents, so that none can hide. Deals are shared: with
fresh ones a match that loses its worker is dealt again, and could not be compared.

    python benchmarks/kill_league.py                          # 50 kills, some minutes
    python benchmarks/kill_league.py --kills 5 --blocks 10 --seed 7
"""

import argparse
import ctypes
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.errors import ArenaError
from arena.league.kinds import IN_FILES, KINDS
from arena.league.store import COLUMNS, FILE, Row, open_store
from arena.league.wire import RECORDS, record_path
from arena.league.worker import match_message
from arena.match.record_file import load
from arena.replay.verify import verify

ROOT = Path(__file__).parents[1]
PR_SET_CHILD_SUBREAPER = 36
EARLY_S = 1.5
"""An early kill comes within this time of a start: during imports, the lock, the store, the first workers."""
LATE_S = 0.2
"""Any other kill comes within this time after the match that it waits for."""
PATIENCE_S = 20.0
"""How long orphaned processes may take to exit."""
MOST_RUNS = 20
"""Most undisturbed runs in a row until the league is complete."""

BOT = """\
import json
import sys

share = float(sys.argv[1])
hello = {"type": "hello", "protocol": 1, "name": "share", "version": "1", "games": ["draftosaurus"]}
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        action = message["legal"][int(share * (len(message["legal"]) - 1))]
        print(json.dumps({"type": "move", "id": message["id"], "action": action}), flush=True)
    elif message["type"] == "bye":
        break
"""
SHARES = {"first": 0.0, "second": 0.3, "third": 0.7, "last": 1.0}
"""Which of the legal actions each bot plays."""


@dataclass
class Harm:
    """The kills, and the differences that were found."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    there: int = 0
    """Matches at the last kill."""
    in_time: int = 0
    """Kills that came while matches were missing."""
    attempts: int = 0
    differences: list[str] = field(default_factory=list)


# Processes


def adopt_orphans() -> None:
    """Make a process that loses its parent our child, instead of init's."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def parents() -> dict[int, int]:
    """The parent of each process that is running."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text()
            except OSError:
                continue  # it has just gone
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state not in "ZX":
                found[int(entry.name)] = int(parent)
    return found


def descendants(of: int) -> list[int]:
    """All processes below this one, from the top down."""
    known, found = parents(), [of]
    for above in found:
        found += [pid for pid, parent in known.items() if parent == above]
    return found[1:]


def children(of: int) -> list[int]:
    return [pid for pid, parent in parents().items() if parent == of]


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # it was quicker
            os.kill(pid, signal.SIGKILL)


def bury(runner: subprocess.Popen[bytes] | None = None) -> None:
    """Wait for adopted processes that have ended."""
    for path in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        if runner is None or int(path) != runner.pid:
            os.waitpid(int(path), os.WNOHANG)


def is_soon(what: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def check_nobody_is_left(harm: Harm, when: str) -> None:
    if not is_soon(lambda: not descendants(os.getpid())):
        left = descendants(os.getpid())
        harm.differences.append(f"{len(left)} processes are left {when}: {', '.join(map(command_of, left))}")
        kill(*left)
    bury()


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return str(pid)


# The league


def write_league(folder: Path, options: argparse.Namespace) -> Path:
    for name, share in SHARES.items():
        home = folder / name
        home.mkdir()
        (home / "bot.py").write_text(BOT)
        command = json.dumps(["{python}", "-I", "-S", "bot.py", str(share)])
        (home / "bot.toml").write_text(f'name = "{name}"\nversion = "1"\ncommand = {command}\n')
    path = folder / "killed.toml"
    path.write_text(
        f'name = "killed"\nbots = {json.dumps(list(SHARES))}\nseed = {options.seed}\nworkers = {options.workers}\n'
        f'sandbox = "{options.sandbox}"\nprocesses = "{options.processes}"\n'
        + ('deals = "shared"\n' if options.processes == "match" else "")
        + f'[schedule]\nkind = "{options.kind}"\nseats = [2]\n'
        + (f"blocks = {options.blocks}\n" if options.kind not in ("knock_out", "groups") else "")
        # No bot must lose on time, even on a busy machine.
        + "[clock]\nhello_ms = 600000\nprepare_ms = 600000\nbank_ms = 600000\n"
    )
    return path


def begin(path: Path, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "arena", "league", "run", str(path), "--folder", str(folder)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def finish(path: Path, folder: Path, harm: Harm) -> None:
    """Run it until no match is missing. A match that lost three workers is left out until the next run."""
    for _ in range(MOST_RUNS):
        runner = begin(path, folder)
        _, said = runner.communicate()
        harm.runs += 1
        if runner.returncode == 0:
            return
    harm.differences.append(f"it does not become complete; its final output: {said.decode(errors='replace').strip()}")


def count(folder: Path) -> int:
    """How many matches have a result, read while other processes write."""
    try:
        with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM result").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # there is no file yet, or no table


def disturb(path: Path, folder: Path, planned: int, kills: int, dice: random.Random, harm: Harm) -> None:
    """Run the league, and kill processes, at moments that are spread over all of it."""
    runner: subprocess.Popen[bytes] | None = None
    while (left := kills - sum(harm.kills.values())) and harm.runs < MOST_RUNS * kills:
        longest = LATE_S
        if runner is None:
            runner, longest = begin(path, folder), EARLY_S
            harm.runs += 1
        harm.there = count(folder)
        more = dice.randint(0, (planned - harm.there) // left)
        wait_for_moment(runner, folder, harm.there + more, dice.uniform(0, LATE_S if more else longest))
        victim = dice.choice(("runner", "runner", "worker", "worker", "spawner", "everybody"))
        if runner.poll() is None:
            harm.there = count(folder)
            harm.in_time += harm.there < planned
            strike(runner, victim, dice, harm)
        if victim in ("runner", "everybody") or runner.poll() is not None:
            runner.communicate()
            runner = None
            check_nobody_is_left(harm, f"after the kill of {victim}")
    if runner is not None:
        runner.communicate()
        check_nobody_is_left(harm, "after the last kill")


def wait_for_moment(runner: subprocess.Popen[bytes], folder: Path, matches: int, longer_s: float) -> None:
    """Wait until this many matches have a result, or the run is over, and then a little longer."""
    while runner.poll() is None and count(folder) < matches:
        time.sleep(0.01)
    end = time.monotonic() + longer_s
    while runner.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


def strike(runner: subprocess.Popen[bytes], victim: str, dice: random.Random, harm: Harm) -> None:
    workers = children(runner.pid)
    spawners = [pid for worker in workers for pid in children(worker)]
    chosen = {"worker": workers, "spawner": spawners}.get(victim)
    if victim == "everybody":
        kill(runner.pid, *descendants(runner.pid))
    elif victim == "runner" or not chosen:
        kill(runner.pid)
    else:
        kill(dice.choice(chosen))
    harm.kills[victim if chosen is None or chosen else f"{victim}, but there was none yet: the runner"] += 1


# What came of it


def rows_of(folder: Path) -> list[Row]:
    with open_store(folder) as store:
        return list(store.rows())


def standings(folder: Path) -> bytes:
    command = [sys.executable, "-m", "arena", "league", "standings", str(folder), "--json"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout


def compare(alone: Path, killed: Path, planned: int, dealt_again: Collection[str]) -> Iterator[str]:
    """The differences between the leagues, except in matches that had another deal."""
    expected, found = rows_of(alone), rows_of(killed)
    for which, rows in (("left alone", expected), ("killed", found)):
        if len(rows) != planned or len({row.match for row in rows}) != planned:
            yield f"the league that was {which} has {len(rows)} matches, {planned} were planned"
    others = {row.match: row for row in found}
    for row in expected:
        other = others.get(row.match)
        if other is None or (way(row) != way(other) and row.match not in dealt_again):
            yield f"match {row.match}: {way(row)} when left alone, {way(other) if other else 'missing'} when killed"
    if not dealt_again and standings(alone) != standings(killed):
        yield "the standings are not the same"
    for folder, rows in ((alone, expected), (killed, found)):
        for row in rows:
            yield from check_record(folder, row)
        kept = {record_path(folder / RECORDS, row.match) for row in rows}
        for path in sorted({*(folder / RECORDS).glob("*/*")} - kept):
            yield f"{path}: not a record of the league"
    with closing(sqlite3.connect(killed / FILE)) as connection:
        ((healthy,),) = connection.execute("PRAGMA integrity_check")
        if healthy != "ok":
            yield f"the file is damaged: {healthy}"


def way(row: Row) -> tuple[object, ...]:
    """A row without its times."""
    return tuple(getattr(row, name) for name in COLUMNS if name != "times")


def check_record(folder: Path, row: Row) -> Iterator[str]:
    path = record_path(folder / RECORDS, row.match)
    try:
        record = load(path)
        wrong = verify(record)
    except (OSError, ArenaError) as error:
        yield f"{path}: {error}"
        return
    if wrong is not None:
        yield f"{path}: {wrong}"
    elif match_message({"match": row.match}, record)["digest"] != row.digest:
        yield f"{path}: this is not the match that counts"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--blocks", type=int, default=100, help="of two matches")
    parser.add_argument(
        "--kind", default="round_robin", choices=[kind for kind in IN_FILES if not KINDS[kind].takes_challengers]
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--processes", default="match", choices=("match", "block", "worker"))
    parser.add_argument("--sandbox", default="none", choices=("auto", "full", "lite", "none"))
    parser.add_argument("--seed", type=int, default=1, help="of the league and of the moments")
    options = parser.parse_args()
    adopt_orphans()
    with TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # an arena that is root gives its bots other user numbers
        return trial(Path(name), options)


def trial(place: Path, options: argparse.Namespace) -> int:
    path, harm = write_league(place, options), Harm()
    alone, killed = place / "alone", place / "killed"
    began = time.monotonic()
    finish(path, alone, Harm())
    planned, calm_s = len(rows_of(alone)), time.monotonic() - began
    began = time.monotonic()
    disturb(path, killed, planned, options.kills, random.Random(options.seed), harm)
    finish(path, killed, harm)
    check_nobody_is_left(harm, "at the end")
    with open_store(killed) as store:
        harm.attempts = sum(map(len, store.attempts().values()))
        dealt_again = store.attempts().keys() if options.processes != "match" else ()
    harm.differences += compare(alone, killed, planned, dealt_again)
    victims = ", ".join(f"{victim} {number}" for victim, number in sorted(harm.kills.items()))
    sys.stdout.write(
        f"{planned} matches, {calm_s:.0f} s when left alone\n"
        f"{sum(harm.kills.values())} kills ({victims}) in {harm.runs} runs, {time.monotonic() - began:.0f} s; "
        f"{harm.in_time} while matches were missing; {harm.there} matches were played at the last one\n"
        f"{harm.attempts} attempts did not count\n"
    )
    for difference in harm.differences:
        sys.stdout.write(f"WRONG: {difference}\n")
    if not harm.differences:
        sys.stdout.write("every match has one result, standings are equal, all records verify, no process is left\n")
    return 1 if harm.differences else 0


if __name__ == "__main__":
    sys.exit(main())
