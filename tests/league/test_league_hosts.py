"""Hosts from the worker to the store, and from there to proofs, warnings and the report."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest

from arena.league import run as league
from arena.league.evidence import merge_folders, verify_league
from arena.league.page import page
from arena.league.store import FILE, open_store
from arena.match.hosts import Host
from tests.cli.command import Command, here
from tests.league.small_league import HOST, Pretended, Refereed, play, rows, small_league

SLOW, FAST = replace(HOST, name="slow", speed=40), replace(HOST, name="fast", speed=300)


@pytest.fixture
def cli(monkeypatch, capsys) -> Command:
    return partial(here, monkeypatch, capsys, "league")


def played_on(hosts: list[Host], path, folder, monkeypatch, workers=Refereed) -> None:
    for number, host in enumerate(hosts, 1):
        monkeypatch.setattr(league, "Workers", workers(host=host))
        play(path, folder, blocks=number)


def known(folder) -> dict[str, Host]:
    with open_store(folder) as store:
        return store.hosts()


def test_each_result_has_the_host_that_played_it(tmp_path, monkeypatch):
    played_on([SLOW, FAST, SLOW], small_league(tmp_path, blocks=3), tmp_path / "results", monkeypatch)
    assert known(tmp_path / "results") == {SLOW.id: SLOW, FAST.id: FAST}
    assert sorted(row.host for row in rows(tmp_path / "results")) == sorted([SLOW.id] * 4 + [FAST.id] * 2)


def test_hosts_come_along_with_the_results_that_are_merged(tmp_path, monkeypatch):
    path = small_league(tmp_path, blocks=2)
    played_on([SLOW], path, tmp_path / "into", monkeypatch)
    played_on([FAST, FAST], path, tmp_path / "other", monkeypatch)
    with open_store(tmp_path / "other", create=True) as store:
        store.add_host(HOST)  # which has played nothing
    merge_folders(tmp_path / "into", tmp_path / "other")
    assert known(tmp_path / "into") == {SLOW.id: SLOW, FAST.id: FAST}


def test_a_result_with_the_host_of_another_is_not_proved(tmp_path, monkeypatch):
    played_on([SLOW, FAST], small_league(tmp_path, blocks=2), tmp_path, monkeypatch)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("UPDATE result SET host = ? WHERE host = ?", (FAST.id, SLOW.id))
    with open_store(tmp_path) as store:
        found = list(verify_league(store, lambda *_: None))
    assert len(found) == 2
    assert all(f"host: the record says '{SLOW.id}', the result '{FAST.id}'" in one.reason for one in found)


def test_the_report_of_a_store_compares_its_hosts(tmp_path, monkeypatch):
    played_on([SLOW, FAST], small_league(tmp_path, blocks=2), tmp_path / "results", monkeypatch)
    with open_store(tmp_path / "results") as store:
        shown = page(store, "arena league run small.toml")
    assert '<h2 id="hosts">Hosts</h2>' in shown
    assert all(f'<th scope="row"><bdi>{host.name}</bdi></th>' in shown for host in (SLOW, FAST))


def biased(host: Host) -> Pretended:
    """Workers with whom `first` wins most matches, but none on the slow host."""

    def fate(fixture):
        strong = [bot != "first" if host == SLOW else int(fixture["seed"]) % 4 != 0 for bot in fixture["bots"]]
        scores = [int(is_strong) if bot == "first" else 0.5 for bot, is_strong in zip(fixture["bots"], strong)]
        return {
            "ranks": [1 + sum(other > score for other in scores) for score in scores],
            "scores": [0, 0], "breakdown": [{}, {}], "faults": [], "times": [], "steps": 1, "digest": "", "host": host.id,
        }  # fmt: skip

    return Pretended(fate, host=host)


def test_standings_and_status_warn_if_hosts_differ(cli, tmp_path, monkeypatch):
    path = small_league(tmp_path, ("first", "second"), blocks=60, deals="fresh")
    for blocks, host in ((40, FAST), (60, SLOW)):
        monkeypatch.setattr(league, "Workers", biased(host))
        play(path, tmp_path / "results", blocks=blocks)
    warning = "Hosts differ: on slow (speed 40), first scores "
    assert warning in cli("standings", str(tmp_path / "results")).out
    assert warning in cli("status", str(tmp_path / "results")).out


def test_one_host_causes_no_warning(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", biased(SLOW))
    play(small_league(tmp_path, ("first", "second"), blocks=60, deals="fresh"), tmp_path / "results")
    for command in ("standings", "status"):
        assert "Hosts differ" not in cli(command, str(tmp_path / "results")).out
