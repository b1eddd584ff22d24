"""`arena play --debug`: a bot is stopped in a debugger, and the match goes on afterwards."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.check.languages import Language
from arena.cli.debug import WAYS, ways
from arena.roster.entries import Entry
from tests.cli.command import ROOT
from tests.cli.test_human import BECOME

STOPS = """
import pdb

import dinobot


class Player:
    def __init__(self, start):
        self.has_stopped = False

    def decide(self, question):
        if not self.has_stopped:
            self.has_stopped = True
            pdb.Pdb(stdin=open("{tty}"), stdout=open("{tty}", "w")).set_trace()
        return question["legal"][0]


dinobot.run("stops", "1", ["draftosaurus"], Player)
"""


@pytest.mark.usefixtures("processes")
def test_pdb_has_the_terminal_and_the_protocol_keeps_its_streams(tmp_path):
    ours, theirs = pty.openpty()
    (tmp_path / "bot.py").write_text(STOPS.replace("{tty}", os.ttyname(theirs)))
    (tmp_path / "dinobot.py").write_text((ROOT / "bots/python/dinobot.py").read_text())
    (tmp_path / "bot.toml").write_text('name = "stops"\ncommand = ["{python}", "bot.py"]\n')
    words = [sys.executable, "-m", "arena", "play", str(tmp_path), "random", "--debug", "--no-record"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=tmp_path)
    os.close(theirs)
    try:
        shown = until(ours, "press Enter here")
        assert "stops: process " in shown
        os.write(ours, b"\n")
        until(ours, "(Pdb) ")
        os.write(ours, b"p question['id'] + 41\n")
        until(ours, "42")
        os.write(ours, b"c\n")
        assert "not recorded" in until(ours, "not recorded")
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.usefixtures("processes")
def test_control_c_ends_it_while_it_waits_for_enter(tmp_path):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", BECOME, sys.executable, "-m", "arena", "play", "random", "random", "--debug"]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"},
    )  # fmt: skip
    os.close(theirs)
    try:
        until(ours, "press Enter here")
        assert "arena: interrupted" in until(ours, "interrupted", b"\x03")
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def until(terminal: int, words: str, typed: bytes = b"") -> str:
    """What is shown up to these words; if nothing is shown for a second, somebody types this."""
    shown, give_up = "", time.monotonic() + 60
    while words not in shown:
        assert time.monotonic() < give_up, shown
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 1 << 16).decode(errors="replace")
        else:
            os.write(terminal, typed)
    return shown


@pytest.mark.parametrize("language", [one for one in Language if one is not Language.UNKNOWN])
def test_each_language_of_a_kit_has_a_way(language):
    assert WAYS[language.value]


def test_a_program_of_any_language_is_debugged_as_a_native_one():
    assert ways(Entry("x", "1", ("./x",), Path("/nowhere")), 7) == ["gdb -p 7", "lldb -p 7"]
