"""Tournament files: TOML in, validated values out. One error lists all mistakes: file, key, value, way out.

name = "spring"
game = "draftosaurus"
bots = ["greedy", "random", "../my-bot", { bot = "../my-bot-2", name = "newer", tune = { pace = 0.9 } }]
deals = "fresh"           # each match has its own, or "shared": one for all rotations of a block
seed = 1                  # only to reproduce a league: bots can find the deals from it

[options]
season = "winter"

[schedule]
kind = "round_robin"      # or gauntlet (with challengers), adaptive, chain, knock_out, groups (with a final)
seats = [4]               # table sizes
blocks = 50               # one table with all its seat rotations is a block; without it: one whole cycle
minutes = 10              # stop after this time
until = "separated"       # stop as soon as no two bots are level
one_per_author = true     # never two bots of one author at a table, by `author` in their bot.toml

[clock]
bank_ms = 10000
increment_ms = 100
scale = true              # multiply all times by 100 / speed of the host that plays
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from arena.errors import FileError, FormError, RosterError, SettingError
from arena.files import MOST_TOURNAMENT, read_toml
from arena.league.clocks import SCALE, LeagueClock
from arena.league.kinds import ANY_DICE, GROUP_KEYS, IN_FILES, KINDS, Entrants, LeagueKind, RoundRobin, ScheduleKeys
from arena.league.lineup import Lineup
from arena.league.old_leagues import OldSeed
from arena.league.secret import Chance, Secret, of_seed
from arena.match.clock import MOST_MS, TimeControl
from arena.match.cores import AFFINITIES, BY_USE
from arena.match.record import MOST_SEED, MOST_STRIKES
from arena.names import Name
from arena.options import contents
from arena.roster.entries import EXPECTED as OF_BOTS
from arena.roster.entries import Entry, MemoryMb, as_whole, find, is_built_in, with_values
from arena.roster.seating import authors
from arena.sandbox.policy import AUTO, CHOICES, Tier
from arena.texts import counted, cut, meant
from engine.catalogue import game as find_game
from engine.contract import Value, changed, settle
from engine.errors import EngineError, SetupError

Milliseconds = Annotated[int, Field(ge=0, le=MOST_MS)]
Text = Annotated[str, Field(min_length=1)]
Seats = Annotated[int, Field(ge=1, le=1024)]
Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""A whole number of TOML; Python would accept any length."""
MOST_BLOCKS = 10**9
NOTHING: Mapping[str, str] = MappingProxyType({})
EXPECTED: Mapping[str, str] = {
    **OF_BOTS,
    "string_pattern_mismatch": "letters, digits, '.', '_' and '-', 64 at most, because it names a folder",
}
REMEMBERED = (
    '"shared" and processes = "{}" exclude each other: the process of a bot would know the deal in the next rotation. '
    'Write deals = "fresh", or leave out processes.'
)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Bot(_Part):
    bot: Text
    name: Name
    tune: dict[str, Any] = {}


def _form(bot: object) -> str:
    return "renamed" if isinstance(bot, dict) else "word"


class _Schedule(_Part):
    kind: Literal[IN_FILES] = RoundRobin.name  # type: ignore[valid-type]  # the table of kinds is what there is
    seats: Annotated[list[Seats], Field(min_length=1)] = [2]
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] | None = None
    minutes: Annotated[float, Field(gt=0)] | None = None
    until: Literal["separated"] | None = None
    challengers: list[Name] = []
    groups: Annotated[int, Field(ge=1, le=1024)] | None = None
    advance: Annotated[int, Field(ge=1, le=1024)] | None = None
    cycles: Annotated[int, Field(ge=1, le=1000)] | None = None
    final: Literal["knock_out", "round_robin"] | None = None
    one_per_author: bool = False

    @property
    def keys(self) -> ScheduleKeys:
        own = {key: getattr(self, key) for key in GROUP_KEYS}
        return ScheduleKeys(tuple(self.seats), self.blocks, self.until, tuple(self.challengers), **own)


class _Clock(_Part):
    hello_ms: Milliseconds = 10_000
    prepare_ms: Milliseconds = 10_000
    bank_ms: Milliseconds = 10_000
    increment_ms: Milliseconds = 100
    charge: Literal["wall", "cpu"] = "wall"
    scale: bool = False

    @property
    def control(self) -> TimeControl:
        return TimeControl(**self.model_dump(exclude={SCALE}))


class _File(_Part):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    game: Text = "draftosaurus"
    options: dict[str, str | Number | bool | None] = {}
    bots: Annotated[
        list[Annotated[Annotated[Text, Tag("word")] | Annotated[_Bot, Tag("renamed")], Discriminator(_form)]],
        Field(min_length=2),
    ]
    seed: int | None = None
    deals: Literal["fresh", "shared"] | None = None
    schedule: _Schedule = _Schedule()
    clock: _Clock = _Clock()
    strikes: Annotated[int, Field(ge=1, le=MOST_STRIKES)] = 3
    sandbox: Literal[CHOICES] = AUTO  # type: ignore[valid-type]  # made of the tiers
    min_tier: Literal["full", "lite", "none"] = "none"
    memory_mb: MemoryMb = 256
    threads: Annotated[int, Field(ge=1, le=4096)] = 8
    exam: bool = True
    anchor: dict[Name, Annotated[float, Field(ge=-10_000, le=10_000)]] = {}
    workers: Annotated[int, Field(ge=1, le=1024)] | None = None
    processes: Literal["match", "block", "worker"] = "match"
    affinity: Literal[AFFINITIES] = BY_USE  # type: ignore[valid-type]  # the words are beside the rule


@dataclass(frozen=True, slots=True)
class Tournament:
    """A league that can be played."""

    path: Path
    name: str
    game: str
    edition: int
    entries: tuple[Entry, ...]
    """In the order of the file, each under its name in the league."""
    options: Mapping[str, Value] = field(default_factory=dict)
    """Those that differ from their defaults."""
    seed: int | None = None
    """The seed in the file, if it has one; the secret follows from it."""
    secret: str = field(default="", repr=False)
    """Of a league that has begun; 32 hexadecimal digits."""
    is_old: bool = False
    """Whether an arena without secrets began it."""
    deals: str | None = None
    """fresh or shared; None: what is safe with these bots and tables."""
    kind: LeagueKind = field(default_factory=RoundRobin)
    seats: tuple[int, ...] = (2,)
    minutes: float | None = None
    one_per_author: bool = False
    clock: TimeControl = field(default_factory=TimeControl)
    is_scaled: bool = False
    """Whether the clock is scaled by the speed of the host that plays."""
    strikes: int = 3
    sandbox: str = AUTO
    min_tier: str = Tier.NONE
    """A machine whose best sandbox is weaker plays no match."""
    memory_mb: int = 256
    threads: int = 8
    workers: int | None = None
    processes: str = "match"
    affinity: str = BY_USE
    """Where bots run: one of AFFINITIES in arena/match/cores.py."""
    exam: bool = True
    """Whether a bot plays a match that does not count before it joins."""
    anchor: Mapping[str, float] = field(default_factory=dict)
    """Ratings that are fixed, by bot."""
    words: Mapping[str, str] = field(default_factory=dict)
    """How the file names each bot, by its name in the league."""
    absent: tuple[str, ...] = ()
    """Bots of the file that the league has, but whose files cannot be read now."""
    by_meetings: bool = False
    """Whether results go by meetings, in a league that has begun."""
    lineup: Lineup | None = None
    """Who plays in a league that has begun."""

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries)

    @property
    def league_clock(self) -> LeagueClock:
        return LeagueClock(self.clock, self.is_scaled)

    @property
    def chance(self) -> Chance:
        """What decides its plan, deals and ids."""
        if self.secret:
            return Secret(self.secret)
        assert self.seed is not None, "a league has a secret as soon as it has begun"
        return OldSeed(self.seed) if self.is_old else of_seed(self.seed)

    @property
    def is_fresh(self) -> bool:
        """Whether every match has its own deal. A bot that can remember a deal must not meet it twice."""
        if self.deals is not None:
            return self.deals == "fresh"
        is_own_duel = max(self.seats) == 2 and all(map(is_built_in, self.entries))
        return not is_own_duel or self.processes != "match"

    @property
    def entrants(self) -> Entrants:
        """What its kind needs to plan, in a league that has begun."""
        entrants = Entrants(self.bots, self.seats, self.authors, self.chance.dice)
        if not self.by_meetings or self.lineup is None:
            return entrants
        lineup = self.lineup
        return replace(
            entrants,
            versions=lineup.keys,
            founders=lineup.founders,
            newcomers=lineup.newcomers,
            epoch=lineup.epoch,
        )

    @property
    def planned(self) -> int:
        """How many matches the plan has, at most."""
        if self.lineup is not None and (entrants := self.entrants).has_changed:
            return self.kind.total(entrants)
        return self.kind.total(Entrants(self.bots, self.seats, self.authors, ANY_DICE))

    @property
    def authors(self) -> Mapping[str, str] | None:
        """The author of each bot, if bots of one author must not meet; None: all may meet."""
        return authors(self.entries) if self.one_per_author else None


def read_tournament(path: Path, kept: Mapping[str, str] = NOTHING) -> Tournament:
    """The league that a file describes. SettingError has a line for each mistake.

    `kept` are the names of the bots that the league has already, by the words of the file: their files may be missing.
    """
    file, mistakes, wrong = _validated(_load(path))
    options, edition = _game(file, path.parent, mistakes) if "game" not in wrong else ({}, 0)
    found = _entries(file, path.parent, mistakes, kept) if "bots" not in wrong else _Listed()
    entries = found.entries
    if edition:
        mistakes += [
            f"bots: {entry.name} does not play {file.game}." for entry in entries if not entry.plays(file.game)
        ]
    names = [*(entry.name for entry in entries), *found.absent]
    if not wrong & {"bots", "schedule"}:
        mistakes += [*_bot_mistakes(file, names), *_schedule_mistakes(file)]
        if file.schedule.one_per_author and not mistakes:
            kind = KINDS[file.schedule.kind].from_keys(file.schedule.keys)
            mistakes += kind.author_mistakes(entries, max(file.schedule.seats))
    mistakes += [*_deal_mistakes(file), *_clock_mistakes(file), *_tier_mistakes(file)]
    if mistakes:
        raise _refusal(path, mistakes)
    schedule = file.schedule
    return Tournament(
        path=path,
        name=file.name,
        game=file.game,
        edition=edition,
        entries=tuple(entries),
        options=options,
        seed=file.seed,
        deals=file.deals,
        kind=KINDS[schedule.kind].from_keys(schedule.keys),
        seats=tuple(sorted(set(schedule.seats))),
        minutes=schedule.minutes,
        one_per_author=schedule.one_per_author,
        clock=file.clock.control,
        is_scaled=file.clock.scale,
        strikes=file.strikes,
        sandbox=file.sandbox,
        min_tier=file.min_tier,
        memory_mb=file.memory_mb,
        threads=file.threads,
        workers=file.workers,
        processes=file.processes,
        affinity=file.affinity,
        exam=file.exam,
        anchor=file.anchor,
        words=found.words,
        absent=tuple(found.absent),
    )


def _validated(raw: dict[str, Any]) -> tuple[_File, list[str], set[int | str]]:
    """The file without its wrong keys, a mistake for each of those, and the top-level keys that have one."""
    try:
        return _File.model_validate(raw), [], set()
    except ValidationError as error:
        found = error.errors()
    rest = {key: dict(value) if isinstance(value, dict) else value for key, value in raw.items()}
    for top, *below in map(_loc, found):
        if below and isinstance(rest.get(str(top)), dict):
            rest[str(top)].pop(below[0], None)
        else:
            rest.pop(str(top), None)
    file = _File.model_validate({"name": "unnamed", "bots": ["?", "?"]} | rest)
    return file, [_mistake(one) for one in found], {_loc(one)[0] for one in found}


def _load(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path, MOST_TOURNAMENT)
    except FormError as error:
        raise SettingError(str(error)) from None
    except FileError as error:
        raise SettingError(f"{error}. Name a tournament file; `arena docs leagues` shows one.") from None


def _refusal(path: Path, mistakes: list[str]) -> SettingError:
    return SettingError("\n".join(f"{path}: {mistake}" for mistake in dict.fromkeys(mistakes)))


def _mistake(error: Any) -> str:
    """One mistake that pydantic found, as a line for the user."""
    loc = _loc(error)
    kind, got = error["type"], _cut(error["input"])
    if loc[0] == "options" and len(loc) > 1:  # pydantic has one mistake for each type that is allowed
        return f"{_joined(loc[:2])}: expected a text, a whole number, true or false, got {got}."
    where = _joined(loc)
    if kind == "extra_forbidden":
        keys = _keys(loc[:-1])
        return f"{where}: there is no such key.{meant(str(loc[-1]), keys)} Keys here: {', '.join(keys)}."
    if kind == "missing":
        needed = '{ bot = "...", name = "..." }' if len(loc) > 1 else "at least a name and two bots"
        return f"{where}: missing. Write {needed}."
    if kind not in EXPECTED:
        return f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}, got {got}."
    hint = " Write 2000 for two seconds." if where.endswith("_ms") else ""
    return f"{where}: expected {EXPECTED[kind].format(**error.get('ctx', {}))}, got {got}.{hint}"


def _loc(error: Any) -> list[int | str]:
    """Where a mistake is, without the tags that pydantic adds for the forms of a bot."""
    top, *rest = error["loc"]
    return [top, *(part for part in rest if top != "bots" or part not in ("renamed", "word"))]


def _joined(loc: list[int | str]) -> str:
    """The name of a key. Quoted keys may contain anything, also line breaks."""
    return ".".join(part if part and part.isprintable() else repr(part) for part in map(str, loc))


def _cut(value: object) -> str:
    try:
        return cut(repr(value))
    except ValueError:
        return "a number with thousands of digits"


def _keys(loc: list[int | str]) -> list[str]:
    parts: dict[str, type[BaseModel]] = {"schedule": _Schedule, "clock": _Clock, "bots": _Bot}
    return list((parts.get(str(loc[0]), _File) if loc else _File).model_fields)


def _game(file: _File, folder: Path, mistakes: list[str]) -> tuple[dict[str, Value], int]:
    """The options that differ from the game's defaults, and its edition."""
    try:
        game = find_game(file.game)
    except EngineError as error:
        mistakes.append(f"game: {error}")
        return {}, 0
    known, settled = game.options(), {}
    for name, value in file.options.items():
        try:
            value = contents(known[name], value, folder) if name in known else value
            settled[name] = settle(game.name, known, {name: value})[name]
        except (SetupError, SettingError) as error:
            mistakes.append(f"{_joined(['options', name])}: {error}")
    for seats in file.schedule.seats:
        try:
            game.start(seats, settled)
        except SetupError as error:
            mistakes.append(f"schedule.seats: {error}")
    return changed(known, settled), game.edition


@dataclass(slots=True)
class _Listed:
    """The bots of a file."""

    entries: list[Entry] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)


def _entries(file: _File, folder: Path, mistakes: list[str], kept: Mapping[str, str]) -> _Listed:
    found = _Listed()
    for number, bot in enumerate(file.bots):
        word, name, tune = (bot, None, {}) if isinstance(bot, str) else (bot.bot, bot.name, bot.tune)
        try:
            entry = bot_of(word, folder)
        except RosterError as error:
            if word in kept:
                found.absent.append(name or kept[word])
                continue
            prefix = "" if word in str(error) else f"{_cut(word)}: "  # a long path to it may have been cut
            mistakes.append(f"bots.{number}: {prefix}{error}")
            continue
        try:
            entry = with_values(entry, tune)
        except RosterError as error:
            mistakes.append(f"bots.{number}: {error}")
        found.entries.append(replace(entry, name=name or entry.name))
        found.words[name or entry.name] = word
    return found


def bot_of(word: str, folder: Path) -> Entry:
    """The bot that a file in this folder names so. RosterError if there is none."""
    return as_whole(find(_from_here(word, folder), folder))


def _from_here(word: str, folder: Path) -> str:
    """A path is relative to the folder of the file."""
    path = os.path.join(folder, word)
    if os.path.isdir(path):
        return path
    if os.path.isfile(path):
        return path if path.endswith(".toml") else shlex.quote(path)
    return f"{shlex.quote(str(folder))}/{word}" if word.startswith(("./", "../")) else word


def _bot_mistakes(file: _File, names: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f'bots: {name} appears twice. Rename one: {{ bot = "...", name = "{name}-2" }}.'
    most = max(file.schedule.seats)
    if most > len(names) == len(file.bots):
        few = f"{counted(most, 'seat')}, but only {counted(len(names), 'bot')}"
        yield f"schedule.seats: {few}. Add bots, or use fewer seats."
    for key, chosen in (("schedule.challengers", file.schedule.challengers), ("anchor", list(file.anchor))):
        for name in chosen:
            if name not in names:
                yield f"{key}: {name} is not one of the bots {', '.join(dict.fromkeys(names))}."


def _schedule_mistakes(file: _File) -> Iterator[str]:
    schedule, challengers = file.schedule, file.schedule.challengers
    if schedule.minutes is not None and not isfinite(schedule.minutes):
        yield f"schedule.minutes: expected a number, got {schedule.minutes}."
    kind = KINDS[schedule.kind]
    yield from kind.mistakes(schedule.keys)
    yield from kind.from_keys(schedule.keys).number_mistakes(len(file.bots), max(schedule.seats))
    for key in GROUP_KEYS:
        if getattr(schedule, key) is not None and key not in kind.own_keys:
            takers = " or ".join(f'"{name}"' for name, one in KINDS.items() if key in one.own_keys)
            yield f"schedule.{key}: only for kind = {takers}. Omit it, or change the kind."
    if kind.takes_challengers != bool(challengers):
        takers = " or ".join(name for name, one in KINDS.items() if one.takes_challengers)
        yield f"schedule.challengers: a {takers} needs them, and no other kind takes them."
        return
    for name in dict.fromkeys(name for name in challengers if challengers.count(name) > 1):
        yield f"schedule.challengers: {name} appears twice. Name it once."
    others, needed = len(file.bots) - len(set(challengers)), max(schedule.seats) - 1
    if challengers and others < needed:
        yield (
            f"schedule.challengers: a table needs one of them and {counted(needed, 'other bot')}, but the file has "
            f"{others}. Add bots, or use fewer challengers or seats."
        )


def _deal_mistakes(file: _File) -> Iterator[str]:
    if abs(file.seed or 0) >= MOST_SEED:
        yield "seed: expected a whole number of at most 1,000 digits."
    if file.deals == "shared" and file.processes != "match":
        yield f"deals: {REMEMBERED.format(file.processes)}"


def _tier_mistakes(file: _File) -> Iterator[str]:
    if file.sandbox != AUTO and not Tier(file.sandbox) >= file.min_tier:
        yield f'min_tier: "{file.min_tier}", but bots play with sandbox = "{file.sandbox}". Leave out one of them.'


def _clock_mistakes(file: _File) -> Iterator[str]:
    for key in ("hello_ms", "prepare_ms"):
        if getattr(file.clock, key) < 1:
            yield f"clock.{key}: expected at least 1, got {getattr(file.clock, key)}."


assert {SCALE, *(one.name for one in fields(TimeControl))} == set(_Clock.model_fields)
