"""What decides which tests run, and in which order."""

import pytest

from tests.selection import STARTING, STARTS, TESTS, Guard


def test_every_place_with_processes_exists():
    assert [name for name in STARTING if not (TESTS / name).exists()] == []


def test_only_fixtures_know_whether_golden_files_are_written():
    """Else `make golden` could miss a test."""
    option = "update-" + "golden"
    knowing = {path.name for path in TESTS.rglob("*.py") if option in path.read_text("utf-8")}
    assert knowing == {"conftest.py", "selection.py"}


@pytest.mark.parametrize("event", STARTS)
def test_no_process_starts_while_the_guard_is_up(event):
    guard = Guard()
    guard.hear(event, ())
    with guard.up():
        guard.hear("open", ())
        with pytest.raises(PermissionError, match="a test of `make quick` starts a process"):
            guard.hear(event, ())
    guard.hear(event, ())
    assert guard.caught == [event]
