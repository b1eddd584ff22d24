"""How long timelines are."""

from typing import Final

from engine.contract import Outcome, Seat, ranks
from engine.dinodocus.state import OVER, State

STEPS: Final = (1, 2, 3, 4)
"""By how much each of the first cards of a dinosaur makes a timeline longer; every further card by LAST (N-52)."""
LAST: Final = 5
HIDDEN: Final = "hidden"


def length(periods: int) -> int:
    """The length of timeline that a dinosaur with this number of period cards is worth (N-52)."""
    return sum(STEPS[:periods]) + LAST * max(0, periods - len(STEPS))


def timeline(state: State, seat: Seat) -> dict[str, int]:
    """A player's points by dinosaur, as if all were extinct (N-54), and for accepted offers (N-65)."""
    aged = [*state.timelines[seat], *((d.id, d.periods) for d in state.dinos if d.owner == seat and d.periods)]
    points = {f"d{id_}": length(periods) for id_, periods in sorted(aged)}
    return {**points, HIDDEN: length(state.hidden[seat])} if state.setup.advanced else points


def tally(state: State) -> Outcome:
    """Scores, ranks and points by dinosaur as if the game ended here; a tie is shared (M-14)."""
    parts = tuple(timeline(state, seat) for seat in state.setup.everyone)
    scores = tuple(sum(part.values()) for part in parts)
    return Outcome(scores, ranks(scores), parts)


def outcome(state: State) -> Outcome | None:
    return tally(state) if state.phase is OVER else None
