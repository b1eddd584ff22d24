"""What a league of a million results of a thousand bots takes: memory to export and report it, and time to resume it.

The results are drawn, not played: each bot has a hidden strength, and a score is strength and luck. They are as large
as real ones, and always the same. Every command is a process of its own, and its memory is the most that it ever had.
"""

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.league.admission import version_of
from arena.league.beginning import settle
from arena.league.deals import begun
from arena.league.lineup import RosterChange
from arena.league.schedule import Fixture
from arena.league.share import whole_plan
from arena.league.store import COLUMNS, FILE, open_store
from arena.league.tournament import Tournament, read_tournament
from arena.version import RUN_OURS

RESULTS, BOTS, SEATS = 1_000_000, 1_000, 4
RSS_MB, RESUME_S = 300.0, 20.0
"""The budgets."""
ZONES = ("FS", "WT", "PL", "KJ", "MD", "SI", "RV")
LUCK = 1 << 16


# Results that were never played


@dataclass(frozen=True, slots=True)
class Drawn:
    """Results of the plan of a league."""

    tournament: Tournament
    results: int
    numbers: Mapping[str, int]
    """By bot; a higher one is stronger."""
    luck: Sequence[int]

    @classmethod
    def of(cls, tournament: Tournament, results: int) -> "Drawn":
        dice = random.Random(1)
        luck = [round(dice.gauss(0, 9)) for _ in range(LUCK)]
        return cls(tournament, results, {bot: number for number, bot in enumerate(tournament.bots)}, luck)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The columns of all results. Ids follow the plan, blocks do not."""
        step = 16**24 // self.results
        for at, fixture in enumerate(islice(whole_plan(self.tournament), self.results)):
            yield self._row(f"{at * step:024x}", at, fixture)

    def _row(self, match: str, at: int, fixture: Fixture) -> tuple[Any, ...]:
        assert self.tournament.lineup is not None
        seated, keys = [self.numbers[bot] for bot in fixture.bots], self.tournament.lineup.keys
        lots = [self.luck[(at * SEATS + seat) * 40_503 % LUCK] for seat in range(SEATS)]
        scores = [max(0, 30 + bot * 20 // len(self.numbers) + luck) for bot, luck in zip(seated, lots)]
        ranks = [1 + sum(other > score for other in scores) for score in scores]
        zones = [dict(zip(ZONES, (score // 7, score // 5, score // 6, score // 8, 3, 2, 1))) for score in scores]
        times = [_times(bot, luck) for bot, luck in zip(seated, lots)]
        faults = [{"kind": "late", "seat": at % SEATS, "decision": 7, "text": "no answer within 100 ms"}]
        lists = (fixture.bots, ranks, scores, zones, faults if at % 97 == 0 else [], times)
        texts = [json.dumps(one, separators=(",", ":")) for one in lists]
        versions = json.dumps([keys[bot] for bot in fixture.bots], separators=(",", ":"))
        place = (match, fixture.index, fixture.block, fixture.rotation, str(at * 2_654_435_761))
        return (*place, *texts, 60, f"{at * 40_503:016x}", versions, 0, "")


def _times(bot: int, luck: int) -> dict[str, int]:
    most = 200 + 7 * bot + 5 * (luck + 60)
    return {"decisions": 30, "total_us": 9 * most, "p99_us": most, "most_us": most, "cpu_us": 8 * most}


def write_league(home: Path, results: int, bots: int) -> Path:
    """A tournament file whose league has these results already. Returns its path."""
    names = [f"bot-{number:04}" for number in range(bots)]
    entries = "".join(f'    {{ bot = "random", name = "{name}" }},\n' for name in names)
    home.mkdir(parents=True, exist_ok=True)
    file = home / "million.toml"
    schedule = f"[schedule]\nseats = [{SEATS}]\nblocks = {results // SEATS}\n"
    file.write_text(f'name = "million"\nseed = 1\nsandbox = "none"\nbots = [\n{entries}]\n{schedule}')
    write_store(home / "leagues" / "million", read_tournament(file), results)
    return file


def write_store(folder: Path, tournament: Tournament, results: int) -> None:
    with open_store(folder, create=True) as store:
        tournament = begun(tournament, {})
        versions = [version_of(entry, "random") for entry in tournament.entries]
        store.enlist(versions, [RosterChange(0, "2026-01-01T00:00:00Z", one.name, one.key) for one in versions])
        tournament = replace(tournament, lineup=store.lineup())
        settle(store, tournament, results)
        store.settle({"ended": True})
        _insert(folder / FILE, Drawn.of(tournament, results).rows())


def _insert(path: Path, rows: Iterator[tuple[Any, ...]]) -> None:
    """All at once, and without the checks of results that come from a match."""
    query = f"INSERT INTO result({', '.join(COLUMNS)}) VALUES({', '.join('?' * len(COLUMNS))})"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(query, rows)


# Measuring


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process took, from start to end."""

    code: int
    seconds: float
    cpu_s: float
    rss_mb: float
    said: str
    """The last line of its stderr."""


WATCHER = """\
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""
"""A small process that starts the command: the memory of a new process counts from that of the one that starts it."""


def spent(home: Path, *words: str) -> Spent:
    """Run a command of the arena to its end."""
    began = time.monotonic()
    command = [sys.executable, "-S", "-c", WATCHER, *RUN_OURS, "arena", *words]
    ended = subprocess.run(command, cwd=home, capture_output=True, text=True, errors="replace")
    code, cpu, rss = json.loads(ended.stdout)
    return Spent(code, time.monotonic() - began, cpu, rss, ended.stderr.strip().rpartition("\n")[2])


def measure(results: int = RESULTS, bots: int = BOTS) -> dict[str, Any]:
    """Memory and time of each command on one league."""
    with TemporaryDirectory() as name:
        home = Path(name)
        began = time.process_time()
        file = str(write_league(home, results, bots))
        made = round(time.process_time() - began, 1)
        size = (home / "leagues" / "million" / FILE).stat().st_size
        commands = {
            "status": ("status", file),
            "export": ("export", file, "-o", "results.csv"),
            "report": ("report", file),
            "resume": ("run", file, "--dry-run"),
        }
        found = {what: spent(home, "league", *words) for what, words in commands.items()}
        report = home / "leagues" / "million" / "report.html"
        page = report.stat().st_size if report.exists() else 0
    league = {"results": results, "bots": bots, "store_mb": round(size / 1e6), "page_mb": round(page / 1e6, 1)}
    rows = [{"command": "make it up", "cpu_s": made, **league}, *(_row(*one) for one in found.items())]
    return {"rows": rows, "checks": list(_checks(found))}


def _row(what: str, took: Spent) -> dict[str, Any]:
    numbers = {"cpu_s": round(took.cpu_s, 1), "seconds": round(took.seconds, 1), "rss_mb": round(took.rss_mb)}
    return {"command": what, **numbers, "failed": took.said if took.code else ""}


def _checks(found: dict[str, Spent]) -> Iterator[dict[str, Any]]:
    for name, what, unit, budget in (
        ("export_rss_mb", "export", "MB", RSS_MB),
        ("report_rss_mb", "report", "MB", RSS_MB),
        ("resume_s", "resume", "s", RESUME_S),
    ):
        check = {"name": f"league.million_{name}", "unit": unit, "budget": budget, "better": "lower"}
        took = found[what]
        value = round(took.rss_mb if unit == "MB" else took.seconds, 1)
        if took.code:
            yield {**check, "value": None, "ok": None, "reason": took.said or f"exit code {took.code}"}
        else:
            yield {**check, "value": value, "ok": value <= budget}
