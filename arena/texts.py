"""Texts of strangers, made safe to show: cut, and with everything escaped that a terminal or spreadsheet might obey.

Names, versions, notes, stderr, texts of faults, and all fields of records and league files may come from a stranger.
Every place that shows such a text uses these functions; the engine has its part in engine/texts.py. JSON escapes by
itself, and arena.league.report makes HTML of what `flat` returns. A text that must be printable, such as the name of a
bot, is checked where it is read.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from engine.texts import SHOWN, counted, cut, meant, quoted

__all__ = (
    "PATH", "SENTENCE", "SHOWN", "cell", "counted", "cut", "fitted", "flat", "is_plain", "meant", "one_line", "path",
    "quoted", "safe", "short", "without_escapes",
)  # fmt: skip

SENTENCE = 400
"""Characters that are shown of a sentence with values in it."""
PATH = 256
"""Characters that are shown of a path."""

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that Unicode counts as letters and marks, so that Python prints them, but that show nothing."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
"""Sequences for a terminal: colours and moves of the cursor, titles and links, and those of two characters."""
_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""How a text begins that a spreadsheet takes for a formula."""
THIRD = Fraction(1, 3)
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def is_plain(text: str) -> bool:
    """Whether all of it is visible: no control characters, no changes of direction, nothing without a width."""
    return text.isprintable() and not _INVISIBLE.search(text)


def safe(text: str) -> str:
    """A text with everything escaped that a terminal might obey, or that is invisible. Line feeds stay."""
    if is_plain(text.replace("\n", "")):  # 40 times as fast for a whole page, and nearly all are plain
        return text
    return "".join(char if char == "\n" or is_plain(char) else _spelled(char) for char in text)


def without_escapes(text: str) -> str:
    """A text without what it says to a terminal: compilers and test tools print colours also where none are shown."""
    return _ESCAPES.sub("", text)


def one_line(text: str, most: int | None = None) -> str:
    """A text on one line, cut if it is longer than `most`."""
    shown = text if most is None else cut(text, most)
    return shown if is_plain(shown) else safe(shown).replace("\n", "\\n")


def flat(text: str) -> str:
    """A text on one line, with a blank for each space, end of line or tabulator."""
    return text if is_plain(text) else one_line(re.sub(r"\s", " ", text))


def path(name: Path | str, most: int = PATH) -> str:
    """A path for people to read: in full if it is of ordinary length, else its two ends."""
    text = one_line(os.fsencode(name).decode("utf-8", "replace"))
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}"


def short(text: str, most: int, end: Fraction = THIRD) -> str:
    """A text without its middle if it is too long, because names often differ at their ends.

    `end` is the share of what is shown that comes from the end of the text.
    """
    if len(text) <= most:
        return text
    last = min(most - 1, int(most * end))
    return f"{text[: most - 1 - last]}…{text[len(text) - last :]}"


def fitted(names: Iterable[str], most: int) -> dict[str, str]:
    """Names on one line, each in at most this many characters, so that different names look different.

    Names that would look the same lose another part of theirs; if that does not help either, they get numbers.
    """
    lines = {name: one_line(name) for name in names}
    for end in (THIRD, Fraction(2, 3), Fraction(1), Fraction(0)):
        shown = {name: short(line, most, end) for name, line in lines.items()}
        if len(set(shown.values())) == len(set(lines.values())):
            return shown
    counts = Counter(shown.values())
    numbers = {name: f"…{at}" for at, name in enumerate(lines, 1) if counts[shown[name]] > 1}
    return shown | {name: f"{lines[name][: max(0, most - len(number))]}{number}" for name, number in numbers.items()}


def cell(value: object) -> object:
    """A value for CSV. What a spreadsheet would calculate becomes text by an apostrophe; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    is_formula = _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{one_line(value)}" if is_formula else one_line(value)


def _spelled(char: str) -> str:
    return char.encode("unicode_escape").decode()
