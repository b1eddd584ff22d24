"""The members of an archive, one after the other, each checked before it is used. Archives are strangers' files.

A Ledger knows what was there before, and so what may come next: names in ascending order, so that none comes twice; no
file in a file or in a link; not more files, folders and bytes than a bot may have. Sizes count by their headers, before
the contents are unpacked, so a bomb costs what a bot of the allowed size costs. A link is judged at the end, when all
names are known.
"""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from arena.errors import FormError
from arena.roster.belongings import link_fault, name_fault
from arena.roster.folders import CHUNK, MOST_BYTES, MOST_FILES, is_out_of_sight
from arena.roster.tar import END, Packed, Sort, read_head
from arena.texts import path as shown

GZIP = 31
"""zlib's word for: a gzip stream, with a window of 32 KiB. One that it writes has no name, and the time 0."""
PIECE = 1 << 16


class Ledger:
    """What has come so far."""

    def __init__(self) -> None:
        self.folders: set[str] = set()
        self.links: dict[str, str] = {}
        self.names: set[str] = set()
        self._last, self._bytes = b"", 0

    def admit(self, member: Packed) -> list[str]:
        """Check the next member. Returns the folders that are new with it, the outer ones first."""
        if fault := name_fault(member.name):
            raise FormError(f"{shown(member.name)}: {fault}")
        if is_out_of_sight(member.name.partition("/")[0], member.sort is Sort.LINK and "/" not in member.name):
            raise FormError(f"{shown(member.name)}: no bot sees a file of this name")
        path = member.name.encode()
        if path <= self._last:
            raise FormError(f"{shown(member.name)}: it comes twice, or not in the order of names")
        self._last = path
        self.names.add(member.name)
        new = self._new_folders(member.name)
        self.folders.update(new)
        self._bytes += member.size
        if len(self.names) + len(self.folders) > MOST_FILES:
            raise FormError(f"more than {MOST_FILES:,} files, the most that a bot may have")
        if self._bytes > MOST_BYTES:
            raise FormError(
                f"{shown(member.name)}: with it, more than {MOST_BYTES >> 30} GiB, the most that a bot may have"
            )
        if member.sort is Sort.LINK:
            self.links[member.name] = member.target
        return new

    def _new_folders(self, name: str) -> list[str]:
        new: list[str] = []
        above = name.rpartition("/")[0]
        while above and above not in self.folders:
            if above in self.names:
                raise FormError(f"{shown(name)}: it is in {shown(above)}, which is not a folder")
            new.append(above)
            above = above.rpartition("/")[0]
        return new[::-1]

    def check_links(self) -> None:
        """Whether all links stay where they may."""
        for name, target in self.links.items():
            if fault := link_fault(name, target, self.names):
                raise FormError(f"{shown(name)}: {fault}")


class Members:
    """Iterates over the members of an open archive, with the folders that are new; `pieces` has their contents."""

    def __init__(self, file: BinaryIO) -> None:
        self.ledger = Ledger()
        self._file = file
        self._unzip = zlib.decompressobj(GZIP)
        self._left = self._padding = 0

    def __iter__(self) -> Iterator[tuple[Packed, list[str]]]:
        while member := read_head(self._read):
            new = self.ledger.admit(member)
            self._left, self._padding = member.size, member.padding
            yield member, new
            for _ in self.pieces():  # what the caller did not take
                pass
            if any(self._read(self._padding)):
                raise FormError(f"{shown(member.name)}: something stands between its end and the next file")
        self._check_end()
        self.ledger.check_links()

    def pieces(self) -> Iterator[bytes]:
        """The contents of the member that was yielded last."""
        while self._left:
            piece = self._some(min(CHUNK, self._left))
            self._left -= len(piece)
            yield piece

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            data += self._some(size - len(data))
        return bytes(data)

    def _some(self, most: int) -> bytes:
        """At least one byte and at most so many."""
        while not (data := self._next(most)):
            if self._unzip.eof:
                raise FormError("it ends too early")
        return data

    def _next(self, most: int) -> bytes:
        given = self._unzip.unconsumed_tail or self._file.read(PIECE)
        try:
            data = self._unzip.decompress(given, most)
        except zlib.error as error:
            raise FormError(f"not a gzip file, or a damaged one: {error}") from None
        if not given and not data:
            raise FormError("it ends too early")
        return data

    def _check_end(self) -> None:
        """After the last member: one more empty block, the end of the stream with its checksum, the end of the file."""
        if any(self._read(len(END) // 2)):
            raise FormError("something follows its end")
        while not self._unzip.eof:
            if self._next(1):
                raise FormError("something follows its end")
        if self._unzip.unused_data or self._file.read(1):
            raise FormError("something follows its end")
