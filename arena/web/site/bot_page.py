"""The page of a bot: its versions on one scale, how its rating settled, opponents, seats, points, times, faults."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from arena.league.lineup import Reign
from arena.league.report.drawing import (
    BAR,
    BAR_END,
    BAR_HEIGHT,
    Axis,
    bar_axis,
    bar_cell,
    bar_head,
    grid_lines,
    line_through,
    svg,
    svg_path,
    svg_text,
)
from arena.league.report.facts import MOST_LISTED, League
from arena.league.report.faults import fault_list, kind_order, meaning
from arena.league.report.markup import (
    Cells,
    Html,
    bot_names,
    figure,
    join,
    left_cell,
    left_head,
    linked,
    paragraph,
    row_head,
    scrolled,
    short,
    table_of,
    tag,
)
from arena.league.report.ratings import round_counts, track
from arena.league.report.scores import histogram
from arena.league.report.words import duration, interval, likelihood, percent, rounded, signed, tenths, whole
from arena.league.standings import Standing
from arena.league.statistics import Estimate
from arena.texts import counted
from arena.web.site.index import MatchFilter
from arena.web.site.ledger import SeatTally
from arena.web.site.match_list import address
from arena.web.site.pieces import latest, masthead, match_table, section
from arena.web.site.shell import Link, Sheet
from arena.web.site.visit import Visit

LATEST = 10
SHORT = ("seats", "zones", "scores", "times")
"""Sections that stand beside each other."""
CHART, CHART_HEIGHT, MARGIN = 760.0, 240.0, 44.0


def bot_page(visit: Visit) -> Sheet:
    bot, league = visit.named_bot(), visit.league
    standing = next((one for one in league.table if one.bot == bot), None)
    parts = list(_parts([one for one in _sections(visit, league, bot) if one[2]]))
    body = join([_head(visit, league, bot, standing), *parts])
    about = f"{short(bot)} in the league {visit.edition.name}: {_summary(league, bot, standing)}"
    trail = visit.trail(Link(bot, f"{visit.edition.slug}/bots/{visit.edition.slugs[bot]}.html"))
    title = f"{short(bot, 64)} in {short(visit.edition.name, 64)}"
    return Sheet(title, about, body, visit.depth + 1, trail, visit.parts, events=visit.events)


Named = tuple[str, str, list[Html]]
"""Key, title and content of a section."""


def _parts(sections: Sequence[Named]) -> Iterator[Html]:
    """The sections in order, short ones beside each other where there is room."""
    for is_short, some in groupby(sections, lambda one: one[0] in SHORT):
        shown = [section(key, title, *content) for key, title, content in some]
        yield from [tag("div", *shown, class_="columns")] if is_short else shown


def _sections(visit: Visit, league: League, bot: str) -> Iterator[Named]:
    yield "versions", "Versions", list(_versions(visit, league, bot))
    if bot not in league.census.firsts:
        yield "matches", "Matches", [paragraph("It has not played yet.")]
        return
    yield "history", "How its rating settled", list(_history(league, bot))
    yield "opponents", "Opponents", list(_opponents(visit, league, bot))
    yield "seats", "Seats", list(_seats(visit, bot))
    yield "zones", "Where its points come from", list(_zones(league, bot))
    yield "scores", "Scores", [tag("div", histogram(league, bot), class_="panels")]
    yield "times", "Decision times", list(_times(league, bot))
    yield "faults", "Faults", list(_faults(league, bot))
    yield "matches", "Latest matches", list(_matches(visit, bot))


# Who it is


def _head(visit: Visit, league: League, bot: str, standing: Standing | None) -> Html:
    kicker = linked(tag("bdi", short(visit.edition.name, 64)), f"{visit.up}index.html")
    words = tag("p", _summary(league, bot, standing), class_="lede")
    return masthead(kicker, bot, *_version_line(visit, bot), words, *_rivals(standing))


def _version_line(visit: Visit, bot: str) -> Iterator[Html]:
    key = _key(visit, bot)
    version = (
        visit.edition.lineup.versions[key].version if key else str(visit.edition.settings["bots"].get(bot, [""])[0])
    )
    if version not in ("", "0"):
        yield tag("p", "Version ", tag("bdi", short(version)))


def _key(visit: Visit, bot: str) -> str | None:
    """The key of the version that has this label."""
    return next((key for key, label in visit.edition.lineup.labels.items() if label == bot), None)


def _summary(league: League, bot: str, standing: Standing | None) -> str:
    if standing is None or not standing.games:
        rating = _rating(league, bot)
        return f"Not in the standings now; rating {_with_reach(rating)}." if rating else "It has not played yet."
    margin = "" if standing.margin is None else f", {signed(standing.margin, 1)} points a match against the others"
    place = standing.rank.replace("-", " to ")
    return f"Place {place} of {len(league.table)}, rating {_with_reach(standing.rating)}{margin}."


def _rating(league: League, bot: str) -> Estimate | None:
    return league.fit.rating(bot) if bot in league.census.firsts else None


def _with_reach(estimate: Estimate) -> str:
    return f"{estimate.value:.0f} ± {estimate.high - estimate.value:.0f}"


def _rivals(standing: Standing | None) -> Iterator[Html]:
    if standing is not None and standing.games:
        others = bot_names(standing.not_separated, 6) if standing.not_separated else "none"
        yield tag("p", "Not separated from it: ", others, ".")


# Its versions


def _versions(visit: Visit, league: League, bot: str) -> Iterator[Html]:
    lineup = visit.edition.lineup
    key = _key(visit, bot)
    reigns = lineup.reigns(lineup.versions[key].name) if key else []
    if not reigns:
        return
    played = [one for one in reigns if lineup.labels[one.key] in league.census.firsts]
    if len(reigns) > 1:
        yield paragraph("All versions that ever played here are rated together, so they stand on one scale.")
    rows = list[Cells]()
    axis = bar_axis(league.fit.rating(lineup.labels[one.key]) for one in played) if played else None
    before: Reign | None = None
    for reign in reigns:
        rows.append(_version(visit, league, reign, before, axis))
        before = reign
    bars = [bar_head("95 % interval", axis, axis.ticks(5), rounded)] if axis else []
    head = [left_head("version"), left_head("joined"), left_head("left"), "rating", *bars, left_head("compared")]
    yield table_of("Versions", head, rows, class_="versions")


def _version(visit: Visit, league: League, reign: Reign, before: Reign | None, axis: Axis | None) -> Cells:
    lineup = visit.edition.lineup
    label, version = lineup.labels[reign.key], lineup.versions[reign.key]
    rating = _rating(league, label)
    name = tag("th", linked(tag("bdi", _version_name(visit, reign)), visit.bot(label)), scope="row")
    cells: list[str] = [name, left_cell(reign.joined[:10]), left_cell((reign.left or "plays now")[:10])]
    cells.append(
        tag("td", tag("b", rounded(rating.value)), tag("small", f" ±{rating.high - rating.value:.0f}"))
        if rating
        else "–"
    )
    if axis is not None:
        title = f"{version.version}: {_with_reach(rating)}" if rating else ""
        cells.append(bar_cell(axis, rating, title) if rating else tag("td"))
    return [*cells, left_cell(_compared(visit, league, reign, before))]


def _version_name(visit: Visit, reign: Reign) -> str:
    version = visit.edition.lineup.versions[reign.key]
    return short(version.version) if version.version else version.digest[:8]


def _compared(visit: Visit, league: League, reign: Reign, before: Reign | None) -> str:
    """`1.3 is +42 ± 20 over 1.2`."""
    if before is None or before.key == reign.key:
        return "–"
    labels = [visit.edition.lineup.labels[one.key] for one in (reign, before)]
    if any(label not in league.census.firsts for label in labels):
        return "one of them has not played"
    found = league.fit.difference(*labels)
    reach = (found.high - found.low) / 2
    return f"{_version_name(visit, reign)} is {signed(found.value)} ± {reach:.0f} over {_version_name(visit, before)}"


# How it did


def _history(league: League, bot: str) -> Iterator[Html]:
    points = track(league, bot)
    if len(points) < 2:
        return
    ends = [end for _, one in points for end in (one.low, one.high)]
    last = points[-1][1]
    room = 3 * (last.high - last.low)  # the first intervals are wide, and would hide everything else
    low, high = max(min(ends), last.value - room), min(max(ends), last.value + room)
    up = Axis.over([low, high], CHART_HEIGHT - 26, 8.0)
    across = Axis(math.log(points[0][0]), math.log(points[-1][0]), MARGIN, CHART - 20)
    xs = [across.at(math.log(count)) for count, _ in points]
    above = [(x, up.at(one.high)) for x, (_, one) in zip(xs, points)]
    below = [(x, up.at(one.low)) for x, (_, one) in zip(xs, points)]
    line = [(x, up.at(one.value)) for x, (_, one) in zip(xs, points)]
    title = f"{short(bot)}: rating against number of matches, at the end {_with_reach(last)}"
    drawing = svg(
        title, CHART, CHART_HEIGHT, *_frame(across, up),
        svg_path(line_through([*above, *reversed(below)]) + "z", "reach"),
        svg_path(line_through(line), "mine"),
        *(tag("circle", cx=x, cy=y, r=3.0, class_="dot") for x, y in line),
        class_="chart",
    )  # fmt: skip
    yield paragraph("Fitted to the first matches of the plan, then to more and more of them, with the 95 % interval.")
    yield scrolled("How the rating settled", drawing)


def _frame(across: Axis, up: Axis) -> Iterator[Html]:
    for tick in up.ticks(5):
        y = up.at(tick)
        yield svg_path(f"M{figure(across.start)},{figure(y)}H{figure(across.end)}", "grid")
        yield svg_text(across.start - 8, y + 4, rounded(tick), "end")
    for count in round_counts(across):
        yield svg_text(across.at(math.log(count)), CHART_HEIGHT - 6, whole(count), "middle")


def _opponents(visit: Visit, league: League, bot: str) -> Iterator[Html]:
    pairs = league.census.pairs
    others = [one for one in (*league.bots, *_old(league)) if one != bot and pairs.games(bot, one)]
    if not others:
        return
    differences = {one: league.fit.difference(bot, one) for one in others[:MOST_LISTED]}
    axis = bar_axis([*differences.values(), Estimate(0.0, 0.0, 0.0, 0.0)])
    bars = bar_head("difference with its 95 % interval", axis, axis.ticks(5), signed)
    head = [left_head("opponent"), "games", "points won", "lead", bars, "likely better"]
    rows = [_opponent(visit, league, bot, one, axis) for one in differences]
    yield paragraph(
        "The share of points that it won from each, where a win is a point and a tie half of one; then how far it is "
        "ahead by the ratings, in Elo points, and how likely it is the better one."
    )
    yield table_of("Opponents", head, rows)


def _old(league: League) -> Sequence[str]:
    """Versions and bots that are not in the standings."""
    shown = set(league.bots)
    return sorted(one for one in league.census.firsts if one not in shown)


def _opponent(visit: Visit, league: League, bot: str, other: str, axis: Axis) -> Cells:
    games, points = league.census.pairs.games(bot, other), league.census.pairs.points(bot, other)
    lead = league.fit.difference(bot, other)
    share = tag("td", linked(f"{percent(points / games)} %", visit.pair(bot, other)))
    likely = f"{likelihood(league.fit.superiority(bot, other))} %"
    title = f"{short(bot)} against {short(other)}: {signed(lead.value)}, 95 % interval {interval(lead)}"
    value = tag("b", signed(lead.value)) if league.fit.separated(bot, other) else join([signed(lead.value)])
    cells = [tag("td", value, tag("small", f" ±{(lead.high - lead.low) / 2:.0f}")), bar_cell(axis, lead, title, (0.0,))]
    return [row_head(other, visit.bot(other)), whole(games), share, *cells, likely]


def _seats(visit: Visit, bot: str) -> Iterator[Html]:
    found = {key: tally for key, tally in visit.edition.seats.items() if key[0] == bot}
    head = [left_head("table"), "seat", "games", "first", "mean place", "mean score"]
    rows = [_seat(size, seat, found[bot, size, seat]) for _, size, seat in sorted(found)]
    yield paragraph("First counts first places, alone or shared.")
    yield table_of("Results by seat", head, rows)


def _seat(size: int, seat: int, tally: SeatTally) -> Cells:
    games = tally.games
    first = tag("td", whole(tally.firsts), tag("small", f" {percent(tally.firsts / games)} %"))
    place, score = f"{tally.ranks / games:.2f}", f"{tally.points / games:.1f}"
    return [tag("th", f"{size} seats", scope="row"), str(seat), whole(games), first, place, score]


def _zones(league: League, bot: str) -> Iterator[Html]:
    zones, totals = league.census.zones.names(), league.census.zones.totals()
    if not zones or bot not in totals:
        return
    games = {one: sum(counts.values()) for one, counts in league.census.scores.items()}
    mine = {zone: totals[bot][zone] / games[bot] for zone in zones}
    field = {zone: sum(total[zone] for total in totals.values()) / sum(games.values()) for zone in zones}
    shown = sorted(zones, key=lambda zone: -max(abs(mine[zone]), abs(field[zone])))[:MOST_ZONES]
    axis = Axis(
        min(0.0, *mine.values(), *field.values()), max(1.0, *mine.values(), *field.values()), 2.0, BAR - BAR_END
    )
    bars = bar_head("its points, drawn; the line is the mean of all bots", axis, axis.ticks(5), rounded)
    head = [left_head("zone"), "its points", "all bots", "difference", bars]
    rows = [_zone(zone, mine[zone], field[zone], axis) for zone in zones if zone in shown]
    game = league.report.settings.get("game", "GAME")
    yield paragraph(
        f"Mean points of a match; `arena rules {game}` explains the names. The line in a bar is the mean of all bots."
    )
    yield table_of("Points by zone", head, rows)


MOST_ZONES = 20


def _zone(zone: str, mine: float, field: float, axis: Axis) -> Cells:
    left, right = sorted((axis.at(0.0), axis.at(mine)))
    drawing = svg(
        f"{short(zone)}: {mine:.1f}, all bots {field:.1f}", BAR, BAR_HEIGHT,
        grid_lines(axis, axis.ticks(5), BAR_HEIGHT),
        tag("rect", x=left, y=5, width=max(1.0, right - left), height=10, rx=2, class_="fill"),
        svg_path(f"M{figure(axis.at(field))},2V{BAR_HEIGHT - 2:g}", "zero"),
        class_="bar",
    )  # fmt: skip
    name = tag("th", short(zone), scope="row")
    return [name, tag("td", tag("b", tenths(mine))), tenths(field), signed(mine - field, 1), tag("td", drawing)]


def _times(league: League, bot: str) -> Iterator[Html]:
    times = league.census.times.get(bot)
    if times is None:
        return
    facts = [
        ("decisions", whole(times.decisions)), ("mean", duration(times.mean)), ("p99", duration(times.p99)),
        ("longest", duration(times.most)), ("CPU of a decision", duration(times.mean_cpu)),
    ]  # fmt: skip
    yield paragraph("As the referee's clock charged it. p99 is the median of the p99 of each match.")
    yield tag("dl", *(part for key, value in facts for part in (tag("dt", key), tag("dd", value))), class_="facts")


def _faults(league: League, bot: str) -> Iterator[Html]:
    counts = {kind: count for (one, kind), count in league.census.faults.counts.items() if one == bot}
    if not counts:
        yield paragraph("It had none.")
        return
    kinds = sorted(counts, key=kind_order)
    rows = [[tag("th", short(kind), scope="row"), whole(counts[kind])] for kind in kinds]
    yield table_of("Faults by kind", [left_head("kind"), "how often"], rows)
    yield tag("dl", *(part for kind in kinds for part in meaning(kind)))
    examples = [one for one in league.census.faults.examples() if one.bot == bot]
    yield tag("h3", counted(len(examples), "example"))
    yield fault_list(league, examples)


def _matches(visit: Visit, bot: str) -> Iterator[Html]:
    wanted, edition = MatchFilter(bot), visit.edition
    found = edition.index.find(wanted, edition.count)
    yield match_table(visit, latest(edition, found, LATEST), "Latest matches")
    if visit.outlet.is_served and len(found) > LATEST:
        yield tag("p", tag("a", f"All {counted(len(found), 'match')}", href=address(visit, wanted)), class_="next")
