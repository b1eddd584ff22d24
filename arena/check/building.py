"""What is said of a build that failed."""

from collections.abc import Sequence

from arena.check.languages import Language
from arena.check.probe import ERRORS
from arena.errors import LaunchError
from arena.roster import kits

LAST_LINES = 8
FIRST_ERRORS = 4


def telling(lines: Sequence[str]) -> list[str]:
    """The last lines, and before them the first errors: those that follow are often consequences."""
    filled = [line for line in lines if line.strip()]
    errors = [line for line in filled[:-LAST_LINES] if any(word in line for word in ERRORS)][:FIRST_ERRORS]
    return [*errors, *(["..."] if errors else []), *filled[-LAST_LINES:]]


def lacking(language: Language) -> str:
    """Which programs of a language are not installed, and how to get them; nothing if all are there."""
    if language is Language.UNKNOWN:
        return ""
    try:
        kits.check_tools(kits.language(language.value))
    except LaunchError as error:
        return f"{error}."
    return ""
