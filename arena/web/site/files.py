"""What can be downloaded: records, replays, and tables of all results."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from arena.errors import ArenaError, FileError
from arena.files import read
from arena.league.page import labelled
from arena.league.seat_rows import COLUMNS, csv_texts, flat_rows
from arena.league.standings import plain
from arena.league.store import read_store
from arena.league.wire import RECORDS, record_path
from arena.match.packing import MOST_BYTES
from arena.match.record_file import load
from arena.web.site.visit import NoPage, Visit


def record_bytes(visit: Visit, match: str) -> bytes:
    """The record of a match as it is. NoPage if there is none."""
    path = record_path(visit.edition.folder / RECORDS, match)
    if path.resolve() != record_path(visit.edition.folder.resolve() / RECORDS, match):
        raise NoPage(f"The record of the match {match} is a link, not an ordinary file.")
    try:
        return read(path, MOST_BYTES)
    except FileError:
        raise NoPage(f"There is no record of a match {match}.") from None


def replay_bytes(visit: Visit, match: str) -> bytes:
    """The replay of a match as one page. NoPage if it cannot be shown."""
    from arena.web.replay_page import replay_page

    record_bytes(visit, match)  # NoPage if it is not an ordinary file of this league
    try:
        return replay_page(load(record_path(visit.edition.folder / RECORDS, match)))
    except ArenaError as error:
        raise NoPage(f"The match {match} cannot be shown. {error}") from None


def results_csv(visit: Visit) -> Iterator[str]:
    """All results, a row for each seat. They are read as they are sent."""
    edition = visit.edition
    with read_store(edition.folder) as store:
        rows = labelled(store.rows(), edition.lineup.labels)
        yield from csv_texts(flat_rows(rows, str(edition.settings.get("commitment", ""))), COLUMNS)


def standings_csv(visit: Visit) -> Iterator[str]:
    edition = visit.edition
    versions = {bot: str(known[0]) for bot, known in edition.settings["bots"].items()}
    named = [(one, " ".join(one.not_separated)) for one in edition.league.table]
    rows = [{**plain(one, versions), "rank": one.rank, "not_separated": names} for one, names in named]
    return csv_texts(rows, list(rows[0])) if rows else iter(())


Texts = Callable[[Visit], Iterable[str]]
FILES: Mapping[str, Texts] = {"results.csv": results_csv, "standings.csv": standings_csv}
"""Tables by name."""
