"""Where one message ends and the next begins, in bounded memory.

A reader is fed bytes as they arrive, in any pieces, and returns whole payloads. It checks a length before it waits for
that many bytes, so it never holds more than one payload and what was fed to it last.
"""

from collections.abc import Iterator
from typing import Final

from protocol.errors import ErrorKind, RemoteProtocolError

MOST_BYTES: Final = 1 << 20
"""The longest payload: a whole view of the largest game takes a hundredth of it."""
HEADER: Final = 4
PRINTABLE: Final = frozenset(b"\t\r\n" + bytes(range(0x20, 0x7F)))
ONLY_MESSAGES: Final = "text on stdout. Stdout carries only messages; print to stderr (SPEC 2.1)"


class LengthReader:
    """Payloads behind a length of four bytes, the most significant first."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.offset = 0

    @property
    def pending(self) -> bytes:
        return bytes(self._buffer)

    def is_whole(self, data: bytes) -> bool:
        """Whether nothing is pending and these bytes are just one frame."""
        return not self._buffer and int.from_bytes(data[:HEADER]) == len(data) - HEADER <= MOST_BYTES

    def skip(self, data: bytes) -> None:
        """Note that the caller has read this whole frame."""
        self.offset += len(data)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        self._buffer += data
        while len(self._buffer) >= HEADER:
            length = int.from_bytes(self._buffer[:HEADER])
            if length > MOST_BYTES:
                raise self._too_long(length)
            if len(self._buffer) < HEADER + length:
                return
            payload = bytes(self._buffer[HEADER : HEADER + length])
            del self._buffer[: HEADER + length]
            start, self.offset = self.offset + HEADER, self.offset + HEADER + length
            yield start, payload

    def _too_long(self, length: int) -> RemoteProtocolError:
        found = bytes(self._buffer)
        if found[0] in PRINTABLE:  # the length of any frame that is short enough begins with 00
            return RemoteProtocolError(ErrorKind.TEXT, self.offset, ONLY_MESSAGES, found)
        text = f"a frame of {length} bytes, the limit is {MOST_BYTES} (SPEC 3.1)"
        return RemoteProtocolError(ErrorKind.TOO_LONG, self.offset, text, found)


class LineReader:
    """Payloads that end with a line feed; empty lines mean nothing."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0  # no line feed before this: each byte is searched once, however it drips in
        self.offset = 0

    @property
    def pending(self) -> bytes:
        return bytes(self._buffer)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        self._buffer += data
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            if end == 0:  # a flood of empty lines is dropped at once, not line by line
                empty = len(self._buffer) - len(self._buffer.lstrip(b"\n"))
                del self._buffer[:empty]
                self._searched, self.offset = 0, self.offset + empty
                continue
            self._check(end)
            line = bytes(self._buffer[:end]).strip()
            del self._buffer[: end + 1]
            self._searched = 0
            start, self.offset = self.offset, self.offset + end + 1
            if line:
                yield start, line
        self._searched = len(self._buffer)
        self._check(len(self._buffer))

    def _check(self, length: int) -> None:
        if length > MOST_BYTES:
            text = f"a line of more than {MOST_BYTES} bytes. Each message is one line, ended by a line feed (SPEC 3.2)"
            raise RemoteProtocolError(ErrorKind.TOO_LONG, self.offset, text, bytes(self._buffer))
