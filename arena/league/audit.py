"""Did the organiser of a league choose its deals? With its results and its secret, anybody can check.

In leagues by meetings, each result follows from its versions, the number of their meeting, and the secret: block,
seats, deal and id. An organiser could still leave out meetings; so the audit counts those that are missing before a
later one of the same table.

In other leagues a store keeps all settings that decide the plan and the ids. So the secret is enough to make the whole
plan again, and every result must be at its place in it. In both, a match that was dealt again, after an attempt that
did not count, must have the deal of one of the next attempts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from arena.errors import SettingError, StoreError
from arena.league import fixtures
from arena.league.clocks import LeagueClock
from arena.league.deals import COMMITMENT, seeds
from arena.league.kinds import GROUP_KEYS, ScheduleKeys, kind_of
from arena.league.lineup import Lineup
from arena.league.meetings import meeting
from arena.league.migration import MOVED
from arena.league.results import ResultsSoFar
from arena.league.schedule import Fixture
from arena.league.secret import Secret
from arena.league.store import MEETINGS, Row, Store
from arena.league.tournament import Tournament
from arena.league.wire import RECORDS, record_path
from arena.match.record_file import load
from arena.roster.entries import Entry
from arena.sandbox.policy import Policy

SEARCHED_ATTEMPTS = 64
"""How many attempts of a match are searched for its deal."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What an audit has found."""

    matches: int
    """How many were checked."""
    again: int
    """How many of them were dealt again after an attempt that did not count."""
    records: int
    """How many have a record, which agrees."""
    wrong: str | None = None
    """The first match that does not follow from the secret, and how it differs."""
    by_places: int = 0
    """How many results could not be checked, because they were played before the league went by meetings."""
    skipped: int = 0
    """How many meetings are missing before a later one of the same versions."""


def audit(store: Store, secret: Secret, commitment: str | None = None) -> Findings:
    """Whether the secret matches the commitment, and all results follow from it.

    The commitment is that of the store if none is given.
    """
    settings = store.settings()
    expected = commitment or settings.get(COMMITMENT)
    if expected is None:
        raise StoreError(f"{store.path}: an older arena began this league, and it has no secret to check against.")
    if secret.commitment != expected:
        return Findings(0, 0, 0, f"the secret does not match the commitment {expected}: its own is {secret.commitment}")
    try:
        if settings.get("scheme") == MEETINGS:
            return _audit_meetings(store, settings, secret)
        return _counted(_checked(store, settings, secret))
    except KeyError as error:
        raise StoreError(f"{store.path}: the settings of this league are incomplete: {error} is missing.") from None
    except SettingError as error:  # nothing could have been played with such settings
        raise StoreError(f"{store.path}: it is damaged: {error} Restore it from a copy.") from None


def _audit_meetings(store: Store, settings: Mapping[str, Any], secret: Secret) -> Findings:
    lineup, moved = store.lineup(), settings.get(MOVED, 0)
    numbers = defaultdict[tuple[str, ...], set[int]](set)
    for row in store.rows():
        numbers[tuple(sorted(row.versions))].add(row.plan)
    found = _counted(_checked_meetings(store, settings, lineup, secret, moved))
    skipped = sum(max(known) + 1 - len(known) for known in numbers.values())
    return replace(found, by_places=moved, skipped=skipped)


def _checked_meetings(
    store: Store, settings: Mapping[str, Any], lineup: Lineup, secret: Secret, moved: int
) -> "Iterator[Checked]":
    """Every result but those that were played by places, of which there must be `moved`."""
    check, strange = checker(store, settings, lineup, secret, store.path.parent / RECORDS), 0
    seen = set[tuple[int, int]]()
    for row in store.rows():
        checked = check(row)
        if checked[1] is None and (row.block, row.rotation) in seen:
            yield row, "another match already has this block and rotation", 0, False
        seen.add((row.block, row.rotation))
        strange += checked[1] is not None
        if checked[1] is None or strange > moved:
            yield checked


def checker(
    store: Store, settings: Mapping[str, Any], lineup: Lineup, secret: Secret, records: Path
) -> "Callable[[Row], Checked]":
    """A function that checks one result of a league by meetings, and its record if it is in this folder."""
    tournament = replace(_tournament(store, settings, 1), secret=secret.digits)

    def check(row: Row) -> Checked:
        known = [lineup.versions.get(key) for key in row.versions]
        if len(row.versions) != len(row.bots) or any(
            one is None or one.name != bot for one, bot in zip(known, row.bots)
        ):
            return row, "the versions of its bots are not known", 0, False
        names = dict(zip(row.versions, row.bots))
        planned = next(islice(meeting(names, row.plan, tournament.chance.dice), row.rotation, None), None)
        if planned is None:
            return row, "its table has no such rotation", 0, False
        entries = tuple(Entry(v.name, v.version, v.program, records, digest=v.digest) for v in known if v)
        match = fixtures.match_ids(replace(tournament, entries=entries))(planned)
        return _check(tournament, planned, match, row, record_path(records, row.match))

    return check


def _counted(compared: "Iterator[Checked]") -> Findings:
    matches = again = records = 0
    for row, wrong, attempt, has_record in compared:
        matches, again, records = matches + 1, again + (attempt > 0), records + has_record
        if wrong:
            return Findings(matches, again, records, f"match {row.match}, number {row.plan} of the plan: {wrong}")
    return Findings(matches, again, records)


Checked = tuple[Row, str | None, int, bool]
"""A result, what is wrong with it, after how many attempts it was dealt, and whether it has a record."""


def _checked(store: Store, settings: Mapping[str, Any], secret: Secret) -> Iterator[Checked]:
    rows: dict[int, Row] = {}
    for row in store.rows():
        if rows.setdefault(row.plan, row) is not row:
            yield row, f"match {rows[row.plan].match} already has this place", 0, False
    blocks = 1 + max((row.block for row in rows.values()), default=0)
    tournament = replace(_tournament(store, settings, blocks), secret=secret.digits)
    match_id, folder = fixtures.match_ids(tournament), store.path.parent / RECORDS
    so_far = ResultsSoFar(store, tournament.entrants.bots)
    for part in tournament.kind.parts(tournament.entrants, so_far) if rows else ():
        for fixture in part:
            if fixture.index in rows:
                row = rows.pop(fixture.index)
                yield _check(tournament, fixture, match_id(fixture), row, record_path(folder, row.match))
        if not rows:
            return
    for row in rows.values():
        yield row, "the plan has no such match", 0, False


def _check(tournament: Tournament, fixture: Fixture, match: str, row: Row, path: Path) -> Checked:
    due = (seeds(tournament, fixture.deal, fixture.rotation, attempt) for attempt in range(SEARCHED_ATTEMPTS))
    found = next(((attempt, both) for attempt, both in enumerate(due) if both["seed"] == row.seed), None)
    attempt, both = found or (0, {})
    wrong = {
        "the bots or their seats differ from the plan": (row.bots, row.block, row.rotation)
        == (fixture.bots, fixture.block, fixture.rotation),
        "its deal does not follow from the secret": found is not None,
        "its id does not follow from the secret and what is played": row.match == match,
    }
    first = next((words for words, is_right in wrong.items() if not is_right), None)
    if first or not path.exists():
        return row, first, attempt, False
    header = load(path).header
    if header.parent is not None:
        return row, f"the record {path} is a branch, which continues another match", attempt, True
    if (header.match, header.seed, header.bot_seed) != (match, both["seed"], both["bot_seed"]):
        return row, f"the record {path} has another id or other seeds", attempt, True
    return row, None, attempt, True


def _tournament(store: Store, settings: Mapping[str, Any], blocks: int) -> Tournament:
    """The tournament that a store's settings describe, as far as plan and ids need it."""
    _, *seats = settings["schedule"]
    clock = LeagueClock.from_plain(settings["clock"])
    names = settings.get("seeding", settings["order"])
    return Tournament(
        path=store.path,
        name=settings["name"],
        game=settings["game"],
        edition=settings["edition"],
        entries=tuple(_entry(name, settings, store.path.parent) for name in names),
        one_per_author="authors" in settings,
        options=settings["options"],
        seed=settings["seed"],
        deals=settings["deals"],
        kind=kind_of(store).from_keys(_keys(settings, blocks)),
        seats=tuple(seats),
        clock=clock.control,
        is_scaled=clock.is_scaled,
        strikes=settings["strikes"],
        memory_mb=settings["memory_mb"],
        threads=settings.get("threads", Policy().threads),
    )


def _keys(settings: Mapping[str, Any], blocks: int) -> ScheduleKeys:
    _, *seats = settings["schedule"]
    own = {key: settings.get(key) for key in (*GROUP_KEYS, "ladder")}
    return ScheduleKeys(tuple(seats), blocks, challengers=tuple(settings["challengers"]), **own)


def _entry(name: str, settings: Mapping[str, Any], folder: Path) -> Entry:
    """A bot as the store knows it. Of authors it knows only which bots have the same one."""
    version, digest = settings["bots"][name]
    author = next((", ".join(bots) for bots in settings.get("authors", ()) if name in bots), name)
    return Entry(name, version, tuple(settings["commands"][name]), folder, digest=digest, author=author)
