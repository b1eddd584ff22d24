"""The archive of a bot: its kept files in one file that is named after their digest, `<digest>.tar.gz`.

Theory of operation. An archive is a tar (arena/roster/tar.py) of the kept files and links (arena/roster/belongings.py),
sorted by the bytes of their names, in one gzip stream without a name and a time. The digest is of names, contents,
executability and texts of links, never of the compressed bytes: another zlib may compress differently, and the archive
is still the same. The tar inside is the same on every machine, byte by byte.

`pack` digests what it writes, in one pass: a file that changes meanwhile cannot get a wrong digest. `check` reads an
archive and returns nothing; `unpack` reads it in the same way, and writes. Memory is bounded: contents pass through in
pieces, and what is remembered of a member is its name and, of a link, its text.

Everything in an archive may be hostile. `Members` refuses what is not exactly as `pack` writes it, before anything is
written: names that are not sorted, and so are equal or nested in a file; links that leave; more files, folders or bytes
than a bot may have. The bytes are counted by the sizes in the headers, before they are read. Only then come the files:
into a hidden folder of our own, closed to others, each with O_EXCL and O_NOFOLLOW; links last of all, so that no link
exists while a file is written, and none can be followed. Only if the digest is right is the folder renamed. So a copy
is there whole or not at all, whoever is killed when.

A copy is read-only, against changes by accident. It is not synced to the disk: after a power failure its digest is
wrong, which is noticed before it plays, and it is made again from the archive, which is synced.
"""

import hashlib
import os
import stat
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from arena.errors import FileError, FormError
from arena.files import FLAGS, kind_of, refusal
from arena.roster.belongings import FILE, LINK, PROGRAM, digest_of, is_program, kept_digest, kept_items
from arena.roster.entries import Entry
from arena.roster.folders import CHUNK, MOST_BYTES, Item
from arena.roster.members import GZIP, Ledger, Members
from arena.roster.parts import locked, new_file, new_folder, put
from arena.roster.tar import END, Packed, Sort, head
from arena.texts import path as shown

SUFFIX = ".tar.gz"
LEVEL = 6
MOST_ARCHIVE = MOST_BYTES + (256 << 20)
"""Bytes of an archive: what does not compress, and headers."""
WORDS = {Sort.FILE: FILE, Sort.PROGRAM: PROGRAM}
MODES = {Sort.FILE: 0o444, Sort.PROGRAM: 0o555}
FOLDER = 0o555
Take = Callable[[Packed, list[str], Iterable[bytes]], None]
"""Receives a member, the folders that are new with it, and its contents in pieces, which it may leave."""


def archive_of(archives: Path, digest: str) -> Path:
    """Where the archive with this digest is."""
    return archives / f"{digest}{SUFFIX}"


def pack(entry: Entry, archives: Path) -> str:
    """Write the archive of a bot, whole or not at all. Returns the digest of what is in it, after which it is named."""
    items = kept_items(entry)
    try:
        with new_file(archives) as (part, fd), open(fd, "wb", closefd=False) as file:
            digest = _write(entry.folder, items, file)
            file.flush()
            os.fsync(fd)
            os.replace(part, archive_of(archives, digest))
            _sync(archives)
    except OSError as error:
        raise refusal(archives, error) from None
    return digest


def check(archive: Path, digest: str) -> None:
    """FileError unless this is a sound archive of files with this digest."""
    _read(archive, digest, lambda _member, _new, _pieces: None)


def unpack(archive: Path, into: Path, digest: str) -> None:
    """Make a read-only copy of what is in an archive, unless it is there. FileError if the archive is not sound."""
    try:
        with new_folder(into.parent) as part, _opened(part, os.O_DIRECTORY) as root:
            ledger = _read(archive, digest, partial(_store, root, into))
            _finish(root, ledger)
            with locked(into.parent):
                if not is_intact(into, digest):
                    put(part, into)
    except OSError as error:
        raise refusal(into, error) from None


def is_intact(copy: Path, digest: str) -> bool:
    """Whether this is a copy with all its files as they were, and no others."""
    try:
        return stat.S_ISDIR(os.lstat(copy).st_mode) and kept_digest(Entry("", "", (), copy, is_copy=True)) == digest
    except (OSError, FileError):
        return False


def close(folder: Path) -> None:
    """Make all in a folder read-only, as in a copy."""
    for parent, _, names in os.walk(folder, topdown=False):
        for path in (os.path.join(parent, name) for name in names):
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                os.chmod(path, MODES[Sort.PROGRAM if mode & stat.S_IXUSR else Sort.FILE])
        os.chmod(parent, FOLDER)


# Writing an archive


def _write(folder: Path, items: list[Item], file: BinaryIO) -> str:
    squeezer, kept = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP), []
    for item in items:
        member, state = _member(folder, item), hashlib.sha256()
        file.write(squeezer.compress(head(member)))
        for piece in _pieces(folder, item):
            state.update(piece)
            file.write(squeezer.compress(piece))
        file.write(squeezer.compress(bytes(member.padding)))
        kept.append((member.name, _what(member, state.digest())))
    file.write(squeezer.compress(END) + squeezer.flush())
    return digest_of(kept)


def _member(folder: Path, item: Item) -> Packed:
    if item.is_file:
        return Packed(item.name, Sort.PROGRAM if is_program(item) else Sort.FILE, item.status.st_size)
    try:
        return Packed(item.name, Sort.LINK, target=os.readlink(folder / item.name))
    except OSError as error:
        raise refusal(folder / item.name, error) from None


def _what(member: Packed, contents: bytes) -> bytes:
    """What the digest covers of a member, apart from its name."""
    return LINK + os.fsencode(member.target) if member.sort is Sort.LINK else WORDS[member.sort] + contents


def _pieces(folder: Path, item: Item) -> Iterator[bytes]:
    """The contents of a file, which must still be of the size that stands in its header."""
    if not item.is_file:
        return
    path, left = folder / item.name, item.status.st_size
    try:
        with _opened(path) as fd:
            while piece := os.read(fd, CHUNK):
                left -= len(piece)
                if left < 0:
                    break
                yield piece
    except OSError as error:
        raise refusal(path, error) from None
    if left:
        raise FileError(f"{shown(path)}: it has changed while it was kept. Try again when nothing writes to it")


@contextmanager
def _opened(path: Path, flags: int = 0) -> Iterator[int]:
    """A file or folder of its kind, and never what a link leads to."""
    fd = os.open(path, FLAGS | os.O_NOFOLLOW | flags)
    try:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode) and not flags:
            raise FileError(f"{shown(path)}: this is {kind_of(mode)}, not an ordinary file")
        yield fd
    finally:
        os.close(fd)


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


# Reading one


def _read(archive: Path, digest: str, take: Take) -> Ledger:
    """Pass all files of an archive to `take`. FormError if it is not sound, or has another digest."""
    kept = []
    try:
        with _opened(archive) as fd, open(fd, "rb", closefd=False) as file:
            if os.fstat(fd).st_size > MOST_ARCHIVE:
                raise FormError(f"more than {MOST_ARCHIVE:,} bytes, the most that an archive may have")
            members = Members(file)
            for member, new in members:
                state = hashlib.sha256()
                pieces = _hashed(members.pieces(), state.update)
                take(member, new, pieces)
                deque(pieces, maxlen=0)  # what it has left
                kept.append((member.name, _what(member, state.digest())))
    except OSError as error:
        raise refusal(archive, error) from None
    except FormError as error:
        raise FormError(f"{shown(archive)}: {error}") from None
    if (found := digest_of(kept)) != digest:
        raise FormError(f"{shown(archive)}: its files have the digest {found}, not {shown(digest)}")
    return members.ledger


def _hashed(pieces: Iterable[bytes], update: Callable[[bytes], None]) -> Iterator[bytes]:
    for piece in pieces:
        update(piece)
        yield piece


def _store(root: int, into: Path, member: Packed, new: list[str], pieces: Iterable[bytes]) -> None:
    """Write a file below a folder that has no links yet."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        for folder in new:
            os.mkdir(folder, 0o700, dir_fd=root)
        if member.sort is not Sort.LINK:
            with open(os.open(member.name, flags, 0o600, dir_fd=root), "wb") as file:
                file.writelines(pieces)
                os.fchmod(file.fileno(), MODES[member.sort])
    except OSError as error:
        raise refusal(into / member.name, error) from None


def _finish(root: int, ledger: Ledger) -> None:
    """Make the links, then close the folders for writing, the inner ones first."""
    for name, target in ledger.links.items():
        os.symlink(target, name, dir_fd=root)
    for folder in sorted(ledger.folders, reverse=True):
        os.chmod(folder, FOLDER, dir_fd=root)
    os.fchmod(root, FOLDER)
