"""The warning that the hosts of a league differ, as text."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.texts import one_line

if TYPE_CHECKING:
    from arena.league.residuals import HostComparison, HostLine, Residual

MOST_WARNINGS = 3
WAY_OUT = (
    'The report shows all hosts. charge = "cpu" and scale = true in [clock] make them more alike (see `arena docs '
    "leagues`)."
)


def host_warnings(found: "HostComparison") -> Iterator[str]:
    """What differs between hosts, the most unlikely first; nothing if chance explains it."""
    both = [(one, line, True) for line in found.lines for one in line.scores]
    both += [(one, line, False) for line in found.lines for one in line.lateness]
    unlikely = [entry for entry in both if found.is_unlikely(entry[0])]
    for one, line, is_score in sorted(unlikely, key=lambda entry: (entry[0].chance, entry[0].bot))[:MOST_WARNINGS]:
        yield _warning(one, line, is_score)
    if len(unlikely) > MOST_WARNINGS:
        yield f"and {len(unlikely) - MOST_WARNINGS} more differences between hosts"
    if unlikely:
        yield WAY_OUT


def _warning(one: "Residual", line: "HostLine", is_score: bool) -> str:
    bot, host = one_line(one.bot)[:32], one_line(line.name)[:32]
    amount, error = abs(100 * one.value), 100 * one.error
    if is_score:
        what = f"scores {amount:.0f} ± {error:.0f} points per 100 games {_less(one)} than its rating expects"
    else:
        what = f"is late in {amount:.0f} ± {error:.0f} of 100 matches {_less(one)} than on all hosts"
    return f"Hosts differ: on {host} (speed {_span(line.speeds)}), {bot} {what}."


def _span(speeds: Sequence[int]) -> str:
    return f"{speeds[0]}" if speeds[0] == speeds[-1] else f"{speeds[0]} to {speeds[-1]}"


def _less(one: "Residual") -> str:
    return "less" if one.value < 0 else "more"
