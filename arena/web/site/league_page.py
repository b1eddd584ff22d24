"""The page of a league: its standings, what is being played beside them, who beats whom, how the ratings settled."""

from collections.abc import Iterator, Sequence

from arena.league.report.drawing import Axis, bar_axis, bar_cell, bar_head
from arena.league.report.facts import League, left_out
from arena.league.report.markup import (
    Cells,
    Html,
    join,
    left_cell,
    left_head,
    paragraph,
    row_head,
    short,
    table_of,
    tag,
)
from arena.league.report.meetings import crosstable_section
from arena.league.report.page import rounds_title, who_leads
from arena.league.report.ratings import progression_section
from arena.league.report.rounds import rounds_section
from arena.league.report.words import interval, rounded, signed, tenths, whole, with_and
from arena.league.standings import Standing
from arena.texts import counted
from arena.web.site.index import ALL_MATCHES, IndexedMatch
from arena.web.site.pieces import bot_link, latest, masthead, section, state_line
from arena.web.site.shell import Sheet
from arena.web.site.visit import Visit

ABOUT_PLACES = (
    "Places come from a fit of all results at once; the bar is the interval that contains the true rating 95 times in "
    "100. A place is a range as long as bots are not separated."
)
LATEST, TABLES = 8, 8
"""How many results and tables are shown beside the standings."""


def league_page(visit: Visit) -> Sheet:
    league, edition = visit.league, visit.edition
    left = [section("standings", "Standings", _standings(visit, league))]
    sections = [section(key, title, content) for key, title, content in _more(league)] if league.census.matches else []
    left, sections = left + sections[:1], sections[1:]
    beside = tag("div", tag("div", *left), _now(visit), class_="beside")
    body = join([_head(visit, league), beside, *sections])
    return Sheet(edition.name, _about(visit), body, visit.depth + 1, (), visit.parts, events=visit.events)


def _about(visit: Visit) -> str:
    status, league = visit.edition.status, visit.edition.league
    leader = f" {short(league.played[0].bot)} leads." if league.played else ""
    return f"{visit.edition.settings['game']}: {status.played:,} of {counted(status.planned, 'match')} played.{leader}"


def _head(visit: Visit, league: League) -> Html:
    settings = visit.edition.settings
    sizes = league.census.sizes or settings["schedule"][1:]
    kind = str(settings["schedule"][0]).replace("_", " ")
    kicker = f"{settings['game']}, edition {settings.get('edition', '?')}"
    facts = f"{counted(len(league.bots), 'bot')} at tables of {with_and(sizes)}, {kind}."
    return masthead(kicker, visit.edition.name, tag("p", facts), tag("p", who_leads(league), class_="lede"))


def _more(league: League) -> Iterator[tuple[str, str, Html]]:
    """What stands below the standings, then what needs all of the room."""
    yield "crosstable", "Who beats whom", crosstable_section(league)
    if league.report.course is not None:
        yield "rounds", rounds_title(league), rounds_section(league)
    yield "progress", "How the ratings settled", progression_section(league)


# The standings


def _standings(visit: Visit, league: League) -> Html:
    words = ABOUT_PLACES + left_out(league.listed, league.table)
    if visit.edition.rated != visit.edition.count:
        words += f" Ratings are those of the first {visit.edition.rated:,} of {visit.edition.count:,} results."
    if not league.played:
        return paragraph("No match has been played yet, so there is nothing to rate.")
    axis = bar_axis(standing.rating for standing in league.played)
    bars = bar_head("95 % interval", axis, axis.ticks(5), rounded)
    head = [left_head("place"), left_head("bot"), "rating", bars, "games", "won", "score", "margin", "faults"]
    rows = [_standing(visit, one, axis) for one in league.listed if one.games]
    absent = [_absent(visit, one, len(head)) for one in league.listed if not one.games]
    return join([table_of("Standings", head, rows, absent, class_="places"), paragraph(words, "note")])


def _standing(visit: Visit, one: Standing, axis: Axis) -> Cells:
    rating = one.rating
    return [
        tag("td", one.rank.replace("-", "–"), class_="left"),
        row_head(one.bot, visit.bot(one.bot)),
        tag("td", tag("b", rounded(rating.value)), tag("small", f" ±{rating.high - rating.value:.0f}")),
        bar_cell(axis, rating, f"{short(one.bot)}: {rating.value:.0f}, 95 % interval {interval(rating)}"),
        whole(one.games),
        whole(one.wins),
        tenths(one.mean_score),
        "–" if one.margin is None else signed(one.margin, 1),
        tag("td", whole(one.faults), class_=None if one.faults else "quiet"),
    ]


def _absent(visit: Visit, one: Standing, width: int) -> Cells:
    return [left_cell("–"), row_head(one.bot, visit.bot(one.bot)), *["–"] * (width - 2)]


# Beside them


def _now(visit: Visit) -> Html:
    status = visit.edition.status
    parts = [state_line(status), *_tables(visit, status.playing), *_latest(visit)]
    return tag("aside", *parts, aria_label="Now", data_part="now")


def _tables(visit: Visit, playing: Sequence[Sequence[str]]) -> Iterator[Html]:
    if not playing:
        return
    yield tag("h3", "At the tables")
    entries = (tag("li", join((bot_link(visit, bot, 20) for bot in table), " · ")) for table in playing[:TABLES])
    yield tag("ul", *entries, class_="now tables")
    if len(playing) > TABLES:
        yield tag("p", f"and {len(playing) - TABLES:,} more tables", class_="note")


def _latest(visit: Visit) -> Iterator[Html]:
    edition = visit.edition
    found = latest(edition, edition.index.find(ALL_MATCHES, edition.count), LATEST)
    if not found:
        return
    yield tag("h3", "Latest results")
    entries = (tag("li", _scores(visit, one), _watch(visit, one)) for one in found)
    yield tag("ol", *entries, class_="now")
    yield tag("p", tag("a", "All matches", href=f"{visit.up}matches/index.html"))


def _scores(visit: Visit, one: IndexedMatch) -> Html:
    """The bots of a match, best first, each with its points."""
    order = sorted(range(len(one.bots)), key=lambda seat: (one.ranks[seat], seat))
    rows = (
        tag(
            "div",
            bot_link(visit, one.bots[seat], 22),
            tag("span", f"{one.scores[seat]:,}"),
            class_=_first(one.ranks[seat]),
        )
        for seat in order
    )
    return tag("div", *rows, class_="scores")


def _first(rank: int) -> str | None:
    return "won" if rank == 1 else None


def _watch(visit: Visit, one: IndexedMatch) -> Html:
    address = visit.replay(one.match) or visit.match(one.match)
    words = "replay" if visit.replay(one.match) else "match"
    return join(
        []
        if address is None
        else [tag("a", words, href=address, aria_label=f"{words} {one.match[:8]}", class_="watch")]
    )
