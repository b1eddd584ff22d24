"""The whole page: its head, its top, and its sections in order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from arena.league.report.facts import League, Report, league_of
from arena.league.report.faults import faults_section
from arena.league.report.hosts import hosts_section
from arena.league.report.markup import Html, bot_name, bot_names, join, short, tag
from arena.league.report.matches import matches_section
from arena.league.report.meetings import balance_section, crosstable_section
from arena.league.report.ratings import progression_section, seats_section
from arena.league.report.reproduce import reproduce_section
from arena.league.report.rounds import rounds_section
from arena.league.report.scores import scores_section, zones_section
from arena.league.report.standings import standings_section
from arena.league.report.times import times_section
from arena.league.report.words import with_and
from arena.texts import counted

Section = tuple[str, str, Callable[[League], Html]]
SECTIONS: tuple[Section, ...] = (
    ("standings", "Standings", standings_section),
    ("crosstable", "Who beats whom", crosstable_section),
    ("progress", "How the ratings settled", progression_section),
    ("seats", "Seats", seats_section),
    ("scores", "Scores", scores_section),
    ("zones", "Where points come from", zones_section),
    ("times", "Decision times", times_section),
    ("faults", "Faults", faults_section),
    ("hosts", "Hosts", hosts_section),
    ("matches", "Matches", matches_section),
    ("balance", "Balance of the schedule", balance_section),
    ("reproduce", "Reproduce this league", reproduce_section),
)
SECURITY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
STYLE = "\n" + (files("arena.league.report") / "style.css").read_text("utf-8")


def render(report: Report) -> str:
    """The whole file. The same results give the same bytes."""
    league = league_of(report)
    shown = [*_rounds(league), *(section for section in SECTIONS if _has(league, section[0]))]
    sections = [
        tag("section", tag("h2", title, id=key), make(league), aria_labelledby=key) for key, title, make in shown
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=SECURITY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{short(report.name)}: league report"),
        tag("style", Html(STYLE)),
    )
    body = tag("body", _masthead(league), _contents(shown), tag("main", *sections))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _has(league: League, key: str) -> bool:
    """Whether there is something to show in this section."""
    if key == "hosts":
        return bool(league.report.hosts.lines)
    return bool(league.census.matches) or key == "reproduce"


def _rounds(league: League) -> Iterator[Section]:
    """What decided a league with rounds comes first: its ratings rest on few matches."""
    if league.report.course is not None and league.census.matches:
        yield "rounds", rounds_title(league), rounds_section


def rounds_title(league: League) -> str:
    return "Groups and final" if league.report.course and league.report.course.groups else "Bracket"


def _masthead(league: League) -> Html:
    settings = league.report.settings
    sizes = league.census.sizes or settings.get("schedule", [""])[1:]
    tables = f" at tables of {with_and(sizes)}" if sizes else ""
    facts = f"{counted(len(league.bots), 'bot')}{tables}. {_progress(league)}"
    game = f"{settings.get('game', 'A game')}, edition {settings.get('edition', '?')}"
    return tag(
        "header",
        tag("p", game, class_="kicker"),
        tag("h1", tag("bdi", short(league.report.name, 64))),
        tag("p", facts + _dates(settings)),
        tag("p", who_leads(league), class_="lede"),
    )


def _dates(settings: Mapping[str, Any]) -> str:
    """When it was played, as its store knows it."""
    runs = settings.get("runs")
    if not runs:
        return ""
    first, last = (f"{datetime.fromtimestamp(runs[key], UTC):%-d %B %Y}" for key in ("first", "seen"))
    return f" Played on {first}." if first == last else f" Played from {first} to {last}."


def _progress(league: League) -> str:
    played, planned = league.done, league.report.planned
    if played >= planned:
        return f"All {counted(planned, 'match')} of the plan {'is' if planned == 1 else 'are'} played."
    return f"{played:,} of {counted(planned, 'match')} of the plan are played."


def who_leads(league: League) -> Html:
    if not league.played:
        return Html("No match has been played yet, so there is nothing to rate.")
    course = league.report.course
    if course is not None and course.champion is not None:
        return join([bot_name(course.champion), " has won the league."])
    leader, last = league.played[0], league.played[-1]
    if len(league.played) > 1 and leader.rating.value - last.rating.value < 0.05:
        return Html("All bots are level.")
    played = {standing.bot for standing in league.played}
    rivals = [other for other in leader.not_separated if other in played]
    if not rivals:
        others = "others" if len(played) == len(league.table) else "others that played"
        return join([bot_name(leader.bot), f" leads, and is separated from all {others}."])
    verb = "is" if len(rivals) == 1 else "are"
    return join([bot_name(leader.bot), " leads, but ", bot_names(rivals), f" {verb} not separated from it."])


def _contents(shown: Sequence[tuple[str, str, Any]]) -> Html:
    links = (tag("li", tag("a", title, href=f"#{key}")) for key, title, _ in shown)
    return tag("nav", tag("ul", *links), aria_label="Sections")
