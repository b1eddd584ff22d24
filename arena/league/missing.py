"""What a run of a league would play, without playing it."""

from dataclasses import dataclass, replace
from pathlib import Path

from arena.league.admission import differences
from arena.league.beginning import check_same
from arena.league.deals import begun
from arena.league.heartbeat import runs_of
from arena.league.share import whole_plan
from arena.league.store import FILE, Store, open_store
from arena.league.tournament import Tournament


@dataclass(frozen=True, slots=True)
class MissingMatches:
    """How much of a league is missing."""

    matches: int
    planned: int
    is_limit: bool
    """Whether fewer may be enough, because what is played next depends on results."""
    seconds: float | None
    """How long it takes, if an earlier run has shown that."""
    remarks: tuple[str, ...] = ()


def missing_of(tournament: Tournament, folder: Path) -> MissingMatches:
    """What is missing of a league. Nothing is kept, examined or played for it."""
    is_limit = tournament.kind.follows_results or tournament.kind.early_end != ""
    if not (folder / FILE).is_file():
        return MissingMatches(tournament.planned, tournament.planned, is_limit, None)
    with open_store(folder) as store:
        check_same(store, begun(tournament, store.settings()))
        lineup = store.lineup()
        remarks = tuple(f"{one.name} {one.words}" for one in differences(lineup, tournament, folder))
        league = replace(begun(tournament, store.settings()), lineup=lineup)
        if lineup.changes:  # a plan needs only names, so no copy is unpacked
            (any_bot, *_) = tournament.entries
            league = replace(league, entries=tuple(replace(any_bot, name=name) for name in lineup.current))
        return _missing(league, store, is_limit, remarks)


def _missing(league: Tournament, store: Store, is_limit: bool, remarks: tuple[str, ...]) -> MissingMatches:
    done, planned = store.rotations(), league.planned
    if league.kind.whole(league.entrants) is None:
        missing, is_limit = max(0, planned - store.count()), True
    else:
        fixtures = whole_plan(league, done)
        missing = sum(not done.get(one.block, 0) >> one.rotation & 1 for one in fixtures)
    runs = runs_of(store.settings())
    return MissingMatches(missing, planned, is_limit, missing / runs.rate if runs and runs.rate else None, remarks)
