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
        return [found.groups() for line in self.out.splitlines() if (found := LEAD.fullmatch(line))]


def trace(*words: str) -> Ended:
    ended = arena("trace", *words, "--seed", "7", "--sandbox", at_best(), COLUMNS="80")
    return Ended(ended.code, ended.out, ended.err)


def test_a_good_bot_is_heard_from_hello_to_bye():
    ended = trace("greedy")
    assert ended.code == 0
    assert ended.out.endswith("\ngreedy (seat 0): no faults, 35 points, rank 1 of 2, seed 7\n")
    said = [(arrow, kind) for arrow, kind, _ in ended.messages]
    assert said[:6] == [
        ("←", "hello"), ("→", "welcome"), ("→", "start"), ("←", "ready"), ("→", "decide"), ("←", "move"),
    ]  # fmt: skip
    assert said[-2:] == [("→", "end"), ("→", "bye")]
    assert said.count(("→", "decide")) == said.count(("←", "move")) == 29
    assert "greedy (seat 0): nothing went wrong" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_nothing_is_cut_if_all_is_wanted_and_all_are_heard_if_wanted():
    ended = trace("random", "--full", "--all", "--seats", "3", "--seat", "1", "--opponent", "greedy")
    contents = [json.loads(text) for _, kind, text in ended.messages if kind == "decide"]
    assert {question["view"]["seat"] for question in contents} == {0, 1, 2}
    assert [kind for _, kind, _ in ended.messages].count("hello") == 3
    assert ended.out.splitlines()[-1].startswith("random (seat 1): no faults")


def test_lines_name_the_seat_if_there_are_several():
    both, one = trace("random", "--all").out, trace("random").out
    assert {line[10:12] for line in both.splitlines() if LEAD.fullmatch(line)} == {"0 ", "1 "}
    assert {line[10] for line in one.splitlines() if LEAD.fullmatch(line)} == {"→", "←"}


def test_the_bytes_are_those_that_the_bot_wrote():
    ended = trace(f"{FAULTY} none 1", "--hex", "--full")
    written = [bytes.fromhex(line) for line in ended.out.splitlines() if re.fullmatch(r" {10}[0-9a-f ]+", line)]
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
        assert line in ended.out
    assert summary in ended.out.splitlines()[-1]


def test_what_a_bot_writes_cannot_command_the_terminal(tmp_path):
    (tmp_path / "loud.py").write_text("import sys; sys.stderr.write('\\x1b[31mred\\n'); print('\\x1b[2J', flush=True)")
    ended = trace(f"{sys.executable} {tmp_path / 'loud.py'}")
    assert ended.code == 3
    assert "! \\x1b[31mred" in ended.out
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


TALKATIVE = """
import dinobot


class Player:
    def __init__(self, start):
        print("thinking of seat", start["seat"])

    def decide(self, question):
        print("deciding", question["id"])
        return question["legal"][0]


dinobot.run("talkative", "1", ["draftosaurus"], Player)
print("no end", end="")
"""


@pytest.fixture
def talkative(tmp_path: Path) -> str:
    """A bot that says on stderr what it is about to decide."""
    (tmp_path / "bot.py").write_text(TALKATIVE)
    (tmp_path / "dinobot.py").write_text((Path(__file__).parents[2] / "bots/python/dinobot.py").read_text())
    (tmp_path / "bot.toml").write_text('name = "talkative"\ncommand = ["{python}", "bot.py"]\n')
    return str(tmp_path)


def test_what_a_bot_wrote_before_an_answer_stands_before_it_with_its_time(talkative):
    lines = [json.loads(line) for line in trace(talkative, "--json").out.splitlines()]
    times = [line["ms"] for line in lines[:-1]]
    assert times == sorted(times)
    told = [(line["type"], line.get("text", "") or line["message"].get("id")) for line in lines[:-1]]
    for question in range(1, 10):
        at = told.index(("move", question))
        assert told[at - 2 : at] == [("decide", question), ("stderr", f"deciding {question}")]
    assert told[-1] == ("stderr", "no end")
    assert (lines[-1]["type"], lines[-1]["players"]) == ("result", ["talkative", "random"])


def test_a_trace_shows_only_what_is_asked_for(talkative):
    lines = [json.loads(line) for line in trace(talkative, "--json", "--only", "move", "--show", "1").out.splitlines()]
    assert {(line["seat"], line["type"], line["from"]) for line in lines[:-1]} == {(1, "move", "bot")}
    text = trace(talkative, "--only", "stderr").out
    assert "deciding 3" in text
    assert "decide " not in text
    assert "expected one of hello, welcome" in trace(talkative, "--only", "thoughts").err
    assert "--show 2: with 2 players the seats are 0 to 1" in trace(talkative, "--show", "2").err
