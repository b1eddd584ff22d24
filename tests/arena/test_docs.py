"""What the documents show is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.draftosaurus import GAME

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
RULES = (ROOT / "engine" / "draftosaurus" / "RULES.md").read_text("utf-8")
POSITIONS = re.findall(
    r'^(?:.*")?((?:summer|winter|summer_winter)\b[^"\n]* \| [^"\n]*?)"?$', README + RULES, re.MULTILINE
)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=ROOT)


def test_the_readmes_program_runs():
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    ended = run("-c", program)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("winter | ")


def test_the_readme_shows_what_the_demo_prints():
    shown = README.partition("$ make demo\n...\n")[2].partition("\n\n")[0]
    assert shown.startswith("players ")
    assert shown in run("-m", "arena", "demo").stdout


@pytest.mark.parametrize("text", [text for text in POSITIONS if not text.endswith("| ...")])
def test_documented_positions_are_positions(text):
    GAME.parse(text)


def test_documents_show_positions():
    assert len(POSITIONS) >= 8
