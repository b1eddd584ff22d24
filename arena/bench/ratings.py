"""How long ratings take with a thousand bots: the standings of 100,000 results, their parts, and a plan.

The results are drawn as those of `arena bench league --million`, and are always the same. The command is a process of
its own, as users start it. Its parts are measured in this process, and compared with the time to read the results.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from arena.bench.million import Spent, spent, write_league
from arena.league import schedule, standings
from arena.league.deals import begun
from arena.league.fit import fit
from arena.league.outcomes import Outcomes
from arena.league.results import ResultsSoFar, outcomes_of
from arena.league.share import whole_plan
from arena.league.store import Store, read_store
from arena.league.tournament import Tournament, read_tournament

T = TypeVar("T")

RESULTS, BOTS, SEATS = 100_000, 1_000, 4
THOUSAND_BOTS_S = 30.0
"""The budget."""
GROWTH = 8
"""A league looks at its standings again when there are an eighth more results."""
PLANNED = 2_000
"""Matches of a plan that are timed."""


def measure(results: int = RESULTS, bots: int = BOTS) -> dict[str, Any]:
    """Seconds and memory of standings, of looks while a league is played, and microseconds for a match of a plan."""
    with TemporaryDirectory() as name:
        file = write_league(Path(name), results, bots)
        whole = spent(file.parent, "league", "standings", str(file), "--json")
        with read_store(file.parent / "leagues" / "million") as store:
            tournament = replace(begun(read_tournament(file), store.settings()), lineup=store.lineup())
            parts = [*_parts(store), *_plans(tournament)]
    command = {"what": "standings, the whole command", "results": results, "cpu_s": round(whole.cpu_s, 2)}
    size = {"seconds": round(whole.seconds, 1), "rss_mb": round(whole.rss_mb)}
    return {"rows": [{**command, **size}, *parts], "checks": [_check(whole)]}


def _parts(store: Store) -> Iterator[dict[str, Any]]:
    """What standings are made of, and the looks of a league that ends when all bots are separated."""
    reading, outcomes = _timed(lambda: outcomes_of(store, store.lineup().labels))

    def row(what: str, seconds: float, results: int) -> dict[str, Any]:
        ratio = round(seconds / reading, 2)
        return {"what": what, "results": results, "cpu_s": round(seconds, 2), "ratio_to_reading": ratio}

    yield row("read the results", reading, len(outcomes))
    fitting, fitted = _timed(lambda: fit(outcomes))
    yield row("the fit", fitting, len(outcomes))
    yield row(
        "standings, given the fit", _timed(lambda: standings.standings(outcomes, fitted=fitted))[0], len(outcomes)
    )
    yield from (row(*look) for look in _looks(store, outcomes))


def _looks(store: Store, outcomes: Outcomes) -> Iterator[tuple[str, float, int]]:
    """What a league does whose end depends on its standings: once from scratch, once after an earlier look."""
    rotations, bots = store.rotations(), store.settings()["order"]
    blocks = sorted(rotations)
    scratch, grown = ResultsSoFar(store, bots), ResultsSoFar(store, bots)
    yield "a look, from scratch", _timed(lambda: scratch.undecided(blocks))[0], len(outcomes)
    before = len(blocks) * GROWTH // (GROWTH + 1)
    grown.undecided(blocks[:before])
    new = sum(rotations[block].bit_count() for block in blocks[before:])
    yield "a look, an eighth later", _timed(lambda: grown.undecided(blocks))[0], new


def _plans(tournament: Tournament) -> Iterator[dict[str, Any]]:
    """A round robin, and more blocks of an adaptive league in which no pair is decided."""
    adaptive = schedule.top_up(tournament.bots, SEATS, PLANNED // SEATS, 1, combinations(tournament.bots, 2))
    for kind, plan in (("a round robin", whole_plan(tournament)), ("an adaptive league", adaptive)):
        seconds, matches = _timed(partial(_length, islice(plan, PLANNED)))
        yield {"what": f"a match of the plan of {kind}", "cpu_us": round(seconds / matches * 1e6, 1)}


def _length(plan: Iterable[object]) -> int:
    return sum(1 for _ in plan)


def _timed(what: Callable[[], T]) -> tuple[float, T]:
    """Seconds of the processor."""
    began = time.process_time()
    found = what()
    return time.process_time() - began, found


def _check(whole: Spent) -> dict[str, Any]:
    check = {"name": "ratings.thousand_bots_s", "unit": "s", "budget": THOUSAND_BOTS_S, "better": "lower"}
    if whole.code:
        return {**check, "value": None, "ok": None, "reason": whole.said or f"exit code {whole.code}"}
    return {**check, "value": round(whole.seconds, 1), "ok": whole.seconds <= THOUSAND_BOTS_S}
