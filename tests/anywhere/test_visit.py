"""What a visitor tries first, on whatever machine it is: play, write a bot, examine it, run a league, ask the doctor.

These are commands as they are typed, in a folder and with a home of their own. Where the machine has a sandbox, a new
bot plays in it; where it has none, the arena has to say so and to play without one only if it is asked to.
"""

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.match.record_file import load
from tests.cli.command import Ended
from tests.machine import best_tier, needs_sandbox, why_no_sandbox

pytestmark = pytest.mark.anywhere
ROOT = Path(__file__).parents[2]
LIMIT_S = 120
LEAGUE = """
name = "visit"
game = "draftosaurus"
bots = ["greedy", "random", "my-bot"]
sandbox = "none"
[schedule]
kind = "round_robin"
seats = [3]
blocks = 2
"""

Arena = Callable[..., Ended]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The visitor's folder, for bots of a root user too, who are others."""
    folder = tmp_path_factory.mktemp("visit")
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def arena(place: Path) -> Arena:
    """Type a command there."""
    environment = {name: value for name, value in os.environ.items() if name != "XDG_STATE_HOME"}
    if "HOME" in environment:
        environment["HOME"] = str(place / "home")
    elif has_home():
        environment["XDG_STATE_HOME"] = str(place / "state")  # a test leaves nothing in anybody's home

    def run(*words: object) -> Ended:
        command = [sys.executable, "-m", "arena", *map(str, words)]
        ended = subprocess.run(
            command,
            cwd=place,
            env=environment | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    return run


def has_home() -> bool:
    try:
        return bool(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        return False


@pytest.fixture(scope="module")
def my_bot(arena: Arena) -> str:
    """A new bot."""
    made = arena("new-bot", "my-bot", "--lang", "python")
    assert made.code == 0, made.err
    return "my-bot"


def test_built_in_bots_play_and_the_record_is_true(arena, place):
    played = arena("play", "greedy", "random", "-o", "built-in")
    assert played.code == 0, played.err
    record = load(place / "built-in")
    assert record.verdict is not None
    assert not record.verdict.faults
    assert arena("verify", "built-in").out == f"built-in: ok, {len(record.steps)} steps\n"


def test_the_other_game_is_played_too(arena):
    played = arena("play", "greedy", "random", "--game", "dinodocus", "-o", "dinodocus")
    assert played.code == 0, played.err


def test_a_new_bot_plays_without_a_sandbox_if_that_is_wanted(arena, my_bot):
    played = arena("play", my_bot, "random", "--sandbox", "none", "-o", "without")
    assert played.code == 0, played.err


def test_a_new_bot_plays_in_a_sandbox_or_is_refused_with_a_way_out(arena, place, my_bot):
    played = arena("play", my_bot, "random", "-o", "within")
    if why_no_sandbox() is None:
        assert played.code == 0, played.err
        assert load(place / "within").header.players[0].sandbox == best_tier()
    else:
        assert played.code == 5
        assert "add --sandbox none" in played.err or "Use one that lies elsewhere" in played.err


def test_a_new_bot_passes_its_check_without_a_sandbox(arena, my_bot):
    examined = arena("check", my_bot, "--sandbox", "none", "--game", "draftosaurus")
    assert examined.code == 0, examined.out + examined.err


@needs_sandbox
def test_a_new_bot_passes_its_check_in_a_sandbox(arena, my_bot):
    examined = arena("check", my_bot, "--sandbox", best_tier(), "--game", "draftosaurus")
    assert examined.code == 0, examined.out + examined.err


@pytest.mark.usefixtures("my_bot")
def test_a_league_is_played(arena, place):
    (place / "visit.toml").write_text(LEAGUE)
    played = arena("league", "run", "visit.toml")
    assert played.code == 0, played.err
    assert "my-bot" in played.out
    assert len(list((place / "leagues" / "visit" / "records").rglob("*.match.jsonl.gz"))) == 6


def test_a_duel_is_decided(arena):
    duel = arena("duel", "greedy", "random", "--units", "16")
    assert duel.code == 0, duel.err
    assert duel.out.startswith("Yes: greedy is better than random.\n")


def test_the_doctor_says_the_same_to_people_and_to_programs(arena):
    told, said = arena("doctor", "--json"), arena("doctor")
    report = json.loads(told.out)
    assert told.code == said.code == (0 if report["ok"] else 5)
    assert " ".join(said.out.split()).endswith(report["verdict"])
    assert f"--sandbox auto chooses {report['auto']}" in said.out or report["auto"] is None
