"""The results of a sandboxed build, on their way into the bot's folder.

The workbench (arena/sandbox/workbench.py) writes files as a stream of headers, names and contents. A stranger's program
may have written that stream, and a stranger's archive the folder that it goes to. So every number and every name is
checked before use, and the folder does not change before all files have arrived: `take` keeps the contents in numbered
files of our own, and `install` puts them in place, never through a link and never into an existing file.
"""

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from arena.errors import RosterError
from arena.sandbox.workbench import HEADER

MOST_FILES, MOST_BYTES = 20_000, 1 << 30
MOST_DEPTH, MOST_NAME = 32, 1024
"""Folders above a file, and the bytes of its whole path."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class Delivery:
    """Files that come out of a sandbox piece by piece. They stay in a folder of our own until all have arrived."""

    shelf: Path
    files: list[tuple[tuple[str, ...], bool]] = field(default_factory=list)
    """For each file its path, and whether it is executable. Its contents are on the shelf, under its number."""
    _unread: bytearray = field(default_factory=bytearray)
    _open: IO[bytes] | None = None
    _left: int = 0
    _total: int = 0

    def take(self, data: bytes) -> None:
        """Take more of the stream. RosterError says what is not accepted."""
        self._unread += data
        while self._take_contents() if self._open else self._take_header():
            pass

    def _take_header(self) -> bool:
        """Begin a file, if its header and its name have arrived."""
        if len(self._unread) < HEADER.size:
            return False
        executable, length, size = HEADER.unpack_from(self._unread)
        if length > MOST_NAME:
            raise RosterError(f"it made a file with a name of {length} bytes; the maximum is {MOST_NAME}")
        if len(self._unread) < HEADER.size + length:
            return False
        place = parts(bytes(self._unread[HEADER.size : HEADER.size + length]))
        del self._unread[: HEADER.size + length]
        self._total += size
        if len(self.files) >= MOST_FILES or self._total > MOST_BYTES:
            raise RosterError(f"it made more than {MOST_FILES} files or {MOST_BYTES >> 20} MB")
        self._open, self._left = (self.shelf / str(len(self.files))).open("xb"), size
        self.files.append((place, executable))
        return True

    def _take_contents(self) -> bool:
        """Keep what has arrived of the open file, and close it at its end."""
        assert self._open is not None, "a file has begun"
        piece = bytes(self._unread[: self._left])
        del self._unread[: len(piece)]
        self._open.write(piece)
        self._left -= len(piece)
        if self._left:
            return False
        self.close()
        return True

    def close(self) -> None:
        """Close the open file, if there is one."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def install(self, folder: Path) -> None:
        """Put all files in place. RosterError if some have not arrived, or if one cannot be put in place."""
        if self._open is not None or self._unread:
            raise RosterError("its results did not come out of the sandbox completely")
        root = os.open(folder, FOLDER & ~os.O_NOFOLLOW)
        try:
            for i, (place, executable) in enumerate(self.files):
                _put(self.shelf / str(i), root, place, 0o777 if executable else 0o666)
        finally:
            os.close(root)


def parts(name: bytes) -> tuple[str, ...]:
    """The folders and the name of a file in a bot's folder. RosterError if the path leads elsewhere."""
    words = name.split(b"/")
    if len(words) > MOST_DEPTH + 1 or any(word in (b"", b".", b"..") or len(word) > 255 for word in words):
        raise RosterError(f"it made a file with a name that is not accepted: {ascii(name[:80])[1:]}")
    if b"\0" in name:
        raise RosterError("it made a file with a null byte in its name")
    return tuple(os.fsdecode(word) for word in words)


def _put(source: Path, root: int, place: tuple[str, ...], mode: int) -> None:
    """Put a file in place: a new file that replaces an existing one, in folders that are not links."""
    *folders, name = place
    at = os.dup(root)
    try:
        for word in folders:
            with suppress(FileExistsError):
                os.mkdir(word, dir_fd=at)
            below = os.open(word, FOLDER, dir_fd=at)
            os.close(at)
            at = below
        part = f".{os.urandom(8).hex()}"
        with open(source, "rb") as old, open(os.open(part, NEW_FILE, mode, dir_fd=at), "wb") as new:
            shutil.copyfileobj(old, new)
        try:
            os.rename(part, name, src_dir_fd=at, dst_dir_fd=at)
        except OSError:
            os.unlink(part, dir_fd=at)
            raise
    except OSError as error:
        path = ascii("/".join(place))
        raise RosterError(f"{path} cannot be put into the bot's folder: {error.strerror}") from None
    finally:
        os.close(at)
