"""Sentences and values as lines of text."""

import textwrap
from collections.abc import Mapping

from engine.contract import spell

WIDTH = 80


def wrapped(text: str, indent: int = 0) -> str:
    """A paragraph in lines of WIDTH; all but the first are indented."""
    return textwrap.fill(" ".join(text.split()), WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def said(value: object) -> str:
    """A value of a view or an event as readable text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {said(item)}" for key, item in value.items())
    return " ".join(map(said, value)) if isinstance(value, list | tuple) else spell(value)
