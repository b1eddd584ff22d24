"""The list of matches, newest first, all or some of them, a page at a time."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from arena.league.report.markup import Html, join, paragraph, short, tag
from arena.texts import counted, quoted
from arena.web.site.index import ALL_MATCHES, LOST, SHARED, WON, IndexedMatch, MatchFilter
from arena.web.site.pieces import latest, masthead, match_table
from arena.web.site.shell import Link, Sheet
from arena.web.site.visit import BadQuery, NoPage, Visit

PER_PAGE = 50
RESULTS = {"": "any result", WON: "won", SHARED: "shared first place", LOST: "lost"}
QUERY: Mapping[str, str] = {
    "bot": "only matches of this bot, by its part of addresses",
    "against": "only matches with this bot as well",
    "result": "what `bot` did: won (first alone), shared (first with others) or lost",
    "seats": "only tables of this size",
    "faults": "1: only matches with a fault; if there is a bot, with one of its own",
    "page": "the number of the page, from 1",
}


def match_list(visit: Visit) -> Sheet:
    wanted, number = filter_of(visit), page_number(visit)
    found = visit.edition.index.find(wanted, visit.edition.count)
    pages = max(1, -(-len(found) // PER_PAGE))
    if number > pages:
        raise NoPage(f"There are {counted(pages, 'page')} of these matches, so there is no page {number:,}.")
    shown = latest(visit.edition, found[PER_PAGE * (number - 1) :], PER_PAGE)
    body = join([_head(visit, wanted, len(found)), *_form(visit, wanted), _list(visit, wanted, shown, number, pages)])
    about = f"{counted(len(found), 'match')} of the league {visit.edition.name}."
    title = f"Matches of {short(visit.edition.name, 64)}"
    events = visit.events if number == 1 else ""  # later pages would only shift
    trail = visit.trail(Link("Matches", f"{visit.edition.slug}/matches/index.html"))
    return Sheet(title, about, body, visit.depth + 1, trail, visit.parts, events=events)


# What is wanted


def filter_of(visit: Visit) -> MatchFilter:
    """From the query. BadQuery says what makes no sense."""
    check_names(visit.query, QUERY)
    query = {key: value for key, value in visit.query.items() if value}
    result = query.get("result", "")
    if result not in RESULTS:
        raise BadQuery(f"result: {quoted(result)} is not one of won, shared, lost.")
    bot, against = (_bot(visit, key, query.get(key, "")) for key in ("bot", "against"))
    if result and not bot:
        raise BadQuery("result: it is the result of a bot, so name a bot as well.")
    if query.get("faults", "1") != "1":
        raise BadQuery(f"faults: {quoted(query['faults'])} is not 1. Leave it out for all matches.")
    return MatchFilter(bot, against, result, _number("seats", query.get("seats", "0")), "faults" in query)


def check_names(query: Mapping[str, str], known: Mapping[str, str]) -> None:
    for name in query:
        if name not in known:
            raise BadQuery(f"{quoted(name)} is not one of {', '.join(known)}.")


def _bot(visit: Visit, key: str, slug: str) -> str:
    if slug and slug not in visit.edition.labels:
        raise BadQuery(f"{key}: no bot of this league has the address {quoted(slug)}.")
    return visit.edition.labels[slug] if slug else ""


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise BadQuery(f"{name}: {quoted(text)} is not a number.")
    return int(text)


def page_number(visit: Visit) -> int:
    number = _number("page", visit.path.get("page") or visit.query.get("page") or "1")
    if not number:
        raise BadQuery("page: pages are counted from 1.")
    return number


# What is shown


def _head(visit: Visit, wanted: MatchFilter, count: int) -> Html:
    note = [paragraph(visit.outlet.note, "note")] if visit.outlet.note else []
    words = counted(count, "match") if wanted != ALL_MATCHES else f"{counted(count, 'match')}, the newest first."
    return masthead(visit.edition.name, "Matches", tag("p", words), *note)


def _form(visit: Visit, wanted: MatchFilter) -> Iterator[Html]:
    """Files cannot filter."""
    if not visit.outlet.is_served:
        return
    slugs = visit.edition.slugs
    bots = {"": "any bot"} | {slugs[bot]: short(bot) for bot in sorted(slugs)}
    sizes = {"": "any size"} | {str(size): f"{size} seats" for size in visit.edition.index.sizes()}
    yield tag(
        "form",
        _choice("bot", "Bot", bots, slugs.get(wanted.bot, "")),
        _choice("against", "Against", bots, slugs.get(wanted.against, "")),
        _choice("result", "Result", RESULTS, wanted.result),
        _choice("seats", "Table", sizes, str(wanted.seats or "")),
        tag("label", _checkbox(wanted.faults), " with faults", class_="check"),
        tag("button", "Show", type="submit"),
        method="get",
        action="index.html",
        class_="filters",
    )


def _choice(name: str, label: str, options: Mapping[str, str], chosen: str) -> Html:
    shown = (
        tag("option", words, value=value, selected="" if value == chosen else None) for value, words in options.items()
    )
    return tag("label", tag("span", label), tag("select", *shown, name=name))


def _checkbox(is_on: bool) -> Html:
    return tag("input", type="checkbox", name="faults", value="1", checked="" if is_on else None)


def _list(visit: Visit, wanted: MatchFilter, shown: Sequence[IndexedMatch], number: int, pages: int) -> Html:
    links = join(_pages(visit, wanted, number, pages), " ")
    paging = [tag("nav", links, class_="paging", aria_label="Pages")] if pages > 1 else []
    return tag("div", match_table(visit, shown), *paging, data_part="list")


def _pages(visit: Visit, wanted: MatchFilter, number: int, pages: int) -> Iterator[Html]:
    near = sorted({1, 2, number - 1, number, number + 1, pages - 1, pages} & set(range(1, pages + 1)))
    if number > 1:
        yield tag("a", "newer", href=address(visit, wanted, number - 1), rel="prev")
    before = 0
    for one in near:
        if one > before + 1:
            yield tag("span", "…", class_="quiet")
        before = one
        if one == number:
            yield tag("b", f"{one:,}", aria_current="page")
        else:
            yield tag("a", f"{one:,}", href=address(visit, wanted, one), aria_label=f"page {one:,}")
    if number < pages:
        yield tag("a", "older", href=address(visit, wanted, number + 1), rel="next")


def address(visit: Visit, wanted: MatchFilter, number: int = 1) -> str:
    """Of a page of these matches, seen from this page. Without a filter it is a file of its own."""
    if wanted == ALL_MATCHES:
        return f"{visit.up}matches/{'index' if number == 1 else f'page-{number}'}.html"
    slugs = visit.edition.slugs
    query = {
        "bot": slugs.get(wanted.bot, ""),
        "against": slugs.get(wanted.against, ""),
        "result": wanted.result,
        "seats": str(wanted.seats or ""),
        "faults": "1" if wanted.faults else "",
        "page": str(number) if number > 1 else "",
    }
    return f"{visit.up}matches/index.html?{urlencode({key: value for key, value in query.items() if value})}"
