"""Output of programs is folded at the width of a terminal, between words, and stays as it is in a pipe."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli import paragraphs
from arena.cli.film import final_stderr
from arena.cli.paragraphs import quoted, stderr_lines
from arena.match.bot import NOT_BUILT
from arena.match.record import FaultNote

CODE = '    var dry = question.legal().stream().filter(action -> !action.contains("KJ")).toList();'


def on_a_terminal(monkeypatch, columns):
    monkeypatch.setattr(paragraphs, "is_terminal", lambda _stream: True)
    monkeypatch.setattr(paragraphs, "columns", lambda _stream: columns)


def test_a_pipe_gets_every_line_whole():
    assert quoted([CODE, ""], "| ") == [f"| {CODE}", "| "]


def test_a_terminal_gets_lines_that_fit_and_break_between_words(monkeypatch):
    on_a_terminal(monkeypatch, 60)
    assert quoted([CODE], "| ") == [
        "|     var dry = question.legal().stream().filter(action ->",
        '| !action.contains("KJ")).toList();',
    ]
    on_a_terminal(monkeypatch, 140)
    assert quoted([CODE], "| ") == [f"| {CODE}"]


def test_a_word_that_is_wider_than_the_terminal_is_cut(monkeypatch):
    on_a_terminal(monkeypatch, 10)
    assert quoted(["x" * 45], "  ") == [f"  {'x' * 20}", f"  {'x' * 20}", f"  {'x' * 5}"]


def test_both_ends_of_stderr_stand_under_the_name_of_the_bot():
    shown = stderr_lines("mine (seat 1)", "\n".join(["panic: no", *map(str, range(100)), "exit status 2"]))
    assert shown[:3] == ["", "stderr of mine (seat 1):", "  panic: no"]
    assert shown[-1] == "  exit status 2"


def test_a_stderr_that_shows_nothing_has_no_title():
    assert stderr_lines("mine (seat 1)", "Picked up JAVA_TOOL_OPTIONS: -Xmx128m\n") == []


@pytest.mark.parametrize(
    ("text", "is_shown"), [("it exited with status 1", True), (f"{NOT_BUILT}: add --build", False)]
)
def test_a_bot_that_was_not_built_is_not_shown_by_what_its_missing_parts_print(text, is_shown):
    account = SimpleNamespace(stderr="Error: Cannot find package")
    verdict = SimpleNamespace(faults=[FaultNote("crash", 0, None, text)], accounts=[account])
    record: Any = SimpleNamespace(verdict=verdict, header=SimpleNamespace(players=[SimpleNamespace(name="mine")]))
    assert bool(final_stderr(record)) is is_shown
