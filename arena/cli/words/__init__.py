"""How people are told of a game: PlainWords do for any, and WORDS has better ones for games that we know."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.cli.words.dinodocus import DinodocusWords
from arena.cli.words.draftosaurus import DraftosaurusWords
from arena.cli.words.plain import PlainWords, Who, Words
from engine.contract import Game, Value

WORDS: Mapping[str, Callable[[Game[Any], Who, Mapping[str, Value]], Words]] = {
    "dinodocus": DinodocusWords,
    "draftosaurus": DraftosaurusWords,
}


def words_for(game: Game[Any], who: Who, options: Mapping[str, Value]) -> Words:
    """The words for a match with these options, where they differ from the defaults."""
    defaults = {name: option.default for name, option in game.options().items()}
    return WORDS.get(game.name, PlainWords)(game, who, {**defaults, **options})
