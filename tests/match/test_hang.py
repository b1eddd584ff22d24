"""A bot that hangs shows where: by its own stack, if its runtime prints one on SIGQUIT, and by the last message it read."""

import sys
from pathlib import Path

import pytest

from arena import running
from arena.check import plain, probe, talk
from arena.check.room import Room
from arena.match.clock import TimeControl
from arena.match.launch import SpawnerLauncher
from arena.match.play import MatchSetup, play
from arena.match.record import MatchRecord
from arena.roster.entries import Entry, find
from arena.sandbox.policy import Tier

pytestmark = pytest.mark.usefixtures("processes")

KIT = str(Path(__file__).parents[2] / "bots" / "python")
LOOP = """
import signal, sys
sys.path.insert(0, {kit!r})
import dinobot
class Player:
    def __init__(self, start): pass
    def decide(self, question):
        if question["id"] == 3:
            {before}
            search_for_ever()
        return question["legal"][0]
def search_for_ever():
    while True: pass
dinobot.run("loop", "1", ["draftosaurus"], Player)
"""


def looping(folder: Path, before: str = "pass") -> Entry:
    (folder / "bot.py").write_text(LOOP.format(kit=KIT, before=before))
    return Entry("loop", "1", (sys.executable, "bot.py"), folder)


def played(entry: Entry) -> MatchRecord:
    """A match that the machine was too busy for is played again."""
    clock = TimeControl(bank_ms=100, increment_ms=20)
    setup = MatchSetup([entry, find("random")], "draftosaurus", seed=7, clocks=[clock] * 2, sandbox="none")
    for _ in range(3):
        record = running.run(lambda: play(setup, SpawnerLauncher(Tier.NONE))).record()
        if not any(fault.kind == "overload" for fault in record.verdict.faults):
            break
    return record


def test_after_a_match_its_stack_is_in_the_record(tmp_path):
    record = played(looping(tmp_path))
    account = record.verdict.accounts[0]
    assert [fault.kind for fault in record.verdict.faults] == ["late", "late", "late", "strikes"]
    assert 'bot.py", line 13 in search_for_ever' in account.stderr
    assert 'bot.py", line 10 in decide' in account.stderr
    assert account.last_told["id"] == 3, "it has not read the questions that came later"


def test_a_bot_that_does_not_obey_is_ended_all_the_same(tmp_path):
    record = played(looping(tmp_path, "signal.signal(signal.SIGQUIT, signal.SIG_IGN)"))
    assert record.verdict.faults[-1].kind == "strikes"
    assert record.verdict.accounts[0].stderr == ""


def test_the_examiner_shows_the_stack_and_what_was_read(tmp_path, monkeypatch):
    monkeypatch.setattr(talk, "BEYOND_S", -4.0)
    launcher = SpawnerLauncher(Tier.NONE)
    room = Room(looping(tmp_path), {Tier.NONE: launcher}, "draftosaurus", False)
    room.exam = "match"

    async def examined() -> None:
        try:
            await plain.start(room)
            await plain.match(room)
        finally:
            launcher.close()

    running.run(examined)
    (trouble,) = room.troubles
    assert trouble.id == "hang"
    assert trouble.seen.endswith("when a move was expected; it has read the whole message")
    assert "in search_for_ever" in trouble.stderr
    assert probe.STACK_S <= 1.0, "a bot cannot make the examiner wait"
