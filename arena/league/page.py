"""The report of a league, from its store."""

from arena.league.kinds import kind_of
from arena.league.report import Report, render
from arena.league.store import Store
from arena.league.wire import RECORDS, record_path
from arena.version import VERSION


def page(store: Store, command: str, records: str = RECORDS) -> str:
    """The report of a league that this command plays; `records` is where the records are, seen from the page."""
    settings = store.settings()
    name, planned, sandbox = (settings[key] for key in ("name", "planned", "sandbox"))
    champion = kind_of(store).champion(store)
    rows = list(store.rows())
    folder = store.path.parent / RECORDS
    missing = frozenset(row.match for row in rows if row.faults and not record_path(folder, row.match).is_file())
    return render(Report(name, settings, rows, planned, command, VERSION, sandbox, records, champion, missing))
