"""The advanced game: cards are offered in windows, and accepted for hidden period cards.

A window has a receiver and rounds. In each round all other players may show one more card, at the same time; a round
without a card is the last one, and option `offer_rounds` can limit them. Then the receiver answers, card by card
(M-16, M-17).
"""

from typing import Final

from engine.contract import Seat
from engine.dinodocus.state import ANSWER, OFFER, Choices, State, receiver
from engine.dinodocus.table import end, give_up, put, receive, tell, with_

PASS: Final = "pass"


def open_window(s: State, window: str) -> bool:
    """Open a window, if a player has a card to offer. Whether it is open."""
    if not s.setup.advanced:
        return False
    s.window, s.round, s.offers = window, 1, ()
    if not can_offer(s):
        close_window(s)
        return False
    s.phase = OFFER
    return True


def close_window(s: State) -> None:
    s.window, s.round, s.offers = "", 0, ()


def can_offer(s: State) -> bool:
    """Whether another player has a card that is not on offer; the receiver offers none (N-63)."""
    return sum(map(len, s.hands)) - len(s.hands[receiver(s)]) > len(s.offers)


def offer_choices(s: State) -> Choices:
    """Every seat that has a card left to offer is asked in this round."""
    to, offers, gifts = receiver(s), s.offers, s.setup.cards.gifts
    listed = {}
    for seat, hand in enumerate(s.hands):
        if seat != to and (left := [gifts[card] for card in hand if card not in offers]):
            listed[seat] = (*left, PASS)
    return listed


def collect(s: State, cards: dict[Seat, int]) -> bool:
    """A round's offers, shown to all (N-60). Whether another round follows."""
    to = receiver(s)
    for seat, card in cards.items():
        s.offers = with_(s.offers, card)
        if card not in s.shown:
            s.shown = with_(s.shown, card)
        tell(s, "offer", seat, to, card)
    s.round += 1
    most = s.setup.offer_rounds
    return bool(cards) and (most is None or s.round <= most) and can_offer(s)


def answer_choices(s: State) -> Choices:
    card = s.setup.cards.ids[s.offers[0]]
    return {receiver(s): (f"yes:{card}", f"no:{card}")}


def await_answers(s: State) -> bool:
    """The rounds are over. Whether the receiver has something to answer."""
    s.round = 0
    if s.offers:
        s.phase = ANSWER
    return bool(s.offers)


def answer(s: State, accepted: bool) -> None:
    """The receiver's answer to the first offer; for a yes the giver takes a hidden period card (N-62)."""
    card, to = s.offers[0], receiver(s)
    giver = holder(s, card)
    s.offers = s.offers[1:]
    tell(s, "accept" if accepted else "refuse", giver, to, card)
    if accepted:
        give_up(s, giver, card)
        receive(s, to, card)
        s.shown = with_(s.shown, card)
        s.periods -= 1
        s.hidden = put(s.hidden, giver, s.hidden[giver] + 1)
        if s.periods == 0:
            end(s)


def holder(s: State, card: int) -> Seat:
    """The seat that has this card in hand."""
    return next(seat for seat, hand in enumerate(s.hands) if card in hand)
