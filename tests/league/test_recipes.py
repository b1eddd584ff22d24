"""The recipes of docs/shares.md work: each is played share by share, as its system would, and merged."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.league.small_league import rows, small_league

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


SYSTEMS = {"local": lambda text: [(text, {})], "slurm": slurm, "kubernetes": kubernetes, "actions": actions}


def shell(folder, script, **variables):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables}
    ended = subprocess.run(["sh", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_every_recipe_has_a_system_here():
    assert RECIPES.keys() == SYSTEMS.keys()


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_recipe_plays_every_match_once(tmp_path, name):
    small_league(tmp_path, ("first", "last"), name="cup", blocks=6)
    shell(tmp_path, "arena league new cup.toml")
    for script, variables in SYSTEMS[name](RECIPES[name]):
        shell(tmp_path, script, **variables)
    shell(tmp_path, "arena league merge leagues/cup leagues/cup-shard-*")
    found = rows(tmp_path / "leagues" / "cup")
    assert len({row.match for row in found}) == len(found) == 12
