"""How a league identifies a bot's files: by a digest, and by a stamp that is faster to check.

There are three rules, and a digest shows by its length which it follows. 40 digits: of the kept files of a bot, and
which of them can be executed (arena/roster/belongings.py). 32: of all that a bot sees of its folder, which it has if it
plays there. 16: of some of that, from before hidden files and links counted. Leagues that began with digests of 32 or
16 digits continue by their rule.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from arena.errors import FileError
from arena.files import read, refusal
from arena.roster import compiled, folders
from arena.roster.belongings import KEPT, kept_digest
from arena.roster.entries import Entry, recipe_of
from arena.texts import path as shown

OLD = 16
"""Digits of an old digest."""
MOST_READ = 64 << 20
"""An old digest of more bytes was one of names and sizes."""
RECORD = "*.match.jsonl.gz"
Stamp = Sequence[folders.Stamp]


def digest_now(entry: Entry) -> str:
    """The digest of a bot's files now, by the rule of the digest that it has. FileError if they cannot be read."""
    if recipe := recipe_of(entry):
        return compiled.digest_of_sources(recipe.sources)
    if len(entry.digest) == OLD:
        return old_digest(entry)
    if len(entry.digest) == KEPT:
        return kept_digest(entry)
    return folders.digest(entry.folder) if entry.files is None else folders.digest_of(entry.files)


def stamp(entry: Entry) -> Stamp:
    """Changes whenever a file of the bot changes, and is faster than its digest. FileError if it cannot be read."""
    if recipe := recipe_of(entry):
        return folders.stamp(recipe.sources)
    if entry.files is None:
        return folders.stamp(entry.folder)
    return [folders.stamp_of(str(path), _status(path)) for path in entry.files]


def changed(before: Stamp, now: Stamp) -> str:
    """A file that differs between two stamps, which are not equal."""
    return shown(min(set(before) ^ set(now))[0])


def as_known(entry: Entry, known: str) -> Entry:
    """The bot with the digest that an old league has for it, if its files are still the same."""
    try:
        is_same = len(known) == OLD and known == old_digest(entry)
    except FileError:
        return entry
    return replace(entry, digest=known) if is_same else entry


def old_digest(entry: Entry) -> str:
    """The digest by the rule from before hidden files and links counted."""
    state = hashlib.sha256()
    if entry.named is not None:
        for path in entry.named:
            state.update(read(path, folders.MOST_BYTES))
        return state.hexdigest()[:OLD]
    found = {name: entry.folder / name for name in sorted(_counted(entry.folder))}
    whole = sum(_status(path).st_size for path in found.values()) <= MOST_READ
    for name, path in found.items():
        contents = read(path, MOST_READ) if whole else str(_status(path).st_size).encode()
        state.update(b"%d:%s%d:%s" % (len(os.fsencode(name)), os.fsencode(name), len(contents), contents))
    return state.hexdigest()[:OLD]


def _counted(folder: Path) -> Iterator[str]:
    for item in folders.survey(folder):
        parts = item.name.split("/")
        is_hidden = any(part.startswith(".") or part == folders.CACHES for part in parts)
        if not is_hidden and not fnmatch(parts[-1], RECORD) and (folder / item.name).is_file():
            yield item.name


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise refusal(path, error) from None
