"""Parts that several pages of the site have in common."""

from collections.abc import Iterable, Sequence

from arena.league.report.markup import (
    Cells,
    Html,
    bot_name,
    join,
    left_cell,
    left_head,
    linked,
    paragraph,
    short,
    table_of,
    tag,
)
from arena.league.report.words import whole
from arena.texts import counted
from arena.web.site.edition import Edition, SiteStatus
from arena.web.site.index import IndexedMatch
from arena.web.site.visit import Visit

SHORT_ID = 8
STATES = {"running": "Running", "complete": "Complete", "stopped": "Stopped"}


def section(key: str, title: str, *content: str) -> Html:
    """A part of a page that is replaced when it changes."""
    return tag("section", tag("h2", title, id=key), *content, aria_labelledby=key, data_part=key)


def masthead(kicker: Html | str, title: str, *more: Html) -> Html:
    return tag(
        "header",
        tag("p", kicker, class_="kicker"),
        tag("h1", tag("bdi", short(title, 64))),
        *more,
        data_part="masthead",
    )


def bot_link(visit: Visit, bot: str, most: int = 32) -> Html:
    name = bot_name(bot) if most == 32 else tag("bdi", short(bot, most), title=bot if len(bot) > most else None)
    return linked(name, visit.bot(bot))


def progress_words(status: SiteStatus) -> str:
    """`1,234 of 5,000 matches, 12.3 a second, 5 min left`."""
    words = [f"{status.played:,} of {counted(status.planned, 'match')}"]
    if status.state == "running" and status.runs is not None and status.runs.rate and status.runs.new:
        words.append(f"{status.runs.rate:,.1f} a second")
    if status.seconds_left is not None:
        words.append(f"about {spell(status.seconds_left)} left")
    return ", ".join(words)


def spell(seconds: float) -> str:
    """`40 s`, `5 min`, `3 h 20 min`, `2 days`."""
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 2880 else f"{minutes // 1440:,} days"


def state_line(status: SiteStatus) -> Html:
    """Whether a league runs, and how far it is, with a bar."""
    share = 100.0 * status.played / status.planned if status.planned else 100.0
    words = progress_words(status)
    bar = tag("progress", max=100, value=min(100.0, share), aria_label=f"played: {words}")
    dot = tag("span", STATES[status.state], class_=f"state {status.state}")
    return tag("div", tag("p", dot, " ", words), bar, class_="progress")


def seats_of(visit: Visit, one: IndexedMatch, most: int = 32) -> Html:
    """The bots by seat with their points, winners in bold."""
    shown = (
        join([tag("b", bot_link(visit, bot, most)) if rank == 1 else bot_link(visit, bot, most), f"\u00a0{score:,}"])
        for bot, rank, score in zip(one.bots, one.ranks, one.scores)
    )
    return join((tag("span", seat, class_="seat") for seat in shown), " ")


def match_link(visit: Visit, match: str, words: str = "") -> Html:
    return linked(tag("code", words or match[:SHORT_ID]), visit.match(match))


def match_table(visit: Visit, matches: Iterable[IndexedMatch], label: str = "Matches") -> Html:
    head = [left_head("match"), left_head("bots by seat, and their points"), "steps", "faults", left_head("look")]
    rows = [_match_row(visit, one) for one in matches]
    if not rows:
        return paragraph("There are none.")
    return table_of(label, head, rows, class_="ties matches")


def _match_row(visit: Visit, one: IndexedMatch) -> Cells:
    name = f"match {one.match[:SHORT_ID]}"
    looks = [("replay", visit.replay(one.match)), ("record", visit.record(one.match))]
    links = [tag("a", words, href=at, aria_label=f"{words} of {name}") for words, at in looks if at is not None]
    faults = tag("td", whole(one.faults), class_=None if one.faults else "quiet")
    look = join(links, " · ") if links else tag("span", "–", class_="quiet")
    return [
        left_cell(match_link(visit, one.match)),
        left_cell(seats_of(visit, one)),
        whole(one.steps),
        faults,
        left_cell(look),
    ]


def latest(edition: Edition, places: Sequence[int], most: int) -> list[IndexedMatch]:
    return [edition.index.match(at) for at in places[:most]]
