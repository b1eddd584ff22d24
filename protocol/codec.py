"""Maps to bytes and back: framed MessagePack, JSON lines, and codecs that other packages plug in.

The bot chooses the codec with the first byte it sends. A package adds a codec with an entry point of the group
`arena.codecs` whose object is a Codec with an `opening` of its own.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import msgpack

from protocol.contract import Codec, Reader, Undecodable
from protocol.errors import ErrorKind, LocalProtocolError, RemoteProtocolError
from protocol.framing import HEADER, ONLY_MESSAGES, PRINTABLE, LengthReader, LineReader

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "arena.codecs"
MOST_DEEP: Final = 32
"""How deep arrays and maps may be nested."""


class MsgpackCodec:
    """A length of four bytes, then one MessagePack value without extension types."""

    name = "msgpack"
    opening = b"\x00"  # the first byte of the length of any frame below 16 MiB

    def __init__(self) -> None:
        self._packer = msgpack.Packer()

    def reader(self) -> Reader:
        return LengthReader()

    def encode(self, value: dict[str, Any]) -> bytes:
        payload: bytes = self._packer.pack(value)
        return len(payload).to_bytes(HEADER) + payload

    def encode_question(
        self,
        value: dict[str, Any],
        view: tuple[dict[str, Any], dict[str, Any]],
        events: list[Any],
        packed: dict[int, bytes],
    ) -> bytes:
        """The frame of a map that has a `view`, in two parts, and `events` too.

        Several frames may have the first part of the view: `packed` keeps its bytes by its id. Events are too small to
        be kept: to look up seven takes longer than to pack them again.
        """
        packer = self._packer
        pack = packer.pack
        public, private = view
        shared = packed.get(id(public))
        if shared is None:
            shared = packed[id(public)] = pack(public)[_opening(public) :]
        parts = (
            packer.pack_map_header(len(value) + 2),
            pack(value)[_opening(value) :],
            _VIEW,
            packer.pack_map_header(len(public) + len(private)),
            shared,
            pack(private)[_opening(private) :],
            _EVENTS,
            pack(events),
        )
        payload = b"".join(parts)
        return len(payload).to_bytes(HEADER) + payload

    def decode(self, payload: bytes) -> Any:
        try:
            value = msgpack.unpackb(payload, ext_hook=_no_extensions, strict_map_key=True)
            if flat(value):
                return value
            for level in _levels(value):
                for item in level:
                    if isinstance(item, msgpack.Timestamp):  # which msgpack reads without asking the hook
                        _no_extensions(-1, b"")
                    if isinstance(item, dict) and not all(isinstance(key, str) for key in item):
                        raise ValueError("bytes are not allowed for map key")
            return value
        except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
            raise Undecodable(f"not one MessagePack value ({str(error) or type(error).__name__})") from None


_VIEW: Final[bytes] = msgpack.packb("view")
_EVENTS: Final[bytes] = msgpack.packb("events")


def _opening(value: dict[str, Any]) -> int:
    """How many bytes of a packed map come before its keys."""
    return 1 if len(value) < 16 else 3 if len(value) < 1 << 16 else 5


def _no_extensions(code: int, _data: bytes) -> Any:
    raise ValueError(f"extension type {code} is not allowed")


class JsonCodec:
    """One JSON object a line, in UTF-8."""

    name = "json"
    opening = b"{"

    def reader(self) -> Reader:
        return LineReader()

    def encode(self, value: dict[str, Any]) -> bytes:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"

    def decode(self, payload: bytes) -> Any:
        try:
            value = json.loads(payload.decode("utf-8"), parse_constant=_no_constant)
            if b"\\u" in payload:  # an escape can be half a character, which cannot be encoded again
                json.dumps(value, ensure_ascii=False).encode()
            return value
        except (ValueError, RecursionError) as error:
            reason = str(error) or type(error).__name__
            raise Undecodable(f"a line that is not one JSON value in UTF-8 ({reason})") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


MSGPACK: Final = MsgpackCodec()
JSON: Final = JsonCodec()


def choose(first: bytes) -> Codec:
    """The codec of a stream that begins with these bytes (at least one)."""
    for codec in (MSGPACK, JSON):
        if first[0] in codec.opening:
            return codec
    from importlib.metadata import entry_points  # 20 ms, and hardly ever needed

    for point in entry_points(group=GROUP):
        plugged = _load(point)
        if first[0] in plugged.opening:
            return plugged
    raise _unrecognised(first)


def _load(point: "EntryPoint") -> Codec:
    try:
        codec: Codec = point.load()
    except Exception as error:  # a plug-in may raise anything when it is imported; that is not the bot's fault
        raise LocalProtocolError(f"codec {point.name} ({point.value}) does not load: {error!r}") from error
    return codec


def _unrecognised(first: bytes) -> RemoteProtocolError:
    byte = first[0]
    if 0x80 <= byte <= 0x8F or byte in (0xDE, 0xDF):
        text = "MessagePack without a frame: write the length before each message, as 4 bytes, big-endian (SPEC 3.1)"
        return RemoteProtocolError(ErrorKind.UNFRAMED, 0, text, first)
    if byte in PRINTABLE:
        return RemoteProtocolError(ErrorKind.TEXT, 0, ONLY_MESSAGES, first)
    text = "no codec starts with this byte. Start with 00 (framed MessagePack) or { (JSON lines) (SPEC 3)"
    return RemoteProtocolError(ErrorKind.UNKNOWN_CODEC, 0, text, first)


_KEYS: Final = frozenset((str,))
SCALARS: Final = frozenset((str, int, float, bool, bytes, type(None)))


def flat(value: Any) -> bool:
    """Whether this is a map of strings to scalars, as most messages of a bot are. It needs no deeper check."""
    return type(value) is dict and _KEYS.issuperset(map(type, value)) and SCALARS.issuperset(map(type, value.values()))


def too_deep(value: Any) -> bool:
    """Whether arrays and maps are nested deeper than allowed."""
    return any(
        depth >= MOST_DEEP and isinstance(item, list | dict)
        for depth, level in enumerate(_levels(value))
        for item in level
    )


def _levels(value: Any) -> Iterator[list[Any]]:
    """The value, then what it contains, then what that contains ..."""
    level = [value]
    while level:
        yield level
        inner = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, list | dict)]
        level = [item for items in inner for item in items]
