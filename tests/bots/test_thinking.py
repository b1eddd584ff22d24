"""How long search bots think: by the clock, by playouts, and what they keep in the bank."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

from tests.bots.players import imported

thinking: ModuleType = imported("thinking")


class Stopwatch:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def question(bank_ms: int, increment_ms: int) -> dict[str, dict[str, int]]:
    return {"clock": {"bank_ms": bank_ms, "increment_ms": increment_ms}}


def thought_ms(ask: Callable[..., SimpleNamespace], watch: Stopwatch, clock: dict[str, dict[str, int]]) -> int:
    """After how many milliseconds the budget of a decision is spent."""
    budget, begin = ask(clock, to_come=9), watch.seconds
    while budget.has_time():
        watch.seconds += 0.001
    return round((watch.seconds - begin) * 1000)


def test_a_number_of_playouts_is_played_whatever_the_clock_says():
    budget = thinking.Thinking(playouts=10).for_decision(question(0, 0), to_come=5)
    batches = 0
    while budget.has_time():
        budget.count(4)
        batches += 1
    assert (batches, budget.spent) == (3, 12)


def test_time_ends_by_the_clock_that_is_given():
    watch = Stopwatch()
    ask = thinking.Thinking(ms=50, now=watch).for_decision
    assert thought_ms(ask, watch, question(10_000, 1_000)) in (50, 51)
    assert thought_ms(ask, watch, {}) in (50, 51), "where no clock runs, it takes what it was given"
    assert thought_ms(ask, watch, question(0, 20)) in (17, 18), "never more than the clock allows"


@pytest.mark.parametrize(
    ("bank", "increment", "expected"),
    [(0, 100, 85), (10_000, 100, 85 + 480), (10_000, 0, 480), (4_000, 50, 42.5 + 160), (600_000, 100, 85 + 47_680)],
)
def test_the_clock_allows_most_of_the_increment_and_a_share_of_the_bank(bank, increment, expected):
    assert thinking.allowed_ms(question(bank, increment)["clock"], to_come=9) == pytest.approx(expected)


@pytest.mark.parametrize("increment", [0, 50, 1_000])
@pytest.mark.parametrize("bank", [0, 100, 10_000])
@pytest.mark.parametrize("delay", [0, 30])
def test_a_match_leaves_an_eighth_of_the_bank_for_what_was_not_foreseen(bank, increment, delay):
    """Each answer arrives `delay` ms after the thinking; the bank pays for what the increment does not."""
    watch, left = Stopwatch(), bank
    ask = thinking.Thinking(now=watch).for_decision
    for to_come in range(35, -1, -1):
        budget, begin = ask(question(left, increment), to_come=to_come), watch.seconds
        while budget.has_time():
            watch.seconds += 0.001
        left -= max(0, round((watch.seconds - begin) * 1000) + (delay if increment else 0) - increment)
    assert left >= bank / 8 - 36 * (delay + 1)


def test_the_words_of_a_command_line_say_how_long():
    assert thinking.thinking_of(["--playouts", "64"]).playouts == 64
    assert thinking.thinking_of(["--ms", "200"]).ms == 200
    plain = thinking.thinking_of([])
    assert (plain.playouts, plain.ms) == (None, None)
    with pytest.raises(SystemExit, match="expected nothing, --playouts N or --ms N, got: --ms soon"):
        thinking.thinking_of(["--ms", "soon"])
