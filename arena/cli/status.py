"""How far a league is, as text and as JSON."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.cli.hosts import host_warnings
from arena.cli.league_list import moment
from arena.cli.progress import duration
from arena.cli.secret import about
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.heartbeat import Runs
    from arena.league.store import Store

NAMED, LISTED = 10, 1000
"""Matches that are named one by one, as text and as JSON."""


@dataclass(frozen=True, slots=True)
class Some:
    """The first of many texts, and how many there are: a league may have a million results without a record."""

    count: int
    first: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str], most: int = LISTED) -> "Some":
        rest = iter(texts)
        first = tuple(islice(rest, most))
        return cls(len(first) + sum(1 for _ in rest), first)


@dataclass(frozen=True, slots=True)
class LeagueStatus:
    """How far a league is."""

    settings: dict[str, Any]
    played: int
    uncounted: int
    """Attempts that did not count."""
    missing: Some
    """Matches that were attempted and have no result yet, each with the reason of its last attempt."""
    unrecorded: Some
    """Matches with a result but without a record."""
    hosts: list[str]
    """Warnings that hosts differ."""
    state: str
    """running, complete or stopped."""
    process: int | None
    """The id of its runner, if there is one; 0 if that is not known."""
    runs: "Runs | None"
    faults: Mapping[str, Counter[str]]
    """By bot, how many of each kind."""
    examples: Mapping[str, str]
    """By bot, the first match with a fault of it."""
    folder: Path


def status_of(store: "Store") -> LeagueStatus:
    from arena.league.heartbeat import runner, runs_of, state_of
    from arena.league.recorded import unrecorded
    from arena.league.results import host_comparison

    missing = Some.of((f"{one_line(match)}: {one_line(reason)}" for match, reason in store.unplayed()), NAMED)
    hosts = list(host_warnings(host_comparison(store)))
    settings, faults, examples = store.settings(), dict[str, Counter[str]](), dict[str, str]()
    for bot, kind, match in store.fault_kinds(store.lineup().labels):
        faults.setdefault(bot, Counter())[kind] += 1
        examples.setdefault(bot, match)
    return LeagueStatus(
        settings, store.count_now(), store.uncounted(), missing, Some.of(unrecorded(store)), hosts, state_of(store),
        runner(store.path.parent), runs_of(settings), faults, examples, store.path.parent,
    )  # fmt: skip


def plain_status(status: LeagueStatus) -> dict[str, Any]:
    settings = status.settings
    return {
        "league": settings.get("name"),
        "game": settings.get("game"),
        "bots": list(settings.get("bots", {})),
        "planned": settings.get("planned"),
        "played": status.played,
        "state": status.state,
        "process": status.process,
        "first_played": None if status.runs is None else status.runs.first,
        "last_played": None if status.runs is None else status.runs.seen,
        "rate": None if status.runs is None else status.runs.rate,
        "faults": {bot: dict(kinds) for bot, kinds in sorted(status.faults.items())},
        "did_not_count": status.uncounted,
        "deals": settings.get("deals", "shared"),
        "seed": None if settings.get("seed") is None else str(settings["seed"]),
        "commitment": settings.get("commitment"),
        "secret": settings["secret"] if settings.get("revealed") else None,
        "without_record": list(status.unrecorded.first),
        "without_record_count": status.unrecorded.count,
        "hosts_differ": status.hosts,
    }


def status_lines(status: LeagueStatus) -> Iterator[str]:
    settings, planned = status.settings, status.settings.get("planned") or 0
    share = f" ({100 * status.played // planned} %)" if planned else ""
    name, game = one_line(str(settings.get("name"))), one_line(str(settings.get("game")))
    yield f"{name}: {status.played:,} of {counted(planned, 'match')}{share} of {game}"
    yield "; ".join(_activity(status, planned))
    yield f"bots: {', '.join(map(one_line, settings.get('bots', {})))}"
    yield from about(settings)
    if status.uncounted:
        still = status.missing.count
        left = f"; {still:,} still missing:" if still else "; those matches were played again."
        yield f"{counted(status.uncounted, 'attempt')} did not count{left}"
        yield from _listed(status.missing)
    yield from _faults(status)
    if status.unrecorded.count:
        yield f"{counted(status.unrecorded.count, 'result')} without a record:"
        yield from _listed(status.unrecorded)
    yield from status.hosts


def _activity(status: LeagueStatus, planned: int) -> Iterator[str]:
    """Whether a process is at work, since when, and how fast."""
    process = f" by process {status.process}" if status.process else ""
    yield f"{status.state}{process}"
    if status.runs is None:
        return
    runs, is_running = status.runs, status.state == "running"
    yield f"since {moment(runs.began)} UTC" if is_running else f"last played {moment(runs.seen)} UTC"
    if runs.new and runs.rate:
        yield f"{counted(runs.new, 'match')} in the {'run so far' if is_running else 'last run'}, {runs.rate:.1f}/s"
        if is_running:
            yield f"{duration(max(0, planned - status.played) / runs.rate)} left"


def _faults(status: LeagueStatus) -> Iterator[str]:
    from arena.league.wire import RECORDS, record_path

    if not status.faults:
        return
    yield "faults of bots, each with its first match:"
    lines = []
    for bot, kinds in sorted(status.faults.items(), key=lambda item: (-item[1].total(), item[0])):
        path = record_path(status.folder / RECORDS, status.examples[bot])
        counts = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in sorted(kinds.items()))
        lines.append(f"{one_line(bot)}: {counts}:  arena replay {shlex.quote(str(path))}")
    yield from _listed(Some.of(lines))


def _listed(some: Some) -> Iterator[str]:
    for line in some.first[:NAMED]:
        yield f"  {line}"
    if some.count > NAMED:
        yield f"  and {some.count - NAMED:,} more"
