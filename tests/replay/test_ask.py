"""Recorded decisions put before bots: real processes, good ones and those that fail in every way."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

import arena
from arena import running
from arena.match.faults import FaultKind
from arena.match.record import MatchRecord, Status
from arena.match.record_file import save
from arena.replay.ask import AskTerms, Examined, examine, questions_of
from arena.roster.entries import find
from tests.cli.command import Command, Ended, here
from tests.machine import at_best

BOT = """
import json, sys, time
asked = 0
def say(**message): print(json.dumps(message), flush=True)
say(type="hello", protocol=1, name="x", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        asked += 1
        number, legal = message["id"], message["legal"]
        {decide}
"""
MOVE = 'say(type="move", id=number, action=legal[asked % len(legal)])'
"""A bot with a memory: what it answers depends on how often it was asked."""

Write = Callable[[str], str]


@pytest.fixture(scope="module")
def write(tmp_path_factory) -> Write:
    """write(decide) is the command line of a bot that does this at every question; write(code, whole) is the code."""

    def script(decide: str, program: str = BOT) -> str:
        folder = tmp_path_factory.mktemp("bot")
        folder.chmod(0o755)  # for a bot of a root user, who is somebody else
        path = folder / "it.py"
        path.write_text(program.replace("{decide}", decide))
        return f"{sys.executable} {path}"

    return script


@pytest.fixture(scope="module")
def record(write, tmp_path_factory) -> MatchRecord:
    """random against greedy against a bot with a memory."""
    path = tmp_path_factory.mktemp("record") / "a.match.jsonl.gz"
    return arena.play("random", "greedy", write(MOVE), seed=7, path=path, sandbox=at_best())


def examined(
    record: MatchRecord, bot: str, seat: int | None = None, upto: int | None = None, time_ms: int | None = None
) -> Examined:
    asked = [
        question
        for question in questions_of(record)
        if seat in (None, question.decision.seat) and (upto is None or question.number <= upto)
    ]
    return running.run(lambda: examine(record, find(bot), asked, AskTerms(time_ms, sandbox=at_best())))


@pytest.fixture
def ask(monkeypatch, capsys) -> Command:
    """The command, without what it says where there is no sandbox for the bots of these tests."""

    def run(*words: object) -> Ended:
        ended = here(monkeypatch, capsys, "ask", *words, "--sandbox", at_best())
        return replace(
            ended, err=ended.err.removeprefix("arena: without a sandbox a bot can do all that you can do.\n")
        )

    return run


# Who is asked again answers again


@pytest.mark.parametrize(("seat", "bot"), [(0, "random"), (1, "greedy"), (2, "memory")])
def test_a_bot_agrees_with_itself(record, write, seat, bot):
    found = examined(record, write(MOVE) if bot == "memory" else bot, seat)
    assert len(found.answers) > 15
    assert not found.differing
    assert not found.has_failed


def test_a_seed_of_its_own_is_told_to_the_bot_again():
    record = arena.play("random", "random", seed=1, bot_seed=99)
    assert not examined(record, "random").differing
    other = replace(record, header=replace(record.header, bot_seed=98))
    assert examined(other, "random").differing


def test_all_seats_are_asked_in_the_order_of_the_match(record):
    found = examined(record, "greedy")
    numbers = [answer.question.number for answer in found.answers]
    assert numbers == [question.number for question in questions_of(record)]
    assert {answer.question.decision.seat for answer in found.differing} == {0, 2}
    assert all(answer.given.action in answer.question.decide.legal for answer in found.answers)


def test_faults_are_made_again_by_a_bot_that_makes_them_always(write):
    decide = """if asked == 2: say(type="move", id=number, action="Z@ZZ")
        elif asked == 4: say(type="move", id=number, action=7)
        elif asked == 7: sys.exit(3)
        else: say(type="move", id=number, action=legal[0])"""
    bot = write(decide)
    record = arena.play(bot, "greedy", seed=2, sandbox=at_best())
    found = examined(record, bot, 0)
    assert [answer.given.status for answer in found.answers][::3] == ["accepted", "malformed", "absent"]
    assert found.differing == found.answers[-1:], "a crash agrees with nothing, not even with a crash"
    assert found.failure.kind == FaultKind.CRASH
    assert len(found.answers) == 7, "the question at which it crashed is there to be asked again"


# Who fails

FAULTS = {
    "other phase": ('say(type="move", id=number, action="T@RV")', Status.MALFORMED, "seat 1: 'T@RV' is malformed"),
    "malformed": ('say(type="move", id=number, action="lunch")', Status.MALFORMED, "seat 1: 'lunch' is malformed"),
    "refused": ('say(type="move", id=number)', Status.MALFORMED, "$.action"),
    "late": ("pass", Status.LATE, "no answer within 150 ms"),
    "crash": ("1/0", Status.ABSENT, "crash: it exited with status 1"),
    "protocol": ("print('thinking', flush=True)", Status.ABSENT, "protocol: "),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_in_words(record, write, name):
    decide, status, words = FAULTS[name]
    found = examined(record, write(decide), seat=1, time_ms=150)
    first = found.answers[0]
    assert (first.given.status, first.agrees) == (status, False)
    assert words in first.given.reason
    assert first.given.action in first.question.decide.legal, "what would have been played"
    assert found.has_failed


def test_an_illegal_action_is_not_a_malformed_one(record, write):
    found = examined(record, write('say(type="move", id=number, action="TDCSGP"[asked % 6])'), seat=1)
    illegal = [answer.given for answer in found.answers if answer.given.status is Status.ILLEGAL]
    assert illegal
    assert illegal[0].answer in "TDCSGP"
    assert "is not legal" in illegal[0].reason


def test_who_is_late_three_times_is_asked_no_further(record, write):
    found = examined(record, write("pass"), seat=1, time_ms=50)
    assert [answer.given.status for answer in found.answers] == [Status.LATE] * 3
    assert found.failure.kind == FaultKind.LATE


def test_who_is_late_once_is_asked_on(record, write):
    found = examined(record, write(f"if asked != 2: {MOVE}"), seat=2, time_ms=400)
    statuses = [answer.given.status for answer in found.answers]
    assert statuses == [Status.ACCEPTED, Status.LATE, *[Status.ACCEPTED] * (len(statuses) - 2)]
    assert [answer.question.decide.id for answer in found.differing] == [2]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("raise SystemExit('no luck')", FaultKind.CRASH),
        (BOT.replace("draftosaurus", "chess"), FaultKind.WRONG_GAME),
        (BOT.replace('"ready"', '"redy"'), FaultKind.NOT_READY),
        ("print('Hello, I am a bot')", FaultKind.PROTOCOL),
    ],
)
def test_who_cannot_be_asked_at_all_has_failed(record, write, code, kind):
    hasty = replace(record.header.players[0].clock, prepare_ms=300)
    players = tuple(replace(player, clock=hasty) for player in record.header.players)
    found = examined(replace(record, header=replace(record.header, players=players)), write(MOVE, code))
    assert found.failure.kind == kind
    assert found.answers == (), "and nothing is gained by asking for the other seats"
    assert found.has_failed


# The command


def test_all_answers_in_a_table_and_the_first_that_differs(ask, record):
    told = ask(record.path, "--bot", "greedy")
    assert told == ask(record.path, "--all", "--bot", "greedy")
    assert told.code == 0
    rows = [line.split() for line in told.out.splitlines()]
    differing = [row[0] for row in rows if row and row[-1] == "differs"]
    summary = told.out.splitlines()[-1]
    asked = len(questions_of(record))
    assert (
        summary
        == f"{asked - len(differing)} of {asked} answers agree; the first difference is decision {differing[0]}."
    )
    assert told.err == f"Look at it:  arena ask {record.path} --decision {differing[0]} --bot greedy\n"


def test_one_decision_with_its_position_as_the_seat_saw_it(ask, record, write):
    asked = [question for question in questions_of(record) if question.decision.seat == 2]
    question = asked[-1]
    told = ask(record.path, "--decision", question.number, "--bot", write(MOVE))
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"decision {question.number}, step ")
    assert "seat 2 (x), place" in told.out
    assert f"legal     {' '.join(question.decide.legal)}\nrecorded  {question.decision.action}  " in told.out
    assert f"\nanswer    {question.decision.action}  " in told.out
    assert told.out.endswith("\nThey agree.\n"), "a bot with a memory remembers what led there"


def test_one_decision_that_differs_tells_of_the_way_there(ask, record):
    differing = examined(record, "greedy", seat=0).differing
    number = differing[1].question.number
    told = ask(record.path, "--decision", number, "--bot", "greedy").out
    assert "They differ.\nBefore that, 1 of its " in told
    assert f"the first at decision {differing[0].question.number}." in told


def test_json_has_all_answers_up_to_the_decision(ask, record):
    told = ask(record.path, "--decision", 8, "--bot", "greedy", "--json")
    assert told.code == 0
    found = json.loads(told.out)
    assert [answer["decision"] for answer in found["answers"]] == [2, 5, 8]
    assert found["agree"] == found["asked"] == found["answered"] == 3
    assert found["first_difference"] is None
    assert found["failure"] is None
    assert found["answers"][-1]["answer"]["action"] == found["answers"][-1]["recorded"]["action"]


def test_a_failure_is_words_and_an_exit_code(ask, record, write):
    bot = write("sys.stderr.write('\\x1b[2Joh no\\n'); sys.exit(1)")
    one = ask(record.path, "--decision", 8, "--bot", bot)
    every = ask(record.path, "--all", "--seat", 1, "--bot", bot)
    for told in (one, every):
        assert told.code == 3
        assert "it: crash: it exited with status 1\n" in told.out
        assert "stderr of it:\n  oh no\n" in told.out
        assert "\x1b" not in told.out
        assert "Traceback" not in told.out + told.err
    assert "answer    none, it was not asked" in one.out
    assert "0 of 1 answer agrees; the first difference is decision 2; " in every.out
    assert json.loads(ask(record.path, "--decision", 2, "--bot", bot, "--json").out)["failure"]["kind"] == "crash"


def test_a_bad_answer_is_words_and_an_exit_code(ask, record, write):
    told = ask(
        record.path, "--decision", 2, "--bot", write('say(type="move", id=number, action="\\x1b[2J", note="ha\\x07")')
    )
    assert told.code == 3
    assert "answer    \\x1b[2J  malformed, " in told.out
    assert "note: ha\\x07" in told.out
    assert "\x1b" not in told.out


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["--bot", "greedy", "--all", "--decision", 1], 2, "choose one: --decision NUMBER or --all"),
        (["--bot", "greedy", "--decision", 0], 2, "--decision 0: this match has decisions 1 to 72"),
        (["--bot", "greedy", "--decision", 73], 2, "--decision 73: this match has decisions 1 to 72"),
        (["--bot", "greedy", "--decision", 2, "--seat", 0], 2, "--seat 0: decision 2 belongs to seat 1"),
        (["--bot", "greedy", "--all", "--seat", 3], 2, "--seat 3: this match has seats 0 to 2"),
        (
            ["--bot", "greedy", "--decision", "FORCED"],
            2,
            "the bot was not asked, because there was only one legal action",
        ),
        (["--bot", "no such bot", "--all"], 4, "arena: 'no such bot' is not a bot: "),
    ],
)
def test_a_mistake_gets_clear_words_and_an_exit_code(ask, record, words, code, complaint):
    forced = next(number for number, _, decision in record.decisions() if decision.status is Status.FORCED)
    told = ask(record.path, *(forced if word == "FORCED" else word for word in words))
    assert (told.code, told.out) == (code, "")
    assert complaint in told.err
    assert "Traceback" not in told.err


def test_a_record_that_is_not_true_is_refused(ask, record, tmp_path):
    path = tmp_path / "a.match.jsonl.gz"
    save(replace(record, header=replace(record.header, seed=8)), path)
    told = ask(path, "--all", "--bot", "greedy")
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith(f"arena: {path}: the record does not follow the rules: step 1: chance: ")
    path.write_bytes(b"lunch")
    assert ask(path, "--all", "--bot", "greedy").err.startswith(f"arena: {path}: not a record: ")
