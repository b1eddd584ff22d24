"""The standings of a league as text: the table, which bots are not separated, and how its rounds went."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.bracket import course_lines
from arena.cli.hosts import host_warnings
from arena.cli.tables import table, terminal_width
from arena.texts import one_line
from arena.words.lines import WIDTH

if TYPE_CHECKING:
    from arena.league.standings import Standing
    from arena.league.store import Store

MOST_NAMED = 60
"""Up to this many bots, those that are not separated are named below the table."""
NO_VERSIONS: Mapping[str, str] = MappingProxyType({})
MOST_VERSION = 12
DAY = 10
"""Characters of a moment that name the day: 2026-05-01."""
VERSION = 2
"""The place of the versions among the columns."""


def show_standings(store: "Store", found: "Sequence[Standing]", seats: int | None = None) -> None:
    """Print the table and the remarks about it."""
    from arena.league.kinds import kind_of
    from arena.league.results import host_comparison

    course = kind_of(store).course(store)
    typer.echo(standings_table(found, versions_of(store), with_levels=course is None))
    sizes = ", ".join(map(str, store.sizes()))
    if seats is None and "," in sizes:
        typer.echo(f"\nOne rating for tables of {sizes} seats together; `standings --seats NUMBER` shows one size.")
    for line in course_lines(course, terminal_width() or WIDTH) if course else ():
        typer.echo(line)
    warnings = list(host_warnings(host_comparison(store)))
    for line in ["", *warnings] if warnings else ():
        typer.echo(line)


def plain_standings(store: "Store") -> list[dict[str, Any]]:
    """The standings for programs."""
    from arena.league import results
    from arena.league.standings import plain

    versions = versions_of(store)
    return [plain(one, versions) for one in results.table(store)]


def show_reigns(store: "Store", found: "Sequence[Standing]") -> None:
    """Print when the versions played that do not play any more."""
    past = {bot: times for bot, times in reigns_of(store).items() if times[-1][1] is not None}
    rows = [
        [one.bot, ", ".join(f"{joined} to {left}" for joined, left in past[one.bot])]
        for one in found
        if one.bot in past
    ]
    if rows:
        typer.echo(f"\nNot in the league any more:\n\n{table(rows, ['bot', 'in the league, UTC'], names=0)}")


def reigns_of(store: "Store") -> dict[str, list[tuple[str, str | None]]]:
    """For each version, by its label, the days on which it joined and left."""
    lineup = store.lineup()
    found = dict[str, list[tuple[str, str | None]]]()
    for name in {version.name for version in lineup.versions.values()}:
        for reign in lineup.reigns(name):
            days = reign.joined[:DAY], reign.left[:DAY] if reign.left else None
            found.setdefault(lineup.labels[reign.key], []).append(days)
    return found


def versions_of(store: "Store") -> dict[str, str]:
    """The version of each bot, and of each older version by its label."""
    lineup = store.lineup()
    known = {lineup.labels[key]: one.version for key, one in lineup.versions.items()}
    return {bot: version for bot, (version, _) in store.settings()["bots"].items()} | known


def standings_table(
    found: "Sequence[Standing]", versions: Mapping[str, str] = NO_VERSIONS, with_levels: bool = True
) -> str:
    """The table, with a column for the versions if a bot has one and there is room for it."""
    rows = [
        [
            standing.rank,
            standing.bot,
            one_line(versions.get(standing.bot, ""), MOST_VERSION),
            f"{standing.rating.value:.0f}",
            f"±{(standing.rating.high - standing.rating.low) / 2:.0f}" if standing.games else "",
            f"{standing.elo:.0f}",
            str(standing.games),
            str(standing.wins),
            "" if standing.mean_score is None else f"{standing.mean_score:.1f}",
            "" if standing.margin is None else f"{standing.margin:+.1f}",
            str(standing.faults),
        ]
        for standing in found
    ]
    headers = ["rank", "bot", "version", "rating", "95 %", "Elo", "games", "wins", "score", "margin", "faults"]
    if not _has_room(rows, headers, terminal_width()) or all(row[VERSION] in ("", "0") for row in rows):
        rows, headers = [[*row[:VERSION], *row[VERSION + 1 :]] for row in rows], headers[:2] + headers[3:]
    shown = table(rows, headers, names=1)
    levels = "\n".join(_levels(found)) if with_levels else ""
    return f"{shown}\n\n{levels}" if levels else shown


def _has_room(rows: Sequence[Sequence[str]], headers: Sequence[str], room: int | None) -> bool:
    """Whether all columns fit, with every name in full."""
    widths = [max(map(len, column)) for column in zip(headers, *rows)]
    return room is None or sum(widths) + 2 * len(widths) - 2 <= room


def _levels(found: "Sequence[Standing]") -> Iterator[str]:
    """Which bots are not separated: first neighbours that are all level with each other, then other pairs."""
    played = [standing for standing in found if standing.games]
    if len(played) > MOST_NAMED:
        yield from _number_of_levels(played)
        return
    level = {(one.bot, other) for one in played for other in one.not_separated}
    told, end = set[tuple[str, str]](), 0
    for start in range(len(played)):
        group = [played[start].bot]
        for standing in played[start + 1 :]:
            if not all((bot, standing.bot) in level for bot in group):
                break
            group.append(standing.bot)
        if len(group) > 1 and start + len(group) > end:
            end = start + len(group)
            told |= {(one, other) for one in group for other in group}
            yield _not_separated(group)
    for one, other in combinations((standing.bot for standing in played), 2):
        if (one, other) in level and (one, other) not in told:
            yield _not_separated([one, other])


def _number_of_levels(played: "Sequence[Standing]") -> Iterator[str]:
    bots = {standing.bot for standing in played}
    level = sum(other in bots for standing in played for other in standing.not_separated) // 2
    if level:
        pairs = f"{level:,} of {len(played) * (len(played) - 1) // 2:,} pairs of bots"
        yield f"Not separated: {pairs}; `arena league standings --json` names them."


def _not_separated(bots: "Sequence[str]") -> str:
    return f"Not separated: {', '.join(map(one_line, bots))}."
