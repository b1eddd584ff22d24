"""Files and folders that are being made: hidden, locked by their maker, and put in place whole.

Whatever is at its final name is complete. What is not complete has a hidden name next to it, and its maker holds a lock
on it, which the kernel releases when the maker ends in any way. So the next maker can tell what a killed one has left,
and removes it.
"""

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part-"
OPEN = 0o755
"""For all users: bots that root starts have user numbers of their own, and must pass."""
FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def new_file(folder: Path) -> Iterator[tuple[Path, int]]:
    """A hidden file in a folder, open for writing. It is gone at the end, unless it was renamed."""
    with locked(folder):
        _sweep(folder)
        path = _hidden(folder)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | FLAGS, 0o666)
        fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield path, fd
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
        os.close(fd)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder in a folder, closed to others. It is gone at the end, unless it was renamed."""
    with locked(folder):
        _sweep(folder)
        path = _hidden(folder)
        os.mkdir(path, 0o700)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | FLAGS)
        fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield path
    finally:
        with suppress(FileNotFoundError):
            remove(path)
        os.close(fd)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """While no other process adds or exchanges anything in this folder, which is made if it does not exist."""
    with suppress(FileExistsError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        folder.chmod(OPEN)
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def remove(path: Path) -> None:
    """Delete a file, a link, or a folder with all in it, also if it is read-only. Links are not followed."""
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        os.unlink(path)
        return
    for parent, _, _ in os.walk(path):
        os.chmod(parent, 0o700)
    shutil.rmtree(path)


def put(part: Path, path: Path) -> None:
    """Give a new folder its final name. What has this name goes; the caller holds the lock of the folder above."""
    aside = _hidden(path.parent)
    with suppress(FileNotFoundError):
        os.rename(path, aside)
    os.rename(part, path)
    with suppress(FileNotFoundError):
        remove(aside)


def _hidden(folder: Path) -> Path:
    return folder / f"{PART}{os.urandom(6).hex()}"


def _sweep(folder: Path) -> None:
    """Remove what killed makers have left; the caller holds the lock of the folder."""
    for name in os.listdir(folder):
        if name.startswith(PART):
            with suppress(OSError):  # its maker is at work, or it is not ours
                _remove_unless_locked(folder / name)


def _remove_unless_locked(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | FLAGS)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(path)
    finally:
        os.close(fd)
