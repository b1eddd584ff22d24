"""All further sections of a league's report on one page, and the page of what can be downloaded."""

from collections.abc import Mapping

from arena.league.report.markup import Html, coded, join, left_cell, left_head, paragraph, table_of, tag
from arena.league.report.page import SECTIONS
from arena.web.site.pieces import masthead, section
from arena.web.site.shell import Link, Sheet
from arena.web.site.visit import Visit

ELSEWHERE = frozenset(("standings", "crosstable", "progress", "matches"))
"""Sections that other pages have."""


def figures_page(visit: Visit) -> Sheet:
    league, edition = visit.league, visit.edition
    has_matches = bool(league.census.matches)
    shown = [one for one in SECTIONS if one[0] not in ELSEWHERE and (has_matches or one[0] == "reproduce")]
    shown = [one for one in shown if one[0] != "hosts" or league.report.hosts.lines]
    links = (tag("li", tag("a", title, href=f"#{key}")) for key, title, _ in shown)
    contents = tag("nav", tag("ul", *links), aria_label="Sections", class_="contents")
    head = masthead(edition.name, "Figures", tag("p", f"What {league.census.matches:,} results say."))
    parts = [section(key, title, make(league)) for key, title, make in shown]
    trail = visit.trail(Link("Figures", f"{edition.slug}/figures.html"))
    about = f"Seats, scores, times and faults of the league {edition.name}."
    body = join([head, contents, *parts])
    title = f"Figures of {edition.name}"
    return Sheet(title, about, body, visit.depth + 1, trail, visit.parts, events=visit.events)


FILES: Mapping[str, str] = {
    "results.csv": "all results, a row for each seat of each match",
    "standings.csv": "the standings",
}
"""Tables that can be downloaded, and what is in them."""
DOCUMENTS: Mapping[str, str] = {
    "status.json": "how far the league is",
    "standings.json": "the standings with their intervals",
    "bots.json": "all bots and versions",
    "matches.json": "a page of matches, with the filters of the list",
}


def data_page(visit: Visit) -> Sheet:
    edition = visit.edition
    api = f"{visit.up}../api/"
    rows = [[left_cell(tag("a", name, href=f"{visit.up}{name}")), left_cell(words)] for name, words in FILES.items()]
    documents = [
        [left_cell(tag("a", name, href=f"{api}leagues/{edition.slug}/{name}")), left_cell(words)]
        for name, words in DOCUMENTS.items()
        if visit.outlet.is_served or name != "matches.json"
    ]
    records = "Every match that has a record offers it for download on its page. `arena verify FILE` referees it again."
    openapi = tag("p", tag("a", "openapi.json", href=f"{api}openapi.json"), " describes all of it for programs.")
    note = [paragraph(visit.outlet.note)] if visit.outlet.note else []
    parts: list[Html] = [
        section("tables", "Tables", _table("Tables", rows)),
        section("json", "JSON", _table("JSON", documents), *([openapi] if visit.outlet.is_served else [])),
        section("records", "Records", tag("p", coded(records)), *note),
    ]
    head = masthead(edition.name, "Data", tag("p", "The league as files for other programs."))
    trail = visit.trail(Link("Data", f"{edition.slug}/data.html"))
    about = f"Results of the league {edition.name} as CSV and JSON."
    return Sheet(f"Data of {edition.name}", about, join([head, *parts]), visit.depth + 1, trail, visit.parts)


def _table(label: str, rows: list[list[Html]]) -> Html:
    return table_of(label, [left_head("file"), left_head("what is in it")], rows, class_="ties")
