"""`arena league site`: leagues as files for any web host."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.league_folder import folder_of
from arena.cli.parameters import AsJson, file_path
from arena.cli.progress import Count
from arena.errors import SettingError
from arena.texts import counted
from arena.texts import path as shown

MOST_REPLAYS = 100_000


def site(
    leagues: Annotated[
        list[Path],
        typer.Argument(
            metavar="LEAGUE...",
            parser=file_path,
            help="Tournament files, folders of leagues' results, or folders with leagues in them.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", parser=file_path, help="The folder of the site.")
    ],
    replays: Annotated[
        int,
        typer.Option(
            metavar="NUMBER",
            min=0,
            max=MOST_REPLAYS,
            help="How many matches of each league have a page, a replay and their record: the newest.",
        ),
    ] = 200,
    as_json: AsJson = False,
) -> None:
    """Write the site of leagues as files for any web host.

    The same pages as `arena serve`, without filters and updates. Links are relative: put the folder anywhere.
    """
    from arena.web.site.hall import folders_of
    from arena.web.site.written import write_site

    sources = [folder_of(one, None) for one in leagues]
    folders = [folder for source in sources for folder in folders_of(source)]
    if not folders:
        raise SettingError(f"{shown(sources[0])}: there are no leagues here. `arena league run FILE` begins one.")
    with Count("writing") as count:
        written = write_site(folders, output, replays, lambda files: count.show(files, files))
    size = f"{counted(written.files, 'file')}, {written.bytes / 1e6:.1f} MB"
    typer.echo(f"{size}; {written.replays:,} of {counted(written.matches, 'match')} have a replay", err=True)
    index = str(output / "index.html")
    typer.echo(json.dumps({"index": index, **asdict(written)}, indent=2) if as_json else index)
