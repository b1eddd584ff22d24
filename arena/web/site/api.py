"""The JSON of a league: what its pages show, for programs. Pure functions of a visit."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from arena.league.standings import plain
from arena.web.site.edition import Edition
from arena.web.site.index import IndexedMatch
from arena.web.site.match_list import PER_PAGE, filter_of, page_number
from arena.web.site.match_page import row_of
from arena.web.site.visit import NoPage, Visit

Document = dict[str, Any]


def league_document(edition: Edition) -> Document:
    """A league in the list of leagues."""
    settings, status = edition.settings, edition.status
    return {
        "league": edition.slug,
        "name": settings["name"],
        "game": settings["game"],
        "kind": settings["schedule"][0],
        "seats": settings["schedule"][1:],
        "bots": len(edition.league.bots),
        "state": status.state,
        "played": status.played,
        "planned": status.planned,
    }


def status_document(visit: Visit) -> Document:
    edition = visit.edition
    status, settings = edition.status, edition.settings
    return {
        **league_document(edition),
        "edition": edition.number,
        "results": status.results,
        "rated": edition.rated,
        "did_not_count": status.uncounted,
        "rate": None if status.runs is None else status.runs.rate,
        "seconds_left": status.seconds_left,
        "runs": None if status.runs is None else asdict(status.runs),
        "playing": [list(table) for table in status.playing],
        "deals": settings.get("deals", "shared"),
        "commitment": settings.get("commitment"),
    }


def standings_document(visit: Visit) -> Document:
    versions = {bot: str(known[0]) for bot, known in visit.edition.settings["bots"].items()}
    slugs = visit.edition.slugs
    rows = [{**plain(one, versions), "id": slugs[one.bot]} for one in visit.edition.league.table]
    return {"rated": visit.edition.rated, "standings": rows}


def bots_document(visit: Visit) -> Document:
    edition = visit.edition
    return {"bots": [_bot(edition, bot) for bot in edition.slugs]}


def bot_document(visit: Visit) -> Document:
    bot, edition = visit.named_bot(), visit.edition
    league = edition.league
    standing = next((one for one in league.table if one.bot == bot), None)
    pairs = league.census.pairs
    met = [one for one in sorted(league.census.firsts) if one != bot and pairs.games(bot, one)]
    return {
        **_bot(edition, bot),
        "standing": None if standing is None else plain(standing),
        "opponents": [
            {"id": edition.slugs[one], "bot": one, "games": pairs.games(bot, one), "points": pairs.points(bot, one)}
            for one in met
        ],
        "seats": [
            {"size": size, "seat": seat, **asdict(tally)}
            for (name, size, seat), tally in sorted(edition.seats.items())
            if name == bot
        ],
        "faults": {kind: n for (name, kind), n in sorted(league.census.faults.counts.items()) if name == bot},
    }


def _bot(edition: Edition, bot: str) -> Document:
    lineup = edition.lineup
    key = next((key for key, label in lineup.labels.items() if label == bot), None)
    version = lineup.versions.get(key) if key else None
    known = edition.settings["bots"].get(bot, ["", ""])
    rating = edition.league.fit.rating(bot) if bot in edition.league.census.firsts else None
    return {
        "id": edition.slugs[bot],
        "bot": bot,
        "name": version.name if version else bot,
        "version": version.version if version else known[0],
        "digest": version.digest if version else known[1],
        "plays": bot in lineup.current if version else True,
        "rating": None if rating is None else round(rating.value, 1),
        "low": None if rating is None else round(rating.low, 1),
        "high": None if rating is None else round(rating.high, 1),
    }


def matches_document(visit: Visit) -> Document:
    found, number = visit.edition.index.find(filter_of(visit), visit.edition.count), page_number(visit)
    pages = max(1, -(-len(found) // PER_PAGE))
    if number > pages:
        raise NoPage(f"There are {pages:,} pages of these matches, so there is no page {number:,}.")
    shown = [visit.edition.index.match(at) for at in found[PER_PAGE * (number - 1) :][:PER_PAGE]]
    return {"count": len(found), "page": number, "pages": pages, "matches": [_match(visit, one) for one in shown]}


def _match(visit: Visit, one: IndexedMatch) -> Document:
    return {
        "match": one.match,
        "bots": [visit.edition.slugs[bot] for bot in one.bots],
        "ranks": list(one.ranks),
        "scores": list(one.scores),
        "steps": one.steps,
        "faulty_seats": [seat for seat in range(len(one.bots)) if one.faulty >> seat & 1],
    }


def match_document(visit: Visit) -> Document:
    row = row_of(visit.edition, visit.path["match"])
    faults: list[Mapping[str, Any]] = [dict(fault) for fault in row.faults]
    return {
        "match": row.match,
        "seed": str(row.seed),
        "bots": [visit.edition.slugs.get(bot, bot) for bot in row.bots],
        "names": list(row.bots),
        "versions": list(row.versions),
        "ranks": list(row.ranks),
        "scores": list(row.scores),
        "breakdown": [dict(part) for part in row.breakdown],
        "times": [dict(times) for times in row.times],
        "faults": faults,
        "steps": row.steps,
        "digest": row.digest,
        "has_record": visit.edition.league.report.has_record(row.match),
    }
