"""The language of a bot, guessed from its command and its folder. The advice depends on it."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from arena.roster.entries import Entry


class Language(StrEnum):
    """The languages that have their own advice."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    RUST = "rust"
    GO = "go"
    JAVA = "java"
    C = "c"
    CPP = "c++"
    SHELL = "shell"
    UNKNOWN = "unknown"


PROGRAMS: Mapping[str, Language] = {
    "python": Language.PYTHON,
    "pypy": Language.PYTHON,
    "node": Language.JAVASCRIPT,
    "deno": Language.TYPESCRIPT,
    "bun": Language.JAVASCRIPT,
    "tsx": Language.TYPESCRIPT,
    "ts-node": Language.TYPESCRIPT,
    "java": Language.JAVA,
    "cargo": Language.RUST,
    "go": Language.GO,
    "sh": Language.SHELL,
    "bash": Language.SHELL,
    "dash": Language.SHELL,
}
"""Interpreters and tools, without version numbers."""
FILES: Mapping[str, Language] = {
    "tsconfig.json": Language.TYPESCRIPT,
    "Cargo.toml": Language.RUST,
    "go.mod": Language.GO,
    "package.json": Language.JAVASCRIPT,
    "pom.xml": Language.JAVA,
    "build.gradle": Language.JAVA,
}
SUFFIXES: Mapping[str, Language] = {
    ".ts": Language.TYPESCRIPT,
    ".rs": Language.RUST,
    ".go": Language.GO,
    ".java": Language.JAVA,
    ".cpp": Language.CPP,
    ".cc": Language.CPP,
    ".cxx": Language.CPP,
    ".c": Language.C,
    ".py": Language.PYTHON,
    ".js": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".sh": Language.SHELL,
}
"""Of source files; if there are several, the first of these counts."""


def guess(entry: Entry) -> Language:
    """The language of a bot: from its command, or else from the files in its folder."""
    for word in entry.command:
        found = _of_program(Path(word).name) or SUFFIXES.get(Path(word).suffix)
        if found is Language.JAVASCRIPT and (entry.folder / "tsconfig.json").exists():
            return Language.TYPESCRIPT
        if found is not None:
            return found
    return _of_folder(entry.folder)


def _of_program(name: str) -> Language | None:
    plain = name.removesuffix(".exe").rstrip("0123456789.")
    return PROGRAMS.get(plain)


def _of_folder(folder: Path) -> Language:
    for name, language in FILES.items():
        if (folder / name).exists():
            return language
    suffixes = {path.suffix for part in ("*", "src/*") for path in folder.glob(part)}
    return next((language for suffix, language in SUFFIXES.items() if suffix in suffixes), Language.UNKNOWN)
