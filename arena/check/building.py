"""What a failed build may lack."""

from arena.check.languages import Language
from arena.errors import LaunchError
from arena.roster import kits


def lacking(language: Language) -> str:
    """Which programs of a language are missing, and how to install them; empty if none is."""
    if language is Language.UNKNOWN:
        return ""
    try:
        kits.check_tools(kits.language(language.value))
    except LaunchError as error:
        return f"{error}."
    return ""
