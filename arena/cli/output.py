"""Where the record of a match goes: `-o FILE`, or a new file in the folder `matches` here."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from arena.match.record import MatchRecord


MATCHES = Path("matches")
"""The folder of records that have no other place."""


def newest_record() -> Path:
    """The record that was written last, of those in MATCHES and here."""
    found = [path for folder in (MATCHES, Path()) for path in folder.glob("*.match.jsonl.gz") if path.is_file()]
    if not found:
        raise typer.BadParameter(
            f"there is no record in {MATCHES}/ or here. Name a FILE, or play a match: `arena play`."
        )
    return max(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def check_place(output: Path | None) -> None:
    """Make the folder for a record. BadParameter, before the match starts, if no record can be written there."""
    path = output or MATCHES / "new.match.jsonl.gz"
    try:
        if output is not None and os.path.lexists(path):
            raise typer.BadParameter(f"{path}: this {_hindrance(path)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        where = path if output else f"{MATCHES} in this directory"
        way_out = "" if output else ". Use -o FILE, or --no-record."
        raise typer.BadParameter(f"{where}: a record cannot be written there: {error.strerror}{way_out}") from None


def _hindrance(path: Path) -> str:
    """What is there already, and the way out."""
    if path.is_dir():
        return "is a directory. Name a file."
    if path.is_file() or path.is_symlink():
        return "file already exists. Name another, or remove it."
    return "is not an ordinary file. To keep no record, use --no-record."


def keep(record: "MatchRecord", output: Path | None) -> "MatchRecord":
    """Write the record to this file, or to a new one in MATCHES."""
    from arena.match.record_file import fresh_path

    if output is not None:
        return _saved(record, output)
    MATCHES.mkdir(exist_ok=True)
    path = fresh_path(MATCHES, record.header)
    try:
        return _saved(record, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _saved(record: "MatchRecord", path: Path) -> "MatchRecord":
    """An error names the file that was asked for, not the temporary one."""
    from arena.match.record_file import save

    try:
        return save(record, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
