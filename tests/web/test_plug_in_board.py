"""A game of another package in a browser: with the board that it brings along, and without one."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.replay.moments import moments
from arena.web.boards import board_for
from arena.web.replay_page import replay_page
from arena.words import find_words
from engine.contract import plain
from tests.browser import PHONE, misplaced, serious_findings
from tests.games.test_sealed_nim import install
from tests.web.matches import played

APART = ".masthead, .controls > *, .graph, .panel, .panel > *, .centre > *, .now, .moves"


@pytest.fixture
def nim(tmp_path, monkeypatch, request) -> Iterator[Any]:
    """Sealed Nim, installed with its game and these further entry points."""
    monkeypatch.syspath_prepend(str(install(tmp_path / "site-packages", "arena.games", *request.param)))
    find_words.cache_clear()
    yield played("sealed_nim", 3)
    find_words.cache_clear()
    for module in ("sealed_nim", "sealed_nim.words"):
        sys.modules.pop(module, None)


def written(folder: Path, page: bytes) -> str:
    (folder / "page.html").write_bytes(page)
    return (folder / "page.html").as_uri()


@pytest.mark.parametrize("nim", [("arena.words", "arena.boards")], indirect=True)
def test_a_game_of_another_package_is_drawn_by_its_own_board(visitor, nim, tmp_path):
    assert board_for("sealed_nim").module == "board"
    page = visitor.open(written(tmp_path, replay_page(nim)))
    page.keyboard.press("End")
    assert page.locator(".panel .sealed_nim .card").count() == 12
    first = page.locator('[data-piece="1/played/0"]')
    assert first.bounding_box()["width"] == 32, "its style sheet is there"
    first.click()
    bid = next(moment.number for moment in moments(nim) if moment.state.players[1].played)
    assert int(page.locator("input[type=number]").input_value()) == bid
    assert page.locator('[data-piece="1/played/0"].fresh').count() == 1
    assert "random bid " in page.locator(".sentences").inner_text()
    assert misplaced(page, APART) == []


@pytest.mark.parametrize("nim", [()], indirect=True)
def test_a_game_without_a_board_shows_its_drawing_and_all_that_is_known(visitor, nim, tmp_path):
    assert board_for("sealed_nim").is_generic
    page = visitor.open(written(tmp_path, replay_page(nim)), PHONE, color_scheme="dark")
    page.keyboard.press("End")
    game, last = sys.modules["sealed_nim"].GAME, moments(nim)[-1].state
    drawn = game.draw(game.view(last, None), game.tally(last), plain)
    assert page.locator(".drawing").text_content() == drawn
    page.keyboard.press("Home")
    page.keyboard.press("n")
    page.keyboard.press("2")
    assert f"lost {moments(nim)[1].state.players[2].lost}" in page.locator(".drawing").text_content()
    assert page.locator('[data-piece="2/lost"]').inner_text() == moments(nim)[1].state.players[2].lost
    assert page.locator('[data-piece="1/lost"]').inner_text() == "?"
    page.locator(".generic summary").first.click()
    assert page.locator(".folded").first.is_visible()
    assert misplaced(page, APART) == []
    assert serious_findings(page) == []
