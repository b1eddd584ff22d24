"""The tar format of archives: one way to write each member, and a reader that accepts nothing else.

A member is a file, a program (a file that can be executed) or a link. Its header is USTAR, with owner 0, time 0 and
mode 0644, 0755 or 0777. A name or a link's text that is not ASCII, or has more than 100 bytes, is in a PAX record
before it. Folders have no members: they follow from the names. The archive ends with two empty blocks and nothing after
them.

The reader takes from a header what it needs, writes the header of that again, and compares. So it needs no opinion on
other fields, other formats, checksums, sparse files or what else tar has come to mean in fifty years.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from arena.errors import FormError
from arena.roster.belongings import MOST_PATH
from arena.texts import path as shown

BLOCK = 512
END = bytes(2 * BLOCK)
FIELD = 100
"""Bytes of a name in a header."""
RECORDS, LINK = b"x", b"2"
MOST_RECORDS = 2 * (MOST_PATH + BLOCK // 8)
"""Bytes of two PAX records: a name and the text of a link."""
NEVER = {
    b"1": "a hard link", b"3": "a device", b"4": "a device", b"5": "a folder, which needs no entry", b"6": "a pipe",
    b"S": "a sparse file", b"g": "a record for all files", b"L": "a long name as GNU tar writes it",
    b"K": "a long link as GNU tar writes it",
}  # fmt: skip


class Sort(Enum):
    """What a member is: the letter and the mode in its header."""

    FILE = (b"0", 0o644)
    PROGRAM = (b"0", 0o755)
    LINK = (LINK, 0o777)


@dataclass(frozen=True, slots=True)
class Packed:
    """A member of an archive."""

    name: str
    sort: Sort
    size: int = 0
    target: str = ""

    @property
    def padding(self) -> int:
        """Bytes after its contents, up to the next block."""
        return -self.size % BLOCK


def head(member: Packed) -> bytes:
    """All that stands before its contents."""
    names = {"path": member.name, "linkpath": member.target}
    records = b"".join(_record(key, text) for key, text in names.items() if not _fits(text))
    letter, mode = member.sort.value
    header = _header(_field(member.name), letter, mode, member.size, _field(member.target))
    if not records:
        return header
    return (
        _header(b"././@PaxHeader", RECORDS, 0o644, len(records), b"") + records + bytes(-len(records) % BLOCK) + header
    )


def read_head(read: Callable[[int], bytes]) -> Packed | None:
    """The next member, or None at the end; `read` gives exactly so many bytes. FormError if it is not ours."""
    raw = read(BLOCK)
    if raw == END[:BLOCK]:
        return None
    records: dict[str, str] = {}
    if raw[156:157] == RECORDS:
        size = _number(raw)
        if size > MOST_RECORDS:
            raise FormError(f"it has a name or a link of more than {MOST_PATH} bytes")
        raw += read(size + -size % BLOCK)
        records = _records(raw[BLOCK : BLOCK + size])
        raw += read(BLOCK)
    member = _member(raw[-BLOCK:], records)
    if head(member) != raw:
        raise FormError(f"{shown(member.name)}: its header is not as the arena writes it")
    return member


def _member(header: bytes, records: dict[str, str]) -> Packed:
    name = records.get("path", _text(header[:FIELD]))
    letter = header[156:157]
    if letter in NEVER:
        raise FormError(f"{shown(name)}: this is {NEVER[letter]}")
    if letter == LINK:
        return Packed(name, Sort.LINK, 0, records.get("linkpath", _text(header[157 : 157 + FIELD])))
    sort = Sort.PROGRAM if header[100:107] == b"%07o" % Sort.PROGRAM.value[1] else Sort.FILE
    return Packed(name, sort, _number(header))


def _number(header: bytes) -> int:
    digits = header[124:135]
    if not digits.isdigit() or b"8" in digits or b"9" in digits:
        raise FormError("it has a header without a size: this is not a tar archive, or a damaged one")
    return int(digits, 8)


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("ascii", "replace")


def _records(data: bytes) -> dict[str, str]:
    """The first path and link in PAX records. What else may be there does not survive the comparison."""
    found: dict[str, str] = {}
    while data:
        length, _, rest = data.partition(b" ")
        size = int(length) if length.isdigit() and len(length) < 6 else 0
        key, _, text = data[:size][len(length) + 1 : -1].partition(b"=")
        if not rest or not key:
            raise FormError("it has a damaged PAX record")
        found.setdefault(key.decode("ascii", "replace"), text.decode("utf-8", "surrogateescape"))
        data = data[size:]
    return found


def _fits(text: str) -> bool:
    return text.isascii() and len(text) <= FIELD


def _field(text: str) -> bytes:
    """A name in a header; if it does not fit, a part for readers that do not know PAX."""
    return text.encode("ascii", "replace")[:FIELD]


def _record(key: str, text: str) -> bytes:
    body = b" %s=%s\n" % (key.encode(), text.encode("utf-8", "surrogateescape"))
    size = len(body)
    while len(str(size)) + len(body) != size:
        size = len(str(size)) + len(body)
    return b"%d%s" % (size, body)


def _header(name: bytes, letter: bytes, mode: int, size: int, target: bytes) -> bytes:
    before = name.ljust(FIELD, b"\0") + b"%07o\0%07o\0%07o\0%011o\0%011o\0" % (mode, 0, 0, size, 0)
    after = letter + target.ljust(FIELD, b"\0") + b"ustar\x0000"
    whole = (before + b" " * 8 + after).ljust(BLOCK, b"\0")
    return before + b"%06o\0 " % sum(whole) + whole[len(before) + 8 :]
