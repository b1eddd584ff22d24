"""Cards, the dinosaurs they make, and decks: data that is read, checked and looked up.

A deck is JSON text, as in decks/house-60.json. Inside the engine a card is its number in the deck's order: heads,
front legs, back legs, tails, each by the number in its id. So hands and piles are sorted tuples of numbers.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pkgutil import get_data
from typing import Any, Final

from engine.errors import SetupError
from engine.texts import counted, quoted

PARTS: Final = "HAPT"
"""Head, front legs, back legs, tail."""
TITLES: Final = {"H": "head", "A": "front legs", "P": "back legs", "T": "tail"}
CARNIVORE: Final = "C"
HERBIVORE: Final = "H"
DIETS: Final = {CARNIVORE: "carnivore", HERBIVORE: "herbivore"}
HOUSE: Final = "house-60"
FORMAT: Final = 1
MOST_CARDS: Final = 400
MOST_TEXT: Final = 1 << 16
"""Views carry a deck that is not ours, and a message has room for 1 MiB."""
MOST_BODIES: Final = 1 << 17
MOST_VALUE: Final = 99
IDS: Final = re.compile(r"[HAPT][0-9]{1,3}")
WORDS: Final = re.compile(r"[^\W\d_]{1,40}")

Cards = tuple[int, ...]
"""Cards by number, sorted."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card as the deck's text has it; only heads have a diet."""

    id: str
    part: str
    syllable: str
    attack: int
    defence: int
    refs: tuple[int, ...]
    diet: str = ""


# Not frozen, because a frozen dataclass takes 1.6 µs to make and this 0.3. Treat it as frozen.
@dataclass(slots=True, unsafe_hash=True)
class Body:
    """Four cards that make a dinosaur, and what they add up to."""

    cards: Cards
    attack: int = field(compare=False)
    defence: int = field(compare=False)
    strength: int = field(compare=False)
    """What an attacker must beat: the greater of the two."""
    is_carnivore: bool = field(compare=False)
    refs: frozenset[int] = field(compare=False)
    """The numbers of the real dinosaurs that this is (N-26)."""
    name: str = field(compare=False)


class Deck:
    """All cards of a game, in order."""

    def __init__(self, text: str, label: str, species: Mapping[int, str], cards: Sequence[Card]) -> None:
        self.text = text
        """The deck as an option's value: its name, or all of it."""
        self.label = label
        self.species = species
        self.cards = tuple(sorted(cards, key=lambda card: (PARTS.index(card.part), int(card.id[1:]), card.id)))
        self.ids = tuple(card.id for card in self.cards)
        self.numbers = {id_: number for number, id_ in enumerate(self.ids)}
        self.parts = tuple(PARTS.index(card.part) for card in self.cards)
        self.eats_meat = tuple(card.diet == CARNIVORE for card in self.cards)
        self.fits = tuple(
            tuple(not card.diet or card.diet == diet for card in self.cards) for diet in (HERBIVORE, CARNIVORE)
        )
        """Whether a card fits a herbivore, and a carnivore: all do but heads of the other diet (N-21, N-23)."""
        self.piles = tuple(tuple(n for n, part in enumerate(self.parts) if part == pile) for pile in range(len(PARTS)))
        self.plain = {
            card.id: [card.attack, card.defence, card.diet or None, list(card.refs)] for card in self.cards
        }  # fmt: skip
        """What views show of the cards."""
        self._worth = [(card.attack, card.defence, frozenset(card.refs), card.syllable) for card in self.cards]
        self._bodies: dict[Cards, Body] = {}
        # All actions are made once: to make them in every position took a twelfth of a playout.
        self.discards, self.reactions, self.gifts = map(self._actions, ("d", "r", "give"))
        self.mods = lru_cache(maxsize=256)(lambda id_: self._actions(f"mod:d{id_}"))
        """mod:d4:H01 and so on, for the dinosaur 4."""

    def _actions(self, what: str) -> tuple[str, ...]:
        """The action that does this, for each of the cards."""
        return tuple([f"{what}:{id_}" for id_ in self.ids])

    def body(self, cards: Cards) -> Body:
        """The dinosaur that a head, front legs, back legs and a tail make."""
        body = self._bodies.get(cards)
        if body is None:
            if len(self._bodies) >= MOST_BODIES:  # ours has 50,625; a large one must not fill the memory
                self._bodies.clear()
            body = self._bodies[cards] = self._made(cards)
        return body

    def _made(self, cards: Cards) -> Body:
        (a, d, r, n), (a2, d2, r2, n2), (a3, d3, r3, n3), (a4, d4, r4, n4) = [self._worth[card] for card in cards]
        attack, defence = a + a2 + a3 + a4, d + d2 + d3 + d4
        name = (n + n2 + n3 + n4).capitalize()
        return Body(cards, attack, defence, max(attack, defence), self.eats_meat[cards[0]], r & r2 & r3 & r4, name)

    def names(self, cards: Cards) -> list[str]:
        """Cards by id."""
        return [self.ids[number] for number in cards]


def canonical(text: str) -> str:
    """A deck option's value as it is kept: the name of our deck, or a deck's text without blanks and bars."""
    if text == HOUSE:
        return HOUSE
    read_deck(text)
    compact = json.dumps(json.loads(text), separators=(",", ":"))
    # Position texts are split at blanks and bars; compact JSON has both in strings only.
    return compact.replace(" ", "\\u0020").replace("|", "\\u007c")


@lru_cache(maxsize=16)
def deck(text: str) -> Deck:
    """The deck that an option's value stands for."""
    return read_deck(_house() if text == HOUSE else text, name=text)


def _house() -> str:
    # The one file that the engine reads, once: data that is part of the code.
    found = get_data(__package__, f"decks/{HOUSE}.json")
    assert found is not None
    return found.decode("utf-8")


# Reading. Each error names the place, the defect and the fix.


def read_deck(text: str, name: str = "") -> Deck:
    """The deck that a JSON text describes. SetupError names the first defect."""
    if len(text) > MOST_TEXT:
        raise _defect("the text", f"has {counted(len(text), 'character')}", f"keep it to {MOST_TEXT:,}")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _defect("the text", f"is not JSON ({error})", "see decks/house-60.json for an example") from None
    _fields("the deck", raw, {"format", "species", "cards"}, {"id", "label", "note", "parts"})
    if raw["format"] != FORMAT:
        raise _defect("format", f"{raw['format']!r:.40} is unknown", f"write {FORMAT}")
    species = _species(_objects("species", raw["species"]))
    cards = [_card(f"card {number}", one) for number, one in enumerate(_objects("cards", raw["cards"]), 1)]
    _check_ids(cards)
    _check_refs(cards, species)
    return Deck(name or text, str(raw.get("label", "")), {ref: title for ref, (title, _) in species.items()}, cards)


def _defect(where: str, what: str, way_out: str) -> SetupError:
    return SetupError(f"dinodocus: option deck: {where} {what}: {way_out}.")


def _fields(where: str, value: object, needed: set[str], allowed: set[str]) -> dict[str, Any]:
    if type(value) is not dict:
        raise _defect(where, f"is {value!r:.40}, not an object", "write {...}")
    for missing in sorted(needed - set(value)):
        raise _defect(where, f"has no {missing}", f"it needs {', '.join(sorted(needed))}")
    for unknown in sorted(set(value) - needed - allowed):
        known = ", ".join(sorted(needed | allowed))
        raise _defect(where, f"has an unknown field {quoted(unknown)}", f"known fields are {known}")
    return value


def _objects(where: str, value: object) -> list[Any]:
    if type(value) is not list or len(value) > MOST_CARDS:
        raise _defect(where, f"is {value!r:.40}", f"write a list of at most {MOST_CARDS} objects, [...]")
    return value


def _number(where: str, value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _defect(where, f"is {value!r:.40}", f"write a whole number from {low} to {high}")
    return value


def _word(where: str, value: object, shape: re.Pattern[str], expected: str) -> str:
    if type(value) is not str or not shape.fullmatch(value):
        raise _defect(where, f"is {value!r:.40}", f"write {expected}")
    return value


def _diet(where: str, value: object) -> str:
    if type(value) is not str or value not in DIETS:
        raise _defect(where, f"is {value!r:.40}", "write C for a carnivore or H for a herbivore")
    return value


def _species(raw: list[Any]) -> dict[int, tuple[str, str]]:
    """Number -> name and diet of a real dinosaur."""
    species: dict[int, tuple[str, str]] = {}
    for number, one in enumerate(raw, 1):
        where = f"species {number}"
        _fields(where, one, {"ref", "name", "diet"}, set())
        ref = _number(f"{where}: ref", one["ref"], 1, MOST_CARDS)
        if ref in species:
            raise _defect(where, f"has the ref {ref} of {species[ref][0]}", "give each species a number of its own")
        title = _word(f"{where}: name", one["name"], WORDS, "1 to 40 letters")
        species[ref] = (title, _diet(f"{where}: diet", one["diet"]))
    return species


def _card(where: str, raw: object) -> Card:
    if isinstance(raw, dict) and "id" in raw:
        id_ = _word(f"{where}: id", raw["id"], IDS, "its part letter and a number, like H01")
        where = f"card {id_}"
    card = _fields(where, raw, {"id", "part", "syllable", "attack", "defence", "refs"}, {"diet"})
    if card["part"] != id_[0]:
        raise _defect(f"{where}: part", f"is {card['part']!r:.40}", f"write {id_[0]!r}, or another id")
    if (id_[0] == "H") != ("diet" in card):
        raise _defect(where, "has no diet" if id_[0] == "H" else "has a diet", "heads have one, and only heads")
    return Card(
        id_,
        id_[0],
        _word(f"{where}: syllable", card["syllable"], WORDS, "1 to 40 letters"),
        _number(f"{where}: attack", card["attack"], 0, MOST_VALUE),
        _number(f"{where}: defence", card["defence"], 0, MOST_VALUE),
        _refs(where, card["refs"]),
        _diet(f"{where}: diet", card["diet"]) if "diet" in card else "",
    )


def _refs(where: str, raw: object) -> tuple[int, ...]:
    if type(raw) is not list:
        raise _defect(f"{where}: refs", f"is {raw!r:.40}", "write a list of species numbers, [1, 2], or []")
    return tuple(_number(f"{where}: refs", ref, 1, MOST_CARDS) for ref in raw)


def _check_ids(cards: list[Card]) -> None:
    seen: set[str] = set()
    for card in cards:
        if card.id in seen:
            raise _defect(f"card {card.id}", "appears twice", "give each card an id of its own")
        seen.add(card.id)
    for part in PARTS:
        if all(card.part != part for card in cards):
            raise _defect(f"part {part} ({TITLES[part]})", "has no card", "a dinosaur needs one of each part")


def _check_refs(cards: list[Card], species: dict[int, tuple[str, str]]) -> None:
    """Every species is found once in every part, with a head of its diet."""
    for card in cards:
        for ref in card.refs:
            if ref not in species:
                raise _defect(f"card {card.id}", f"refers to species {ref}, which is not listed", "list it, or drop it")
            if card.diet and card.diet != species[ref][1]:
                title, diet = species[ref]
                raise _defect(
                    f"card {card.id}", f"is a {DIETS[card.diet]}'s head, but {title} is a {DIETS[diet]}", "change one"
                )
    for ref, (title, _) in species.items():
        for part in PARTS:
            count = sum(card.refs.count(ref) for card in cards if card.part == part)
            if count != 1:
                found = f"is on {counted(count, 'card')} of part {part}"
                raise _defect(f"species {ref} ({title})", found, "put it on exactly one")
