"""`[env]` in bot.toml: what a bot may set, that it gets it, and that everybody can see it."""

import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena import running
from arena.errors import RosterError
from arena.match.launch import SpawnerLauncher
from arena.match.play import MatchSetup, play
from arena.match.record_file import from_bytes, to_bytes
from arena.roster.entries import find, is_built_in, read
from arena.roster.variables import NAMES, misuse
from arena.sandbox.policy import Tier

BOT = """
import os, sys
sys.path.insert(0, {kit!r})
import dinobot
print({{name: os.environ.get(name) for name in ("BOT_DEPTH", "OPENBLAS_NUM_THREADS", "SECRET_OF_MINE")}})
class Player:
    def __init__(self, start): pass
    def decide(self, question): return question["legal"][0]
dinobot.run("mine", "1", ["draftosaurus"], Player)
"""
KIT = str(Path(__file__).parents[2] / "bots" / "python")


def described(folder: Path, env: str) -> Path:
    command = json.dumps([sys.executable, "bot.py"])
    (folder / "bot.py").write_text(BOT.format(kit=KIT))
    (folder / "bot.toml").write_text(f"name = 'mine'\ncommand = {command}\n{env}")
    return folder / "bot.toml"


@pytest.mark.usefixtures("processes")
def test_a_bot_gets_its_variables_and_the_record_shows_them(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_OF_MINE", "hush")
    env = "[env]\nOPENBLAS_NUM_THREADS = '1'\nBOT_DEPTH = '3'\n"
    entry = read(described(tmp_path, env))
    setup = MatchSetup([entry, find("random")], "draftosaurus", seed=7, sandbox="none")
    record = running.run(lambda: play(setup, SpawnerLauncher(Tier.NONE))).record()
    assert record.header.players[0].env == ("BOT_DEPTH=3", "OPENBLAS_NUM_THREADS=1")
    assert (
        "{'BOT_DEPTH': '3', 'OPENBLAS_NUM_THREADS': '1', 'SECRET_OF_MINE': None}" in record.verdict.accounts[0].stderr
    )
    assert from_bytes(to_bytes(record)).header == record.header
    plain = json.loads(gzip.decompress(to_bytes(record)).split(b"\n")[0])["players"]
    assert ["env" in player for player in plain] == [True, False], "a record without variables is as it was"


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ("PATH = '/tmp'", "env: 'PATH' cannot be set. Begin the names of your own settings with BOT_"),
        ("LD_PRELOAD = 'x.so'", "env: 'LD_PRELOAD' cannot be set"),
        ("BOT_API_KEY = 'x'", "env: 'BOT_API_KEY' looks like a secret, and every record of a match shows it"),
        ("BOT_DEPTH = 3", "env.BOT_DEPTH: expected a text, got 3"),
        ('BOT_DEPTH = "a\\u0007b"', "env.BOT_DEPTH: expected 1 to 200 characters that can be printed"),
    ],
)
def test_other_variables_are_refused_with_the_way_out(env, words, tmp_path):
    with pytest.raises(RosterError) as refused:
        read(described(tmp_path, f"[env]\n{env}\n"))
    assert words in str(refused.value)


@pytest.mark.parametrize("key", ["env", "limits"])
def test_a_table_that_is_none_is_named_in_the_words_of_toml(key, tmp_path):
    with pytest.raises(RosterError, match=rf"{key}: expected a table. Write a line \[{key}\], and its keys below it."):
        read(described(tmp_path, f"{key} = 3\n"))


def test_the_list_has_nothing_that_reaches_beyond_the_bot():
    assert not NAMES & {"PATH", "HOME", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "NODE_OPTIONS"}
    assert all(misuse({name: "1"}) is None for name in NAMES)


def test_a_built_in_bot_with_variables_is_not_ours():
    assert is_built_in(find("greedy"))
    assert not is_built_in(replace(find("greedy"), env=("BOT_X=1",)))
