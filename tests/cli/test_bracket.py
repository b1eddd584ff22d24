"""Names in tables and brackets: whole if there is room, cut with a sign if not, and never two that look the same."""

import random
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli import standings as shown_standings
from arena.cli import tables
from arena.cli.bracket import course_lines, tree
from arena.league import results
from arena.league.kinds import Entrants, KnockOut
from arena.league.store import open_store
from arena.league.ties import Course
from arena.texts import fitted
from tests.league.test_kinds import walk
from tests.league.test_store import begun, row

LONG = "my-super-duper-reinforcement-learning-bot-v"
TWINS = (f"{LONG}12", f"{LONG}13")


def course_of(bots: tuple[str, ...], size: int, seed: int = 1) -> Course:
    with TemporaryDirectory() as folder, open_store(Path(folder), create=True) as store:
        walk(KnockOut(), Entrants(bots, (size,), dice=7), store, random.Random(seed))
        begun(Path(folder), [], schedule=["knock_out", size], seeding=list(bots))
        return KnockOut.course(store)


# Names


def test_names_that_fit_are_whole_and_others_keep_the_end_that_tells_them_apart():
    assert fitted(TWINS, 60) == dict(zip(TWINS, TWINS))
    assert list(fitted(TWINS, 20).values()) == ["my-super-dupe…ot-v12", "my-super-dupe…ot-v13"]


@settings(max_examples=200)
@given(st.sets(st.text("ab-1", min_size=1, max_size=30), min_size=2, max_size=8), st.integers(6, 24))
def test_no_two_names_look_the_same_and_none_is_too_long(names, most):
    shown = fitted(sorted(names), most)
    assert len(set(shown.values())) == len(names)
    assert all(len(text) <= most for text in shown.values())
    assert all(text == name or "…" in text for name, text in shown.items())


def test_names_that_only_differ_in_the_middle_are_numbered():
    one, other = f"{'a' * 20}1{'b' * 20}", f"{'a' * 20}2{'b' * 20}"
    assert fitted([one, "x", other], 12) == {one: "aaaaaaaaaa…1", "x": "x", other: "aaaaaaaaaa…3"}


@pytest.mark.parametrize("width", [72, 80, 100, 140, None])
def test_a_table_of_standings_fits_the_terminal_and_never_folds(tmp_path, monkeypatch, width):
    monkeypatch.setattr(tables, "terminal_width", lambda: width)
    monkeypatch.setattr(shown_standings, "terminal_width", lambda: width)
    played = [row(plan, bots=TWINS if plan % 2 else TWINS[::-1]) for plan in range(8)]
    folder = begun(tmp_path, played, bots={TWINS[0]: ["1.0", "x"], TWINS[1]: ["2.0", "y"]}, order=list(TWINS))
    with open_store(folder) as store:
        found = results.table(store)
        text = shown_standings.standings_table(found, shown_standings.versions_of(store), with_levels=False)
    lines = text.split("\n")
    assert len(lines) == 4, "one line for each bot"
    if width is None or width >= 140:
        assert all(name in text for name in TWINS)
        assert "  version  " in lines[0]
        assert "  2.0  " in text
    else:
        assert max(map(len, lines)) <= width
        assert "…" in text
        assert "version" not in lines[0]
    assert len(set(lines[2:])) == 2


def test_versions_are_not_shown_if_no_bot_has_one(tmp_path):
    folder = begun(tmp_path, [row(0), row(1)], bots={"a": ["0", "x"], "b": ["0", "y"]})
    with open_store(folder) as store:
        text = shown_standings.standings_table(results.table(store), shown_standings.versions_of(store))
    assert "version" not in text


# The bracket


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(("bots", "size"), [(5, 2), (7, 2), (8, 3), (16, 2), (16, 4), (20, 3)])
def test_a_bracket_fits_the_terminal_and_has_every_bot_and_the_winner(bots, size, width):
    names = tuple(f"bot-{number}" for number in range(bots))
    course = course_of(names, size)
    lines = tree(course.rounds, width)
    assert max(map(len, lines)) <= width
    assert all(any(f"{name} " in line for line in lines) for name in names)
    assert sum(line.endswith(f"─ {course.champion}") for line in lines) == 1


@pytest.mark.parametrize("width", range(76, 150))
def test_long_names_in_a_bracket_are_cut_only_as_far_as_the_terminal_demands(width):
    names = ("greedy", "random", "ruby-bot", "pb", "my-c-bot", *TWINS)
    rounds = course_of(names, 2).rounds
    lines, whole = tree(rounds, width), max(map(len, tree(rounds, 1000)))
    assert max(map(len, lines)) <= width
    assert any("v12" in line for line in lines)
    assert any("…" in line for line in lines) == (width < whole)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 14), st.integers(2, 4), st.integers(0, 99))
def test_the_lines_of_a_bracket_never_break_or_cross(number, size, seed):
    """Each character that leads up, down, left or right is met by one that leads back."""
    names = tuple(f"b{at}" for at in range(number))
    drawn = [line.ljust(200) for line in tree(course_of(names, size, seed).rounds, 200)]
    up, down = set("│├┤┼└┘┴"), set("│├┤┼┌┐┬")
    for above, below in pairwise(drawn):
        assert all((one in down) == (other in up) for one, other in zip(above, below))


def test_a_bracket_that_is_too_wide_is_told_in_lines_only():
    course = course_of(tuple(f"bot-{number}" for number in range(64)), 2)
    assert tree(course.rounds, 60) == []
    lines = list(course_lines(course, 60))
    assert "Round 1" in lines
    assert sum(" goes on by " in f" {line} " for line in lines) == 62


def test_a_knock_out_that_goes_on_shows_what_is_open():
    with TemporaryDirectory() as folder:
        begun(Path(folder), [row(0, bots=("a", "b")), row(1)], schedule=["knock_out", 2], seeding=["a", "c", "d", "b"])
        with open_store(Path(folder)) as store:
            text = "\n".join(course_lines(KnockOut.course(store), 80))
    assert "c   – ─┬─ …" in text.replace("c    –", "c   –")
    assert "c –, d –: 0 of 2 matches played" in text
    assert "wins" not in text
