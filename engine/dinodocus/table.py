"""What happens on the table: cards, ferns and period cards change places.

All functions change the state that they are given, which is a step's own copy.
"""

from typing import Any, TypeVar

from engine.contract import Seat
from engine.dinodocus.cards import Cards
from engine.dinodocus.scoring import tally
from engine.dinodocus.state import NOBODY, OVER, Dino, State, place_of

T = TypeVar("T")


def tell(s: State, *fact: Any) -> None:
    """Note what happened. events.py makes events of it for those who ask."""
    s.told += (fact,)


# By way of a list, because slices put together take half as long again: 0.3 and 0.4 µs.


def with_(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    """These cards or dinosaurs, and one more in its place."""
    more = [*numbers, number]
    more.sort()
    return tuple(more)


def without(cards: Cards, card: int) -> Cards:
    left = [*cards]
    left.remove(card)
    return tuple(left)


def put(row: tuple[T, ...], i: int, one: T) -> tuple[T, ...]:
    """The row with this one in place i."""
    changed = [*row]
    changed[i] = one
    return tuple(changed)


# Cards


def take(s: State, part: int, card: int) -> None:
    """A card leaves its deck."""
    left = without(s.decks[part], card)
    s.decks = put(s.decks, part, left)
    if not left and s.setup.reshuffle == "immediate":  # M-03
        rebuild(s, part)


def rebuild(s: State, part: int) -> None:
    """The discard pile becomes the deck, if there is one (N-14)."""
    if s.discards[part]:
        s.decks = put(s.decks, part, s.discards[part])
        s.discards = put(s.discards, part, ())
        s.rebuilt = put(s.rebuilt, part, s.rebuilt[part] + 1)
        tell(s, "rebuild", part)


def discard(s: State, card: int) -> None:
    """A card goes face up on its pile."""
    part = s.setup.cards.parts[card]
    s.discards = put(s.discards, part, with_(s.discards[part], card))


def receive(s: State, seat: Seat, card: int) -> None:
    s.hands = put(s.hands, seat, with_(s.hands[seat], card))


def give_up(s: State, seat: Seat, card: int) -> None:
    """A card leaves a hand."""
    s.hands = put(s.hands, seat, without(s.hands[seat], card))
    if card in s.shown:
        s.shown = without(s.shown, card)


# Dinosaurs


def lay(s: State, seat: Seat, cards: Cards, event: str) -> Dino:
    """A new dinosaur."""
    s.made += 1
    dino = Dino(s.made, seat, s.setup.cards.body(cards), False, 0, False)
    s.dinos += (dino,)
    tell(s, event, seat, dino.id, cards)
    return dino


def modify(s: State, seat: Seat, dino: Dino, card: int, event: str) -> Dino:
    """A card from a hand replaces the one of its part (N-21)."""
    deck, cards = s.setup.cards, dino.body.cards
    part = deck.parts[card]
    give_up(s, seat, card)
    discard(s, cards[part])
    tell(s, event, seat, dino.id, card, cards[part])
    body = deck.body(put(cards, part, card))
    changed = Dino(dino.id, dino.owner, body, dino.fern, dino.periods, dino.bonus)
    swap(s, changed)
    return changed


def swap(s: State, changed: Dino) -> None:
    """A dinosaur takes the place of its former self."""
    s.dinos = put(s.dinos, place_of(s, changed.id), changed)


def fern(s: State, dino: Dino, held: bool) -> None:
    """A fern comes to a dinosaur, or leaves it."""
    swap(s, Dino(dino.id, dino.owner, dino.body, held, dino.periods, dino.bonus))


def extinct(s: State, dino: Dino) -> None:
    """Cards to their piles, the fern to the pool, period cards to the owner's timeline (N-51)."""
    s.dinos = tuple([other for other in s.dinos if other.id != dino.id])
    s.discards = tuple([with_(pile, card) for pile, card in zip(s.discards, dino.body.cards)])
    if dino.periods:
        mine = (*s.timelines[dino.owner], (dino.id, dino.periods))
        s.timelines = put(s.timelines, dino.owner, mine)


def age(s: State, dinos: list[Dino]) -> None:
    """A period card for each (N-40)."""
    older = {d.id: Dino(d.id, d.owner, d.body, d.fern, d.periods + 1, d.bonus) for d in dinos}
    s.periods -= len(older)
    s.dinos = tuple([older.get(dino.id, dino) for dino in s.dinos])
    s.told += tuple([("period", dino.id, dino.owner, dino.periods) for dino in older.values()])


def end(s: State) -> None:
    """The game is over, in whatever phase it was (N-53)."""
    s.phase = OVER
    clear_turn(s)
    s.window, s.round, s.offers, s.focus, s.maker = "", 0, (), 0, NOBODY
    tell(s, "score", tally(s).scores)


def clear_turn(s: State) -> None:
    s.closed, s.ate, s.starving = (), (), ()
