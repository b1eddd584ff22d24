"""Values and counts in messages. What a message shows of a text from outside is short and printable."""

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
