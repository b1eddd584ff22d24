"""Where the record of a match goes: `-o FILE`, or a new file here."""

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from arena.match.record import MatchRecord


def check_place(output: Path | None) -> None:
    """Make the folder for a record. BadParameter, before the match starts, if no record can be written there."""
    path = output or Path("new.match.jsonl.gz")
    try:
        if output is not None and (path.is_symlink() or (path.exists() and not path.is_file())):
            kind = "a directory" if path.is_dir() else "not an ordinary file"
            raise typer.BadParameter(f"{path}: this is {kind}, and a record cannot replace it")
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        where = path if output else "this directory"
        raise typer.BadParameter(f"{where}: a record cannot be written there: {error.strerror}") from None


def keep(record: "MatchRecord", output: Path | None) -> "MatchRecord":
    """Write the record to this file, or to a new one in the current directory."""
    from arena.match.record_file import fresh_path

    if output is not None:
        return _saved(record, output)
    path = fresh_path(Path(), record.header)
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
