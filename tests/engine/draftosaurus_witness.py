"""What the conformance kit cannot know of Draftosaurus: its pieces, what a seat cannot see, and its symmetry."""

from dataclasses import replace
from typing import Any

from engine.conformance import Witness
from engine.contract import Dice, Seat
from engine.draftosaurus.pieces import census, in_order
from engine.draftosaurus.rules import ready
from engine.draftosaurus.state import FIRST, State


def pieces(state: State) -> tuple[int, ...]:
    """Every dinosaur of this game: in zoos, hands, on the way, in the box and in the bag."""
    return census("".join([*map("".join, state.zoos), *state.hands, *state.picks, *state.box, state.stage.bag]))


def twin(state: State, seat: Seat | None, dice: Dice) -> State:
    """The same state with all that is hidden from the seat thrown together and dealt out again."""
    unseen_hands = [other for other in range(len(state.hands)) if seat not in _holders(state, other)]
    unseen_boxed = [(other, i) for other in range(len(state.box)) for i in _unseen_discards(state, seat, other)]
    public = state.stage.setup.discard_visibility == "public"
    shown = [state.drops[other] if state.drops and public else "" for other in unseen_hands]
    rests = [state.hands[other].replace(drop, "", len(drop)) for other, drop in zip(unseen_hands, shown)]
    hidden = [*rests, *(state.box[other][i] for other, i in unseen_boxed)]
    pool = "".join([*hidden, state.stage.bag])
    mixed = dice.draw("twin", pool, len(pool))
    hands, box = list(state.hands), [list(boxed) for boxed in state.box]
    for other, drop, rest in zip(unseen_hands, shown, rests):
        hands[other] = in_order([drop, *(mixed.pop() for _ in rest)])
    for other, i in unseen_boxed:
        box[other][i] = mixed.pop()
    drops = tuple(drop if seat == other or public else hands[other][-1] for other, drop in enumerate(state.drops))
    stage = replace(state.stage, bag=in_order(mixed))
    return ready(replace(state, stage=stage, hands=tuple(hands), box=tuple(map("".join, box)), drops=drops))


def _holders(state: State, other: Seat) -> set[Seat]:
    """Who has held, in this round, the hand that this seat holds now."""
    return {(other - turns_ago) % len(state.hands) for turns_ago in range(state.turn + 1)}


def _unseen_discards(state: State, seat: Seat | None, other: Seat) -> list[int]:
    """A hidden discard is unseen unless it came from a hand that the seat had held before."""
    if state.stage.setup.discard_visibility == "public" or seat == other:
        return []
    turns = range(len(state.box[other]))
    return [i for i in turns if seat is None or i % state.stage.setup.turns == 0]


def rotate(state: State) -> State:
    """Every player one seat further."""
    turned: dict[str, Any] = {
        name: _turn(getattr(state, name)) for name in ("hands", "zoos", "picks", "drops", "box") if getattr(state, name)
    }
    # Before the first roll nobody is first yet.
    first = 0 if state.phase is FIRST else (state.stage.first + 1) % len(state.hands)
    stage = replace(state.stage, first=first, summer=_turn(state.stage.summer))
    return ready(replace(state, stage=stage, **turned))


def _turn(values: tuple) -> tuple:
    return values[-1:] + values[:-1]


WITNESS = Witness(pieces, twin, rotate)
