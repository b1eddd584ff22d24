"""`arena whatif`: play on from any step of a recorded match."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.building import LIMIT_S, BuildLimit, BuildOption, build_all, name_unbuilt
from arena.cli.human import check_name, sit_down
from arena.cli.parameters import AsJson, RecordFile, Sandbox, SeedOption, file_path, milliseconds
from arena.cli.play import plain_result, play_and_save
from arena.cli.result import exit_code, say_where, say_who_is_open, show
from arena.cli.series import MOST_MATCHES, play_all, series_code
from arena.cli.tables import table
from arena.texts import counted, one_line
from arena.texts import path as shown
from arena.words.lines import wrapped

if TYPE_CHECKING:
    from arena.match.clock import TimeControl
    from arena.match.play import MatchSetup
    from arena.match.record import Cards, MatchRecord
    from arena.replay.whatif import BranchPoint
    from arena.roster.entries import Entry


def whatif(
    file: RecordFile,
    step: Annotated[int | None, typer.Option(metavar="NUMBER", help="Play on after this step; 0 is the start.")] = None,
    decision: Annotated[int | None, typer.Option(metavar="NUMBER", help="Play on after this decision.")] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=BOT", help="The bot of a seat, such as 2=./my-bot. Can be repeated. Default: as recorded."
        ),
    ] = None,
    seat: Annotated[int | None, typer.Option(metavar="SEAT", help="Take this seat yourself.")] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="Your name in the record.")] = "human",
    cards: Annotated[
        str,
        typer.Option(
            metavar="CARDS", help="Hidden cards: open, as recorded; or a seat, drawn again from what it could know."
        ),
    ] = "open",
    times: Annotated[int, typer.Option(metavar="COUNT", min=1, max=MOST_MATCHES, help="Play it this often.")] = 1,
    seed: SeedOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            parser=file_path,
            help="File for the record; with --times a folder for all of them, and without it they are not kept.",
        ),
    ] = None,
    bank_ms: Annotated[
        int | None,
        typer.Option(metavar="MS", min=0, callback=milliseconds, help="Time of each bot. Default: what it had left."),
    ] = None,
    increment_ms: Annotated[
        int | None,
        typer.Option(metavar="MS", min=0, callback=milliseconds, help="Time for each decision. Default: as recorded."),
    ] = None,
    build: BuildOption = None,
    build_limit: BuildLimit = LIMIT_S,
    sandbox: Sandbox = "auto",
    as_json: AsJson = False,
) -> None:
    """Play on from any step of a recorded match.

    Other bots can play, the recorded ones, or you. Choose where: --step or --decision, the moment after it, as in
    `arena replay`. To change a decision, name the step before it. Seats without a --bot are played by the recorded
    bots, if they are built in or in a folder here.

    The new record cites its parent. With --times the runs have the seeds from --seed on, and a table shows what came
    of them. Exit code 3 means that a bot was disqualified, 1 that a match is void.
    """
    if seat is not None and times > 1:
        raise typer.BadParameter("--times is for bots; to play yourself again, run the command again")
    if seat is not None and as_json:
        raise typer.BadParameter("--json is for bots; leave it out to play yourself")
    check_name(name)
    point = _point(file, step, decision)
    chosen = _cards(point, cards)
    entries = _entries(point, bot or [], seat, name)
    built = [entry for other, entry in enumerate(entries) if other != seat]
    if build_all(built, build, build_limit):
        entries = _entries(point, bot or [], seat, name)
    else:
        name_unbuilt(built)
    setup = point.setup(entries, chosen, seed, _clocks(point, seat, bank_ms, increment_ms), sandbox)
    _announce(point, chosen)
    if seat is not None:
        sit_down(setup, seat, output)
    if times == 1:
        _play_once(file, setup, output, as_json)
    _play_often(point, setup, times, output, as_json)


# What the command line says


def _point(file: Path, step: int | None, decision: int | None) -> "BranchPoint":
    from arena.errors import RecordError, SettingError
    from arena.match.record_file import load
    from arena.replay.whatif import branch_point

    if (step is None) == (decision is None):
        raise typer.BadParameter("choose where to play on: --step NUMBER or --decision NUMBER")
    record = load(file)
    word, number = ("--step", step) if decision is None else ("--decision", decision)
    at = step if decision is None else _after(record, decision)
    assert at is not None
    try:
        return branch_point(record, at)
    except SettingError as error:
        raise typer.BadParameter(f"{word} {number}: {error}") from None
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from None


def _after(record: "MatchRecord", decision: int) -> int:
    """The step in which a decision was made."""
    found = {number: index + 1 for number, index, _ in record.decisions()}
    if decision not in found:
        extent = f"this match has decisions 1 to {len(found)}" if found else "this match has no decisions"
        raise typer.BadParameter(f"--decision {decision}: {extent}")
    return found[decision]


def _cards(point: "BranchPoint", text: str) -> "Cards":
    from arena.match.record import OPEN

    seats = [str(seat) for seat in range(len(point.record.header.players))]
    if text != OPEN and text not in seats:
        raise typer.BadParameter(f"--cards {one_line(text, 40)}: expected {OPEN}, or a seat: {', '.join(seats)}")
    return OPEN if text == OPEN else int(text)


def _entries(point: "BranchPoint", words: Sequence[str], you: int | None, name: str) -> "list[Entry]":
    """The player of each seat: you, the bot that is named for it, or the recorded one."""
    from arena.match import person
    from arena.roster.entries import find

    players = point.record.header.players
    named = _named(words, len(players))
    if you is not None:
        if you not in range(len(players)):
            raise typer.BadParameter(f"--seat {you}: this match has seats 0 to {len(players) - 1}")
        if you in named:
            raise typer.BadParameter(f"--seat {you}: --bot {you}={one_line(named[you], 40)} has this seat, too")
    found = []
    for seat in range(len(players)):
        if seat == you:
            found.append(person.entry(name))
        else:
            found.append(find(named[seat]) if seat in named else _recorded(point, seat))
    return found


def _named(words: Sequence[str], seats: int) -> dict[int, str]:
    """2=./my-bot -> {2: "./my-bot"}."""
    named: dict[int, str] = {}
    for word in words:
        seat, equals, bot = word.partition("=")
        if not equals or seat not in map(str, range(seats)):
            example = f"such as {seats - 1}=greedy; this match has seats 0 to {seats - 1}"
            raise typer.BadParameter(f"--bot {one_line(word, 40)}: expected SEAT=BOT, {example}")
        if int(seat) in named:
            raise typer.BadParameter(f"--bot: seat {seat} is named twice")
        named[int(seat)] = bot
    return named


def _recorded(point: "BranchPoint", seat: int) -> "Entry":
    from arena.replay.whatif import entry_of, has_changed

    player = point.record.header.players[seat]
    entry, who = entry_of(player), f"{one_line(player.name)} (seat {seat})"
    if entry is None:
        raise typer.BadParameter(
            f"{who} is neither a built-in bot nor a bot in a folder here. Name a bot: --bot {seat}=BOT, or take the "
            f"seat: --seat {seat}"
        )
    if has_changed(player, entry):
        typer.echo(f"arena: {who} has changed since this match; the bot of today plays.", err=True)
    return entry


def _clocks(
    point: "BranchPoint", you: int | None, bank_ms: int | None, increment_ms: int | None
) -> "list[TimeControl]":
    """What each seat has left, unless the command line says otherwise."""
    from arena.match import person

    clocks = list(point.clocks)
    if bank_ms is not None:
        clocks = [replace(clock, bank_ms=bank_ms) for clock in clocks]
    if increment_ms is not None:
        clocks = [replace(clock, increment_ms=increment_ms) for clock in clocks]
    if you is not None:
        clocks[you] = person.CLOCK
    return clocks


# What is shown


def _announce(point: "BranchPoint", cards: "Cards") -> None:
    """Print on stderr where the match goes on, how it stood there and ended, and how hidden cards are chosen."""
    from arena.match.record import OPEN
    from engine.contract import spoken

    header, verdict = point.record.header, point.record.verdict
    there, phase = point.game.tally(point.state).scores, point.game.public(point.state)["phase"]
    ended = f"it ended {_scores(verdict.scores)}" if verdict.void is None else "it was void"
    where = f"After step {point.step} of {len(point.record.steps)} of {one_line(header.match)}: {phase}"
    typer.echo(wrapped(f"{where}, next {spoken(point.to_act)}"), err=True)
    typer.echo(wrapped(f"It stood {_scores(there)} there, and {ended}."), err=True)
    drawn = f"Hidden cards are drawn again from what seat {cards} could know."
    typer.echo(f"{'Open cards: what is hidden is as recorded.' if cards == OPEN else drawn}\n", err=True)


def _scores(scores: Sequence[int]) -> str:
    return " : ".join(map(str, scores))


def _play_once(file: Path, setup: "MatchSetup", output: Path | None, as_json: bool) -> None:
    record, end = play_and_save(setup, output)
    if as_json:
        typer.echo(json.dumps(_plain(record), indent=2))
    else:
        show(record, end)
        say_where(record)
        words = ["arena", "verify", str(record.path), "--parent", str(file)]
        typer.echo(f"Check it:        {shlex.join(words)}", err=True)
    say_who_is_open(record, setup.sandbox)
    raise typer.Exit(exit_code(record))


def _play_often(point: "BranchPoint", setup: "MatchSetup", times: int, folder: Path | None, as_json: bool) -> None:
    records = play_all(_runs(point, setup, times), folder)
    if as_json:
        typer.echo(json.dumps([_plain(record) for record in records], indent=2))
    else:
        typer.echo(summary_table(point.record, records))
        void = sum(record.verdict.void is not None for record in records)
        void_words = f" {void} of them void, which count for nothing." if void else ""
        typer.echo(f"\n{counted(times, 'run')}, seeds {setup.seed} to {_last(setup, times)}.{void_words}")
        kept = "recorded in " + shown(folder) if folder else "not kept: -o FOLDER keeps the records"
        typer.echo(f"They are {kept}. Play one again:  --seed {setup.seed}", err=True)
    say_who_is_open(records[0], setup.sandbox)
    raise typer.Exit(series_code(records))


def _last(setup: "MatchSetup", times: int) -> int:
    assert setup.seed is not None
    return setup.seed + times - 1


def _runs(point: "BranchPoint", setup: "MatchSetup", times: int) -> "list[MatchSetup]":
    """All runs, each with the next seed."""
    assert setup.seed is not None
    assert setup.parent is not None
    seeds, cards = range(setup.seed, setup.seed + times), setup.parent.cards
    return [replace(setup, seed=seed, parent=point.parent(cards, seed)) for seed in seeds]


def summary_table(parent: "MatchRecord", records: "Sequence[MatchRecord]") -> str:
    """A row for each seat: its recorded score, and wins, scores and margins of the runs."""
    from arena.replay.whatif import summary

    rows = []
    for seat, found in enumerate(summary(records)):
        count = len(found.scores)
        rows.append([str(seat), records[0].header.players[seat].name, str(parent.verdict.scores[seat])])
        if count == 0:
            rows[-1] += [""] * 6
            continue
        mean, margin = sum(found.scores) / count, sum(found.margins) / count
        rows[-1] += [str(found.wins), f"{100 * found.wins / count:.1f}", f"{mean:.1f}"]
        rows[-1] += [str(min(found.scores)), str(max(found.scores)), f"{margin:+.1f}"]
    return table(rows, ["seat", "bot", "recorded", "wins", "%", "score", "least", "most", "margin"], names=1)


def _plain(record: "MatchRecord") -> dict[str, Any]:
    """As `arena play --json`, and where the branch begins."""
    parent = record.header.parent
    assert parent is not None
    cited = {"match": parent.match, "step": parent.step, "cards": parent.cards, "position": parent.position}
    return {**plain_result(record), "record": str(record.path) if record.path else None, "parent": cited}
