"""`arena league list`: which leagues there are, and how far they are."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.league_folder import HOME
from arena.cli.parameters import AsJson, file_path
from arena.cli.tables import table
from arena.errors import SettingError, StoreError
from arena.texts import counted, one_line
from arena.texts import path as shown

if TYPE_CHECKING:
    from arena.league.store import Store

Leagues = Annotated[
    Path, typer.Argument(metavar="FOLDER", parser=file_path, help="A folder of leagues. Default: leagues.")
]
MOST_BOTS = 3
"""With more bots, the list has their number."""


@dataclass(frozen=True, slots=True)
class ListedLeague:
    """A league in the list."""

    folder: str
    kind: str
    game: str
    bots: list[str]
    matches: int
    planned: int
    state: str
    """running, complete, stopped, or why it cannot be read."""
    last: int | None = None
    """When it was last played, in seconds since 1970."""


def list_leagues(folder: Leagues = HOME, as_json: AsJson = False) -> None:
    """List the leagues, duels and placements of a folder.

    Each with its game, its bots, how many matches are played, and whether it is running, complete or stopped.
    """
    from arena.league.store import FILE

    if not os.path.isdir(folder):  # False for a name that is too long
        raise SettingError(f"{shown(folder)}: there is no such folder. `arena league run FILE` makes leagues/.")
    found = [_listed(path.parent) for path in sorted(folder.glob(f"*/{FILE}"))]
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], indent=2))
    elif found:
        rows = [_row(one) for one in found]
        typer.echo(table(rows, ["league", "kind", "game", "bots", "matches", "state", "last played, UTC"], names=0))
    else:
        typer.echo(f"{shown(folder)}: there are no leagues.", err=True)


def _listed(folder: Path) -> ListedLeague:
    from arena.league.store import open_store

    try:
        with open_store(folder) as store:
            return _facts(folder, store)
    except StoreError as error:
        return ListedLeague(folder.name, "", "", [], 0, 0, str(error).removeprefix(f"{folder}: "))


def _facts(folder: Path, store: "Store") -> ListedLeague:
    from arena.league.heartbeat import runs_of, state_of

    settings, matches = store.settings(), store.count_now()
    kind, *_ = settings["schedule"]
    bots = settings.get("challengers") if kind in ("duel", "placing") else None
    state, runs = state_of(store), runs_of(settings)
    return ListedLeague(
        folder.name, kind, settings["game"], list(bots or settings["order"]), matches, settings["planned"], state,
        None if runs is None else runs.seen,
    )  # fmt: skip


def _row(one: ListedLeague) -> list[str]:
    names = [one_line(bot) for bot in one.bots]
    bots = " against ".join(names) if one.kind == "duel" else ", ".join(names)
    if len(names) > MOST_BOTS:
        bots = counted(len(names), "bot")
    played = f"{one.matches:,}/{one.planned:,}"
    kind = one_line(one.kind).replace("_", " ")
    return [
        one.folder,
        kind,
        one_line(one.game),
        bots,
        played,
        one_line(one.state),
        "" if one.last is None else moment(one.last),
    ]


def moment(seconds: int) -> str:
    """A time in UTC, to the minute."""
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
