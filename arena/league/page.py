"""The report of a league, from its store."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from arena.league import recorded
from arena.league.kinds import kind_of
from arena.league.report import Report, render
from arena.league.results import host_comparison, players
from arena.league.store import Row, Store
from arena.league.wire import RECORDS
from arena.version import VERSION


def page(
    store: Store, command: str, records: str = RECORDS, has_replay: Callable[[str], bool] = lambda _match: False
) -> str:
    """The report of a league that this command plays.

    `records` is where the records are, seen from the page; `has_replay` says which matches have a page beside it.
    """
    settings = store.settings()
    name, planned, sandbox = (settings[key] for key in ("name", "planned", "sandbox"))
    course = kind_of(store).course(store)
    has_record = partial(recorded.has_record, store.path.parent / RECORDS)
    lineup = store.lineup()
    rows = labelled(store.rows(), lineup.labels)
    current = None if lineup.is_first else tuple(lineup.current)
    hosts, earlier = host_comparison(store), store.count() - store.count_now()
    facts = name, settings, rows, planned, command, VERSION, sandbox, records, course, has_record, current, hosts
    return render(Report(*facts, earlier, has_replay))


def labelled(rows: Iterable[Row], labels: Mapping[str, str]) -> Iterator[Row]:
    """The results with the label of each version in the place of a bot's name."""
    for row in rows:
        bots = players(row.bots, row.versions, labels)
        yield row if bots == row.bots else replace(row, bots=bots)
