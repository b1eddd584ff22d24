"""Text of strangers where it is shown: nothing moves the cursor, nothing is calculated, nothing floods the screen."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena import texts
from arena.match.record import FaultNote, MatchRecord
from arena.match.record_file import from_bytes, save, to_bytes
from arena.match.referee import REASON
from tests.cli.command import Command, here
from tests.machine import at_best
from tests.replay.test_replay import refereed, troubled, with_header, with_step, with_verdict

ESCAPE = "\x1b]0;pwned\x07\x9b2J\u202e"
"""Sets the title of a terminal, clears the screen by a C1 code, and turns the direction of writing."""
HIDDEN = [
    "\x00",
    "\x1b",
    "\x7f",
    "\x85",
    "\x9b",
    "\xad",
    "\u034f",
    "\u115f",
    "\u200b",
    "\u2028",
    "\u202e",
    "\u2066",
    "\u2800",
    "\u3164",
    "\ufe0f",
    "\ufeff",
    "\ud800",
    "\U000e0101",
]


# What becomes of a text


@given(st.text())
def test_whatever_a_text_holds_it_ends_on_one_line_that_shows_all_of_it(text):
    for shown in (texts.one_line(text), texts.flat(text)):
        assert texts.is_plain(shown)
    assert "\n" not in texts.one_line(text)
    assert texts.safe(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
def test_what_does_not_show_is_spelled_out(char):
    assert texts.one_line(f"a{char}b") == f"a{char.encode('unicode_escape').decode()}b"
    assert not texts.is_plain(char)


@pytest.mark.parametrize("text", ["", "greedy", "Zoë's bot", "恐竜", "🦕", "a  b", "\\n"])
def test_what_shows_stays_as_it_is(text):
    assert (texts.safe(text), texts.one_line(text), texts.flat(text), texts.cell(text)) == (text,) * 4


@given(st.text(max_size=200), st.integers(3, 100))
def test_a_text_is_cut_to_a_length(text, most):
    assert len(texts.cut(text, most)) <= most
    assert texts.cut(text, most) == text if len(text) <= most else texts.cut(text, most).endswith("...")


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-", "=", "+1 000"]
)
def test_what_a_spreadsheet_would_calculate_becomes_a_text(text):
    assert texts.cell(text) == "'" + texts.one_line(text)


@pytest.mark.parametrize("value", [0, -1, 2.5, None, True, "-17", "+3", "12.50", "9" * 400])
def test_numbers_stay_numbers(value):
    assert texts.cell(value) == value


# Records of strangers in a terminal


@pytest.fixture
def command(monkeypatch, capsys) -> Command:
    return partial(here, monkeypatch, capsys)


def newer(record: MatchRecord) -> MatchRecord:
    return with_header(record, edition=99, arena=ESCAPE)


def unknown_fault(record: MatchRecord) -> MatchRecord:
    return with_verdict(with_header(record, arena=ESCAPE), faults=(FaultNote(ESCAPE, 0, None, ESCAPE),))


def unknown_game(record: MatchRecord) -> MatchRecord:
    return with_header(record, game=ESCAPE)


def option(record: MatchRecord) -> MatchRecord:
    return with_header(record, options={ESCAPE: ESCAPE})


def value(record: MatchRecord) -> MatchRecord:
    return with_header(record, options={"season": ESCAPE * 1000})


def chance(record: MatchRecord) -> MatchRecord:
    return with_step(record, 1, chance=ESCAPE * 1000)


def action(record: MatchRecord) -> MatchRecord:
    decisions = record.steps[2].decisions
    return with_step(record, 3, decisions=(replace(decisions[0], action=ESCAPE * 1000), *decisions[1:]))


def zones(record: MatchRecord) -> MatchRecord:
    return with_verdict(record, breakdown=({ESCAPE * 1000: 1}, {}))


def void(record: MatchRecord) -> MatchRecord:
    return with_verdict(record, void=ESCAPE * 1000)


POISONED: list[Callable[[MatchRecord], MatchRecord]] = [
    newer, unknown_fault, unknown_game, option, value, chance, action, zones, void,
]  # fmt: skip


@pytest.mark.parametrize("name", ["verify", "replay", "ask"])
@pytest.mark.parametrize("poison", POISONED, ids=lambda poison: poison.__name__)
def test_no_field_of_a_record_reaches_the_terminal_raw_or_floods_it(command, tmp_path, poison, name):
    path = tmp_path / "a.match.jsonl.gz"
    save(poison(refereed(troubled)), path)
    more = {"verify": (), "replay": ("--step", 0), "ask": ("--bot", "greedy", "--decision", 1, "--sandbox", "none")}[
        name
    ]
    ended = command(name, path, *more)
    words = ended.out + ended.err
    assert texts.is_plain(words.replace("\n", ""))
    assert "\\x1b]0;pwned" in words or ended.code == 0
    assert len(words) < 8000


def test_a_record_that_is_not_true_is_told_of_beside_its_json_and_not_asked_about(command, tmp_path):
    path = tmp_path / "a.match.jsonl.gz"
    true = refereed()
    forged = with_verdict(true, scores=(99, 99))
    for record, words in ((true, ""), (forged, f"arena: {path}: this record is not true: step 52: the scores: ")):
        save(record, path)
        ended = command("replay", path, "--json", "--step", 0)
        assert (ended.code, json.loads(ended.out)["step"]) == (0, 0)
        assert ended.err.startswith(words)
        assert ended.err.count("\n") == bool(words)
    assert "the record does not follow the rules" in command("ask", path, "--bot", "greedy", "--decision", 1).err


def test_the_name_of_a_file_is_text_of_a_stranger_too(command, tmp_path):
    path = tmp_path / f"{ESCAPE}\n"
    for name in ("verify", "replay"):
        ended = command(name, path)
        assert texts.is_plain((ended.out + ended.err).replace("\n", ""))
        path.write_bytes(b"not a record")


# Floods

HELLO = """
import json, sys
print(json.dumps({"type": "hello", "protocol": 1, "name": "x", "version": "1", "games": %s}), flush=True)
sys.stdin.read()
"""


def script(folder: Path, program: str) -> str:
    path = folder / "it.py"
    path.write_text(program)
    return f"{sys.executable} {path}"


@pytest.mark.usefixtures("processes")
def test_a_hello_with_thousands_of_games_makes_a_short_fault(tmp_path):
    games = [f"{number:064}" for number in range(9000)]
    record = arena.play(script(tmp_path, HELLO % json.dumps(games)), "greedy", seed=1, sandbox=at_best())
    (fault,) = record.verdict.faults
    assert fault.kind == "wrong-game"
    assert fault.text.startswith(f"it does not play draftosaurus; its hello lists: {games[0]}, {games[1]}")
    assert len(fault.text) < 300


def test_no_text_of_a_fault_is_longer_than_the_referee_keeps():
    from protocol.errors import ErrorKind
    from protocol.session import Refused

    record = refereed(lambda seat, question: Refused(ErrorKind.WRONG_TYPE, 0, "x" * 100_000))
    assert {len(fault.text) for fault in record.verdict.faults if fault.kind == "malformed"} == {REASON}
    assert {len(d.reason) for _, _, d in record.decisions() if d.reason} == {REASON}
    assert from_bytes(to_bytes(record)) == record


def test_a_path_is_shown_so_that_it_can_be_printed_and_fits():
    assert texts.path(Path("a/b\n\x1b[2J.toml")) == "a/b\\n\\x1b[2J.toml"
    assert texts.path(os.fsdecode(b"caf\xe9")) == "caf\N{REPLACEMENT CHARACTER}"
    long = "/".join(["x" * 100] * 12)
    assert len(texts.path(long)) < 300
    assert texts.path(long).startswith("xxx")
    assert texts.path(f"{long}/bot.toml").endswith("/bot.toml")
