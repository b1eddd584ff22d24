"""What every new bot gets, whatever its language: words for coding agents, and a workflow for a CI."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from arena.cli.app import build
from arena.cli.docs import pages
from arena.roster import kits
from arena.roster.kits import LANGUAGES
from tests.cli.command import ROOT, arena
from tests.kits.test_kits import OWN_TEST
from tests.machine import need_sandbox

WORKFLOW = ".github/workflows/arena.yml"


@pytest.fixture
def new_bot(tmp_path, monkeypatch):
    """A new bot of a language; its toolchain need not be installed."""
    monkeypatch.setattr(kits, "check_tools", lambda chosen: None)
    return lambda language: kits.create(tmp_path / "rex", language).folder


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_for_agents_and_the_workflow_are_those_of_the_language(language, new_bot):
    folder, kit = new_bot(language), LANGUAGES[language]
    words, workflow = ((folder / name).read_text("utf-8") for name in ("AGENTS.md", WORKFLOW))
    assert f"`{kit.starter}`: change that file first" in words
    assert f"`{kit.test}` runs the kit's own test" in words
    assert not re.search(r"@[A-Z]+@", words + workflow)
    steps = yaml.safe_load(workflow)["jobs"]["arena"]["steps"]
    assert kit.test in [step.get("run") for step in steps]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_test_that_is_named_is_the_one_that_is_tried(language):
    tried = [os.path.basename(OWN_TEST[language][0]), *OWN_TEST[language][1:]]
    named = shlex.split(LANGUAGES[language].test)
    assert [word for word in tried if not word.startswith("-")][1:] == [
        word for word in named if not word.startswith("-")
    ][1:]


def test_every_command_that_agents_are_told_exists(new_bot):
    text = (new_bot("python") / "AGENTS.md").read_text("utf-8")
    commands = getattr(typer.main.get_command(build()), "commands", {})
    told = [line.split() for line in re.findall(r"(?:^|`)arena ([a-z-]+[^`#\n]*)", text, re.MULTILINE)]
    assert len(told) >= 10
    for first, *rest in told:
        options = {name for param in commands[first].params for name in param.opts}
        assert {word for word in rest if word.startswith("--")} <= options, first
        if first == "docs" and rest:
            assert rest[0] in pages()


@pytest.mark.usefixtures("processes")
def test_the_workflow_examines_the_bot_and_compares_it_with_the_last_tag(tmp_path):
    need_sandbox()
    program = tmp_path / "bin" / "arena"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m arena "$@"\n')
    program.chmod(0o755)
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    summary = tmp_path / "summary"
    own = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_STATE_HOME": f"{tmp_path}/state",
        "GITHUB_STEP_SUMMARY": str(summary),
        "UNITS": "16",
    }
    folder = tmp_path / "place" / "rex"
    folder.parent.mkdir()
    assert arena("new-bot", folder, "--lang", "python", XDG_STATE_HOME=f"{tmp_path}/state").code == 0
    git = "git -c user.name=a -c user.email=a@b"
    first = f"git init -q && git add . && {git} commit -qm one && git tag v1"
    change = f"sed -i 's/\\[-1\\]/[0]/' bot.py && {git} commit -qam two"
    scripts = [
        step["run"]
        for step in yaml.safe_load((folder / WORKFLOW).read_text())["jobs"]["arena"]["steps"][3:]
        if "run" in step
    ]
    for script in [first, change, *scripts]:
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        ended = subprocess.run(words, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True)
        assert ended.returncode == 0, (script, ended.stdout, ended.stderr)
    said = summary.read_text("utf-8")
    assert re.search(r"## Check\n```\n.*rex passed \d+ exams\.", said, re.DOTALL)
    verdict = said.partition("## Duel with v1\n```\n")[2]
    assert re.search(r"likelihood that rex#1 is better: (more than )?\d", verdict)
    assert list(Path(folder, "leagues").rglob("*.match.jsonl.gz"))
