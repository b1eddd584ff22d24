"""The beginning and the end of a stream of any length, in bounded memory."""

HALF = 32 * 1024
"""Bytes kept of either end."""


class Excerpt:
    """Keeps the head and the tail of what is added."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = HALF - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * HALF:
            del self._tail[:-HALF]

    def text(self) -> str:
        """What is kept, with a line that says how much is left out; bytes that are not UTF-8 are escaped."""
        tail = self._tail[-HALF:]
        left_out = self.total - len(self._head) - len(tail)
        if not left_out:
            return (self._head + tail).decode("utf-8", "backslashreplace")
        ends = [end.decode("utf-8", "backslashreplace") for end in (self._head, tail)]
        return f"\n... {left_out} bytes left out ...\n".join(ends)
