"""The loop that waits for answers: where it waits, and what it looks at."""

from math import inf
from types import SimpleNamespace

import pytest

from arena.match.clock import now
from arena.match.conversation import WORTH_S, Conversation
from arena.match.delays import DelayWatch, RunDelay


class NotedWatch(DelayWatch):
    """Counts the waits that trio does not see."""

    waits = 0

    def before_io_wait(self, timeout: float) -> None:
        self.waits += 1
        super().before_io_wait(timeout)


@pytest.fixture
def watch():
    run_delay = RunDelay()
    yield NotedWatch(run_delay)
    run_delay.close()


def conversation(watch: DelayWatch) -> Conversation:
    """With no bots: nothing ever comes."""
    return Conversation([], SimpleNamespace(delayed=lambda _seconds: None), watch, None)


def test_only_a_conversation_that_is_the_only_one_waits_outside_the_loop(watch):
    first = conversation(watch)
    first._wait_for_a_moment(inf)
    assert watch.waits == 1
    second = conversation(watch)
    first._wait_for_a_moment(inf)
    second._wait_for_a_moment(inf)
    assert watch.waits == 1
    first.close()
    second._wait_for_a_moment(inf)
    assert watch.waits == 2
    second.close()


def test_no_conversation_waits_outside_the_loop_beyond_its_deadline(watch):
    one = conversation(watch)
    one._wait_for_a_moment(now())
    assert watch.waits == 0
    one.close()


@pytest.mark.pure("it replaces a method, which compiled code does not look up")
def test_if_nothing_came_nobody_asks_who_had_the_cores(watch, monkeypatch):
    asked = []
    one = conversation(watch)
    monkeypatch.setattr(Conversation, "usage", lambda _self: asked.append("late"))
    watch._news = now() - 10 * WORTH_S
    one._listen([])
    assert asked == []
    one.close()
