"""How far a league is, as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.cli.secret import about
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.store import Store

NAMED = 10
"""Matches that are named one by one."""


@dataclass(frozen=True, slots=True)
class LeagueStatus:
    """How far a league is."""

    settings: dict[str, Any]
    played: int
    attempts: Mapping[str, Sequence[str]]
    """Why attempts did not count, by match."""
    missing: Mapping[str, Sequence[str]]
    """The attempts of matches that have no result yet."""
    unrecorded: list[str]
    """Matches with a result but without a record."""

    @property
    def uncounted(self) -> int:
        return sum(map(len, self.attempts.values()))


def status_of(store: "Store") -> LeagueStatus:
    from arena.league import evidence

    attempts, done = store.attempts(), store.done()
    missing = {match: reasons for match, reasons in attempts.items() if match not in done}
    unrecorded = evidence.missing(store.path.parent, sorted(done))
    return LeagueStatus(store.settings(), store.count(), attempts, missing, unrecorded)


def plain_status(status: LeagueStatus) -> dict[str, Any]:
    settings = status.settings
    return {
        "league": settings.get("name"),
        "game": settings.get("game"),
        "bots": list(settings.get("bots", {})),
        "planned": settings.get("planned"),
        "played": status.played,
        "did_not_count": status.uncounted,
        "deals": settings.get("deals", "shared"),
        "seed": settings.get("seed"),
        "commitment": settings.get("commitment"),
        "secret": settings["secret"] if settings.get("revealed") else None,
        "without_record": status.unrecorded,
    }


def status_lines(status: LeagueStatus) -> Iterator[str]:
    settings, planned = status.settings, status.settings.get("planned") or 0
    share = f" ({100 * status.played // planned} %)" if planned else ""
    name, game = one_line(str(settings.get("name"))), one_line(str(settings.get("game")))
    yield f"{name}: {status.played:,} of {counted(planned, 'match')}{share} of {game}"
    yield f"bots: {', '.join(map(one_line, settings.get('bots', {})))}"
    yield from about(settings)
    if status.attempts:
        left = f"; {len(status.missing)} still missing:" if status.missing else "; those matches were played again."
        yield f"{counted(status.uncounted, 'attempt')} did not count{left}"
        yield from _some([f"{one_line(match)}: {one_line(reasons[-1])}" for match, reasons in status.missing.items()])
    if status.unrecorded:
        yield f"{counted(len(status.unrecorded), 'result')} without a record:"
        yield from _some(status.unrecorded)


def _some(lines: Sequence[str]) -> Iterator[str]:
    for line in lines[:NAMED]:
        yield f"  {line}"
    if len(lines) > NAMED:
        yield f"  and {len(lines) - NAMED} more"
