"""What is kept of a bot: the files and links that belong to it, and their digest.

A bot that is kept can play later and elsewhere, so all that is kept must mean the same there. Folders follow from the
files in them, so an empty one is not kept. Of modes only whether the owner can execute a file is kept. Names are UTF-8
without control characters. A pipe or a socket cannot be kept.

A link is kept as its text, if what it names is there too, wherever the copy lies:
- it points to a place in the bot's folder. `..` may stand at its beginning only: `x/..` is elsewhere if x is a link;
- or into the system's folders (/usr, /opt ...), which every bot sees anyway, and which a command can name as well;
- or it is the interpreter of a virtual environment, which pyenv and uv have in the user's home. It is a name of a
  program of the machine, as `python3` in a command. The sandbox shows it only if it is on the PATH of the arena.
Any other link would show something that is not kept.
"""

import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterable

from arena.errors import FileError
from arena.files import kind_of, refusal
from arena.roster.entries import Entry
from arena.roster.folders import MOST_DEEP, Item, contents, survey
from arena.roster.patterns import Sieve, is_exact
from arena.sandbox.root import is_plain
from arena.sandbox.runtime import is_system
from arena.texts import path as shown

KEPT = 40
"""Digits of the digest of kept files. One of another length follows another rule (arena/roster/digests.py)."""
RULE = b"dino-arena kept files 1\n"
FILE, PROGRAM, LINK = b"file ", b"program ", b"link "
"""What the digest calls a file, a file that can be executed, and a link."""
MOST_PATH, MOST_PART = 1024, 255
"""Bytes of the path of a kept file or of the text of a link, and of one name. Linux allows 4096 and 255."""
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
VENV, INTERPRETER = "pyvenv.cfg", "bin/python"
COPY = "Put a copy in its place"
"""The way out, if what a link points to is elsewhere."""


def kept_items(entry: Entry) -> list[Item]:
    """The files and links that belong to a bot, sorted by name. FileError says what cannot be kept, and what to do."""
    sieve = Sieve(entry.keeps or ())
    found = [(item, sieve.keeps(item.name)) for item in survey(entry.folder)]
    kept = [item for item, is_its in found if (is_its or entry.is_copy) and not item.is_folder]
    names = {item.name for item in kept}
    for item in kept:
        if fault := name_fault(item.name) or _fault(entry, item, names):
            raise FileError(f"{shown(entry.folder / item.name)}: {fault}. {_leave_out(item.name)}")
    return kept


def kept_digest(entry: Entry) -> str:
    """The digest of a bot's kept files as they are now: names, contents, which can be executed, texts of links."""
    return digest_of(kept_contents(entry).items())


def kept_contents(entry: Entry) -> dict[str, bytes]:
    """What the digest covers, by name."""
    return {item.name: _what(entry, item) for item in kept_items(entry)}


def digest_of(kept: Iterable[tuple[str, bytes]]) -> str:
    """The digest of names and what they hold, in the order of the names' bytes."""
    state = hashlib.sha256(RULE)
    for name, what in kept:
        path = os.fsencode(name)
        state.update(b"%d:%s%d:%s" % (len(path), path, len(what), what))
    return state.hexdigest()[:KEPT]


def is_program(item: Item) -> bool:
    """Whether a file can be executed. Its owner decides, as in git."""
    return bool(item.status.st_mode & stat.S_IXUSR)


def _what(entry: Entry, item: Item) -> bytes:
    what = contents(entry.folder, item)
    return PROGRAM + what.removeprefix(FILE) if item.is_file and is_program(item) else what


def unfound(entry: Entry, names: Iterable[str]) -> list[str]:
    """The patterns that name one file or folder each, of which nothing is kept: mistakes, or not built yet."""
    exact = [pattern.removesuffix("/") for pattern in entry.keeps or () if is_exact(pattern)]
    return [path for path in exact if not any(f"{name}/".startswith(f"{path}/") for name in names)]


def name_fault(name: str) -> str | None:
    """Why a file of this relative path cannot be kept."""
    try:
        length, parts = len(name.encode()), name.split("/")
    except UnicodeEncodeError:
        return "its name is not UTF-8. Rename it"
    if CONTROLS.search(name):
        return "its name has control characters. Rename it"
    if not name or {"", ".", ".."} & {*parts}:
        return "this is not the path of a file in a folder"
    if length > MOST_PATH or max(len(part.encode()) for part in parts) > MOST_PART:
        return f"its path has more than {MOST_PATH} bytes, or a name of more than {MOST_PART}. Use shorter names"
    if len(parts) > MOST_DEEP + 1:
        return f"it is in more than {MOST_DEEP} folders within each other. Move it"
    return None


def link_fault(name: str, target: str, names: Collection[str]) -> str | None:
    """Why a link with this text cannot be kept in a bot with files of these names."""
    try:
        length = len(target.encode())
    except UnicodeEncodeError:
        return "a link to a name that is not UTF-8. Rename that"
    if not target or CONTROLS.search(target) or length > MOST_PATH:
        return f"a link to nothing, to control characters, or to more than {MOST_PATH} bytes. Change it"
    if target.startswith("/"):
        is_known = is_plain(target) and (is_system(target) or _is_interpreter(name, names))
        return None if is_known else f"a link to {shown(target)}, which is not kept with the bot. {COPY}"
    parts = target.split("/")
    ups = next((i for i, part in enumerate(parts) if part != ".."), len(parts))
    if ".." in parts[ups:]:
        return f"a link to {shown(target)}, with .. after a name. Make it again, without that"
    return f"a link to {shown(target)}, which is outside of the bot's folder. {COPY}" if ups > name.count("/") else None


def _is_interpreter(name: str, names: Collection[str]) -> bool:
    """Whether it is bin/python3 of a virtual environment, or a like name."""
    folder, found, rest = f"/{name}".rpartition(f"/{INTERPRETER}")
    return bool(found) and "/" not in rest and f"{folder}/{VENV}".lstrip("/") in names


def _fault(entry: Entry, item: Item, names: Collection[str]) -> str | None:
    if item.is_file:
        return None
    if not stat.S_ISLNK(item.status.st_mode):
        return f"this is {kind_of(item.status.st_mode)}, which cannot be kept. Remove it"
    path = entry.folder / item.name
    try:
        return link_fault(item.name, os.readlink(path), names)
    except OSError as error:
        raise refusal(path, error) from None


def _leave_out(name: str) -> str:
    return f'Or leave it out of the bot, in bot.toml: files = ["!{shown(name)}"]'
