"""What is shown of a league while it is played: in a terminal, and in a log."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli import progress as shown
from arena.cli import terminal
from arena.cli.progress import LeagueLine, duration, line, pieces
from tests.league.small_league import NOTES, small_league

HALF: Any = SimpleNamespace(done=1_250, total=2_500, new=50, rate=12.5)
TOP = ["1 greedy", "2-3 random"]


def test_a_line_shows_share_matches_pace_time_left_and_the_top_of_the_table():
    text = "████████░░░░░░░░  50 %  1,250/2,500  12.5/s  1 min 40 s left  1 greedy  2-3 random"
    assert line(HALF, TOP, 100) == text
    assert line(HALF, TOP, len(text)) == text


def test_a_line_is_cut_between_its_pieces():
    for room in range(90):
        text = line(HALF, TOP, room)
        assert len(text) <= room
        assert line(HALF, TOP, 100).startswith(text)
        if room >= 16:
            assert text.split("  ")[1:] == [*pieces(HALF), *TOP][: text.count("  ")]


def test_before_the_first_match_there_is_no_pace():
    begun: Any = SimpleNamespace(done=3, total=12, new=0)
    assert pieces(begun) == ["25 %", "3/12"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.9, "0 s"), (59, "59 s"), (125, "2 min 5 s"), (12_000, "3 h 20 min"), (1e300, "99 h 59 min")],
)
def test_a_duration_has_two_units_at_most(seconds, words):
    assert duration(seconds) == words


@pytest.mark.usefixtures("processes")
def test_a_league_shows_one_line_that_fits_the_terminal_and_clears_it(tmp_path):
    path = small_league(tmp_path, blocks=30)
    screen = in_terminal("league", "run", path, "--folder", tmp_path / "results", columns=70)
    lines = screen.split("\r\x1b[K")
    notes = (lines[1] + lines[2]).split("\r\n")
    assert (lines[0], " ".join(notes).split()) == ("", NOTES.split())
    assert max(map(len, notes)) <= 70
    *drawn, last = lines[3:]
    drawn = [text for text in drawn if text]
    assert drawn[0] == "░" * 16 + "  0 %  0/60"
    assert all(len(text) < 70 for text in drawn)
    assert re.fullmatch(r"█+░*  \d+ %  \d+/60  [\d.]+/s  \d+ s left.*", drawn[-1])
    assert re.search(r"s left  1(-\d)? \w+", screen), "the top of the table"
    assert last.startswith("60 of 60 matches; 60 now")


def test_a_log_gets_a_line_now_and_then(monkeypatch, capsys):
    seconds = iter((1000, 1000, 1030, 1060, 1061, 1125))
    monkeypatch.setattr(shown, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    told = LeagueLine()
    progress: Any = SimpleNamespace(done=10, total=20, new=10, rate=0.1, notes=[], warnings=[])
    for _ in range(5):
        told.show(progress, None)
    told.clear()
    assert capsys.readouterr().err == "50 %  10/20  0.1/s  1 min 40 s left\n" * 2


def test_notes_and_warnings_come_once_and_at_once(capsys):
    told = LeagueLine()
    progress: Any = SimpleNamespace(done=0, total=20, new=0, notes=["seed 7"], warnings=["mybot\x07 has failed"])
    told.show(progress, None)
    told.show(progress, None)
    assert capsys.readouterr().err == "arena: seed 7\narena: mybot\\x07 has failed\n"
    progress.warnings.append("yours, too")
    told.show(progress, None)
    assert capsys.readouterr().err == "arena: yours, too\n"


def in_terminal(*words: object, columns: int) -> str:
    """What the command line writes to a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    pid = os.fork()
    if pid == 0:
        for fd in range(3):
            os.dup2(theirs, fd)
        os.execv(sys.executable, [sys.executable, "-m", "arena", *map(str, words)])
    os.close(theirs)
    written = b""
    try:
        while data := os.read(ours, 1 << 16):
            written += data
    except OSError:
        pass  # that is how a terminal ends
    os.close(ours)
    assert os.waitpid(pid, 0)[1] == 0, written
    return written.decode()


def test_in_a_terminal_remarks_break_between_words_and_never_in_a_command(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "is_terminal", lambda stream: True)
    monkeypatch.setattr(terminal, "columns", lambda stream: 40)
    words = (
        "one of the bots differs. `arena league update cup.toml one`: it gets a version. See:  arena replay x | tail"
    )
    terminal.say(f"{words}\nFix it.")
    assert capsys.readouterr().err.splitlines() == [
        "arena: one of the bots differs.",
        "`arena league update cup.toml one`: it",
        "gets a version. See:",
        "  arena replay x | tail",
        "Fix it.",
    ]


def test_outside_a_terminal_a_remark_is_one_line(capsys):
    terminal.say("word " * 100)
    assert capsys.readouterr().err == f"arena: {'word ' * 100}\n"
