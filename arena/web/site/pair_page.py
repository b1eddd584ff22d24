"""The page of two bots: how often each was ahead at the tables at which both sat."""

from arena.league.report.markup import Html, join, left_head, linked, paragraph, short, table_of, tag
from arena.league.report.words import likelihood, percent, signed, whole
from arena.league.statistics import wilson
from arena.texts import counted
from arena.web.site.index import Duels, MatchFilter
from arena.web.site.match_list import address
from arena.web.site.pieces import bot_link, latest, masthead, match_table, section
from arena.web.site.shell import Link, Sheet
from arena.web.site.visit import NoPage, Visit

LATEST = 25


def pair_page(visit: Visit) -> Sheet:
    bot, other = visit.named_bot("bot"), visit.named_bot("other")
    if bot == other:
        raise NoPage("A bot does not meet itself here. Its own page has all about it.")
    duels = visit.edition.index.duels(bot, other, visit.edition.count)
    title = f"{short(bot)} against {short(other)}"
    words = _words(visit, bot, other, duels)
    kicker = linked(tag("bdi", short(visit.edition.name, 64)), f"{visit.up}index.html")
    parts = [section("result", "Result", _table(visit, bot, other, duels))] if duels.games else []
    body = join([masthead(kicker, title, tag("p", words, class_="lede")), *parts, _matches(visit, bot, other)])
    slug, slugs = visit.edition.slug, visit.edition.slugs
    trail = visit.trail(
        Link(bot, f"{slug}/bots/{slugs[bot]}.html"),
        Link(f"against {other}", f"{slug}/pairs/{slugs[bot]}/{slugs[other]}.html"),
    )
    return Sheet(
        title, f"{words} League {visit.edition.name}.", body, visit.depth + 1, trail, visit.parts, events=visit.events
    )


def _words(visit: Visit, bot: str, other: str, duels: Duels) -> str:
    if not duels.games:
        return "They have not met yet."
    points = duels.ahead + duels.ties / 2
    low, high = wilson(points, duels.games)
    share = f"{percent(points / duels.games)} % of the points in {counted(duels.games, 'game')}"
    words = f"{short(bot)} won {share} ({percent(low)} to {percent(high)} %)."
    league = visit.edition.league
    if not {bot, other} <= league.census.firsts.keys():
        return words
    lead = league.fit.difference(bot, other)
    likely = likelihood(league.fit.superiority(bot, other))
    reach = (lead.high - lead.low) / 2
    return (
        f"{words} By the ratings it is {signed(lead.value)} ± {reach:.0f}, and better with a likelihood of {likely} %."
    )


def _table(visit: Visit, bot: str, other: str, duels: Duels) -> Html:
    head = [left_head("bot"), "ahead", "level", "behind", "mean score", "points of the games"]
    behind = duels.games - duels.ahead - duels.ties
    rows = [
        _row(visit, bot, duels.ahead, duels.ties, behind, duels.points / duels.games),
        _row(visit, other, behind, duels.ties, duels.ahead, duels.rival_points / duels.games),
    ]
    note = (
        "At tables of more than two, ahead means a better place than the other. The interval in brackets is Wilson's."
    )
    return join([table_of("Result", head, rows), paragraph(note, "note")])


def _row(visit: Visit, bot: str, ahead: int, ties: int, behind: int, score: float) -> list[str]:
    name = tag("th", bot_link(visit, bot), scope="row")
    points = tag("td", tag("b", f"{percent((ahead + ties / 2) / (ahead + ties + behind))} %"))
    return [name, whole(ahead), whole(ties), whole(behind), f"{score:.1f}", points]


def _matches(visit: Visit, bot: str, other: str) -> Html:
    wanted, edition = MatchFilter(bot, other), visit.edition
    found = edition.index.find(wanted, edition.count)
    shown = [match_table(visit, latest(edition, found, LATEST), "Latest matches")]
    if visit.outlet.is_served and len(found) > LATEST:
        shown.append(
            tag("p", tag("a", f"All {counted(len(found), 'match')}", href=address(visit, wanted)), class_="next")
        )
    return section("matches", "Latest matches", *shown)
