"""How fast a league is from end to end: sandbox, processes, referee, records and store, with bots in C and in Python.

Every kind of league is played several times, in turns, and the fastest counts: other work of the machine only slows
it down. The slowest is shown, too. One kind has as many Dask workers on this machine as there are local workers: what
it lacks is what Dask costs. With more workers than cores a league should be no slower.
"""

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena import running
from arena.bench.referee import compile_c
from arena.league import run as league
from arena.league.executor import Hire
from arena.league.kinds import RoundRobin
from arena.league.store import Store, open_store
from arena.league.tournament import Tournament
from arena.match.launch import usable_cpus
from arena.roster.entries import Entry, find
from engine.catalogue import game as find_game

GAME, SEATS = "draftosaurus", 5
ROUNDS = 4
BLOCKS = {"match": 16, "worker": 300}
"""How many blocks of five matches are played with fresh processes for each match, and with reused ones."""
PYTHON_BLOCKS = 4
"""The same with fresh bots in Python, which take ten times as long to start."""
MORE = (3, 4)
"""Workers on two cores."""
FRESH, REUSED = 15.0, 150.0
"""The budgets: matches per second on each core."""
FRESH_PYTHON = 9.0
"""The budget: matches per second of all workers."""
CROWDED = 0.9
"""The budget: the speed of more workers than cores, compared with one worker on each of two cores."""
CLUSTER = 0.85
"""The budget: a cluster's share of the speed of local workers, with new processes for each match."""
PYTHON_BOT = "greedy"
NOT_TWO = "it is measured on machines with two cores"
NO_DASK = "Dask is not installed: pip install 'dino-arena[cluster]'"


@dataclass(slots=True)
class Pace:
    """When matches ended."""

    ends: list[float] = field(default_factory=list)

    def watch(self, progress: league.Progress, _store: Store) -> None:
        if progress.new > len(self.ends):
            self.ends.append(time.monotonic())

    def rate(self, workers: int) -> float:
        """Matches per second after the first block of each worker: workers start only once, and a cluster reports the
        matches of a block together."""
        first = SEATS * workers
        return (len(self.ends) - first) / (self.ends[-1] - self.ends[first - 1])


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Matches per second with fresh and with reused processes, by one worker and by several."""
    if shutil.which("cc") is None:
        reason = "there is no C compiler, `cc`"
        return {"rows": [], "checks": list(_no_checks(reason))}
    with TemporaryDirectory() as folder:
        home = Path(folder, "bot")  # apart from the results, which no bot may see
        home.mkdir()
        for path in (Path(folder), home):
            path.chmod(0o755)  # an arena that is root gives its bots other user numbers
        bot = compile_c(home, "bot")
        has_dask = find_spec("distributed") is not None
        kinds = list(_kinds(len(usable_cpus()), has_dask))
        runs = [[_row(Path(folder, str(number)), bot, kind) for kind in kinds] for number in range(rounds)]
        found = dict(zip(kinds, (_fastest(same) for same in zip(*runs))))
    return {"rows": list(found.values()), "checks": list(_all_checks(found))}


@dataclass(frozen=True, slots=True)
class BenchKind:
    """One kind of league."""

    processes: str
    workers: int
    is_cluster: bool = False
    is_python: bool = False

    @property
    def name(self) -> str:
        return "-".join(map(str, (self.processes, self.workers, self.is_cluster, self.is_python)))


def _kinds(cores: int, has_dask: bool) -> Iterator[BenchKind]:
    counts = [1, 2, *MORE] if cores == 2 else [1, 2] if cores > 1 else [1]
    for processes in BLOCKS:
        yield from (BenchKind(processes, workers) for workers in counts)
    most = min(2, cores)
    yield BenchKind("match", most, is_python=True)
    if has_dask:
        yield BenchKind("match", most, is_cluster=True)


def _all_checks(found: Mapping[BenchKind, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The checks of all kinds that were measured."""
    rates = {kind: float(row["matches_per_s"]) for kind, row in found.items()}
    most = max(kind.workers for kind in rates if kind.is_python)
    best = {processes: rates[BenchKind(processes, most)] / most for processes in BLOCKS}
    yield from _checks(best)
    yield _check(
        "league.fresh_python_matches_per_s", "1/s", FRESH_PYTHON, rates[BenchKind("match", most, is_python=True)]
    )
    crowded = [
        rates[kind] / rates[BenchKind("worker", 2)] for count in MORE if (kind := BenchKind("worker", count)) in rates
    ]
    yield _check("league.crowded_share", "ratio", CROWDED, min(crowded, default=None), NOT_TWO)
    cluster = rates.get(BenchKind("match", most, is_cluster=True))
    share = cluster / most / best["match"] if cluster else None
    yield _check("league.cluster_share_of_local", "ratio", CLUSTER, share, NO_DASK)


def _no_checks(reason: str) -> Iterator[dict[str, Any]]:
    yield from _checks({}, reason)
    yield _check("league.fresh_python_matches_per_s", "1/s", FRESH_PYTHON, None, reason)
    yield _check("league.crowded_share", "ratio", CROWDED, None, reason)
    yield _check("league.cluster_share_of_local", "ratio", CLUSTER, None, reason)


def _fastest(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    ordered = sorted(runs, key=lambda run: float(run["matches_per_s"]))
    return {**ordered[-1], "slowest_per_s": ordered[0]["matches_per_s"]}


def _row(folder: Path, bot: Path, kind: BenchKind) -> dict[str, Any]:
    place, pace = folder / kind.name, Pace()
    manner = league.Manner(hire=_cluster(kind.workers) if kind.is_cluster else None)
    began = time.monotonic()
    running.run(lambda: league.run(_tournament(bot, kind), place, pace.watch, manner))
    took = time.monotonic() - began
    with open_store(place) as store:
        in_bots = sum(times["cpu_us"] for row in store.rows() for times in row.times) / 1e6
    return {
        "where": "cluster" if kind.is_cluster else "here",
        "bots": "Python" if kind.is_python else "C",
        "processes": kind.processes,
        "workers": kind.workers,
        "matches": len(pace.ends),
        "matches_per_s": round(pace.rate(kind.workers), 1),
        "with_start_per_s": round(len(pace.ends) / took, 1),
        "share_not_in_bots": round(1 - in_bots / (took * kind.workers), 3),
    }


def _cluster(workers: int) -> Hire:
    from arena.cluster.place import ClusterPlace
    from arena.cluster.workers import on_cluster  # needs Dask

    return on_cluster(ClusterPlace(local=workers), SEATS)


def _tournament(bot: Path, kind: BenchKind) -> Tournament:
    entries = (replace(find(PYTHON_BOT), name=f"p{number}") for number in range(SEATS))
    if not kind.is_python:
        entries = (Entry(f"c{number}", "1", (str(bot),), bot.parent) for number in range(SEATS))
    return Tournament(
        path=Path("bench"),
        name="bench",
        game=GAME,
        edition=find_game(GAME).edition,
        entries=tuple(entries),
        seats=(SEATS,),
        kind=RoundRobin(PYTHON_BLOCKS if kind.is_python else BLOCKS[kind.processes]),
        workers=kind.workers,
        processes=kind.processes,
    )


def _checks(per_core: Mapping[str, float], reason: str = "") -> Iterator[dict[str, Any]]:
    for name, processes, budget in (("fresh", "match", FRESH), ("reused", "worker", REUSED)):
        yield _check(f"league.{name}_matches_per_s_per_core", "1/s", budget, per_core.get(processes), reason, 1)


def _check(
    name: str, unit: str, budget: float, value: float | None, reason: str = "", digits: int = 3
) -> dict[str, Any]:
    check = {"name": name, "unit": unit, "budget": budget, "better": "higher"}
    if value is None:
        return {**check, "value": None, "ok": None, "reason": reason}
    return {**check, "value": round(value, digits), "ok": value >= budget}
