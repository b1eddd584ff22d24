"""Words for people about a game, in `arena human` and in replays.

A package brings words for its game with an entry point of the group `arena.words`, under the game's name. Its object
makes Words for a match, from the game, a function that names a seat, and all options:

    [project.entry-points."arena.words"]
    nim = "my_package.nim_words:NimWords"

They are not an attribute of the game, because the rules know no terminal, and a game without words is complete:
PlainWords work for any game.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.errors import SettingError
from arena.words.plain import PlainWords, Who, Words
from engine.catalogue import origin
from engine.contract import Game, Value

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Make = Callable[[Game[Any], Who, Mapping[str, Value]], Words]

GROUP = "arena.words"
SHIPPED = {"draftosaurus": "DraftosaurusWords", "dinodocus": "DinodocusWords"}
"""Classes in the module of arena.words that is called like the game."""
METHODS = [name for name in vars(Words) if not name.startswith("_")]


def words_for(game: Game[Any], who: Who, options: Mapping[str, Value]) -> Words:
    """The words for a match with these options, where they differ from the defaults."""
    defaults = {name: option.default for name, option in game.options().items()}
    return find_words(game.name)(game, who, {**defaults, **options})


@cache
def find_words(name: str) -> Make:
    """What makes the words for a game. SettingError says why a plug-in does not load."""
    if name in SHIPPED:
        return getattr(import_module(f"arena.words.{name}"), SHIPPED[name])  # type: ignore[no-any-return]
    from importlib.metadata import entry_points

    points = list(entry_points(group=GROUP, name=name))
    if not points:
        return PlainWords
    if len(points) > 1:
        several = ", ".join(map(origin, points))
        raise SettingError(f"words for {name} are offered by several packages: {several}. Keep one.")
    return _load(points[0])


def _load(point: "EntryPoint") -> Make:
    try:
        loaded = point.load()
    except Exception as error:  # a plug-in may raise anything when it is imported; the user needs one clear line
        raise SettingError(f"words for {point.name} of {origin(point)} do not load: {error!r}.") from error
    if missing := [method for method in METHODS if not hasattr(loaded, method)]:
        raise SettingError(f"words for {point.name} of {origin(point)} are not whole, they lack {', '.join(missing)}.")
    return loaded  # type: ignore[no-any-return]
