"""What a power cut may cost: no result whose record is lost. The model of benchmarks/power_cut.py, and a real run in it."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from arena import files
from arena.errors import StoreError
from arena.league import evidence
from arena.league import run as league
from arena.league.evidence import merge_folders
from arena.league.store import FILE, open_store
from arena.league.wire import RECORDS
from benchmarks.power_cut import (
    DiskLeft,
    History,
    anything,
    calls_of,
    everything,
    history_of,
    inspect,
    nothing,
    only_contents,
    only_names,
)
from tests.league.small_league import Refereed, play, rows, small_league
from tests.machine import need_program

ROOT = Path(__file__).parents[2]


@pytest.fixture
def synced(monkeypatch) -> set[str]:
    """The matches whose records were there when a sync was called for. No other may have a result then."""
    found = set[str]()

    def noted(folder: Path) -> None:
        assert {row.match for row in rows(folder.parent)} <= found
        files.sync(folder)
        found.update(path.name.partition(".")[0] for path in folder.glob("*/*"))

    monkeypatch.setattr(league, "Workers", Refereed())
    monkeypatch.setattr(league, "sync", noted)
    monkeypatch.setattr(evidence, "sync", noted)
    return found


def test_a_result_is_in_the_store_only_when_its_record_is_on_the_disk(tmp_path, synced):
    play(small_league(tmp_path, blocks=6), tmp_path / "it")
    assert synced == {row.match for row in rows(tmp_path / "it")} != set()


def test_what_is_merged_is_on_the_disk_before_it_counts(tmp_path, synced):
    path = small_league(tmp_path, blocks=6)
    play(path, tmp_path / "into", blocks=1)
    before = set(synced)
    play(path, tmp_path / "other", blocks=1)
    play(path, tmp_path / "other")
    synced.intersection_update(before)
    merge_folders(tmp_path / "into", tmp_path / "other", lambda *_: None)
    assert synced == {row.match for row in rows(tmp_path / "into")} > before


def test_a_disk_that_cannot_be_synced_stops_the_league_before_the_result_counts(tmp_path, monkeypatch):
    def full(folder: Path) -> None:
        raise OSError(28, "No space left on device", str(folder))

    monkeypatch.setattr(league, "Workers", Refereed())
    monkeypatch.setattr(league, "sync", full)
    with pytest.raises(StoreError, match=r"records: the record cannot be written: No space left on device\."):
        play(small_league(tmp_path, blocks=6), tmp_path / "it")
    assert rows(tmp_path / "it") == []


# The model

A, B = "/l/a", "/l/b"


def disk(history: History, choose=nothing, cut: int = 99) -> dict[str, bytes | None]:
    found = DiskLeft(history, cut, choose, "/l")
    return {name: found.read(name) for name in ("a", "b")}


def written() -> History:
    history = History()
    history.create(0, A)
    history.write(1, A, b"one")
    history.write(2, A, b"two")
    history.rename(3, A, B)
    return history


def test_what_nobody_synced_may_be_there_or_not():
    history = written()
    assert disk(history) == {"a": None, "b": None}
    assert disk(history, everything) == {"a": None, "b": b"onetwo"}
    assert disk(history, only_names) == {"a": None, "b": b""}
    assert disk(history, only_contents) == {"a": None, "b": None}
    assert disk(history, everything, cut=3) == {"a": b"onetwo", "b": None}
    some = {disk(history, anything(Random(seed)))["b"] for seed in range(50)}
    assert {None, b"", b"one", b"onetwo", b"\0\0\0two"} <= some


def test_a_synced_file_has_its_contents_and_a_synced_folder_its_names():
    history = written()
    history.sync(2, 4, B)
    assert disk(history, only_names) == {"a": None, "b": b"one"}, (
        "what was written after the call had begun may be lost"
    )
    assert disk(history) == {"a": None, "b": None}, "a name belongs to its folder"
    history.sync(5, 6, "/l")
    assert disk(history) == {"a": None, "b": b"one"}
    assert disk(history, cut=6) == {"a": None, "b": None}, "the cut came before the call ended"
    history.sync_all(7, 8)
    assert disk(history) == {"a": None, "b": b"onetwo"}


def test_a_file_in_a_folder_that_is_lost_is_lost():
    history = History()
    history.make_folder(0, "/l/sub")
    history.create(1, "/l/sub/a")
    history.sync(2, 3, "/l/sub")
    assert DiskLeft(history, 9, nothing, "/l").read("sub/a") is None
    history.sync(4, 5, "/l")
    assert DiskLeft(history, 9, nothing, "/l").read("sub/a") == b""


def hexed(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def test_calls_of_several_processes_that_overlap_are_told_apart():
    lines = [
        f'7 openat(AT_FDCWD<{hexed("/l")}>, "{hexed("a")}", O_WRONLY|O_CREAT, 0666) = 3<{hexed(A)}>',
        f"8 syncfs(4<{hexed('/l')}> <unfinished ...>",
        f'7 write(3<{hexed(A)}>, "{hexed("one")}", 3) = 3',
        "8 <... syncfs resumed>)                  = 0",
        f'7 openat(AT_FDCWD<{hexed("/l")}>, "{hexed("b")}", O_RDONLY) = -1 ENOENT (No such file or directory)',
        f'8 write(5<{hexed("/kept")}>, "{hexed("12")}", 2) = 2',
    ]
    assert [(began, at, name) for began, at, name, _ in calls_of(lines)] == [
        (0, 0, "openat"), (2, 2, "write"), (1, 3, "syncfs"), (5, 5, "write"),
    ]  # fmt: skip
    history = history_of(lines, "/l", "/kept")
    assert disk(history) == {"a": b"", "b": None}
    assert (history.reported(5), history.reported(6)) == (0, 12)


def test_a_result_without_its_record_and_one_that_was_reported_and_is_lost_are_found(tmp_path, monkeypatch):
    """A league's folder as it is at its end, written to the model: with a sync, without one, and with a lost store."""
    monkeypatch.setattr(league, "Workers", Refereed())
    play(small_league(tmp_path, blocks=2), tmp_path / "it")
    with open_store(tmp_path / "it") as store:
        count = store.count()
    records = {path.relative_to(tmp_path / "it"): path.read_bytes() for path in (tmp_path / "it" / RECORDS).glob("*/*")}

    def wrong(is_synced: bool, reported: int) -> list[str]:
        history = History()
        for path, data in records.items():
            for folder in (RECORDS, str(path.parent)):
                history.make_folder(0, f"/l/{folder}")
            history.create(1, f"/l/{path}")
            history.write(2, f"/l/{path}", data)
        if is_synced:
            history.sync_all(3, 3)
        history.create(4, f"/l/{FILE}")
        history.write(5, f"/l/{FILE}", (tmp_path / "it" / FILE).read_bytes())
        history.sync(6, 6, f"/l/{FILE}")
        history.sync(7, 7, "/l")
        history.kept.append((7, reported))
        return [found for found in inspect(history, "/l", [9], random_ones=1, seed=1) if found]

    assert wrong(is_synced=True, reported=count) == []
    unsynced = wrong(is_synced=False, reported=count)
    assert any("it has a result and no record" in words for words in unsynced)
    assert any("its record is damaged" in words for words in unsynced)
    (one, *_) = wrong(is_synced=True, reported=count + 1)
    assert one == f"cut 9: {count + 1} results were reported as kept, and {count} are"


# A run


@pytest.mark.usefixtures("processes")
def test_after_a_power_cut_every_result_that_was_kept_has_its_record():
    """A short form of benchmarks/power_cut.py, whose documentation tells what is compared."""
    need_program("strace")
    script = ROOT / "benchmarks" / "power_cut.py"
    words = [sys.executable, str(script), "--blocks", "2", "--cuts", "60", "--states", "1", "--resumes", "0"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "60 cuts, 300 disks: 0 of them lack something\n" in ended.stdout
