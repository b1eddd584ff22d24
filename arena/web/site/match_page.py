"""The page of a match: its result by seat, where the points came from, times, faults, and its record."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.league.page import labelled
from arena.league.report.markup import (
    SHORT_TEXT,
    Cells,
    Html,
    clipped,
    join,
    left_head,
    linked,
    paragraph,
    short,
    table_of,
    tag,
)
from arena.league.report.words import duration, whole
from arena.league.shapes import is_match_id
from arena.league.store import Row, read_store
from arena.league.wire import RECORDS, record_path
from arena.texts import quoted
from arena.web.site.edition import Edition
from arena.web.site.pieces import SHORT_ID, bot_link, masthead, section
from arena.web.site.shell import Link, Sheet
from arena.web.site.visit import NoPage, Visit

MOST_ZONES = 30


def match_page(visit: Visit) -> Sheet:
    match = visit.path["match"]
    row = row_of(visit.edition, match)
    winners = [bot for bot, rank in zip(row.bots, row.ranks) if rank == 1]
    title = f"Match {match[:SHORT_ID]}"
    result = ", ".join(f"{short(bot)} {score:,}" for bot, score in zip(row.bots, row.scores))
    lede = (
        f"{' and '.join(map(short, winners))} won."
        if len(winners) == 1
        else f"{' and '.join(map(short, winners))} share the first place."
    )
    kicker = linked(tag("bdi", short(visit.edition.name, 64)), f"{visit.up}index.html")
    head = masthead(kicker, title, tag("p", lede, class_="lede"), _looks(visit, match))
    body = join([head, *_sections(visit, row)])
    trail = visit.trail(Link("Matches", f"{visit.edition.slug}/matches/index.html"))
    return Sheet(
        f"{title} of {short(visit.edition.name, 64)}", f"{lede} {result}.", body, visit.depth + 1, trail, visit.parts
    )


def row_of(edition: Edition, match: str) -> Row:
    """The result of a match, with the labels of its bots. NoPage if there is none."""
    if not is_match_id(match):
        raise NoPage(f"{quoted(match)} is not the id of a match: these have 24 hexadecimal digits.")
    with read_store(edition.folder) as store:
        row = store.row(match)
    if row is None:
        raise NoPage(f"The league {edition.name} has no result of a match {match}.")
    return next(iter(labelled([row], edition.lineup.labels)))


def _looks(visit: Visit, match: str) -> Html:
    """Ways to look at it."""
    if visit.record(match) is None:
        return paragraph("Its record is missing.", "quiet")
    looks = [("Replay", visit.replay(match)), ("Download the record", visit.record(match))]
    return tag(
        "p", *(tag("a", words, href=at, class_="button") for words, at in looks if at is not None), class_="looks"
    )


def _sections(visit: Visit, row: Row) -> Iterator[Html]:
    yield section("result", "Result", _result(visit, row))
    if any(row.breakdown):
        yield section("points", "Where the points come from", _points(visit, row))
    if row.faults:
        yield section("faults", "Faults", _faults(visit, row))
    yield section("facts", "Facts", *_facts(row))


def _result(visit: Visit, row: Row) -> Html:
    head = ["seat", left_head("bot"), "place", "points", "decisions", "mean", "longest", "CPU"]
    rows = [_seat(visit, row, seat) for seat in range(len(row.bots))]
    return table_of("Result by seat", head, rows)


def _seat(visit: Visit, row: Row, seat: int) -> Cells:
    times = row.times[seat] if row.times and row.times[seat]["decisions"] else None
    clock = ["–"] * 4
    if times:
        mean = times["total_us"] / times["decisions"]
        clock = [whole(times["decisions"]), duration(mean), duration(times["most_us"]), duration(times["cpu_us"])]
    name = tag("th", bot_link(visit, row.bots[seat]), scope="row")
    return [str(seat), name, str(row.ranks[seat]), tag("td", tag("b", f"{row.scores[seat]:,}")), *clock]


def _points(visit: Visit, row: Row) -> Html:
    zones = list(dict.fromkeys(zone for part in row.breakdown for zone in part))[:MOST_ZONES]
    head = [left_head("bot"), *(short(zone) for zone in zones), "all"]
    rows = [
        [
            tag("th", bot_link(visit, bot), scope="row"),
            *(f"{part[zone]:,}" if zone in part else "" for zone in zones),
            tag("td", tag("b", f"{score:,}")),
        ]
        for bot, part, score in zip(row.bots, row.breakdown, row.scores)
    ]
    return table_of("Points by zone", head, rows)


def _faults(visit: Visit, row: Row) -> Html:
    return tag("ol", *(_fault(visit, row, fault["seat"], fault) for fault in row.faults), class_="faults")


def _fault(visit: Visit, row: Row, seat: int | None, fault: "Row | object") -> Html:
    assert isinstance(fault, dict)
    who = tag("b", bot_link(visit, row.bots[seat])) if seat is not None else join(["the match"])
    moment = "before the first decision" if fault["decision"] is None else f"decision {fault['decision']}"
    where = f" · {short(fault['kind'])} · {moment}" + ("" if seat is None else f", seat {seat}")
    return tag("li", tag("div", who, where), tag("div", clipped(str(fault["text"]), SHORT_TEXT), class_="words"))


def _facts(row: Row) -> Sequence[Html]:
    facts = [
        ("match", row.match),
        ("seed", short(str(row.seed), 64)),
        ("steps", whole(row.steps)),
        ("digest of all states", short(row.digest, 64)),
    ]
    if row.versions:
        facts.append(("versions", ", ".join(row.versions)))
    listed = tag("dl", *(part for key, value in facts for part in (tag("dt", key), tag("dd", tag("code", value)))))
    path = record_path(Path(RECORDS), row.match).as_posix()
    words = paragraph("In the folder of the league, this steps through the match, and this referees it again:", "next")
    commands = (f"arena {command} {shlex.quote(path)}" for command in ("replay", "verify"))
    return [listed, words, *(tag("pre", tag("code", command), tabindex=0) for command in commands)]
