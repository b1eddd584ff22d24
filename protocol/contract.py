"""What a codec is, for packages that bring one (SPEC 3.3).

They may inherit from these classes, so this module is never compiled (`make fast`).
"""

from collections.abc import Iterator
from typing import Any, Protocol


class Reader(Protocol):
    """Bytes in, payloads out."""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The payloads completed by these bytes, each with the offset in the stream where it begins."""

    @property
    def pending(self) -> bytes:
        """The beginning of a payload that has not ended yet."""

    @property
    def offset(self) -> int:
        """Where in the stream the pending bytes begin."""


class Codec(Protocol):
    """A way to write maps."""

    name: str
    opening: bytes
    """The first bytes of a stream, each of which chooses this codec."""

    def reader(self) -> Reader:
        """A fresh reader of payloads."""

    def encode(self, value: dict[str, Any]) -> bytes:
        """The whole frame of a map."""

    def decode(self, payload: bytes) -> Any:
        """The value of a payload. Undecodable says why not."""


class Undecodable(Exception):
    """A payload is not a value of this codec; the text says why."""
