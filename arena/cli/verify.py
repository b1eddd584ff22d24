"""`arena verify`: check records against the rules."""

import json
import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.parameters import AsJson, file_path
from arena.texts import counted, one_line
from arena.texts import path as shown


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", parser=file_path, help="Records, *.match.jsonl.gz.")],
    as_json: AsJson = False,
) -> None:
    """Replay recorded matches, and check them against the rules.

    Reports the first step of each match that does not follow from the rules. Exit code 1 if there is one.
    """
    from arena.errors import RecordError
    from arena.match.record_file import load
    from arena.replay.verify import verify as check

    for path in files:
        if os.path.isdir(path):  # False for a name that is too long
            raise typer.BadParameter(
                f"{shown(path)}: this is a folder. For all results of a league: arena league verify "
                f"{shlex.quote(str(path))}; for some records, name their files."
            )
    found = []
    for path in files:
        try:
            record = load(path)
            divergence = check(record)
            steps, reason = len(record.steps), None if divergence is None else str(divergence)
        except RecordError as error:
            steps, reason = 0, str(error).removeprefix(f"{path}: ").removeprefix(f"{shown(path)}: ")
        found.append({"file": str(path), "ok": reason is None, "steps": steps, "reason": reason})
        if not as_json:
            words = f"ok, {counted(steps, 'step')}" if reason is None else one_line(reason)
            typer.echo(f"{shown(path)}: {words}")
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    raise typer.Exit(0 if all(one["ok"] for one in found) else 1)
