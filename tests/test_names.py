"""Names: a class name means one thing in the whole repository, so that a search finds one room."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "engine", "protocol", "benchmarks")
GAMES = ("engine/dinodocus", "engine/draftosaurus")
"""Siblings, which have the same rooms with the same names: State, Phase, Setup."""


@cache
def homes() -> dict[str, set[str]]:
    """By class, the files that define it; both games count as one."""
    found = defaultdict(set)
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        home = path.relative_to(ROOT).as_posix()
        for game in GAMES:
            home = home.replace(game, "engine/GAME")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(home)
    return found


def test_a_class_name_is_unique():
    assert {name: sorted(places) for name, places in homes().items() if len(places) > 1} == {}


def test_the_search_sees_classes():
    assert homes()["Referee"] == {"arena/match/referee.py"}
    assert homes()["State"] == {"engine/GAME/state.py"}
