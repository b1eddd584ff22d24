"""The folder of a league: where it is, how a league is played into it, and its report."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.html_file import write_html
from arena.cli.progress import LeagueLine
from arena.errors import FileError, FormError, Interrupted, SettingError, StoreError
from arena.files import MOST_TOURNAMENT, read_toml
from arena.texts import SENTENCE, counted, one_line

if TYPE_CHECKING:
    from arena.league.run import Manner, Progress
    from arena.league.store import Store
    from arena.league.tournament import Tournament

HOME = Path("leagues")


def folder_of(path: Path, folder: Path | None) -> Path:
    """The folder of a league's results. `path` is this folder, or the tournament file."""
    if folder is not None:
        return folder
    if os.path.isdir(path):  # False for a name that is too long
        return path
    try:
        name = read_toml(path, MOST_TOURNAMENT).get("name")
    except FormError as error:
        raise SettingError(str(error)) from None
    except FileError as error:
        raise SettingError(f"{error}. Name a tournament file or a league's folder.") from None
    if not isinstance(name, str) or not name:
        raise SettingError(f"{path}: name: it is missing.")
    return HOME / name


@contextmanager
def opened(path: Path, folder: Path | None) -> Iterator["Store"]:
    from arena.league.store import open_store

    with open_store(folder_of(path, folder)) as store:
        yield store


def play_league(
    tournament: "Tournament", folder: Path, way_on: str, way: "Manner | None" = None, line: LeagueLine | None = None
) -> "Progress":
    """Play the missing matches, with a progress line. Interrupted says how many are kept, and the way on."""
    from arena import running
    from arena.league import run as leagues

    line = line or LeagueLine()
    try:
        return running.run(lambda: leagues.run(tournament, folder, line.show, way or leagues.USUAL))
    except Interrupted as error:
        raise Interrupted(f"{error}. {_kept(folder)} {way_on}") from None
    finally:
        line.clear()


def plain_run(progress: "Progress", folder: Path, standings: list[dict[str, Any]]) -> dict[str, Any]:
    """What a run has played, for programs."""
    return {
        "folder": str(folder),
        "planned": progress.total,
        "played": progress.done,
        "new": progress.new,
        "did_not_count": progress.void,
        "left_out": progress.given_up,
        "stopped": progress.stopped,
        "standings": standings,
    }


def _kept(folder: Path) -> str:
    from arena.league.store import open_store

    try:
        with open_store(folder) as store:
            count = store.count()
    except StoreError:  # it was interrupted before there was one
        count = 0
    return f"{counted(count, 'match')} {'is' if count == 1 else 'are'} kept."


def write_report(store: "Store", target: Path, command: str) -> Path:
    """Write the report, and return its path."""
    from arena.files import write_whole
    from arena.league import page
    from arena.league.wire import RECORDS, REPLAYS, replay_path

    def has_replay(match: str) -> bool:
        return replay_path(target.parent / REPLAYS, match).is_file()

    records = os.path.relpath(store.path.parent / RECORDS, target.parent)
    write_whole(target, page.page(store, command, records, has_replay).encode())
    return target


def write_replays(store: "Store", folder: Path) -> None:
    """Write a page for each match that a report lists, and report on stderr which records have none."""
    from arena.errors import ArenaError
    from arena.league.report.census import MOST_MATCHES
    from arena.league.wire import RECORDS, record_path, replay_path
    from arena.match.record_file import load

    written, refused = 0, list[str]()
    for row in islice(store.rows(), MOST_MATCHES):
        try:
            record = load(record_path(store.path.parent / RECORDS, row.match))
            write_html(record, replay_path(folder, row.match))
            written += 1
        except ArenaError as error:
            refused.append(one_line(str(error), SENTENCE))
    typer.echo(f"{counted(written, 'replay')} in {one_line(str(folder))}", err=True)
    if refused:
        typer.echo(f"{counted(len(refused), 'match')} without a replay. The first: {refused[0]}", err=True)
