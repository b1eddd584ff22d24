"""The deck of the house, and decks that others bring along."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine.dinodocus
from engine.contract import CHANCE, Value
from engine.dice import Seed
from engine.dinodocus import GAME
from engine.dinodocus.cards import read_deck
from engine.errors import SetupError
from engine.playouts import at_random, playout
from tests.engine.dinodocus_play import SMALL_DECK, seen

HOUSE = (Path(engine.dinodocus.__file__).parent / "decks" / "house-60.json").read_text("utf-8")
PARTS = "HAPT"

Raw = dict[str, Any]


def card(deck: Raw, name: str) -> Raw:
    return next(card for card in deck["cards"] if card["id"] == name)


def species(deck: Raw, name: str) -> Raw:
    return next(species for species in deck["species"] if species["name"] == name)


def spoilt(spoil: Callable[[Raw], object]) -> str:
    """The deck of the house with something done to it."""
    deck = json.loads(HOUSE)
    spoil(deck)
    return json.dumps(deck)


# The deck of the house


@pytest.mark.rule("N-02")
def test_the_deck_has_sixty_cards_fifteen_of_each_part() -> None:
    deck = read_deck(HOUSE)
    assert len(deck.cards) == 60
    assert Counter(card.part for card in deck.cards) == dict.fromkeys(PARTS, 15)
    assert Counter(card.diet for card in deck.cards if card.part == "H") == {"C": 6, "H": 9}


@pytest.mark.rule("N-02", "N-26")
def test_its_eighty_references_name_twenty_species_once_for_every_part() -> None:
    deck = read_deck(HOUSE)
    references = Counter((ref, card.part) for card in deck.cards for ref in card.refs)
    assert references == {(ref, part): 1 for ref in range(1, 21) for part in PARTS}
    assert Counter(card.part for card in deck.cards if len(card.refs) == 2) == dict.fromkeys(PARTS, 5)


@pytest.mark.rule("N-02")
def test_its_values_add_up() -> None:
    deck = read_deck(HOUSE)
    assert sum(card.attack for card in deck.cards) == 50
    assert sum(card.defence for card in deck.cards) == 52
    assert min(card.attack + card.defence for card in deck.cards) == 1


@pytest.mark.rule("N-26")
def test_the_four_cards_of_a_species_spell_its_name() -> None:
    deck = read_deck(HOUSE)
    for kind in json.loads(HOUSE)["species"]:
        own = [card for card in deck.cards if kind["ref"] in card.refs]
        assert [card.part for card in own] == list(PARTS)
        assert "".join(card.syllable for card in own) == kind["name"]
        assert own[0].diet == kind["diet"]


@pytest.mark.rule("N-02")
def test_everybody_sees_what_each_card_is_worth() -> None:
    cards = seen(GAME.start(2, {}), "cards")
    assert cards["H01"] == [3, 0, "C", [1, 2]]
    assert cards["A05"] == [0, 1, None, [18]]
    assert len(cards) == 60


@pytest.mark.rule("M-21")
def test_the_text_of_the_house_deck_is_the_house_deck() -> None:
    named, written = GAME.start(3, {}), GAME.start(3, {"deck": HOUSE})
    assert seen(named, "cards") == seen(written, "cards")
    assert GAME.deal(named, Seed(3)) == GAME.deal(written, Seed(3))


# Other decks


@pytest.mark.rule("M-21")
def test_a_deck_may_have_any_number_of_cards_of_each_part() -> None:
    start = GAME.start(2, {"deck": SMALL_DECK})
    assert seen(start, "decks") == {"H": 3, "A": 2, "P": 2, "T": 2}
    assert seen(start, "cards")["P2"] == [1, 1, None, [2, 3]]
    assert seen(GAME.apply(start, {CHANCE: "flip:H1,A1,P2,T1"}), "dinos")[0]["name"] == "Alphta"


@pytest.mark.rule("M-21", "M-04")
@pytest.mark.parametrize("advanced", [False, True])
@pytest.mark.parametrize("reshuffle", ["on_need", "immediate"])
def test_a_game_with_hardly_any_cards_comes_to_an_end(advanced: bool, reshuffle: str) -> None:
    options: dict[str, Value] = {"deck": SMALL_DECK, "advanced": advanced, "reshuffle": reshuffle, "turn_cap": 50}
    for seed in range(10):
        dice = Seed(seed)
        end, _ = playout(GAME, GAME.start(2, options), dice, at_random(dice))
        assert seen(end, "phase") == "over"


@pytest.mark.rule("M-21")
def test_a_position_with_another_deck_can_be_written_down() -> None:
    state = GAME.apply(GAME.start(2, {"deck": SMALL_DECK}), {CHANCE: "flip:H1,A1,P2,T1"})
    text = GAME.format(state)
    assert "\n" not in text
    assert GAME.format(GAME.parse(text)) == text
    assert seen(GAME.parse(text), "cards") == seen(state, "cards")


@pytest.mark.rule("M-21")
def test_cards_are_sorted_by_part_and_number_wherever_the_file_has_them() -> None:
    deck = read_deck(spoilt(lambda deck: deck["cards"].reverse()))
    assert [card.id for card in deck.cards] == [f"{part}{number:02}" for part in PARTS for number in range(1, 16)]
    small = read_deck(SMALL_DECK.replace('"H2"', '"H10"').replace('"H3"', '"H9"'))
    assert [card.id for card in small.cards][:3] == ["H1", "H9", "H10"]


@pytest.mark.rule("M-21", "N-05")
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_deck_must_have_a_starting_dinosaur_for_everybody(seats: int) -> None:
    with pytest.raises(SetupError) as caught:
        GAME.start(seats, {"deck": SMALL_DECK})
    assert "\n" not in str(caught.value)
    assert str(seats) in str(caught.value)


# Defects


DEFECTS = {
    "nothing": ("", "JSON"),
    "no JSON": ("Tyrannosaurus", "JSON"),
    "cut off": (HOUSE[:1000], "JSON"),
    "deeply nested": ("[" * 60_000, "JSON"),
    "too long": (HOUSE + " " * 100_000, "characters"),
    "another format": (spoilt(lambda deck: deck.update(format=2)), "format"),
    "no format": (spoilt(lambda deck: deck.pop("format")), "format"),
    "a part without cards": (spoilt(lambda deck: deck.update(cards=[card for card in deck["cards"] if card["part"] != "T"])), "part T"),
    "a huge number": (HOUSE.replace('"attack": 3', f'"attack": {"9" * 5000}', 1), "."),
    "a list": ("[]", "."),
    "null": ("null", "."),
    "no cards": (spoilt(lambda deck: deck.pop("cards")), "cards"),
    "no species": (spoilt(lambda deck: deck.pop("species")), "species"),
    "cards that are no list": (spoilt(lambda deck: deck.update(cards={})), "cards"),
    "species that are no list": (spoilt(lambda deck: deck.update(species=1)), "species"),
    "a card that is no object": (spoilt(lambda deck: deck["cards"].append("H16")), "."),
    "a species that is no object": (spoilt(lambda deck: deck["species"].append(21)), "."),
    "an unknown field": (spoilt(lambda deck: deck.update(colour="red")), "colour"),
    "an unknown field of a card": (spoilt(lambda deck: card(deck, "A05").update(defense=1)), "A05.*defense"),
    "an unknown field of a species": (spoilt(lambda deck: species(deck, "Gallimimus").update(diets="H")), "diets"),
    "no id": (spoilt(lambda deck: card(deck, "A05").pop("id")), "id"),
    "no part": (spoilt(lambda deck: card(deck, "A05").pop("part")), "A05.*part"),
    "no syllable": (spoilt(lambda deck: card(deck, "A05").pop("syllable")), "A05.*syllable"),
    "no attack": (spoilt(lambda deck: card(deck, "A05").pop("attack")), "A05.*attack"),
    "no defence": (spoilt(lambda deck: card(deck, "A05").pop("defence")), "A05.*defence"),
    "no refs": (spoilt(lambda deck: card(deck, "A05").pop("refs")), "A05.*refs"),
    "no ref": (spoilt(lambda deck: species(deck, "Gallimimus").pop("ref")), "ref"),
    "no name": (spoilt(lambda deck: deck["species"][15].pop("name")), "name"),
    "no diet of a species": (spoilt(lambda deck: species(deck, "Gallimimus").pop("diet")), "diet"),
    "an id twice": (spoilt(lambda deck: card(deck, "A05").update(id="A06")), "A06"),
    "a part that does not exist": (spoilt(lambda deck: card(deck, "A05").update(part="X")), "A05.*part"),
    "a part that is no text": (spoilt(lambda deck: card(deck, "A05").update(part=["A"])), "A05.*part"),
    "an id of another part": (spoilt(lambda deck: card(deck, "A05").update(id="P16")), "P16"),
    "an id without number": (spoilt(lambda deck: card(deck, "A05").update(id="A")), "A"),
    "an id with more than a number": (spoilt(lambda deck: card(deck, "A05").update(id="A05b")), "A05b"),
    "an id with other digits": (spoilt(lambda deck: card(deck, "A05").update(id="A٣")), "."),
    "an id with a line break": (spoilt(lambda deck: card(deck, "A05").update(id="A05\n")), "A05"),
    "an id that is a number": (spoilt(lambda deck: card(deck, "A05").update(id=5)), "id"),
    "a syllable that is no text": (spoilt(lambda deck: card(deck, "A05").update(syllable=5)), "A05.*syllable"),
    "a head without diet": (spoilt(lambda deck: card(deck, "H05").pop("diet")), "H05.*diet"),
    "legs with a diet": (spoilt(lambda deck: card(deck, "A05").update(diet="H")), "A05.*diet"),
    "a diet that does not exist": (spoilt(lambda deck: card(deck, "H05").update(diet="O")), "H05.*diet"),
    "a diet that is no text": (spoilt(lambda deck: card(deck, "H05").update(diet={})), "H05.*diet"),
    "a negative attack": (spoilt(lambda deck: card(deck, "A05").update(attack=-1)), "A05.*attack"),
    "a negative defence": (spoilt(lambda deck: card(deck, "A05").update(defence=-1)), "A05.*defence"),
    "half an attack": (spoilt(lambda deck: card(deck, "A05").update(attack=0.5)), "A05.*attack"),
    "a whole number as a fraction": (spoilt(lambda deck: card(deck, "A05").update(attack=1.0)), "A05.*attack"),
    "an attack in words": (spoilt(lambda deck: card(deck, "A05").update(attack="1")), "A05.*attack"),
    "an attack that is true": (spoilt(lambda deck: card(deck, "A05").update(attack=True)), "A05.*attack"),
    "a defence that is false": (spoilt(lambda deck: card(deck, "A05").update(defence=False)), "A05.*defence"),
    "a defence that is null": (spoilt(lambda deck: card(deck, "A05").update(defence=None)), "A05.*defence"),
    "refs that are no list": (spoilt(lambda deck: card(deck, "A05").update(refs=18)), "A05.*refs"),
    "a reference that is true": (spoilt(lambda deck: card(deck, "A01").update(refs=[True, 2])), "A01.*ref"),
    "a reference that is a text": (spoilt(lambda deck: card(deck, "A05").update(refs=["18"])), "A05.*ref"),
    "a reference to no species": (spoilt(lambda deck: card(deck, "A05").update(refs=[18, 99])), "99"),
    "a reference twice on a card": (spoilt(lambda deck: card(deck, "A05").update(refs=[18, 18])), "18"),
    "a species without legs": (spoilt(lambda deck: card(deck, "A01").update(refs=[1])), "2"),
    "a species with two pairs of legs": (spoilt(lambda deck: card(deck, "A05").update(refs=[18, 19])), "19"),
    "a species of no card": (spoilt(lambda deck: deck["species"].append({"ref": 21, "name": "Sinraptor", "diet": "C"})), "21"),
    "a species twice": (spoilt(lambda deck: deck["species"].append({"ref": 20, "name": "Sinraptor", "diet": "H"})), "20"),
    "a species of no diet": (spoilt(lambda deck: species(deck, "Gallimimus").update(diet="O")), "diet"),
    "a species of the other diet": (spoilt(lambda deck: species(deck, "Gallimimus").update(diet="C")), "H11|Gallimimus"),
    "a head of two diets": (spoilt(lambda deck: species(deck, "Diplodocus").update(diet="C")), "H07|Diplodocus"),
    "a head of the other diet": (spoilt(lambda deck: card(deck, "H05").update(diet="H")), "H05"),
}  # fmt: skip


@pytest.mark.rule("M-21")
@pytest.mark.parametrize(("text", "names"), DEFECTS.values(), ids=DEFECTS)
def test_a_deck_with_a_defect_is_refused_in_one_line_that_names_it(text: str, names: str) -> None:
    with pytest.raises(SetupError, match=names) as caught:
        read_deck(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.rule("M-21")
@pytest.mark.parametrize("deck", ["house-61", "", "{}", 60, None, True])
def test_a_game_does_not_start_with_a_deck_that_is_none(deck: Any) -> None:
    with pytest.raises(SetupError) as caught:
        GAME.start(3, {"deck": deck})
    assert "\n" not in str(caught.value)
