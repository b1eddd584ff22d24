"""The lines of a record as bytes: compressed, and with two digests, so that no byte can change unnoticed.

A file is a gzip member (RFC 1952) whose extra field holds the digest of everything after it, so that no byte can change
unnoticed, even where decompression does not look. The last line is the digest of the lines before it. A forger can
compute both, so a file is unpacked piece by piece, and refused as soon as it exceeds a limit.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator

from arena.errors import RecordError

SUFFIX = ".match.jsonl.gz"
MOST_BYTES = 64 << 20
"""Bytes of an unpacked record; a long match takes 50 KB, or a few MB if bots write much."""
MOST_LINE = 16 << 20
"""Bytes of one line."""
MOST_VALUES = 1 << 20
"""Values in a line, counted by commas and brackets: each takes up to 100 bytes when it is read."""
PIECE = 1 << 16
"""Bytes that are unpacked at a time."""


def lines_of(data: bytes) -> Iterator[bytes]:
    """The lines of a file, one after the other. RecordError if it is not a record, or exceeds a limit."""
    return _verified(_lines(_unpacked(data)))


def signed(body: bytes) -> bytes:
    """Lines, and the checksum after them."""
    return body + b'{"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


def _verified(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines before the checksum, which must match them."""
    found = hashlib.sha256()
    last = next(lines, b"")
    for line in lines:
        found.update(last + b"\n")
        yield last
        last = line
    if last != b'{"sha256":"%s"}' % found.hexdigest().encode():
        raise RecordError(f"the checksum {last[:40]!r} in its last line does not match the lines before it")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a text that comes in pieces; a line that is too long is refused at once."""
    rest, number = bytearray(), 1
    for piece in pieces:
        *whole, tail = piece.split(b"\n")
        for line in whole:
            yield _sparse(number, bytes(rest + line))
            number += 1
            rest.clear()
        rest += tail
        if len(rest) > MOST_LINE:
            raise RecordError(f"line {number}: more than {MOST_LINE} bytes, the most that a line may have")
    if rest:
        raise RecordError("its last line has no end")


def _sparse(number: int, line: bytes) -> bytes:
    if len(line) > MOST_VALUES and sum(map(line.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise RecordError(f"line {number}: more than {MOST_VALUES:,} values, the most that a line may have")
    return line


# The file

_DIGEST = 32
_EXTRA = b"DA" + struct.pack("<H", _DIGEST)
_HEAD = b"\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff" + struct.pack("<H", len(_EXTRA) + _DIGEST) + _EXTRA
_START = len(_HEAD) + _DIGEST
_END = 8
"""Bytes of the checksum and the length that end a gzip file."""


def pack(content: bytes) -> bytes:
    squeeze = zlib.compressobj(level=4, wbits=-zlib.MAX_WBITS)
    rest = squeeze.compress(content) + squeeze.flush() + struct.pack("<II", zlib.crc32(content), len(content))
    return _HEAD + hashlib.sha256(rest).digest() + rest


def _unpacked(data: bytes) -> Iterator[bytes]:
    """The contents of a file, piece by piece. RecordError if its beginning or its end do not match them."""
    if not data.startswith(_HEAD):
        raise RecordError(f"not a record: it begins with {data[:10]!r}. Records end in {SUFFIX}.")
    rest = data[_START:]
    if hashlib.sha256(rest).digest() != data[len(_HEAD) : _START]:
        raise RecordError("it was cut off or changed: its bytes do not match the digest at its beginning")
    crc = size = 0
    for piece in _inflated(rest[:-_END]):
        crc, size = zlib.crc32(piece, crc), size + len(piece)
        if size > MOST_BYTES:
            raise RecordError(f"it does not decompress to at most {MOST_BYTES} bytes")
        yield piece
    if rest[-_END:] != struct.pack("<II", crc, size):
        raise RecordError("the end of the gzip file does not match its contents")


def _inflated(packed: bytes) -> Iterator[bytes]:
    expand = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        for start in range(0, len(packed), PIECE):
            if expand.eof:
                raise RecordError("it does not decompress: something follows its end")
            piece = expand.decompress(packed[start : start + PIECE], PIECE)
            while piece:
                yield piece
                piece = expand.decompress(expand.unconsumed_tail, PIECE)
    except zlib.error as error:
        raise RecordError(f"it does not decompress: {error}") from None
    if not expand.eof or expand.unused_data:
        raise RecordError("it does not decompress: it ends too early or too late")
