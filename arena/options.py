"""The value of an option that takes a text, such as a deck: the text itself, or the name of a file that holds it."""

import os
import re
from pathlib import Path

from arena.errors import FileError, SettingError
from arena.files import MOST_TEXT, read_text
from engine.contract import Option, Value, spell

TEXT = re.compile(r"[{\[\n]")
"""What is in a JSON text or in several lines, and hardly in the name of a file."""


def contents(option: Option, value: Value, folder: Path | str = "") -> Value:
    """A value, with the text of the file in its place if it names one. SettingError says why there is none."""
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
