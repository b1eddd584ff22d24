"""The value of an option that takes a text, such as a deck: the text itself, or the name of a file that holds it."""

import os
import re
from pathlib import Path

from arena.errors import FileError, SettingError
from arena.files import MOST_TEXT, read_text
from arena.texts import one_line
from engine.contract import Option, Value, spell

TEXT = re.compile(r"[{\[\n]")
"""Characters of a JSON text, or of several lines, that the name of a file hardly has."""
LONGEST_VALUE = 40
"""A value with at most this many characters is shown whole."""


def contents(option: Option, value: Value, folder: Path | str = "") -> Value:
    """A value, or the text of the file that it names. SettingError says why the file cannot be read."""
    if option.text is None or option.takes(value) or not isinstance(value, str):
        return value
    path = os.path.join(folder, value)
    if TEXT.search(value) and not os.path.exists(path):
        return value
    try:
        return read_text(path, MOST_TEXT)
    except FileError as error:
        allowed = " or ".join(map(spell, option.values))
        raise SettingError(f"{error}. Write {allowed}, or the name of a file.") from None


def short(value: Value) -> str:
    """An option's value, or the beginning of a long one."""
    text = one_line(spell(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE // 2]}... ({len(text)} characters)"
