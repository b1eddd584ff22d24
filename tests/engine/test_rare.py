"""Rare phases: games list matches that come to them, and the list is true."""

from typing import Any

import pytest

from engine.catalogue import game, names
from engine.conformance import Violation, check_game
from engine.dinodocus import Dinodocus
from engine.rare import RarePhase, find, phases, rare_phases

DINODOCUS: Any = game("dinodocus")
ALLOC = RarePhase(seats=2, seat=1, seed=11)


@pytest.mark.parametrize(("name", "phase"), [(name, phase) for name in names() for phase in rare_phases(game(name))])
def test_a_listed_match_comes_to_the_phase(name, phase):
    assert phase in phases(game(name), rare_phases(game(name))[phase])


def test_a_game_need_not_have_rare_phases():
    assert rare_phases(game("draftosaurus")) == {}


def test_a_match_that_comes_to_a_phase_is_found():
    found = find(DINODOCUS, "bonus", {"real_bonus": True}, seeds=range(3))
    assert found is not None
    assert found.options == {"real_bonus": True}
    assert "bonus" in phases(DINODOCUS, found)


def test_where_no_match_comes_there_none_is_found():
    assert find(DINODOCUS, "bonus", seeds=range(1)) is None


def test_conformance_finds_a_list_that_is_not_true():
    class Liar(Dinodocus):
        rare = {"alloc": RarePhase(seats=2, seat=1, seed=12)}  # noqa: RUF012

    assert "alloc" not in phases(DINODOCUS, Liar.rare["alloc"])
    with pytest.raises(Violation, match=r"^dinodocus: rare phase alloc: RarePhase\(.*seed=12.* does not come to it"):
        check_game(Liar(), tables=[])
