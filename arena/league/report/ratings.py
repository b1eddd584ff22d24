"""The sections from fits: how the ratings settled, and the seat effects."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from operator import attrgetter

from arena.league.fit import SeatEffect
from arena.league.report.drawing import (
    PANEL,
    PANEL_HEIGHT,
    Axis,
    bar_axis,
    bar_cell,
    bar_head,
    figured,
    line_through,
    svg,
    svg_path,
    svg_text,
)
from arena.league.report.facts import MANY_BOTS, MOST_DRAWN, League, left_out
from arena.league.report.markup import Cells, Html, figure, join, left_head, paragraph, scrolled, short, table_of, tag
from arena.league.report.words import interval, rounded, signed, whole
from arena.league.statistics import Estimate
from arena.texts import counted

CHART, MARGIN, LABELS = 760.0, 44.0, 170.0
COLOURS, DASHES = 8, 4
"""How many there are in the style sheet, so that 32 lines differ."""


def progression_section(league: League) -> Html:
    if len(league.census.outcomes.block_ends()) < 2:
        return paragraph("A line needs at least two blocks of matches, and there is one.")
    if len(league.milestones) < 2:
        return paragraph("This league is too large to fit its ratings again at earlier moments.")
    drawn = league.played[:MOST_DRAWN]
    tracks = {standing.bot: track(league, standing.bot) for standing in drawn}
    values = [estimate.value for track in tracks.values() for _, estimate in track]
    ends = [end for track in tracks.values() for end in (track[-1][1].low, track[-1][1].high)]
    rating = Axis.over([*values, *ends], 0.0, 1.0)
    time = Axis(math.log(league.milestones[0][0]), math.log(league.milestones[-1][0]), 0.0, 1.0)
    words = paragraph(
        "Ratings fitted to the first matches of the plan, then to more and more of them; the axis is logarithmic. "
        "Lines that still cross at the right end have not settled." + left_out(drawn, league.played)
    )
    more = paragraph("The same for each bot, with its 95 % interval; the grey lines are the other bots.", "next")
    return join([words, _chart(tracks, time, rating), more, _panels(tracks, time, rating)])


Track = Sequence[tuple[int, Estimate]]


def track(league: League, bot: str) -> Track:
    """Numbers of matches and ratings, from the first fit that includes the bot."""
    return [(count, ratings[bot]) for count, ratings in league.milestones if count >= league.census.firsts[bot]]


def _chart(tracks: Mapping[str, Track], time: Axis, rating: Axis) -> Html:
    height = max(280.0, 15.0 * len(tracks) + 40)
    across, up = time.moved(MARGIN, CHART - LABELS), rating.moved(height - 26, 8.0)
    ends = {bot: up.at(track[-1][1].value) for bot, track in tracks.items()}
    labels = _spread(ends, 14.0, 12.0, height - 26)
    lines = [_track_line(bot, track, across, up, labels[bot], at) for at, (bot, track) in enumerate(tracks.items())]
    title, class_ = "Rating against number of matches", "chart crowded" if len(tracks) > MANY_BOTS else "chart"
    desc = "A line for each bot, with its name at the end; the standings have the last ratings."
    drawing = svg(title, CHART, height, *_frame(across, up, height), *lines, class_=class_, desc=desc)
    return scrolled(title, drawing)


def _frame(across: Axis, up: Axis, height: float) -> Iterator[Html]:
    for tick in up.ticks(6):
        y = up.at(tick)
        yield svg_path(f"M{figure(across.start)},{figure(y)}H{figure(across.end)}", "grid")
        yield svg_text(across.start - 8, y + 4, rounded(tick), "end")
    *counts, last = round_counts(across)
    for count in counts:
        yield svg_text(across.at(math.log(count)), height - 6, whole(count), "middle")
    yield svg_text(across.end - 14, height - 6, counted(last, "match"))


def round_counts(across: Axis) -> list[int]:
    """Labels of a logarithmic axis: both ends, and round numbers that do not touch other labels."""
    low, high = round(math.exp(across.low)), round(math.exp(across.high))
    shown = [low]
    for count in (step * 10**power for power in range(12) for step in (1, 2, 5)):
        x = across.at(math.log(count))
        if low < count < high and x - across.at(math.log(shown[-1])) > 40 and across.end - x > 60:
            shown.append(count)
    return [*shown, high]


def _track_line(bot: str, track: Track, across: Axis, up: Axis, label: float, number: int) -> Html:
    """A line with a colour, or with a colour and dashes if there are more bots than colours."""
    points = [(across.at(math.log(count)), up.at(estimate.value)) for count, estimate in track]
    x, y = points[-1]
    lead = svg_path(line_through([(x + 3, y), (x + 12, label), (x + 16, label)]), "lead")
    last = f"{track[-1][1].value:.0f}"
    words = [tag("tspan", last, class_="quiet"), " ", short(bot, 18)]
    name = tag("text", *words, x=x + 19, y=label + 4)
    dot = tag("circle", cx=x, cy=y, r=2.5)
    title = tag("title", f"{short(bot)}: {last}")
    class_ = f"bot c{number % COLOURS} d{number // COLOURS % DASHES}"
    return tag("g", title, svg_path(line_through(points), "track"), dot, lead, name, class_=class_)


def _spread(wanted: Mapping[str, float], gap: float, top: float, bottom: float) -> dict[str, float]:
    """Places near the wanted ones, with a gap between any two. A cluster spreads to both sides of its middle."""
    order = sorted(wanted, key=lambda bot: wanted[bot])
    without_gaps = [wanted[bot] - gap * at for at, bot in enumerate(order)]
    downwards = accumulate(without_gaps, max)
    upwards = reversed(list(accumulate(reversed(without_gaps), min)))
    last = bottom - gap * (len(order) - 1)
    middles = [min(max((one + other) / 2, top), last) for one, other in zip(downwards, upwards)]
    return {bot: middle + gap * at for at, (bot, middle) in enumerate(zip(order, middles))}


def _panels(tracks: Mapping[str, Track], time: Axis, rating: Axis) -> Html:
    across, up = time.moved(2.0, PANEL - 4), rating.moved(PANEL_HEIGHT - 2, 2.0)
    all_lines = " ".join(
        line_through((across.at(math.log(count)), up.at(estimate.value)) for count, estimate in track)
        for track in tracks.values()
    )
    hidden = tag("svg", tag("defs", tag("path", id="tracks", d=all_lines)), width=0, height=0, aria_hidden="true")
    panels = (_panel(bot, track, across, up) for bot, track in tracks.items())
    return join([hidden, tag("div", *panels, class_="panels")])


def _panel(bot: str, track: Track, across: Axis, up: Axis) -> Html:
    xs = [across.at(math.log(count)) for count, _ in track]
    above = [(x, up.at(estimate.high)) for x, (_, estimate) in zip(xs, track)]
    below = [(x, up.at(estimate.low)) for x, (_, estimate) in zip(xs, track)]
    line = [(x, up.at(estimate.value)) for x, (_, estimate) in zip(xs, track)]
    last = track[-1][1]
    drawing = svg(
        f"{short(bot)}: rating {last.value:.0f}, 95 % interval {interval(last)}", PANEL, PANEL_HEIGHT,
        tag("use", href="#tracks", class_="others"),
        svg_path(line_through([*above, *reversed(below)]) + "z", "reach"),
        svg_path(line_through(line), "mine"),
        tag("circle", cx=line[-1][0], cy=line[-1][1], r=2.5, class_="dot"),
    )  # fmt: skip
    return figured(bot, f"{last.value:.0f} ±{last.high - last.value:.0f}", drawing)


def seats_section(league: League) -> Html:
    words = paragraph(
        "What a seat is worth, in Elo points, compared with the mean of the seats at its table. Every bot plays each "
        "seat equally often, so this favours no bot; it describes the game."
    )
    sizes = groupby(league.fit.seats, attrgetter("size"))
    return join([words, *(_seats_of(size, list(effects)) for size, effects in sizes)])


def _seats_of(size: int, effects: Sequence[SeatEffect]) -> Html:
    axis = bar_axis([*(effect.elo for effect in effects), Estimate(0.0, 0.0, 0.0, 0.0)])
    bars = bar_head("95 % interval, drawn", axis, axis.ticks(5), signed)
    head = [left_head("seat"), "Elo points", "standard error", bars, "95 % interval"]
    rows = [_seat(effect, axis) for effect in effects]
    table = table_of(f"Seat effects at tables of {size}", head, rows)
    return join([tag("h3", f"Tables of {size}"), paragraph(_seat_words(effects)), table])


def _seat_words(effects: Sequence[SeatEffect]) -> str:
    sure = [effect for effect in effects if not effect.elo.low <= 0 <= effect.elo.high]
    if not sure:
        return "No seat is separated from the mean: all intervals contain zero."
    seats = ", ".join(f"seat {effect.seat} ({signed(effect.elo.value)})" for effect in sure)
    return f"Separated from the mean: {seats}."


def _seat(effect: SeatEffect, axis: Axis) -> Cells:
    elo = effect.elo
    title = f"seat {effect.seat}: {signed(elo.value)}, 95 % interval {interval(elo)}"
    bar = bar_cell(axis, elo, title, strong=(0.0,))
    seat = tag("th", str(effect.seat), scope="row")
    return [seat, tag("td", tag("b", signed(elo.value, 1))), f"{elo.error:.1f}", bar, interval(elo)]
