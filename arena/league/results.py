"""The standings of a league, from its store."""

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from arena.league import standings
from arena.league.fit import fit
from arena.league.outcomes import Outcomes
from arena.league.residuals import NOT_COMPARED, HostComparison, compare_hosts
from arena.league.store import NO_LABELS, Store


def table(store: Store, bots: Sequence[str] = (), seats: int | None = None) -> tuple[standings.Standing, ...]:
    """The standings of the bots that play now, from all results or from those of one size of table.

    All versions that ever played are rated together; `all_versions` returns the others too.
    """
    settings = store.settings()
    lineup, current = store.lineup(), bots or settings.get("order", ())
    shown = None if lineup.is_first else current
    return _standings(store, current, seats, shown, settings.get("anchor", {}))


def all_versions(store: Store, seats: int | None = None) -> tuple[standings.Standing, ...]:
    """The standings of all versions that ever played, by their labels."""
    settings = store.settings()
    return _standings(store, settings.get("order", ()), seats, None, settings.get("anchor", {}))


class ResultsSoFar:
    """The results of a league while it is played, for a kind that asks again and again which bots are not separated.

    Only the results of new blocks are read each time, so a block must be complete when it is first named. The answer
    follows from the results alone: a resumed league, which reads them all at once, gets the same one.
    """

    def __init__(self, store: Store, bots: Sequence[str]) -> None:
        self.store = store
        self._bots = bots
        self._labels: Mapping[str, str] = NO_LABELS
        self._blocks = frozenset[int]()
        self._outcomes = Outcomes()
        self._undecided: list[tuple[str, str]] | None = None
        """By the results of these blocks, if it is known."""

    def undecided(self, blocks: Collection[int]) -> list[tuple[str, str]]:
        """The pairs of bots that the results of these blocks do not separate, in the order of the standings."""
        lineup, wanted = self.store.lineup(), frozenset(blocks)
        if lineup.labels != self._labels or not wanted >= self._blocks:  # versions have other names, or less is asked
            self._labels, self._blocks, self._outcomes, self._undecided = lineup.labels, frozenset(), Outcomes(), None
        if self._undecided is None or wanted != self._blocks:
            for outcome in _outcomes(self.store, self._labels, wanted - self._blocks):
                self._outcomes.add(*outcome)
            self._blocks, fitted = wanted, fit(self._outcomes, self._bots)
            shown = None if lineup.is_first else self._bots
            order = standings.ranking(fitted, self._outcomes.played(), shown)
            self._undecided = standings.undecided(order, fitted)
        return self._undecided


def host_comparison(store: Store) -> HostComparison:
    """How the hosts of a league compare; at once if there is only one."""
    known, labels = store.hosts(), store.lineup().labels
    if len({host.place for host in known.values()}) < 2:
        return NOT_COMPARED
    rows = (replace(row, bots=players(row.bots, row.versions, labels)) for row in store.rows())
    hosts = {match: known[host] for match, host in store.played_on().items() if host in known}
    return compare_hosts(rows, hosts, fit(outcomes_of(store, labels)))


def _standings(
    store: Store,
    bots: Sequence[str],
    seats: int | None,
    shown: Container[str] | None,
    anchor: Mapping[str, float],
) -> tuple[standings.Standing, ...]:
    labels = store.lineup().labels
    outcomes = outcomes_of(store, labels, seats)
    return standings.standings(outcomes, bots, store.faults(seats, labels), shown=shown, anchor=anchor)


def outcomes_of(store: Store, labels: Mapping[str, str] = NO_LABELS, seats: int | None = None) -> Outcomes:
    """The results in order: all, or those of one size of table.

    A version that has a label is called by it, and not by the name of its bot.
    """
    return Outcomes(one for one in _outcomes(store, labels) if seats is None or len(one[1]) == seats)


def _outcomes(
    store: Store, labels: Mapping[str, str], blocks: Container[int] | None = None
) -> Iterator[tuple[int, Sequence[str], Sequence[int], Sequence[int]]]:
    """Blocks, bots, ranks and scores in order: of all results, or of those of some blocks."""
    for block, bots, ranks, scores, versions in store.outcomes(blocks):
        yield block, players(bots, versions, labels), ranks, scores


def players(bots: Sequence[str], versions: Sequence[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """What the bots of a table are called, given the keys of their versions."""
    return tuple(labels.get(key, bot) for bot, key in zip(bots, versions)) if versions else tuple(bots)
