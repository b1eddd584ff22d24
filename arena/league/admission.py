"""How bots join a league, get another version, and retire.

The tournament file says who should play, the store says who plays. When a bot joins, the league keeps a copy of its
files and plays this copy, so nobody can disturb a league by editing, building or deleting. Before that the bot plays a
match against itself that does not count: one that cannot start is refused there, and not after a hundred forfeits.
"""

import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.errors import BotRefused, BuildFailed, FileError, RosterError, SettingError, StoreError
from arena.league.executor import Event, Hire, Notice, Played
from arena.league.fixtures import program, setting
from arena.league.lineup import BotVersion, Lineup, RosterChange
from arena.league.meetings import version_key
from arena.league.store import Store, difference
from arena.league.tournament import Tournament
from arena.league.wire import Assignment, record_path
from arena.match.faults import disqualifies
from arena.roster.archive import archive_of
from arena.roster.belongings import kept_digest
from arena.roster.copies import differs, from_archive, kept, portable
from arena.roster.digests import as_known
from arena.roster.entries import Entry, built_in, is_built_in, read, read_built_in, with_values
from arena.roster.seating import check_apart, check_results
from arena.texts import counted

ARCHIVES, UNPACKED, EXAMS = "bots", "unpacked", "exams"
"""Folders of a league: archives of its bots, the copies that play, and the records of exams."""
BUILT_IN, BOT, WORD, TUNE = "built_in", "bot", "word", "tune"
"""In the `entry` of a version: the name of a built-in bot, which is played where it is; any other bot as `Entry.plain`
describes it; how the tournament file names it; and the values that were chosen for parameters of a built-in bot."""
EXAM_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """How the file, or the files of a bot, differ from what the league plays."""

    name: str
    entry: Entry | None
    """The bot as it is now; None: the file does not name it any more."""
    before: BotVersion | None
    """The bot as the league plays it; None: it is new."""
    words: str

    @property
    def verb(self) -> str:
        return "retires" if self.entry is None else "joins" if self.before is None else "gets a new version"


# What differs


def differences(lineup: Lineup, tournament: Tournament, folder: Path) -> list[Difference]:
    """What `take_in` would change, in the order of the file."""
    found = [one for entry in tournament.entries if (one := _difference(lineup, entry, folder))]
    named = {*tournament.bots, *tournament.absent}
    for name, version in lineup.current.items():
        if name not in named:
            found.append(Difference(name, None, version, "is not in the file any more"))
    return found


def _difference(lineup: Lineup, entry: Entry, folder: Path) -> Difference | None:
    before = lineup.current.get(entry.name)
    if before is None:
        return Difference(entry.name, entry, None, "is new in the file")
    if _is_same(before, entry):
        return None
    return Difference(entry.name, entry, before, f"differs from what the league plays{_which(before, entry, folder)}")


def _is_same(version: BotVersion, entry: Entry) -> bool:
    if list(version.program) != program(entry):
        return False
    if not version.archive:
        return version.digest == as_known(entry, version.digest).digest
    try:
        return version.archive == kept_digest(entry)
    except FileError:  # it cannot be kept as it is now
        return False


def _which(version: BotVersion, entry: Entry, folder: Path) -> str:
    """The files that differ, a few of them."""
    if list(version.program) != program(entry):
        return ": another command"
    if not version.archive:
        return ""
    with suppress(FileError, RosterError, StoreError):
        return f": {differs(entry, _copy(version, folder))}"
    return ""


# Who plays


def playing(lineup: Lineup, folder: Path, order: Sequence[str]) -> tuple[Entry, ...]:
    """The bots of the roster as the league plays them, those in `order` first. Copies that are missing are unpacked."""
    names = [name for name in order if name in lineup.current]
    names += [name for name in lineup.current if name not in names]
    return tuple(_playing(lineup.current[name], folder) for name in names)


def _playing(version: BotVersion, folder: Path) -> Entry:
    if version.archive:
        return replace(_copy(version, folder), name=version.name, digest=version.digest)
    if BOT in version.entry:
        return replace(_described(version, folder), name=version.name, digest=version.digest)
    known, word = built_in(), str(version.entry.get(BUILT_IN))
    if word not in known:
        raise RosterError(
            f"{version.name}: this arena has no built-in bot {word!r}. Use the arena that began the league."
        )
    entry = as_known(read_built_in(word), version.digest)
    if entry.digest != version.digest:
        raise RosterError(
            f"{version.name}: the built-in bot {word} has changed with the arena. `arena league update` takes in the "
            "new version; or use the arena that began the league."
        )
    return with_values(replace(entry, name=version.name), version.entry.get(TUNE, {}))


def _copy(version: BotVersion, folder: Path) -> Entry:
    """The kept copy, ready to play. Its digest is that of the archive."""
    _described(version, folder)
    return from_archive(version.entry[BOT], archive_of(folder / ARCHIVES, version.archive), folder / UNPACKED)


def _described(version: BotVersion, folder: Path) -> Entry:
    try:
        return Entry.from_plain(version.entry[BOT])
    except (KeyError, ValidationError):
        raise StoreError(f"{folder}: the description of {version.name} in the store is damaged. Restore it.") from None


def watched(lineup: Lineup, entries: Sequence[Entry]) -> list[Entry]:
    """The same bots with the digests that their files must have while the league runs."""
    archives = {name: version.archive for name, version in lineup.current.items()}
    return [replace(one, digest=archives[one.name]) if archives.get(one.name) else one for one in entries]


# Changing the roster


async def take_in(
    store: Store,
    tournament: Tournament,
    folder: Path,
    hire: Hire,
    wanted: Collection[str] | None = None,
    keep_going: bool = False,
) -> tuple[list[Difference], dict[str, str]]:
    """Make the roster what the file says; with `wanted`, only for these bots.

    Returns what has changed, and with `keep_going` why bots were refused. Without it, BotRefused if any was.
    """
    lineup = store.lineup()
    found = [one for one in differences(lineup, tournament, folder) if wanted is None or one.name in wanted]
    if lineup.changes and found and not tournament.kind.may_change:
        raise SettingError(
            f"{tournament.path}: the roster of a {tournament.kind.name} cannot change once it has begun."
        )
    check_places(tournament, folder)
    coming = {one.name: _kept(one.entry, folder) for one in found if one.entry is not None}
    refused = await _examined(tournament, folder, list(coming.values()), hire) if tournament.exam else {}
    if refused and not keep_going:
        raise BotRefused(refusal(refused))
    changed = [one for one in found if one.name not in refused]
    _check_roster(tournament, lineup, changed)
    enlist(store, lineup, changed, coming, tournament.words)
    return changed, refused


def check_places(tournament: Tournament, folder: Path) -> None:
    """RosterError if a bot of the file would see another one, or the results of the league."""
    if tournament.sandbox != "none":
        check_apart(tournament.entries)
        check_results(folder, tournament.entries)


def refusal(refused: Mapping[str, str]) -> str:
    lines = [f"{name} did not get through its trial match: {why}" for name, why in refused.items()]
    way_out = "Fix it; `arena check` says more. Or leave it out: `arena league run` and `update` have --keep-going."
    return "\n".join([*lines, way_out])


def enlist(
    store: Store, lineup: Lineup, changed: Sequence[Difference], coming: Mapping[str, Entry], words: Mapping[str, str]
) -> None:
    """Write the changes of a roster. Its bots must have been kept."""
    epoch, at = lineup.epoch + 1 if lineup.changes else 0, now()
    versions = {name: version_of(entry, words.get(name, "")) for name, entry in coming.items()}
    changes = [RosterChange(epoch, at, one.name, versions[one.name].key if one.entry else None) for one in changed]
    if changes:
        store.enlist((versions[one.name] for one in changed if one.entry), changes)


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def version_of(entry: Entry, word: str, digest: str = "") -> BotVersion:
    """A bot that was kept as a version; its digest in results is that of its files, if no other is known."""
    words, name = program(entry), _built_in_name(entry)
    ours = {BUILT_IN: name, **({TUNE: dict(entry.chosen)} if entry.chosen else {})}
    plain = {WORD: word, **(ours if name else {BOT: portable(entry)})}
    digest, archive = digest or entry.digest, entry.digest if entry.is_copy else ""
    key = version_key(entry.name, digest, words)
    return BotVersion(key, entry.name, entry.version, digest, tuple(words), archive, plain)


def _kept(entry: Entry, folder: Path) -> Entry:
    """The copy that plays. A command line whose folder may hold anything is played where it is, and watched.

    An author is named, because the folder, by which bots of one author are known otherwise, is now another.
    """
    if entry.files is not None:
        return entry
    author = entry.author if is_built_in(entry) else entry.author or f"folder {entry.folder}"
    return replace(kept(entry, folder / ARCHIVES, folder / UNPACKED), author=author)


def _built_in_name(entry: Entry) -> str | None:
    """Which of the built-in bots it is; a league may call it otherwise."""
    if not is_built_in(entry):
        return None
    return next((word for word, path in built_in().items() if read(path).command == entry.command), None)


def _check_roster(tournament: Tournament, lineup: Lineup, changed: Sequence[Difference]) -> None:
    """SettingError if no league can be played with the new roster."""
    names = {*lineup.current, *(one.name for one in changed if one.entry)} - {
        one.name for one in changed if not one.entry
    }
    most = max(tournament.seats)
    if len(names) < most:
        raise SettingError(
            f"{tournament.path}: a table has {counted(most, 'seat')}, and {counted(len(names), 'bot')} would be left. "
            "Keep more bots, or begin a league with fewer seats."
        )


# Leagues that an older arena began


def founded(store: Store, tournament: Tournament, folder: Path, settings: Mapping[str, Any]) -> None:
    """Keep the bots of a league that an older arena began. SettingError if they are not those of its results."""
    entries = [as_known(entry, settings["bots"].get(entry.name, ("", ""))[1]) for entry in tournament.entries]
    found = {
        "bots": {entry.name: [entry.version, entry.digest] for entry in entries},
        "commands": {entry.name: program(entry) for entry in entries},
    }
    known = {key: settings.get(key, value) for key, value in found.items()}
    changes = [difference(key, known[key], found[key]) for key in found if known[key] != found[key]]
    if changes:
        raise SettingError(
            f"{tournament.path}: {folder} has the results of other bots: {'; '.join(changes)}. An older arena began "
            "this league and kept no copies. Undo that, or begin a new league: another name, another --folder, or move "
            "this folder away."
        )
    words = tournament.words
    versions = [version_of(_kept(entry, folder), words.get(entry.name, ""), entry.digest) for entry in entries]
    at = now()
    store.enlist(versions, [RosterChange(0, at, one.name, one.key) for one in versions])


# The exam


async def _examined(tournament: Tournament, folder: Path, entries: Sequence[Entry], hire: Hire) -> dict[str, str]:
    """Why bots did not get through a match against themselves, by name. Built-in bots need no exam."""
    new, unbuilt = {entry.name: entry for entry in entries if not is_built_in(entry)}, dict[str, str]()
    while new:
        try:
            return unbuilt | await _tried(tournament, folder, list(new.values()), hire)
        except BuildFailed as error:  # before the first match
            unbuilt[error.bot] = f"it {error.why}"
            del new[error.bot]
    return unbuilt


async def _tried(tournament: Tournament, folder: Path, new: Sequence[Entry], hire: Hire) -> dict[str, str]:
    blocks = [[_exam(tournament, entry, number)] for number, entry in enumerate(new)]
    common = setting(replace(tournament, entries=tuple(new)), folder)
    workers = hire(replace(common, records=str(folder.absolute() / EXAMS), processes="match"), 1, iter([iter(blocks)]))
    found, attempts = dict[str, str](), dict[str, int]()

    def on_event(event: Event) -> None:
        if isinstance(event, Notice):
            return
        name = event.fixture["bots"][0]
        if isinstance(event, Played) and "void" not in event.message:
            if why := _why_refused(event.message):
                path = record_path(folder / EXAMS, event.fixture["match"])
                found[name] = f"{why}. See why:  arena replay {shlex.quote(str(path))} | tail"
        elif attempts.setdefault(name, 1) < EXAM_ATTEMPTS:  # it was not the bot's fault
            attempts[name] += 1
            workers.retry(event.fixture)

    await workers.work(on_event)
    return found


def _exam(tournament: Tournament, entry: Entry, number: int) -> Assignment:
    """A match of a bot against itself. It has a deal of its own, which no match that counts has."""
    name = json.dumps(["exam", entry.name, entry.digest])
    return {
        "match": f"{int.from_bytes(name.encode()[-8:]) ^ tournament.chance.deal([name]):032x}"[-24:],
        "plan": 0,
        "block": number,
        "rotation": 0,
        "deal": name,
        "bots": [entry.name] * min(tournament.seats),
        "seed": tournament.chance.deal([name]),
        "bot_seed": tournament.chance.bot_seed([name]),
        "exam": True,
    }


def _why_refused(message: Mapping[str, Any]) -> str | None:
    """The fault that disqualified a seat, and what led to it."""
    out = next((fault["seat"] for fault in message["faults"] if disqualifies(fault["kind"])), None)
    faults = [fault for fault in message["faults"] if fault["seat"] == out and out is not None]
    return f"{faults[0]['kind']}: {faults[0]['text']}" if faults else None
