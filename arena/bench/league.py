"""How fast a league is from end to end: sandbox, processes, referee, records and store, with bots in C.

Every kind of league is played several times, in turns, and the fastest counts: other work of the machine only slows
it down. The slowest is shown, too. The last kind has as many Dask workers on this machine as there are local workers
in the one before it: what it lacks is what Dask costs.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
from arena.roster.entries import Entry
from engine.catalogue import game as find_game

GAME, SEATS = "draftosaurus", 5
ROUNDS = 4
BLOCKS = {"match": 16, "worker": 120}
"""How many blocks of five matches are played with fresh processes for each match, and with reused ones."""
FRESH, REUSED = 15.0, 150.0
"""The budgets: matches per second on each core."""
CLUSTER = 0.85
"""The budget: a cluster's share of the speed of local workers, with new processes for each match."""
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


def measure() -> dict[str, Any]:
    """Matches per second with fresh and with reused processes, by one worker and by two."""
    if shutil.which("cc") is None:
        reason = "there is no C compiler, `cc`"
        return {"rows": [], "checks": [*_checks({}, reason), _cluster_check(None, reason)]}
    with TemporaryDirectory() as folder:
        home = Path(folder, "bot")  # apart from the results, which no bot may see
        home.mkdir()
        for path in (Path(folder), home):
            path.chmod(0o755)  # an arena that is root gives its bots other user numbers
        bot = compile_c(home, "bot")
        cores = len(usable_cpus())
        counts = [1, 2] if cores > 1 else [1]
        kinds = [(processes, workers, False) for processes in BLOCKS for workers in counts]
        if has_dask := find_spec("distributed") is not None:
            kinds.append(("match", counts[-1], True))
        rounds = [[_row(Path(folder, str(number)), bot, *kind) for kind in kinds] for number in range(ROUNDS)]
        rows = [_fastest(runs) for runs in zip(*rounds)]
    here = [row for row in rows if row["where"] == "here"]
    best = {row["processes"]: row["matches_per_s"] / row["workers"] for row in here}  # of the most workers
    share = rows[-1]["matches_per_s"] / rows[-1]["workers"] / best["match"] if has_dask else None
    return {"rows": rows, "checks": [*_checks(best), _cluster_check(share)]}


def _fastest(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    ordered = sorted(runs, key=lambda run: float(run["matches_per_s"]))
    return {**ordered[-1], "slowest_per_s": ordered[0]["matches_per_s"]}


def _row(folder: Path, bot: Path, processes: str, workers: int, is_cluster: bool) -> dict[str, Any]:
    place, pace = folder / f"{processes}-{workers}-{is_cluster}", Pace()
    manner = league.Manner(hire=_cluster(workers) if is_cluster else None)
    began = time.monotonic()
    running.run(lambda: league.run(_tournament(bot, processes, workers), place, pace.watch, manner))
    took = time.monotonic() - began
    with open_store(place) as store:
        in_bots = sum(times["cpu_us"] for row in store.rows() for times in row.times) / 1e6
    return {
        "where": "cluster" if is_cluster else "here",
        "processes": processes,
        "workers": workers,
        "matches": len(pace.ends),
        "matches_per_s": round(pace.rate(workers), 1),
        "with_start_per_s": round(len(pace.ends) / took, 1),
        "share_not_in_bots": round(1 - in_bots / (took * workers), 3),
    }


def _cluster(workers: int) -> Hire:
    from arena.cluster.place import ClusterPlace
    from arena.cluster.workers import on_cluster  # needs Dask

    return on_cluster(ClusterPlace(local=workers), SEATS)


def _tournament(bot: Path, processes: str, workers: int) -> Tournament:
    entries = tuple(Entry(f"c{number}", "1", (str(bot),), bot.parent) for number in range(SEATS))
    return Tournament(
        path=Path("bench"),
        name="bench",
        game=GAME,
        edition=find_game(GAME).edition,
        entries=entries,
        seats=(SEATS,),
        kind=RoundRobin(BLOCKS[processes]),
        workers=workers,
        processes=processes,
    )


def _cluster_check(share: float | None, reason: str = NO_DASK) -> dict[str, Any]:
    check = {"name": "league.cluster_share_of_local", "unit": "ratio", "budget": CLUSTER, "better": "higher"}
    if share is None:
        return {**check, "value": None, "ok": None, "reason": reason}
    return {**check, "value": round(share, 3), "ok": share >= CLUSTER}


def _checks(per_core: dict[str, float], reason: str = "") -> Iterator[dict[str, Any]]:
    for name, processes, budget in (("fresh", "match", FRESH), ("reused", "worker", REUSED)):
        check = {
            "name": f"league.{name}_matches_per_s_per_core", "unit": "1/s", "budget": budget, "better": "higher",
        }  # fmt: skip
        value = per_core.get(processes)
        if value is None:
            yield {**check, "value": None, "ok": None, "reason": reason}
        else:
            yield {**check, "value": round(value, 1), "ok": value >= budget}
