"""The bots of a ladder: where they are, whether they can play here, and whether they are still what was frozen.

The folder of the built-in bots has one digest, which changes with every file in it. A rung changes only with the files
that decide how it plays: its description, its program, and what this imports from the same folder. Two files are left
out: `dinobot.py` and `views.py` carry messages, and decide nothing. Modules of another game are left out by their names
(`greedy_dinodocus.py`); one of this game counts also if its name is only a text, for `import_module`. A bot in another
language has the files that its description lists under `files`; if it lists none, all that would be kept of it. A
built-in bot that is compiled has the sources of its program that begin with its name.
"""

import ast
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.errors import FileError, LaunchError
from arena.files import read
from arena.match.compiling import make_ready
from arena.roster.belongings import kept_contents
from arena.roster.entries import Entry, built_in, read_built_in
from arena.roster.entries import read as read_entry
from arena.roster.folders import KITS
from engine.catalogue import names

SAME_FOR_ALL = frozenset(("dinobot", "views"))
MOST_SOURCE = 4 << 20
DIGITS = 32


def rung_entry(name: str, file: str) -> Entry:
    """The bot of a rung, under the name of the rung. RosterError if it cannot be read."""
    path = KITS / file
    is_ours = built_in().get(path.stem) == path
    return replace(read_built_in(path.stem) if is_ours else read_entry(path), name=name)


def absence(entry: Entry) -> str:
    """Why a bot cannot play on this machine, or an empty text: its program is neither there nor can be built.

    A built-in one that must be compiled is compiled now.
    """
    try:
        make_ready(entry)
    except LaunchError as error:
        return str(error)
    program = entry.command[0]
    is_there = (entry.folder / program).is_file() if os.sep in program else shutil.which(program) is not None
    if is_there:
        return ""
    if not entry.build:
        return f"{program} is not installed. Install it"
    return f"{program} is not built. Build it: `arena play {entry.folder} greedy --build`"


def digest_of(entry: Entry, file: str, game: str) -> tuple[list[str], str]:
    """The files that decide how a bot plays this game, and their digest. FileError if they cannot be read."""
    contents = dict(_contents(entry, KITS / file, game))
    state = hashlib.sha256()
    for name in sorted(contents):
        path = name.encode()
        state.update(b"%d:%s%d:%s" % (len(path), path, len(contents[name]), contents[name]))
    return sorted(contents), state.hexdigest()[:DIGITS]


def changes(entry: Entry, file: str, files: Sequence[str], digest: str, game: str) -> str:
    """What differs from a frozen digest, in words; an empty text if nothing does."""
    try:
        now, found = digest_of(entry, file, game)
    except FileError as error:
        return str(error)
    if found == digest:
        return ""
    if more := sorted(set(now) ^ set(files)):
        return f"{more[0]} is {'new' if more[0] in now else 'not part of it any more'}"
    return f"one of {', '.join(now)}"


def _contents(entry: Entry, description: Path, game: str) -> Iterator[tuple[str, bytes]]:
    home = description.parent
    if home.resolve() != entry.folder:  # it plays where it was built, and what it was built from is here
        program = Path(entry.command[0]).name
        names = [path.name for path in home.iterdir() if path.match(f"{program}*.[ch]pp")]
        for name in (description.name, *names):
            yield name, read(home / name, MOST_SOURCE)
        return
    script = next((word for word in entry.command if word.endswith(".py") and (entry.folder / word).is_file()), None)
    if script is None:
        yield from kept_contents(entry).items()
        return
    yield description.name, read(description, MOST_SOURCE)
    left, seen = [Path(script).stem], set[str]()
    while left:
        module = left.pop()
        if module in seen:
            continue
        seen.add(module)
        source = read(entry.folder / f"{module}.py", MOST_SOURCE)
        yield f"{module}.py", source
        left += [one for one in _imported(source, game) if _matters(entry.folder, one, game)]


def _imported(source: bytes, game: str) -> Iterator[str]:
    """The modules that a program imports, wherever in it; of this game also those whose name is a text in it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith(f"_{game}"):
            yield node.value


def _matters(folder: Path, module: str, game: str) -> bool:
    other = module.rpartition("_")[2]
    if module in SAME_FOR_ALL or (other in names() and other != game):
        return False
    return (folder / f"{module}.py").is_file()
