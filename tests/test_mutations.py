"""Mutations of source: what is changed, what is left alone, and which tests are tried on them."""

from itertools import islice

import pytest

from benchmarks.mutants import chosen, mutations
from benchmarks.mutations import NEAREST, nearest, plan, room
from tests.anywhere.commands import ROOT

CHANGED = {
    "x = a < b": ("comparison swapped", "x = a <= b"),
    "x = a is None": ("comparison swapped", "x = a is not None"),
    "x = a and b": ("boolean flipped", "x = (a or b)"),
    "f(key=True)": ("boolean flipped", "f(key=False)"),
    "x = a[1]": ("off by one", "x = a[2]"),
    "limit = 1_000": ("constant changed", "limit = 2000"),
    "LIMIT = f(1_000)": ("constant changed", "LIMIT = f(2000)"),
    "x = 1 if a else b": ("condition negated", "x = 1 if (not (a)) else b"),
    "if a:\n    b": ("condition negated", "if (not (a)):\n    b"),
    "x = [a for a in b if a]": ("condition negated", "x = [a for a in b if (not (a))]"),
    "f(x)": ("statement dropped", "pass"),
    "x += y": ("statement dropped", "pass"),
    "raise Error('3 < 4')": ("statement dropped", "pass"),
    "'\u2500' + f(2)": ("off by one", "'\u2500' + f(3)"),
}
LEFT_ALONE = [
    '"""Says 3."""',
    "x = f'{a < 3}'",
    "x: Literal[3]",
    "def f(x: Literal[3]) -> Literal[4]: return x",
    "@dataclass(frozen=True)\nclass A: pass",
    "class A(Protocol):\n    x = 3",
    "if TYPE_CHECKING:\n    import a",
    "if __name__ == '__main__':\n    main()",
    "x = typer.Option(3)",
    "LIMIT = 1_000",
    "LONG, SHORT = 16, 8",
]


@pytest.mark.parametrize("source", CHANGED)
def test_a_mutation_changes_one_thing(source):
    kind, expected = CHANGED[source]
    assert expected in [
        one.applied(source.encode()).decode() for one in mutations("a.py", source.encode()) if one.kind == kind
    ]


@pytest.mark.parametrize("source", LEFT_ALONE)
def test_what_no_test_can_notice_is_left_alone(source):
    assert mutations("a.py", source.encode()) == []


@pytest.mark.thorough
def test_every_mutation_of_a_plan_is_python_and_differs():
    for one in islice(plan(seed=1, only=[]), 300):
        source = (ROOT / one.path).read_bytes()
        assert one.applied(source) != source
        compile(one.applied(source), one.path, "exec")


def test_a_plan_goes_through_all_rooms_by_turns_and_depends_on_its_seed_only():
    rooms = {name for name in NEAREST if "/" not in name}
    turn = len(rooms)
    first = list(islice(plan(seed=1, only=[]), 2 * turn))
    assert {room(one.path) for one in first[:turn]} == {room(one.path) for one in first[turn:]} == rooms
    assert first == list(islice(plan(seed=1, only=[]), 2 * turn))
    assert first != list(islice(plan(seed=2, only=[]), 2 * turn))


def test_a_plan_can_be_that_of_one_line():
    path = "arena/match/clock.py"
    lines = [one.line for one in plan(seed=1, only=[path])]
    found = list(plan(seed=1, only=[], at=[f"{path}:{lines[0]}"]))
    assert {(one.path, one.line) for one in found} == {(path, lines[0])}
    assert len(found) == lines.count(lines[0])


def test_each_mutation_comes_once():
    found = mutations("a.py", b"x = a[1] + b[2] < 3 and c(True)")
    assert sorted(chosen({"a": [found]}, 1), key=lambda one: one.key) == sorted(found, key=lambda one: one.key)


def test_the_nearest_tests_are_those_of_the_room_and_those_that_import_the_module():
    assert all((ROOT / place).exists() for places in NEAREST.values() for place in places)
    found = nearest(ROOT, "arena/match/record_file.py")
    assert {"tests/match/test_referee.py", "tests/replay/test_replay.py"} <= {*found}
    assert "tests/protocol/test_codec.py" not in found
