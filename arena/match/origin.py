"""The state in which a match begins: the game's own, or for a branch the position in its header."""

from typing import Any

from arena.match.record import Header
from engine.contract import Game
from engine.errors import NotationError


def first_state(game: Game[Any], header: Header) -> Any:
    """The first state of a match. SetupError for options that the game does not take.

    NotationError for a position that is not one of this game, or has other options or players than the header.
    """
    start = game.start(len(header.players), header.options)
    if header.parent is None:
        return start
    try:
        state = game.parse(header.parent.position)
    except NotationError as error:
        raise NotationError(f"the position of the header: {error}") from None
    for what, own, due in zip(("players", "options"), _frame(game, state), _frame(game, start)):
        if own != due:
            raise NotationError(f"the position of the header has other {what} than the header itself.")
    return state


def _frame(game: Game[Any], state: Any) -> tuple[int, Any]:
    """What no step changes: the number of players, and the options as far as the game shows them."""
    return len(game.tally(state).scores), game.public(state).get("options")
