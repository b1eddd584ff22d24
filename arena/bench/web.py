"""How fast the site is with 100,000 results, and what a replay of 300 steps weighs and how soon a browser shows it.

The server is a process of its own, as users start it, and is asked over real connections. Every page is asked for when
it has to be made, and again when it is kept. Times are those of the client, so they include everything.
"""

import http.client
import os
import random
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from arena.bench.million import write_league
from arena.bench.replay import replay_checks
from arena.errors import ArenaError
from arena.league.store import read_store
from arena.version import RUN_OURS

RESULTS, BOTS = 100_000, 20
P99_MS, PER_S = 200.0, 100.0
"""The budgets: of the slowest kind of page, and of pages that are kept."""
SAMPLES = 150
"""Pages of each kind."""
WAIT_S = 600.0
"""How long a server may take to read the league."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Pages of one kind: how long each took, in seconds, and the bytes of the largest."""

    kind: str
    times: Sequence[float]
    size: int

    @property
    def p99_ms(self) -> float:
        ordered = sorted(self.times)
        return 1e3 * ordered[max(0, -(-99 * len(ordered) // 100) - 1)]

    @property
    def per_s(self) -> float:
        return len(self.times) / sum(self.times)

    def row(self) -> dict[str, Any]:
        return {
            "pages": self.kind,
            "requests": len(self.times),
            "pages_per_s": round(self.per_s),
            "median_ms": round(1e3 * statistics.median(self.times), 1),
            "p99_ms": round(self.p99_ms, 1),
            "largest_kb": round(self.size / 1e3),
        }


def measure(results: int = RESULTS, bots: int = BOTS) -> dict[str, Any]:
    """Pages per second and p99 of every kind of page, made and kept; bytes and first frame of a replay."""
    with TemporaryDirectory() as name:
        league = write_league(Path(name), results, bots).parent / "leagues" / "million"
        addresses = pages_of(league)
        began = time.monotonic()
        with running_site(league) as address:
            connection = connected(address)
            wait_for(connection, "/million/")
            read_s = time.monotonic() - began
            made = [asked(connection, f"{kind}, made", each) for kind, each in addresses.items()]
            kept = [asked(connection, f"{kind}, kept", each) for kind, each in addresses.items()]
            connection.close()
    first = {"pages": "read the league", "requests": 1, "seconds": round(read_s, 1)}
    rows = [first, *(one.row() for one in (*made, *kept))]
    return {"rows": rows, "checks": [*checks(made, kept), *replay_checks()]}


def checks(made: Sequence[Asked], kept: Sequence[Asked]) -> Iterator[dict[str, Any]]:
    p99 = max(one.p99_ms for one in (*made, *kept))
    rate = min(one.per_s for one in kept)
    for name, unit, value, budget, better in (
        ("web.page_p99_ms", "ms", p99, P99_MS, "lower"),
        ("web.kept_pages_per_s", "1/s", rate, PER_S, "higher"),
    ):
        is_ok = value <= budget if better == "lower" else value >= budget
        yield {"name": name, "unit": unit, "budget": budget, "better": better, "value": round(value, 1), "ok": is_ok}


def pages_of(league: Path) -> dict[str, list[str]]:
    """Addresses by kind of page, always the same ones."""
    dice = random.Random(1)
    with read_store(league) as store:
        names = list(store.settings()["order"])
        ids = [match for _, match in zip(range(SAMPLES), (row.match for row in store.rows()))]
        count = store.count()
    pairs = [tuple(dice.sample(names, 2)) for _ in range(SAMPLES)]
    last = max(2, count // 50)
    filters = [
        *(f"bot={bot}&against={other}" for bot, other in pairs[: SAMPLES // 3]),
        *(f"bot={bot}&against={other}&result=won" for bot, other in pairs[: SAMPLES // 3]),
        *(f"bot={bot}&faults=1" for bot in names),
    ]
    base = "/million"
    return {
        "standings": [f"{base}/index.html"],
        "figures": [f"{base}/figures.html"],
        "bots": [f"{base}/bots/{bot}.html" for bot in names],
        "pairs": [f"{base}/pairs/{bot}/{other}.html" for bot, other in pairs],
        "lists of matches": [f"{base}/matches/page-{dice.randint(2, last)}.html" for _ in range(SAMPLES)],
        "filtered lists": [f"{base}/matches/index.html?{query}" for query in filters],
        "matches": [f"{base}/matches/{match}.html" for match in ids],
        "JSON": [f"/api/leagues/million/{name}.json" for name in ("status", "standings", "bots", "matches")],
    }


# The server


@contextmanager
def running_site(league: Path) -> Iterator[str]:
    """The address of a server that shows this league. It ends with the block."""
    command = [*RUN_OURS, "arena", "serve", str(league), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise ArenaError("arena serve did not start")
        yield address
    finally:
        os.kill(process.pid, signal.SIGTERM)
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()


def connected(address: str) -> http.client.HTTPConnection:
    found = urlsplit(address)
    return http.client.HTTPConnection(str(found.hostname), found.port, timeout=60)


def wait_for(connection: http.client.HTTPConnection, address: str) -> None:
    """Until the league is read."""
    ends = time.monotonic() + WAIT_S
    while (status := fetched(connection, address)[0]) != 200:
        if status != 503 or time.monotonic() > ends:
            raise ArenaError(f"{address}: the server answers {status}")
        time.sleep(0.2)


def fetched(connection: http.client.HTTPConnection, address: str) -> tuple[int, bytes]:
    connection.request("GET", address)
    answer = connection.getresponse()
    return answer.status, answer.read()


def asked(connection: http.client.HTTPConnection, kind: str, addresses: Sequence[str]) -> Asked:
    times, size = list[float](), 0
    for address in addresses:
        began = time.perf_counter()
        status, text = fetched(connection, address)
        times.append(time.perf_counter() - began)
        size = max(size, len(text))
        if status != 200:
            raise ArenaError(f"{address}: the server answers {status}: {text[:200]!r}")
    return Asked(kind, times, size)
