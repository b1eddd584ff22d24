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


PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(
    ("beginning", "printed"), [("import arena", "(39, 22) (1, 2)\n"), ("from engine", "winter | ")]
)
def test_the_readmes_programs_run(beginning, printed):
    (program,) = [program for program in PROGRAMS if program.startswith(beginning)]
    ended = run("-c", program)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(printed)


def test_the_readmes_bot_is_the_one_that_is_tested():
    (program,) = [program for program in PROGRAMS if program.startswith("import dinobot")]
    assert program in (ROOT / "bots" / "python" / "README.md").read_text("utf-8")


def test_the_readme_shows_what_the_demo_prints(tmp_path):
    shown = README.partition("$ make demo\n...\n")[2].partition("\n\n")[0]
    assert shown.startswith("players ")
    assert shown in run("-m", "arena", "demo", "--folder", str(tmp_path)).stdout


@pytest.mark.parametrize("text", [text for text in POSITIONS if not text.endswith("| ...")])
def test_documented_positions_are_positions(text):
    GAME.parse(text)


def test_documents_show_positions():
    assert len(POSITIONS) >= 7
