"""The rules of a game as text."""

import sys
from importlib.resources import files
from typing import Any

from engine.contract import Game


def rules_text(game: Game[Any]) -> str:
    """RULES.md from the package of the game's class; without one, the docstring of the class."""
    package = sys.modules[type(game).__module__].__package__
    path = files(package) / "RULES.md" if package else None
    if path is not None and path.is_file():
        return path.read_text("utf-8")
    return f"# {game.name}\n\n{type(game).__doc__ or 'This game has no rules text.'}\n"


def introduction(game: Game[Any]) -> list[str]:
    """The first paragraphs of the rules, which say what the game is about; at most two."""
    _, *about = rules_text(game).split("\n\n")[:3]
    return [" ".join(paragraph.split()) for paragraph in about]
