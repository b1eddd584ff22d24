"""Words for people come from the package of a game; PlainWords do for any."""

import pytest

from arena.errors import SettingError
from arena.words import METHODS, SHIPPED, find_words
from arena.words.plain import PlainWords
from engine.catalogue import SHIPPED as GAMES

WHOLE = "class Words:\n" + "".join(f"    def {method}(self, *_): ...\n" for method in METHODS)


def test_every_shipped_game_has_words():
    assert set(SHIPPED) == set(GAMES)
    for name in SHIPPED:
        assert find_words(name).__name__ == f"{name.capitalize()}Words"


def test_a_game_without_words_gets_plain_ones():
    assert find_words("wordless") is PlainWords


def test_words_of_another_package_are_found(plug_in):
    plug_in("told_pack", WHOLE, "arena.words: told = told_pack:Words")
    assert find_words("told").__module__ == "told_pack"


def test_a_package_cannot_replace_the_words_of_a_shipped_game(plug_in):
    plug_in("thief_pack", WHOLE, "arena.words: dinodocus = thief_pack:Words")
    assert find_words("dinodocus").__module__ == "arena.words.dinodocus"


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("raise RuntimeError('no luck')\n", r"do not load: RuntimeError\('no luck'\)\.$"),
        ("Words = None\n", r"are not whole, they lack story, aftermath, question, meaning, gathered, rules\.$"),
    ],
)
def test_words_that_cannot_be_used_are_blamed_in_one_line(plug_in, code, complaint):
    plug_in("mute_pack", code, "arena.words: mute = mute_pack:Words")
    with pytest.raises(SettingError, match=r"^words for mute of mute_pack \(mute_pack:Words\) " + complaint):
        find_words("mute")


def test_two_packages_with_words_for_one_game_are_both_named(plug_in):
    plug_in("one_pack", WHOLE, "arena.words: twice = one_pack:Words")
    plug_in("two_pack", WHOLE, "arena.words: twice = two_pack:Words")
    with pytest.raises(SettingError, match=r"several packages: (one_pack.*two_pack|two_pack.*one_pack).* Keep one"):
        find_words("twice")
