"""The files of frozen ladders: one for each game and size of table. Ratings in them never change; a file is replaced.

A file has the rungs, weakest first: which bot each is, which of its files decide how it plays, and its rating with the
95 % interval. The covariance of the ratings, the effects of the seats and the clock are what a placement needs in
addition. `made` says how anybody can make the file again.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import FileError, RosterError, SettingError
from arena.files import read_text
from arena.ladder.rungs import absence, changes, rung_entry
from arena.league.clocks import LeagueClock
from arena.league.placing import Scale
from arena.match.clock import TimeControl
from arena.names import Name
from arena.roster.entries import Entry
from arena.texts import cut
from arena.texts import path as shown
from engine.contract import Game, Value

FORMAT = 1
FOLDER = Path(__file__).parent / "files"
MOST_BYTES = 1 << 20
LEAST = 2
"""Rungs of a ladder."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Elo = Annotated[float, Field(ge=-100_000, le=100_000)]
Count = Annotated[int, Field(ge=0)]


class Rung(_Frozen):
    """A bot of the ladder as it was frozen."""

    bot: Name
    file: str
    """Its description, relative to the folder `bots` of the arena."""
    version: str
    command: list[str]
    files: list[str]
    """Those that decide how it plays, relative to the folder of its description."""
    digest: str
    """Of these files."""
    rating: Elo
    low: Elo
    high: Elo
    matches: Count
    faults: dict[str, Count]
    """By kind, in all matches of the ladder."""
    cpu_ms: Annotated[float, Field(ge=0)]
    """CPU time of a decision."""


class Neighbours(_Frozen):
    """How much better a rung is than the one below it."""

    bot: Name
    below: Name
    elo: Elo
    low: Elo
    high: Elo
    superiority: Annotated[float, Field(ge=0, le=1)]


class Made(_Frozen):
    """What made the ladder."""

    at: str
    arena: str
    commands: list[str]
    matches: Count
    records: str
    """The SHA-256 of the ids and digests of all matches."""


class LadderFile(_Frozen):
    """The contents of a file."""

    format: Annotated[int, Field(ge=FORMAT, le=FORMAT)]
    game: str
    edition: int
    options: dict[str, str | int | bool | None]
    seats: Annotated[int, Field(ge=2, le=64)]
    anchor: dict[Name, Elo]
    clock: dict[str, Any]
    seat_effects: list[Elo]
    rungs: Annotated[list[Rung], Field(min_length=LEAST)]
    covariance: list[list[float]]
    neighbours: list[Neighbours]
    made: Made


@dataclass(frozen=True, slots=True)
class Ladder:
    """A frozen ladder, and which of its rungs can play here."""

    file: LadderFile
    entries: tuple[Entry, ...]
    """The rungs that can play, weakest first."""
    remarks: tuple[str, ...]
    """What the user should know: rungs that are absent, and those that are not what was frozen."""

    @property
    def control(self) -> TimeControl:
        """The clock of the matches that made it."""
        return LeagueClock.from_plain(self.file.clock).control

    @property
    def scale(self) -> Scale:
        """The ratings of the rungs that can play."""
        names = {entry.name for entry in self.entries}
        at = [number for number, rung in enumerate(self.file.rungs) if rung.bot in names]
        rungs, covariance = self.file.rungs, self.file.covariance
        return Scale.from_plain(
            {
                "rungs": [rungs[i].bot for i in at],
                "ratings": [rungs[i].rating for i in at],
                "covariance": [[covariance[i][j] for j in at] for i in at],
                "seats": self.file.seat_effects,
            }
        )


def ladder_of(game: Game[Any], options: dict[str, Value], seats: int, path: Path | None = None) -> Ladder:
    """The ladder for this game at tables of this size: the arena's own, or that of a file.

    SettingError if there is none, or if too few of its rungs can play here.
    """
    if path is None:
        path = _ours(game, options, seats)
    file = read_ladder(path)
    played = {"game": game.name, "options": options, "seats": seats}
    for key, wanted in played.items():
        if (has := getattr(file, key)) != wanted:
            raise SettingError(
                f"{shown(path)}: a ladder with {key} {_said(has)}, but {_said(wanted)} is asked for. Name another file."
            )
    return _standing(file, path, game.edition)


def _ours(game: Game[Any], options: dict[str, Value], seats: int) -> Path:
    path = FOLDER / f"{game.name}-{seats}.json"
    known = frozen()
    if options:
        names = ", ".join(options)
        raise SettingError(
            f"there is no frozen ladder for {game.name} with other options than the defaults ({names}). Leave them "
            f"out, or make a ladder of your own: `arena docs place`."
        )
    if not path.is_file():
        sizes = [str(size) for name, size in known if name == game.name]
        which = f"with {_listed(sizes)}" if sizes else "at all"
        raise SettingError(
            f"there is no frozen ladder for {game.name} with {seats} players; there is one {which}. Choose another "
            "--seats, or make a ladder of your own: `arena docs place`."
            if sizes
            else f"there is no frozen ladder for {game.name}. Make one of your own: `arena docs place`."
        )
    return path


def _listed(sizes: list[str]) -> str:
    *rest, last = sizes
    return f"{', '.join(rest)} and {last}" if rest else last


def _said(value: object) -> str:
    return cut(json.dumps(value))


def frozen() -> list[tuple[str, int]]:
    """The games and sizes of tables that have a ladder, in order."""
    found = (path.stem.rpartition("-") for path in FOLDER.glob("*-*.json"))
    return sorted((game, int(seats)) for game, _, seats in found)


def read_ladder(path: Path) -> LadderFile:
    """The contents of a ladder's file. SettingError says what is wrong with it."""
    try:
        return LadderFile.model_validate_json(read_text(path, MOST_BYTES))
    except FileError as error:
        raise SettingError(f"{error}. Name the file of a ladder; `arena docs place` shows one.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "JSON"
        raise SettingError(f"{shown(path)}: not the file of a ladder: {cut(where)}: {first['msg']}.") from None


def _standing(file: LadderFile, path: Path, edition: int) -> Ladder:
    """The ladder with the rungs that can play here, and what the user should know about them."""
    entries, remarks = list[Entry](), list[str]()
    if file.edition != edition:
        remarks.append(
            f"the rules of {file.game} have changed since this ladder was frozen (edition {file.edition}, now "
            f"{edition}): its ratings may be out of date. `arena docs place` says how to renew it."
        )
    for rung in file.rungs:
        try:
            entry = rung_entry(rung.bot, rung.file)
        except RosterError as error:
            remarks.append(f"the rung {rung.bot} is absent: {error}")
            continue
        if why := absence(entry):
            remarks.append(f"the rung {rung.bot} is absent: {why}")
            continue
        entries.append(entry)
        if which := changes(entry, rung.file, rung.files, rung.digest, file.game):
            remarks.append(
                f"the rung {rung.bot} has changed since it was frozen on {file.made.at} ({which}): its rating may be "
                "out of date. Use the arena that froze it, or renew the ladder: `arena docs place`."
            )
    if len(entries) < max(LEAST, file.seats - 1):
        raise SettingError("\n".join([f"{shown(path)}: too few rungs of this ladder can play here.", *remarks]))
    return Ladder(file, tuple(entries), tuple(remarks))
