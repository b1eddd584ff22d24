"""The bots that can play: by folder, by file, by built-in name, or by command line.

A bot's folder holds `bot.toml`:

    name = "mine"
    version = "1.0"
    command = ["python3", "mine.py"]     # run in the folder; {python} is the interpreter that runs the arena
    build = ["make"]                     # optional; run in the folder by `arena play --build` (arena/building/build.py)
                                         # and in copies that do not run where they play (arena/building/copies.py)
    games = ["draftosaurus"]             # optional; what it says in `hello` counts
    author = "Ann"                       # optional; a league may keep two bots of one author from one table
    files = ["mine.py", "lib/**"]        # optional; what belongs to it, if it is kept (arena/roster/patterns.py)
    [limits]
    memory_mb = 256                      # optional
    [env]
    RUST_BACKTRACE = "1"                 # optional; arena/roster/variables.py says what may be set
    [tune]
    pace = { min = 0, max = 1, default = 0.3 }  # optional; what may be tuned (arena/roster/tunables.py)

A file with another name, `folder/other.toml`, describes a further bot of the folder. The built-in bots are such files.
Or it describes a setting of another bot, by values for what that may be tuned:

    bot = "../mine"                      # a folder, a file or a built-in name; paths are relative to this file
    name = "mine-hasty"                  # optional
    [tune]
    pace = 0.9
"""

import errno
import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from arena.errors import FileError, FileMissing, RosterError
from arena.files import MOST_MANIFEST, read_toml
from arena.names import MOST_NAME, Name, is_name
from arena.roster import compiled
from arena.roster.folders import KITS, digest, digest_of
from arena.roster.patterns import Patterns
from arena.roster.tunables import Number, Tunable, Values, chosen, tunables
from arena.roster.variables import misuse
from arena.texts import SHOWN, cut, meant, quoted
from arena.texts import path as shown

MANIFEST = "bot.toml"
PYTHON = "{python}"
MOST_BESIDE = 1000
"""Files of a folder that are looked through for the bot that was meant."""
UNVERSIONED = "0"
"""The version of a bot whose description has none."""


EXPECTED: Mapping[str, str] = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "literal_error": "{expected}",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt}",
    "less_than_equal": "{le} or less",
    "too_short": "a list of {min_length} or more",
    "too_long": "a list of {max_length} at most",
    "string_too_short": "at least one character",
    "string_too_long": "{max_length} characters at most",
    "string_pattern_mismatch": "a text without null characters",
}
"""What was expected, by pydantic's name of the mistake."""
MemoryMb = Annotated[int, Field(ge=16, le=65536)]
"""What a bot may ask for, and what a league may allow."""


class Limits(BaseModel):
    """What a bot asks for; the arena may allow less."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    memory_mb: MemoryMb = 256


Word = Annotated[str, Field(min_length=1, max_length=1024, pattern=r"^[^\x00]+$")]
Words = Annotated[list[Word], Field(min_length=1, max_length=64)]


class Manifest(BaseModel):
    """The contents of bot.toml."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: Name
    version: Name = UNVERSIONED
    command: Words
    build: Words | None = None
    games: list[Name] | None = None
    author: Name | None = None
    files: Patterns | None = None
    limits: Limits = Limits()
    env: dict[str, str] = {}
    tune: dict[str, Any] = {}

    @field_validator("env")
    @classmethod
    def _check_env(cls, env: dict[str, str]) -> dict[str, str]:
        if (why := misuse(env)) is not None:
            raise PydanticCustomError("env", "{why}", {"why": why})
        return env

    @field_validator("tune")
    @classmethod
    def _check_tune(cls, tune: dict[str, Any]) -> dict[str, Any]:
        if mistakes := tunables(tune)[1]:
            raise PydanticCustomError("tune", "{why}", {"why": " ".join(mistakes)})
        return tune


class SettingManifest(BaseModel):
    """The contents of a file that describes a setting of another bot."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    bot: Annotated[str, Field(min_length=1)]
    name: Name | None = None
    tune: dict[str, Any] = {}


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
    """What the digest is of; None: of all that it sees of its folder."""
    named: tuple[Path, ...] | None = None
    """The files that a command line names; None: a file describes the bot."""
    author: str | None = None
    keeps: tuple[str, ...] | None = None
    """Patterns of the files that are kept of it; None: all but litter (arena/roster/patterns.py)."""
    is_copy: bool = False
    """Whether its folder is a kept copy, all of which belongs to it (arena/roster/copies.py)."""
    env: tuple[str, ...] = ()
    """Environment variables that it sets, each as NAME=value."""
    tunables: tuple[Tunable, ...] = ()
    """Its parameters, ordered by name."""
    chosen: Values = ()
    """The values that were chosen for them, as far as they are not the defaults."""

    @property
    def values(self) -> dict[str, Number]:
        """The values of all its parameters; empty if it has none."""
        return {one.name: one.default for one in self.tunables} | dict(self.chosen)

    def plays(self, game: str) -> bool:
        """Whether it may know this game: what it does not list it does not play, but a list is optional."""
        return self.games is None or game in self.games

    def plain(self) -> dict[str, Any]:
        """Every field as a plain value, so that it can be sent; `from_plain` reads it."""
        values: dict[str, Any] = _plain_entry().dump_python(self, mode="json")
        return values

    @staticmethod
    def from_plain(values: dict[str, Any]) -> "Entry":
        return _plain_entry().validate_python(values)


@cache
def _plain_entry() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)  # takes 3 ms, and one match needs none


def find(word: str, here: Path = Path()) -> Entry:
    """The bot that the user means: a folder, a file, a built-in name, or a command line. RosterError says why not.

    `here` is the folder of the files that a command line names.
    """
    try:
        word.encode()
        path = Path(word).expanduser()
    except UnicodeEncodeError:
        raise RosterError(f"{quoted(word)} is not a bot: the name is not UTF-8.") from None
    except RuntimeError:
        raise RosterError(
            f"{quoted(word)} is not a bot: {word.partition('/')[0][:SHOWN]} has no home folder."
        ) from None
    if word and os.path.isdir(path):
        return read(path / MANIFEST)
    if path.suffix == ".toml":
        return read(path)
    known = built_in()
    if word in known:
        return read_built_in(word)
    return _from_command(word, here, list(known))


COMPILED = "cpp/raptor*.toml"
"""The built-in bots that are built where they play (arena/roster/compiled.py)."""


def built_in() -> dict[str, Path]:
    """The bots that come with the arena, by name."""
    paths = [path for path in KITS.glob("python/*.toml") if path.name != MANIFEST]
    return {path.stem: path for path in sorted([*paths, *KITS.glob(COMPILED)], key=_by_number)}


def _by_number(path: Path) -> tuple[str, int]:
    """search, search-16, search-64, search-256."""
    name, _, number = path.stem.rpartition("-")
    return (name, int(number)) if number.isdecimal() else (path.stem, -1)


def read_built_in(word: str) -> Entry:
    """A bot that comes with the arena. One that must be compiled is built when it first plays."""
    path = built_in()[word]
    entry = read(path)
    if not entry.build:
        return entry
    return replace(entry, folder=_home(path), build=(), digest=compiled.digest_of_sources(entry.folder))


def is_ready(word: str) -> bool:
    """Whether a built-in bot need not be built before it plays."""
    path = built_in()[word]
    return path.parent.name == "python" or (_home(path) / _program(_manifest(path).command)).is_file()


def is_built_in(entry: Entry) -> bool:
    """Whether it comes with the arena: what is executed, and where, is what one of our own files says.

    Nothing else counts: a name can be taken, a file can be copied, and a link can point here from anywhere. The files
    need no digest: a user who can change them can also change the referee.
    """
    return (entry.command, entry.folder) in _our_commands() and not entry.env


@cache
def _our_commands() -> frozenset[tuple[tuple[str, ...], Path]]:
    return frozenset((_command(_manifest(path).command), _home(path)) for path in built_in().values())


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a built-in bot is compiled: from what, by which command, and into which program."""

    sources: Path
    build: tuple[str, ...]
    program: str


def recipe_of(entry: Entry) -> Recipe | None:
    """How this bot is compiled, if it is a built-in one that is. Its digest is that of the sources."""
    if entry.folder.parent != compiled.cache_folder():
        return None
    path = next((path for path in KITS.glob(COMPILED) if entry.folder == _home(path)), None)
    if path is None:
        return None
    manifest = _manifest(path)
    return Recipe(path.parent.resolve(), tuple(manifest.build or ()), _program(manifest.command))


def _home(path: Path) -> Path:
    """Where a built-in bot plays."""
    folder = path.parent.resolve()
    return folder if folder.name == "python" else compiled.place(folder, _program(_manifest(path).command))


def _program(command: Sequence[str]) -> str:
    """The program that a bot is built into. Several bots may share one, with other words behind it."""
    return Path(command[0]).name


def read(path: Path) -> Entry:
    """The bot that a file describes."""
    if (of_another := _setting(path)) is not None:
        return of_another
    manifest = _manifest(path)
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
        author=manifest.author,
        env=tuple(f"{name}={value}" for name, value in sorted(manifest.env.items())),
        keeps=None if manifest.files is None else (*manifest.files, path.name),
        tunables=tunables(manifest.tune)[0],
    )


def _setting(path: Path) -> Entry | None:
    """The bot that a file describes as a setting of another one; None if the file is not of this kind.

    The file in a bot's own folder cannot be: who names a folder gets the program that is in it, and no other.
    """
    if path.name == MANIFEST:
        return None
    try:
        plain = read_toml(path, MOST_MANIFEST)
        if "bot" not in plain:
            return None
        setting = SettingManifest.model_validate(plain)
    except FileError:
        return None  # what is wrong with it is said where it is read as a description
    except ValidationError as error:
        raise RosterError(f"{shown(path)}: {_first_of(error, SettingManifest)}") from None
    word = os.path.join(path.parent, Path(setting.bot).expanduser())
    if os.path.isdir(word):
        base = read(Path(word) / MANIFEST)
    elif os.path.isfile(word) and word.endswith(".toml"):
        base = _described(Path(word), path)
    elif setting.bot in (known := built_in()):
        base = read_built_in(setting.bot)
    else:
        raise RosterError(
            f"{shown(path)}: bot: {quoted(setting.bot)} is neither a folder, a .toml file nor a built-in bot."
            f"{meant(setting.bot, list(known))} Paths are relative to {shown(path.parent)}."
        )
    try:
        return with_values(replace(base, name=setting.name or base.name), setting.tune)
    except RosterError as error:
        raise RosterError(f"{shown(path)}: {error}") from None


def base_of(word: str) -> str:
    """The bot that a file describes a setting of, as another file may name it; what the word says, if it names none."""
    path = Path(os.path.abspath(Path(word).expanduser()))
    if path.suffix == ".toml" and path.name != MANIFEST and path.is_file():
        plain = read_toml(path, MOST_MANIFEST)
        if isinstance(plain.get("bot"), str):
            inner = os.path.join(path.parent, Path(plain["bot"]).expanduser())
            return os.path.abspath(inner) if os.path.exists(inner) else str(plain["bot"])
    return str(path) if path.exists() else word


def _described(path: Path, by: Path) -> Entry:
    """The bot that a file describes, but not as a setting: settings of settings could go round in a circle."""
    try:
        is_setting = "bot" in read_toml(path, MOST_MANIFEST)
    except FileError as error:
        raise RosterError(str(error)) from None
    if is_setting:
        raise RosterError(
            f"{shown(by)}: bot: {shown(path)} describes a setting itself. Name the bot of which it is one."
        )
    return read(path)


def with_values(entry: Entry, values: Mapping[str, Any]) -> Entry:
    """The bot with these values for its parameters; others keep what they have. RosterError lists all mistakes."""
    found, mistakes = chosen(entry.tunables, values)
    if mistakes:
        raise RosterError(f"{entry.name}: {' '.join(mistakes)}")
    kept = {name: value for name, value in entry.chosen if name not in values}
    return replace(entry, chosen=tuple(sorted((kept | dict(found)).items())))


def _manifest(path: Path) -> Manifest:
    try:
        return Manifest.model_validate(read_toml(path, MOST_MANIFEST))
    except FileMissing:
        raise RosterError(
            f"{shown(path.parent)} is not a bot: there is no {path.name} in it. `arena play --help` shows one."
        ) from None
    except FileError as error:
        raise RosterError(str(error)) from None
    except ValidationError as error:
        raise RosterError(f"{shown(path)}: {_first_of(error)}") from None


def _digest(folder: Path) -> str:
    try:
        return digest(folder)
    except FileError as error:
        raise RosterError(str(error)) from None


def as_whole(entry: Entry) -> Entry:
    """The bot with a digest of all that it sees, also if it is a command line: a module next to its script counts."""
    return entry if entry.files is None else replace(entry, files=None, digest=_digest(entry.folder))


def _first_of(error: ValidationError, model: type[BaseModel] = Manifest) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        keys = list(model.model_fields)
        return f"{where}: there is no such key.{meant(where, keys)} Keys: {', '.join(keys)}."
    if first["type"] == "missing":
        return f"{where}: missing. A bot needs at least a name and a command."
    if first["type"] == "env":
        return f"{first['msg']}."
    if first["type"] == "tune":
        return str(first["msg"])
    if first["type"] in ("model_type", "dict_type"):
        return f"{where}: expected a table. Write a line [{where}], and its keys below it."
    if first["type"] == "list_type" and isinstance(first["input"], str):
        return f"{where}: expected a list of words. Write: {cut(json.dumps(first['input'].split()))}"
    got = cut(repr(first["input"]))
    if first["type"] in EXPECTED:
        return f"{where}: expected {EXPECTED[first['type']].format(**first.get('ctx', {}))}, got {got}."
    return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}, got {got}."


def _command(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sys.executable if word == PYTHON else word for word in words)


def _from_command(text: str, here: Path, known: list[str]) -> Entry:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise RosterError(f"{quoted(text)} is not a command line: {error}") from None
    words = [os.path.abspath(here / word) if os.path.isfile(here / word) else word for word in words]
    if words and _is_too_long(words[0]):
        raise RosterError(f"{quoted(text)} is not a bot: it is too long for the name of a file. Use a shorter path.")
    if not words or shutil.which(words[0]) is None:
        listed = [name for name in known if name.rpartition("-")[0] not in known]  # search stands for search-64, too
        raise RosterError(
            f"{quoted(text)} is not a bot: neither a folder with {MANIFEST}, nor a command that can be executed, nor "
            f"one of the built-in bots {', '.join(listed)}.{meant(text, [*known, *_beside(here)])}"
        )
    files = tuple(Path(word) for word in words if os.path.isfile(word))
    try:
        contents = digest_of(files)
    except FileError as error:
        raise RosterError(str(error)) from None
    # It is named after its program or script, and runs in that folder.
    name = Path(files[-1] if files else words[0]).stem[:MOST_NAME]
    if not name.isprintable():
        raise RosterError(
            f"{name!r} is not a name for a bot: it has characters that cannot be printed. Rename the file."
        )
    folder = files[-1].parent if files else here.absolute()
    return Entry(name, UNVERSIONED, _command(words), folder, digest=contents, files=files, named=files)


def _beside(folder: Path) -> list[str]:
    """The folders with a bot in this one."""
    try:
        with os.scandir(folder) as found:
            return [place.name for place in islice(found, MOST_BESIDE) if os.path.isfile(f"{place.path}/{MANIFEST}")]
    except OSError:
        return []


def _is_too_long(path: str) -> bool:
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    except ValueError:
        return False  # a null character, which `which` knows nothing of either
    return False


def named(entry: Entry, said: str) -> Entry:
    """The bot under the name that its hello says, if it is a command line: no file gives it another."""
    return entry if entry.named is None or not is_name(said) else replace(entry, name=said)


def distinct(entries: Sequence[Entry]) -> list[str]:
    """Names for the seats: a bot that has several seats is numbered."""
    names = [entry.name for entry in entries]
    return [
        name if names.count(name) == 1 else f"{name[:60]}#{names[: i + 1].count(name)}" for i, name in enumerate(names)
    ]
