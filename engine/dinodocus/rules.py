"""The course of the game: who may do what, and what happens then.

    set-up: FLIP for each seat -> [FIRST]
    a turn: [FLIP] -> [OFFER*] -> DISCARD -> (DRAW -> CARD) until the hand is full
            -> ([OFFER*] -> MUTATE -> [BONUS] -> [OFFER*] -> [REACT -> [BONUS]]) until the player ends it
            -> HERB -> CARN -> [ALLOC] -> next turn
    OFFER* = OFFER in rounds, then ANSWER offer by offer; only in the advanced game, see offers.py.

Each step copies the state, changes the copy, and continues until a player must decide or chance must act. Then it lists
the choices, so that a state knows its legal actions.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Final

from engine.contract import CHANCE, Dice, Seat, Value, wrong_seats
from engine.dinodocus import feeding, offers
from engine.dinodocus.cards import PARTS, Cards, Deck
from engine.dinodocus.feeding import DONE
from engine.dinodocus.offers import PASS
from engine.dinodocus.options import HAND, STOP, set_up
from engine.dinodocus.refusals import END, NO, OK, refusal
from engine.dinodocus.state import (
    ALLOC,
    ANSWER,
    BEFORE_ACTION,
    BEFORE_REACTION,
    BONUS,
    CARD,
    CARN,
    DISCARD,
    DRAW,
    FIRST,
    FLIP,
    HERB,
    MUTATE,
    NOBODY,
    OFFER,
    OVER,
    REACT,
    TURN_START,
    Choices,
    Dino,
    Phase,
    State,
    available,
    copy,
    dino_of,
)
from engine.dinodocus.table import (
    age,
    clear_turn,
    discard,
    end,
    give_up,
    lay,
    modify,
    rebuild,
    receive,
    swap,
    take,
    tell,
    with_,
)

Actions = Mapping[Seat, str]
ALL_FULL: Final = (True,) * len(PARTS)
BONUS_PERIODS: Final = 2  # N-26


def start(seats: int, options: Mapping[str, Value]) -> State:
    """The table before the first card is flipped: empty hands (N-05)."""
    setup = set_up(seats, options)
    nothing: tuple[tuple[int, ...], ...] = ((),) * seats
    zeros, piles = (0,) * len(PARTS), ((),) * len(PARTS)
    return ready(
        State(
            setup, FLIP, turn=0, current=0, hands=nothing, shown=(), dinos=(), made=0, decks=setup.cards.piles,
            discards=piles, rebuilt=zeros, periods=setup.periods, timelines=((),) * seats, hidden=(0,) * seats,
        )
    )  # fmt: skip


def to_act(state: State) -> tuple[Seat, ...]:
    return tuple(state.choices)


def legal(state: State, seat: Seat) -> tuple[str, ...]:
    if seat == CHANCE and state.phase is CARD:
        return tuple(state.setup.cards.names(state.decks[state.draw]))
    return state.choices.get(seat, ())


def fallback(state: State, seat: Seat) -> str:
    """Do nothing where that is possible; else the first choice, and the oldest dinosaurs for the last cards."""
    choices = state.choices[seat]
    if state.phase is ALLOC:
        return feeding.given(feeding.oldest(state, feeding.own(state)))
    return choices[0] if state.phase in (DRAW, HERB, CARN) else choices[-1]


def deal(state: State, dice: Dice) -> str:
    """Chance's action. Draws are named by deck and cards left, so they never depend on who draws."""
    ids = state.setup.cards.ids
    if state.phase is CARD:
        return ids[_drawn(state, state.draw, dice)]
    if state.phase is FLIP:
        return "flip:" + ",".join([ids[_drawn(state, part, dice)] for part in range(len(PARTS))])
    choices = state.choices[CHANCE]
    return choices[dice.roll("first", len(choices), 0)]


def _drawn(state: State, part: int, dice: Dice) -> int:
    deck = state.decks[part]
    return dice.draw(f"deck.{PARTS[part]}.{state.rebuilt[part]}.{len(deck)}", deck, 1)[0]


def apply(state: State, actions: Actions) -> State:
    """The state after one action from every seat that acts."""
    choices = state.choices
    if len(actions) != len(choices):
        raise wrong_seats(tuple(choices), actions)
    for seat, listed in choices.items():
        if seat not in actions:
            raise wrong_seats(tuple(choices), actions)
        if actions[seat] not in listed and not (seat == CHANCE and _is_drawn(state, actions[CHANCE])):
            raise refusal(state, seat, actions[seat])
    if not choices:
        return state
    after = copy(state)
    _STEPS[state.phase](after, actions)
    after.choices = _CHOICES[after.phase](after)  # as `ready` does
    return after


# Set-up and incubation


def _is_drawn(state: State, action: str) -> bool:
    """Whether chance plays cards that the decks hold: these choices are not listed."""
    if state.phase is CARD:
        return state.setup.cards.numbers.get(action) in state.decks[state.draw]
    if state.phase is not FLIP or not action.startswith("flip:"):
        return False
    cards = _flipped(state, action)
    return len(cards) == len(PARTS) and all(card in deck for card, deck in zip(cards, state.decks))


def _flipped(state: State, action: str) -> tuple[int, ...]:
    numbers = state.setup.cards.numbers
    return tuple([numbers.get(name, -1) for name in action.removeprefix("flip:").split(",")])


def _flip(s: State, actions: Actions) -> None:
    """A dinosaur from the tops of the decks (N-05, N-11)."""
    cards = _flipped(s, actions[CHANCE])
    for part, card in enumerate(cards):
        take(s, part, card)
    lay(s, s.current, cards, "flip")
    if s.turn:
        _open_turn(s)
    elif s.current + 1 < s.setup.seats:
        s.current += 1
    else:
        _find_first(s)


def _find_first(s: State) -> None:
    """The player with the weakest dinosaur begins (N-06)."""
    tied = weakest(s)
    if len(tied) > 1 and s.setup.start_tie == "random":
        s.phase = FIRST
    else:
        _begin_with(s, tied[0])  # M-01


def weakest(s: State) -> list[Seat]:
    sums = [dino.body.attack + dino.body.defence for dino in s.dinos]
    return [dino.owner for dino, total in zip(s.dinos, sums) if total == min(sums)]


def _first(s: State, actions: Actions) -> None:
    _begin_with(s, int(actions[CHANCE].removeprefix("first:")))


def _begin_with(s: State, seat: Seat) -> None:
    s.current = seat
    tell(s, "first", seat)
    _begin_turn(s)


def _begin_turn(s: State) -> None:
    s.turn += 1
    tell(s, "turn", s.turn, s.current)
    parts = range(len(PARTS))
    if not feeding.own(s) and all(available(s, part) for part in parts):  # N-11, M-04
        for part in parts:
            if not s.decks[part]:
                rebuild(s, part)
        s.phase = FLIP
    else:
        _open_turn(s)


def _open_turn(s: State) -> None:
    if s.setup.offer_windows == "mutate" or not offers.open_window(s, TURN_START):
        _incubate(s)


def _incubate(s: State) -> None:
    if s.hands[s.current]:
        s.phase = DISCARD
    else:
        _draw_on(s)


def _discard(s: State, actions: Actions) -> None:
    action = actions[s.current]
    if action != OK:
        card = s.setup.cards.numbers[action[2:]]
        give_up(s, s.current, card)
        discard(s, card)
        tell(s, "discard", s.current, card)
    if action == OK or not s.hands[s.current]:
        _draw_on(s)


def _draw_on(s: State) -> None:
    """Draw until the hand holds five (N-12, N-13)."""
    if len(s.hands[s.current]) < HAND and (any(s.decks) or any(s.discards)):  # M-04
        s.phase = DRAW
    else:
        _before_action(s)


def _draw(s: State, actions: Actions) -> None:
    action = actions[s.current]
    if action == STOP:
        _before_action(s)
        return
    s.draw = PARTS.index(action[2:])
    if not s.decks[s.draw]:
        rebuild(s, s.draw)
    s.phase = CARD


def _card(s: State, actions: Actions) -> None:
    card, part, seat = s.setup.cards.numbers[actions[CHANCE]], s.draw, s.current
    s.draw = -1
    take(s, part, card)
    receive(s, seat, card)
    tell(s, "draw", seat, part, card)
    _draw_on(s)


# Hatching and mutation


def _before_action(s: State) -> None:
    """The current player acts, after the offers of others."""
    s.focus, s.maker = 0, NOBODY
    if not offers.open_window(s, BEFORE_ACTION):
        s.phase = MUTATE


def _mutate(s: State, actions: Actions) -> None:
    verb, _, rest = actions[s.current].partition(":")
    if verb == END:
        s.closed = ()
        _feed_herbivores(s)
    elif verb == "hatch":
        _hatch(s, rest)
    else:
        id_, _, card = rest.partition(":")
        _modify(s, dino_of(s, int(id_[1:])), s.setup.cards.numbers[card])


def _hatch(s: State, names: str) -> None:
    cards = tuple([s.setup.cards.numbers[name] for name in names.split(",")])
    for card in cards:
        give_up(s, s.current, card)
    dino = lay(s, s.current, cards, "hatch")
    if not s.setup.mutate_fresh:
        s.closed += (dino.id,)  # M-06
    s.focus = dino.id
    if not _may_claim(s, s.current, dino, frozenset()):
        _before_action(s)


def _modify(s: State, dino: Dino, card: int) -> None:
    changed = modify(s, s.current, dino, card, "mutate")
    s.closed = with_(s.closed, dino.id)  # N-22
    s.focus = dino.id
    if not _may_claim(s, s.current, changed, dino.body.refs):
        _after_modification(s, changed)


def _may_claim(s: State, maker: Seat, dino: Dino, before: frozenset[int]) -> bool:
    """Whether the maker of a dinosaur that was not real before is asked for the bonus (N-26, M-08, M-09)."""
    setup = s.setup
    if not setup.real_bonus or dino.body.refs <= before:
        return False
    if (dino.bonus and setup.real_repeat == "once_per_dino") or (
        setup.real_maker == "owner_only" and maker != dino.owner
    ):
        return False
    s.phase, s.maker = BONUS, maker
    return True


def _bonus(s: State, actions: Actions) -> None:
    maker, dino = s.maker, dino_of(s, s.focus)
    s.maker = NOBODY
    if actions[maker] != NO:
        periods = min(BONUS_PERIODS, s.periods)  # M-22
        s.periods -= periods
        swap(s, Dino(dino.id, dino.owner, dino.body, dino.fern, dino.periods + periods, True))
        tell(s, "bonus", maker, dino.id, periods)
        if s.periods == 0:
            end(s)
            return
    if maker == s.current:
        _after_modification(s, dino)
    else:
        _before_action(s)


def _after_modification(s: State, dino: Dino) -> None:
    """The owner may react, after the offers of others (N-25)."""
    if dino.owner == s.current:
        _before_action(s)
    elif not offers.open_window(s, BEFORE_REACTION):
        _await_reaction(s, dino)


def _await_reaction(s: State, dino: Dino) -> None:
    # An owner with any card is asked: to ask only one whose card fits would show the others that it does.
    if s.hands[dino.owner]:
        s.phase = REACT
    else:
        _before_action(s)


def _react(s: State, actions: Actions) -> None:
    dino = dino_of(s, s.focus)
    action = actions[dino.owner]
    if action == PASS:
        _before_action(s)
        return
    changed = modify(s, dino.owner, dino, s.setup.cards.numbers[action[2:]], "react")
    if not _may_claim(s, dino.owner, changed, dino.body.refs):
        _before_action(s)


# Offers


def _offer(s: State, actions: Actions) -> None:
    cards = {seat: s.setup.cards.numbers[actions[seat][5:]] for seat in sorted(actions) if actions[seat] != PASS}
    if not offers.collect(s, cards) and not offers.await_answers(s):
        _after_window(s)


def _answer(s: State, actions: Actions) -> None:
    (action,) = actions.values()
    offers.answer(s, action.startswith("yes:"))
    if s.phase is not OVER and not s.offers:
        _after_window(s)


def _after_window(s: State) -> None:
    window, focus = s.window, s.focus
    offers.close_window(s)
    if window == TURN_START:
        _incubate(s)
    elif window == BEFORE_REACTION:
        _await_reaction(s, dino_of(s, focus))
    else:
        s.phase = MUTATE


# Natural selection


def _feed_herbivores(s: State) -> None:
    if not feeding.graze(s) and feeding.herb_choices(s):
        s.phase = HERB
    else:
        _feed_carnivores(s)


def _herb(s: State, actions: Actions) -> None:
    verb, _, rest = actions[s.current].partition(":")
    if verb == DONE:
        _feed_carnivores(s)
        return
    ids = [int(id_[1:]) for id_ in rest.split(":")]
    if verb == "take":
        feeding.take_fern(s, dino_of(s, ids[0]))
    else:
        feeding.steal_fern(s, dino_of(s, ids[0]), dino_of(s, ids[1]))
    _feed_herbivores(s)


def _feed_carnivores(s: State) -> None:
    if s.setup.unfed_discard == "immediate":  # M-12
        feeding.bury(s, feeding.hungry(s))
    _hunt(s)


def _hunt(s: State) -> None:
    if feeding.carn_choices(s):
        s.phase = CARN
    elif feeding.survive(s):
        _end_turn(s)
    else:
        s.phase = ALLOC


def _carn(s: State, actions: Actions) -> None:
    verb, *ids = actions[s.current].split(":")
    dinos = [dino_of(s, int(id_[1:])) for id_ in ids]
    if verb == "eat":
        feeding.eat(s, *dinos)
    else:
        s.starving = with_(s.starving, dinos[0].id)
    _hunt(s)


def _alloc(s: State, actions: Actions) -> None:
    age(s, [dino_of(s, int(id_[1:])) for id_ in actions[s.current].removeprefix("give:").split(",")])
    end(s)


def _end_turn(s: State) -> None:
    if s.periods == 0 or s.turn == s.setup.turn_cap:  # N-53, M-20
        end(s)
        return
    clear_turn(s)
    s.current = (s.current + 1) % s.setup.seats  # M-02
    _begin_turn(s)


_STEPS: Final[dict[Phase, Callable[[State, Actions], None]]] = {
    FLIP: _flip,
    FIRST: _first,
    DISCARD: _discard,
    DRAW: _draw,
    CARD: _card,
    MUTATE: _mutate,
    BONUS: _bonus,
    OFFER: _offer,
    ANSWER: _answer,
    REACT: _react,
    HERB: _herb,
    CARN: _carn,
    ALLOC: _alloc,
}


# Choices: who acts on entering a phase, and the legal actions.


def ready(state: State) -> State:
    """The state with its choices, which follow from the rest."""
    state.choices = _CHOICES[state.phase](state)
    return state


def _unlisted(_: State) -> Choices:
    """Chance draws cards: too many to list in every state. `legal` lists them when it is called."""
    return {CHANCE: ()}


def _first_choices(s: State) -> Choices:
    return {CHANCE: tuple([f"first:{seat}" for seat in weakest(s)])}


def _discard_choices(s: State) -> Choices:
    discards = s.setup.cards.discards
    return {s.current: (*[discards[card] for card in s.hands[s.current]], OK)}


def _draw_choices(s: State) -> Choices:
    """The decks that have a card, or will have after they are rebuilt (N-14, M-04)."""
    full = ALL_FULL if all(s.decks) else tuple([bool(deck or pile) for deck, pile in zip(s.decks, s.discards)])
    return {s.current: s.setup.draws[full]}


def _mutate_choices(s: State) -> Choices:
    deck, hand, closed = s.setup.cards, s.hands[s.current], s.closed
    if not hand:
        return {s.current: (END,)}
    fits, fits_meat = deck.fits
    fitting = [card for card in hand if fits[card]], [card for card in hand if fits_meat[card]]
    mods = [
        actions[card]
        for dino in s.dinos
        if dino.id not in closed
        for actions in [deck.mods(dino.id)]
        for card in fitting[dino.body.is_carnivore]
    ]
    return {s.current: (*_hatches(deck, hand), *mods, END)}


def _hatches(deck: Deck, hand: Cards) -> list[str]:
    """Every complete dinosaur in a hand (N-20)."""
    ids, parts = deck.ids, deck.parts
    if len(hand) < len(PARTS) or len({parts[card] for card in hand}) < len(PARTS):
        return []
    by_part = [[ids[card] for card in hand if parts[card] == part] for part in range(len(PARTS))]
    return ["hatch:" + ",".join(four) for four in product(*by_part)]


def _bonus_choices(s: State) -> Choices:
    return {s.maker: ("bonus", NO)}


def _react_choices(s: State) -> Choices:
    dino, deck = dino_of(s, s.focus), s.setup.cards
    fits, reactions = deck.fits[dino.body.is_carnivore], deck.reactions
    return {dino.owner: (*[reactions[card] for card in s.hands[dino.owner] if fits[card]], PASS)}


_CHOICES: Final[dict[Phase, Callable[[State], Choices]]] = {
    FLIP: _unlisted,
    FIRST: _first_choices,
    DISCARD: _discard_choices,
    DRAW: _draw_choices,
    CARD: _unlisted,
    MUTATE: _mutate_choices,
    BONUS: _bonus_choices,
    OFFER: offers.offer_choices,
    ANSWER: offers.answer_choices,
    REACT: _react_choices,
    HERB: lambda s: {s.current: feeding.herb_choices(s)},
    CARN: lambda s: {s.current: feeding.carn_choices(s)},
    ALLOC: lambda s: {s.current: feeding.alloc_choices(s)},
    OVER: lambda _: {},
}
