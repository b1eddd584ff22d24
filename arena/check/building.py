"""What to show for a failed build."""

from collections.abc import Sequence

from arena.check.languages import Language
from arena.check.probe import ERRORS
from arena.errors import LaunchError
from arena.roster import kits

LAST_LINES = 8
FIRST_ERRORS = 4


def relevant(lines: Sequence[str]) -> list[str]:
    """The first errors, because later ones are often consequences, and the last lines."""
    filled = [line for line in lines if line.strip()]
    errors = [line for line in filled[:-LAST_LINES] if any(word in line for word in ERRORS)][:FIRST_ERRORS]
    return [*errors, *(["..."] if errors else []), *filled[-LAST_LINES:]]


def lacking(language: Language) -> str:
    """Which programs of a language are missing, and how to install them; empty if none is."""
    if language is Language.UNKNOWN:
        return ""
    try:
        kits.check_tools(kits.language(language.value))
    except LaunchError as error:
        return f"{error}."
    return ""
