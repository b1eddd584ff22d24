"""What each seat sees happen.

A step only notes facts, as numbers: playouts need no more, and to make dicts there took a sixth of the time. Here facts
become dicts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.contract import Event, Seat
from engine.dinodocus.cards import PARTS, Cards, Deck
from engine.dinodocus.options import Setup
from engine.dinodocus.state import Fact, State

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "flip": ("seat", "dino", "cards"),
    "first": ("seat",),
    "turn": ("turn", "seat"),
    "rebuild": ("part",),
    "discard": ("seat", "card"),
    "draw": ("seat", "part", "card"),
    "hatch": ("seat", "dino", "cards"),
    "mutate": ("seat", "dino", "card", "replaced"),
    "react": ("seat", "dino", "card", "replaced"),
    "bonus": ("seat", "dino", "periods"),
    "offer": ("seat", "to", "card"),
    "accept": ("seat", "to", "card"),
    "refuse": ("seat", "to", "card"),
    "take": ("dino", "owner"),
    "steal": ("dino", "owner", "from", "robbed"),
    "eat": ("dino", "owner", "prey", "victim", "periods"),
    "starve": ("dino", "owner", "periods"),
    "period": ("dino", "owner", "periods"),
    "score": ("scores",),
}
"""The fields of each event."""


def _dino(_deck: Deck, id_: int) -> str:
    return f"d{id_}"


def _card(deck: Deck, card: int) -> str:
    return deck.ids[card]


def _cards(deck: Deck, cards: Cards) -> list[str]:
    return deck.names(cards)


def _part(_deck: Deck, part: int) -> str:
    return PARTS[part]


def _scores(_deck: Deck, scores: tuple[int, ...]) -> list[int]:
    return list(scores)


_WORDS: Final[Mapping[str, Callable[[Deck, Any], Any]]] = {
    "dino": _dino,
    "from": _dino,
    "prey": _dino,
    "card": _card,
    "replaced": _card,
    "cards": _cards,
    "part": _part,
    "scores": _scores,
}
"""The fields that are not shown as numbers."""


class Witnessed(NamedTuple):
    """An event as all seats see it (None: they do not), and as these seats see it instead."""

    public: Event | None
    seats: tuple[Seat, ...] = ()
    secret: Event | None = None


def events(before: State, after: State, seat: Seat | None) -> list[Event]:
    """What a seat saw happen in the step that led to the later state."""
    return witnessed(before, after, (seat,))[0]


def witnessed(_before: State, after: State, seats: Sequence[Seat | None]) -> list[list[Event]]:
    """What each of these seats saw."""
    told = [_told(after.setup, fact) for fact in after.told]
    seen = [[one.secret if seat in one.seats else one.public for one in told] for seat in seats]
    return [[event for event in mine if event is not None] for mine in seen]


def _told(setup: Setup, fact: Fact) -> Witnessed:
    event = _event(setup.cards, fact)
    if event["event"] == "draw":
        part = event["part"] if setup.hand_parts_public else None  # M-19
        return Witnessed({**event, "part": part, "card": None}, (event["seat"],), event)
    if event["event"] in ("accept", "refuse") and not setup.help_events_public:  # M-18
        return Witnessed(None, (event["seat"], event["to"]), event)
    return Witnessed(event)


def _event(deck: Deck, fact: Fact) -> Event:
    name, *values = fact
    fields = zip(FIELDS[name], values, strict=True)
    return {"event": name, **{key: _WORDS[key](deck, value) if key in _WORDS else value for key, value in fields}}
