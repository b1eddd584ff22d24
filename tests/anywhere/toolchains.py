"""A PATH without compilers, as on a machine on which nobody has ever built anything."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

TOOLCHAINS = (
    "as", "c++", "c89", "c99", "cargo", "cc", "clang", "clang++", "cmake", "cpp", "g++", "gcc", "go", "gofmt", "gradle",
    "java", "javac", "ld", "mvn", "node", "nodejs", "npm", "npx", "rustc", "rustup", "tcc", "tsc",
)  # fmt: skip
"""What `arena new-bot` and the builds of kits could want, apart from Python and a shell."""
DECORATED = re.compile(r"^(?:[a-z0-9_]+-linux-(?:gnu|musl)[a-z0-9]*-)?(.+?)(?:-[0-9.]+)?$")
"""x86_64-linux-gnu-gcc-12 is gcc."""


def is_toolchain(name: str) -> bool:
    """Whether a program of this name belongs to a compiler, a runtime of a kit, or a package manager of one."""
    plain = DECORATED.match(name)
    return name in TOOLCHAINS or (plain is not None and plain[1] in TOOLCHAINS)


def without_toolchains(path: str, folder: Path) -> str:
    """A PATH of one folder with links to all programs of another PATH but toolchains."""
    folder.mkdir(parents=True)
    for name, program in _programs(path):
        if not is_toolchain(name) and not os.path.lexists(folder / name):
            (folder / name).symlink_to(program)
    return str(folder)


def _programs(path: str) -> Iterator[tuple[str, str]]:
    for place in filter(os.path.isdir, path.split(":")):
        for entry in os.scandir(place):
            if entry.is_file() and os.access(entry.path, os.X_OK):
                yield entry.name, os.path.abspath(entry.path)
