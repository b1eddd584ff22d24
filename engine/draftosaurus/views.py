"""What each seat may know of a position, and a position that it cannot rule out.

Hands travel, so a seat knows every hand it has held in this round: picks are public, and with two players a discard
from a hand one has seen shows as soon as the hand comes back. The hand in front of seat j was in front of seat i
(j - i) mod n turns ago. So a view shows hands, not history, and a bot needs no memory.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.contract import Dice, Seat, View
from engine.draftosaurus.boards import Board, Zoo
from engine.draftosaurus.options import HAND, PER_SPECIES, Setup, set_up
from engine.draftosaurus.pieces import SPECIES, UNKNOWN, in_order
from engine.draftosaurus.rules import ready
from engine.draftosaurus.state import FIRST, Phase, RoundStage, State, board, face, hand_size, roller
from engine.errors import NotationError

_WORDS: Final = {phase: phase.value for phase in Phase}
"""Python 3.11 takes as long to look up `value` as to make a list of five."""


def view(state: State, seat: Seat | None) -> View:
    """All that a seat may know; None is a spectator. Rounds and turns count from 1, seats from 0."""
    return public(state) | private(state, seat)


def public(state: State) -> View:
    """What everybody may know."""
    stage, setup, side = state.stage, state.stage.setup, board(state)
    known: View = {
        "phase": _WORDS[state.phase],
        "season": side.season,
        "game": stage.game + 1,
        "round": stage.round + 1,
        "turn": state.turn + 1,
        "seats": setup.seats,
        "options": dict(setup.changed),
        "first": None if state.phase is FIRST else stage.first,
        "roller": None if state.phase is FIRST else roller(state),
        "die": state.die or None,
        "bound": [bool(face(state, other)) for other in setup.everyone],
        "zoos": [pens(side, zoo) for zoo in state.zoos],
        "hand_size": hand_size(setup, state.phase, state.turn),
        "bag_size": len(stage.bag),
        "per_species": PER_SPECIES[setup.seats],
        "picks": list(state.picks) or None,
    }
    if stage.summer:
        known["summer"] = [pens(setup.boards[0], zoo) for zoo in stage.summer]
    return known


def private(state: State, seat: Seat | None) -> View:
    """What only this seat may know, or not all others."""
    setup = state.stage.setup
    known: View = {"seat": seat, "hands": _hands(state, seat)}
    if setup.discards:
        known["discards"] = [_discards_seen(state, seat, other) for other in setup.everyone]
        known["drops"] = [drop if sees_drop(state, seat, other) else None for other, drop in enumerate(state.drops)]
    return known


def pens(side: Board, zoo: Zoo) -> dict[str, str]:
    """A zoo by pen, the empty ones left out."""
    return {name: contents for name, contents in zip(side.names, zoo) if contents}


# The seats whose hands a seat has held, by number of seats, seat and turn.
_HELD: Final = {
    seats: [
        [[other for other in range(seats) if (other - seat) % seats <= turn] for turn in range(HAND)]
        for seat in range(seats)
    ]
    for seats in PER_SPECIES
}


def _hands(state: State, seat: Seat | None) -> list[str | None]:
    """The hands that a seat has held; an empty hand is not a secret."""
    if seat is None:
        return [hand if hand == "" else None for hand in state.hands]
    hands = state.hands
    if "" in hands:  # then all are empty
        return list(hands)
    known: list[str | None] = [None] * len(hands)
    for other in _HELD[len(hands)][seat][state.turn]:
        known[other] = hands[other]
    return known


def _discards_seen(state: State, seat: Seat | None, other: Seat) -> str:
    """The other's discards; one from a hand that this seat had not held yet stays unknown (X-06)."""
    boxed, setup = state.box[other], state.stage.setup
    if setup.discard_visibility == "public" or seat == other:
        return boxed
    return "".join(UNKNOWN if seat is None or i % setup.turns == 0 else dino for i, dino in enumerate(boxed))


def sees_drop(state: State, seat: Seat | None, other: Seat) -> bool:
    """Whether a seat sees what another has chosen to discard, before it leaves the hand (X-06)."""
    return state.stage.setup.discard_visibility == "public" or seat == other


# A position that fits


def determinize(seen: View, dice: Dice) -> State:
    """A full state that this view cannot rule out, every way to fill in what it hides being equally likely."""
    setup = set_up(seen["seats"], {**seen["options"]})
    game = seen["game"] - 1
    side, phase = setup.boards[game], Phase(seen["phase"])
    zoos = tuple(_zoo(side, zoo) for zoo in seen["zoos"])
    picks = tuple(seen["picks"] or ())
    box = seen.get("discards", [""] * setup.seats)
    dropping = seen.get("drops") or [None] * setup.seats
    hands = [_blank(seen["hand_size"], drop) if hand is None else hand for hand, drop in zip(seen["hands"], dropping)]
    blanks = [*hands, *box, UNKNOWN * seen["bag_size"]]
    known = "".join([*map("".join, zoos), *picks, *blanks])
    unseen = "".join(dino * max(0, setup.supply.count(dino) - known.count(dino)) for dino in SPECIES)
    if len(unseen) < known.count(UNKNOWN):
        raise NotationError(f"this view hides {known.count(UNKNOWN)} dinosaurs, but only {unseen!r} are left for it")
    filled = _fill(blanks, dice.draw("determinize", unseen, known.count(UNKNOWN)))
    hands, box, bag = filled[: setup.seats], filled[setup.seats : -1], in_order(filled[-1])
    hands = [in_order(hand) for hand in hands]
    stage = RoundStage(setup, game, seen["round"] - 1, seen["first"] or 0, bag, _summer(setup, seen))
    drops = tuple(
        hand[dice.roll("determinize.drop", len(hand), i)] if drop is None else drop
        for i, (drop, hand) in enumerate(zip(seen.get("drops", ()), hands))
    )
    return ready(State(stage, phase, seen["turn"] - 1, seen["die"] or "", tuple(hands), zoos, picks, drops, tuple(box)))


def _blank(size: int, drop: str | None) -> str:
    """An unknown hand; a drop that is known is still in it."""
    return (drop or "") + UNKNOWN * (size - len(drop or ""))


def _zoo(side: Board, contents: Mapping[str, str]) -> Zoo:
    return tuple(contents.get(name, "") for name in side.names)


def _summer(setup: Setup, seen: View) -> tuple[Zoo, ...]:
    return tuple(_zoo(setup.boards[0], zoo) for zoo in seen.get("summer", ()))


def _fill(texts: Sequence[str], drawn: Sequence[str]) -> list[str]:
    """The texts with their unknown dinosaurs replaced, in order, by those drawn."""
    rest = iter(drawn)
    return ["".join(next(rest) if dino == UNKNOWN else dino for dino in text) for text in texts]
