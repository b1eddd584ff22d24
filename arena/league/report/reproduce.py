"""The section that shows how to play the league again: command, settings, bots."""

import json
from collections.abc import Mapping
from typing import Any

from arena.league.report.facts import MOST_LISTED, League, left_out
from arena.league.report.markup import (
    SHORT_TEXT,
    Html,
    clipped,
    join,
    left_cell,
    left_head,
    paragraph,
    row_head,
    short,
    table_of,
    tag,
)
from arena.league.report.words import with_and
from arena.league.store import MAY_DIFFER

CHANCE = ("seed", "deals", "commitment")
FIRST = ("game", "edition", "options", *CHANCE, "schedule", "challengers", "clock", "strikes", "memory_mb", "threads")


def _earlier(matches: int) -> str:
    return f", and {matches:,} of earlier versions and retired bots" if matches else ""


def reproduce_section(league: League) -> Html:
    report, settings = league.report, league.report.settings
    rest = sorted(settings.keys() - {*FIRST, *MAY_DIFFER, "bots"})
    facts = [(key, _setting(key, settings[key])) for key in (*FIRST, *rest) if key in settings]
    facts += [("secret", str(settings["secret"]))] if settings.get("revealed") else []
    facts += [("sandbox", report.sandbox)] if report.sandbox else []
    facts += [
        ("arena", report.arena),
        ("matches", f"{league.done:,} of {report.planned:,} planned are played{_earlier(report.earlier)}"),
    ]
    listed = tag("dl", *(part for key, value in facts for part in (tag("dt", key), tag("dd", value))))
    words = paragraph(
        "The settings decide the plan. The league's secret, or its seed if it has one, decides all deals and dice. So "
        "deterministic bots play the same matches again; bots that look at the clock or roll their own dice may not. "
        "The commitment is a digest of the secret, and was fixed before the first match."
    )
    return join([words, tag("pre", tag("code", report.command)), listed, _bots(league)])


def _setting(key: str, value: Any) -> str:
    if key == "seed":
        return "none, a secret decides" if value is None else f"{_plain(value)}; bots can find the deals from it"
    if key == "schedule" and value:
        return f"{str(value[0]).replace('_', ' ')}, tables of {with_and(value[1:])}"
    if isinstance(value, Mapping):
        named = (f"{name} = {clipped(_plain(one), 80)}" for name, one in sorted(value.items()))
        return "; ".join(named) or "all defaults"
    if isinstance(value, list):
        return clipped(", ".join(map(_plain, value)), SHORT_TEXT) or "none"
    return clipped(_plain(value), SHORT_TEXT)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _bots(league: League) -> Html:
    known = league.report.settings.get("bots", {})
    head = [left_head(what) for what in ("bot", "version", "digest of its files")]
    rows = []
    for bot in league.bots[:MOST_LISTED]:
        version, digest = (short(str(text), 80) or "–" for text in known.get(bot, ("", "")))
        name = row_head(bot, league.report.pages.of_bot(bot))
        rows.append([name, left_cell(version), left_cell(tag("code", digest))])
    table = table_of("Bots", head, rows)
    return join([*map(paragraph, filter(None, [left_out(rows, league.bots).strip()])), table])
