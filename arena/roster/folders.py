"""What a bot's folder holds, and what the bot sees of it: everything, except what is out of sight.

The digest covers what the bot sees. Out of sight, at the top of the folder, is what the arena and the author's tools
leave there and change at any time: results, records, the history of the source, caches. In the tier `full` an empty
folder or file covers it, in `lite` it cannot be opened. So it can change without making it another bot, and no bot
reads the results of its league. A link counts as its text, wherever it points, and is never followed.

The folder may be a stranger's. So it is listed without recursion and by lstat, up to limits. It is refused if it has
more, or if it has something that no bot needs: files that run as their owner, and hard links to files outside of it,
which could show a private file of the user who runs the arena.
"""

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from arena.errors import FileError
from arena.files import FLAGS, kind_of, refusal
from arena.texts import path as shown

CACHES = "__pycache__"
OUT_OF_SIGHT = (
    "leagues",
    "matches",
    "records",
    "*.match.jsonl.gz",
    CACHES,
    ".git*",
    ".hg",
    ".svn",
    ".hypothesis",
    ".idea",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".vscode",
)
"""Names at the top of a folder; a link of such a name is a link like any other."""
KITS = Path(__file__).resolve().parents[2] / "bots"
LANGUAGES = ("c", "cpp", "go", "java", "javascript", "python", "rust", "shell", "typescript")
"""The folders in there that come with the arena. Others, in a checkout, may be anybody's."""
MOST_COVERED = 500
"""Things out of sight in one folder: each must be covered whenever the bot starts."""
MOST_FILES = 20_000
"""Files and folders."""
MOST_DEEP = 64
"""Folders within each other."""
MOST_BYTES = 2 << 30
"""Of all files together, which are read for the digest."""
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Item:
    """A file, link or folder in a folder: its relative path, and its lstat."""

    name: str
    status: os.stat_result

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.status.st_mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)


def is_ours(folder: Path) -> bool:
    """Whether this folder of bots comes with the arena. The name of a bot does not show that."""
    return folder.parent == KITS and folder.name in LANGUAGES


def is_out_of_sight(name: str, is_link: bool) -> bool:
    """Whether a bot does not see this at the top of its folder."""
    return not is_link and any(fnmatchcase(name, pattern) for pattern in OUT_OF_SIGHT)


def out_of_sight(folder: Path) -> list[str]:
    """The names at the top of a folder that its bot does not see."""
    shown_all_the_same = CACHES if is_ours(folder) else None  # without them each start takes 6 ms more
    try:
        with os.scandir(folder) as found:
            hidden = (entry.name for entry in found if is_out_of_sight(entry.name, entry.is_symlink()))
            names = sorted(name for name in hidden if name != shown_all_the_same)
    except OSError as error:
        raise refusal(folder, error) from None
    if len(names) > MOST_COVERED:
        raise FileError(
            f"{shown(folder)}: it has more than {MOST_COVERED} records and the like, such as {shown(names[0])}. "
            "Move them to another folder."
        )
    return names


def survey(folder: Path) -> list[Item]:
    """All that a bot sees of its folder, sorted by name. FileError names what is not allowed, and what to do."""
    out_of_sight(folder)
    items = sorted(_items(folder), key=lambda item: os.fsencode(item.name))
    if sum(item.status.st_size for item in items if item.is_file) > MOST_BYTES:
        largest = max((item for item in items if item.is_file), key=lambda item: item.status.st_size)
        raise FileError(
            f"{shown(folder)}: more than {MOST_BYTES >> 30} GiB, the most that a bot may have; the largest file is "
            f"{shown(largest.name)} with {largest.status.st_size:,} bytes. Move what it does not need elsewhere."
        )
    for item in items:
        _check_mode(folder, item)
    _check_links(folder, items)
    return items


def _items(folder: Path) -> Iterator[Item]:
    count, folders = 0, [("", 0)]
    while folders:
        parent, depth = folders.pop()
        for name, status in _listed(folder, parent):
            if not parent and is_out_of_sight(name, stat.S_ISLNK(status.st_mode)):
                continue
            item = Item(f"{parent}{name}", status)
            count += 1
            if count > MOST_FILES:
                raise FileError(
                    f"{shown(folder)}: more than {MOST_FILES:,} files, the most that a bot may have. Move what it does "
                    "not need elsewhere, or give it a folder of its own."
                )
            if item.is_folder:
                if depth + 1 > MOST_DEEP:
                    raise FileError(
                        f"{shown(folder / item.name)}: more than {MOST_DEEP} folders within each other. "
                        "Move it elsewhere."
                    )
                folders.append((f"{item.name}/", depth + 1))
            yield item


def _listed(folder: Path, parent: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(folder / parent) as found:
            for entry in found:
                yield entry.name, entry.stat(follow_symlinks=False)
    except OSError as error:
        raise refusal(error.filename or folder / parent, error) from None


def _check_mode(folder: Path, item: Item) -> None:
    """Folders may have the set-group-ID bit: new files in them then belong to the group."""
    if item.is_file and item.status.st_mode & (stat.S_ISUID | stat.S_ISGID):
        path = shown(folder / item.name)
        raise FileError(f"{path}: it has a set-user-ID or set-group-ID bit, which no bot needs. Run: chmod ug-s {path}")


def _check_links(folder: Path, items: list[Item]) -> None:
    """Compilers may give a file a second name in the folder. Other names would be outside of it."""
    linked = [item for item in items if item.is_file and item.status.st_nlink > 1]
    names = Counter((item.status.st_dev, item.status.st_ino) for item in linked)
    for item in linked:
        if names[item.status.st_dev, item.status.st_ino] < item.status.st_nlink:
            raise FileError(
                f"{shown(folder / item.name)}: a hard link to a file that is also elsewhere, which the bot would see. "
                f"Use a copy of the folder: cp -r {shown(folder)} {shown(folder.name)}-copy"
            )


Stamp = tuple[str, int, int, int]


def stamp(folder: Path) -> list[Stamp]:
    """Changes whenever something changes that the bot sees, and is faster than the digest."""
    return [stamp_of(item.name, item.status) for item in survey(folder)]


def stamp_of(name: str, status: os.stat_result) -> Stamp:
    """Uses the time of the last change of the inode, because the owner can reset that of the contents."""
    return name, status.st_size, status.st_ctime_ns, status.st_ino


def digest(folder: Path) -> str:
    """Thirty-two hexadecimal digits that change when anything changes that the bot sees: names, contents, links."""
    state = hashlib.sha256()
    for item in survey(folder):
        name, what = os.fsencode(item.name), contents(folder, item)
        state.update(b"%d:%s%d:%s" % (len(name), name, len(what), what))
    return state.hexdigest()[:32]


def digest_of(paths: tuple[Path, ...]) -> str:
    """The same of single files."""
    state = hashlib.sha256()
    for path in paths:
        state.update(_digest_of_file(path))
    return state.hexdigest()[:32]


def contents(folder: Path, item: Item) -> bytes:
    """What the digest covers: the contents of a file, the target of a link, the kind of anything else."""
    path = folder / item.name
    if item.is_file:
        return b"file " + _digest_of_file(path, os.O_NOFOLLOW)
    if stat.S_ISLNK(item.status.st_mode):
        try:
            return b"link " + os.fsencode(os.readlink(path))
        except OSError as error:
            raise refusal(path, error) from None
    return kind_of(item.status.st_mode).encode()


def _digest_of_file(path: Path, flags: int = 0) -> bytes:
    """Read in parts, and not beyond the limit of a folder, even if the file grows meanwhile."""
    state, left = hashlib.sha256(), MOST_BYTES
    try:
        fd = os.open(path, FLAGS | flags)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise FileError(f"{shown(path)}: this is {kind_of(status.st_mode)}, not an ordinary file")
            while left > 0 and status.st_size and (part := os.read(fd, CHUNK)):
                state.update(part)
                left -= len(part)
        finally:
            os.close(fd)
    except OSError as error:
        raise refusal(path, error) from None
    return state.digest()
