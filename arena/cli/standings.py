"""The standings of a league as text: the table, which bots are not separated, and the rounds of a knock-out."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.tables import table
from arena.texts import one_line

if TYPE_CHECKING:
    from arena.league.standings import Standing
    from arena.league.store import Store


def show_standings(store: "Store", found: "Sequence[Standing]", seats: int | None = None) -> None:
    """Print the table and the remarks about it."""
    from arena.league.kinds import kind_of

    lines = list(kind_of(store).lines(store))
    typer.echo(standings_table(found))
    sizes = ", ".join(map(str, store.sizes()))
    if seats is None and "," in sizes:
        typer.echo(f"\nOne rating for tables of {sizes} seats together; `standings --seats NUMBER` shows one size.")
    for line in ["", *lines] if lines else ():
        typer.echo(line)


def standings_table(found: "Sequence[Standing]") -> str:
    rows = [
        [
            standing.rank,
            one_line(standing.bot)[:32],
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
    shown = table(rows, ["rank", "bot", "rating", "95 %", "Elo", "games", "wins", "score", "margin", "faults"])
    levels = "\n".join(_levels(found))
    return f"{shown}\n\n{levels}" if levels else shown


def _levels(found: "Sequence[Standing]") -> Iterator[str]:
    """Which bots are not separated: first neighbours that are all level with each other, then other pairs."""
    played = [standing for standing in found if standing.games]
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
        if (one, other) in level - told:
            yield _not_separated([one, other])


def _not_separated(bots: "Sequence[str]") -> str:
    return f"Not separated: {', '.join(one_line(bot)[:32] for bot in bots)}."


def plain(standing: "Standing") -> dict[str, Any]:
    return {
        "rank": standing.rank,
        "bot": standing.bot,
        "rating": round(standing.rating.value, 1),
        "low": round(standing.rating.low, 1),
        "high": round(standing.rating.high, 1),
        "elo": round(standing.elo, 1),
        "games": standing.games,
        "wins": standing.wins,
        "shared": standing.shared,
        "mean_score": standing.mean_score,
        "margin": standing.margin,
        "faults": standing.faults,
        "tier": standing.tier,
        "not_separated": list(standing.not_separated),
    }
