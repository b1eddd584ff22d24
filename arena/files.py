"""The one reader of files that come from outside: bot.toml, tournaments, decks, records.

A path may lead to a pipe without a writer, a device without an end, or a file larger than memory. So a file is checked
before it is opened (opening a device can have effects), opened without waiting, checked again, and read only if it is
an ordinary file of a bounded size. FileError says what it is instead.
"""

import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from arena.errors import FileError, FileMissing, FormError
from arena.texts import path as shown

MOST_MANIFEST = 64 << 10
MOST_TOURNAMENT = 1 << 20
MOST_TEXT = 1 << 20
"""Bytes of a bot.toml, of a tournament file, and of a file that holds an option's value, such as a deck."""
FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
KINDS: dict[Callable[[int], bool], str] = {
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISLNK: "a link",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}
MOST_PARTS = 32
"""Parts of a dotted key. tomllib takes time and memory that grow with their square: 32,000 of them, 4 GB."""
LONG_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}""", re.ASCII)


def read(path: Path | str, most_bytes: int) -> bytes:
    """The contents of an ordinary file of at most `most_bytes`."""
    data = read_start(path, most_bytes + 1, most_bytes)
    if len(data) > most_bytes:
        raise _too_large(path, most_bytes)
    return data


def read_start(path: Path | str, length: int, most_bytes: int | None = None) -> bytes:
    """The first bytes of an ordinary file. One of more than `most_bytes` is refused before it is read."""
    try:
        _check(path, os.stat(path), most_bytes)
        fd = os.open(path, FLAGS)
        try:
            size = _check(path, os.fstat(fd), most_bytes)
            # A file of size 0 is not read: in /proc such a file may have no end, or be empty after it was read once.
            with open(fd, "rb", closefd=False) as file:
                return file.read(length) if size else b""
        finally:
            os.close(fd)
    except OSError as error:
        raise refusal(path, error) from None
    except ValueError:
        raise FileError(f"{shown(path)}: no file can have this name") from None


def _check(path: Path | str, status: os.stat_result, most_bytes: int | None) -> int:
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{shown(path)}: this is {kind_of(status.st_mode)}, not an ordinary file")
    if most_bytes is not None and status.st_size > most_bytes:
        raise _too_large(path, most_bytes)
    return status.st_size


def _too_large(path: Path | str, most_bytes: int) -> FileError:
    return FileError(f"{shown(path)}: it has more than {most_bytes:,} bytes, the most that such a file may have")


def refusal(path: Path | str, error: OSError) -> FileError:
    """An error of the operating system, with the name of the file: that of a read does not have it."""
    kind = FileMissing if isinstance(error, FileNotFoundError) else FileError
    return kind(f"{shown(path)}: {error.strerror or error}")


def kind_of(mode: int) -> str:
    """What kind of file this is, if it is not an ordinary one."""
    return next((words for is_kind, words in KINDS.items() if is_kind(mode)), "not an ordinary file")


def read_text(path: Path | str, most_bytes: int) -> str:
    """The text of a file, without a byte order mark."""
    try:
        return read(path, most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormError(f"{shown(path)}: not UTF-8: {error}") from None


def read_toml(path: Path | str, most_bytes: int) -> dict[str, Any]:
    """The tables of a TOML file."""
    text = read_text(path, most_bytes)
    if LONG_KEY.search(text):
        raise FormError(f"{shown(path)}: it has a key of more than {MOST_PARTS} parts: it is nested too deeply.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FormError(f"{shown(path)}: it is nested too deeply.") from None
    except ValueError as error:  # not TOML, or a number of thousands of digits
        raise FormError(f"{shown(path)}: not valid TOML: {error}") from None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file completely or not at all. A device, such as /dev/null, is written to and never replaced."""
    with writing_whole(path) as file:
        file.write(data)


@contextmanager
def writing_whole(path: Path) -> Iterator[BinaryIO]:
    """The same, for what is written in pieces."""
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    with _part(path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def write_soon(path: Path, data: bytes) -> None:
    """Write a file that no process sees half written. After a power cut it may be missing or damaged, until `sync`."""
    with _part(path) as file:
        file.write(data)


@contextmanager
def _part(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name at the end."""
    part = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    fd = _create(part)
    try:
        with open(fd, "wb") as file:
            yield file
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def sync(folder: Path) -> None:
    """Return when everything that was written to this folder's file system before is on the disk, names included.

    That takes one look at the file system, where fsync takes two for each file: for the file, and for its name.
    """
    import ctypes  # which takes longer to import than most commands need

    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(libc, "syncfs"):  # not Linux
            os.sync()
        elif libc.syncfs(fd) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(fd)


def _create(path: Path) -> int:
    """A new file, open for writing. Its folder is made if it does not exist."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o666)
