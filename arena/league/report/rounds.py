"""The section of a league with rounds: tables of its groups, the bracket, and who went on, and why."""

from collections.abc import Iterator, Sequence

from arena.league.report.drawing import svg_path, svg_text
from arena.league.report.facts import League
from arena.league.report.faults import record_link
from arena.league.report.markup import (
    Cells,
    Html,
    bot_name,
    figure,
    join,
    left_cell,
    left_head,
    paragraph,
    row_head,
    scrolled,
    table_of,
    tag,
)
from arena.league.report.words import tenths, whole
from arena.league.ties import GroupTable, Round, Tie
from arena.league.tree import FINAL, BracketColumn, BracketEntry, columns, middle, title
from arena.texts import counted, fitted

LINE, CHARACTER, GAP, MOST_NAME = 22.0, 8.4, 36.0, 22
"""Pixels of a line, of a character and between two rounds; and the most characters of a name in the bracket."""
ABOUT_TIES = (
    "A tie is one table in all rotations of its seats. The bot with the lowest sum of ranks goes on; if two have the "
    "same, the one with more points; then the one that the file names first."
)
ABOUT_GROUPS = (
    "Bots of a group are ranked by the share of opponents that they beat, where a tie counts one half; then by points "
    "of a game, then by the order in the file."
)


def rounds_section(league: League) -> Html:
    course = league.report.course
    assert course is not None
    parts = list[Html]()
    if course.groups:
        parts += [paragraph(ABOUT_GROUPS), tag("div", *map(_group, course.groups), class_="groups")]
    if course.final is not None:
        parts.append(_group(course.final))
    if course.rounds:
        parts += [paragraph(ABOUT_TIES, "next"), _bracket(course.rounds), _ties(league, course.rounds)]
    return join(parts)


# Groups


def _group(group: GroupTable) -> Html:
    name = FINAL if group.name == FINAL else f"Group {group.name}"
    head = [left_head("place"), left_head("bot"), "games", "beaten", "score"]
    rows = [[tag("td", str(at), class_="left"), *_place_cells(group, at)] for at, _ in enumerate(group.places, 1)]
    words = "" if group.is_over else f"{group.played:,} of {counted(group.planned, 'match')} are played."
    advance = [paragraph(f"The first {group.going_on} go on.", "note")] if group.going_on > 1 else []
    notes = [paragraph(words, "note")] if words else advance
    return tag("div", tag("h3", name), table_of(name, head, rows), *notes)


def _place_cells(group: GroupTable, at: int) -> Cells:
    place = group.places[at - 1]
    bot = (
        row_head(place.bot)
        if at <= max(1, group.advance)
        else tag("th", bot_name(place.bot), scope="row", class_="out")
    )
    beaten = f"{float(place.beaten):g} of {place.met:,}"
    return [bot, whole(place.games), beaten, tenths(float(place.mean)) if place.games else "–"]


# The bracket


def _bracket(rounds: Sequence[Round]) -> Html:
    """Drawn in its own size, because names must stay readable: it can be scrolled."""
    drawn = list(columns(rounds))
    bots = dict.fromkeys(entry.bot for column in drawn for entry in column.entries if entry.bot)
    shown = fitted(bots, MOST_NAME)
    parts, x = list[Html](), 1.0
    for column in drawn:
        width = _width(column, shown)
        parts += _column(column, shown, x, width)
        x += width + GAP
    height = LINE * (3 + max(entry.line for entry in drawn[0].entries))
    words = [tag("title", "The bracket"), tag("desc", "The table below has the same results.")]
    size = {"width": f"{x:.0f}", "height": f"{height:.0f}"}
    drawing = tag("svg", *words, *parts, viewBox=f"0 0 {x:.0f} {height:.0f}", role="img", class_="tree", **size)
    return scrolled("Bracket", drawing)


def _width(column: BracketColumn, shown: dict[str, str]) -> float:
    longest = max(len(_name(entry, shown)) + len(_result(entry)) + 2 for entry in column.entries)
    return CHARACTER * max(longest, len(column.title))


def _name(entry: BracketEntry, shown: dict[str, str]) -> str:
    return shown[entry.bot] if entry.bot else "open"


def _result(entry: BracketEntry) -> str:
    if entry.tie is None or entry.bot is None:
        return ""
    if entry.tie.is_bye:
        return "bye"
    return f"{entry.tie.ranks(entry.bot)} · {entry.tie.points(entry.bot)}" if entry.tie.rows else "–"


def _column(column: BracketColumn, shown: dict[str, str], x: float, width: float) -> Iterator[Html]:
    if column.title:
        yield svg_text(x, 14, column.title)
    for entry in column.entries:
        y = _y(entry.line)
        is_best = entry.tie is None or entry.tie.winner == entry.bot
        yield svg_text(x, y, _name(entry, shown), class_="won" if is_best and entry.bot else "lost")
        yield svg_text(x + width, y, _result(entry), "end")
    for lines in column.joints:
        yield svg_path(_joint(x + width + 4, lines), "zero")


def _y(line: int) -> float:
    return LINE * (line + 2) - 6


def _joint(x: float, lines: Sequence[int]) -> str:
    ys, corner, out = [_y(line) - 4 for line in lines], x + GAP / 2 - 4, _y(middle(lines)) - 4
    into = "".join(f"M{figure(x)},{figure(y)}H{figure(corner)}" for y in ys)
    down = f"M{figure(corner)},{figure(min(ys))}V{figure(max(ys))}"
    return f"{into}{down}M{figure(corner)},{figure(out)}H{figure(x + GAP - 8)}"


# Ties


def _ties(league: League, rounds: Sequence[Round]) -> Html:
    head = [left_head(what) for what in ("round", "bots: sum of ranks · points", "goes on", "by", "records")]
    rows = [_tie(league, title(rounds, at), tie) for at, round_ in enumerate(rounds) for tie in round_]
    return table_of("Ties", head, rows, class_="ties")


def _tie(league: League, round_: str, tie: Tie) -> Cells:
    played = f"{len(tie.rows)} of {counted(len(tie.bots), 'match')}"
    results = [tag("div", bot_name(bot), tag("span", _score(tie, bot), class_="quiet")) for bot in tie.bots]
    winner = bot_name(tie.winner) if tie.winner is not None else tag("span", "open", class_="quiet")
    records = join((record_link(league, row, str(at)) for at, row in enumerate(tie.rows, 1)), " ")
    return [
        left_cell(round_),
        left_cell(*results),
        left_cell(winner),
        left_cell(tie.why if tie.is_over else played),
        left_cell(records),
    ]


def _score(tie: Tie, bot: str) -> str:
    return " bye" if tie.is_bye else f" {tie.ranks(bot)} · {tie.points(bot)}" if tie.rows else " –"
