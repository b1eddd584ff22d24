"""What viewers of the site cost a league that runs: 200 who only watch, and 50 requests a second.

    python -m benchmarks.viewers [PHASES] [SECONDS]

A league of built-in bots runs all the time, and `arena serve` beside it. Phases with viewers and phases without them
take turns, so that a busy machine disturbs both alike. The rate of a phase is that of new results in the store; the
loss is the median over pairs of neighbouring phases. Viewers run in processes of their own with the lowest priority,
because real ones are elsewhere: what they need themselves must not count. The CPU time of the site is shown as well, as
a share of all cores: on a busy machine it says more than the rates do.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from arena.bench.web import connected, wait_for
from arena.league.store import read_store

PHASES, SECONDS = 6, 20.0
"""Pairs of phases, and how long each phase is."""
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


# The league


@contextmanager
def started(*words: str, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, *words]
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.communicate()


def played(folder: Path) -> int:
    with read_store(folder) as store:
        return len(store.arrivals())


def rate(folder: Path, seconds: float) -> float:
    """New results a second."""
    before, began = played(folder), time.monotonic()
    time.sleep(seconds)
    return (played(folder) - before) / (time.monotonic() - began)


def phase(folder: Path, address: str, seconds: float, has_viewers: bool) -> float:
    if not has_viewers:
        time.sleep(WARM_UP_S)
        return rate(folder, seconds)
    length = seconds + WARM_UP_S
    command = [sys.executable, "-m", "benchmarks.viewers", "view", address, str(length)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as viewers:
        time.sleep(WARM_UP_S)
        found = rate(folder, seconds)
        answered, _ = viewers.communicate()
    say(f"{int(answered) / length:.0f} requests/s were answered")
    return found


def cpu_s(process: "subprocess.Popen[str]") -> float:
    """The CPU seconds that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compare(folder: Path, site: "subprocess.Popen[str]", phases: int, seconds: float) -> Iterator[tuple[float, float]]:
    """For each pair of phases the share of the rate that is lost, and the site's share of all cores with viewers."""
    assert site.stdout is not None
    address = site.stdout.readline().strip()
    while not folder.is_dir():
        time.sleep(0.2)
    time.sleep(WARM_UP_S)
    wait_for(connected(address), "/watched/")
    for number in range(phases):
        rates, shares = dict[bool, float](), dict[bool, float]()
        for has_viewers in (False, True) if number % 2 else (True, False):
            before, began = cpu_s(site), time.monotonic()
            rates[has_viewers] = phase(folder, address, seconds, has_viewers)
            shares[has_viewers] = (cpu_s(site) - before) / (time.monotonic() - began) / (os.cpu_count() or 1)
        lost = 1 - rates[True] / rates[False]
        pace = f"{rates[False]:7.1f}/s alone, {rates[True]:7.1f}/s with viewers: {lost:+.1%} lost"
        say(f"{pace}; the site used {shares[True]:.1%} of all cores")
        yield lost, shares[True]


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 it is a program


def main(phases: int = PHASES, seconds: float = SECONDS) -> None:
    with TemporaryDirectory() as name:
        home = Path(name)
        (home / "watched.toml").write_text(LEAGUE.format(10**6))
        league = started("-m", "arena", "league", "run", "watched.toml", cwd=home)
        with league, started("-m", "arena", "serve", "--port", "0", cwd=home) as site:
            found = list(compare(home / "leagues" / "watched", site, phases, seconds))
    lost, share = (median(one) for one in zip(*found))
    say(f"median with {IDLE} viewers and {PER_S} requests/s: {lost:+.1%} lost; the site used {share:.1%} of all cores")


if __name__ == "__main__":
    if sys.argv[1:2] == ["view"]:
        view(sys.argv[2], float(sys.argv[3]))
    else:
        main(*(kind(word) for kind, word in zip((int, float), sys.argv[1:])))
