"""What each seat sees happen, computed from two successive states."""

from collections.abc import Callable, Sequence
from typing import Final

from engine.contract import Event, Seat
from engine.draftosaurus.boards import Zoo
from engine.draftosaurus.pieces import REST, UNKNOWN
from engine.draftosaurus.refusals import STAY
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
    State,
    board,
    roller,
)
from engine.draftosaurus.views import sees_drop


def events(before: State, after: State, seat: Seat | None) -> list[Event]:
    """What a seat saw happen between two successive states."""
    (seen,) = witnessed(before, after, (seat,))
    return seen


def witnessed(before: State, after: State, seats: Sequence[Seat | None]) -> list[list[Event]]:
    """What each of these seats saw: what all see, what only the seat itself sees, and what follows."""
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
        seen.append(happened + last if last else happened)
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
        {"event": "drop", "seat": other, "dino": drop if sees_drop(after, seat, other) else UNKNOWN}
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

_EVENTS: Final[dict[Phase, tuple[Public, Secret | None]]] = {
    FIRST: (_first, None),
    DEAL: (_nothing, _deal),
    ROLL: (_roll, None),
    PICK: (_pick, _drop),
    PLACE: (_place, _discard_after_placing),
    DRAFT: (_place, _discard_after_placing),
    DISCARD: (_nothing, _discard),
    QUARANTINE: (_quarantine, None),
}
"""What all seats see happen in a phase, and what differs by seat."""
