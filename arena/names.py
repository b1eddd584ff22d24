"""Names of bots, players and versions. Terminals and pages show them, so they are short and printable."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

MOST_NAME = 64
"""Characters."""


def is_name(text: str) -> bool:
    """Whether a player can have this name."""
    return 0 < len(text) <= MOST_NAME and text.isprintable()


def _printable(text: str) -> str:
    """Nothing may move the cursor or change the direction of writing."""
    if not text.isprintable():
        raise PydanticCustomError("unprintable", "It has characters that cannot be printed")
    return text


Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME), AfterValidator(_printable)]
