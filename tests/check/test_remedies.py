"""The fix that an author reads fits what the bot printed, in `arena check` and in `arena play`."""

import pytest

from arena.check.code import with_code
from arena.check.languages import Language
from arena.check.remedies import finding_of, remedy
from arena.match.record import FaultNote

HUNG = {
    Language.GO: "SIGQUIT: quit\nPC=0x1\ngoroutine 1 [running]:\nmain.decide(0xc1)\n    /home/ann/my-bot/bot.go:9 +0x1b",
    Language.JAVA: 'Full thread dump OpenJDK\n"main" #1 prio=5\n    at Bot.decide(Bot.java:10)\n    at dinobot.Dinobot.run(Dinobot.java:51)',
    Language.PYTHON: 'Current thread 0x1 (most recent call first):\n  File "/home/ann/my-bot/bot.py", line 12 in decide',
    Language.C: "dinobot: the arena waits, and asks where the bot is (SIGQUIT). Its stack, innermost first:\ndecide at bot.c:9",
}  # fmt: skip
WHERE = {Language.GO: "bot.go:9", Language.JAVA: "Bot.java:10", Language.PYTHON: "bot.py:12", Language.C: "bot.c:9"}


@pytest.mark.parametrize("language", HUNG)
def test_a_bot_that_hangs_with_a_stack_is_shown_the_line_and_that_the_arena_asked(language):
    words = remedy("hang", language, HUNG[language])
    assert f"it was at {WHERE[language]}" in words
    assert "the arena asked" in words


@pytest.mark.parametrize(
    ("language", "word"), [(Language.JAVASCRIPT, "promise"), (Language.RUST, "gdb -p PID"), (Language.SHELL, "set -x")]
)
def test_a_bot_that_hangs_without_a_stack_gets_the_words_of_its_language(language, word):
    assert word in remedy("hang", language, "")
    assert "above" not in remedy("hang", language, "")


@pytest.mark.parametrize(
    ("finding", "language", "output", "words"),
    [
        ("crash", Language.C, "dinobot: a signal ends the bot.\nsearch at bot.c:4\ndecide at bot.c:8", "at bot.c:4, in search"),
        ("crash", Language.CPP, "decide() threw in phase pick: stoi\nIts stack, innermost first:\nf at bot.cpp:5", "bot.cpp:5, in f"),
        ("crash", Language.GO, "panic: x\ngoroutine 1 [running]:\n    /b/my-bot/dinobot/dinobot.go:187 +0x1\n    /b/my-bot/bot.go:10 +0x1", "happened at bot.go:10."),
        ("crash", Language.SHELL, "ended by signal 11 (SIGSEGV), with 130 MB of the 256 MB of memory", "ran out of memory"),
        ("memory-limit", Language.C, "dinobot: a signal ends the bot.\ndecide at bot.c:7", "malloc then returns NULL"),
        ("memory-limit", Language.RUST, "memory allocation of 1048576 bytes failed", "RUST_BACKTRACE"),
        ("memory-limit", Language.GO, "fatal error: runtime: out of memory\n    /usr/go/a.go:1 +0x\n    /b/bot.go:11 +0x", "memory at bot.go:11"),
        ("illegal-action", Language.C, "it answered 'p': seat 0: 'p' is malformed, expected D. Legal: D P.", "`legal` has P, the bot answered p"),
        ("illegal-action", Language.C, "t@si is not legal, no (D-3). Legal: T@SI.", "`legal` has T@SI, the bot answered t@si"),
    ],
)  # fmt: skip
def test_the_output_chooses_the_words(finding, language, output, words):
    assert words in remedy(finding, language, output)


def test_an_action_that_is_really_wrong_is_not_called_another_spelling():
    assert "case" not in remedy("illegal-action", Language.C, "'x' is malformed, expected D. Legal: D P.")


@pytest.mark.parametrize(
    ("kind", "text", "stderr", "has_answered", "finding"),
    [
        ("crash", "it exited with status 2", "fatal error: runtime: out of memory", False, "memory-limit"),
        ("crash", "it was ended by signal 11 (SIGSEGV), with 250 MB of the 256 MB of memory", "", True, "memory-limit"),
        ("crash", "it was ended by signal 11 (SIGSEGV), with 110 MB of the 256 MB of memory", "", True, "crash"),
        ("crash", "it exited with status 1 before it said hello", "", False, "exits-early"),
        ("late", "no answer within 10 ms", "", False, "hang"),
        ("late", "no answer within 10 ms", "", True, None),
        ("protocol", "byte 0: text on stdout. Stdout carries", "", False, "text"),
        ("malformed", "seat 0: 'p' is malformed, expected D.", "", True, "illegal-action"),
        ("malformed", "missing field id", "", True, None),
    ],
)
def test_a_fault_of_a_match_is_the_finding_that_check_reports(kind, text, stderr, has_answered, finding):
    assert finding_of([FaultNote(kind, 0, 1, text)], stderr, has_answered) == finding


@pytest.mark.parametrize(
    "error", ["./bot.go:2:6: syntax error", "bot.go(2,6): error TS1005: ')'", "[ERROR] {}/bot.go:[2,6] illegal start"]
)
def test_a_compiler_that_names_only_a_line_is_shown_with_the_line(tmp_path, error):
    (tmp_path / "bot.go").write_text("package main\n\tdry ::= 1\n")
    line = error.format(tmp_path)
    assert with_code(["# bot", line, "more"], tmp_path) == ["# bot", line, "  2 |     dry ::= 1", "more"]


def test_code_is_not_shown_twice_and_not_from_elsewhere(tmp_path):
    (tmp_path / "bot.c").write_text("int x\n")
    (tmp_path.parent / "secret.c").write_text("secret\n")
    printed = ["bot.c:1:5: error: expected ;", "    1 | int x"]
    assert with_code(printed, tmp_path) == printed
    assert with_code(["../secret.c:1:1: error"], tmp_path) == ["../secret.c:1:1: error"]
