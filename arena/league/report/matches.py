"""The section of matches: the first of the plan, one by one, with their records."""

from pathlib import Path

from arena.league.report.census import ListedMatch
from arena.league.report.facts import League
from arena.league.report.faults import SHORT_ID, record_link, replay_link
from arena.league.report.markup import Cells, Html, bot_name, join, left_cell, left_head, paragraph, table_of, tag
from arena.league.report.words import whole
from arena.league.wire import record_path


def matches_section(league: League) -> Html:
    rows, all_ = league.census.listed, league.census.matches
    which = "All of them" if len(rows) == all_ else f"The first {len(rows)} of {all_:,}"
    order = "by the number of the meeting" if league.is_by_meetings else "in plan order"
    example = record_path(Path(league.report.records), rows[0].match).as_posix()
    words = (
        f"{which}, {order}; `arena league export` writes all of them as a table. A record is a compressed text "
        f"file. To step through a match, run `arena replay {example}` in the folder of this file."
    )
    head = [*_place(league, "match"), left_head("bots by seat: points"), "steps", "faults", left_head("record")]
    table = table_of("Matches", head, [_match(league, row) for row in rows], class_="ties")
    return tag("details", tag("summary", "Show the list"), paragraph(words), table)


def _match(league: League, row: ListedMatch) -> Cells:
    seats = zip(row.bots, row.ranks, row.scores)
    results = join((_seat(bot, rank, score) for bot, rank, score in seats), ", ")
    link = join([record_link(league, row, row.match[:SHORT_ID]), replay_link(league, row)])
    place = _place(league, whole(row.plan))
    return [*place, left_cell(results), whole(row.steps), whole(row.faults), left_cell(link)]


def _place(league: League, cell: str) -> list[str]:
    """A cell of the column with places in the plan. Matches of a league by meetings have none, but they have ids."""
    return [] if league.is_by_meetings else [cell]


def _seat(bot: str, rank: int, score: int) -> Html:
    name = tag("b", bot_name(bot)) if rank == 1 else bot_name(bot)
    return join([name, f" {score:,}"])
