"""Users have folders `engine` and `protocol` of their own, and the arena works there all the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture
def project(tmp_path):
    """A project with packages of the arena's names; each can be a package or a plain folder."""
    for name in ("engine", "protocol", "bots"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "game.py").touch()
    (tmp_path / "engine" / "__init__.py").write_text("MINE = True\n")
    return tmp_path


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)


def test_the_command_plays_in_such_a_folder(project):
    ended = python(project, "-m", "arena", "play", "greedy", "random", "--seed", "1", "--json", "-q")
    assert ended.returncode == 0, ended.stderr
    assert '"players"' in ended.stdout


def test_a_program_plays_in_such_a_folder(project):
    program = "import arena; print(arena.play('greedy', 'random', seed=1).verdict.ranks); import engine; print(engine.__file__)"
    ended = python(project, "-c", program)
    assert ended.stdout.splitlines() == ["(1, 2)", f"{ROOT}/engine/__init__.py"], ended.stderr


def test_a_package_that_is_in_use_already_is_named_with_the_way_out(project):
    ended = python(project, "-c", "import engine, arena")
    assert ended.stderr.splitlines()[-1] == (
        f"ImportError: {project}/engine is imported already, and the arena needs its own package engine. Import arena "
        "first, or rename yours."
    )
