"""The games that can be played: those shipped here, and those that other packages plug in.

A package adds a game with an entry point of the group `arena.games` whose name is the game's name and whose object
is a Game:

    [project.entry-points."arena.games"]
    nim = "my_package.nim:GAME"

A game is imported when it is first asked for by name: `import engine` then takes 60 ms less. Plug-ins are looked for
when a name is not one of ours: `importlib.metadata` takes 20 ms.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.contract import Game
from engine.errors import UnknownGame
from engine.texts import meant, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "arena.games"
SHIPPED = ("draftosaurus", "dinodocus")
"""Not in our own pyproject.toml, so that no package can replace them, and a checkout needs no new installation."""

MEMBERS = (*Game.__annotations__, *(name for name in vars(Game) if not name.startswith("_")))
"""What a Game has."""


def names() -> list[str]:
    """The names of all games, sorted. Nothing is imported, so a broken plug-in is listed too."""
    from importlib.metadata import entry_points

    return sorted({*SHIPPED, *(point.name for point in entry_points(group=GROUP))})


def game(name: str) -> Game[Any]:
    """The game of this name. UnknownGame lists the names there are, or says why a plug-in does not load."""
    if name in SHIPPED:
        return import_module(f"engine.{name}").GAME  # type: ignore[no-any-return]
    from importlib.metadata import entry_points

    points = list(entry_points(group=GROUP, name=name))
    if not points:
        raise UnknownGame(f"unknown game {quoted(name)}.{meant(name, names())} Games: {', '.join(names())}.")
    if len(points) > 1:
        raise UnknownGame(f"game {name} is offered by several packages: {', '.join(map(origin, points))}. Keep one.")
    return _load(points[0])


def _load(point: "EntryPoint") -> Game[Any]:
    try:
        loaded = point.load()
    except Exception as error:  # a plug-in may raise anything when it is imported; the user needs one clear line
        raise UnknownGame(f"game {point.name} of {origin(point)} does not load: {error!r}.") from error
    if getattr(loaded, "name", None) != point.name:
        raise UnknownGame(f"game {point.name} of {origin(point)} is not a Game of that name: {loaded!r}.")
    if missing := [name for name in MEMBERS if not hasattr(loaded, name)]:
        raise UnknownGame(f"game {point.name} of {origin(point)} is not a whole Game, it lacks {', '.join(missing)}.")
    return loaded  # type: ignore[no-any-return]  # engine.conformance checks whether it keeps the promises


def origin(point: "EntryPoint") -> str:
    """Where a plug-in comes from: its package, and the object in it."""
    package = point.dist.name if point.dist else "an unknown package"
    return f"{package} ({point.value})"
