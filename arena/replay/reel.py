"""A record as data for a page: every moment in words, in numbers, and as each viewer sees it.

Theory of operation. A reel is plain JSON. What is true of a moment (its title, scores, views) differs little from the
moment before, so a moment has a patch (arena/replay/patches.py), and what happened in its step. reel.js of
arena/web/static reads it, and docs/replays.md lists the fields.

A reel of one seat is made from what that seat received or could work out, and from nothing else: what was never
computed cannot leak. Its scores follow from positions that fit the seat's view, and are None where these differ.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from arena.errors import RecordError
from arena.match.record import Header, MatchRecord, Step
from arena.replay.moments import Moment, as_of_now, game_of, moments, together
from arena.replay.patches import patch
from arena.replay.seen import Json, OneSeat, OpenBook, Seen, headline
from arena.replay.verify import Divergence, verify
from arena.texts import SENTENCE, one_line, safe, short
from arena.words import words_for
from engine.contract import Game, Outcome, View, plain

FORMAT = 1
MOST_STEPS = 10_000
"""A page of more steps would take a browser too long."""
MOST_SAID = 40
"""Sentences about one step."""
HALF = Fraction(1, 2)
ENDS = 4000
"""Characters that are kept of a bot's stderr: both ends of it."""

Pictures = Callable[[Game[Any], Sequence[View | None], Outcome], Json]
"""What a moment has beyond its facts, from the views of a spectator and of all seats."""


def no_pictures(_game: Game[Any], _views: Sequence[View | None], _tally: Outcome) -> Json:
    """For games that pages have a board for."""
    return {}


def terminal_pictures(game: Game[Any], views: Sequence[View | None], tally: Outcome) -> Json:
    """The game's own drawings line by line: as a spectator and each seat see it, and with all hands."""
    known = [view for view in views[1:] if view is not None]
    every = together(known) if len(known) == len(views) - 1 else None
    return {"drawing": [None if view is None else _lines(game, view, tally) for view in (*views, every)]}


def _lines(game: Game[Any], view: View, tally: Outcome) -> list[str]:
    return safe(game.draw(view, tally, plain)).split("\n")


def reel_of(record: MatchRecord, only: int | None = None, pictures: Pictures = no_pictures) -> Json:
    """A whole match, or what only this seat could know of it.

    A record that is not true has a `complaint`. RecordError if it cannot be shown at all.
    """
    if len(record.steps) > MOST_STEPS:
        raise RecordError(f"this match has {len(record.steps):,} steps, and a page can show {MOST_STEPS:,}")
    complaint, shown = verify(record), moments(record)
    game, record = game_of(record), as_of_now(record)
    names = [one_line(player.name) for player in record.header.players]
    if only is not None and only not in range(len(names)):
        raise RecordError(f"there is no seat {only}: this match has seats 0 to {len(names) - 1}")
    words = words_for(game, lambda seat: names[seat] if 0 <= seat < len(names) else "nobody", record.header.options)
    seen: Seen = OpenBook(game, record, words) if only is None else OneSeat(game, record, words, only)
    return {
        **_head(record, names, only),
        "complaint": _complaint(complaint, only),
        "moments": list(_moments(game, seen, shown, pictures)),
    }


def _complaint(found: Divergence | None, only: int | None) -> str | None:
    """Where a record does not follow the rules. What the rules say there may be hidden from a seat."""
    if found is None:
        return None
    return one_line(str(found), SENTENCE) if only is None else f"step {found.step}: it does not follow the rules"


# The match as a whole


def _head(record: MatchRecord, names: Sequence[str], only: int | None) -> Json:
    header, verdict = record.header, record.verdict
    return {
        "format": FORMAT,
        "game": header.game,
        "edition": header.edition,
        "options": {key: _shortened(value) for key, value in header.options.items()},
        "match": one_line(header.match),
        "seed": str(header.seed) if only is None else None,
        "arena": one_line(header.arena),
        "only": only,
        "seats": len(names),
        "players": [_player(record, seat, name) for seat, name in enumerate(names)],
        "void": None if verdict.void is None else one_line(verdict.void, SENTENCE),
        "parent": _parent(header),
        **_left_behind(record, range(len(names)) if only is None else [only]),
    }


def _parent(header: Header) -> Json | None:
    """Where a branch comes from; its position is the first view."""
    if header.parent is None:
        return None
    return {"match": one_line(header.parent.match), "step": header.parent.step, "cards": header.parent.cards}


def _shortened(value: object) -> object:
    return one_line(value, SENTENCE) if isinstance(value, str) else value


def _player(record: MatchRecord, seat: int, name: str) -> Json:
    player = record.header.players[seat]
    clock = player.clock
    return {
        "name": name,
        "version": one_line(player.version),
        "sandbox": one_line(player.sandbox),
        "bank_ms": clock.bank_ms,
        "increment_ms": clock.increment_ms,
        "charge": clock.charge,
    }


def _left_behind(record: MatchRecord, shown: Sequence[int]) -> Json:
    """The two ends of each bot's stderr, and its CPU time."""
    accounts = dict(enumerate(record.verdict.accounts))
    seats = range(len(record.header.players))
    known = [accounts.get(seat) if seat in shown else None for seat in seats]
    return {
        "stderr": [safe(short(account.stderr, ENDS, HALF)).rstrip() if account else "" for account in known],
        "cpu_us": [account.cpu_us if account else None for account in known],
    }


# Moment by moment


def _moments(game: Game[Any], seen: Seen, shown: Sequence[Moment], pictures: Pictures) -> Iterator[Json]:
    before: Json = {}
    for at, moment in enumerate(shown):
        happened = _happened(seen, shown[at - 1], moment, moment.step) if moment.step else _begun(seen, moment)
        facts = json.loads(json.dumps(_facts(game, seen, moment, moment is shown[-1], pictures)))
        change = patch(before, facts)
        yield {**happened, "patch": change} if change else happened
        before = facts


def _facts(game: Game[Any], seen: Seen, moment: Moment, is_last: bool, pictures: Pictures) -> Json:
    """What is true after a step. Views are split: what all viewers share is there once."""
    views = seen.views(moment.state)
    tally, points = seen.tally(moment, is_last)
    public = game.public(moment.state)
    own = [None if view is None else {key: view[key] for key in view if key not in public} for view in views]
    first = next(view for view in views if view is not None)
    return {
        "title": headline(game, first, tally),
        **points,
        "out": sorted(moment.out),
        "public": public,
        "private": own,
        **pictures(game, views, tally),
    }


def _begun(seen: Seen, moment: Moment) -> Json:
    """What went wrong before the first step."""
    return {"faults": [seen.fault(fault) for fault in moment.faults]} if moment.faults else {}


def _happened(seen: Seen, before: Moment, after: Moment, step: Step) -> Json:
    """What happened in a step; empty lists and None are left out."""
    told = {
        "said": seen.said(before, after)[:MOST_SAID],
        "chance": None if step.chance is None else seen.chance(step.chance),
        "decisions": [
            {"number": number, **seen.decided(before, after, decision)}
            for number, decision in zip(after.decisions, step.decisions)
        ],
        "faults": [seen.fault(fault) for fault in after.faults],
    }
    return {key: value for key, value in told.items() if value is not None and value != []}
