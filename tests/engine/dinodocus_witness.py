"""What the conformance kit cannot know of Dinodocus: its pieces, what a seat cannot see, and its symmetry."""

from dataclasses import replace

from engine.conformance import Witness
from engine.contract import Dice, Seat
from engine.dinodocus.cards import Cards
from engine.dinodocus.rules import ready
from engine.dinodocus.state import CARD, NOBODY, OVER, State, pool


def pieces(state: State) -> tuple[Cards, int, int]:
    """Every card, every fern, every period card."""
    cards = [*state.hands, *state.decks, *state.discards, *(dino.body.cards for dino in state.dinos)]
    ferns = pool(state) + sum(dino.fern for dino in state.dinos)
    aged = sum(dino.periods for dino in state.dinos) + sum(count for line in state.timelines for _, count in line)
    return tuple(sorted(sum(cards, ()))), ferns, state.periods + aged + sum(state.hidden)


def twin(state: State, seat: Seat | None, dice: Dice) -> State:
    """The same state with all that is hidden from the seat thrown together and dealt out again."""
    others = [other for other in state.setup.everyone if other != seat]
    hands, decks = [list(hand) for hand in state.hands], [list(deck) for deck in state.decks]
    draw = state.draw
    if state.setup.hand_parts_public:
        for part in range(len(decks)):
            _mix(dice, f"twin.{part}", _slots(state, hands, decks, others, part))
    else:
        for part in range(len(decks)):  # a deck's size shows, so each card has to find its way within its part ...
            _mix(dice, f"twin.{part}", _slots(state, hands, decks, others, part))
        _mix(
            dice, "twin.hands", [(hands[o], i) for o in others for i, c in enumerate(hands[o]) if c not in state.shown]
        )
        if state.phase is CARD and seat != state.current:  # ... and nobody else knows from which deck a card comes
            full = [part for part, deck in enumerate(decks) if deck]
            draw = full[dice.roll("twin.draw", len(full), 0)]
    return ready(
        replace(
            state,
            hands=tuple(tuple(sorted(hand)) for hand in hands),
            decks=tuple(tuple(sorted(deck)) for deck in decks),
            hidden=_hidden(state, seat, dice),
            draw=draw,
        )
    )


def _slots(state: State, hands: list, decks: list, others: list[Seat], part: int) -> list[tuple[list, int]]:
    """Where the unseen cards of a part are: in hands of others, unless all have seen them, and in the deck."""
    in_hands = [
        (hands[other], i)
        for other in others
        for i, card in enumerate(hands[other])
        if state.setup.cards.parts[card] == part and card not in state.shown
    ]
    return in_hands + [(decks[part], i) for i in range(len(decks[part]))]


def _mix(dice: Dice, name: str, slots: list[tuple[list, int]]) -> None:
    cards = [group[i] for group, i in slots]
    for (group, i), card in zip(slots, dice.draw(name, cards, len(cards))):
        group[i] = card


def _hidden(state: State, seat: Seat | None, dice: Dice) -> tuple[int, ...]:
    """Others' hidden period cards, spread anew; after the end they are known."""
    if state.phase is OVER:
        return state.hidden
    others = [other for other in state.setup.everyone if other != seat]
    hidden = [count if other == seat else 0 for other, count in enumerate(state.hidden)]
    for i in range(sum(state.hidden) - sum(hidden)):
        hidden[others[dice.roll("twin.hidden", len(others), i)]] += 1
    return tuple(hidden)


def rotate(state: State) -> State:
    """Every player one seat further."""
    seats = state.setup.seats

    def on(seat: Seat) -> Seat:
        return (seat + 1) % seats

    return ready(
        replace(
            state,
            current=on(state.current),
            maker=NOBODY if state.maker == NOBODY else on(state.maker),
            dinos=tuple(replace(dino, owner=on(dino.owner)) for dino in state.dinos),
            hands=_turn(state.hands),
            timelines=_turn(state.timelines),
            hidden=_turn(state.hidden),
        )
    )


def _turn(values: tuple) -> tuple:
    return values[-1:] + values[:-1]


WITNESS = Witness(pieces, twin, rotate)
