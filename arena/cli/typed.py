"""What a person types, line by line, while a match goes on."""

import os


class Lines:
    """The lines of a descriptor as they come; None stands for a closed one. Waiting for a line blocks no other task."""

    MOST = 1 << 16

    def __init__(self, fd: int | None) -> None:
        self._fd = fd
        self._rest = b""

    async def next(self) -> str | None:
        """The next line without its end; None when there are no more."""
        while b"\n" not in self._rest and len(self._rest) < self.MOST:
            data = await self._more()
            if not data:
                break
            self._rest += data
        line, end, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "backslashreplace") if line or end else None

    async def _more(self) -> bytes:
        import trio

        if self._fd is None:
            return b""
        try:
            await trio.lowlevel.wait_readable(self._fd)
            return os.read(self._fd, self.MOST)
        except PermissionError:  # a regular file, which is always ready
            return os.read(self._fd, self.MOST)
        except OSError:  # a terminal that is gone
            return b""
