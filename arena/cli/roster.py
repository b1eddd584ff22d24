"""`arena league new|add|update|retire|history`: who plays in a league."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.league import Folder, League, Tournament
from arena.cli.league_folder import HOME, folder_of, opened
from arena.cli.parameters import AsJson
from arena.cli.tables import table
from arena.cli.terminal import say
from arena.errors import SettingError
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.admission import Difference
    from arena.league.fit import Fit
    from arena.league.lineup import Lineup, Reign

KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Leave out bots that do not get through their trial match.")
]


def new(
    file: Tournament,
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BOT]...", help="Write FILE with these bots. Without any, FILE must exist."),
    ] = None,
    game: Annotated[str, typer.Option(metavar="GAME", help="The game of a new FILE.")] = "draftosaurus",
    seats: Annotated[int, typer.Option(metavar="NUMBER", min=2, help="Seats at a table, in a new FILE.")] = 2,
    blocks: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="Blocks of a new FILE. Default: one whole cycle.")
    ] = None,
    folder: Folder = None,
    keep_going: KeepGoing = False,
    as_json: AsJson = False,
) -> None:
    """Begin a league without playing it.

    The league keeps copies of its bots, and each of them plays a trial match that does not count. `arena league run`
    begins a league too; begin it first if several machines will share it.
    """
    from arena import running
    from arena.league import run as leagues
    from arena.league.tournament import read_tournament

    if bots:
        _write_new(file, bots, game, seats, blocks)
    tournament = read_tournament(file)
    place = folder or HOME / tournament.name
    planned, remarks = running.run(lambda: leagues.begin(tournament, place, keep_going))
    for remark in remarks:
        say(one_line(remark, len(remark)))
    if as_json:
        typer.echo(json.dumps({"league": tournament.name, "folder": str(place), "planned": planned}, indent=2))
    else:
        typer.echo(f"{counted(planned, 'match')} to play, in {place}:  arena league run {file}")


def _write_new(file: Path, bots: Sequence[str], game: str, seats: int, blocks: int | None) -> None:
    import tomlkit

    from arena.files import write_whole

    if file.exists():
        raise SettingError(f"{file}: it exists already. `arena league add {file} BOT` adds a bot to it.")
    schedule = {"seats": [seats], **({} if blocks is None else {"blocks": blocks})}
    text = {"name": file.stem, "game": game, "bots": list(bots), "schedule": schedule}
    write_whole(file, tomlkit.dumps(text).encode())


def add(
    file: Tournament,
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="Bots as the file names them: folders, names.")],
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Let bots join a league, and add them to its file.

    The league keeps copies of them. Only their own matches are played then. A league that runs takes them in at once.
    """
    from arena.cli.tournament_file import edited

    with edited(file) as listed:
        before = listed.names()
        for bot in bots:
            listed.add(bot)
        new_names = [name for name in listed.names() if name not in before]
        show = _as_json if as_json else _in_words
        _update(file, folder, new_names, keep_going=False, show=show, source=listed.draft())


def update(
    file: Tournament,
    bots: Annotated[
        list[str] | None, typer.Argument(metavar="[BOT]...", help="Only these, by name. Default: all that differ.")
    ] = None,
    folder: Folder = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    keep_going: KeepGoing = False,
    as_json: AsJson = False,
) -> None:
    """Take in what has changed in a league's file and bots.

    These are new bots in the file, new files of bots, and bots that the file does not name any more. Results stay, with
    the versions that made them. What is missing for new versions is played by `arena league run`.
    """
    if dry_run:
        _show_differences(file, folder, as_json)
        return
    _update(file, folder, bots, keep_going, _as_json if as_json else _in_words)


def _show_differences(file: Path, folder: Path | None, as_json: bool) -> None:
    from arena.league.admission import differences
    from arena.league.beginning import reread

    with opened(file, folder) as store:
        found = differences(store.lineup(), reread(file, store), store.path.parent)
    if as_json:
        _as_json(file, (), found, {})
        return
    for one in found:
        typer.echo(f"{one_line(one.name)} {one_line(one.words)}: it {one.verb}")
    if not found:
        typer.echo("nothing has changed")


Show = Callable[[Path, Sequence[str], "Sequence[Difference]", Mapping[str, str]], None]
"""Prints what an update changed: the file, the bots that were named, the changes, and why bots were refused."""


def _update(
    file: Path,
    folder: Path | None,
    bots: Sequence[str] | None,
    keep_going: bool,
    show: Show,
    source: Path | None = None,
) -> None:
    from arena import running
    from arena.league import run as leagues

    place = folder_of(file, folder)
    changes, refused = running.run(lambda: leagues.update(source or file, place, bots, keep_going))
    show(file, bots or (), changes, refused)


def _as_json(_file: Path, _bots: Sequence[str], changes: "Sequence[Difference]", refused: Mapping[str, str]) -> None:
    changed = [{"bot": one.name, "change": one.verb} for one in changes]
    typer.echo(json.dumps({"changes": changed, "refused": dict(refused)}, indent=2))


def _in_words(file: Path, bots: Sequence[str], changes: "Sequence[Difference]", refused: Mapping[str, str]) -> None:
    changed = {one.name for one in changes}
    for one in changes:
        typer.echo(f"{one_line(one.name)} {one.verb}")
    for name, why in refused.items():
        say(f"{one_line(name)} did not get through its trial match: {one_line(why)}")
    for name in bots:
        if name not in changed and name not in refused:
            typer.echo(f"{one_line(name)}: nothing has changed")
    if not bots and not changes and not refused:
        typer.echo("nothing has changed")
    if any(one.entry for one in changes):
        typer.echo(f"Play what is missing:  arena league run {file}", err=True)


def retire(
    file: Tournament,
    bots: Annotated[list[str], typer.Argument(metavar="BOT...", help="Bots of the league, by name.")],
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Let bots leave a league: remove them from its file. Their results stay."""
    from arena.cli.tournament_file import edited

    with edited(file) as listed:
        for bot in bots:
            listed.remove(bot)
        show = _as_json if as_json else _in_words
        _update(file, folder, bots, keep_going=False, show=show, source=listed.draft())


def history(
    path: League,
    bot: Annotated[str | None, typer.Argument(metavar="[BOT]", help="Only this bot.")] = None,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Show all versions of a league's bots.

    Each has its rating, and how much better it is than the one before it.
    """
    from arena.league import results
    from arena.league.fit import fit

    with opened(path, folder) as store:
        lineup = store.lineup()
        names = sorted({version.name for version in lineup.versions.values()})
        if bot is not None and bot not in names:
            raise typer.BadParameter(f"{bot}: it never played in this league. Bots: {', '.join(names)}.")
        outcomes = results.outcomes_of(store, lineup.labels)
        fitted = fit(outcomes, lineup.labels.values()) if len(outcomes) else None
    rows = [row for name in ([bot] if bot else names) for row in _reigns(name, lineup, fitted)]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    else:
        headers = ["bot", "version", "files", "joined", "left", "rating", "against the one before"]
        typer.echo(table([[*map(_cell, row.values())] for row in rows], headers, names=0))


def _cell(value: Any) -> str:
    """A value of a row in the table."""
    if isinstance(value, dict):
        return f"{value['value']:+.0f} ± {value['error']:.0f}"
    return "" if value is None else f"{value:.0f}" if isinstance(value, float) else one_line(str(value))


def _reigns(name: str, lineup: "Lineup", fitted: "Fit | None") -> list[dict[str, Any]]:
    """A row for each version of a bot, oldest first."""
    rows, before = list[dict[str, Any]](), ""
    for reign in lineup.reigns(name):
        rows.append(_row(reign, lineup, fitted, before))
        before = reign.key
    return rows


def _row(reign: "Reign", lineup: "Lineup", fitted: "Fit | None", before: str) -> dict[str, Any]:
    version, label = lineup.versions[reign.key], lineup.labels[reign.key]
    return {
        "bot": version.name,
        "version": version.version,
        "files": version.digest[:8],
        "joined": reign.joined[:10],
        "left": reign.left and reign.left[:10],
        "rating": round(fitted.rating(label).value, 1) if fitted else None,
        "change": _change(fitted, label, lineup.labels[before]) if fitted and before else None,
    }


def _change(fitted: "Fit", label: str, before: str) -> dict[str, float]:
    """How much better it is than the one before it, with the half of the 95 % interval."""
    found = fitted.difference(label, before)
    return {"value": round(found.value, 1), "error": round((found.high - found.low) / 2, 1)}
