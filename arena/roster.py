"""Who can be asked to play: bots by folder, by file, by built-in name, or by command line.

A bot's folder holds `bot.toml`:

    name = "mine"
    version = "1.0"
    command = ["python3", "mine.py"]     # run in the folder; {python} is the interpreter that runs the arena
    build = ["make"]                     # optional; run in the folder by `arena play --build`
    games = ["draftosaurus"]             # optional; what it says in `hello` counts
    [limits]
    memory_mb = 256                      # optional

A file with another name, `folder/other.toml`, describes a further bot of the folder. The built-in bots are such files.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import RosterError

BUILT_IN = Path(__file__).resolve().parents[1] / "bots"
MANIFEST = "bot.toml"
PYTHON = "{python}"
MOST_DIGESTED = 64 << 20
"""Bytes of a folder that are read for its digest; a larger one is known by names and sizes."""


class Limits(BaseModel):
    """What a bot asks for; the arena may allow less."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    memory_mb: Annotated[int, Field(ge=16, le=65536)] = 256


Words = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")]


class Manifest(BaseModel):
    """The contents of bot.toml."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: Name
    version: Name = "0"
    command: Words
    build: Words | None = None
    games: list[Name] | None = None
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that can be started: what it is called, what is executed where, and the digest of its files."""

    name: str
    version: str
    command: tuple[str, ...]
    folder: Path
    build: tuple[str, ...] = ()
    games: tuple[str, ...] | None = None
    limits: Limits = field(default_factory=Limits)
    digest: str = ""


def find(word: str) -> Entry:
    """The bot that a person means: a folder, a file, a built-in name, or a command line. RosterError says why not."""
    path = Path(word).expanduser()
    if path.is_dir():
        return read(path / MANIFEST)
    if path.suffix == ".toml":
        return read(path)
    known = built_in()
    if word in known:
        return read(known[word])
    return _from_command(word, sorted(known))


def built_in() -> dict[str, Path]:
    """The bots that come with the arena, by name."""
    return {path.stem: path for path in sorted(BUILT_IN.glob("*/*.toml")) if path.name != MANIFEST}


def read(path: Path) -> Entry:
    """The bot that a file describes."""
    try:
        manifest = Manifest.model_validate(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise RosterError(
            f"{path.parent} is no bot: there is no {path.name} in it. `arena play --help` shows one."
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RosterError(f"{path}: {error}") from None
    except ValidationError as error:
        raise RosterError(f"{path}: {_first_of(error)}") from None
    folder = path.parent.resolve()
    return Entry(
        manifest.name,
        manifest.version,
        _command(manifest.command),
        folder,
        tuple(manifest.build or ()),
        None if manifest.games is None else tuple(manifest.games),
        manifest.limits,
        digest(folder),
    )


def _first_of(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"{where}: there is no such key. Keys: {', '.join(Manifest.model_fields)}."
    if first["type"] == "missing":
        return f"{where}: it is missing. The least is a name and a command."
    return f"{where}: {first['msg']}, got {first['input']!r}."


def _command(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sys.executable if word == PYTHON else word for word in words)


def _from_command(text: str, known: list[str]) -> Entry:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise RosterError(f"{text!r} is no command line: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise RosterError(
            f"{text!r} is no bot: neither a folder with {MANIFEST}, nor a command that can be executed, nor one of the "
            f"built-in bots {', '.join(known)}."
        )
    name = Path(words[-1] if len(words) > 1 else words[0]).stem[:64]
    files = [Path(word).absolute() for word in words if Path(word).is_file()]
    contents = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    words = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]
    # It runs where the program or script that it names lies, and sees what is there.
    folder = files[-1].parent if files else Path.cwd()
    return Entry(name or words[0][:64], "0", _command(words), folder, digest=contents)


def digest(folder: Path) -> str:
    """Sixteen hexadecimal digits that change when a file of the folder does; hidden files and caches do not count."""
    paths = sorted(_files(folder), key=lambda path: path.relative_to(folder).as_posix())
    whole = sum(path.stat().st_size for path in paths) <= MOST_DIGESTED
    state = hashlib.sha256()
    for path in paths:
        contents = path.read_bytes() if whole else str(path.stat().st_size).encode()
        name = path.relative_to(folder).as_posix().encode()
        state.update(b"%d:%s%d:%s" % (len(name), name, len(contents), contents))
    return state.hexdigest()[:16]


def _files(folder: Path) -> list[Path]:
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        found += [Path(parent, name) for name in names if not name.startswith(".")]
    return [path for path in found if path.is_file()]


def build(entry: Entry) -> None:
    """Run the bot's build command in its folder; what it prints goes to stderr."""
    if not entry.build:
        return
    try:
        ended = subprocess.run(entry.build, cwd=entry.folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    except OSError as error:
        raise RosterError(f"{entry.name}: build {shlex.join(entry.build)!r} in {entry.folder}: {error}") from None
    if ended.returncode:
        raise RosterError(f"{entry.name}: build {shlex.join(entry.build)!r} in {entry.folder} failed, see above.")


def distinct(entries: Sequence[Entry]) -> list[str]:
    """Names for the seats: a bot that sits at the table twice is numbered."""
    names = [entry.name for entry in entries]
    return [
        name if names.count(name) == 1 else f"{name[:60]}#{names[: i + 1].count(name)}" for i, name in enumerate(names)
    ]
