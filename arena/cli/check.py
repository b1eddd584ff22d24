"""`arena check`: is my bot right? All that the protocol asks of it, tried out, with the fix for what is not."""

import json
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.parameters import AsJson
from arena.cli.terminal import WIDTH, counted, is_terminal, one_line, painter, paragraph, safe
from arena.version import VERSION

if TYPE_CHECKING:
    from arena.check.examiner import Report, Result
    from arena.check.findings import Finding

TIERS = ("auto", "full", "lite", "none", "all")
COLOURS = {"passed": "green", "failed": "red", "warned": "yellow", "skipped": "bold"}
LEVELS = {"error": "red", "warning": "yellow"}
UNGUARDED = (
    "arena: parts of this run without a sandbox, where a bot can do all that you can.\n"
    "For a stranger's bot: --no-build --sandbox full"
)
INDENT = " " * 7
QUOTED = 3
"""Lines of the terminal that one line of a bot's stderr may take."""


def _tier(word: str) -> str:
    if word not in TIERS:
        raise typer.BadParameter(f"{word}: choose one of {', '.join(TIERS)}")
    return word


def check(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A folder with bot.toml, a built-in name, or a command line.")
    ],
    game: Annotated[
        str | None, typer.Option(metavar="NAME", help="Examine it in this game only. Without it: all that it plays.")
    ] = None,
    sandbox: Annotated[
        str,
        typer.Option(
            metavar="TIER",
            help="Where it is examined: auto or all (the best, and a match in each of the others), or only in full, "
            "lite or none.",
            callback=_tier,
        ),
    ] = "auto",
    no_build: Annotated[bool, typer.Option("--no-build", help="Do not run its build command.")] = False,
    as_json: AsJson = False,
) -> None:
    """Examine a bot, and tell all that is to mend.

    Builds it, then plays with it as no opponent does: messages in pieces, messages at once, fields of the future, no
    time, many matches, sudden ends. Each finding tells what was seen, why it matters and what to do; docs/check.md
    lists them all.

    It is meant for your own bot: the build, and in auto and all also a match, run without a sandbox. For a stranger's
    bot: --no-build --sandbox full. Exit code 3 means that the bot failed; warnings alone do not.
    """
    from arena import matches
    from arena.check.examiner import examine
    from arena.cli import Exit
    from arena.roster import find
    from engine.catalogue import game as find_game

    if game is not None:
        find_game(game)  # UnknownGame, before anything is built
    if sandbox not in ("full", "lite") or (not no_build and find(bot).build):
        typer.echo(UNGUARDED, err=True)
    progress = Progress()
    report = matches.run(lambda: examine(bot, game, sandbox, not no_build, progress.show))
    if as_json:
        typer.echo(json.dumps(plain(report), indent=2))
    else:
        for line in lines(report, repeated(bot, game, sandbox, no_build)):
            typer.echo(line)
    raise typer.Exit(Exit.OK if report.ok else Exit.BOT)


def repeated(bot: str, game: str | None, sandbox: str, no_build: bool) -> str:
    """The command line that examines it again in the same way."""
    words = ["arena", "check", bot]
    words += ["--game", game] if game is not None else []
    words += ["--sandbox", sandbox] if sandbox != "auto" else []
    words += ["--no-build"] if no_build else []
    return shlex.join(words)


class Progress:
    """A line on stderr for each exam: on a terminal also while it is held."""

    def __init__(self) -> None:
        self._is_live = is_terminal(sys.stderr)
        self._is_over = False
        """Whether an exam has failed that all others need."""
        self._paint = painter() if is_terminal(sys.stdout) and self._is_live else lambda text, _colour: text

    def show(self, exam: str, result: "Result | None") -> None:
        if self._is_over:
            return
        if result is None:
            if self._is_live:
                typer.echo(f"  {exam:<17}...", nl=False, err=True)
            return
        if result.outcome == "skipped" and str(result.reason).startswith("not examined"):
            self._is_over, exam = True, "all others"
        start = "\r\x1b[K" if self._is_live else ""
        word = self._paint(f"{result.outcome:<8}", COLOURS[result.outcome])
        remark = f"  {one_line(result.reason)}" if result.reason else ""
        note = remark if result.outcome == "skipped" else f"{result.ms / 1000:6.1f} s{remark}"
        typer.echo(f"{start}  {exam:<17}{word}{note}", err=True)


# As text


def lines(report: "Report", command: str) -> Iterator[str]:
    """The findings and the verdict; the command examines the bot again."""
    for finding in report.findings:
        yield ""
        yield from _finding(finding)
    if report.findings:
        yield ""
    yield verdict(report, command)


def _finding(finding: "Finding") -> Iterator[str]:
    paint = painter()
    title = f"{finding.level}: {finding.what} ({finding.id})"
    yield paint(title, LEVELS[finding.level])
    yield from _paragraph("Seen", f"{_place(finding)}{one_line(finding.seen).rstrip('.')}.")
    for line in finding.stderr.splitlines():
        yield from _quoted(safe(line))
    yield from _paragraph("Why", finding.why)
    yield from _paragraph("Fix", finding.fix)


def _quoted(line: str) -> list[str]:
    """A line of a bot's stderr, in as many lines as it needs."""
    room = WIDTH - len(INDENT) - 2
    return [f"{INDENT}| {line[i : i + room]}" for i in range(0, len(line), room)][:QUOTED]


def _place(finding: "Finding") -> str:
    """Where it was seen, in words."""
    where, parts = dict(finding.where), []
    if "game" in where:
        parts += [where.pop("game"), f"{where.pop('seats')} players"]
        parts += [f"{name}={value}" for name, value in where.pop("options", {}).items()]
    parts += [f"{name.replace('_', ' ')} {value}" for name, value in where.items() if name != "seat"]
    around = f" ({', '.join(parts)})" if parts else ""
    also = f", and again in {', '.join(finding.also)}" if finding.also else ""
    return f"in the exam `{finding.exam}`{around}{also}: "


def _paragraph(title: str, text: str) -> list[str]:
    return paragraph(text, f"  {painter()(f'{title:<5}', 'bold')}", INDENT)


def verdict(report: "Report", command: str) -> str:
    """The last line: what it comes to, and what to do."""
    name = one_line(report.entry.name)
    held = sum(result.outcome != "skipped" for result in report.results)
    if report.ok:
        advice = len(report.findings)
        more = f" {counted(advice, 'warning')} above: mend {'it' if advice == 1 else 'them'} if you can." * bool(advice)
        return painter()(f"{name} passed {counted(held, 'exam')}.", "green") + more
    count = len(report.errors)
    start = f"{name} failed: {counted(count, 'thing')} to mend."
    return painter()(start, "red") + f" Next: mend `{report.errors[0].id}`, then `{command}`."


# As JSON


def plain(report: "Report") -> dict[str, Any]:
    """All that was found."""
    entry = report.entry
    return {
        "bot": {
            "name": entry.name,
            "version": report.version,
            "folder": str(entry.folder),
            "language": report.language.value,
        },
        "arena": VERSION,
        "tiers": [tier.value for tier in report.tiers],
        "ok": report.ok,
        "exams": [
            {"exam": one.exam, "outcome": one.outcome.value, "reason": one.reason, "ms": one.ms}
            for one in report.results
        ],
        "findings": [_plain_finding(finding) for finding in report.findings],
    }


def _plain_finding(finding: "Finding") -> dict[str, Any]:
    return {
        "id": finding.id,
        "level": finding.level.value,
        "exam": finding.exam,
        "also": list(finding.also),
        "where": dict(finding.where),
        "seen": f"{finding.seen}\nstderr: {finding.stderr}" if finding.stderr else finding.seen,
        "why": finding.why,
        "fix": finding.fix,
    }
