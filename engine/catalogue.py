"""The games that can be played: those shipped here, and those that other packages plug in.

A package adds a game with an entry point of the group `arena.games` whose name is the game's name and whose object
is a Game:

    [project.entry-points."arena.games"]
    nim = "my_package.nim:GAME"
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from engine.dinodocus import GAME as DINODOCUS
from engine.draftosaurus import GAME as DRAFTOSAURUS
from engine.errors import UnknownGame
from engine.game import Game
from engine.texts import quoted

GROUP = "arena.games"
SHIPPED: dict[str, Game[Any]] = {game.name: game for game in (DRAFTOSAURUS, DINODOCUS)}

MEMBERS = (*Game.__annotations__, *(name for name in vars(Game) if not name.startswith("_")))
"""What a Game has."""


def names() -> list[str]:
    """The names of all games, sorted. Nothing is imported, so a broken plug-in is listed too."""
    return sorted({*SHIPPED, *(point.name for point in entry_points(group=GROUP))})


def game(name: str) -> Game[Any]:
    """The game of this name."""
    if name in SHIPPED:
        return SHIPPED[name]
    points = list(entry_points(group=GROUP, name=name))
    if not points:
        raise UnknownGame(f"unknown game {quoted(name)}. Games: {', '.join(names())}.")
    if len(points) > 1:
        raise UnknownGame(f"game {name} is offered by several packages: {', '.join(map(_origin, points))}. Keep one.")
    return _load(points[0])


def _load(point: EntryPoint) -> Game[Any]:
    try:
        loaded = point.load()
    except Exception as error:  # whatever a stranger's module does when imported, the user needs one clear line
        raise UnknownGame(f"game {point.name} of {_origin(point)} does not load: {error!r}.") from error
    if getattr(loaded, "name", None) != point.name:
        raise UnknownGame(f"game {point.name} of {_origin(point)} is not a Game of that name: {loaded!r}.")
    if missing := [name for name in MEMBERS if not hasattr(loaded, name)]:
        raise UnknownGame(f"game {point.name} of {_origin(point)} is not a whole Game, it lacks {', '.join(missing)}.")
    return loaded  # type: ignore[no-any-return]  # the conformance kit is what tells whether it is one


def _origin(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else "an unknown package"
    return f"{package} ({point.value})"
