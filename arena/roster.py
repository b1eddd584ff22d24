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
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from arena.errors import RosterError

KITS = Path(__file__).resolve().parents[1] / "bots"
"""A folder for each language; those in Python, which need no building, are built in."""
MANIFEST = "bot.toml"
PYTHON = "{python}"
UNVERSIONED = "0"
"""The version of a bot whose description has none."""
MOST_DIGESTED = 64 << 20
"""Bytes of a folder that are read for its digest; a larger one is known by names and sizes."""
RECORDS = ("records", "leagues")
RECORD = "*.match.jsonl.gz"
"""Folders and files in which matches are recorded, which make no other bot of it."""
SHOWN = 60
"""Characters that are repeated of a word that is no bot."""


class Limits(BaseModel):
    """What a bot asks for; the arena may allow less."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    memory_mb: Annotated[int, Field(ge=16, le=65536)] = 256


def _printable(text: str) -> str:
    """Names are shown in terminals and pages: nothing that moves the cursor or turns the direction of writing."""
    if not text.isprintable():
        raise PydanticCustomError("unprintable", "It has characters that cannot be printed")
    return text


Word = Annotated[str, Field(min_length=1, max_length=1024, pattern=r"^[^\x00]+$")]
Words = Annotated[list[Word], Field(min_length=1, max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_printable)]


class Manifest(BaseModel):
    """The contents of bot.toml."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: Name
    version: Name = UNVERSIONED
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
    files: tuple[Path, ...] | None = None
    """What the digest is of; None: of all in its folder."""

    def plays(self, game: str) -> bool:
        """Whether it may know this game: what it does not list it does not play, but a list is optional."""
        return self.games is None or game in self.games


def find(word: str, here: Path = Path()) -> Entry:
    """The bot that a person means: a folder, a file, a built-in name, or a command line. RosterError says why not.

    `here` is where the files lie that a command line names.
    """
    try:
        word.encode()
        path = Path(word).expanduser()
    except UnicodeEncodeError:
        raise RosterError(f"{_quoted(word)} is no bot: the name is not UTF-8.") from None
    except RuntimeError:
        raise RosterError(f"{_quoted(word)} is no bot: {word.partition('/')[0][:SHOWN]} has no home folder.") from None
    if word and os.path.isdir(path):
        return read(path / MANIFEST)
    if path.suffix == ".toml":
        return read(path)
    known = built_in()
    if word in known:
        return read(known[word])
    return _from_command(word, here, sorted(known))


def built_in() -> dict[str, Path]:
    """The bots that come with the arena, by name."""
    return {path.stem: path for path in sorted(KITS.glob("python/*.toml")) if path.name != MANIFEST}


def read(path: Path) -> Entry:
    """The bot that a file describes."""
    try:
        manifest = Manifest.model_validate(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise RosterError(
            f"{path.parent} is no bot: there is no {path.name} in it. `arena play --help` shows one."
        ) from None
    except OSError as error:
        raise RosterError(f"{_cut(str(path), 256)}: {error.strerror}") from None
    except RecursionError:
        raise RosterError(f"{path}: it is nested too deeply") from None
    except ValidationError as error:
        raise RosterError(f"{path}: {_first_of(error)}") from None
    except ValueError as error:  # no UTF-8, no TOML, or a name that no file can have
        raise RosterError(f"{_cut(ascii(str(path))[1:-1], 256)}: {error}") from None
    folder = path.parent.resolve()
    return Entry(
        manifest.name,
        manifest.version,
        _command(manifest.command),
        folder,
        tuple(manifest.build or ()),
        None if manifest.games is None else tuple(manifest.games),
        manifest.limits,
        _digest(folder),
    )


def _digest(folder: Path) -> str:
    try:
        return digest(folder)
    except OSError as error:
        raise RosterError(f"{error.filename}: {error.strerror}. It is read for the digest of the bot.") from None


def _first_of(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"{where}: there is no such key. Keys: {', '.join(Manifest.model_fields)}."
    if first["type"] == "missing":
        return f"{where}: it is missing. The least is a name and a command."
    if first["type"] == "list_type" and isinstance(first["input"], str):
        return f"{where}: a list of words is wanted. Write: {_cut(json.dumps(first['input'].split()))}"
    return f"{where}: {first['msg']}, got {_cut(repr(first['input']))}."


def _quoted(word: str) -> str:
    return repr(_cut(word))


def _cut(text: str, most: int = SHOWN) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _command(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sys.executable if word == PYTHON else word for word in words)


def _from_command(text: str, here: Path, known: list[str]) -> Entry:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise RosterError(f"{_quoted(text)} is no command line: {error}") from None
    words = [os.path.abspath(here / word) if os.path.isfile(here / word) else word for word in words]
    if not words or shutil.which(words[0]) is None:
        raise RosterError(
            f"{_quoted(text)} is no bot: neither a folder with {MANIFEST}, nor a command that can be executed, nor one "
            f"of the built-in bots {', '.join(known)}."
        )
    files = tuple(Path(word) for word in words if os.path.isfile(word))
    try:
        contents = _digest_of(files)
    except OSError as error:
        raise RosterError(f"{error.filename}: {error.strerror}") from None
    # It is called after the program or script that it names, and runs where that lies.
    name = Path(files[-1] if files else words[0]).stem[:64]
    if not name.isprintable():
        raise RosterError(f"{name!r} is no name for a bot: it has characters that cannot be printed. Rename the file.")
    folder = files[-1].parent if files else here.absolute()
    return Entry(name, UNVERSIONED, _command(words), folder, digest=contents, files=files)


def _digest_of(files: Sequence[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def digest_now(entry: Entry) -> str:
    """What the digest of a bot would be now. OSError if it cannot be read."""
    return digest(entry.folder) if entry.files is None else _digest_of(entry.files)


def stamp(entry: Entry) -> list[tuple[str, int, int]]:
    """Changes whenever a file of the bot does, and is quicker than its digest. OSError if it cannot be read."""
    paths = _files(entry.folder) if entry.files is None else entry.files
    found = ((str(path), path.stat()) for path in paths)
    return sorted((path, status.st_size, status.st_ctime_ns) for path, status in found)


def digest(folder: Path) -> str:
    """Sixteen hexadecimal digits that change when a file of the folder does.

    Hidden files, caches and records of matches do not count.
    """
    paths = sorted(_files(folder), key=lambda path: path.relative_to(folder).as_posix())
    whole = sum(path.stat().st_size for path in paths) <= MOST_DIGESTED
    state = hashlib.sha256()
    for path in paths:
        contents = path.read_bytes() if whole else str(path.stat().st_size).encode()
        name = os.fsencode(path.relative_to(folder))
        state.update(b"%d:%s%d:%s" % (len(name), name, len(contents), contents))
    return state.hexdigest()[:16]


def _files(folder: Path) -> list[Path]:
    found = []
    for parent, folders, names in os.walk(folder):
        left_out = ("__pycache__", *RECORDS) if Path(parent) == folder else ("__pycache__",)
        folders[:] = [name for name in folders if not name.startswith(".") and name not in left_out]
        found += [Path(parent, name) for name in names if not name.startswith(".") and not fnmatch(name, RECORD)]
    return [path for path in found if path.is_file()]


def build(entry: Entry) -> None:
    """Run the bot's build command in its folder; what it prints goes to stderr."""
    if not entry.build:
        return
    try:
        ended = subprocess.run(entry.build, cwd=entry.folder, stdin=subprocess.DEVNULL, stdout=2, check=False)
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
