"""Which results of a league have no record: one look into each of the 256 folders, in the order of the ids."""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from arena.league.store import Store
from arena.league.wire import RECORDS, record_path

FOLDERS = [f"{number:02x}" for number in range(256)]
BOUNDS = ["", *FOLDERS[1:], None]
"""The ids of one folder stand between two of these. What is no id at all stands between the first or the last two."""


def unrecorded(store: Store) -> Iterator[str]:
    """The matches with a result but without a record. Only one folder's names are in memory at any time."""
    records = store.path.parent / RECORDS
    for folder, (first, end) in zip(FOLDERS, pairwise(BOUNDS)):
        if matches := store.matches(first or "", end):
            kept = _names(records / folder)
            yield from (match for match in matches if record_path(records, match).name not in kept)


def has_record(records: Path, match: str) -> bool:
    return record_path(records, match).is_file()


def _names(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_file()}
    except (FileNotFoundError, NotADirectoryError):
        return set()
