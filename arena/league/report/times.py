"""The section of decision times."""

import math
from collections.abc import Sequence

from arena.league.report.census import MOST_EXACT, Times
from arena.league.report.drawing import BAR, BAR_END, BAR_HEIGHT, Axis, bar_head, grid_lines, svg, svg_path
from arena.league.report.facts import MOST_LISTED, League, left_out
from arena.league.report.markup import Cells, Html, figure, join, left_head, paragraph, row_head, short, table_of, tag
from arena.league.report.words import duration, whole

ABOUT_TIMES = (
    "Time for a decision, as the referee's clock charged it. The bar goes from the mean (dot) through p99 (line) to "
    "the longest; its scale is logarithmic, with a line at each power of ten."
)
ABOUT_P99 = (
    "p99 is the median of the p99 of each match, which is the longest decision if the match has fewer than 100. CPU is "
    "the time that the bot's process used in its matches, divided by the number of decisions."
)
ABOUT_BINS = f" Of bots with more than {MOST_EXACT:,} matches, p99 is rounded to one percent."


def times_section(league: League) -> Html:
    known = [bot for bot in league.bots if bot in league.census.times]
    if not known:
        return paragraph("No decision times are known.")
    times = {bot: league.census.times[bot] for bot in known[:MOST_LISTED]}
    values = [math.log10(max(1.0, value)) for one in times.values() for value in (one.mean, one.most)]
    axis = Axis.over(values, BAR_END, BAR - BAR_END)
    ticks = [float(power) for power in range(math.ceil(axis.low), math.floor(axis.high) + 1)]
    bars = bar_head("mean to longest, drawn", axis, ticks, lambda power: duration(10**power))
    head = [left_head("bot"), "decisions", "mean", "p99", "longest", bars, "CPU"]
    rows = [_time_row(league, bot, one, axis, ticks) for bot, one in times.items()]
    note = ABOUT_P99 + (ABOUT_BINS if any(not one.is_exact for one in times.values()) else "")
    table = table_of("Decision times", head, rows)
    return join([paragraph(ABOUT_TIMES + left_out(rows, known)), table, paragraph(note, "note")])


def _time_row(league: League, bot: str, times: Times, axis: Axis, ticks: Sequence[float]) -> Cells:
    low, p99, high = (axis.at(math.log10(max(1.0, value))) for value in (times.mean, times.p99, times.most))
    y = BAR_HEIGHT / 2
    shown = {"mean": times.mean, "p99": times.p99, "longest": times.most}
    title = f"{short(bot)}: {', '.join(f'{what} {duration(value)}' for what, value in shown.items())}"
    bar = svg(
        title, BAR, BAR_HEIGHT, grid_lines(axis, ticks, BAR_HEIGHT),
        tag("rect", x=low, y=y - 4, width=max(1.0, high - low), height=8, rx=2, class_="reach"),
        svg_path(f"M{figure(p99)},{y - 6:g}v12", "mine"),
        tag("circle", cx=low, cy=y, r=3.5, class_="dot"),
        class_="bar",
    )  # fmt: skip
    numbers = [duration(value) for value in shown.values()]
    return [
        row_head(bot, league.report.pages.of_bot(bot)),
        whole(times.decisions),
        *numbers,
        tag("td", bar),
        duration(times.mean_cpu),
    ]
