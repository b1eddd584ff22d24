"""What position texts have in common: parts separated by `|`, words written key=value, and errors."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import NotationError
from engine.texts import quoted, shown


@dataclass(slots=True)
class Part:
    """One part of a position text; words that were read are removed."""

    where: str
    words: dict[str, str]

    def number(self, key: str, low: int, high: int, usual: int) -> int:
        text = self.words.pop(key, str(usual))
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
        if str(number) != text or not low <= number <= high:
            raise self.error(f"{key}={shown(text)}: expected a number from {low} to {high}")
        return number

    def done(self, expected: str) -> None:
        """Raise NotationError if there are words that were not read."""
        for key, value in self.words.items():
            raise self.error(f"{shown(f'{key}={value}')} has no place here, expected {expected}")

    def error(self, text: str) -> NotationError:
        return NotationError(f"{self.where}: {text}.")


def part(where: str, text: str) -> Part:
    """The words of a text."""
    found = Part(where, {})
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise found.error(f"{quoted(word)} is not written as key=value")
        if key in found.words:
            raise found.error(f"{shown(key)} is given twice")
        found.words[key] = value
    return found


def in_words(words: Iterable[str]) -> str:
    return ", ".join(words)
