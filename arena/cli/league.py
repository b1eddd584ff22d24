"""`arena league`: the commands that play, rate, report and check many matches from one file."""

import json
import shlex
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.building import LIMIT_S, BuildLimit, BuildOption, build_all
from arena.cli.export import KINDS, csv_text, seat_rows, write_rows
from arena.cli.league_folder import HOME, folder_of, opened, play_league, write_report
from arena.cli.parameters import AsJson, file_path
from arena.cli.progress import Count
from arena.cli.secret import CommitmentOption, Now, SecretOption, command_of, reveal_secret, verify_deals
from arena.cli.standings import plain, show_standings
from arena.cli.status import plain_status, status_lines, status_of
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.league.run import Progress

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

    A tournament file names the bots, the game and the schedule. The folder tournaments/ has some examples.
    """


# Playing


def run(
    file: Tournament,
    folder: Folder = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, max=1024, help="Worker processes. Default: as in the file."),
    ] = None,
    build: BuildOption = None,
    build_limit: BuildLimit = LIMIT_S,
) -> None:
    """Play the missing matches of a league.

    Run the same command again to continue: Ctrl-C, a crash or a power cut lose only the matches that were being played.
    Exit code 1 means that some matches could not be played.
    """
    from arena.league import results
    from arena.league.store import open_store
    from arena.league.tournament import read_tournament

    tournament = read_tournament(file)
    if build_all(tournament.entries, build, build_limit):
        tournament = read_tournament(file)
    tournament = replace(tournament, workers=workers or tournament.workers)
    place = folder or HOME / tournament.name
    progress = play_league(tournament, place, f"Continue:  {_command('run', file, folder)}")
    typer.echo(_summary(progress) + ("; without a sandbox" if tournament.sandbox == "none" else ""), err=True)
    with open_store(place) as store:
        show_standings(store, results.table(store))
    typer.echo(f"\nAs a web page:  {_command('report', file, folder)}", err=True)
    raise typer.Exit(1 if progress.given_up else 0)


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
    typer.echo(json.dumps(plain_status(facts), indent=2) if as_json else "\n".join(status_lines(facts)))


def standings(
    path: League,
    folder: Folder = None,
    as_json: AsJson = False,
    seats: Annotated[int | None, typer.Option(metavar="NUMBER", help="Count only tables of this size.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Rank the bots, with 95 % intervals.

    Bots whose ranks overlap are not separated: more matches may reverse their order. docs/ratings.md explains the
    numbers.
    """

    from arena.league import results

    with opened(path, folder) as store:
        sizes = store.sizes()
        if seats is not None and seats not in sizes:
            listed = ", ".join(map(str, sizes)) or "none yet"
            raise typer.BadParameter(f"--seats {seats}: no table of this size was played. Sizes: {listed}.")
        found = results.table(store, seats=seats)
        if as_json:
            typer.echo(json.dumps([plain(standing) for standing in found], indent=2))
        elif as_csv:
            rows = [plain(standing) for standing in found]
            typer.echo(csv_text([{**row, "not_separated": " ".join(row["not_separated"])} for row in rows]), nl=False)
        else:
            show_standings(store, found, seats)


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
) -> None:
    """Write a league's report: one HTML file that needs nothing else."""
    place = folder_of(path, folder)
    file = Path("FILE") if path.is_dir() else path
    command = _command("run", file, place if path.is_dir() else folder)
    with opened(path, place) as store:
        typer.echo(write_report(store, output or place / "report.html", command))


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
    if output is not None and output.suffix not in KINDS:
        raise typer.BadParameter(f"{output}: name it *.csv, *.json or *.parquet")
    with opened(path, folder) as store:
        rows = seat_rows(store)
    if output is None:
        typer.echo(csv_text(rows), nl=False)
    else:
        write_rows(rows, output)


def merge(
    into: Annotated[Path, typer.Argument(metavar="INTO", parser=file_path, help="A league: its file or its folder.")],
    others: Annotated[
        list[Path], typer.Argument(metavar="FOLDER", parser=file_path, help="Other runs of the same league.")
    ],
) -> None:
    """Add the results of other runs of the same league.

    A match that both have played counts once. Each result is first checked against its record, which must exist, verify
    and give this result. If one check fails, nothing is added. Records are copied.
    """
    from arena.league import evidence

    for other in others:
        here, there = (folder_of(path, None) if path.is_file() else path for path in (into, other))
        with Count(f"checking {one_line(str(other))}") as count:
            new = evidence.merge_folders(here, there, count.show)
        typer.echo(f"{one_line(str(other))}: {counted(new, 'new match')}", err=True)


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


def reveal(path: League, folder: Folder = None, now: Now = False) -> None:
    """Publish a league's secret, which its deals follow from.

    The league must be over, unless you say --now. The secret fits the commitment that was shown at the start, so anyone
    can check that no deal was chosen. From then on the report also shows the secret.
    """
    with opened(path, folder) as store:
        reveal_secret(store, now, command_of(store.path.parent))


def audit(
    path: League, folder: Folder = None, secret: SecretOption = None, commitment: CommitmentOption = None
) -> None:
    """Check a league's deals against its published secret.

    Reports the first match whose deal, seats or id do not follow from it; the exit code is then 1. `arena league
    verify` checks whether the records prove the results.
    """
    with opened(path, folder) as store:
        verify_deals(store, secret, commitment)
