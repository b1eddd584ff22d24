"""`arena ask`: what would another bot have done there?"""

import json
import shlex
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exits import Exit
from arena.cli.film import decision_lines
from arena.cli.paragraphs import stderr_lines
from arena.cli.parameters import MEMORY_MB, THREADS, AsJson, Memory, RecordFile, Sandbox, Threads, milliseconds
from arena.cli.result import say_open
from arena.cli.tables import table
from arena.cli.terminal import painter
from arena.texts import counted, one_line
from arena.words.lines import WIDTH

if TYPE_CHECKING:
    from arena.match.record import Decision, MatchRecord
    from arena.replay.ask import ComparedAnswer, Examined
    from arena.replay.moments import RecordedQuestion


def ask(
    file: RecordFile,
    bot: Annotated[
        str,
        typer.Option(metavar="BOT", help="The bot to ask: a folder with bot.toml, a built-in name, or a command line."),
    ],
    decision: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Show what it does at this decision, and the board.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Ask about all decisions, and find the first that differs. The default.")
    ] = False,
    seat: Annotated[int | None, typer.Option(metavar="SEAT", help="Ask about the decisions of this seat only.")] = None,
    time_ms: Annotated[
        int | None,
        typer.Option(metavar="MS", min=1, callback=milliseconds, help="Time for an answer. Default: as in the match."),
    ] = None,
    prepare_ms: Annotated[
        int | None,
        typer.Option(
            metavar="MS",
            min=1,
            callback=milliseconds,
            help="Time for hello, and again for ready. Default: as recorded.",
        ),
    ] = None,
    sandbox: Sandbox = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    as_json: AsJson = False,
) -> None:
    """Ask a bot what it would have done in a recorded match.

    Shows its answers next to the recorded ones. The bot receives exactly the messages that the seat received, from
    the start of the match. It is asked about all decisions, or up to one with --decision NUMBER.

    Exit code 3 means that the bot failed: no answer in time, a bad answer, or a crash.
    """
    from arena import running
    from arena.errors import RecordError
    from arena.match.record_file import load
    from arena.replay import ask as examination
    from arena.roster.entries import find
    from arena.sandbox.policy import Policy

    if every and decision is not None:
        raise typer.BadParameter("choose one: --decision NUMBER or --all")
    record = load(file)
    try:
        asked = _chosen(record, examination.questions_of(record), decision, seat)
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from None
    entry = find(bot)
    terms = examination.AskTerms(time_ms, prepare_ms, sandbox, Policy(memory_mb, threads=threads))
    examined = running.run(lambda: examination.examine(record, entry, asked, terms))
    say_open([entry.name] if examined.is_open else [], sandbox)
    if as_json:
        typer.echo(json.dumps(_plain(file, bot, asked, examined), indent=2))
    elif decision is None:
        _show_all(record, file, bot, asked, examined)
    else:
        _show_one(record, asked, examined)
    if examined.failure and not as_json:
        _show_failure(entry.name, examined)
    raise typer.Exit(Exit.BOT if examined.has_failed else Exit.OK)


def _chosen(
    record: "MatchRecord", asked: list["RecordedQuestion"], decision: int | None, seat: int | None
) -> list["RecordedQuestion"]:
    """The questions to ask: all, or those up to the chosen one."""
    seats = range(len(record.header.players))
    if seat is not None and seat not in seats:
        raise typer.BadParameter(f"--seat {seat}: this match has seats 0 to {seats[-1]}")
    if decision is not None:
        taken = _decision(record, decision)
        if seat not in (None, taken.seat):
            raise typer.BadParameter(f"--seat {seat}: decision {decision} belongs to seat {taken.seat}")
        if decision not in {question.number for question in asked}:
            why = "there was only one legal action" if taken.status == "forced" else "the seat was disqualified"
            raise typer.BadParameter(f"--decision {decision}: the bot was not asked, because {why}")
        seat = taken.seat
    return [
        question
        for question in asked
        if seat in (None, question.decision.seat) and (decision is None or question.number <= decision)
    ]


def _decision(record: "MatchRecord", wanted: int) -> "Decision":
    taken = [decision for _, _, decision in record.decisions()]
    if wanted not in range(1, len(taken) + 1):
        raise typer.BadParameter(f"--decision {wanted}: this match has decisions 1 to {len(taken)}")
    return taken[wanted - 1]


# What is shown


def _show_all(
    record: "MatchRecord", file: Path, bot: str, asked: list["RecordedQuestion"], examined: "Examined"
) -> None:
    names = [one_line(player.name) for player in record.header.players]
    rows = [
        [
            str(answer.question.number),
            f"{answer.question.decision.seat} {names[answer.question.decision.seat]}",
            answer.question.decide.phase,
            _short(answer.question.decision),
            _short(answer.given),
            "" if answer.agrees else "differs",
        ]
        for answer in examined.answers
    ]
    typer.echo(table(rows, ["decision", "seat", "phase", "recorded", "answer", ""]))
    for answer in examined.answers:
        if answer.given.reason is not None:
            typer.echo(f"\ndecision {answer.question.number}: {one_line(answer.given.reason)}")
    typer.echo(f"\n{_summary(asked, examined)}")
    if examined.differing:
        first = examined.differing[0].question.number
        words = ["arena", "ask", str(file), "--decision", str(first), "--bot", bot]
        typer.echo(f"Look at it:  {shlex.join(words)}", err=True)


def _short(decision: "Decision") -> str:
    if decision.status == "accepted":
        return decision.action
    said = "" if decision.answer is None else f" {one_line(decision.answer)[:24]!r}"
    return f"{decision.status}{said}"


def _summary(asked: list["RecordedQuestion"], examined: "Examined") -> str:
    count, agreeing = len(examined.answers), len(examined.answers) - len(examined.differing)
    first = f"the first difference is decision {examined.differing[0].question.number}" if examined.differing else ""
    rest = f"{len(asked) - count} more were not asked" if len(asked) > count else ""
    agree = f"{agreeing} of {counted(count, 'answer')} agree{'s' * (count == 1)}"
    return "; ".join(filter(None, [agree, first, rest])) + "."


def _show_one(record: "MatchRecord", asked: list["RecordedQuestion"], examined: "Examined") -> None:
    """The position as the seat saw it, the choices, and both decisions."""
    from arena.replay.moments import game_of, states

    question = asked[-1]
    seat, game, paint = question.decision.seat, game_of(record), painter()
    index = next(index for number, index, _ in record.decisions() if number == question.number)
    name = one_line(record.header.players[seat].name)
    typer.echo(f"decision {question.number}, step {index + 1}, seat {seat} ({name}), {question.decide.phase}\n")
    typer.echo(game.draw(question.decide.view, game.tally(states(record)[index]), paint))
    legal = " ".join(question.decide.legal)
    typer.echo("\n" + fill(legal, WIDTH, initial_indent="legal     ", subsequent_indent=" " * 10))
    lines = decision_lines(f"recorded  {question.decision.action}  ", question.decision, paint, WIDTH)
    answered = [answer for answer in examined.answers if answer.question is question]
    for answer in answered:
        lines += decision_lines(f"answer    {_said(answer.given)}  ", replace(answer.given, answer=None), paint, WIDTH)
        lines += ["", "They agree." if answer.agrees else paint("They differ.", "bold")]
    if not answered:
        lines.append("answer    none, it was not asked")
    for line in lines:
        typer.echo(line)
    _show_earlier([answer for answer in examined.answers if answer not in answered])


def _said(given: "Decision") -> str:
    if given.status == "accepted":
        return given.action
    return "none" if given.answer is None else one_line(given.answer)[:40]


def _show_earlier(earlier: list["ComparedAnswer"]) -> None:
    """A bot that answered differently before may remember another match than the recorded one."""
    differing = [answer.question.number for answer in earlier if not answer.agrees]
    if differing:
        count = f"{len(differing)} of its {counted(len(earlier), 'answer')} differ{'s' * (len(earlier) == 1)}"
        typer.echo(f"Before that, {count}, the first at decision {differing[0]}.")


def _show_failure(name: str, examined: "Examined") -> None:
    assert examined.failure is not None, "it has failed"
    typer.echo(f"\n{one_line(name)}: {examined.failure.kind}: {one_line(examined.failure.text)}")
    if examined.stderr:
        typer.echo("\n".join(stderr_lines(one_line(name), examined.stderr)))


def _plain(file: Path, bot: str, asked: list["RecordedQuestion"], examined: "Examined") -> dict[str, Any]:
    failure = examined.failure
    return {
        "record": str(file),
        "bot": bot,
        "asked": len(asked),
        "answered": len(examined.answers),
        "agree": len(examined.answers) - len(examined.differing),
        "first_difference": examined.differing[0].question.number if examined.differing else None,
        "failure": None if failure is None else {"kind": failure.kind, "text": failure.text},
        "answers": [
            {
                "decision": answer.question.number,
                "seat": answer.question.decision.seat,
                "phase": answer.question.decide.phase,
                "legal": answer.question.decide.legal,
                "recorded": _taken(answer.question.decision),
                "answer": _taken(answer.given),
                "agrees": answer.agrees,
            }
            for answer in examined.answers
        ],
    }


def _taken(decision: "Decision") -> dict[str, Any]:
    """A decision without its seat, because the question has it."""
    return {key: value for key, value in asdict(decision).items() if key != "seat"}
