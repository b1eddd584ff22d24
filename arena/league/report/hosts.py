"""The section of hosts: which machines played, how fast they are, and whether that changed results."""

from collections.abc import Iterator, Sequence

from arena.league.report.facts import League
from arena.league.report.markup import Cells, Html, bot_name, join, left_head, paragraph, short, table_of, tag
from arena.league.report.words import percent, signed, span, whole
from arena.league.residuals import HostComparison, HostLine, Residual

ABOUT_HOSTS = (
    "Speed is that of one core while all are busy, measured by a fixed program; 100 is the reference machine. Pace is "
    "the time for a decision compared with that on all hosts, the median over bots. Late counts the times that a bot "
    "was late in a match."
)
ABOUT_RESIDUALS = (
    "The largest differences from what the ratings expect, in points per 100 games with the standard error, and from a "
    "bot's mean share of matches with a late answer, per 100 matches. Bold: too large for chance, with all tests of "
    "this section taken into account."
)
SHOWN = 3
"""Bots that are shown of each host: those whose results differ most."""


def hosts_section(league: League) -> Html:
    found = league.report.hosts
    head = [left_head("host"), left_head("processor"), "cores", "speed", "matches", "pace", "late"]
    rows = [_host_row(line) for line in found.lines]
    residuals = [row for line in found.lines for row in _residual_rows(found, line)]
    parts = [paragraph(_verdict(found)), table_of("Hosts", head, rows), paragraph(ABOUT_HOSTS, "note")]
    if residuals:
        titles = [left_head("host"), left_head("bot"), left_head("what"), "difference", "error"]
        parts += [table_of("Residuals by host", titles, residuals), paragraph(ABOUT_RESIDUALS, "note")]
    return join(parts)


def _verdict(found: HostComparison) -> str:
    if not found.tests:
        return "No bot has played on two of these hosts, so they cannot be compared."
    if not found.differ:
        return "No bot did better or worse on one host than chance explains."
    return (
        f"The hosts differ: if they did not, the most unlikely difference below had a chance of {_chance(found)} %. "
        'In `[clock]`, `charge = "cpu"` does not count the time in which others have the cores, and `scale = true` '
        "gives slow hosts more time; `arena docs leagues` explains both."
    )


def _chance(found: HostComparison) -> str:
    return percent(found.chance) if found.chance >= 0.01 else "less than 1"


def _host_row(line: HostLine) -> Cells:
    name, machine, cores = line.place
    pace = "–" if line.pace is None else f"{line.pace:.2f}"
    late = tag("td", whole(line.late), class_=None if line.late else "quiet")
    numbers = [whole(cores), span(line.speeds), whole(line.matches), pace]
    return [_name(name), tag("td", short(machine), class_="left"), *numbers, late]


def _residual_rows(found: HostComparison, line: HostLine) -> Iterator[Cells]:
    kinds: Sequence[tuple[str, Sequence[Residual]]] = (("points", line.scores), ("late", line.lateness))
    for what, residuals in kinds:
        for one in residuals[:SHOWN]:
            value = signed(100 * one.value, 1)
            shown = tag("td", tag("b", value) if found.is_unlikely(one) else value)
            bot = tag("td", bot_name(one.bot), class_="left")
            yield [_name(line.name), bot, tag("td", what, class_="left"), shown, f"±{100 * one.error:.1f}"]


def _name(name: str) -> Html:
    return tag("th", tag("bdi", short(name) or "–"), scope="row")
