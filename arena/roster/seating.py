"""Which bots may sit at one table: those that do not see each other's files, and, if a league says so, one per author.

In a sandbox a bot sees its folder. So two bots in the same folder, or one in a subfolder of the other, could read each
other's files. Several bots that files in one folder describe are the choice of its owner, and so are two command lines
of one script.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from arena.errors import FileError, RosterError
from arena.roster.entries import Entry
from arena.roster.folders import is_ours, is_out_of_sight, survey
from arena.sandbox.runtime import check_folder
from arena.texts import counted
from arena.texts import path as shown


def check_apart(entries: Sequence[Entry]) -> None:
    """RosterError if one of these bots would see another in a sandbox, or more than a bot may have in its folder.

    The folder of a described bot was surveyed for its digest; that of a command line may be any folder.
    """
    for one, other in combinations(entries, 2):
        if _sees(one, other) and not _is_one_household(one, other):
            where = (
                shown(other.folder) if one.folder == other.folder else f"{shown(one.folder)} and {shown(other.folder)}"
            )
            raise RosterError(
                f"{one.name} and {other.name} would see each other's files in {where}. Give each bot a folder of its "
                "own, or use --sandbox none."
            )
    for folder in {entry.folder for entry in entries if entry.named is not None}:
        check_folder(folder)
        try:
            survey(folder)
        except FileError as error:
            raise RosterError(str(error)) from None


def _sees(one: Entry, other: Entry) -> bool:
    return one.folder.is_relative_to(other.folder) or other.folder.is_relative_to(one.folder)


def _is_one_household(one: Entry, other: Entry) -> bool:
    """Whether the owner chose that two bots share a folder, or they have nothing to hide: built-in bots are public."""
    if is_ours(one.folder) and is_ours(other.folder):
        return True
    if one.folder != other.folder:
        return False
    if one.named is None and other.named is None:
        return True
    return bool(one.named) and one.named == other.named


def check_results(folder: Path, entries: Sequence[Entry]) -> None:
    """RosterError if a bot would see the results of its league there."""
    place = folder.resolve()
    for entry in entries:
        if place.is_relative_to(entry.folder):
            top = place.relative_to(entry.folder).parts[:1]
            if not top or not is_out_of_sight(top[0], is_link=False):
                raise RosterError(
                    f"{entry.name} would see the results in {shown(folder)}, which is in its folder. Use --folder, "
                    f"for instance --folder {shown(entry.folder / 'leagues' / folder.name)}, where bots see nothing."
                )


def authors(entries: Sequence[Entry]) -> Mapping[str, str]:
    """The author of each bot, by name. Bots in one folder have the same author, unless their descriptions name one.

    Built-in bots count as bots of different authors: they are there to fill tables.
    """
    return {entry.name: _author(entry) for entry in entries}


def together(entries: Sequence[Entry]) -> list[list[str]]:
    """The bots of each author that has more than one."""
    known = authors(entries)
    return sorted(sorted(bots) for bots in _teams(known, list(known)) if len(bots) > 1)


def _author(entry: Entry) -> str:
    if is_ours(entry.folder):
        return f"bot {entry.name}"
    return f"folder {entry.folder}" if entry.author is None else f"author {entry.author}"


def mistakes_if_all_meet(entries: Sequence[Entry]) -> Iterator[str]:
    """Why a league in which any two bots may meet cannot have one bot of each author at a table."""
    known = authors(entries)
    for bots in _teams(known, list(known)):
        if len(bots) > 1:
            yield (
                f"schedule.one_per_author: {' and '.join(bots)} have one author, and in a league of this kind "
                "any two may meet. Leave one out, or take another kind."
            )


def mistakes_at_tables(entries: Sequence[Entry], seats: int, challengers: Collection[str] = ()) -> Iterator[str]:
    """Why a league cannot have tables of this many seats with one bot of each author."""
    known = authors(entries)
    field = [bot for bot in known if bot not in challengers]
    for challenger in challengers:
        others = [bot for bot in field if known[bot] != known[challenger]]
        yield from _too_few(_teams(known, others), seats - 1, f" beside {challenger}")
    if not challengers:
        yield from _too_few(_teams(known, field), seats, "")


def _too_few(teams: list[list[str]], seats: int, beside: str) -> Iterator[str]:
    if len(teams) < seats:
        yield (
            f"schedule.one_per_author: {counted(seats, 'seat')}{beside}, but only {counted(len(teams), 'author')}: "
            f"{'; '.join(map(', '.join, teams)) or 'none'}. Add bots of others, take fewer seats, or leave it out."
        )


def _teams(known: Mapping[str, str], bots: Sequence[str]) -> list[list[str]]:
    teams: dict[str, list[str]] = {}
    for bot in bots:
        teams.setdefault(known[bot], []).append(bot)
    return list(teams.values())
