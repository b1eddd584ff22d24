"""`arena stderr`: what bots wrote to stderr in a recorded match."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.output import newest_record
from arena.cli.parameters import AsJson, NewestOrFile
from arena.texts import counted, one_line, safe

if TYPE_CHECKING:
    from arena.match.record import MatchRecord


def stderr(
    file: NewestOrFile = None,
    seat: Annotated[int | None, typer.Option(metavar="SEAT", help="Only this seat, and without a title.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print what the bots of a recorded match wrote to stderr.

    A record keeps the beginning and the end of each bot's stderr. `arena trace` shows stderr between the messages.
    """
    from arena.match.record_file import load

    record = load(file or newest_record())
    seats = range(len(record.header.players))
    if seat is not None and seat not in seats:
        raise typer.BadParameter(f"--seat {seat}: this match has seats 0 to {seats[-1]}")
    chosen = seats if seat is None else [seat]
    if as_json:
        typer.echo(json.dumps([_plain(record, one) for one in chosen], indent=2))
        return
    for one in chosen:
        for line in stderr_lines(record, one)[0 if seat is None else 1 :]:
            typer.echo(line)


def stderr_lines(record: "MatchRecord", seat: int) -> list[str]:
    """A title, and the stderr of a seat, as it can be shown."""
    who = f"{one_line(record.header.players[seat].name)} (seat {seat})"
    accounts = record.verdict.accounts
    if not accounts or not accounts[seat].stderr:
        return [f"{who} wrote nothing to stderr."]
    account = accounts[seat]
    kept = len(account.stderr.encode())
    cut = f", of which {kept:,} are kept" if account.stderr_bytes > kept else ""
    title = f"stderr of {who}, {counted(account.stderr_bytes, 'byte')}{cut}:"
    return [title, *(f"  {safe(line)}" for line in account.stderr.splitlines())]


def _plain(record: "MatchRecord", seat: int) -> dict[str, object]:
    accounts = record.verdict.accounts
    account = accounts[seat] if accounts else None
    return {
        "seat": seat,
        "bot": record.header.players[seat].name,
        "bytes": account.stderr_bytes if account else 0,
        "stderr": account.stderr if account else "",
    }
