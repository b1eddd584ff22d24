"""Whose bot it is: ours, if it comes with the arena; yours; or a stranger's, which is every other one.

You decide that a bot is yours: `arena new-bot` made its folder here, or you used `arena check --trust`. That is kept in
your state folder and never in the bot's folder, which is all that a stranger can write. It holds for one folder, by its
path and its identity in the file system: another folder that later has the same path is a stranger's again. What you
put into your folder later, such as a merge of another author's changes, is yours too.
"""

import ctypes
import hashlib
import json
import os
import stat
import struct
from enum import StrEnum
from pathlib import Path

from arena.errors import RosterError
from arena.roster.folders import is_ours
from arena.state import WAY_OUT, state_folder

STATX_BTIME, AT_FDCWD = 0x800, -100
STATX_BYTES, MASK_AT, BIRTH_AT = 256, 0, 80
"""struct statx: where its mask and its time of birth are."""


class Whose(StrEnum):
    """Who is responsible for a bot."""

    OURS = "ours"
    YOURS = "yours"
    STRANGERS = "strangers"


def whose(folder: Path) -> Whose:
    """Whose bot is in this folder."""
    folder = folder.resolve()
    if is_ours(folder):
        return Whose.OURS
    try:
        return Whose.YOURS if json.loads(_note(folder).read_bytes()) == _identity(folder) else Whose.STRANGERS
    except (OSError, ValueError, RosterError):
        return Whose.STRANGERS


def remember(folder: Path) -> None:
    """From now on the bot in this folder is yours. RosterError and OSError say why that cannot be stored."""
    folder = folder.resolve()
    words = json.dumps(_identity(folder))
    note = _note(folder)
    note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = note.with_name(f".{note.name}.{os.urandom(6).hex()}")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(words)
    os.replace(part, note)


def _note(folder: Path) -> Path:
    """The file that says that a folder is yours: one for each folder, so that two arenas at once lose nothing."""
    state = state_folder()
    if state is None:
        raise RosterError(WAY_OUT)
    return state / "yours" / hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]


def _identity(folder: Path) -> list[int]:
    """What distinguishes this folder from any other at its path, even from one that has its inode later."""
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise RosterError(f"{folder} belongs to another user, who can change it at any time")
    if found.st_mode & stat.S_IWOTH:
        raise RosterError(f"everybody can write to {folder}. Run: chmod o-w {folder}")
    return [found.st_ino, _birth(folder) or found.st_dev]


def _birth(folder: Path) -> int:
    """When it was made, in nanoseconds; 0 where the file system does not know. Python's stat does not have it."""
    room = ctypes.create_string_buffer(STATX_BYTES)
    try:
        failed = ctypes.CDLL(None).statx(AT_FDCWD, os.fsencode(folder), 0, STATX_BTIME, room)
    except AttributeError:  # a C library without it
        return 0
    (mask,) = struct.unpack_from("=I", room, MASK_AT)
    if failed or not mask & STATX_BTIME:
        return 0
    seconds, nanoseconds = struct.unpack_from("=qI", room, BIRTH_AT)
    return int(seconds * 10**9 + nanoseconds)
