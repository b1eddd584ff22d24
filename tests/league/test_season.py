"""`benchmarks/season.py`: an update costs the blocks of its bot and nothing else, and docs/scale.md shows the output."""

import sys
from pathlib import Path

import pytest

from benchmarks import season
from benchmarks.season import Season

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.parametrize(("updates", "matches"), [(0, 0), (1, 25 * 4)])
def test_an_update_costs_the_blocks_of_its_bot(updates, matches):
    assert set(Season(40, 4, 25, updates, 10, 1).matches_by_day()) == {matches}


def test_a_block_of_two_updated_bots_is_played_once():
    assert list(Season(40, 4, 25, 40, 2, 1).matches_by_day()) == [40 * 25] * 2
    (some,) = Season(40, 4, 25, 10, 1, 1).matches_by_day()
    assert 40 * 25 / 2 < some < 10 * 25 * 4


def test_the_page_shows_what_it_prints(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["season.py"])
    assert season.main() == 0
    assert f"$ python benchmarks/season.py\n{capsys.readouterr().out}```" in PAGE.read_text("utf-8")
