"""Ten mistakes in the language of every kit, and the words that an author reads: tests/golden/mistakes has them all.

`python -m benchmarks.mistakes` makes all of them, which takes half an hour. A few that need no compiler are made here.
"""

import re
import shutil

import pytest

from arena.roster.kits import LANGUAGES
from benchmarks.mistakes import GOLDEN, TABLE, edit, made, mistakes_of

CHEAP = {"python": ["dependency", "unbuilt"], "shell": ["no-answer"]}


def test_every_kit_has_ten_mistakes_that_can_be_read():
    assert set(TABLE) == set(LANGUAGES)
    for language in LANGUAGES:
        assert len(mistakes_of(language)) == 10
        kept = {path.stem for path in (GOLDEN / language).glob("*.txt")}
        assert kept == set(mistakes_of(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mistake_is_noticed_in_words_that_are_fit_to_print(language):
    for path in (GOLDEN / language).glob("*.txt"):
        text = path.read_text("utf-8")
        check, play = text.split("\n$ arena play", 1)
        assert re.search(r"\(exit code 3\)$", check.strip()), path
        assert re.search(r"\(exit code [34]\)$", play.strip()), path
        assert "  Fix  " in check, path
        assert "\x1b" not in text, path
        assert "/tmp/" not in text, path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mistake_can_be_made_in_the_kit_as_it_is(language, tmp_path):
    for mistake in mistakes_of(language):
        shutil.copytree(f"bots/{language}", tmp_path / mistake, ignore=shutil.ignore_patterns("node_modules", "target"))
        edit(tmp_path / mistake, language, mistake)


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("language", CHEAP)
def test_the_words_are_still_those_that_are_kept(language):
    for mistake, text in made(language, CHEAP[language]):
        assert text == (GOLDEN / language / f"{mistake}.txt").read_text("utf-8"), mistake
