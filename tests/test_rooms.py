"""Which room imports which: as the page says, and never in a circle."""

import re
from graphlib import CycleError

import pytest

from tests.rooms import WORLD, build, circle, drawing, leaks, rooms
from tests.selection import TESTS

PAGE = TESTS.parent / "docs" / "architecture.md"
BLOCK = re.compile(r"(?s)(?<=\n)(#+ Imports between rooms\n.*?\n```text\n)(.*?)(?=```\n)")


def test_the_page_shows_the_imports_between_rooms(is_rewriting):
    drawn = drawing(rooms(build())) + "\n"
    page = PAGE.read_text("utf-8")
    if is_rewriting:
        page = BLOCK.sub(lambda block: block[1] + drawn, page)
        PAGE.write_text(page, "utf-8")
    shown = BLOCK.search(page)
    assert shown is not None
    assert shown[2] == drawn


def test_referee_records_replays_and_reports_reach_no_process_and_no_loop():
    graph = build()
    assert graph.modules >= {*WORLD}
    assert list(leaks(graph)) == []


def test_an_import_that_reaches_a_process_is_named_with_its_chain():
    graph = build()
    graph.add_import(importer="arena.match.faults", imported="subprocess")
    chain = "arena.match.referee -> arena.match.faults -> subprocess"
    assert f"arena.match.referee reaches subprocess: {chain}" in [*leaks(graph)]


def test_a_circle_is_named_with_its_imports():
    graph = build()
    graph.add_import(importer="arena.match.clock", imported="arena.league.elo")
    found = rooms(graph)
    with pytest.raises(CycleError) as error:
        drawing(found)
    lines = circle(found, error.value.args[1]).splitlines()
    assert lines[0].startswith("rooms import each other: ")
    assert "  arena.match.clock imports arena.league.elo" in lines
