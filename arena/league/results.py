"""The standings of a league, from its store."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from arena.league import standings
from arena.league.fit import fit
from arena.league.outcomes import Outcomes
from arena.league.residuals import NOT_COMPARED, HostComparison, compare_hosts
from arena.league.store import NO_LABELS, Store


def table(
    store: Store, bots: Sequence[str] = (), blocks: Container[int] | None = None, seats: int | None = None
) -> tuple[standings.Standing, ...]:
    """The standings of the bots that play now, from all results, from those of some blocks, or of one size of table.

    All versions that ever played are rated together; `all_versions` returns the others too.
    """
    settings = store.settings()
    lineup, current = store.lineup(), bots or settings.get("order", ())
    shown = None if lineup.is_first else current
    return _standings(store, current, blocks, seats, shown, settings.get("anchor", {}))


def all_versions(store: Store, seats: int | None = None) -> tuple[standings.Standing, ...]:
    """The standings of all versions that ever played, by their labels."""
    settings = store.settings()
    return _standings(store, settings.get("order", ()), None, seats, None, settings.get("anchor", {}))


def host_comparison(store: Store) -> HostComparison:
    """How the hosts of a league compare; at once if there is only one."""
    known, labels = store.hosts(), store.lineup().labels
    if len({host.place for host in known.values()}) < 2:
        return NOT_COMPARED
    rows = (replace(row, bots=players(row.bots, row.versions, labels)) for row in store.rows())
    hosts = {row.match: known[row.host] for row in store.rows() if row.host in known}
    return compare_hosts(rows, hosts, fit(outcomes_of(store, labels)))


def _standings(
    store: Store,
    bots: Sequence[str],
    blocks: Container[int] | None,
    seats: int | None,
    shown: Container[str] | None,
    anchor: Mapping[str, float],
) -> tuple[standings.Standing, ...]:
    labels = store.lineup().labels
    outcomes = outcomes_of(store, labels, blocks, seats)
    return standings.standings(outcomes, bots, store.faults(seats, labels), shown=shown, anchor=anchor)


def outcomes_of(
    store: Store,
    labels: Mapping[str, str] = NO_LABELS,
    blocks: Container[int] | None = None,
    seats: int | None = None,
) -> Outcomes:
    """The results in order: all, those of some blocks, or those of one size of table.

    A version that has a label is called by it, and not by the name of its bot.
    """
    return Outcomes(
        (block, players(bots, versions, labels), ranks, scores)
        for block, bots, ranks, scores, versions in store.outcomes(blocks)
        if seats is None or len(bots) == seats
    )


def players(bots: Sequence[str], versions: Sequence[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """What the bots of a table are called, given the keys of their versions."""
    return tuple(labels.get(key, bot) for bot, key in zip(bots, versions)) if versions else tuple(bots)
