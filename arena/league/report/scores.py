"""The sections about scores: how they are distributed, and where points come from."""

import math
from collections.abc import Mapping, Sequence

from arena.league.report.drawing import PANEL, PANEL_HEIGHT, Axis, figured, round_step, svg, svg_path, svg_text
from arena.league.report.facts import MOST_DRAWN, MOST_LISTED, League, left_out
from arena.league.report.markup import Cells, Html, figure, join, left_head, paragraph, row_head, short, table_of, tag
from arena.league.report.words import signed, tenths
from arena.league.report.zones import Totals

MOST_BINS = 30
MOST_ZONES = 20
"""Zones with their own column; the column `all` includes the rest."""


def scores_section(league: League) -> Html:
    scores, drawn = league.census.scores, league.played[:MOST_DRAWN]
    bins, width = _bins(min(map(min, scores.values())), max(map(max, scores.values())))
    shares = {bot: _binned(one, width, bins) for bot, one in scores.items()}
    most = max(map(max, shares.values()))
    words = paragraph(
        f"How often each bot had each score{'' if width == 1 else f', in bins of {width}'}; all panels have the same "
        "scales. The line is the mean, the number after ± the standard deviation." + left_out(drawn, league.played)
    )
    across = Axis(bins[0] * width, (bins[-1] + 1) * width, 2.0, PANEL - 2)
    panels = [_histogram(s.bot, shares[s.bot], scores[s.bot], most, across) for s in drawn]
    return join([words, tag("div", *panels, class_="panels")])


def histogram(league: League, bot: str) -> Html:
    """The panel of one bot, with the range of all bots."""
    scores = league.census.scores
    bins, width = _bins(min(map(min, scores.values())), max(map(max, scores.values())))
    shares = _binned(scores[bot], width, bins)
    across = Axis(bins[0] * width, (bins[-1] + 1) * width, 2.0, PANEL - 2)
    return _histogram(bot, shares, scores[bot], max(shares), across)


def _bins(low: int, high: int) -> tuple[range, int]:
    """The numbers of the bins for these scores, and their width."""
    width = max(1, round(round_step((high - low + 1) / MOST_BINS)))
    return range(low // width, high // width + 1), width


def _binned(scores: Mapping[int, int], width: int, bins: range) -> list[float]:
    """The share of games in each bin."""
    games = [0] * len(bins)
    for score, times in scores.items():
        games[score // width - bins[0]] += times
    return [number / sum(games) for number in games]


def _histogram(bot: str, shares: Sequence[float], scores: Mapping[int, int], most: float, across: Axis) -> Html:
    floor = PANEL_HEIGHT - 16
    middle, deviation = _moments(scores)
    inside = (tick for tick in across.ticks(6) if 10 < across.at(tick + 0.5) < PANEL - 10)
    drawing = svg(
        f"{short(bot)}: scores from {min(scores)} to {max(scores)}, mean {middle:.1f}", PANEL, PANEL_HEIGHT,
        svg_path(f"M2,{floor:g}H{PANEL - 2:g}", "grid"),
        svg_path(_columns([share / most for share in shares], floor), "fill"),
        svg_path(f"M{figure(across.at(middle + 0.5))},2V{floor:g}", "zero"),
        *(svg_text(across.at(tick + 0.5), PANEL_HEIGHT - 3, f"{tick:.0f}", "middle") for tick in inside),
    )  # fmt: skip
    return figured(bot, f"{middle:.1f} ±{deviation:.1f}", drawing)


def _columns(heights: Sequence[float], floor: float) -> str:
    """Bars on the floor of a panel; a height of 1 fills the panel."""
    step = (PANEL - 4) / len(heights)
    tops = ((2 + at * step, floor - (floor - 6) * height) for at, height in enumerate(heights) if height)
    return "".join(f"M{figure(x)},{floor:g}V{figure(y)}h{figure(max(1.0, step - 1))}V{floor:g}z" for x, y in tops)


def _moments(scores: Mapping[int, int]) -> tuple[float, float]:
    games = sum(scores.values())
    middle = sum(score * times for score, times in scores.items()) / games
    return middle, math.sqrt(math.fsum(times * (score - middle) ** 2 for score, times in scores.items()) / games)


def zones_section(league: League) -> Html:
    """Mean points by where they come from."""
    zones, totals = league.census.zones.names(), league.census.zones.totals()
    if not zones:
        return paragraph("This game does not report where points come from.")
    words = (
        f"Mean points of a match by where they come from; `arena rules {league.report.settings.get('game', 'GAME')}` "
        "explains the names. A darker cell means more points than other bots have there."
    )
    if league.census.zones.are_combined:
        words += " Zones that are numbered differently in each match are combined: their points, and their number."
    if len(zones) > MOST_ZONES:
        zones = _largest(zones, totals)
        words += f" Only the {MOST_ZONES} zones with the most points are shown; the total includes the rest."
    head, rows = [left_head("bot"), *(short(zone) for zone in zones), "all"], _zone_rows(league, zones, totals)
    return join([paragraph(words + left_out(rows, league.played)), table_of("Points by zone", head, rows)])


def _largest(zones: Sequence[str], totals: Totals) -> list[str]:
    weights = {zone: sum(abs(mine[zone]) for mine in totals.values()) for zone in zones}
    kept = sorted(zones, key=lambda zone: (-weights[zone], zone))[:MOST_ZONES]
    return [zone for zone in zones if zone in kept]


def _zone_rows(league: League, zones: Sequence[str], totals: Totals) -> list[Cells]:
    means = {s.bot: [totals[s.bot][zone] / s.games for zone in zones] for s in league.played}
    spans = [(min(column), max(column)) for column in zip(*means.values())]
    return [
        [
            row_head(standing.bot, league.report.pages.of_bot(standing.bot)),
            *(_zone(points, *span) for points, span in zip(means[standing.bot], spans)),
            tag("td", tag("b", tenths(standing.mean_score))),
        ]
        for standing in league.played[:MOST_LISTED]
    ]


def _zone(points: float, low: float, high: float) -> Html:
    share = (points - low) / (high - low) if high > low else 0.0
    steps = round(5 * share)
    return tag("td", signed(points, 1).removeprefix("+"), class_=f"up{steps}" if steps else None)
