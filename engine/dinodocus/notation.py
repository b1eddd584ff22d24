"""Positions as one line of text, for tests, documents, bug reports and the command line.

    basic turn=7 phase=mutate discards=H03 | hand=H01,A02 d4=H07,A15,P12,T09/3/fern timeline=d1:3 | d5=H06,A08,P15,T15

A head, then one part for each seat, separated by `|`; `-` is an empty part. The head begins with `basic` or
`advanced`. Then come, where they differ from their usual value, `turn` (1), `current` (0), `phase` (over), `periods`
(all that no player has), `discards`, `next` (the number of the next dinosaur: one more than the greatest here),
`rebuilt` (how often each deck was), `window`, `round` (1), `focus`, `maker`, `draw`, and options by name. A seat's part
has `hand`, `shown` and `offer` (those cards of the hand that all players have seen, and that are on offer), `timeline`,
`hidden` and dinosaurs: four cards, and after slashes period cards, `fern`, `closed`, `fed`, `starving`, `bonus`. The
pool has the ferns that no dinosaur holds, the decks have the cards that are nowhere else.
"""

import re
from collections.abc import Callable, Iterable
from math import comb, prod
from typing import Final

from engine.contract import Seat, impossible, spell
from engine.dinodocus.cards import PARTS, Cards
from engine.dinodocus.feeding import own
from engine.dinodocus.options import FERNS, HAND, OPTIONS, SEATS, Setup, set_up
from engine.dinodocus.rules import ready, weakest
from engine.dinodocus.state import (
    ALLOC,
    ANSWER,
    BEFORE_ACTION,
    BEFORE_REACTION,
    BONUS,
    BY_CHANCE,
    CARD,
    CARN,
    DRAW,
    FIRST,
    FLIP,
    MUTATE,
    NOBODY,
    OFFER,
    OVER,
    REACT,
    TURN_START,
    Dino,
    Phase,
    State,
    dino_of,
    receiver,
)
from engine.errors import PositionSetupError, SetupError
from engine.positions import Part, in_words
from engine.positions import part as read_part
from engine.texts import counted, quoted, shown

KINDS: Final = {"basic": False, "advanced": True}
WINDOWS: Final = (TURN_START, BEFORE_ACTION, BEFORE_REACTION)
IN_WINDOW: Final = (OFFER, ANSWER)
IN_HEAD: Final = tuple(name for name in OPTIONS if name != "advanced")
HEAD: Final = (
    "turn", "current", "phase", "periods", "discards", "next", "rebuilt", "window", "round", "focus", "maker", "draw",
)  # fmt: skip
SEAT: Final = ("hand", "shown", "offer", "timeline", "hidden")
MARKS: Final[dict[str, tuple[Phase, ...]]] = {
    "fern": tuple(Phase),
    "closed": (MUTATE, BONUS, OFFER, ANSWER, REACT),
    "fed": (CARN, ALLOC),
    "starving": (CARN, ALLOC),
    "bonus": tuple(Phase),
}
"""The marks that a dinosaur can have, and the phases in which it can."""
MOST: Final = 10**6
MOST_WAYS: Final = 1 << 16
"""Ways to hatch, or to give out the last period cards, that a position may have; all cards of our deck make 50,625."""
_DINO: Final = re.compile("d[1-9][0-9]{0,5}")
_AGED: Final = re.compile("(d[1-9][0-9]{0,5}):([1-9][0-9]?)")


def dino_number(id_: str) -> int:
    """The number in a dinosaur's id."""
    return int(id_[1:])


def format(state: State) -> str:
    """The state as text, everything usual left out."""
    setup, names = state.setup, state.setup.cards.names
    discards = [name for pile in state.discards for name in names(pile)]
    words = {
        "turn": (state.turn, 1),
        "current": (state.current, 0),
        "phase": (state.phase, OVER),
        "periods": (state.periods, _unseen_periods(state)),
        "discards": (",".join(discards), ""),
        "next": (state.made + 1, 1 + _greatest(state)),
        "rebuilt": (",".join(map(str, state.rebuilt)), "0,0,0,0"),
        "window": (state.window, ""),
        "round": (state.round, 1 if state.phase is OFFER else 0),
        "focus": (f"d{state.focus}", "d0"),
        "maker": (state.maker, NOBODY),
        "draw": (PARTS[state.draw] if state.draw >= 0 else "", ""),
    }
    kind = next(kind for kind, advanced in KINDS.items() if advanced == setup.advanced)
    head = [kind, *(f"{key}={value}" for key, (value, usual) in words.items() if value != usual)]
    head += [f"{name}={spell(value)}" for name, value in setup.changed.items() if name != "advanced"]
    return " | ".join([" ".join(head), *(_seat_text(state, seat) for seat in setup.everyone)])


def _seat_text(state: State, seat: Seat) -> str:
    names, hand = state.setup.cards.names, state.hands[seat]
    groups = {
        "hand": names(hand),
        "shown": names(tuple(card for card in hand if card in state.shown and card not in state.offers)),
        "offer": names(tuple(card for card in hand if card in state.offers)),
    }
    words = [f"{key}={','.join(cards)}" for key, cards in groups.items() if cards]
    words += [f"d{dino.id}={_dino_text(state, dino)}" for dino in state.dinos if dino.owner == seat]
    if state.timelines[seat]:
        words.append("timeline=" + ",".join(f"d{id_}:{periods}" for id_, periods in state.timelines[seat]))
    if state.hidden[seat]:
        words.append(f"hidden={state.hidden[seat]}")
    return " ".join(words) or "-"


def _dino_text(state: State, dino: Dino) -> str:
    marked = {
        "fern": dino.fern,
        "closed": dino.id in state.closed,
        "fed": dino.id in state.ate,
        "starving": dino.id in state.starving,
        "bonus": dino.bonus,
    }
    words = [",".join(state.setup.cards.names(dino.body.cards))]
    words += [str(dino.periods)] if dino.periods else []
    return "/".join(words + [mark for mark, holds in marked.items() if holds])


def fingerprint(state: State) -> str:
    """What can differ between two states of a match, in a fixed order: a fraction of the time that `format` takes."""
    dinos = [(d.id, d.owner, d.body.cards, d.fern, d.periods, d.bonus) for d in state.dinos]
    return repr((
        state.phase.value, state.turn, state.current, state.hands, state.shown, dinos, state.made, state.discards,
        state.rebuilt, state.periods, state.timelines, state.hidden, state.closed, state.ate, state.starving,
        state.window, state.round, state.offers, state.focus, state.maker, state.draw,
    ))  # fmt: skip


def _unseen_periods(state: State) -> int:
    """The period cards that are nowhere but in the period deck."""
    aged = sum(dino.periods for dino in state.dinos) + sum(count for line in state.timelines for _, count in line)
    return state.setup.periods - aged - sum(state.hidden)


def _greatest(state: State) -> int:
    return max([0, *(dino.id for dino in state.dinos), *(id_ for line in state.timelines for id_, _ in line)])


# Reading


def parse(text: str) -> State:
    """The state that a position text describes."""
    head_text, *seat_texts = text.split("|")
    kind, _, rest = head_text.strip().partition(" ")
    head = read_part("head", rest)
    setup = _setup(head, kind, len(seat_texts))
    parts = [read_part(f"seat {seat}", "" if one.strip() == "-" else one) for seat, one in enumerate(seat_texts)]
    phase = _phase(head)
    state = State(
        setup,
        phase,
        head.number("turn", 0, setup.turn_cap, 1),
        head.number("current", 0, setup.seats - 1, 0),
        hands=tuple(_cards(part, "hand", setup) for part in parts),
        shown=(),
        dinos=(),
        made=0,
        decks=(),
        discards=_by_part(setup, _cards(head, "discards", setup)),
        rebuilt=_rebuilt(head),
        periods=0,
        timelines=tuple(_timeline(part) for part in parts),
        hidden=tuple(part.number("hidden", 0, setup.periods if setup.advanced else 0, 0) for part in parts),
    )
    _read_offers(state, parts)
    _read_dinos(state, parts)
    for part in parts:
        part.done(f"{in_words(SEAT)}, or a dinosaur: d4=H01,A01,P01,T01")
    _read_head(state, head)
    head.done(f"{in_words(HEAD)} when it is their time, or an option: {in_words(IN_HEAD)}")
    _check(head, state)
    _check_ways(head, state)
    ready(state)
    if phase is not OVER and phase not in BY_CHANCE and not any(state.choices.values()):
        raise head.error(f"phase={phase}, but no seat has a decision to make")
    return state


def _setup(head: Part, kind: str, seats: int) -> Setup:
    if kind not in KINDS:
        raise head.error(f"a position begins with {' or '.join(KINDS)}, not {quoted(kind)}")
    if seats not in SEATS:
        raise head.error(f"{impossible(seats)}: write 2 to 6 parts, each after a |")
    given = {name: OPTIONS[name].read(head.words.pop(name)) for name in IN_HEAD if name in head.words}
    try:
        return set_up(seats, {**given, "advanced": KINDS[kind]})
    except SetupError as error:
        raise PositionSetupError(f"head: {error}") from None


def _phase(head: Part) -> Phase:
    name = head.words.pop("phase", OVER)
    if name not in tuple(Phase):
        raise head.error(f"phase={shown(name)}: expected one of {in_words(Phase)}")
    return Phase(name)


def _cards(part: Part, key: str, setup: Setup) -> Cards:
    text = part.words.pop(key, "")
    return _numbers(part, f"{key}={text}", text.split(",") if text else [], setup)


def _numbers(part: Part, word: str, names: list[str], setup: Setup) -> Cards:
    for name in names:
        if name not in setup.cards.numbers:
            raise part.error(f"{shown(word)}: {quoted(name)} is not a card of this deck. Write cards like H01,A05")
    return tuple(sorted(setup.cards.numbers[name] for name in names))


def _by_part(setup: Setup, cards: Cards) -> tuple[Cards, ...]:
    return tuple(tuple(card for card in cards if setup.cards.parts[card] == part) for part in range(len(PARTS)))


def _rebuilt(head: Part) -> tuple[int, ...]:
    text = head.words.pop("rebuilt", "0,0,0,0")
    if not re.fullmatch("[0-9]{1,6}(,[0-9]{1,6}){3}", text):
        raise head.error(f"rebuilt={shown(text)}: expected four numbers, one for each deck, as in 0,1,0,0")
    return tuple(map(int, text.split(",")))


def _timeline(part: Part) -> tuple[tuple[int, int], ...]:
    text = part.words.pop("timeline", "")
    aged = [_AGED.fullmatch(word) for word in text.split(",")] if text else []
    if not all(aged):
        raise part.error(f"timeline={shown(text)}: expected dinosaurs and their period cards, as in d1:3,d6:2")
    return tuple((dino_number(one[1]), int(one[2])) for one in aged if one)


def _read_offers(state: State, parts: list[Part]) -> None:
    for part, hand in zip(parts, state.hands):
        for key in ("shown", "offer"):
            cards = _cards(part, key, state.setup)
            if not set(cards) <= set(hand):
                raise part.error(f"{key}: these cards must be in the hand, too")
            state.shown += cards
            state.offers += cards if key == "offer" else ()
    state.shown, state.offers = tuple(sorted(set(state.shown))), tuple(sorted(set(state.offers)))


def _read_dinos(state: State, parts: list[Part]) -> None:
    named = [(seat, part, key) for seat, part in enumerate(parts) for key in part.words if _DINO.fullmatch(key)]
    most = min(map(len, state.setup.cards.piles))
    if len(named) > most:  # before the first is read: the work for each grows with those before it
        raise named[most][1].error(
            f"the table has {counted(len(named), 'dinosaur')}, the deck has cards for {most} (N-20)"
        )
    for seat, part, id_ in named:
        _read_dino(state, seat, part, id_, part.words.pop(id_))
    state.dinos = tuple(sorted(state.dinos, key=lambda dino: dino.id))


def _read_dino(state: State, seat: Seat, part: Part, id_: str, text: str) -> None:
    names, *words = text.split("/")
    cards = _numbers(part, f"{id_}={text}", names.split(","), state.setup)
    if [state.setup.cards.parts[card] for card in cards] != [0, 1, 2, 3]:
        raise part.error(f"{id_}={shown(text)}: a dinosaur is a head, front legs, back legs and a tail")
    periods = int(words.pop(0)) if words and re.fullmatch("[1-9][0-9]?", words[0]) else 0
    for word in words:
        if word not in MARKS or state.phase not in MARKS[word] or words.count(word) > 1:
            known = in_words([mark for mark, phases in MARKS.items() if state.phase in phases])
            misplaced = f"{id_}={shown(text)}: {quoted(word)}"
            raise part.error(f"{misplaced} has no place here, expected period cards, then {known}")
    number, body = dino_number(id_), state.setup.cards.body(cards)
    if body.is_carnivore and "fern" in words:
        raise part.error(f"{id_}={shown(text)}: a carnivore holds no fern (N-31)")
    if ("fed" in words or "starving" in words) and (seat != state.current or not body.is_carnivore):
        raise part.error(f"{id_}={shown(text)}: only carnivores of the current player are fed or starving (N-36)")
    state.dinos += (Dino(number, seat, body, "fern" in words, periods, "bonus" in words),)
    state.closed = tuple(sorted((*state.closed, number))) if "closed" in words else state.closed
    state.ate = tuple(sorted((*state.ate, number))) if "fed" in words else state.ate
    state.starving = tuple(sorted((*state.starving, number))) if "starving" in words else state.starving


def _read_head(state: State, head: Part) -> None:
    """What the head says of a position whose seats are known."""
    setup, phase = state.setup, state.phase
    unseen = _unseen_periods(state)
    if unseen < 0:
        raise head.error(f"{counted(-unseen, 'period card')} too many, the deck began with {setup.periods} (N-04)")
    state.periods = head.number("periods", 0, unseen, unseen)
    greatest = _greatest(state)
    state.made = head.number("next", greatest + 1, MOST, greatest + 1) - 1
    if phase in IN_WINDOW:
        state.window = _one_of(head, "window", WINDOWS)
    if phase is OFFER:
        last = 1 + len(state.offers)  # each round before this one has brought a card
        state.round = head.number("round", 1, min(last, setup.offer_rounds or last), 1)
    if phase in (BONUS, REACT) or state.window == BEFORE_REACTION:
        state.focus = dino_number(_one_of(head, "focus", [f"d{dino.id}" for dino in state.dinos]))
    if phase is BONUS:
        state.maker = head.number("maker", 0, setup.seats - 1, state.current)
    if phase is CARD:
        state.draw = PARTS.index(_one_of(head, "draw", PARTS))
    used = {card for cards in _everywhere(state) for card in cards}
    state.decks = tuple(tuple(card for card in pile if card not in used) for pile in setup.cards.piles)


def _one_of(head: Part, key: str, allowed: Iterable[str]) -> str:
    text, choices = head.words.pop(key, ""), list(allowed)
    if text not in choices:
        raise head.error(f"{key}={shown(text)}: expected one of {in_words(choices)} in this phase")
    return text


def _everywhere(state: State) -> list[Cards]:
    """All cards that are not in decks."""
    return [*state.hands, *state.discards, *(dino.body.cards for dino in state.dinos)]


def _check(head: Part, state: State) -> None:
    """Everything is there once, and the phase is possible."""
    seen: set[int] = set()
    for cards in _everywhere(state):
        for card in cards:
            if card in seen:
                raise head.error(f"{state.setup.cards.ids[card]} appears twice")
            seen.add(card)
    ids = [dino.id for dino in state.dinos] + [id_ for line in state.timelines for id_, _ in line]
    if len(set(ids)) < len(ids):
        raise head.error("a dinosaur appears twice")
    if sum(dino.fern for dino in state.dinos) > FERNS:
        raise head.error(f"there are more than {FERNS} ferns (N-03)")
    if state.phase is not OVER and not state.periods:
        raise head.error("without period cards the game is over (N-53)")
    problem = _PROBLEMS.get(state.phase, _no_problem)(state) or _turn_problem(state)
    if problem:
        raise head.error(f"phase={state.phase}: {problem}")


def _check_ways(head: Part, state: State) -> None:
    """All choices of a position are listed, so their number has a limit. Only a large deck can reach it."""
    ways = 0
    if state.phase is MUTATE:
        ways = prod(map(len, _by_part(state.setup, state.hands[state.current])))
    elif state.phase is ALLOC:
        ways = comb(len(own(state)), state.periods)
    if ways > MOST_WAYS:
        raise head.error(f"phase={state.phase}: more than {MOST_WAYS:,} choices. Make the hand or the table smaller")


def _no_problem(_state: State) -> str:
    return ""


def _turn_problem(state: State) -> str:
    if state.offers and state.phase not in IN_WINDOW:
        return "cards are on offer in the phases offer and answer only (N-60)"
    set_up = state.phase in (FLIP, FIRST) and state.turn == 0
    if not set_up and state.phase is not OVER and state.turn == 0:
        return "turn=0 is the set-up, which has the phases flip and first only (N-05)"
    return ""


def _flip_problem(state: State) -> str:
    owners = [dino.owner for dino in state.dinos]
    if state.turn == 0 and owners != list(range(state.current)):
        return "in the set-up the seats before the current one have a dinosaur each, the others none (N-05)"
    if state.turn and state.current in owners:
        return "a player who has a dinosaur does not flip one (N-11)"
    return "" if all(state.decks) else "a deck is empty (M-04)"


def _first_problem(state: State) -> str:
    owners = [dino.owner for dino in state.dinos]
    if state.turn or owners != list(state.setup.everyone):
        return "this is the end of the set-up: turn=0, and a dinosaur for each seat (N-06)"
    return "" if len(weakest(state)) > 1 else "no other seat has a dinosaur as weak as this (N-06)"


def _draw_problem(state: State) -> str:
    if len(state.hands[state.current]) >= HAND:
        return f"a hand of {HAND} or more draws nothing (N-13)"
    return "the deck is empty (N-14)" if state.phase is CARD and not state.decks[state.draw] else ""


def _bonus_problem(state: State) -> str:
    dino = dino_of(state, state.focus)
    if not state.setup.real_bonus or not dino.body.refs:
        return "the bonus is for real dinosaurs, with real_bonus=true (N-26)"
    return "" if state.maker in (state.current, dino.owner) else "the maker is the current player or the owner (M-09)"


def _window_problem(state: State) -> str:
    if not state.setup.advanced:
        return "cards are offered in the advanced game only (N-60)"
    if state.window == BEFORE_REACTION and dino_of(state, state.focus).owner == state.current:
        return "players do not react to their own change (N-25)"
    if set(state.offers) & set(state.hands[receiver(state)]):
        return "players do not offer cards to themselves (N-63)"
    return "" if state.offers or state.phase is OFFER else "no card is on offer"


def _react_problem(state: State) -> str:
    owner = dino_of(state, state.focus).owner
    if owner == state.current:
        return "players do not react to their own change (N-25)"
    return "" if state.hands[owner] else "the owner has no cards to react with (N-25)"


def _alloc_problem(state: State) -> str:
    fed = len(own(state))
    if fed > state.periods:
        return ""
    return f"no choice: {counted(state.periods, 'period card')} for {counted(fed, 'dinosaur')} (N-53)"


_PROBLEMS: Final[dict[Phase, Callable[[State], str]]] = {
    FLIP: _flip_problem,
    FIRST: _first_problem,
    DRAW: _draw_problem,
    CARD: _draw_problem,
    BONUS: _bonus_problem,
    OFFER: _window_problem,
    ANSWER: _window_problem,
    REACT: _react_problem,
    ALLOC: _alloc_problem,
}
"""What makes a phase impossible."""
