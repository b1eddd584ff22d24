"""What viewers of the site cost a league that runs: 200 who only watch, and 50 requests a second.

    python -m benchmarks.viewers [PAIRS] [SECONDS]

A league of built-in bots runs all the time, with `arena serve` and its viewers beside it. Site and viewers are stopped
(SIGSTOP) and continued in turns, so that each phase without them is compared with its neighbour with them: the speed of
the machine changes by more in a minute than viewers cost. The rate of a phase is that of new results in the store; the
loss is that over all phases, with its standard error from the pairs. Viewers run in a process of their own with the
lowest priority, because real ones are elsewhere: what they need themselves must not count. The CPU time of the site is
shown as well, as a share of all cores: of a league that keeps all cores busy, viewers cannot cost more.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import stdev
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from arena.bench.web import connected, wait_for
from arena.league.store import read_store

PAIRS, SECONDS = 60, 5.0
"""Of phases with and without viewers, and how long each phase is."""
IDLE, PER_S = 200, 50
WARM_UP_S = 5.0
LEAGUE = """name = "watched"
bots = ["greedy", "random", {{ bot = "random", name = "random-2" }}, {{ bot = "greedy", name = "greedy-2" }}]
sandbox = "none"
processes = "worker"
exam = false
[schedule]
seats = [2]
blocks = {}
"""
ANSWERED: list[bytes] = []
PATHS = ("/watched/", "/watched/bots/greedy.html", "/watched/matches/index.html", "/watched/pairs/greedy/random.html",
         "/watched/figures.html", "/api/leagues/watched/standings.json")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rates:
    """Results a second of two neighbouring phases."""

    alone: float
    watched: float

    @property
    def lost(self) -> float:
        return 1 - self.watched / self.alone


# Viewers


async def watch(host: str, port: int) -> None:
    """A page that is open and only listens. Browsers then fetch the page again, at most every four seconds; here the
    requests of `ask` stand for that."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET /watched/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    while await reader.readline():
        pass
    writer.close()


async def ask(host: str, port: int, at: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    path = PATHS[at % len(PATHS)]
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    ANSWERED.append(await reader.read())
    writer.close()


async def visit(address: str, seconds: float) -> None:
    """All viewers, for some seconds."""
    found = urlsplit(address)
    host, port = str(found.hostname), int(found.port or 80)
    async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
        for _ in range(IDLE):
            group.create_task(watch(host, port))
        for at in range(10**9):
            group.create_task(ask(host, port, at))
            await asyncio.sleep(1 / PER_S)


def view(address: str, seconds: float) -> None:
    """All viewers, in a process that disturbs others as little as can be; prints how many requests were answered."""
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    with suppress(TimeoutError):
        asyncio.run(visit(address, seconds))
    say(str(len(ANSWERED)))


# The league, and its site


@contextmanager
def started(*words: str, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, *words]
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate()


def played(folder: Path) -> int:
    with read_store(folder) as store:
        return len(store.arrivals())


def cpu_s(process: "subprocess.Popen[str]") -> float:
    """The CPU seconds that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def phase(folder: Path, shown: Sequence["subprocess.Popen[str]"], seconds: float, word: signal.Signals) -> float:
    """New results a second after these processes were stopped or continued."""
    for process in shown:
        process.send_signal(word)
    before, began = played(folder), time.monotonic()
    time.sleep(seconds)
    return (played(folder) - before) / (time.monotonic() - began)


def compare(folder: Path, shown: Sequence["subprocess.Popen[str]"], pairs: int, seconds: float) -> Iterator[Rates]:
    """The rates without and with viewers, of phases that follow each other, in either order by turns."""
    words = (signal.SIGSTOP, signal.SIGCONT)
    for number in range(pairs):
        rates = {word: phase(folder, shown, seconds, word) for word in words[:: 1 - 2 * (number % 2)]}
        found = Rates(rates[signal.SIGSTOP], rates[signal.SIGCONT])
        say(f"{found.alone:7.1f}/s alone, {found.watched:7.1f}/s with viewers: {found.lost:+.1%} lost")
        yield found


def summary(found: Sequence[Rates]) -> str:
    lost = 1 - sum(one.watched for one in found) / sum(one.alone for one in found)
    error = stdev(one.lost for one in found) / sqrt(len(found))
    return f"{len(found)} pairs: {lost:+.1%} ± {error:.1%} lost"


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 it is a program


def main(pairs: int = PAIRS, seconds: float = SECONDS) -> None:
    length = WARM_UP_S + 2 * pairs * seconds
    with TemporaryDirectory() as name:
        home, folder = Path(name), Path(name) / "leagues" / "watched"
        (home / "watched.toml").write_text(LEAGUE.format(10**6))
        with (
            started("-m", "arena", "league", "run", "watched.toml", cwd=home),
            started("-m", "arena", "serve", "--port", "0", cwd=home) as site,
        ):
            address = site.stdout.readline().strip()
            while not folder.is_dir():
                time.sleep(0.2)
            time.sleep(WARM_UP_S)
            wait_for(connected(address), "/watched/")
            with started("-m", "benchmarks.viewers", "view", address, str(length), cwd=Path.cwd()) as viewers:
                time.sleep(WARM_UP_S)
                before = cpu_s(site)
                found = list(compare(folder, (viewers, site), pairs, seconds))
                share = (cpu_s(site) - before) / (pairs * seconds) / (os.cpu_count() or 1)
                site.send_signal(signal.SIGCONT)
                viewers.send_signal(signal.SIGCONT)
                answered, _ = viewers.communicate()
    say(f"{IDLE} viewers, {int(answered) / (length - pairs * seconds):.0f} of {PER_S} requests/s answered")
    say(f"{summary(found)}; the site used {share:.1%} of all cores while it ran")


if __name__ == "__main__":
    if sys.argv[1:2] == ["view"]:
        view(sys.argv[2], float(sys.argv[3]))
    else:
        main(*(kind(word) for kind, word in zip((int, float), sys.argv[1:])))
