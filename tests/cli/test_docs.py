"""What the documents show is what happens."""

import os
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


def run(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=cwd, env=environment)


PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("beginning", "printed"), [("import arena", "(35, 22) (1, 2)\n"), ("from engine", "winter | ")]
)
def test_the_readmes_programs_run(beginning, printed):
    (program,) = [program for program in PROGRAMS if program.startswith(beginning)]
    ended = run("-c", program)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(printed)


def test_the_readmes_bot_is_the_one_of_the_kit():
    (program,) = [program for program in PROGRAMS if "import dinobot" in program]
    assert program == (ROOT / "bots" / "python" / "bot.py").read_text("utf-8")


@pytest.mark.usefixtures("processes")
def test_the_readme_shows_what_the_demo_prints_and_in_that_order(tmp_path):
    shown, last = README.partition("$ make demo\n...\n")[2].partition("\n\n$ make test")[0].split("\n...\n")
    assert shown.startswith("After 18 matches:\n\nrank ")
    words = [sys.executable, "-m", "arena", "demo", "--seed", "7"]  # without it there are new deals each time
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, env=environment
    )
    assert f"{shown}\n" in ended.stdout
    assert re.sub(r"(demo-draftosaurus)-[0-9a-f]{6}", r"\1", ended.stdout).endswith(f"{last}\n")


@pytest.mark.parametrize("text", [text for text in POSITIONS if not text.endswith("| ...")])
def test_documented_positions_are_positions(text):
    GAME.parse(text)


def test_documents_show_positions():
    assert len(POSITIONS) >= 7
