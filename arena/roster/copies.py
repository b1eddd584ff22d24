"""Bots that are kept: each version in an archive, and a read-only copy that plays.

A folder on disk is only where a version came from: its owner may change it at any time, and what was kept still plays.
The copy is checked against its digest whenever a bot is kept, and made again from the archive if it has changed.

Bots that come with the arena are not kept: they play where they are.
"""

import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import FileError, RosterError
from arena.roster.archive import archive_of, check, is_intact, pack, unpack
from arena.roster.belongings import KEPT, digest_of, kept_contents, unfound
from arena.roster.entries import PYTHON, Entry, is_built_in
from arena.roster.platforms import named_files
from arena.texts import path as shown

DIGEST = re.compile(rf"[0-9a-f]{{{KEPT}}}")
NAMED = 3
"""Files that are named of those that differ."""


def kept(entry: Entry, archives: Path, unpacked: Path) -> Entry:
    """Keep a bot as it is now. Returns the bot that plays the copy; a built-in bot, or a copy, as it is.

    RosterError says what cannot be kept, and what to do.
    """
    if is_built_in(entry) or entry.is_copy:
        return entry
    with _in_words(entry):
        contents = kept_contents(entry)
        _check_complete(entry, contents)
        digest = digest_of(contents.items())
        if not _is_archived(archives, digest):
            digest = pack(entry, archives)
        return _copy(entry, archive_of(archives, digest), unpacked, digest)


def archived(copy: Entry, archives: Path) -> Path:
    """The archive of a bot that is a kept copy. If it is missing or damaged, it is written again from the copy.

    The copy's folder is named after the digest of the archive; in a league that an older arena began, the bot has
    another digest.
    """
    digest = copy.folder.name
    if not _is_archived(archives, digest):
        with _in_words(copy):
            found = pack(copy, archives)
        if found != digest:
            raise RosterError(
                f"{copy.name} cannot be kept: {shown(archive_of(archives, digest))} is missing or damaged, and its "
                f"copy {shown(copy.folder)} has changed. Restore the archive."
            )
    return archive_of(archives, digest)


def portable(entry: Entry) -> dict[str, Any]:
    """A kept bot as plain values for another machine, whose `from_archive` reads them."""
    return replace(entry, command=tuple(PYTHON if word == sys.executable else word for word in entry.command)).plain()


def from_archive(values: dict[str, Any], archive: Path, unpacked: Path) -> Entry:
    """The kept bot that `portable` describes, played from its archive on this machine.

    RosterError if the archive is not sound, or not of this bot.
    """
    entry = Entry.from_plain(values)
    with _in_words(entry):
        if not DIGEST.fullmatch(entry.digest):
            raise RosterError(f"{shown(entry.digest)} is not the digest of a kept bot: it has {KEPT} digits")
        entry = replace(entry, command=tuple(sys.executable if word == PYTHON else word for word in entry.command))
        return _copy(entry, archive, unpacked, entry.digest)


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ between a bot's folder and its kept copy, by name."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.removed)

    def __str__(self) -> str:
        """As in: bot.py changed, notes.txt new, and 12 more."""
        found = [(name, "changed") for name in self.changed]
        found += [(name, "new") for name in self.new] + [(name, "removed") for name in self.removed]
        words = [f"{shown(name)} {what}" for name, what in found[:NAMED]]
        return ", ".join(words) + (f", and {len(found) - NAMED:,} more" if len(found) > NAMED else "")


def differs(entry: Entry, copy: Entry) -> Changes:
    """What has changed in a bot's folder since this copy of it was kept. RosterError if it cannot be kept now."""
    with _in_words(entry):
        now, then = kept_contents(entry), kept_contents(copy)
    return Changes(
        tuple(name for name in now if name not in then),
        tuple(name for name in now if name in then and now[name] != then[name]),
        tuple(name for name in then if name not in now),
    )


@contextmanager
def _in_words(entry: Entry) -> Iterator[None]:
    try:
        yield
    except FileError as error:
        raise RosterError(f"{entry.name} cannot be kept: {error}") from None


def _is_archived(archives: Path, digest: str) -> bool:
    """Whether there is a sound archive. One that is damaged is written again: the files are here."""
    try:
        check(archive_of(archives, digest), digest)
    except FileError:
        return False
    return True


def _check_complete(entry: Entry, names: Collection[str]) -> None:
    """RosterError if something is missing that bot.toml or the command names, unless a build makes it later."""
    if missing := unfound(entry, names):
        raise RosterError(
            f"{entry.name} cannot be kept: `files` in its bot.toml names {shown(missing[0])}, and there is nothing of "
            "that name. Correct it, or build the bot first: --build."
        )
    made = named_files(entry) if entry.build else []
    for word in entry.command:
        path = _inside(entry, word)
        if word not in made and path and not _has(names, path) and os.path.isfile(entry.folder / path):
            raise RosterError(
                f"{entry.name} cannot be kept: its command names {shown(path)}, which does not belong to it. Add it to "
                "`files` in bot.toml; without that, caches, records and what compilers leave are not kept."
            )


def _inside(entry: Entry, word: str) -> str | None:
    """The path in the bot's folder that a word of its command means, if it does."""
    if word == sys.executable:  # it may be in the bot's folder, and is still the arena's
        return None
    path = Path(os.path.normpath(entry.folder / word))
    return str(path.relative_to(entry.folder)) if path.is_relative_to(entry.folder) else None


def _has(names: Collection[str], path: str) -> bool:
    """Whether a file is kept, or a link on the way to it."""
    return path in names or any(str(above) in names for above in Path(path).parents)


def _copy(entry: Entry, archive: Path, unpacked: Path, digest: str) -> Entry:
    """The bot in its copy, which is made if it is not there, or is not what it was."""
    folder = unpacked.resolve() / digest
    if not is_intact(folder, digest):
        unpack(archive, folder, digest)
    return replace(in_folder(entry, folder), digest=digest, files=None, is_copy=True)


def in_folder(entry: Entry, folder: Path) -> Entry:
    """The same bot in another folder with the same files."""
    return replace(
        entry,
        command=tuple(_moved(entry, word, folder) for word in entry.command),
        folder=folder,
        named=None if entry.named is None else tuple(Path(_moved(entry, str(path), folder)) for path in entry.named),
    )


def _moved(entry: Entry, word: str, folder: Path) -> str:
    """A word of a command; if it is the whole path of something in the bot's folder, its path in the copy."""
    path = _inside(entry, word) if word.startswith("/") else None
    return word if path is None else str(folder / path)
