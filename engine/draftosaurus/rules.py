"""The course of the game: who may do what, and what happens then.

    FIRST -> DEAL -> (ROLL -> PICK -> PLACE -> [DISCARD] -> pass) x turns -> DEAL ... -> [QUARANTINE] -> OVER

FIRST only with a random first roller; DRAFT replaces PICK and PLACE under commit=pick_and_place; DISCARD only
with two players. In a summer_winter match the winter game follows the summer game, beginning with DEAL.

A state knows its legal actions: each step ends by entering the next phase, which lists them once.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Final

from engine.contract import CHANCE, Dice, Seat, Value, wrong_seats
from engine.draftosaurus.boards import RV, Zoo
from engine.draftosaurus.options import HAND, ROLLS, Choices, Setup, set_up
from engine.draftosaurus.pieces import REST, SPECIES, Lookup, in_order
from engine.draftosaurus.refusals import CHANCE_GRAMMAR, STAY, refusal
from engine.draftosaurus.scoring import breakdown
from engine.draftosaurus.state import (
    DEAL,
    DISCARD,
    DRAFT,
    FIRST,
    OVER,
    PICK,
    PLACE,
    QUARANTINE,
    ROLL,
    Group,
    Phase,
    RoundStage,
    State,
    board,
    quarantined,
)
from engine.errors import IllegalAction, MalformedAction

Zoos = tuple[Zoo, ...]
Rooms = tuple[int, ...]
Actions = Mapping[Seat, str]

ONLY_CHANCE: Final = (CHANCE,)
DICE: Final = ("die.0", "die.1")
"""The names of the rolls of each game."""

DISCARDS: Final = Lookup[str, tuple[str, ...]](lambda hand: tuple(f"x{dino}" for dino in REST[hand]))
HANDS: Final = {hand: hand for hand in map(in_order, combinations_with_replacement(SPECIES, HAND))}
_BY_LETTERS: Final = {"".join(sorted(hand)): hand for hand in HANDS}
"""Hands by their letters in the order of the alphabet: half the time that sorting by species takes."""


def start(seats: int, options: Mapping[str, Value]) -> State:
    """The empty table."""
    setup = set_up(seats, options)
    if setup.first_roller == "random":
        return _new_game(setup, FIRST, game=0, first=0, summer=())
    return _new_game(setup, DEAL, game=0, first=int(setup.first_roller), summer=())


def to_act(state: State) -> tuple[Seat, ...]:
    return state.actors


def legal(state: State, seat: Seat) -> tuple[str, ...]:
    return state.choices[seat]


def fallback(state: State, seat: Seat) -> str:
    """The first pick or discard; the River for a dinosaur that must go somewhere."""
    choices = legal(state, seat)
    return next((action for action in choices if action.partition("x")[0].endswith(RV)), choices[0])


def deal(state: State, dice: Dice) -> str:
    """Chance's action. Rolls and draws are named by game and round, so they never depend on what players do."""
    stage = state.stage
    setup, bag = stage.setup, stage.bag
    if state.phase is ROLL:
        return ROLLS[dice.roll(DICE[stage.game], len(ROLLS), stage.round * setup.turns + state.turn)]
    if state.phase is FIRST:
        return f"first:{dice.roll('first', setup.seats, 0)}"
    drawn = dice.draw(f"bag.{stage.game}.{stage.round}", bag, HAND * setup.seats)
    hands = []
    for i in range(0, len(drawn), HAND):
        hands.append(_BY_LETTERS["".join(sorted(drawn[i : i + HAND]))])
    return "deal:" + ",".join(hands)


def apply(state: State, actions: Actions) -> State:
    """The state after one action from every seat that acts."""
    actors, choices = state.actors, state.choices
    if len(actions) != len(actors):
        raise wrong_seats(actors, actions)
    for seat in actors:
        if seat not in actions:
            raise wrong_seats(actors, actions)
        if actions[seat] not in choices[seat] and state.phase is not DEAL:
            raise refusal(state, seat, actions[seat])
    return _STEPS[state.phase](state, actions)


# Steps: what each phase does with the actions, which `apply` has found legal (except a deal, too long to list).
# They are loops, not comprehensions, because in Python 3.11 a comprehension costs 150 ns before its first item.


def _new_game(setup: Setup, phase: Phase, game: int, first: Seat, summer: Zoos) -> State:
    nothing = ("",) * setup.seats
    stage = RoundStage(setup, game, 0, first, setup.supply, summer)
    return ready(State(stage, phase, 0, "", nothing, (setup.boards[game].empty,) * setup.seats, (), (), nothing))


def _first(state: State, actions: Actions) -> State:
    first = int(actions[CHANCE].removeprefix("first:"))
    return _new_game(state.stage.setup, DEAL, game=0, first=first, summer=())


def _deal(state: State, actions: Actions) -> State:
    stage, action = state.stage, actions[CHANCE]
    verb, _, dealt = action.partition(":")
    hands = tuple([HANDS.get(hand, "") for hand in dealt.split(",")])
    if verb != "deal" or len(hands) != stage.setup.seats or "" in hands:
        raise MalformedAction(CHANCE, action, CHANCE_GRAMMAR[DEAL])
    bag = ""
    for dino in SPECIES:
        left = stage.bag.count(dino) - dealt.count(dino)
        if left < 0:
            raise IllegalAction(CHANCE, action, f"the bag holds {stage.bag}", "D-07")
        bag += dino * left
    setup, zoos, rooms = stage.setup, state.zoos, state.rooms
    dealt_stage = RoundStage(setup, stage.game, stage.round, stage.first, bag, stage.summer)
    return State(dealt_stage, ROLL, 0, "", hands, zoos, (), (), state.box, rooms, ONLY_CHANCE, setup.rolls)


def _roll(state: State, actions: Actions) -> State:
    stage, turn, hands, zoos, rooms = state.stage, state.turn, state.hands, state.zoos, state.rooms
    setup, die = stage.setup, actions[CHANCE][-1]
    if setup.places_with_pick:
        phase, choices = DRAFT, _draft_choices(stage, turn, die, hands, rooms)
    else:
        phase, choices = PICK, _hand_choices(setup.picks, hands)
    return State(stage, phase, turn, die, hands, zoos, (), (), state.box, rooms, setup.everyone, choices)


def _pick(state: State, actions: Actions) -> State:
    stage, turn, die, zoos, rooms = state.stage, state.turn, state.die, state.zoos, state.rooms
    picks, hands = [], []
    for seat, hand in enumerate(state.hands):
        dino = actions[seat][0]
        picks.append(dino)
        hands.append(REST[hand][dino])
    drops = tuple(actions[seat][2] for seat in state.actors) if stage.setup.drops_with_pick else ()
    choices = _place_choices(stage, turn, die, picks, rooms)
    return State(
        stage, PLACE, turn, die, tuple(hands), zoos, tuple(picks), drops, state.box, rooms, state.actors, choices
    )


def _place(state: State, actions: Actions) -> State:
    stage, turn, hands, before = state.stage, state.turn, state.hands, state.rooms
    setup, side = stage.setup, stage.setup.boards[stage.game]
    zoos, rooms = [], []
    for seat, zoo in enumerate(state.zoos):
        grown, room = side.placed(zoo, before[seat], actions[seat])
        zoos.append(grown)
        rooms.append(room)
    if not setup.discards or state.drops:
        return _end_turn(stage, turn, hands, tuple(zoos), tuple(rooms), state.box, state.drops)
    choices = _hand_choices(DISCARDS, hands)
    return State(stage, DISCARD, turn, "", hands, tuple(zoos), (), (), state.box, tuple(rooms), setup.everyone, choices)


def _draft(state: State, actions: Actions) -> State:
    """Pick and place in one go: D@FSxC is the pick DxC and the placement D@FS."""
    halves = {seat: action.partition("x") for seat, action in actions.items()}
    picked = _pick(state, {seat: placement[0] + x + drop for seat, (placement, x, drop) in halves.items()})
    return _place(picked, {seat: placement for seat, (placement, _, _) in halves.items()})


def _discard(state: State, actions: Actions) -> State:
    drops = (actions[0][1], actions[1][1])
    return _end_turn(state.stage, state.turn, state.hands, state.zoos, state.rooms, state.box, drops)


def _end_turn(stage: RoundStage, turn: int, hands: Group, zoos: Zoos, rooms: Rooms, box: Group, drops: Group) -> State:
    setup = stage.setup
    if drops:  # D-15
        hands = (REST[hands[0]][drops[0]], REST[hands[1]][drops[1]])
        box = (box[0] + drops[0], box[1] + drops[1])
    if turn + 1 < setup.turns:
        passed = hands[-1:] + hands[:-1]  # D-12: seat i gives to seat i + 1
        return State(stage, ROLL, turn + 1, "", passed, zoos, (), (), box, rooms, ONLY_CHANCE, setup.rolls)
    if stage.round + 1 < setup.rounds:
        next_round = RoundStage(setup, stage.game, stage.round + 1, stage.first, stage.bag, stage.summer)
        return State(next_round, DEAL, 0, "", hands, zoos, (), (), box, rooms, ONLY_CHANCE, setup.deals)
    last = State(stage, QUARANTINE, turn, "", hands, zoos, (), (), box)
    return ready(last) if quarantined(last) else _end_game(last, zoos)


def _quarantine(state: State, actions: Actions) -> State:
    zoos = list(state.zoos)
    for seat, move in actions.items():
        zoos[seat] = _moved(state, seat, move)
    return _end_game(state, tuple(zoos))


def _moved(state: State, seat: Seat, move: str) -> Zoo:
    zoo = state.zoos[seat]
    return zoo if move == STAY else board(state).moved(zoo, move.removeprefix("Q>"))


def _end_game(state: State, zoos: Zoos) -> State:
    stage, setup = state.stage, state.stage.setup
    if stage.game + 1 == len(setup.boards):
        return State(stage, OVER, state.turn, "", state.hands, zoos, (), (), state.box, (), (), setup.deals)
    first = (stage.first + (setup.match_second_start == "next")) % setup.seats
    return _new_game(setup, DEAL, stage.game + 1, first, zoos)


_STEPS: Final[dict[Phase, Callable[[State, Actions], State]]] = {
    FIRST: _first,
    DEAL: _deal,
    ROLL: _roll,
    PICK: _pick,
    PLACE: _place,
    DRAFT: _draft,
    DISCARD: _discard,
    QUARANTINE: _quarantine,
    OVER: lambda state, _: state,
}


# Choices: the legal actions of all seats on entering a phase, chance's last.


def ready(state: State) -> State:
    """The state with what follows from it: rooms, actors and choices."""
    rooms = () if state.phase is OVER else tuple(map(board(state).room, state.zoos))
    actors, choices = _offer(state, rooms)
    return State(
        state.stage, state.phase, state.turn, state.die, state.hands, state.zoos, state.picks, state.drops, state.box,
        rooms, actors, choices,
    )  # fmt: skip


def _offer(state: State, rooms: Rooms) -> tuple[tuple[Seat, ...], Choices]:
    stage, turn, die, hands = state.stage, state.turn, state.die, state.hands
    setup = stage.setup
    match state.phase:
        case Phase.FIRST:
            return ONLY_CHANCE, setup.firsts
        case Phase.DEAL:
            return ONLY_CHANCE, setup.deals
        case Phase.ROLL:
            return ONLY_CHANCE, setup.rolls
        case Phase.PICK:
            return setup.everyone, _hand_choices(setup.picks, hands)
        case Phase.PLACE:
            return setup.everyone, _place_choices(stage, turn, die, state.picks, rooms)
        case Phase.DRAFT:
            return setup.everyone, _draft_choices(stage, turn, die, hands, rooms)
        case Phase.DISCARD:
            return setup.everyone, _hand_choices(DISCARDS, hands)
        case Phase.QUARANTINE:
            return quarantined(state), _quarantine_choices(state, rooms)
    return (), setup.deals


def _hand_choices(by_hand: Lookup[str, tuple[str, ...]], hands: Group) -> Choices:
    choices = []
    for hand in hands:
        choices.append(by_hand[hand])
    return (*choices, ())


def _place_choices(stage: RoundStage, turn: int, die: str, picks: Sequence[str], rooms: Rooms) -> Choices:
    side, free = stage.setup.boards[stage.game], stage.setup.exempt[stage.round][stage.first][turn]
    # Board.placements for each seat, without the call: a playout of five takes 3 % less.
    listed, bound, unbound = side.listed, side.masks[die], side.masks[""]
    choices = []
    for seat, dino in enumerate(picks):
        choices.append(listed[rooms[seat] & (unbound if seat == free else bound)[dino]])
    return (*choices, ())


def _draft_choices(stage: RoundStage, turn: int, die: str, hands: Group, rooms: Rooms) -> Choices:
    setup = stage.setup
    free = setup.exempt[stage.round][stage.first][turn]
    placements = setup.boards[stage.game].placements
    choices = []
    for seat, hand in enumerate(hands):
        room, face = rooms[seat], "" if seat == free else die
        listed: tuple[str, ...] = ()
        for dino, rest in REST[hand].items():
            placed = placements(room, dino, face)
            if setup.drops_with_pick:
                placed = tuple(f"{one}x{drop}" for one in placed for drop in REST[rest])
            listed += placed
        choices.append(listed)
    return (*choices, ())


def _quarantine_choices(state: State, rooms: Rooms) -> Choices:
    actors = quarantined(state)
    moves = [_moves(state, seat, room) if seat in actors else () for seat, room in enumerate(rooms)]
    return (*moves, ())


def _moves(state: State, seat: Seat, room: int) -> tuple[str, ...]:
    setup = state.stage.setup
    moves = tuple([f"Q>{placement[2:]}" for placement in board(state).moves(state.zoos[seat], room)])
    if setup.quarantine_move == "may":
        moves += (STAY,)
    if setup.quarantine_resolution == "auto_best":
        return (max(moves, key=lambda move: _worth(state, seat, move)),)  # X-08; max takes the first of equals
    return moves


def _worth(state: State, seat: Seat, move: str) -> int:
    zoos = (*state.zoos[:seat], _moved(state, seat, move), *state.zoos[seat + 1 :])
    return sum(breakdown(state.stage.setup, state.stage.game, zoos, seat).values())
