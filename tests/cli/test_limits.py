"""More memory, threads and time for a bot that needs them, with the same options in every command that runs bots."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import Command, here
from tests.machine import at_best, why_no_sandbox

LARGE = """
import dinobot

MODEL = b"x" * (300 << 20)


class Player:
    def __init__(self, start):
        pass

    def decide(self, question):
        return question["legal"][0]


dinobot.run("large", "1", ["draftosaurus"], Player)
"""
KIT = Path(__file__).parents[2] / "bots" / "python" / "dinobot.py"


@pytest.fixture
def large(tmp_path: Path, processes: None) -> str:  # noqa: ARG001
    """A bot with a model of 300 MB."""
    if reason := why_no_sandbox():
        pytest.skip(reason)
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "bot.py").write_text(LARGE)
    (folder / "dinobot.py").write_text(KIT.read_text())
    (folder / "bot.toml").write_text(
        'name = "large"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n[limits]\nmemory_mb = 512\n'
    )
    return str(folder)


@pytest.fixture
def arena(monkeypatch, capsys, tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    return partial(here, monkeypatch, capsys)


def test_a_bot_with_a_large_model_plays_where_the_command_allows_its_memory(arena, large):
    little = arena("play", large, "random", "-o", "a.match.jsonl.gz")
    assert little.code == 3
    assert "MODEL = " in little.out
    enough = arena("play", large, "random", "-o", "b.match.jsonl.gz", "--memory-mb", 512)
    assert (enough.code, "large" in enough.out) == (0, True)
    ask = ("ask", "b.match.jsonl.gz", "--bot", large, "--all", "--seat", 0)
    assert arena(*ask).code == 3
    asked = arena(*ask, "--memory-mb", 512, "--prepare-ms", 20_000, "--threads", 16)
    assert asked.code == 0
    assert "agree." in asked.out


def test_a_match_is_traced_with_the_memory_that_a_league_would_give(arena, large):
    assert arena("trace", large).code == 3
    assert "no faults" in arena("trace", large, "--memory-mb", 512, "--threads", 16).out


MODEL = LARGE.replace('b"x" * (300 << 20)', "LOAD")
READ = 'open("model.bin", "rb").read() * 2'
MAPPED = 'mmap.mmap((file := open("model.bin", "rb")).fileno(), 0, prot=mmap.PROT_READ)\nassert MODEL.find(b"x") == -1'


def test_a_large_model_is_examined_with_the_memory_that_the_fix_names(arena, large):
    folder = Path(large)
    with (folder / "model.bin").open("wb") as model:
        model.truncate(140 << 20)
    asks = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(asks.partition("[limits]")[0])
    (folder / "bot.py").write_text(MODEL.replace("LOAD", READ))
    check = ("check", large, "--exam", "match", "--sandbox", at_best(), "--json")
    little = arena(*check)
    (finding,) = json.loads(little.out)["findings"]
    assert (little.code, finding["id"]) == (3, "memory-limit")
    assert "Examine such a bot with --memory-mb." in finding["fix"]
    (finding,) = json.loads(arena(*check, "--memory-mb", 1024).out)["findings"]
    assert "bot.toml asks for only 256 MB ([limits] memory_mb); it may ask for 1024." in finding["fix"]
    (folder / "bot.toml").write_text(asks)
    assert arena(*check, "--memory-mb", 1024).code == 0
    (folder / "bot.py").write_text(f"import mmap\n{MODEL.replace('LOAD', MAPPED)}")
    (folder / "bot.toml").write_text(asks.replace("512", "64"))
    assert arena(*check).code == 0, "a file that is mapped does not count"


@pytest.mark.parametrize("command", ["play", "check", "duel", "place", "ask", "trace"])
def test_every_command_that_runs_bots_takes_the_limits_of_a_league(arena, command):
    words = arena(command, "--help").out
    assert all(option in words for option in ("--memory-mb", "--threads", "--prepare-ms"))
