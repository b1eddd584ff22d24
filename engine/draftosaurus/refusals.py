"""Why an action is refused: the sentence, the rule, and whether it was malformed or illegal."""

import re
from collections.abc import Mapping
from typing import Final

from engine.contract import Seat
from engine.draftosaurus.boards import QZ
from engine.draftosaurus.pieces import FACES
from engine.draftosaurus.state import DEAL, DISCARD, DRAFT, FIRST, PICK, PLACE, QUARANTINE, ROLL, State, board, face
from engine.errors import ActionError, IllegalAction, MalformedAction

STAY: Final = "Q="

GRAMMAR: Mapping[str, str] = {
    PICK: "a species letter, D; with discard_timing=with_pick also the discard, DxC",
    PLACE: "species@pen, D@FS; pyramid cells are PY0 to PY5, the River is RV",
    DRAFT: "species@pen, D@FS; with discard_timing=with_pick also the discard, D@FSxC",
    DISCARD: "x and a species letter, xD",
    QUARANTINE: "Q> and the new pen, Q>BL; Q= to stay, if quarantine_move=may",
}
CHANCE_GRAMMAR: Mapping[str, str] = {
    FIRST: "first: and a seat, first:0",
    DEAL: "deal: and for each seat six letters in the order TDCSGP, deal:TDDCSS,DCSGGP",
    ROLL: f"roll: and one of {' '.join(FACES)}, roll:W",
}

_DINO, _SLOT, _DROP = "(?P<dino>[TDCSGP])", "(?P<slot>[A-Z]+[0-9]?)", "x(?P<drop>[TDCSGP])"
_SHAPES = {
    PICK: re.compile(f"{_DINO}({_DROP})?"),
    PLACE: re.compile(f"{_DINO}@{_SLOT}"),
    DRAFT: re.compile(f"{_DINO}@{_SLOT}({_DROP})?"),
    DISCARD: re.compile(_DROP),
    QUARANTINE: re.compile(f"Q=|Q>{_SLOT}"),
}


def refusal(state: State, seat: Seat, action: str) -> ActionError:
    """The error for an action that is not among the choices."""
    if state.phase in CHANCE_GRAMMAR:
        return MalformedAction(seat, action, CHANCE_GRAMMAR[state.phase])
    legal = state.choices[seat]
    parts = _parts(state, action)
    if parts is None:
        return MalformedAction(seat, action, GRAMMAR[state.phase], legal)
    return IllegalAction(seat, action, *_reason(state, seat, parts), legal)


def _parts(state: State, action: str) -> dict[str, str] | None:
    """The dino, slot and drop that an action names; None if it is malformed."""
    match = _SHAPES[state.phase].fullmatch(action)
    if match is None:
        return None
    parts = {name: part for name, part in match.groupdict().items() if part}
    drops = state.phase is DISCARD or (state.stage.setup.drops_with_pick and state.phase in (PICK, DRAFT))
    if ("slot" in parts and parts["slot"] not in board(state).slots) or ("drop" in parts) != drops:
        return None
    return parts


def _reason(state: State, seat: Seat, parts: Mapping[str, str]) -> tuple[str, str]:
    """Why not, and by which rule."""
    hand, zoo = state.hands[seat], state.zoos[seat]
    dino, slot, drop = parts.get("dino", ""), parts.get("slot", ""), parts.get("drop", "")
    if state.phase is QUARANTINE:
        return _quarantine_reason(state, seat, slot)
    if state.phase is PLACE:
        if dino != state.picks[seat]:
            return f"the dinosaur picked is {state.picks[seat]}", "D-08"
    elif dino not in hand:
        return f"the hand holds {hand}", "D-08"
    rest = hand.replace(dino, "", 1)
    if drop not in rest:
        return f"the hand then holds {rest}" if dino else f"the hand holds {hand}", "D-15"
    return board(state).why_not(zoo, dino, slot, face(state, seat))


def _quarantine_reason(state: State, seat: Seat, slot: str) -> tuple[str, str]:
    if state.stage.setup.quarantine_resolution == "auto_best":
        return "the best move is made for the player", "X-08"
    if not slot:
        return "the dinosaur must leave the quarantine", "X-07"
    zoo, side = state.zoos[seat], board(state)
    return side.why_not(zoo, zoo[side.pen_of[QZ]], slot, "")
