"""Whether a file or folder that is open is still where it was.

A file that a process has open can be deleted, moved or replaced, and the process notices nothing: all that it writes
goes into a file that has no name.
"""

import os
from pathlib import Path


class Place:
    """A path, and what is there now."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Only a handle: to close a real descriptor would release the locks that SQLite has on the same file.
        self._fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        self._is = _identity(os.fstat(self._fd))

    def change(self) -> str | None:
        """What happened to it, in words, if it is not there any more."""
        try:
            if _identity(os.stat(self._path)) == self._is:
                return None
        except OSError:
            pass
        if self.is_deleted:
            return "it was deleted"
        return f"it was moved to {os.readlink(f'/proc/self/fd/{self._fd}')}"

    @property
    def is_deleted(self) -> bool:
        """Whether it has no name any more, so that it cannot be opened again."""
        return os.fstat(self._fd).st_nlink == 0

    def close(self) -> None:
        os.close(self._fd)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
