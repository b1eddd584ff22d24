"""Hosts in a league's file: what is read, and what is refused in words."""

import json

import pytest

from arena.league.shapes import Damaged, read_column, read_host
from arena.match.hosts import Host

HOST = Host("vm", 8, 97, "3.11.7", "x86_64", 1)


def facts(**changes: object) -> str:
    return json.dumps({**HOST.plain(), **changes})


def test_a_host_is_read_as_it_was_written():
    assert read_host(HOST.id, facts()) == HOST


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (None, "host: expected JSON, got None"),
        ("{", "host: not valid JSON: "),
        ("[]", "host: expected a map of name, cores, speed, python, machine, calibration, got []"),
        (facts(more=1), "host: expected a map of name, "),
        (facts(name=7), "host.name: expected a text of at most 64 characters, got 7"),
        (facts(name="x" * 65), "host.name: expected a text of at most 64 characters, got "),
        (facts(python=None), "host.python: expected a text of at most 64 characters, got None"),
        (facts(machine=[]), "host.machine: expected a text of at most 64 characters, got []"),
        (facts(cores=0), "host.cores: expected a whole number from 1 to 65536, got 0"),
        (facts(speed=True), "host.speed: expected a whole number from 1 to 100000, got True"),
        (facts(speed=100_001), "host.speed: expected a whole number from 1 to 100000, got 100001"),
        (facts(speed=97.0), "host.speed: expected a whole number from 1 to 100000, got 97.0"),
        (facts(calibration=0), "host.calibration: expected a version, got 0"),
        (facts(speed=98), "host: expected the id "),
    ],
)
def test_a_damaged_host_is_refused(stored, why):
    with pytest.raises(Damaged) as caught:
        read_host(HOST.id, stored)
    assert str(caught.value).startswith(why)


@pytest.mark.parametrize("stored", ["", HOST.id])
def test_a_result_has_a_host_or_none(stored):
    assert read_column("host", stored) == stored


@pytest.mark.parametrize("stored", [None, 7, "vm", HOST.id.upper(), HOST.id + "\n", HOST.id[1:]])
def test_a_result_has_no_other_host(stored):
    with pytest.raises(Damaged, match=r"^host: expected the id of a host, or nothing, got "):
        read_column("host", stored)
