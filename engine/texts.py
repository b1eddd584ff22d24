"""Values and counts in messages. What a message shows of a text from outside is short and printable."""

from collections.abc import Iterable

SHOWN = 60
"""Characters that a message shows of a value."""


def cut(text: str, most: int = SHOWN) -> str:
    """A text, or its beginning with three dots if it has more characters than this."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def quoted(text: str, most: int = SHOWN) -> str:
    """A text in quotes, cut."""
    return repr(cut(text, most))


def shown(text: str, most: int = SHOWN) -> str:
    """A text without quotes, cut; control characters are escaped."""
    short = cut(text, most)
    return short if short.isprintable() else repr(short)[1:-1]


def counted(number: int, noun: str) -> str:
    """1 point, 2 points, 1,000 matches."""
    ending = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{ending}"


def meant(word: str, known: Iterable[str]) -> str:
    """A question after an error about a name that does not exist: the known name that is most like it, if one is."""
    from difflib import get_close_matches  # takes 4 ms, and only mistakes need it

    found = get_close_matches(cut(word).lower(), list(known), n=1)
    return f" Did you mean {found[0]}?" if found else ""
