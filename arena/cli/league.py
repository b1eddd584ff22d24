"""`arena league`: the commands that play, rate, report and check many matches from one file."""

import json
import os
import shlex
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.building import LIMIT_S, BuildLimit, BuildOption, build_all
from arena.cli.cluster import ClusterOption, hired, workers_at
from arena.cli.league_folder import HOME, folder_of, opened, plain_run, play_league, write_replays, write_report
from arena.cli.parameters import AsJson, file_path
from arena.cli.progress import Count
from arena.cli.secret import CommitmentOption, Now, SecretOption, command_of, reveal_secret, verify_deals
from arena.cli.standings import plain_standings, reigns_of, show_reigns, show_standings, versions_of
from arena.cli.status import plain_status, status_lines, status_of
from arena.cli.terminal import fitting
from arena.errors import StoreError
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.run import Progress
    from arena.league.tournament import Tournament as TournamentFile

Tournament = Annotated[Path, typer.Argument(metavar="FILE", parser=file_path, help="A tournament file, *.toml.")]
League = Annotated[
    Path,
    typer.Argument(metavar="LEAGUE", parser=file_path, help="A tournament file, or the folder of a league's results."),
]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", parser=file_path, help="Folder of the results. Default: leagues/NAME."),
]


def league() -> None:
    """Play many matches, and rank the bots.

    A tournament file names the bots, the game and the schedule. `arena docs leagues` explains it, and
    `arena league new FILE BOT...` writes one.
    """


# Playing


def run(
    file: Tournament,
    folder: Folder = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, max=1024, help="Worker processes. Default: as in the file."),
    ] = None,
    cluster: ClusterOption = None,
    build: BuildOption = None,
    build_limit: BuildLimit = LIMIT_S,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Play only share I of N of what is missing, into a folder of its own; `merge` brings shares together.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Play nothing; show how many matches are missing, and how long they take.")
    ] = False,
    forever: Annotated[
        bool,
        typer.Option("--forever", help="Go on after the plan, and take in changes of FILE as they come. Stop: Ctrl-C."),
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Begin without bots that do not get through their trial match.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play the missing matches of a league.

    Run the same command again to continue: Ctrl-C, a crash or a power cut lose only the matches that were being played.
    Exit code 1 means that some matches could not be played.
    """
    from arena.cli.shares import begin_for_share, share_folder, share_of, show_missing
    from arena.league import results
    from arena.league.run import Manner
    from arena.league.store import open_store

    place_of_workers = workers_at(cluster, workers)
    tournament = _read(file, folder)
    if build_all(tournament.entries, build, build_limit):
        tournament = _read(file, folder)
    tournament = replace(tournament, workers=workers or tournament.workers)
    base = folder or HOME / tournament.name
    if dry_run:
        show_missing(tournament, base)
        return
    share = share_of(shard, HOME / tournament.name) if shard else None
    place = folder or share_folder(base, share) if share else base
    if share:
        begin_for_share(tournament, share.base)
    hire = hired(place_of_workers, tournament)
    way = Manner(share=share, keep_going=keep_going, forever=forever, hire=hire)
    again = _command("run", file, folder) + (f" --cluster {cluster}" if cluster else "")
    progress = play_league(tournament, place, f"Continue:  {again}", way)
    typer.echo(_summary(progress) + ("; without a sandbox" if tournament.sandbox == "none" else ""), err=True)
    if share:
        typer.echo(f"Bring the shares together:  arena league merge {share.base} {place}", err=True)
        raise typer.Exit(1 if progress.given_up else 0)
    with open_store(place) as store:
        if as_json:
            typer.echo(json.dumps(plain_run(progress, place, plain_standings(store)), indent=2))
            raise typer.Exit(1 if progress.given_up else 0)
        show_standings(store, results.table(store))
    typer.echo(f"\nAs a web page:  {_command('report', file, folder)}", err=True)
    raise typer.Exit(1 if progress.given_up else 0)


def _read(file: Path, folder: Path | None) -> "TournamentFile":
    """The tournament of a file. A league that has begun has copies of its bots, so their files may be missing."""
    from arena.league.beginning import reread
    from arena.league.store import FILE
    from arena.league.tournament import read_tournament

    if not os.path.isfile(file) or not os.path.isfile(folder_of(file, folder) / FILE):  # False for names too long
        return read_tournament(file)
    try:
        with opened(file, folder) as store:
            return reread(file, store)
    except StoreError:  # it has not begun, or the runner will say what is wrong with it
        return read_tournament(file)


def _command(name: str, file: Path, folder: Path | None) -> str:
    where = f" --folder {shlex.quote(str(folder))}" if folder else ""
    return f"arena league {name} {shlex.quote(str(file))}{where}"


def _summary(progress: "Progress") -> str:
    took = time.monotonic() - progress.began
    rate = f", {progress.rate:.1f}/s" if progress.new else ""
    text = f"{progress.done:,} of {counted(progress.total, 'match')}; {progress.new:,} now, in {took:.0f} s{rate}"
    if progress.void:
        text += f"; {counted(progress.void, 'attempt')} did not count"
    return f"{text}; stopped, because {progress.stopped}" if progress.stopped else text


# Looking


def status(path: League, folder: Folder = None, as_json: AsJson = False) -> None:
    """Show how far a league is."""
    with opened(path, folder) as store:
        facts = status_of(store)
    if as_json:
        typer.echo(json.dumps(plain_status(facts), indent=2))
    else:
        typer.echo("\n".join(fitting(status_lines(facts), sys.stdout)))


def standings(
    path: League,
    folder: Folder = None,
    as_json: AsJson = False,
    seats: Annotated[int | None, typer.Option(metavar="NUMBER", help="Count only tables of this size.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="Also older versions of bots, and bots that have retired.")
    ] = False,
) -> None:
    """Rank the bots, with 95 % intervals.

    Bots whose ranks overlap are not separated: more matches may reverse their order. `arena docs ratings` explains
    the numbers.
    """

    from arena.league import results
    from arena.league.standings import plain

    with opened(path, folder) as store:
        sizes = store.sizes()
        if seats is not None and seats not in sizes:
            listed = ", ".join(map(str, sizes)) or "none yet"
            raise typer.BadParameter(f"--seats {seats}: no table of this size was played. Sizes: {listed}.")
        found = results.all_versions(store, seats) if all_ else results.table(store, seats=seats)
        versions = versions_of(store)
        if as_json:
            reigns = reigns_of(store) if all_ else {}
            times = [{"reigns": reigns[one.bot]} if one.bot in reigns else {} for one in found]
            typer.echo(json.dumps([plain(one, versions) | more for one, more in zip(found, times)], indent=2))
        elif as_csv:
            from arena.league.seat_rows import csv_texts

            named = [(one, " ".join(one.not_separated)) for one in found]
            rows = [{**plain(one, versions), "rank": one.rank, "not_separated": names} for one, names in named]
            typer.echo("".join(csv_texts(rows, list(rows[0]))) if rows else "", nl=False)
        else:
            show_standings(store, found, seats)
            if all_:
                show_reigns(store, found)


def report(
    path: League,
    folder: Folder = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            parser=file_path,
            help="Default: report.html in the folder of the results.",
        ),
    ] = None,
    replays: Annotated[
        bool, typer.Option("--replays", help="Also write a page for each match that the report lists, in replays/.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a league's report: one HTML file that needs nothing else.

    With --replays each match of its list, at most 200, becomes a page in replays/ beside the report, with a link.
    """
    place = folder_of(path, folder)
    file = Path("FILE") if path.is_dir() else path
    command = _command("run", file, place if path.is_dir() else folder)
    with opened(path, place) as store:
        target = output or place / "report.html"
        if replays:
            from arena.league.wire import REPLAYS

            write_replays(store, target.parent / REPLAYS)
        written = str(write_report(store, target, command))
        typer.echo(json.dumps({"report": written}, indent=2) if as_json else written)


def export(
    path: League,
    folder: Folder = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            parser=file_path,
            help="A *.csv, *.json or *.parquet file. Default: CSV to stdout.",
        ),
    ] = None,
) -> None:
    """Write all results, one row per seat."""
    from arena.cli.export import WRITERS, write_rows
    from arena.league.seat_rows import csv_texts, seat_rows

    if output is not None and output.suffix not in WRITERS:
        raise typer.BadParameter(f"{output}: name it *.csv, *.json or *.parquet")
    with opened(path, folder) as store:
        if output is not None:
            write_rows(seat_rows(store), output)
            return
        for text in csv_texts(seat_rows(store)):
            typer.echo(text, nl=False)


def merge(
    into: Annotated[Path, typer.Argument(metavar="INTO", parser=file_path, help="A league: its file or its folder.")],
    others: Annotated[
        list[Path], typer.Argument(metavar="FOLDER", parser=file_path, help="Other runs of the same league.")
    ],
    as_json: AsJson = False,
) -> None:
    """Add the results of other runs of the same league.

    A match that both have played counts once. Each result is first checked against its record, which must exist, verify
    and give this result. If one check fails, nothing is added. Records are copied.
    """
    from arena.league import evidence

    added: dict[str, int] = {}
    for other in others:
        here, there = (folder_of(path, None) if path.is_file() else path for path in (into, other))
        with Count(f"checking {one_line(str(other))}") as count:
            new = evidence.merge_folders(here, there, count.show)
        added[str(other)] = new
        typer.echo(f"{one_line(str(other))}: {counted(new, 'new match')}", err=True)
    if as_json:
        typer.echo(json.dumps({"new": added}, indent=2))


def verify(path: League, folder: Folder = None, as_json: AsJson = False) -> None:
    """Check all results of a league against their records.

    Each record must exist, verify, and give the result that counts. Exit code 1 if one does not.
    """
    from arena.league import evidence

    with opened(path, folder) as store, Count("checking") as count:
        results = store.count()
        found = [asdict(one) for one in evidence.verify_league(store, count.show)]
    if as_json:
        typer.echo(json.dumps({"results": results, "not_proved": found}, indent=2))
    else:
        for one in found:
            typer.echo(f"{one['match']}: {one_line(one['reason'])}")
        are = "is proved by its record" if results == 1 else "are proved by their records"
        typer.echo(f"{results - len(found):,} of {counted(results, 'result')} {are}")
    raise typer.Exit(1 if found else 0)


# Checking it


def reveal(path: League, folder: Folder = None, now: Now = False, as_json: AsJson = False) -> None:
    """Publish a league's secret, which its deals follow from.

    The league must be over, unless you say --now. The secret fits the commitment that was shown at the start, so anyone
    can check that no deal was chosen. From then on the report also shows the secret.
    """
    with opened(path, folder) as store:
        reveal_secret(store, now, command_of(store.path.parent), as_json)


def audit(
    path: League,
    folder: Folder = None,
    secret: SecretOption = None,
    commitment: CommitmentOption = None,
    as_json: AsJson = False,
) -> None:
    """Check a league's deals against its published secret.

    Reports the first match whose deal, seats or id do not follow from it; the exit code is then 1. `arena league
    verify` checks whether the records prove the results.
    """
    with opened(path, folder) as store:
        verify_deals(store, secret, commitment, as_json)
