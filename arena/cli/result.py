"""The end of a match as people see it: boards, scores, times, faults, and where the record is."""

import shlex
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.exits import Exit
from arena.cli.film import final_stderr
from arena.cli.paragraphs import by_name
from arena.cli.tables import outcome_table, table
from arena.cli.terminal import fitting, painter
from arena.texts import SHOWN, one_line, safe
from arena.words.lines import wrapped
from engine.contract import Paint, plain

if TYPE_CHECKING:
    from arena.match.record import MatchRecord

LEAST_US = 100
"""Times below this are not shown in figures."""
GUESSED = 2**64
"""Seeds below this can be found by trying."""


def show(record: "MatchRecord", end: Any, you: int | None = None) -> None:
    """Print the boards of the last state, scores, times and faults on stdout.

    If `you` played, boards show names instead of seats, and times and your own faults are left out.
    """
    from arena.match.faults import disqualifies
    from engine.catalogue import game as find_game

    header, verdict = record.header, record.verdict
    typer.echo(boards(record, end, you, painter()))
    typer.echo()
    typer.echo(outcome_table(find_game(header.game).tally(end), [player.name for player in header.players]))
    if you is None:
        typer.echo()
        typer.echo(result_table(record))
    for fault in (fault for fault in verdict.faults if you is None or fault.seat != you):
        who = "arena" if fault.seat is None else f"{one_line(header.players[fault.seat].name)} (seat {fault.seat})"
        at = "" if fault.decision is None else f", decision {fault.decision}"
        outcome = "disqualified, " if disqualifies(fault.kind) else ""
        typer.echo(f"\n{who}{at}: {outcome}{fault.kind}: {safe(fault.text)}")
    for line in (*stops(record, you), *final_stderr(record, you)):
        typer.echo(line)
    if verdict.void:
        typer.echo(f"\nThis match is void: {safe(verdict.void)}", err=True)


def stops(record: "MatchRecord", you: int | None = None) -> list[str]:
    """Where the bots that did not answer in time were in the conversation; `you` are not a bot."""
    late = {fault.seat for fault in record.verdict.faults if fault.kind in ("late", "not-ready")} - {you}
    lines = []
    for seat, (player, account) in enumerate(zip(record.header.players, record.verdict.accounts)):
        if seat in late and account.last_told:
            told = account.last_told
            parts = [f"{name} {told[name]}" for name in ("id", "phase") if name in told]
            message = ", ".join([str(told.get("type")), *parts])
            lines += [
                "",
                f"The last message that {one_line(player.name)} (seat {seat}) read: {one_line(message, SHOWN)}",
            ]
    return lines


def say_fixes(record: "MatchRecord", bots: Sequence[str]) -> None:
    """Print on stderr what to do about the bots that failed; `bots` are the words that the user typed for them."""
    from arena.roster.entries import built_in

    failed = {fault.seat for fault in record.verdict.faults if fault.seat is not None}
    strangers = sorted(seat for seat in failed if bots[seat] not in built_in())
    if not strangers:
        return
    for seat in strangers:
        if found := _fix(record, seat, bots[seat]):
            say_found = f"\nFix for {one_line(record.header.players[seat].name)}: {found}"
            typer.echo("\n".join(fitting(say_found.split("\n"), sys.stderr)), err=True)
    for bot in dict.fromkeys(bots[seat] for seat in strangers):
        typer.echo(f"\nExamine it:  {shlex.join(['arena', 'check', bot])}", err=True)


def _fix(record: "MatchRecord", seat: int, bot: str) -> str:
    """What to do about the bot in this seat, in the words of `arena check`; empty if only an examination can say it."""
    from arena.check.languages import guess
    from arena.check.remedies import finding_of, remedy
    from arena.match.bot import NOT_BUILT
    from arena.match.record import Status
    from arena.roster.entries import find

    faults = [fault for fault in record.verdict.faults if fault.seat == seat]
    if any(NOT_BUILT in fault.text for fault in faults):
        return ""  # the fault itself says what to do
    stderr = record.verdict.accounts[seat].stderr if record.verdict.accounts else ""
    answered = any(d.seat == seat and d.status is Status.ACCEPTED for _, _, d in record.decisions())
    finding = finding_of(faults, stderr, answered)
    output = "\n".join([*(fault.text for fault in faults), stderr])
    return remedy(finding, guess(find(bot)), output) if finding else ""


def with_lines(record: "MatchRecord", bots: Sequence[str]) -> "MatchRecord":
    """The record with lines of code in the stacks of bots that are the user's own, where they have only addresses."""
    failed = {fault.seat for fault in record.verdict.faults}
    if not failed:
        return record
    from arena.check.places import with_names
    from arena.roster.entries import find
    from arena.roster.trust import Whose, whose

    accounts = list(record.verdict.accounts)
    for seat, bot in enumerate(bots[: len(accounts)]):
        if seat in failed and whose(folder := find(bot).folder) is Whose.YOURS:
            accounts[seat] = replace(accounts[seat], stderr=with_names(accounts[seat].stderr, folder))
    return replace(record, verdict=replace(record.verdict, accounts=tuple(accounts)))


def say_who_is_open(record: "MatchRecord", sandbox: str, you: int | None = None) -> None:
    """Print on stderr which bots had no sandbox, unless the user asked for that. `you` are not a bot."""
    players = [player for seat, player in enumerate(record.header.players) if seat != you]
    say_open([player.name for player in players if player.sandbox == "none"], sandbox)


def say_open(names: Sequence[str], sandbox: str) -> None:
    """Print on stderr that these bots had no sandbox, unless the user asked for that."""
    from arena.match.tiers import said_of

    if sandbox == "auto" and names:
        typer.echo(wrapped(f"arena: {said_of(list(map(one_line, names)))}"), err=True)


def boards(record: "MatchRecord", state: Any, you: int | None = None, paint: Paint = plain) -> str:
    """The boards of a state as text, with the names of the players; `you` are called so."""
    from engine.catalogue import game as find_game

    game = find_game(record.header.game)
    drawing = game.draw(game.view(state, None), game.tally(state), paint)
    names = [one_line(player.name) for player in record.header.players]
    if you is None:
        names = [f"seat {seat} {name}" for seat, name in enumerate(names)]
    else:
        names[you] = "YOU"
    blocks = [by_name(block.split("\n"), names.__getitem__) for block in drawing.split("\n\n")]
    return "\n\n".join("\n".join(lines) for lines in blocks)


def say_where(record: "MatchRecord") -> None:
    """Print on stderr where the record is, and how to watch it."""
    seed = record.header.seed
    shown = f"seed {seed} (bots can guess one as small as this)" if abs(seed) < GUESSED else f"seed {seed}"
    if record.path is None:
        typer.echo(f"\n{shown}, not recorded", err=True)
        return
    path = shlex.quote(str(record.path))
    lines = ["", f"{shown}, recorded in {path}", f"Watch it again:  arena replay {path}"]
    typer.echo("\n".join(fitting(lines, sys.stderr)), err=True)


def say_page(page: Path) -> None:
    """Print on stderr where the page of a match is."""
    typer.echo(f"In a browser:    {shlex.quote(str(page))}", err=True)


def result_table(record: "MatchRecord") -> str:
    """A row for each player: rank, score and times."""
    verdict, rows = record.verdict, []
    for seat, player in enumerate(record.header.players):
        used = sorted(d.used_us for _, _, d in record.decisions() if d.seat == seat and d.status.is_timed)
        times = [_ms(used[min(len(used) - 1, int(len(used) * part))]) if used else "" for part in (0.5, 0.99, 1.0)]
        cpu = _ms(verdict.accounts[seat].cpu_us) if verdict.accounts else ""
        rows.append([str(verdict.ranks[seat]), player.name, str(seat), str(verdict.scores[seat])])
        rows[-1] += [str(len(used)), *times, cpu]
    rows.sort(key=lambda row: (int(row[0]), int(row[2])))
    return table(rows, ["rank", "bot", "seat", "score", "asked", "p50 ms", "p99 ms", "max ms", "CPU ms"], names=1)


def _ms(us: int) -> str:
    """Milliseconds. The delay of the referee is subtracted, so less than 0.1 is not known any better."""
    return f"{us / 1000:.2f}" if us >= LEAST_US else "<0.1"


def exit_code(record: "MatchRecord", seats: Collection[int] | None = None) -> int:
    """0 if all went well, 1 for a void match, 3 if a bot was disqualified: any bot, or one in these seats."""
    from arena.replay.moments import disqualified

    if record.verdict.void:
        return Exit.FAILURE
    out = set(disqualified(record))
    return Exit.BOT if (out if seats is None else out.intersection(seats)) else Exit.OK
