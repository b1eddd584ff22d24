"""Clocks that are scaled by the speed of the host: the arithmetic, the tournament file, records and their check."""

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, replace
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as some

from arena.errors import SettingError, StoreError
from arena.league import run as league
from arena.league.clocks import LeagueClock, scaled
from arena.league.evidence import merge_folders, verify_league
from arena.league.store import FILE, open_store
from arena.league.tournament import read_tournament
from arena.league.wire import RECORDS, record_path
from arena.match.clock import MOST_MS, TimeControl
from arena.match.hosts import MOST_SPEED, Host
from arena.match.record_file import load, save
from tests.league.small_league import HOST, PATIENT, Refereed, play, rows, small_league

CLOCK = TimeControl(hello_ms=10_000, prepare_ms=5_001, bank_ms=7, increment_ms=100)
SLOW, FAST = replace(HOST, name="slow", speed=40), replace(HOST, name="fast", speed=300)
SCALE = {**PATIENT, "increment_ms": 100, "scale": True}


def at(speed: int) -> Host:
    return replace(HOST, speed=speed)


# Arithmetic


def test_a_host_of_half_the_speed_has_twice_the_time_for_everything():
    assert scaled(CLOCK, at(50)) == TimeControl(20_000, 10_002, 14, 200)


def test_a_fast_host_has_less_rounded_up():
    assert scaled(CLOCK, at(300)) == TimeControl(3_334, 1_667, 3, 34)


def test_the_reference_machine_has_the_clock_of_the_file():
    assert scaled(CLOCK, at(100)) == CLOCK


def test_what_is_charged_does_not_change():
    assert scaled(replace(CLOCK, charge="cpu"), at(50)).charge == "cpu"


def test_no_time_stays_none():
    assert scaled(TimeControl(bank_ms=0, increment_ms=0), at(33)).wire == {
        "prepare_ms": 30_304, "bank_ms": 0, "increment_ms": 0,
    }  # fmt: skip


def test_no_time_is_longer_than_a_clock_can_be():
    most = TimeControl(MOST_MS, MOST_MS, MOST_MS, MOST_MS)
    assert scaled(most, at(1)) == most


@given(some.integers(1, MOST_MS), some.integers(1, MOST_SPEED))
def test_the_times_of_a_clock_keep_their_proportion(value, speed):
    found = scaled(TimeControl(value, value, value, value), at(speed))
    times = {found.hello_ms, found.prepare_ms, found.bank_ms, found.increment_ms}
    assert times == {min(MOST_MS, ceil(Fraction(value * 100, speed)))}
    assert found.increment_ms >= 1


def test_a_clock_that_is_not_scaled_is_the_same_everywhere():
    assert LeagueClock(CLOCK).on(at(7)) == CLOCK


@pytest.mark.parametrize("is_scaled", [False, True])
def test_a_clock_is_the_same_after_it_was_sent(is_scaled):
    clock = LeagueClock(CLOCK, is_scaled)
    assert LeagueClock.from_plain(json.loads(json.dumps(clock.plain()))) == clock


def test_a_clock_that_is_not_scaled_is_stored_as_in_older_leagues():
    assert LeagueClock(CLOCK).plain() == asdict(CLOCK)


@pytest.mark.parametrize(
    ("plain", "why"),
    [
        ({"scale": 1}, "clock.scale: expected true or false, got 1."),
        ({"bank": 1}, "clock.bank: there is no such key."),
        ({"bank_ms": -1}, "clock.bank_ms: expected an integer from 0 to 2^53, got -1."),
    ],
)
def test_a_clock_that_cannot_be_is_refused(plain, why):
    with pytest.raises(SettingError) as caught:
        LeagueClock.from_plain(plain)
    assert str(caught.value).startswith(why)


# The file


def test_the_file_says_whether_clocks_are_scaled(tmp_path):
    assert read_tournament(small_league(tmp_path, clock=SCALE)).league_clock.is_scaled
    assert not read_tournament(small_league(tmp_path)).league_clock.is_scaled


def test_the_file_takes_no_other_value(tmp_path):
    with pytest.raises(SettingError, match=r"clock\.scale: expected true or false, got 2\.$"):
        read_tournament(small_league(tmp_path, clock={**PATIENT, "scale": 2}))


# Playing


def played(path, folder, host, monkeypatch, **changes):
    monkeypatch.setattr(league, "Workers", Refereed(host=host))
    play(path, folder, **changes)
    return {row.match: load(record_path(folder / RECORDS, row.match)) for row in rows(folder)}


@pytest.fixture
def path(tmp_path):
    return small_league(tmp_path, clock=SCALE, blocks=2)


def test_the_record_has_the_scaled_clock_and_the_host(path, tmp_path, monkeypatch):
    for record in played(path, tmp_path / "slow", SLOW, monkeypatch).values():
        assert record.header.host == SLOW
        assert {player.clock.increment_ms for player in record.header.players} == {250}
        assert {player.clock.bank_ms for player in record.header.players} == {1_500_000}


def test_the_id_of_a_match_does_not_depend_on_the_host(path, tmp_path, monkeypatch):
    slow = played(path, tmp_path / "slow", SLOW, monkeypatch)
    assert slow.keys() == played(path, tmp_path / "fast", FAST, monkeypatch).keys()


def test_hosts_of_different_speeds_play_one_league(path, tmp_path, monkeypatch):
    played(path, tmp_path / "slow", SLOW, monkeypatch, blocks=1)
    played(path, tmp_path / "fast", FAST, monkeypatch)
    assert merge_folders(tmp_path / "slow", tmp_path / "fast") == 2
    with open_store(tmp_path / "slow") as store:
        assert list(verify_league(store, lambda *_: None)) == []


@pytest.mark.parametrize(("before", "after", "was"), [(True, False, "true, now null"), (False, True, "null, now true")])
def test_a_league_stays_with_or_without_scaled_clocks(before, after, was, tmp_path, monkeypatch):
    path = small_league(tmp_path, clock={**SCALE, "scale": before}, blocks=1)
    played(path, tmp_path / "results", SLOW, monkeypatch)
    path = small_league(tmp_path, clock={**SCALE, "scale": after}, blocks=1)
    with pytest.raises(SettingError, match=rf"clock\.scale was {was}"):
        play(path, tmp_path / "results")


# Proof


def changed(header, host, clock_of):
    players = tuple(replace(player, clock=clock_of) for player in header.players)
    return replace(header, host=host, players=players)


CLOCK_OF_FILE = LeagueClock.from_plain(SCALE).control
FORGED = {
    "the clock of another host": (SLOW, scaled(CLOCK_OF_FILE, FAST), "the record says clock ["),
    "the clock of the file": (SLOW, CLOCK_OF_FILE, "the record says clock ["),
    "one millisecond more": (
        SLOW, replace(scaled(CLOCK_OF_FILE, SLOW), increment_ms=251), "the record says clock [",
    ),
    "no host": (None, scaled(CLOCK_OF_FILE, SLOW), "the record has no host, and the clocks of this league follow from"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_record_proves_a_result_only_with_the_clock_of_its_host(name, path, tmp_path, monkeypatch):
    host, clock, why = FORGED[name]
    played(path, tmp_path / "into", SLOW, monkeypatch, blocks=1)
    records = played(path, tmp_path / "other", SLOW, monkeypatch)
    match = rows(tmp_path / "other")[-1].match
    record = replace(records[match], header=changed(records[match].header, host, clock))
    save(record, record_path(tmp_path / "other" / RECORDS, match))
    with pytest.raises(StoreError) as caught:
        merge_folders(tmp_path / "into", tmp_path / "other")
    assert why in str(caught.value)


def test_the_scaled_clock_of_the_host_itself_is_accepted(path, tmp_path, monkeypatch):
    played(path, tmp_path / "into", SLOW, monkeypatch, blocks=1)
    records = played(path, tmp_path / "other", SLOW, monkeypatch)
    match = rows(tmp_path / "other")[-1].match
    record = replace(records[match], header=changed(records[match].header, FAST, scaled(CLOCK_OF_FILE, FAST)))
    save(record, record_path(tmp_path / "other" / RECORDS, match))
    with closing(sqlite3.connect(tmp_path / "other" / FILE)) as connection, connection:
        connection.execute("UPDATE result SET host = ? WHERE match = ?", (FAST.id, match))
    assert merge_folders(tmp_path / "into", tmp_path / "other") == 2
