"""A bot against its own earlier version, from git."""

import subprocess
from functools import partial
from pathlib import Path

import pytest

from arena.league import run as league
from tests.cli.command import Command, here
from tests.league.small_league import GOOD, Pretended, small_bot


@pytest.fixture
def git(tmp_path: Path, processes: None):  # noqa: ARG001
    """A repository with one commit, in which the bot `first` was another."""

    def run(*words: str) -> None:
        who = ("-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", tmp_path, *who, *words], check=True, capture_output=True)

    for how in GOOD:
        small_bot(tmp_path, how)
    run("init", "-q")
    run("add", "-A")
    run("commit", "-q", "-m", "one")
    return run


@pytest.fixture
def duel(monkeypatch, capsys, tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    workers = Pretended(lambda fixture: workers._result({**fixture, "bots": GOOD[:2]}))
    monkeypatch.setattr(league, "Workers", workers)
    return partial(here, monkeypatch, capsys, "duel", "--sandbox", "none", "--seed", "1", "--units", "16")


@pytest.mark.usefixtures("git")
def test_a_bot_meets_what_it_was_in_a_revision(duel, tmp_path):
    (tmp_path / "first" / "more.txt").write_text("new")
    before = subprocess.run(["git", "-C", tmp_path, "status", "--short"], capture_output=True, text=True).stdout
    ended = duel("first", "--against", "HEAD")
    assert ended.code == 0, ended.err
    (old,) = tmp_path.glob("leagues/revisions/*/first")
    assert str(old) in ended.err
    assert not (old / "more.txt").exists()
    after = subprocess.run(["git", "-C", tmp_path, "status", "--short"], capture_output=True, text=True).stdout
    assert [line for line in after.splitlines() if "leagues" not in line] == before.splitlines()
    assert duel("first", "--against", "HEAD").code == 0, "it is found again"


@pytest.mark.usefixtures("git")
def test_a_bot_can_be_compared_from_its_own_folder(duel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "first")
    ended = duel(".", "--against", "HEAD")
    assert ended.code == 0, ended.err
    assert f" {tmp_path}-revisions/" in ended.err


@pytest.mark.usefixtures("git")
def test_a_revision_that_is_not_there_is_refused(duel, tmp_path):
    assert "no such revision" in duel("first", "--against", "v9").err
    assert duel("first", "last", "--against", "HEAD").code == 2
    assert duel("first").code == 2
    assert "is not a folder" in duel("greedy", "--against", "HEAD").err
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "bot.toml").write_text((tmp_path / "first" / "bot.toml").read_text())
    assert "later did not exist in it" in duel("later", "--against", "HEAD").err
    assert not list(tmp_path.glob("leagues/revisions/*"))


def test_a_script_can_fail_on_an_answer(duel, monkeypatch, tmp_path):
    for how in GOOD:
        small_bot(tmp_path, how)
    monkeypatch.setattr(league, "Workers", Pretended(noise=3))
    words = ("last", "first", "--units", "64")
    assert duel(*words).code == 0
    assert duel(*words, "--fail-on", "undecided").code == 0
    assert duel(*words, "--fail-on", "no").code == 1
    assert duel(*words, "--fail-on", "yes").code == 2
