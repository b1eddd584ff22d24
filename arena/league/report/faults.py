"""The section of faults: how many of each kind, what the kinds mean, and examples with their records."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from arena.league.report.census import Example, ListedMatch
from arena.league.report.facts import MOST_LISTED, League, left_out
from arena.league.report.markup import (
    SHORT_TEXT,
    Cells,
    Html,
    bot_name,
    clipped,
    coded,
    join,
    left_head,
    paragraph,
    row_head,
    short,
    table_of,
    tag,
)
from arena.league.report.words import whole
from arena.league.store import Row
from arena.league.wire import REPLAYS, record_path, replay_path
from arena.match.faults import POLICY, FaultKind
from arena.texts import counted

Played = Example | ListedMatch | Row
SHORT_ID = 8
"""Digits of a match's id that are shown."""


def faults_section(league: League) -> Html:
    counts = league.census.faults.counts
    if not counts:
        return paragraph("No bot had a fault.")
    kinds = sorted({kind for _, kind in counts}, key=kind_order)
    bots = [bot for bot in league.bots if any(counts[bot, kind] for kind in kinds)]
    rows = [_fault_row(league, bot, [counts[bot, kind] for kind in kinds]) for bot in bots[:MOST_LISTED]]
    table = table_of("Faults by bot and kind", [left_head("bot"), *map(short, kinds), "all"], rows)
    meanings = tag("dl", *(part for kind in kinds for part in meaning(kind)))
    words = "A bot's fault is a result: it costs the bot, and the match counts."
    if without := len(league.played) - len(bots):
        words += f" {counted(without, 'bot')} had none."
    return join([paragraph(words + left_out(rows, bots)), table, meanings, _fault_list(league)])


def _fault_row(league: League, bot: str, numbers: Sequence[int]) -> Cells:
    cells = (tag("td", whole(number), class_=None if number else "quiet") for number in numbers)
    return [row_head(bot, league.report.pages.of_bot(bot)), *cells, tag("td", tag("b", whole(sum(numbers))))]


def kind_order(kind: str) -> tuple[int, str]:
    known = [one.value for one in FaultKind]
    return (known.index(kind) if kind in known else len(known)), kind


def meaning(kind: str) -> Iterator[Html]:
    if kind in set(FaultKind):
        policy = POLICY[FaultKind(kind)]
        yield tag("dt", kind)
        yield tag("dd", coded(f"{policy.meaning} ({policy.consequence}). Way out: {policy.way_out}."))


def _fault_list(league: League) -> Html:
    examples, number = league.census.faults.examples(), league.census.faults.all
    words = f"The first of each bot and kind, {len(examples)} of {number:,}"
    if len(examples) == number:
        words = "All of them"
    has_pages = bool(examples) and league.report.pages.of_match(examples[0].match) is not None
    words += (
        "." if has_pages else ", in plan order. The command shows the exact moment; run it in the folder of this file."
    )
    return join([tag("h3", "One by one"), paragraph(words), fault_list(league, examples)])


def fault_list(league: League, examples: Sequence[Example]) -> Html:
    return tag("ol", *(_fault(league, example) for example in examples), class_="faults")


def _fault(league: League, example: Example) -> Html:
    fault, report = example.fault, league.report
    path, decision = record_path(Path(report.records), example.match).as_posix(), fault["decision"]
    moment = "before the first decision" if decision is None else f"decision {decision}"
    command = f"arena replay {shlex.quote(path)}" + ("" if decision is None else f" --decision {decision}")
    where = f" · {short(fault['kind'])} · match {match_name(league, example)}, seat {fault['seat']}, {moment} · "
    link = record_link(league, example, "record", "the record is missing")
    is_shown = report.has_record(example.match) and report.pages.of_match(example.match) is None
    shown = tag("code", command) if is_shown else join([])
    said = tag("div", clipped(str(fault["text"]), SHORT_TEXT), class_="words")
    return tag("li", tag("div", tag("b", bot_name(example.bot)), where, link), said, shown)


def record_link(league: League, one: Played, words: str, missing: str = "missing") -> Html:
    """A link to the page of a match, or to its record if there is one."""
    if page := league.report.pages.of_match(one.match):
        return tag("a", words.replace("record", "match"), href=page, aria_label=f"match {match_name(league, one)}")
    if not league.report.has_record(one.match):
        return tag("span", missing, class_="quiet")
    path = record_path(Path(league.report.records), one.match).as_posix()
    return tag("a", words, href=_link(path), aria_label=f"record of match {match_name(league, one)}")


def replay_link(league: League, one: Played) -> Html:
    """A link to the page of a match after a blank, if there is one."""
    if not league.report.has_replay(one.match):
        return Html("")
    path = replay_path(Path(REPLAYS), one.match).as_posix()
    return join([" ", tag("a", "watch", href=_link(path), aria_label=f"replay of match {match_name(league, one)}")])


def match_name(league: League, one: Played) -> str:
    """What a match is called: by its place in the plan, or by its id in a league by meetings, which has no places."""
    return one.match[:SHORT_ID] if league.is_by_meetings else f"{one.plan:,}"


def _link(path: str) -> str:
    """A relative address: a colon or a double slash at its beginning would lead elsewhere."""
    return quote(re.sub("^/+", "/", path), safe="/", errors="replace")
