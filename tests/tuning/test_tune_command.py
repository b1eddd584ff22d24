"""`arena tune` as a user meets it: with a small bot whose play depends on its values, and real processes."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.match.record_file import load
from arena.roster.entries import find
from tests.cli.command import Ended, arena
from tests.machine import at_best, let_our_bots_play

BOT = """
import json, os, sys
def say(message): os.write(1, json.dumps(message).encode() + b"\\n")
say({"type": "hello", "protocol": 1, "name": "share", "version": "1", "games": ["draftosaurus"]})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        share = READ
        say({"type": "ready"})
    elif message["type"] == "decide":
        legal = message["legal"]
        say({"type": "move", "id": message["id"], "action": legal[int(share * (len(legal) - 1))]})
    elif message["type"] == "bye":
        break
"""
TUNE = """[tune]
share = { min = 0, max = 1, default = 0.9 }
idle = { min = 0, max = 10, default = 5, whole = true }
"""
QUICK = ("--seats", "2", "--seed", "5", "--workers", "1", "--bank-ms", "600000", "--games-per-iteration", "4")
pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture(autouse=True)
def _play_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    let_our_bots_play(monkeypatch.setenv)


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return described(tmp_path)


def described(folder: Path, tune: str = TUNE, read: str = 'message["tune"]["share"]') -> Path:
    home = folder / "share"
    home.mkdir()
    (home / "bot.py").write_text(BOT.replace("READ", read))
    command = json.dumps(["{python}", "-I", "-S", "bot.py"])
    (home / "bot.toml").write_text(f'name = "share"\nversion = "1"\ncommand = {command}\n{tune}')
    return home


def folder_of(ended: Ended) -> Path:
    return Path(json.loads(ended.out)["folder"])


@pytest.mark.usefixtures("bot")
def test_a_tuning_plays_writes_the_values_and_ends_with_a_duel():
    ended = arena("tune", "share", *QUICK, "--iterations", 3, "--duel-units", 16, "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert (found["iterations"], found["games"], found["stopped"]) == (3, 12, "")
    values = {one["name"]: one["value"] for one in found["parameters"]}
    assert values["share"] != 0.9
    tuned = find(found["values"])
    assert (tuned.name, tuned.values) == ("share-tuned", values)
    assert found["duel"]["a"] == "share-tuned"
    assert found["duel"]["units"] == 16
    ElementTree.parse(found["plot"])
    records = sorted(Path(found["folder"], "records").rglob("*.gz"))
    assert len(records) == 12
    settings = {json.dumps(player.tune) for path in records for player in load(path).header.players}
    assert len(settings) == 6, "two in each iteration"
    further = arena("tune", found["values"], *QUICK, "--iterations", 2, "--duel-units", 0, "--json")
    assert [one["start"] for one in json.loads(further.out)["parameters"]] == list(values.values())
    assert find(json.loads(further.out)["values"]).folder == Path("share").resolve()
    again = arena("tune", "share", *QUICK, "--iterations", 3, "--duel-units", 16)
    assert again.code == 0
    assert "share = { min = 0.0, max = 1.0, default = " in again.out
    assert "12 games in 3 iterations" in again.out
    block = again.out[again.out.index("[tune]") :].partition("\n\n")[0]
    assert tomllib.loads(block)["tune"]["idle"] == {"min": 0, "max": 10, "default": values["idle"], "whole": True}
    assert sorted(Path(found["folder"], "records").rglob("*.gz")) == records, "nothing was played again"


@pytest.mark.usefixtures("bot")
def test_the_same_seed_gives_the_same_course_and_a_killed_run_goes_on():
    words = ["tune", "share", *QUICK, "--iterations", "12", "--duel-units", "0"]
    whole = arena(*words, "--folder", "whole", "--json")
    running = subprocess.Popen(
        [sys.executable, "-m", "arena", *words, "--folder", "halves"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(list(Path("halves").glob("records/*/*.gz"))) < 6 and running.poll() is None:
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    rest = arena(*words, "--folder", "halves", "--json")
    assert (whole.code, rest.code) == (0, 0)
    assert json.loads(rest.out)["parameters"] == json.loads(whole.out)["parameters"]
    assert json.loads(rest.out)["games"] == 48


@pytest.mark.usefixtures("bot")
def test_ctrl_c_leaves_the_values_so_far_and_says_how_to_go_on():
    words = ["tune", "share", *QUICK, "--iterations", "1000", "--folder", "cut"]
    running = subprocess.Popen(
        [sys.executable, "-m", "arena", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while len(list(Path("cut").glob("records/*/*.gz"))) < 6 and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    assert running.returncode == 130
    assert "Run the same command to continue." in err
    assert find("cut/tuned.toml").name == "share-tuned"


def test_a_bot_that_ignores_its_values_is_told_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    described(tmp_path, read="0.4")
    ended = arena("tune", "share", *QUICK, "--iterations", 40)
    assert ended.code == 4
    assert "share: both settings play alike: each of the first 16 units was the same game twice" in ended.err
    assert "Does the bot read `tune` in its `start`" in ended.err


def test_a_folder_with_the_games_of_another_bot_is_refused(bot):
    words = ("tune", "share", *QUICK, "--iterations", 2, "--duel-units", 0, "--folder", "mine")
    assert arena(*words).code == 0
    (bot / "bot.py").write_text((bot / "bot.py").read_text() + "# another\n")
    ended = arena(*words)
    assert ended.code == 4
    assert "mine: it has the games of another bot, or of other files of it: share+ differs" in ended.err
    assert "bot.py changed" in ended.err
    assert "Leave out --folder, or name another one." in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["random"], "random: there is nothing to tune: its bot.toml has no [tune]. Declare its parameters, as in: pace ="),
        (["share", "--parameter", "shar"], "--parameter shar: share has no such parameter. Did you mean share? Parameters: idle, share."),
        (["share", "--start", "share=2"], "share: tune.share: expected 0 to 1, got 2."),
        (["share", "--start", "share"], "--start share: expected a parameter, =, and a number, as in pace=0.4"),
        (["share", "--on", "luck"], "--on luck: expected rank or score"),
        (["share", "--games-per-iteration", "5"], "--games-per-iteration 5: expected an even number"),
        (["share", "--budget", "20", "--iterations", "3"], "use --iterations or --budget, not both"),
        (["share", "--budget", "20"], "--budget 20: expected 32 games at least, for two iterations"),
        (["share", "--processes", "none"], "--processes none: expected worker or match"),
        (["share", "--seats", "2", "--field", "random"], "--field: a table of two has no seat for others."),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("bot")
def test_mistakes_are_named_with_the_way_out(words, says):
    ended = arena("tune", *words)
    assert ended.code in (2, 4)
    assert says in " ".join(ended.err.split())


@pytest.mark.usefixtures("bot")
def test_a_bot_that_needs_its_values_gets_them_when_it_is_examined_and_asked():
    """It crashes without them."""
    checked = arena("check", "share", "--game", "draftosaurus", "--exam", "match")
    assert checked.code == 0, checked.out
    assert arena("play", "share", "random", "-o", "a.match.jsonl.gz", "--bank-ms", 600_000).code == 0
    asked = arena("ask", "a.match.jsonl.gz", "--seat", "1", "--bot", "share")
    assert asked.code == 0, asked.err


@pytest.mark.usefixtures("bot")
def test_a_duel_compares_two_settings_of_one_bot():
    ended = arena(
        "duel",
        "share",
        "share",
        "--tune",
        "A.share=0.1",
        "--seats",
        2,
        "--units",
        16,
        "--seed",
        1,
        "--json",
        "--workers",
        1,
    )
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert (found["a"], found["b"]) == ("share#1", "share#2")
    assert sum(found["counts"]) == found["units"]
    assert found["counts"][2] < found["units"], "they do not play alike"
    assert "are the same bot" not in ended.err


@pytest.mark.usefixtures("bot")
def test_a_tournament_file_has_two_settings_of_one_bot():
    Path("cup.toml").write_text(
        f'sandbox = "{at_best()}"\n'
        'name = "cup"\nseed = 1\nbots = ["share", { bot = "share", name = "low", tune = { share = 0.1 } }]\n'
        "[schedule]\nblocks = 1\n"
    )
    ended = arena("league", "run", "cup.toml", "--json")
    assert ended.code == 0, ended.err
    records = [load(path) for path in Path("leagues/cup/records").rglob("*.gz")]
    tuned = {player.name: player.tune["share"] for record in records for player in record.header.players}
    assert tuned == {"share": 0.9, "low": 0.1}
    Path("cup.toml").write_text(Path("cup.toml").read_text().replace("0.1", "7"))
    assert "bots.1: share: tune.share: expected 0 to 1, got 7." in arena("league", "run", "cup.toml").err
