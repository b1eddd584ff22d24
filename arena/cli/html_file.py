"""`--html OUT`: a replay as one HTML file."""

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.parameters import file_path
from arena.errors import RecordError

if TYPE_CHECKING:
    from arena.match.record import MatchRecord

HtmlFile = Annotated[
    Path | None,
    typer.Option("--html", metavar="OUT", parser=file_path, help="Write the match as one HTML file, for a browser."),
]


def check_html(target: Path | None) -> None:
    """Make the folder. BadParameter if no page can be written there, or another kind of file would be lost."""
    if target is None:
        return
    try:
        if target.is_symlink() or (target.exists() and not target.is_file()):
            kind = "a directory" if target.is_dir() else "not an ordinary file"
            raise typer.BadParameter(f"--html {target}: this is {kind}. Name a file, such as match.html.")
        if target.exists() and not _is_ours(target):
            raise typer.BadParameter(
                f"--html {target}: this file is there already, and is not a replay page. Remove it, or name another."
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:100]}."):
            pass
    except OSError as error:
        raise typer.BadParameter(f"--html {target}: no page can be written there: {error.strerror}") from None


def write_html(record: "MatchRecord", target: Path, seat: int | None = None) -> Path:
    """Write the page of a record, or of what only this seat could know; over an older page only."""
    from arena.files import write_whole
    from arena.web.replay_page import replay_page

    check_html(target)
    try:
        page = replay_page(record, seat)
    except RecordError as error:
        raise RecordError(f"{record.path}: {error}") from None
    write_whole(target, page)
    return target


def _is_ours(target: Path) -> bool:
    from arena.web.replay_page import HEAD

    with target.open("rb") as file:
        start = file.read(len(HEAD))
    return start in (HEAD, b"")
