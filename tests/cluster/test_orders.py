"""What travels between the runner and the workers of a cluster, without a cluster."""

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import dask
import pytest
import trio

from arena.cluster.contact import check_security
from arena.cluster.hand import Hand
from arena.cluster.luggage import arrived, cache, lacking, packed, take_piece
from arena.cluster.orders import Orders, digest_of
from arena.cluster.place import ClusterPlace, located
from arena.cluster.records import keep_records
from arena.cluster.sameness import Arena, difference, this_arena
from arena.cluster.shift import ClusterWorker, Shift
from arena.errors import LaunchError, RecordError, RosterError, SettingError, StoreError
from arena.league.executor import Notice, Supply, too_weak
from arena.league.tournament import read_tournament
from arena.league.wire import Block, record_path
from arena.roster.copies import kept
from arena.roster.digests import as_known, old_digest
from arena.roster.entries import Entry, find
from tests.league.small_league import Refereed, play, rows, small_bot, small_league

MATCH = "0123456789abcdef01234567"
OTHER = "f" * 24


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("tcp://head:8786", ClusterPlace("tcp://head:8786")),
        ("tls://10.0.0.1:8786", ClusterPlace("tls://10.0.0.1:8786")),
        ("tcp://[fd00::1]:8786", ClusterPlace("tcp://[fd00::1]:8786")),
        ("local:2", ClusterPlace(local=2)),
    ],
)
def test_a_cluster_is_an_address_or_a_number_of_local_workers(word, place):
    assert located(word) == place


@pytest.mark.parametrize("word", ["", "head:8786", "local:0", "local:", "http://head:80", "tcp://head", "tcp://a b:1"])
def test_any_other_place_is_refused_with_what_it_may_be(word):
    with pytest.raises(SettingError, match="expected the address of a Dask scheduler, such as tcp://host:8786"):
        located(word)


# Keys and slots


def test_the_key_of_a_task_follows_from_the_matches_and_their_attempts():
    first, second = [{"match": MATCH}], [{"match": OTHER}]
    assert digest_of(first) == digest_of([{"match": MATCH, "attempt": 0, "bots": ["a"]}])
    assert len({digest_of(first), digest_of(second), digest_of([{"match": MATCH, "attempt": 1}])}) == 3


def test_no_two_tasks_have_one_key(tmp_path):
    orders = small_orders(tmp_path)
    assert orders.key("x") != orders.key("x")
    assert orders.key("x") != small_orders(tmp_path).key("x")


def small_orders(folder: Path, seats: int = 2) -> Orders:
    from arena.league.fixtures import setting

    tournament = read_tournament(small_league(folder))
    return Orders(setting(tournament, folder / "league"), seats, packed({}, folder))


@pytest.mark.parametrize(("cores", "seats", "slots"), [(16, 5, 3), (4, 2, 2), (1, 2, 1), (5, 5, 1)])
def test_no_more_bots_think_on_a_worker_than_it_has_cores(tmp_path, cores, seats, slots):
    assert small_orders(tmp_path, seats).slots(cores) == slots


# Bots


def small_copy(folder: Path) -> Entry:
    return copy_of(find(str(small_bot(folder, "first"))), folder)


def copy_of(entry: Entry, folder: Path) -> Entry:
    """A bot as a league in this folder keeps it."""
    return kept(entry, folder / "league" / "bots", folder / "league" / "unpacked")


def test_a_bot_travels_in_pieces_and_is_the_same_there(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("arena.cluster.luggage.PIECE", 100)
    entry = small_copy(tmp_path)
    luggage = packed({"renamed": entry}, tmp_path / "league")
    (digest,) = lacking(list(luggage.archives))
    assert len(list(luggage.pieces(digest))) > 2
    for piece, is_last in luggage.pieces(digest):
        assert lacking([digest]) == [digest]
        take_piece(digest, "0" * 24, piece, is_last)
    assert lacking([digest]) == []
    there = arrived("renamed", luggage.entries["renamed"])
    assert (there.name, there.digest, there.command) == ("renamed", entry.digest, entry.command)
    assert digest == entry.digest
    assert there.folder == tmp_path / "cache" / "unpacked" / digest
    assert (there.folder / "bot.py").read_bytes() == (entry.folder / "bot.py").read_bytes()


def test_an_archive_that_arrived_damaged_is_refused_and_asked_for_again(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    luggage = packed({"first": small_copy(tmp_path)}, tmp_path / "league")
    (digest,) = luggage.archives
    take_piece(digest, "0" * 24, b"nonsense", True)
    with pytest.raises(RosterError, match="first cannot be kept"):
        arrived("first", luggage.entries["first"])
    assert lacking([digest]) == [digest]


def test_the_archive_that_the_league_keeps_travels_and_is_not_written_again(tmp_path):
    entry = small_copy(tmp_path)
    archive = tmp_path / "league" / "bots" / f"{entry.digest}.tar.gz"
    before = archive.stat()
    assert packed({"first": entry}, tmp_path / "league").archives == {entry.digest: archive}
    assert (archive.stat().st_ino, archive.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_bot_of_an_older_league_travels_by_its_archive_and_has_the_old_digest_there(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    copy = small_copy(tmp_path)
    luggage = packed({"first": replace(copy, digest="0123456789abcdef")}, tmp_path / "league")
    assert [*luggage.archives] == [copy.digest]
    for piece, is_last in luggage.pieces(copy.digest):
        take_piece(copy.digest, "0" * 24, piece, is_last)
    there = arrived("first", luggage.entries["first"])
    assert (there.digest, there.folder.name) == ("0123456789abcdef", copy.digest)


def test_an_archive_that_is_missing_or_damaged_is_written_again_from_the_copy(tmp_path):
    entry = small_copy(tmp_path)
    archive = tmp_path / "league" / "bots" / f"{entry.digest}.tar.gz"
    whole = archive.read_bytes()
    archive.unlink()
    packed({"first": entry}, tmp_path / "league")
    assert archive.read_bytes() == whole
    archive.write_bytes(b"nonsense")
    packed({"first": entry}, tmp_path / "league")
    assert archive.read_bytes() == whole


def test_a_missing_archive_of_a_copy_that_has_changed_is_refused_in_words(tmp_path):
    entry = small_copy(tmp_path)
    (tmp_path / "league" / "bots" / f"{entry.digest}.tar.gz").unlink()
    entry.folder.chmod(0o755)
    (entry.folder / "more.py").write_text("")
    with pytest.raises(
        RosterError, match=r"first cannot be kept: .* is missing or damaged, and its copy .* has changed"
    ):
        packed({"first": entry}, tmp_path / "league")


def test_a_bot_that_is_played_where_it_is_cannot_travel_and_is_named(tmp_path):
    script = small_bot(tmp_path, "first") / "bot.py"
    entry = find(f"{sys.executable} {script} first")
    with pytest.raises(
        RosterError, match=r"mine cannot travel to other machines: .* where it is, in .*/first, and keeps"
    ):
        packed({"mine": entry}, tmp_path / "league")


def test_an_archive_cannot_arrive_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    with pytest.raises(RosterError, match="not a digest"):
        take_piece("../../x", "0" * 24, b"", True)


def test_a_built_in_bot_does_not_travel():
    luggage = packed({"mine": find("greedy")}, Path("/nonexistent"))
    assert luggage.archives == {}
    assert arrived("mine", luggage.entries["mine"]).command == find("greedy").command
    with pytest.raises(RosterError, match="built-in bot greedy has other files"):
        arrived("mine", {**luggage.entries["mine"], "digest": "another"})


def test_a_built_in_bot_of_an_older_league_has_the_old_digest_there():
    old = as_known(find("greedy"), old_digest(find("greedy")))
    assert arrived("mine", packed({"mine": old}, Path("/nonexistent")).entries["mine"]).digest == old.digest


def test_a_cache_that_others_can_write_to_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("ARENA_CACHE", str(folder))
    with pytest.raises(LaunchError, match="not a folder that only this user can write to"):
        cache()
    os.rmdir(folder)
    folder.symlink_to(tmp_path)
    with pytest.raises(LaunchError, match="not a folder"):
        cache()


# Records


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A match that was played, and its record as it arrives."""
    monkeypatch.setattr("arena.league.run.Workers", Refereed())
    play(small_league(tmp_path, blocks=1), tmp_path / "league")
    match = rows(tmp_path / "league")[0].match
    return match, record_path(tmp_path / "league" / "records", match).read_bytes()


def test_a_record_is_written_if_it_is_of_the_match_that_was_ordered(tmp_path, recorded):
    match, record = recorded
    keep_records(tmp_path / "new", [{"match": match}], [({"match": match}, record)])
    assert record_path(tmp_path / "new", match).read_bytes() == record


def test_a_record_of_another_match_is_refused(tmp_path, recorded):
    match, record = recorded
    for ordered, message, came in (
        (OTHER, OTHER, record), (OTHER, match, record), (match, match, record[:-9]), (match, match, b""), (match, match, None),
    ):  # fmt: skip
        with pytest.raises(RecordError):
            keep_records(tmp_path / "new", [{"match": ordered}], [({"match": message}, came)])
    assert not (tmp_path / "new").exists()


def test_a_record_that_cannot_be_written_stops_the_league(tmp_path, recorded):
    match, record = recorded
    (tmp_path / "new").write_text("a file, not a folder")
    with pytest.raises(StoreError, match="the record cannot be written"):
        keep_records(tmp_path / "new", [{"match": match}], [({"match": match}, record)])


def test_a_void_match_has_no_record(tmp_path):
    keep_records(tmp_path / "new", [{"match": MATCH}], [({"match": MATCH, "void": "no cores"}, None)])
    assert not (tmp_path / "new").exists()


# Who may play


def test_an_encrypted_address_without_certificates_is_refused_in_words():
    with pytest.raises(LaunchError, match="tls://head:8786 needs TLS, and Dask's configuration names no certificates"):
        check_security("tls://head:8786")
    check_security("tcp://head:8786")


def test_an_open_address_is_refused_if_dask_requires_encryption():
    encrypted = dask.config.set({"distributed.comm.require-encryption": True})
    with encrypted, pytest.raises(LaunchError, match="tcp://head:8786 is not encrypted"):
        check_security("tcp://head:8786")


def test_certificates_that_are_missing_are_refused_in_words(tmp_path):
    none = str(tmp_path / "none.pem")
    missing = dask.config.set({"distributed.comm.tls.client.cert": none, "distributed.comm.tls.ca-file": none})
    with missing, pytest.raises(LaunchError, match=r"configuration of TLS cannot be used: .*No such file"):
        check_security("tls://head:8786")


class Counted:
    """An arena worker that only notes how many bots think at once."""

    thinking = most = 0

    def __init__(self, _setting: dict) -> None:
        pass

    def tier(self) -> str:
        return "none"

    def play(self, block: Block) -> Iterator[dict]:
        for fixture in block:
            Counted.thinking += len(fixture["bots"])
            Counted.most = max(Counted.most, Counted.thinking)
            time.sleep(0.01)
            Counted.thinking -= len(fixture["bots"])
            yield {"match": fixture["match"], "void": "nothing was played"}

    def end(self) -> None:
        pass


def test_two_leagues_on_one_worker_share_its_cores(tmp_path, monkeypatch):
    from arena.league.fixtures import setting

    monkeypatch.setattr("arena.cluster.hand.ArenaProcess", Counted)
    common = setting(read_tournament(small_league(tmp_path)), tmp_path)
    hand = Hand(5, ())
    blocks = {"two": [{"match": MATCH, "bots": ["a", "b"]}], "five": [{"match": OTHER, "bots": list("abcde")}]}
    for league, slots in (("two", 2), ("five", 1)):
        assert hand.prepare(league, "run", common, slots) == "none"
    orders = [("two", 0), ("two", 1), ("five", 0)] * 5
    with ThreadPoolExecutor(len(orders)) as pool:
        answers = list(pool.map(lambda order: hand.play(order[0], "run", order[1], blocks[order[0]]), orders))
    assert all(len(answer["played"]) == 1 for answer in answers)
    assert Counted.most == 5
    assert hand.play("two", "an earlier run", 0, blocks["two"])["played"] == []


def test_arenas_of_one_version_with_other_source_files_differ():
    here = this_arena()
    assert difference(here) is None
    assert "other source files" in str(difference(Arena(here.version, "0" * 16)))
    assert "it has arena 0.0" in str(difference(Arena("0.0", here.source)))


def test_a_sandbox_is_too_weak_if_the_league_needs_a_stronger_one():
    assert too_weak("lite", "lite") is None
    assert too_weak("full", "lite") is None
    assert "its best sandbox is of tier lite, and the league needs full" in str(too_weak("lite", "full"))


def test_a_host_is_refused_once_for_each_reason_however_often_dask_starts_its_worker_again():
    said: list[Notice] = []
    shift = Shift(*(None,) * 3, Path(), said.append)  # type: ignore[arg-type]  # it speaks with nobody
    for number, reason in enumerate(("no sandbox", "no sandbox", "no compiler")):
        shift._refuse(ClusterWorker(f"tcp://x:{number}", number, "node"), reason)
    assert [one.text for one in said] == [
        "worker tcp://x:0 on node gets no work: no sandbox",
        "worker tcp://x:2 on node gets no work: no compiler",
    ]


# The supply


def test_a_block_that_is_given_back_is_played_again_before_the_next_part():
    async def take_all() -> list[list[str]]:
        taken = []
        supply = Supply(iter([iter([[{"match": "a"}]]), iter([[{"match": "b"}]])]))
        block = await supply.next()
        supply.give_back(block)
        supply.retry({"match": "c"})
        while block := await supply.next():
            taken.append([fixture["match"] for fixture in block])
            supply.finished()
        return taken

    assert trio.run(take_all) == [["a"], ["c"], ["b"]]
