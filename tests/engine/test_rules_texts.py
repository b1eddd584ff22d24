"""What the RULES.md of our games say of options and cards is what the engine does."""

import re
from itertools import product
from pathlib import Path

import pytest

import engine
from engine.catalogue import SHIPPED, game
from engine.contract import spell
from engine.dinodocus.cards import HOUSE, deck

TEXTS = {name: (Path(engine.__file__).parent / name / "RULES.md").read_text("utf-8") for name in SHIPPED}
OPTION = re.compile(r"^\| +\| option +\| `(\w+)`: (.*?) +\|$", re.MULTILINE)
VALUES = re.compile(r"`(\w+)` to `(\w+)`|`([\w-]+)`")
OUTSIDE = {"advanced", "season"}
"""Options that are rules of the game, and stand there."""


def values(text: str) -> list[str]:
    """The values that a row lists, "`1` to `3`" among them; what stands in brackets is a comment."""
    found = VALUES.findall(re.sub(r"\(.*?\)", "", text))
    return [str(value) for low, high, one in found for value in ([one] if one else range(int(low), int(high) + 1))]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_option_is_listed_with_its_values_and_the_default_first(name: str) -> None:
    listed = {option: values(text) for option, text in OPTION.findall(TEXTS[name])}
    options = game(name).options()
    assert set(listed) == set(options) - OUTSIDE
    for option, written in listed.items():
        assert written[0] == spell(options[option].default), option
        assert sorted(written) == sorted(map(spell, options[option].values)), option


def test_the_rules_say_how_strong_the_dinosaurs_of_our_deck_can_be() -> None:
    house = deck(HOUSE)
    bodies = [house.body(cards) for cards in product(*house.piles)]
    grazers, hunters = ([body for body in bodies if body.is_carnivore is eats_meat] for eats_meat in (False, True))
    attacks, defences, strengths = (
        f"from {min(all_of)} to {max(all_of)}"
        for all_of in zip(*((body.attack, body.defence, body.strength) for body in bodies))
    )
    assert (
        f"- Attacks go {attacks} ({max(body.attack for body in grazers)} for herbivores), "
        f"defences {defences} ({max(body.defence for body in hunters)} for carnivores), strengths {strengths}.\n"
    ) in TEXTS["dinodocus"]


def test_the_strongest_herbivore_attacks_with_seven() -> None:
    house = deck(HOUSE)
    assert house.body(tuple(house.numbers[card] for card in ("H08", "A04", "P06", "T07"))).attack == 7


def test_the_rules_say_that_one_rulebook_alone_limits_the_prairie() -> None:
    _, found = TEXTS["draftosaurus"].split("How many dinosaurs fit into the Prairie of Love?")
    said = dict(re.findall(r"^\| +\| (\w[\w ]*?) +\| (.*?) +\|$", found.split("| X-12")[0], re.MULTILINE))
    assert (said["Polish"], said["all others"]) == ("six", "silent")
    assert "the Polish rulebook alone" in said["chosen"]
