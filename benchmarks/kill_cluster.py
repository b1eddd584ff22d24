"""Whether a league on a Dask cluster survives kills: it must give what local workers give.

Deterministic bots play a league twice: by local workers, undisturbed, and by a Dask cluster on the loopback interface
whose parts are killed with SIGKILL at random moments: Dask workers, the nannies above them, and once the scheduler.
This program starts again what has ended, as systemd would; the runner is started again only if it ends. Then every
match must have exactly one result and the same course, the standings must be equal byte for byte, every record must
verify, and no process may be left (as in kill_league.py).

With --cut the two workers are machines of their own, in network namespaces that this program makes (it needs root), and
one of them is cut off from the network in mid-league, for longer than Dask waits, and then joins again.

    python benchmarks/kill_cluster.py                        # 2,000 matches, 20 kills
    python benchmarks/kill_cluster.py --blocks 50 --kills 5
    python benchmarks/kill_cluster.py --blocks 100 --cut
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.league.store import open_store
from benchmarks.kill_league import (
    Harm,
    adopt_orphans,
    bury,
    check_nobody_is_left,
    children,
    compare,
    count,
    finish,
    kill,
    rows_of,
    write_league,
)

ROOT = Path(__file__).parents[1]
MOST_RUNS = 20
LOOK_S = 0.02
HEAD, MACHINES = "arena-head", ("arena-one", "arena-two")
"""Network namespaces."""
NET = "10.213.7"
SOON = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s", "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20s"}
"""Dask notices sooner that a machine is cut off."""
Wrap = Callable[[list[str]], list[str]]


def as_it_is(command: list[str]) -> list[str]:
    return command


@dataclass
class Keeper:
    """Starts a part of the cluster, again whenever it has ended."""

    name: str
    command: list[str]
    folder: Path
    config: dict[str, str]
    starts: int = 0
    process: subprocess.Popen[bytes] | None = None

    def look(self) -> None:
        if self.process is None or self.process.poll() is not None:
            self.starts += 1
            with open(self.folder / f"{self.name}.log", "ab") as log:
                self.process = subprocess.Popen(
                    self.command,
                    cwd=ROOT,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    env={**os.environ, **self.config, "ARENA_CACHE": str(self.folder / "cache")},
                )


@dataclass
class Cluster:
    """A scheduler and two workers, and the runner that plays on them."""

    address: str
    parts: list[Keeper]
    runner: subprocess.Popen[bytes] | None = None
    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)

    def look(self) -> None:
        for part in self.parts:
            part.look()
        known = {part.process.pid for part in self.parts if part.process} | {self.runner.pid if self.runner else 0}
        bury_others(known)

    def end(self) -> None:
        for process in (self.runner, *(part.process for part in reversed(self.parts))):
            if process and process.poll() is None:
                process.kill()
                process.wait()


def bury_others(known: set[int]) -> None:
    """Wait for adopted processes that have ended, not for our own."""
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        if int(pid) not in known:
            os.waitpid(int(pid), os.WNOHANG)


def dask(program: str, *options: str) -> list[str]:
    return [sys.executable, "-m", f"distributed.cli.{program}", *options, "--no-dashboard"]


def cluster_in(folder: Path, wraps: list[Wrap], hosts: list[str], config: dict[str, str]) -> Cluster:
    port = free_port()
    address = f"tcp://{hosts[0]}:{port}"
    scheduler = wraps[0](dask("dask_scheduler", "--host", hosts[0], "--port", str(port)))
    parts = [Keeper("scheduler", scheduler, folder, config)]
    for number in (1, 2):
        options = ["--nthreads", "1", "--memory-limit", "0", "--local-directory", str(folder / f"scratch-{number}")]
        command = dask("dask_worker", address, "--host", hosts[number], *options)
        parts.append(Keeper(f"worker-{number}", wraps[number](command), folder, config))
    return Cluster(address, parts)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def begin(path: Path, folder: Path, address: str, wrap: Wrap) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "arena", "league", "run", str(path), "--folder", str(folder), "--cluster", address]
    return subprocess.Popen(
        wrap(command), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def disturb(path: Path, folder: Path, cluster: Cluster, wrap: Wrap, acts: dict[int, Callable[[], None]]) -> list[str]:
    """Run the league to its end. When this many matches have been played, the act for it happens."""
    try:
        return _disturb(path, folder, cluster, wrap, acts)
    finally:
        cluster.end()


def _disturb(path: Path, folder: Path, cluster: Cluster, wrap: Wrap, acts: dict[int, Callable[[], None]]) -> list[str]:
    said: list[str] = []
    waiting = sorted(acts)
    while cluster.runs < MOST_RUNS:
        runner = cluster.runner = begin(path, folder, cluster.address, wrap)
        cluster.runs += 1
        while runner.poll() is None:
            cluster.look()
            if waiting and count(folder) >= waiting[0]:
                acts[waiting.pop(0)]()
            time.sleep(LOOK_S)
        said.append(runner.communicate()[1].decode(errors="replace"))
        if runner.returncode == 0:
            break
        sys.stderr.write(f"the runner ended with {runner.returncode}: {said[-1][-600:]}\n")
    return said


def strike(cluster: Cluster, victim: str, dice: random.Random) -> Callable[[], None]:
    def act() -> None:
        parts = {"scheduler": cluster.parts[:1]}.get(victim, cluster.parts[1:])
        part = dice.choice(parts).process
        assert part is not None
        pids = children(part.pid) if victim == "worker" else [part.pid]
        kill(*(pid for pid in pids if "spawn_main" in command(pid) or victim != "worker"))
        cluster.kills[victim] += 1

    return act


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


# Machines of their own


def run_ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def make_machines() -> None:
    """A namespace for the runner and the scheduler, with a bridge, and one for each machine."""
    for name in (HEAD, *MACHINES):
        run_ip("netns", "add", name)
        run_ip("-n", name, "link", "set", "lo", "up")
    run_ip("-n", HEAD, "link", "add", "br0", "type", "bridge")
    run_ip("-n", HEAD, "addr", "add", f"{NET}.1/24", "dev", "br0")
    run_ip("-n", HEAD, "link", "set", "br0", "up")
    for number, name in enumerate(MACHINES, 2):
        run_ip("-n", HEAD, "link", "add", f"to-{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run_ip("-n", HEAD, "link", "set", f"to-{number}", "master", "br0", "up")
        run_ip("-n", name, "addr", "add", f"{NET}.{number}/24", "dev", "eth0")
        run_ip("-n", name, "link", "set", "eth0", "up")


def remove_machines() -> None:
    for name in (HEAD, *MACHINES):
        subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)


def inside(name: str) -> Wrap:
    return lambda words: ["ip", "netns", "exec", name, *words]


def cut_off(cluster: Cluster) -> tuple[Callable[[], None], Callable[[], None]]:
    def cut() -> None:
        run_ip("-n", HEAD, "link", "set", "to-3", "down")
        cluster.kills["network of a machine"] += 1

    return cut, lambda: run_ip("-n", HEAD, "link", "set", "to-3", "up")


# What came of it


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=1000, help="of two matches")
    parser.add_argument("--kills", type=int, default=20, help="of workers and nannies")
    parser.add_argument("--cut", action="store_true", help="cut off a machine instead")
    parser.add_argument("--workers", type=int, default=2, help="of the local run")
    parser.add_argument("--sandbox", default="none", choices=("auto", "full", "lite", "none"))
    parser.add_argument("--seed", type=int, default=1, help="of the league and of the moments")
    options = parser.parse_args()
    options.kind, options.processes = "round_robin", "match"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    adopt_orphans()
    with TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # an arena that is root gives its bots other user numbers
        if not options.cut:
            return trial(Path(name), options)
        try:
            make_machines()
            return trial(Path(name), options)
        finally:
            remove_machines()


def trial(place: Path, options: argparse.Namespace) -> int:
    path, harm = write_league(place, options), Harm()
    alone, killed = place / "alone", place / "killed"
    began = time.monotonic()
    finish(path, alone, Harm())
    planned, calm_s = len(rows_of(alone)), time.monotonic() - began
    began = time.monotonic()
    cluster, said = (cut if options.cut else killing)(path, place, killed, planned, options)
    check_nobody_is_left(harm, "at the end")
    bury()
    with open_store(killed) as store:
        harm.attempts = sum(map(len, store.attempts().values()))
    harm.differences += compare(alone, killed, planned, ())
    if any("Traceback" in words for words in said):
        harm.differences.append(f"the runner wrote a traceback: {said}")
    starts = ", ".join(f"{part.name} {part.starts}" for part in cluster.parts)
    kills = ", ".join(f"{victim} {number}" for victim, number in sorted(cluster.kills.items()))
    sys.stdout.write(
        f"{planned} matches, {calm_s:.0f} s by local workers, {time.monotonic() - began:.0f} s by the cluster\n"
        f"killed: {kills}; started: {starts}, runner {cluster.runs}; {harm.attempts} attempts did not count\n"
    )
    for difference in harm.differences:
        sys.stdout.write(f"WRONG: {difference}\n")
    if not harm.differences:
        sys.stdout.write("every match has one result, standings are equal, all records verify, no process is left\n")
    return 1 if harm.differences else 0


def killing(
    path: Path, place: Path, folder: Path, planned: int, options: argparse.Namespace
) -> tuple[Cluster, list[str]]:
    dice = random.Random(options.seed)
    cluster = cluster_in(place, [as_it_is] * 3, ["127.0.0.1"] * 3, {})
    moments = dice.sample(range(1, planned * 9 // 10), options.kills + 1)
    victims = ["scheduler", *(dice.choice(("worker", "worker", "nanny")) for _ in range(options.kills))]
    acts = {moment: strike(cluster, victim, dice) for moment, victim in zip(moments, victims)}
    return cluster, disturb(path, folder, cluster, as_it_is, acts)


def cut(path: Path, place: Path, folder: Path, planned: int, _options: argparse.Namespace) -> tuple[Cluster, list[str]]:
    names = [HEAD, *MACHINES]
    cluster = cluster_in(place, list(map(inside, names)), [f"{NET}.{number}" for number in (1, 2, 3)], SOON)
    off, on = cut_off(cluster)
    acts = {planned // 4: off, planned * 3 // 4: on}
    return cluster, disturb(path, folder, cluster, inside(HEAD), acts)


if __name__ == "__main__":
    sys.exit(main())
