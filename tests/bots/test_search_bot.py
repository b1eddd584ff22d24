"""The Monte-Carlo bot of docs/search-bots.md: in the sandbox, with the arena's own rules, in every variant."""

import sys
from pathlib import Path

import pytest

from arena import running
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.play import MatchSetup
from arena.roster.entries import Entry, find
from arena.sandbox.policy import Tier
from arena.sandbox.runtime import stand_in
from arena.version import is_compiled
from tests.machine import bot_python, why_not

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "bots" / "python" / "search_bot.py"


def searcher() -> Entry:
    """In a folder of its own it would need copies of what lies beside it."""
    return Entry("searcher", "1", (bot_python(), SOURCE.name), SOURCE.parent)


@pytest.mark.parametrize("tier", ["full", "lite", "none"])
def test_a_bot_in_our_own_interpreter_can_import_the_rules_in_every_tier(tier):
    if reason := why_not(tier):
        pytest.skip(reason)
    is_ours = tier != Tier.LITE or stand_in(sys.executable) == sys.executable
    if bot_python() != sys.executable or (is_compiled() and not is_ours):
        pytest.skip("here bots in the tier lite run in an interpreter that is not ours")
    clock = TimeControl(bank_ms=60_000, increment_ms=2)
    setup = MatchSetup([searcher(), find("random")], clocks=[clock] * 2, seed=7, sandbox=tier)
    record = running.run(lambda: matches.play(setup)).record()
    assert record.verdict.faults == ()
    notes = [decision.note for _, _, decision in record.decisions() if decision.seat == 0 and decision.note]
    assert any(note.endswith(" deals") and not note.startswith("0 ") for note in notes)
    assert record.verdict.ranks == (1, 2)


@pytest.mark.parametrize("options", [{"season": "winter"}, {"season": "summer_winter"}], ids=str)
def test_it_plays_every_season_at_a_larger_table(options):
    clock = TimeControl(bank_ms=60_000, increment_ms=1)
    setup = MatchSetup(
        [find("random"), searcher(), find("random")], options=options, clocks=[clock] * 3, seed=7, sandbox="none"
    )
    record = running.run(lambda: matches.play(setup)).record()
    assert record.verdict.faults == ()


def test_the_page_shows_the_whole_bot():
    assert f"```python\n{SOURCE.read_text()}```" in (ROOT / "docs" / "search-bots.md").read_text()
