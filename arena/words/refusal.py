"""Why an action is refused, in the game's own words."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from arena.texts import quoted
from arena.words.plain import Who
from engine.contract import Game, why_not
from engine.dice import Seed
from engine.errors import IllegalAction

if TYPE_CHECKING:
    from protocol.messages import Decide

LISTED = 12
"""Up to this many choices are repeated after the reason."""


def refusal(game: Game[Any], question: "Decide", seat: int, spellings: Sequence[str], who: Who) -> str:
    """Why none of these spellings of an action is possible. It does not depend on what the seat cannot see."""
    state = game.determinize(question.view, Seed(0))
    found = [why_not(game, state, seat, spelled) for spelled in spellings if spelled not in question.legal]
    forbidden = next((error for error in reversed(found) if isinstance(error, IllegalAction)), None)
    if forbidden is not None:  # a real action: the rule says why
        words = str(forbidden)
    else:  # the grammar of actions is for bots
        words = f"{quoted(spellings[-1])} is not one of the choices. Legal: {' '.join(question.legal)}."
    if len(question.legal) > LISTED:
        words = words.partition(" Legal: ")[0]  # longer than the list above it
    words = words.removeprefix(f"seat {seat}: ").replace(f"of seat {seat}", "of yours")
    return re.sub(r"\bseat (\d+)", lambda found: who(int(found[1])), words)
