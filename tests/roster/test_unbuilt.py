"""A bot that has not been built, or whose build is older than its sources, is noticed by its files."""

import os
from pathlib import Path

import pytest

from arena.cli.building import unbuilt
from arena.roster.entries import Entry
from arena.roster.platforms import is_unbuilt, newer_source


def bot(folder: Path, **ages: int) -> Entry:
    """A bot in C with these files, each changed at this second."""
    for name, second in ages.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (second, second))
    return Entry("mine", "1", ("./bot",), folder, ("make",))


def test_a_build_that_is_missing_or_old_asks_for_another(tmp_path):
    assert "mine has not been built (make). Add --build" in unbuilt(bot(tmp_path, bot_c=5))
    assert unbuilt(bot(tmp_path, bot=9)) == ""
    words = unbuilt(bot(tmp_path, dinobot_h=10))
    assert words.startswith("mine was built before dinobot.h was changed: the old build plays. Add --build")


@pytest.mark.parametrize("name", ["README_md", "test_c", "tests__x_c", "greedy_c", "target__x_rs", "vectors__a_c"])
def test_what_no_build_of_the_bot_depends_on_does_not_count(name, tmp_path):
    assert newer_source(bot(tmp_path, bot=5, **{name: 9})) is None


def test_a_bot_without_a_build_command_is_never_old(tmp_path):
    bot(tmp_path, bot=5, bot_c=9)
    assert newer_source(Entry("mine", "1", ("./bot",), tmp_path)) is None


def test_packages_of_npm_that_are_not_there_have_to_be_installed(tmp_path):
    entry = Entry("mine", "1", ("node", "bot.js"), tmp_path, ("npm", "ci"))
    assert not is_unbuilt(entry), "it may need none"
    (tmp_path / "package-lock.json").touch()
    assert is_unbuilt(entry)
    (tmp_path / "node_modules").mkdir()
    assert not is_unbuilt(entry)
