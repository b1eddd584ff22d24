"""The section of the standings: places, tiers, ratings with their intervals."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from arena.league.report.drawing import Axis, bar_axis, bar_cell, bar_head
from arena.league.report.facts import League, left_out
from arena.league.report.markup import (
    Cells,
    Html,
    bot_name,
    bot_names,
    join,
    left_cell,
    left_head,
    paragraph,
    row_head,
    short,
    table_of,
    tag,
)
from arena.league.report.words import interval, rounded, signed, tenths, whole, with_and
from arena.league.standings import Standing

ABOUT_PLACES = (
    "Places come from a fit of all results at once; the bar is the interval that contains the true rating 95 times in "
    "100. Two bots are separated if the interval of their difference excludes zero. Until then their order is open, "
    "and a place is a range. A tier contains the bots that are not separated from its first."
)
ABOUT_COLUMNS = (
    "Won: first alone; shared: first with others. Margin: points above the mean of the others at the table. Classic "
    "Elo goes through the matches in plan order; it is shown because it is well known, and does not decide places."
)


def standings_section(league: League) -> Html:
    axis = bar_axis(standing.rating for standing in league.played)
    bars = bar_head("95 % interval", axis, axis.ticks(5), rounded)
    head = [left_head("place"), left_head("bot"), "rating", bars, "classic Elo", "games", "won", "shared", "score"]
    head += ["margin", "faults", left_head("not separated from")]
    shown = [standing for standing in league.listed if standing.games]
    tiers = [list(tier) for _, tier in groupby(shown, attrgetter("tier"))]
    bodies = [[*_tier_head(tier, len(head)), *(_standing(league, one, axis) for one in tier)] for tier in tiers]
    table = table_of("Standings", head, *bodies, _absent(league, len(head)), class_="standings")
    return join(
        [
            paragraph(ABOUT_PLACES + left_out(league.listed, league.table)),
            table,
            paragraph(ABOUT_COLUMNS, "note"),
            *_warnings(league),
        ]
    )


def _absent(league: League, width: int) -> list[Cells]:
    """The rows of the bots that have not played."""
    bots = [standing.bot for standing in league.listed if not standing.games]
    rows = [
        [left_cell("–"), row_head(bot, league.report.pages.of_bot(bot)), *["–"] * (width - 3), left_cell("–")]
        for bot in bots
    ]
    return [[_spanning("Not played yet", width)], *rows] if rows else []


def _tier_head(tier: Sequence[Standing], width: int) -> Iterator[Cells]:
    if len(tier) > 1:
        words = f"Tier {tier[0].tier}: {len(tier)} bots, not separated from "
        yield [_spanning(join([words, bot_name(tier[0].bot)]), width)]


def _spanning(content: str, width: int) -> Html:
    return tag("th", tag("span", content), colspan=width, scope="rowgroup", class_="tier")


def _standing(league: League, standing: Standing, axis: Axis) -> Cells:
    rating = standing.rating
    reach = tag("small", f" ±{rating.high - rating.value:.0f}")
    rivals = bot_names(standing.not_separated, 3) if standing.not_separated else tag("span", "none", class_="quiet")
    return [
        tag("td", standing.rank.replace("-", "–"), class_="left"),
        row_head(standing.bot, league.report.pages.of_bot(standing.bot)),
        tag("td", tag("b", rounded(rating.value)), reach),
        bar_cell(axis, rating, f"{short(standing.bot)}: {rating.value:.0f}, 95 % interval {interval(rating)}"),
        rounded(standing.elo),
        whole(standing.games),
        whole(standing.wins),
        whole(standing.shared),
        tenths(standing.mean_score),
        "–" if standing.margin is None else signed(standing.margin, 1),
        whole(standing.faults),
        left_cell(rivals),
    ]


def _warnings(league: League) -> Iterator[Html]:
    """What a reader must know before comparing ratings, if anything."""
    played = {standing.bot for standing in league.played}
    groups = {group for bot, group in zip(league.fit.bots, league.fit.groups) if bot in played}
    if len(groups) > 1:
        yield paragraph(
            f"The bots form {len(groups)} groups that never met, not even through other bots. Ratings of different "
            "groups cannot be compared."
        )
    if league.fit.pooled:
        yield paragraph(f"Ratings are means over tables of {with_and(league.fit.sizes)} seats.", "note")
