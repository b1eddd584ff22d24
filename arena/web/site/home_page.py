"""The list of leagues."""

from collections.abc import Mapping, Sequence

from arena.league.report.markup import Html, bot_name, join, paragraph, short, tag
from arena.texts import counted, one_line
from arena.web.site.edition import Edition
from arena.web.site.pieces import state_line
from arena.web.site.shell import Sheet

MOST_SHOWN = 3


def home_page(
    editions: Sequence[Edition],
    waiting: Sequence[str] = (),
    troubles: Mapping[str, str] | None = None,
    events: str = "",
) -> Sheet:
    """All leagues: those that are read, those that are being read, and those that cannot be."""
    running = sum(edition.status.state == "running" for edition in editions)
    words = f"{counted(len(editions), 'league')}, {running} running." if editions else "There are no leagues here yet."
    head = tag(
        "header", tag("p", "Dino Arena", class_="kicker"), tag("h1", "Leagues"), tag("p", words), data_part="masthead"
    )
    cards = [_card(edition) for edition in sorted(editions, key=_order)]
    cards += [tag("li", tag("h2", slug), tag("p", "It is being read ...", class_="quiet")) for slug in waiting]
    cards += [tag("li", tag("h2", slug), tag("p", one_line(why))) for slug, why in sorted((troubles or {}).items())]
    listed = tag("ul", *cards, class_="leagues", data_part="leagues") if cards else _none()
    return Sheet("Leagues", f"Leagues of bots that play board games. {words}", join([head, listed]), events=events)


def _order(edition: Edition) -> tuple[bool, int, str]:
    """Those that run come first, then those that were played last."""
    seen = 0 if edition.status.runs is None else edition.status.runs.seen
    return edition.status.state != "running", -seen, edition.slug


def _none() -> Html:
    words = "`arena league run FILE` begins a league; `arena demo` plays a small one."
    return tag("div", paragraph(words), data_part="leagues")


def _card(edition: Edition) -> Html:
    league = edition.league
    best = [
        tag("li", bot_name(one.bot), tag("small", f" {one.rating.value:.0f}")) for one in league.played[:MOST_SHOWN]
    ]
    kicker = f"{edition.settings['game']} · {counted(len(league.bots), 'bot')}"
    title = tag("h2", tag("a", tag("bdi", short(edition.name, 40)), href=f"{edition.slug}/index.html"))
    podium = [tag("ol", *best, class_="podium")] if best else []
    return tag("li", tag("p", kicker, class_="kicker"), title, *podium, state_line(edition.status))
