"""`arena trace` as an author meets it: a good bot, and bots that go wrong in the ways that authors know."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.match.record_file import load
from tests.cli.command import arena
from tests.machine import at_best

FAULTY = f"{sys.executable} -I -S {Path(__file__).parents[1] / 'match' / 'faulty_bot.py'}"
LEAD = re.compile(r" *[0-9]+\.[0-9] (?:[0-9] )?([→←]) (\w+) *(.*)")


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def messages(self) -> list[tuple[str, ...]]:
        """Arrow, type and contents of each line that is a message."""
        return [found.groups() for line in self.err.splitlines() if (found := LEAD.fullmatch(line))]


def trace(*words: str) -> Ended:
    ended = arena("trace", *words, "--seed", "7", "--sandbox", at_best(), COLUMNS="80")
    return Ended(ended.code, ended.out, ended.err)


def test_a_good_bot_is_heard_from_hello_to_bye():
    ended = trace("greedy")
    assert ended.code == 0
    assert ended.out == "greedy (seat 0): no faults, 35 points, rank 1 of 2, seed 7\n"
    said = [(arrow, kind) for arrow, kind, _ in ended.messages]
    assert said[:6] == [
        ("←", "hello"), ("→", "welcome"), ("→", "start"), ("←", "ready"), ("→", "decide"), ("←", "move"),
    ]  # fmt: skip
    assert said[-2:] == [("→", "end"), ("→", "bye")]
    assert said.count(("→", "decide")) == said.count(("←", "move")) == 29
    assert "greedy (seat 0): nothing went wrong" in ended.err
    assert max(map(len, ended.err.splitlines())) <= 80


def test_nothing_is_cut_if_all_is_wanted_and_all_are_heard_if_wanted():
    ended = trace("random", "--full", "--all", "--seats", "3", "--seat", "1", "--opponent", "greedy")
    contents = [json.loads(text) for _, kind, text in ended.messages if kind == "decide"]
    assert {question["view"]["seat"] for question in contents} == {0, 1, 2}
    assert [kind for _, kind, _ in ended.messages].count("hello") == 3
    assert ended.out.startswith("random (seat 1): no faults")


def test_lines_name_the_seat_if_there_are_several():
    both, one = trace("random", "--all").err, trace("random").err
    assert {line[10:12] for line in both.splitlines() if LEAD.fullmatch(line)} == {"0 ", "1 "}
    assert {line[10] for line in one.splitlines() if LEAD.fullmatch(line)} == {"→", "←"}


def test_the_bytes_are_those_that_the_bot_wrote():
    ended = trace(f"{FAULTY} none 1", "--hex", "--full")
    written = [bytes.fromhex(line) for line in ended.err.splitlines() if re.fullmatch(r" {10}[0-9a-f ]+", line)]
    assert b'{"type": "move", "id": 1, "action": "T"}' in written  # with blanks, as the arena would not write it
    assert any(data.startswith(b'{"type":"decide","id":1,') and data.endswith(b"}\n") for data in written)
    assert len(written) == len(ended.messages)


@pytest.mark.parametrize(
    ("bot", "code", "lines", "summary"),
    [
        ("print 2", 3,
         ["← broken  text, byte ", "Stdout carries only messages; print to stderr (SPEC 2.1)",
          "protocol (disqualified): byte ", "    fix: see `arena docs spec`, 3 and 6", "! print at 2"],
         "disqualified (protocol)"),
        ("illegal 1+", 3,
         ["decision 1: illegal (strike): seat 0: D is not legal, the hand holds TCSSGG (D-08). Legal: T C S G.",
          "    fix: copy an action from `legal`", "strikes (disqualified): 3 strikes"],
         "disqualified (strikes)"),
        ("crash 3", 3,
         ["crash (disqualified): it exited with status 3", "! Traceback: the sky is falling"],
         "disqualified (crash)"),
        ("crash hello", 3,
         ["! Traceback: the sky is falling", "it exited with status 3 before it said hello"],
         "disqualified (crash)"),
        ("action-of-wrong-type 2", 0, ["← refused wrong-type, byte ", "$.action"], "1 strike,"),
        ("twice 2", 0, ["← stale   {\"id\":2,", "came after its question was answered or withdrawn"], "no faults"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_shown_and_explained(bot, code, lines, summary):
    ended = trace(f"{FAULTY} {bot}")
    assert ended.code == code, ended.err
    for line in lines:
        assert line in ended.err
    assert summary in ended.out
    assert ended.out.count("\n") == 1


def test_what_a_bot_writes_cannot_command_the_terminal(tmp_path):
    (tmp_path / "loud.py").write_text("import sys; sys.stderr.write('\\x1b[31mred\\n'); print('\\x1b[2J', flush=True)")
    ended = trace(f"{sys.executable} {tmp_path / 'loud.py'}")
    assert ended.code == 3
    assert "! \\x1b[31mred" in ended.err
    assert "\x1b" not in ended.err + ended.out


def test_a_match_is_recorded_if_wanted(tmp_path):
    path = tmp_path / "a.match.jsonl.gz"
    assert trace("greedy", "-o", str(path)).code == 0
    assert load(path).header.seed == 7
    assert "/proc: this is a directory" in trace("greedy", "-o", "/proc").err


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["greedy", "--seat", "2"], 2, "--seat 2: with 2 players the seats are 0 to 1"),
        (["greedy", "--seats", "9"], 4, "9 seats are not possible"),
    ],
)
def test_a_mistake_gets_clear_words_and_an_exit_code(words, code, complaint):
    ended = trace(*words)
    assert (ended.code, ended.out) == (code, "")
    assert complaint in ended.err
