"""What comes before the first match of a run: the secret, the roster, and what differs from the tournament file."""

import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.errors import FileError, SettingError, StoreError
from arena.league.admission import (
    ARCHIVES,
    WORD,
    Difference,
    differences,
    founded,
    playing,
    take_in,
)
from arena.league.deals import begun, kept
from arena.league.executor import Hire
from arena.league.fixtures import identity, roster
from arena.league.heartbeat import RUNS
from arena.league.migration import to_meetings
from arena.league.store import Store, difference, open_store
from arena.league.tournament import Tournament, read_tournament


def reread(path: Path, store: Store) -> Tournament:
    """The tournament of a file. The files of bots that the league has may be missing."""
    roster_now = store.lineup().current.values()
    return read_tournament(path, {str(one.entry[WORD]): one.name for one in roster_now if WORD in one.entry})


async def prepared(
    store: Store, tournament: Tournament, folder: Path, hire: Hire, keep_going: bool = False
) -> tuple[Tournament, list[str]]:
    """The tournament as the league in this folder plays it, and what its user should know. It begins if it has not."""
    settings = store.settings()
    tournament = begun(tournament, settings)
    check_same(store, tournament)
    remarks = list[str]()
    if store.lineup().changes:
        remarks += _remarks(tournament, differences(store.lineup(), tournament, folder))
    elif settings:
        founded(store, tournament, folder, settings)
    else:
        _, refused = await take_in(store, tournament, folder, hire, keep_going=keep_going)
        remarks += left_out(refused)
    return as_kept(store, tournament, folder), remarks


async def changed_roster(
    store: Store,
    tournament: Tournament,
    folder: Path,
    hire: Hire,
    wanted: Collection[str] | None = None,
    keep_going: bool = False,
) -> tuple[Tournament, list[Difference], dict[str, str]]:
    """The tournament after the roster has become what the file says, for all bots or for those that are wanted.

    With it comes what has changed, and why bots were refused.
    """
    settings = store.settings()
    tournament = begun(tournament, settings)
    check_same(store, tournament)
    if tournament.is_old:
        raise SettingError(
            f"{tournament.path}: an arena without secrets began this league, and its roster cannot change. "
            "Begin a new league: another name, or another --folder."
        )
    if not store.lineup().changes:
        founded(store, tournament, folder, settings)
    if not tournament.by_meetings and tournament.kind.may_change:
        to_meetings(store)
        tournament = begun(tournament, store.settings())
    found, refused = await take_in(store, tournament, folder, hire, wanted, keep_going)
    return as_kept(store, tournament, folder), found, refused


def as_kept(store: Store, tournament: Tournament, folder: Path) -> Tournament:
    """The tournament with the bots that the league plays."""
    lineup = store.lineup()
    return replace(tournament, entries=playing(lineup, folder, tournament.bots), lineup=lineup)


def settle(store: Store, tournament: Tournament, planned: int) -> None:
    """Write all settings of a league that has begun."""
    facts = {"name": tournament.name, "planned": planned, "sandbox": tournament.sandbox, "ended": False}
    order = {"order": list(tournament.bots), "anchor": dict(tournament.anchor)}
    store.settle({**identity(tournament), **roster(tournament), **kept(tournament), **facts, **order})


def check_same(store: Store, tournament: Tournament) -> None:
    """SettingError if the store has the results of another league."""
    before, now = store.settings(), json.loads(json.dumps(identity(tournament)))
    changes = [difference(key, before[key], now[key]) for key in now if key in before and before[key] != now[key]]
    if not changes:
        return
    raise SettingError(
        f"{tournament.path}: {store.path.parent} has the results of another league: {'; '.join(changes)}. "
        "Undo that, or begin a new league: another name, another --folder, or move this folder away."
    )


# What a user reads


def left_out(refused: Mapping[str, str]) -> Iterator[str]:
    for name, why in refused.items():
        yield f"{name} is left out: it did not get through its trial match: {why}"


def _remarks(tournament: Tournament, found: Sequence[Difference]) -> Iterator[str]:
    """How the file and the bots' files differ from what is played, and what to do."""
    if not tournament.kind.may_change:
        if names := [one.name for one in found if one.entry is None or one.before is None]:
            raise SettingError(
                f"{tournament.path}: the roster of a {tournament.kind.name} cannot change once it has begun: "
                f"{', '.join(names)}. Undo that, or begin a new league: another name, or another --folder."
            )
        yield from (f"{one.name} {one.words}. The league goes on with the copy that it kept." for one in found)
        return
    for one in found:
        yield f"{one.name} {one.words}. `arena league update {tournament.path} {one.name}`: it {one.verb}."
    for name in tournament.absent:
        yield f"{name}: its files cannot be read. The league plays the copy that it kept."


# Shares of a league


def adopt(store: Store, folder: Path, base: Path) -> None:
    """Make this folder a share of the league in `base`: the same settings, roster and bots, and no results."""
    if store.settings():
        return
    with open_store(base) as league:
        lineup, settings = league.lineup(), league.settings()
    settings.pop(RUNS, None)  # they were there, not here
    if not lineup.changes:
        raise StoreError(f"{base}: an older arena began this league. Run it there once, so that its bots are kept.")
    (folder / ARCHIVES).mkdir(parents=True, exist_ok=True)
    try:
        for archive in sorted({one.archive for one in lineup.current.values() if one.archive}):
            shutil.copyfile(base / ARCHIVES / f"{archive}.tar.gz", folder / ARCHIVES / f"{archive}.tar.gz")
    except OSError as error:
        raise FileError(f"{base / ARCHIVES}: the bots of the league cannot be copied: {error.strerror}") from None
    store.enlist(lineup.versions.values(), lineup.changes)
    store.settle(settings)
