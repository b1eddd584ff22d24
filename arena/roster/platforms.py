"""Which machines the programs of a bot run on, as the programs themselves say.

An ELF file names its processor, and a dynamic program also the loader of its C library: glibc and musl have different
ones. So nothing is noted beside an archive that could be lost or wrong, and what runs anywhere, such as scripts and
jars, needs no note. Not seen: a glibc that is too old for the program, which then does not start.
"""

import os
import struct
import sys
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.errors import FileError
from arena.files import FLAGS
from arena.roster.entries import Entry
from arena.roster.folders import survey
from arena.texts import path as shown

MAGIC = b"\x7fELF"
MACHINES = {3: "i386", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv"}
"""Names of the numbers that ELF has for processors."""
LAYOUTS = {1: (32, "I", 28, 42, "II4x4xI"), 2: (64, "Q", 32, 54, "I4xQ8x8xQ")}
"""Of files of 32 and 64 bits: where the head of a file has the place of its segments, and their size and number; and
what the head of a segment has: its type, place and length."""
ORDERS = {1: "<", 2: ">"}
LOADER = 3
"""The type of the segment that names the loader."""
SOURCES = frozenset((".c", ".cc", ".cpp", ".cxx", ".go", ".h", ".hpp", ".java", ".kt", ".rs", ".ts", ".tsx", ".zig"))
RECIPES = frozenset(("Makefile", "Cargo.toml", "go.mod", "pom.xml", "tsconfig.json"))
BUILT = frozenset(("bin", "build", "dist", "node_modules", "target", "vectors"))
"""Folders in which builds leave their results and packages."""
MOST_SEGMENTS, MOST_LOADER = 64, 256


@dataclass(frozen=True, slots=True)
class Target:
    """What a program or a library is made for."""

    machine: str
    bits: int
    order: str
    loader: str = ""

    def misfit(self, here: "Target") -> str | None:
        """Why it does not run on the machine whose Python is `here`."""
        is_native = (self.machine, self.bits, self.order) == (here.machine, here.bits, here.order)
        if not is_native and (self.machine, here.machine) != ("i386", "x86_64"):
            return f"was built for {self.machine}"
        if self.loader and not os.path.exists(self.loader):
            return f"needs {shown(self.loader)}, which is not on this machine"
        return None


@cache
def this_machine() -> Target | None:
    return target_of(Path(sys.executable))


def target_of(path: Path) -> Target | None:
    """What a file is made for; None if it is not ELF, so that only its start shows whether it runs."""
    try:
        fd = os.open(path, FLAGS)
        try:
            return _target(fd)
        finally:
            os.close(fd)
    except (OSError, struct.error):
        return None


def _target(fd: int) -> Target | None:
    head = os.read(fd, 64)
    if not head.startswith(MAGIC) or head[4:5] not in (b"\1", b"\2") or head[5:6] not in (b"\1", b"\2"):
        return None
    bits, word, at, sizes, segment = LAYOUTS[head[4]]
    order = ORDERS[head[5]]
    (number,) = struct.unpack_from(f"{order}H", head, 18)
    (start,) = struct.unpack_from(f"{order}{word}", head, at)
    size, count = struct.unpack_from(f"{order}HH", head, sizes)
    loader = ""
    for place in range(start, start + size * min(count, MOST_SEGMENTS), size or 1):
        sort, offset, length = struct.unpack(f"{order}{segment}", _read(fd, place, struct.calcsize(order + segment)))
        if sort == LOADER and length <= MOST_LOADER:
            loader = os.fsdecode(_read(fd, offset, length).rstrip(b"\0"))
    return Target(MACHINES.get(number, f"machine {number}"), bits, order, loader)


def _read(fd: int, place: int, size: int) -> bytes:
    try:
        return os.pread(fd, size, place)
    except OverflowError:
        raise struct.error from None


def programs_of(folder: Path) -> dict[str, Target]:
    """The programs and libraries in a bot's folder, by name."""
    try:
        return {item.name: one for item in survey(folder) if item.is_file and (one := target_of(folder / item.name))}
    except FileError:
        return {}


def strange(programs: Mapping[str, Target]) -> dict[str, str]:
    """Those that do not run on this machine, by name, and why."""
    here = this_machine()
    return {} if here is None else {name: why for name, one in programs.items() if (why := one.misfit(here))}


def named_files(entry: Entry) -> list[str]:
    """The files that a bot's command names by a path, as they stand there."""
    return [word for word in entry.command if "/" in word and not word.startswith("-") and not word.split()[1:]]


def is_unbuilt(entry: Entry) -> bool:
    """Whether the bot still has to be built: a file that its command names is missing, or all packages of npm are."""
    if not entry.build:
        return False
    lacks_packages = entry.build[0] == "npm" and (entry.folder / "package-lock.json").exists()
    if lacks_packages and not (entry.folder / "node_modules").exists():
        return True
    return not all((entry.folder / word).exists() for word in named_files(entry))


def newer_source(entry: Entry) -> str | None:
    """A source file that is newer than what was built from it; None if there is none, or nothing to compare.

    What was built are the files that the command names. Tests and the folders that builds make do not count: a build
    leaves its result alone if only they have changed.
    """
    made = [entry.folder / word for word in named_files(entry)] if entry.build else []
    try:
        built = min((path.stat().st_mtime_ns for path in made), default=None)
        if built is None:
            return None
        own = {path.relative_to(entry.folder).parts[0] for path in made if path.is_relative_to(entry.folder)}
        sources = [item for item in survey(entry.folder) if item.is_file and _is_source(Path(item.name), own)]
        newer = [item.name for item in sources if item.status.st_mtime_ns > built]
    except (OSError, FileError):
        return None
    return min(newer, default=None)


def _is_source(path: Path, made: Set[str]) -> bool:
    parts = {part.lower() for part in path.parts}
    is_test = "test" in path.stem.lower() or bool(parts & {"test", "tests"})
    is_other = path.parts[0] in made | BUILT or path.stem.startswith("greedy") or "greedy" in parts
    return (path.suffix in SOURCES or path.name in RECIPES) and not is_test and not is_other


def misfit(entry: Entry) -> str | None:
    """Why a bot cannot play on this machine as it is; None: nothing is known against it.

    A bot may carry libraries for several kinds of machines. So what its command names decides, and the rest only if
    nothing of it runs here and the bot can be built.
    """
    missing = [word for word in named_files(entry) if not (entry.folder / word).exists()]
    if missing and entry.build:
        return f"{shown(missing[0])} is missing"
    programs = programs_of(entry.folder)
    found = strange(programs)
    named = [os.path.relpath(entry.folder / word, entry.folder) for word in named_files(entry)]
    wrong = [name for name in named if name in found]
    if not wrong and entry.build and found and len(found) == len(programs):
        wrong = [min(found)]
    return f"{shown(wrong[0])} {found[wrong[0]]}" if wrong else None
