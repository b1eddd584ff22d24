"""Why an action is refused: the sentence, the rule, and whether it was malformed or illegal."""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine.contract import Seat
from engine.dinodocus.cards import DIETS, PARTS
from engine.dinodocus.feeding import DONE
from engine.dinodocus.offers import PASS
from engine.dinodocus.options import STOP
from engine.dinodocus.state import (
    ALLOC,
    ANSWER,
    BONUS,
    CARD,
    CARN,
    DISCARD,
    DRAW,
    FIRST,
    FLIP,
    HERB,
    MUTATE,
    OFFER,
    REACT,
    Dino,
    Phase,
    State,
    dino_of,
    pool,
)
from engine.errors import ActionError, IllegalAction, MalformedAction
from engine.texts import counted

OK: Final = "ok"
END: Final = "end"
NO: Final = "no"

GRAMMAR: Mapping[str, str] = {
    DISCARD: "d: and a card of the hand, d:H03; ok to stop discarding",
    DRAW: "w: and a deck, w:H w:A w:P w:T; stop, if draw_mode=may_stop",
    MUTATE: "hatch: and a card of each part, hatch:H03,A01,P07,T02; mod: a dinosaur and a card, mod:d12:A05; end",
    BONUS: "bonus, or no",
    OFFER: "give: and a card of the hand, give:A05; pass",
    ANSWER: "yes: or no: and the card on offer, yes:A05 no:A05",
    REACT: "r: and a card of the hand, r:T03; pass",
    HERB: "take: and a hungry herbivore, take:d4; steal: thief and victim, steal:d4:d9; done",
    CARN: "eat: carnivore and prey, eat:d4:d9; starve:d4, if carn_duty allows it",
    ALLOC: "give: and the dinosaurs that get a period card, ids in ascending order, give:d4,d7",
}
CHANCE_GRAMMAR: Mapping[str, str] = {
    FLIP: "flip: and a card of each deck, flip:H03,A01,P07,T02",
    FIRST: "first: and a seat of those with the weakest dinosaur, first:0",
    CARD: "a card of the deck, H07",
}

_ID, _DINO = "[HAPT][0-9]{1,3}", "d[0-9]{1,9}"
_SHAPES: Mapping[Phase, re.Pattern[str]] = {
    FLIP: re.compile(f"flip:{_ID}(,{_ID}){{3}}"),
    FIRST: re.compile("first:[0-9]"),
    CARD: re.compile(_ID),
    DISCARD: re.compile(f"{OK}|d:{_ID}"),
    DRAW: re.compile(f"{STOP}|w:[HAPT]"),
    MUTATE: re.compile(f"{END}|hatch:{_ID}(,{_ID}){{3}}|mod:{_DINO}:{_ID}"),
    BONUS: re.compile(f"bonus|{NO}"),
    OFFER: re.compile(f"{PASS}|give:{_ID}"),
    ANSWER: re.compile(f"(yes|no):{_ID}"),
    REACT: re.compile(f"{PASS}|r:{_ID}"),
    HERB: re.compile(f"{DONE}|take:{_DINO}|steal:{_DINO}:{_DINO}"),
    CARN: re.compile(f"eat:{_DINO}:{_DINO}|starve:{_DINO}"),
    ALLOC: re.compile(f"give:{_DINO}(,{_DINO})*"),
}


class Said(NamedTuple):
    """An action taken apart."""

    verb: str
    dinos: list[int]
    cards: list[str]


Why = tuple[str, str]
"""The reason and its rule."""


def refusal(state: State, seat: Seat, action: str) -> ActionError:
    """The error for an action that is not among the choices."""
    legal, phase = (
        state.choices[seat],
        state.phase,
    )  # without the cards that chance might draw: they are many
    said = _said(state, action)
    if said is None:
        return MalformedAction(seat, action, {**GRAMMAR, **CHANCE_GRAMMAR}[phase], legal)
    return IllegalAction(seat, action, *_REASONS[phase](state, seat, said), legal)


def _said(state: State, action: str) -> Said | None:
    if not _SHAPES[state.phase].fullmatch(action):
        return None
    words = re.split("[:,]", action)
    cards = [word for word in words if re.fullmatch(_ID, word)]
    if not set(cards) <= set(state.setup.cards.ids):
        return None
    return Said(words[0], [int(word[1:]) for word in words if re.fullmatch(_DINO, word)], cards)


def _find(state: State, id_: int) -> Dino | None:
    return next((dino for dino in state.dinos if dino.id == id_), None)


def _hand(state: State, seat: Seat) -> str:
    return f"the hand holds {' '.join(state.setup.cards.names(state.hands[seat])) or 'nothing'}"


def _lacks(state: State, seat: Seat, cards: list[str]) -> bool:
    return not set(cards) <= set(state.setup.cards.names(state.hands[seat]))


def _flip(_state: State, _seat: Seat, _said: Said) -> Why:
    return "it must be a head, front legs, back legs and a tail, each from its deck", "N-05"


def _first(_state: State, _seat: Seat, _said: Said) -> Why:
    return "the player with the weakest dinosaur begins", "N-06"


def _card(state: State, _seat: Seat, _said: Said) -> Why:
    return f"the card comes from the deck {PARTS[state.draw]}", "N-12"


def _discard(state: State, seat: Seat, _said: Said) -> Why:
    return _hand(state, seat), "N-12"


def _draw(_state: State, _seat: Seat, said: Said) -> Why:
    if said.verb == STOP:
        return "the hand must be filled to 5 cards", "M-05"
    return "this deck and its discard pile are empty", "M-04"


def _mutate(state: State, seat: Seat, said: Said) -> Why:
    if said.verb == "hatch":
        if [card[0] for card in said.cards] != list(PARTS):
            return "a dinosaur is a head, front legs, back legs and a tail, in this order", "N-20"
        return _hand(state, seat), "N-20"
    (id_,) = said.dinos
    dino = _find(state, id_)
    if dino is None:
        return f"d{id_} is not on the table", "N-21"
    if id_ in state.closed:
        if state.setup.mutate_fresh:
            return f"d{id_} was already modified this turn", "N-22"
        return f"d{id_} was modified or hatched this turn", "M-06"
    return _misfit(state, seat, dino, said.cards, "N-21")


def _misfit(state: State, seat: Seat, dino: Dino, cards: list[str], rule: str) -> Why:
    if _lacks(state, seat, cards):
        return _hand(state, seat), rule
    mine = "C" if dino.body.is_carnivore else "H"
    return f"d{dino.id} is a {DIETS[mine]} and stays one", "N-23"


def _offer(state: State, seat: Seat, said: Said) -> Why:
    if _lacks(state, seat, said.cards):
        return _hand(state, seat), "N-60"
    return f"{said.cards[0]} is already on offer", "M-17"


def _answer(state: State, _seat: Seat, _said: Said) -> Why:
    return f"the open offer is {state.setup.cards.ids[state.offers[0]]}", "M-17"


def _react(state: State, seat: Seat, said: Said) -> Why:
    return _misfit(state, seat, dino_of(state, state.focus), said.cards, "N-25")


def _herb(state: State, seat: Seat, said: Said) -> Why:
    ferns = pool(state)
    if said.verb == DONE:
        return ("the pool has a fern to take", "N-32") if ferns else ("an opponent can and must be robbed", "M-10")
    if (said.verb == "steal") == bool(ferns):
        return ("the pool has a fern" if ferns else "the pool is empty"), "N-32"
    if why := _not_hungry(state, seat, said.dinos[0]):
        return why
    robbed = _find(state, said.dinos[1])
    if robbed is None or not robbed.fern:
        return f"d{said.dinos[1]} holds no fern", "N-33"
    thief = dino_of(state, said.dinos[0])
    return f"defence {thief.body.defence} does not beat strength {robbed.body.strength}", "N-33"


def _not_hungry(state: State, seat: Seat, id_: int) -> Why | None:
    dino = _find(state, id_)
    if dino is None or dino.owner != seat or dino.body.is_carnivore:
        return f"d{id_} is not a herbivore of seat {seat}", "N-30"
    return (f"d{id_} holds a fern", "N-31") if dino.fern else None


def _carn(state: State, seat: Seat, said: Said) -> Why:
    id_ = said.dinos[0]
    eater = _find(state, id_)
    if eater is None or eater.owner != seat or not eater.body.is_carnivore:
        return f"d{id_} is not a carnivore of seat {seat}", "N-36"
    if id_ in state.ate or id_ in state.starving:
        return f"d{id_} has had its turn to eat", "N-36"
    if said.verb == "starve":
        return f"d{id_} must eat if it can", "M-11"
    prey = _find(state, said.dinos[1])
    if prey is None:
        return f"d{said.dinos[1]} is not on the table", "N-36"
    if prey.id == id_:
        return "no dinosaur eats itself", "N-36"
    return f"attack {eater.body.attack} does not beat strength {prey.body.strength}", "N-36"


def _alloc(state: State, seat: Seat, said: Said) -> Why:
    if len(said.dinos) != state.periods:
        return f"{counted(state.periods, 'period card')} left to give", "N-53"
    return f"it must name fed dinosaurs of seat {seat}, each once, with ids in ascending order", "N-53"


_REASONS: Mapping[Phase, Callable[[State, Seat, Said], Why]] = {
    FLIP: _flip,
    FIRST: _first,
    CARD: _card,
    DISCARD: _discard,
    DRAW: _draw,
    MUTATE: _mutate,
    OFFER: _offer,
    ANSWER: _answer,
    REACT: _react,
    HERB: _herb,
    CARN: _carn,
    ALLOC: _alloc,
}
"""Why a well-formed action of a phase can be illegal; in BONUS all are legal."""
