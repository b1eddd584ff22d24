"""What each seat may know of a position, what it sees happen, and a position that it cannot rule out.

Hands travel, so a seat knows every hand it has held in this round: picks are public, and with two players a discard
from a hand one has seen shows as soon as the hand comes back. The hand in front of seat j was in front of seat i
(j - i) mod n turns ago. Hence a view tells hands, not history, and a bot needs no memory.
"""

from collections.abc import Callable, Mapping, Sequence

from engine.dice import Dice
from engine.draftosaurus.boards import Board, Zoo
from engine.draftosaurus.options import PER_SPECIES, Setup
from engine.draftosaurus.pieces import REST, SPECIES, in_order
from engine.draftosaurus.refusals import STAY
from engine.draftosaurus.rules import ready, set_up
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
    Stage,
    State,
    board,
    face,
    hand_size,
    roller,
)
from engine.errors import NotationError
from engine.game import Event, Seat, View

UNKNOWN = "?"
"""A discard that a seat has not seen."""


def view(state: State, seat: Seat | None) -> View:
    """All that a seat may know; None is a spectator. Rounds and turns count from 1, seats from 0."""
    return public(state) | private(state, seat)


def public(state: State) -> View:
    """What everybody may know."""
    stage, setup, side = state.stage, state.stage.setup, board(state)
    known: View = {
        "phase": state.phase.value,
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
        known["drops"] = [drop if _sees_drop(state, seat, other) else None for other, drop in enumerate(state.drops)]
    return known


def pens(side: Board, zoo: Zoo) -> dict[str, str]:
    """A zoo by pen, the empty ones left out."""
    return {name: contents for name, contents in zip(side.names, zoo) if contents}


# How many turns ago a seat has held the hand in front of each seat, by number of seats and seat.
_AGO = {seats: [[(other - seat) % seats for other in range(seats)] for seat in range(seats)] for seats in PER_SPECIES}


def _hands(state: State, seat: Seat | None) -> list[str | None]:
    """The hands that a seat has held; an empty hand is no secret."""
    if seat is None:
        return [hand if hand == "" else None for hand in state.hands]
    turn, ago = state.turn, _AGO[state.stage.setup.seats][seat]
    return [hand if turns <= turn or hand == "" else None for hand, turns in zip(state.hands, ago)]


def _discards_seen(state: State, seat: Seat | None, other: Seat) -> str:
    """The other's discards; one from a hand that this seat had not held yet stays unknown (X-06)."""
    boxed, setup = state.box[other], state.stage.setup
    if setup.discard_visibility == "public" or seat == other:
        return boxed
    return "".join(UNKNOWN if seat is None or i % setup.turns == 0 else dino for i, dino in enumerate(boxed))


def _sees_drop(state: State, seat: Seat | None, other: Seat) -> bool:
    return state.stage.setup.discard_visibility == "public" or seat == other


# Events


def events(before: State, after: State, seat: Seat | None) -> list[Event]:
    """What a seat saw happen between two successive states."""
    (seen,) = witnessed(before, after, (seat,))
    return seen


def witnessed(before: State, after: State, seats: Sequence[Seat | None]) -> list[list[Event]]:
    """What each of these seats saw: what everybody sees, what only the seat itself sees, and what follows."""
    public, secret = _EVENTS[before.phase]
    if before.phase is not DEAL and not before.stage.setup.discards:
        secret = None
    shared, last = public(before, after), _reckoning(before, after)
    passes = after.phase is ROLL and before.phase is not DEAL and not last
    seen = []
    for seat in seats:
        happened = shared + secret(before, after, seat) if secret else shared.copy()
        if passes:
            happened.append({"event": "pass", "hand": _own_hand(after, seat)})
        seen.append(happened + last)
    return seen


def _reckoning(before: State, after: State) -> list[Event]:
    """The scores, when a game has ended."""
    if after.phase is not OVER and after.stage.game == before.stage.game:
        return []
    stage, zoos = before.stage, _zoos_then(before, after)
    scores = [sum(breakdown(stage.setup, stage.game, zoos, other).values()) for other in stage.setup.everyone]
    return [{"event": "score", "season": board(before).season, "scores": scores}]


def _nothing(_before: State, _after: State) -> list[Event]:
    return []


def _first(_before: State, after: State) -> list[Event]:
    return [{"event": "first", "seat": after.stage.first}]


def _deal(_before: State, after: State, seat: Seat | None) -> list[Event]:
    return [{"event": "deal", "round": after.stage.round + 1, "hand": _own_hand(after, seat)}]


def _roll(before: State, after: State) -> list[Event]:
    return [{"event": "roll", "seat": roller(before), "die": after.die}]


def _pick(_before: State, after: State) -> list[Event]:
    return [{"event": "pick", "seat": other, "dino": dino} for other, dino in enumerate(after.picks)]


def _drop(_before: State, after: State, seat: Seat | None) -> list[Event]:
    return [
        {"event": "drop", "seat": other, "dino": drop if _sees_drop(after, seat, other) else UNKNOWN}
        for other, drop in enumerate(after.drops)
    ]


def _place(before: State, after: State) -> list[Event]:
    placements = _placements(before, after)
    return [{"event": "place", "seat": other, "action": action} for other, action in enumerate(placements)]


def _placements(before: State, after: State) -> list[str]:
    side, zoos = board(before), _zoos_then(before, after)
    return [side.difference(was, zoos[other]) for other, was in enumerate(before.zoos)]


def _discard_after_placing(before: State, after: State, seat: Seat | None) -> list[Event]:
    if not before.stage.setup.drops_with_pick:
        return []
    hands = before.hands
    if before.phase is DRAFT:
        hands = tuple(REST[hand][action[0]] for hand, action in zip(hands, _placements(before, after)))
    return _discards(before, _dropped(hands, before, after), seat)


def _discard(before: State, after: State, seat: Seat | None) -> list[Event]:
    return _discards(before, _dropped(before.hands, before, after), seat)


def _dropped(hands: Group, before: State, after: State) -> list[str]:
    """What went into the box: the last one there, or what was left in hand if a new game has emptied the box."""
    return [boxed[-1] for boxed in after.box] if after.stage.game == before.stage.game else list(hands)


def _discards(before: State, drops: Sequence[str], seat: Seat | None) -> list[Event]:
    public = before.stage.setup.discard_visibility == "public"
    held = seat is not None and before.turn > 0
    return [
        {"event": "discard", "seat": other, "dino": dino if public or held or seat == other else UNKNOWN}
        for other, dino in enumerate(drops)
    ]


def _quarantine(before: State, after: State) -> list[Event]:
    side = board(before)
    moves = [(other, before.zoos[other], after.zoos[other]) for other in before.actors]
    return [
        {"event": "move", "seat": other, "action": STAY if was == now else f"Q>{side.difference(was, now)[2:]}"}
        for other, was, now in moves
    ]


def _own_hand(state: State, seat: Seat | None) -> str | None:
    return None if seat is None else state.hands[seat]


def _zoos_then(before: State, after: State) -> tuple[Zoo, ...]:
    """The zoos of the earlier state's game, also if the later one has begun the next game."""
    return after.stage.summer if after.stage.game > before.stage.game else after.zoos


Public = Callable[[State, State], list[Event]]
Secret = Callable[[State, State, Seat | None], list[Event]]

_EVENTS: Mapping[Phase, tuple[Public, Secret | None]] = {
    FIRST: (_first, None),
    DEAL: (_nothing, _deal),
    ROLL: (_roll, None),
    PICK: (_pick, _drop),
    PLACE: (_place, _discard_after_placing),
    DRAFT: (_place, _discard_after_placing),
    DISCARD: (_nothing, _discard),
    QUARANTINE: (_quarantine, None),
}
"""What everybody sees happen in a phase, and what not everybody sees."""


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
    stage = Stage(setup, game, seen["round"] - 1, seen["first"] or 0, bag, _summer(setup, seen))
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
