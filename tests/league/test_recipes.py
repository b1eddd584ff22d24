"""The recipes of docs/shares.md work: each is played share by share, as its system would, and merged.

Processes play the one for this machine. Of the others a shell says which command a system would start, and that is run here.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.league import run as league
from tests.cli.command import here
from tests.league.small_league import Refereed, rows, small_league

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "shares.md").read_text("utf-8")
RECIPES = dict(re.findall(r"^```\w+ recipe=(\w+)\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL))
OF = 4


def slurm(text):
    return [
        (text, {"SLURM_ARRAY_TASK_ID": f"{number}", "SLURM_ARRAY_TASK_COUNT": f"{OF}"}) for number in range(1, OF + 1)
    ]


def kubernetes(text):
    (command,) = re.findall(r'command: \["sh", "-c", "(.*?)"\]', text)
    return [(command, {"JOB_COMPLETION_INDEX": f"{number}"}) for number in range(OF)]


def actions(text):
    (command,) = re.findall(r"- run: (arena .*)", text)
    return [(command.replace("${{ matrix.share }}", f"{number}"), {}) for number in range(1, OF + 1)]


SYSTEMS = {"slurm": slurm, "kubernetes": kubernetes, "actions": actions}


def shell(folder, script, *programs, **variables):
    """What a script prints; it finds these programs before others."""
    path = ":".join([*map(str, programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables}
    ended = subprocess.run(["sh", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def check_the_cup(folder):
    found = rows(folder / "leagues" / "cup")
    assert len({row.match for row in found}) == len(found) == 12


def test_every_recipe_has_a_system_here():
    assert RECIPES.keys() == {"local", *SYSTEMS}


@pytest.mark.usefixtures("processes")
def test_the_recipe_for_one_machine_plays_every_match_once(tmp_path):
    small_league(tmp_path, ("first", "last"), name="cup", blocks=6)
    shell(tmp_path, "arena league new cup.toml")
    shell(tmp_path, RECIPES["local"])
    check_the_cup(tmp_path)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_recipe_plays_every_match_once(tmp_path, monkeypatch, capsys, name):
    monkeypatch.setattr(league, "Workers", Refereed())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "echo").mkdir()
    (tmp_path / "echo" / "arena").write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    (tmp_path / "echo" / "arena").chmod(0o755)

    def arena(*words):
        ended = here(monkeypatch, capsys, *words)
        assert ended.code == 0, ended.err

    small_league(tmp_path, ("first", "last"), name="cup", blocks=6)
    arena("league", "new", "cup.toml")
    for script, variables in SYSTEMS[name](RECIPES[name]):
        arena(*shell(tmp_path, script, tmp_path / "echo", **variables).splitlines())
    arena("league", "merge", "leagues/cup", *Path("leagues").glob("cup-shard-*"))
    check_the_cup(tmp_path)
