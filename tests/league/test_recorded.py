"""Which results have no record, folder by folder."""

import sqlite3
from contextlib import closing

import pytest

from arena.errors import StoreError
from arena.league.recorded import unrecorded
from arena.league.store import FILE, open_store
from arena.league.wire import RECORDS, record_path
from tests.league.test_store import begun, row

IDS = [f"{first:02x}{at:022x}" for first in range(256) for at in (0, 16**22 - 1)]
"""The first and the last of each folder."""


def league(folder, kept):
    """A league with all these results, and with the records of some."""
    begun(folder, [row(plan, match) for plan, match in enumerate(IDS)])
    for match in kept:
        path = record_path(folder / RECORDS, match)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


def test_results_of_all_folders_are_looked_for(tmp_path):
    with open_store(league(tmp_path, IDS[::3])) as store:
        assert list(unrecorded(store)) == [match for match in IDS if match not in IDS[::3]]


def test_without_a_folder_of_records_all_are_missing(tmp_path):
    with open_store(league(tmp_path, [])) as store:
        assert list(unrecorded(store)) == IDS


def test_a_folder_in_the_place_of_a_record_is_none(tmp_path):
    league(tmp_path, IDS[1:])
    record_path(tmp_path / RECORDS, IDS[0]).mkdir()
    with open_store(tmp_path) as store:
        assert list(unrecorded(store)) == IDS[:1]


@pytest.mark.parametrize("match", ["", "!", "zz", "../../x", b"x"])
def test_what_is_no_id_is_refused_wherever_it_stands(tmp_path, match):
    league(tmp_path, IDS)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("UPDATE result SET match = ? WHERE plan = 7", (match,))
        connection.commit()
    with open_store(tmp_path) as store, pytest.raises(StoreError, match="expected 24 hexadecimal digits"):
        list(unrecorded(store))
