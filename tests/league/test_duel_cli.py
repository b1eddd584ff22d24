"""The question that `arena duel` asks, the limits of its games, and how it ends."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from arena.cli import parameters
from arena.league import run as league
from arena.league.store import open_store
from arena.league.tournament import _File
from arena.match.record import MOST_STRIKES
from arena.roster.entries import Limits
from arena.sandbox.policy import Policy
from tests.cli.command import Command, here
from tests.league.small_league import GOOD, Pretended, small_bot


@pytest.fixture
def duel(monkeypatch, capsys, tmp_path) -> Command:
    """A duel between bots of which the earlier named one is better."""
    for how in GOOD:
        small_bot(tmp_path, how)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(league, "Workers", Pretended(noise=3))
    return partial(here, monkeypatch, capsys, "duel", "--sandbox", "none", "--seed", "1")


@pytest.mark.parametrize(
    ("bots", "units", "answer", "code"),
    [
        (("first", "last"), 64, "Yes", 0),
        (("last", "first"), 64, "No", 10),
        (("first", "second"), 16, "Not decided", 11),
    ],
)
def test_exit_codes_tell_the_answers_apart_only_if_that_is_asked_for(duel, monkeypatch, bots, units, answer, code):
    noise = 200 if answer == "Not decided" else 3
    monkeypatch.setattr(league, "Workers", Pretended(noise=noise))
    words = (*bots, "--units", units)
    asked, usual = duel(*words, "--exit-code"), duel(*words)
    assert asked.out.startswith(answer), asked
    assert (asked.code, usual.code) == (code, 0)
    assert asked.out == usual.out


def test_another_question_is_put_to_the_same_games(duel):
    usual = json.loads(duel("first", "last", "--json").out)
    strict = json.loads(duel("first", "last", "--json", "--alpha", "0.001", "--beta", "0.002").out)
    assert usual["bounds"] == pytest.approx([-2.944, 2.944], abs=1e-3)
    assert strict["bounds"] == pytest.approx([-6.214, 6.906], abs=1e-3)
    assert strict["units"] >= usual["units"]
    assert len(list(Path("leagues").iterdir())) == 1


def test_the_answer_names_the_bounds_of_the_question(duel):
    assert duel("last", "first", "--elo1", "35").out.startswith("No: last is not better than first by 35 Elo.\n")
    assert duel("first", "last", "--elo0", "5").out.startswith("Yes: first is better than last by more than 5 Elo.\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--elo0", "20"], "--elo0 20 --elo1 20: the first must be lower"),
        (["--elo1", "nan"], "the first must be lower"),
        (["--elo1", "inf"], "the first must be lower"),
        (["--alpha", "0.5"], "--alpha 0.5: expected a share from 1e-06 to below 0.5"),
        (["--beta", "0"], "--beta 0: expected a share from 1e-06 to below 0.5"),
        (["--memory-mb", "1"], "Invalid value for '--memory-mb'"),
        (["--strikes", "0"], "Invalid value for '--strikes'"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(duel, words, complaint):
    ended = duel("first", "last", *words)
    assert (ended.code, ended.out) == (2, "")
    assert complaint in ended.err
    assert not Path("leagues").exists()


def test_limits_are_part_of_a_duel(duel):
    for words in ((), ("--memory-mb", "64"), ("--strikes", "7"), ("--threads", "32"), ("--prepare-ms", "20000")):
        assert duel("first", "last", "--units", "16", *words).code == 0
    found = set()
    for folder in Path("leagues").iterdir():
        with open_store(folder) as store:
            kept = store.settings()
            clock = kept["clock"]["hello_ms"], kept["clock"]["prepare_ms"]
            found.add((kept["memory_mb"], kept["strikes"], kept.get("threads", 8), *clock))
    usual = (10_000, 10_000)
    assert found == {
        (256, 3, 8, *usual), (64, 3, 8, *usual), (256, 7, 8, *usual), (256, 3, 32, *usual), (256, 3, 8, 20_000, 20_000),
    }  # fmt: skip


def test_the_limits_are_those_of_tournament_files():
    assert parameters.MOST_STRIKES == MOST_STRIKES
    for memory in (parameters.LEAST_MEMORY, parameters.MOST_MEMORY):
        assert Limits(memory_mb=memory).memory_mb == memory
    for memory in (parameters.LEAST_MEMORY - 1, parameters.MOST_MEMORY + 1):
        with pytest.raises(ValueError, match="memory_mb"):
            Limits(memory_mb=memory)
    assert Policy() == Policy(parameters.MEMORY_MB, threads=parameters.THREADS)
    (table,) = [field for name, field in _File.model_fields.items() if name == "threads"]
    assert {rule.le for rule in table.metadata if hasattr(rule, "le")} == {parameters.MOST_THREADS}


def test_two_copies_of_one_bot_are_noticed_at_once(duel, monkeypatch):
    workers = Pretended(lambda fixture: workers._result({**fixture, "bots": GOOD[:2]}))
    monkeypatch.setattr(league, "Workers", workers)
    shutil.copytree("first", "copy")
    ended = duel("first", "copy", "--units", "16")
    _, first, *_ = ended.err.splitlines()
    assert first == (
        "arena: first#1 and first#2 are the same bot: the same files and the same command. This duel can only show that "
        "they are level."
    )
    assert "same bot" not in duel("first", "second", "--units", "16").err
