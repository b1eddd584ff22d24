"""What identifies a league, and its matches as plain values for a worker: id, deal, bots by seat.

A match's id follows from what is played in it (rules, limits, deal, and the bots by seat with their files) and from the
league's secret. So a second run, or another machine, can never count a match twice.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from arena.league import schedule
from arena.league.deals import dealt, seeds
from arena.league.secret import Secret
from arena.league.store import MEETINGS
from arena.league.tournament import Tournament
from arena.league.wire import RECORDS, Assignment, Block, Setting
from arena.match.record import FORMAT
from arena.match.seeds import OLD_FORMAT
from arena.roster.entries import PYTHON, Entry
from arena.roster.seating import together
from arena.sandbox.policy import Policy


def identity(tournament: Tournament) -> dict[str, Any]:
    """What makes two runs the same league: everything that can change a result."""
    return {
        **({"scheme": MEETINGS} if tournament.by_meetings else {}),
        "game": tournament.game,
        "edition": tournament.edition,
        "options": dict(tournament.options),
        "seed": tournament.seed,
        "schedule": [tournament.kind.name, *tournament.seats],
        **tournament.kind.identity(),
        **({"seeding": list(tournament.bots)} if tournament.kind.is_seeded else {}),
        "clock": tournament.league_clock.plain(),
        "strikes": tournament.strikes,
        "memory_mb": tournament.memory_mb,
        **({"threads": tournament.threads} if tournament.threads != Policy().threads else {}),
        "sandboxed": tournament.sandbox != "none",
        **({} if tournament.is_old else {"deals": "fresh" if tournament.is_fresh else "shared"}),
        **({"commitment": Secret(tournament.secret).commitment} if tournament.secret else {}),
    }


def roster(tournament: Tournament) -> dict[str, Any]:
    """The bots of a league, for its store: versions, digests, commands, and which have one author."""
    return {
        "bots": {entry.name: [entry.version, entry.digest] for entry in tournament.entries},
        "commands": {entry.name: program(entry) for entry in tournament.entries},
        **({"authors": together(tournament.entries)} if tournament.one_per_author else {}),
    }


def program(entry: Entry) -> list[str]:
    """The words of its command, the same on every machine, and the values that were chosen for its parameters.

    They belong to the identity because a folder, which has one digest, may contain several bots, and one bot may play
    with several settings.
    """
    words = (PYTHON if word == sys.executable else word for word in entry.command)
    values = (f"tune:{name}={value!r}" for name, value in entry.chosen)
    return [*(os.path.basename(word) if os.path.isabs(word) else word for word in words), *values]


def match_ids(tournament: Tournament) -> Callable[[schedule.Fixture], str]:
    """A function that returns the id of a match."""
    chance = tournament.chance
    programs = {entry.name: [entry.name, entry.digest, *program(entry)] for entry in tournament.entries}
    more_threads = [tournament.threads] if tournament.threads != Policy().threads else []
    common = {
        "game": [tournament.game, tournament.edition, dict(tournament.options)],
        "limits": [tournament.league_clock.plain(), tournament.strikes, tournament.memory_mb, *more_threads],
    }

    def match_id(fixture: schedule.Fixture) -> str:
        first = seeds(tournament, fixture.deal, fixture.rotation, 0)  # a later attempt is the same match
        return chance.match_id(
            {
                **common,
                "fixture": [fixture.block, fixture.rotation, first["seed"]],
                "bots": [programs[bot] for bot in fixture.bots],
                **({"tune": fixture.tune} if fixture.tune else {}),
            }
        )

    return match_id


def blocks_of(
    tournament: Tournament,
    fixtures: Iterable[schedule.Fixture],
    is_done: Callable[[schedule.Fixture], bool] = lambda _: False,
) -> Iterator[Block]:
    """Fixtures block by block, as plain values, dealt for their first attempt. Those that are done are left out."""
    match_id = match_ids(tournament)
    for _, block in groupby(fixtures, lambda fixture: fixture.block):
        yield [_plain_fixture(tournament, one, match_id(one)) for one in block if not is_done(one)]


def _plain_fixture(tournament: Tournament, fixture: schedule.Fixture, match: str) -> Assignment:
    plain = {
        "match": match,
        "plan": fixture.index,
        "block": fixture.block,
        "rotation": fixture.rotation,
        "deal": fixture.deal,
        "bots": fixture.bots,
    }
    if fixture.tune:
        values = {name: dict(chosen) for name, chosen in fixture.tune}
        plain["tune"] = [values.get(bot) for bot in fixture.bots]
    if tournament.by_meetings and tournament.lineup is not None:
        lineup = tournament.lineup
        plain |= {"versions": [lineup.keys[bot] for bot in fixture.bots], "epoch": lineup.epoch}
    return dealt(tournament, plain, 0)


def setting(tournament: Tournament, folder: Path) -> Setting:
    return Setting(
        game=tournament.game,
        options=dict(tournament.options),
        entries={entry.name: entry.plain() for entry in tournament.entries},
        clock=tournament.league_clock.plain(),
        strikes=tournament.strikes,
        sandbox=tournament.sandbox,
        memory_mb=tournament.memory_mb,
        threads=tournament.threads,
        processes=tournament.processes,
        records=str(folder.absolute() / RECORDS),
        format=OLD_FORMAT if tournament.is_old else FORMAT,
        min_tier=tournament.min_tier,
        affinity=tournament.affinity,
    )
