"""The section of faults: how many of each kind, what the kinds mean, and examples with their records."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arena.league.report.facts import Found, League, faults_of
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
from arena.league.wire import record_path
from arena.match.faults import POLICY, FaultKind
from arena.texts import counted

MOST_FAULTS = 200
"""Faults that are listed one by one; all are counted."""


def faults_section(league: League) -> Html:
    faults = list(faults_of(league.rows))
    if not faults:
        return paragraph("No bot had a fault.")
    counts = Counter((bot, fault["kind"]) for bot, _, fault in faults)
    kinds = sorted({kind for _, kind in counts}, key=_kind_order)
    bots = [bot for bot in league.bots if any(counts[bot, kind] for kind in kinds)]
    rows = [_fault_row(bot, [counts[bot, kind] for kind in kinds]) for bot in bots]
    table = table_of("Faults by bot and kind", [left_head("bot"), *map(short, kinds), "all"], rows)
    meanings = tag("dl", *(part for kind in kinds for part in _meaning(kind)))
    words = "A bot's fault is a result: it costs the bot, and the match counts."
    if without := len(league.played) - len(bots):
        words += f" {counted(without, 'bot')} had none."
    return join([paragraph(words), table, meanings, _fault_list(league, faults)])


def _fault_row(bot: str, numbers: Sequence[int]) -> Cells:
    cells = (tag("td", whole(number), class_=None if number else "quiet") for number in numbers)
    return [row_head(bot), *cells, tag("td", tag("b", whole(sum(numbers))))]


def _kind_order(kind: str) -> tuple[int, str]:
    known = [one.value for one in FaultKind]
    return (known.index(kind) if kind in known else len(known)), kind


def _meaning(kind: str) -> Iterator[Html]:
    if kind in set(FaultKind):
        policy = POLICY[FaultKind(kind)]
        yield tag("dt", kind)
        yield tag("dd", coded(f"{policy.meaning} ({policy.consequence}). Way out: {policy.way_out}."))


def _fault_list(league: League, faults: Sequence[Found]) -> Html:
    chosen = _examples(faults)
    words = f"The first of each bot and kind, {len(chosen)} of {len(faults):,}"
    if len(chosen) == len(faults):
        words = "All of them"
    words += ", in plan order. The command shows the exact moment; run it in the folder of this file."
    entries = tag("ol", *(_fault(league, *found) for found in chosen), class_="faults")
    return join([tag("h3", "One by one"), paragraph(words), entries])


def _examples(faults: Sequence[Found]) -> list[Found]:
    """At most MOST_FAULTS: the first of each bot and kind, then the second of each, and so on; in plan order."""
    seen: Counter[tuple[str, str]] = Counter()
    order: list[tuple[int, int]] = []
    for at, (bot, _, fault) in enumerate(faults):
        order.append((seen[bot, fault["kind"]], at))
        seen[bot, fault["kind"]] += 1
    return [faults[at] for at in sorted(at for _, at in sorted(order)[:MOST_FAULTS])]


def _fault(league: League, bot: str, row: Row, fault: Mapping[str, Any]) -> Html:
    path, decision = record_path(Path(league.report.records), row.match).as_posix(), fault["decision"]
    moment = "before the first decision" if decision is None else f"decision {decision}"
    command = f"arena replay {shlex.quote(path)}" + ("" if decision is None else f" --decision {decision}")
    where = f" · {short(fault['kind'])} · match {row.plan:,}, seat {fault['seat']}, {moment} · "
    link = tag("a", "record", href=_link(path), aria_label=f"record of match {row.plan:,}")
    shown = tag("code", command)
    if row.match in league.report.missing:
        link, shown = tag("span", "the record is missing", class_="quiet"), join([])
    said = tag("div", clipped(str(fault["text"]), SHORT_TEXT), class_="words")
    return tag("li", tag("div", tag("b", bot_name(bot)), where, link), said, shown)


def _link(path: str) -> str:
    """A relative address: a colon or a double slash at its beginning would lead elsewhere."""
    return quote(re.sub("^/+", "/", path), safe="/", errors="replace")
