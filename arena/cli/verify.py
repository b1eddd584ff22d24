"""`arena verify`: check records against the rules."""

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.parameters import AsJson, file_path
from arena.texts import counted, one_line
from arena.texts import path as shown

if TYPE_CHECKING:
    from arena.match.record import MatchRecord


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", parser=file_path, help="Records, *.match.jsonl.gz.")],
    parent: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=file_path, help="Also check that each FILE is a branch of this record (whatif)."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay recorded matches, and check them against the rules.

    Reports the first step of each match that does not follow from the rules. Exit code 1 if there is one.
    """
    from arena.errors import RecordError
    from arena.match.record_file import load

    for path in files:
        if os.path.isdir(path):  # False for a name that is too long
            league = path.parent if path.name == "records" else path
            raise typer.BadParameter(
                f"{shown(path)}: this is a folder. For all results of a league: arena league verify "
                f"{shlex.quote(str(league))}; for some records, name their files."
            )
    found = []
    origin = None if parent is None else load(parent)
    for path in files:
        try:
            record = load(path)
            steps, reason = len(record.steps), _wrong(record, origin)
        except RecordError as error:
            steps, reason = 0, str(error).removeprefix(f"{path}: ").removeprefix(f"{shown(path)}: ")
        found.append({"file": str(path), "ok": reason is None, "steps": steps, "reason": reason})
        if not as_json:
            words = f"ok, {counted(steps, 'step')}" if reason is None else one_line(reason)
            typer.echo(f"{shown(path)}: {words}")
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    raise typer.Exit(0 if all(one["ok"] for one in found) else 1)


def _wrong(record: "MatchRecord", parent: "MatchRecord | None") -> str | None:
    """Why a record is not true, or not a branch of the parent, if there is one."""
    from arena.replay.verify import verify as check
    from arena.replay.whatif import check_parent

    divergence = check(record)
    if divergence is not None:
        return str(divergence)
    return None if parent is None else check_parent(record, parent)
