"""Which files of a folder belong to a bot: the patterns of `files` in bot.toml, and the litter of tools.

    files = ["bot.py", "lib/**", "weights-*.bin"]     # these and no others
    files = ["!notes", "!target", "target/bot.jar"]   # everything but notes/ and target/, and yet this one

A pattern is a path in the bot's folder. `*`, `?` and `[abc]` stand for characters of one name, `**` for any number of
folders, once in a pattern. A pattern that names a folder means all that is in it. `!` takes out, and a later pattern
beats an earlier one. A list that begins with `!` begins with everything.

Litter is what tools leave in any folder and no bot needs to play: caches, histories of the source, what lies between
source and program. It belongs to a bot only if the pattern that decides names it as such (`*.o`, `lib/__pycache__`).
Programs, packages, virtual environments and weights are never litter: bots need them, wherever they are.

The patterns are a stranger's. With one `**` a match needs no search: one step for each part of the pattern.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase, translate
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from arena.roster.folders import CACHES
from arena.texts import is_plain

MOST_PATTERNS = 32
MOST_PATTERN = 128
"""Characters."""
MOST_STEPS = 16
"""Parts between the slashes."""
ANY_FOLDERS = "**"
NOT = "!"
LITTER = (
    CACHES, "*.py[co]", "*.o",
    ".git*", ".hg", ".svn", ".bzr", ".jj",
    ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", ".coverage",
    ".idea", ".vs", ".vscode", "*.sw[op]", "*~", ".DS_Store", "Thumbs.db",
)  # fmt: skip
"""Names of files and folders, at any depth."""
_LITTER = re.compile("|".join(map(translate, LITTER)))
_CARGO = re.compile(
    r"(?:^|/)target/(?:CACHEDIR\.TAG$|\.rustc_info\.json$|(?:[^/]+/)?(?:debug|release)/"
    r"(?:(?:deps|build|incremental|examples|\.fingerprint|\.cargo-lock)(?:/|$)|[^/]+\.d$))"
)
"""What Rust's cargo leaves next to the programs. Java's target/classes may well have a package called `build`."""


def _pattern(text: str) -> str:
    parts = text.removeprefix(NOT).removesuffix("/").split("/")
    if not is_plain(text):
        raise PydanticCustomError("pattern", "It has characters that cannot be seen")
    if "" in parts or "." in parts or ".." in parts:
        raise PydanticCustomError("pattern", "Expected a path in the bot's folder, such as lib/**, without . and ..")
    if len(parts) > MOST_STEPS:
        raise PydanticCustomError("pattern", f"It has more than {MOST_STEPS} parts")
    if parts.count(ANY_FOLDERS) > 1 or any(ANY_FOLDERS in part for part in parts if part != ANY_FOLDERS):
        raise PydanticCustomError("pattern", "** may stand once, for whole folders, as in lib/**/*.txt")
    return text


Pattern = Annotated[str, Field(min_length=1, max_length=MOST_PATTERN), AfterValidator(_pattern)]
Patterns = Annotated[list[Pattern], Field(min_length=1, max_length=MOST_PATTERNS)]


class Sieve:
    """The patterns of one bot, asked for the paths of its folder: for a folder always before what is in it.

    It remembers which patterns name a folder, and so all in it, so that each path takes one try of each pattern.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        begins_with_all = not patterns or patterns[0].startswith(NOT)
        self._patterns = (ANY_FOLDERS if begins_with_all else NOT + ANY_FOLDERS, *patterns)
        self._named: dict[str, int] = {}

    def keeps(self, name: str) -> bool:
        """Whether a file, link or folder of this relative path belongs to the bot."""
        parts = name.split("/")
        above = self._named.get(name.rpartition("/")[0], 0)
        tried = range(len(self._patterns) - 1, above, -1)
        last = next((i for i in tried if _names(self._patterns[i], name, parts)), above)
        self._named[name] = last
        deciding = self._patterns[last]
        return not deciding.startswith(NOT) and (not is_litter(name) or is_litter(deciding))


def is_litter(name: str) -> bool:
    """Whether tools leave something of this path, or in it; also of a pattern: whether it names just that."""
    return any(map(_LITTER.match, name.split("/"))) or _CARGO.search(name) is not None


def is_exact(pattern: str) -> bool:
    """Whether it names one thing that should be there."""
    return not pattern.startswith(NOT) and not re.search(r"[*?[]", pattern)


def _names(pattern: str, name: str, parts: Sequence[str]) -> bool:
    """Whether a pattern matches this path. A name with special characters also matches itself."""
    pattern = pattern.removeprefix(NOT).removesuffix("/")
    if pattern == name:
        return True
    head, folders, tail = pattern.partition(ANY_FOLDERS)
    first, last = [part for part in head.split("/") if part], [part for part in tail.split("/") if part]
    fixed = len(first) + len(last)
    if len(parts) < fixed or (len(parts) > fixed and not folders):
        return False
    if folders and not last and len(parts) == fixed:
        return False  # lib/** is what is in lib
    ending = parts[len(parts) - len(last) :]
    return all(map(fnmatchcase, parts, first)) and all(map(fnmatchcase, ending, last))
