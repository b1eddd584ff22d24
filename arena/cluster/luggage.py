"""How bots travel: as the archives that their league keeps, once to each machine, which keeps them by digest.

Built-in bots do not travel: each machine has them. A bot travels as it was kept, with what its build had made. Where
that does not run, it is built (arena/building/copies.py). What a machine keeps is only a cache, in one folder for all
Dask workers of a user there. It may be deleted when no league is played.
"""

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import LaunchError, RosterError
from arena.match.compiling import make_ready
from arena.roster.archive import archive_of
from arena.roster.copies import archived, from_archive, portable
from arena.roster.digests import as_known
from arena.roster.entries import Entry, built_in, is_built_in, read, read_built_in
from arena.texts import path as shown

PIECE = 8 << 20
"""Bytes of an archive that are sent at a time."""
CACHE = "ARENA_CACHE"
"""The environment variable that names another folder for the bots of a machine."""
DIGEST = re.compile(r"[0-9a-f]{16,64}")


# Here


@dataclass(frozen=True, slots=True)
class Luggage:
    """The bots of a league, ready to travel."""

    entries: Mapping[str, dict[str, Any]]
    """By name, as plain values that `arrived` reads."""
    archives: Mapping[str, Path]
    """By digest."""

    def pieces(self, digest: str) -> Iterator[tuple[bytes, bool]]:
        """An archive in pieces, each with whether it is the last."""
        with open(self.archives[digest], "rb") as file:
            piece = file.read(PIECE)
            while following := file.read(PIECE):
                yield piece, False
                piece = following
            yield piece, True


def packed(entries: Mapping[str, Entry], league: Path) -> Luggage:
    """The bots of a league whose folder this is. RosterError says which cannot travel."""
    plain: dict[str, dict[str, Any]] = {}
    archives: dict[str, Path] = {}
    for name, entry in entries.items():
        if is_built_in(entry):
            plain[name] = {"built_in": _stem(entry), "digest": entry.digest}
            continue
        if not entry.is_copy:
            raise RosterError(
                f"{name} cannot travel to other machines: the league plays it where it is, in {shown(entry.folder)}, "
                "and keeps no copy. Give it a folder with bot.toml, or play this league with --workers."
            )
        archive = archived(entry, league / "bots")
        archives[entry.folder.name] = archive
        plain[name] = {"portable": portable(replace(entry, digest=entry.folder.name)), "digest": entry.digest}
    return Luggage(plain, archives)


def _stem(entry: Entry) -> str:
    return next(stem for stem, path in built_in().items() if read(path).command == entry.command)


# There


def cache() -> Path:
    """The folder of the bots on this machine. Bots of a root user, who are others, may pass through it."""
    folder = Path(os.environ.get(CACHE) or Path(tempfile.gettempdir(), f"dino-arena-{os.geteuid()}"))
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise LaunchError(f"{folder} is not a folder that only this user can write to. Set {CACHE} to another")
    for part in (folder / "bots", folder / "unpacked"):
        part.mkdir(mode=0o711, exist_ok=True)
    return folder


def lacking(digests: list[str]) -> list[str]:
    """The archives that this machine does not have."""
    archives = cache() / "bots"
    return [digest for digest in digests if not archive_of(archives, digest).exists()]


def take_piece(digest: str, sender: str, piece: bytes, is_last: bool) -> None:
    """Append to an archive that arrives; whether it is sound is checked before it plays."""
    if not DIGEST.fullmatch(digest) or not DIGEST.fullmatch(sender):
        raise RosterError(f"{digest!r:.80} is not a digest")
    archives = cache() / "bots"
    part = archives / f".{digest}.{sender}"
    with open(part, "ab") as file:
        file.write(piece)
    if is_last:
        os.replace(part, archive_of(archives, digest))


def arrived(name: str, plain: Mapping[str, Any]) -> Entry:
    """The bot that plays here. RosterError says why it cannot, and LaunchError what is missing to build it.

    A damaged archive is deleted, so that it comes again.
    """
    if "built_in" in plain:
        entry = as_known(read_built_in(plain["built_in"]), plain["digest"])
        if entry.digest != plain["digest"]:
            raise RosterError(f"its built-in bot {plain['built_in']} has other files. Install the same arena there")
        make_ready(entry)
        return replace(entry, name=name)
    values, folder = plain["portable"], cache()
    archive = archive_of(folder / "bots", values["digest"])
    try:
        entry = from_archive(values, archive, folder / "unpacked")
    except RosterError:
        archive.unlink(missing_ok=True)
        raise
    return replace(entry, name=name, digest=plain["digest"])
