"""`arena check`: test a bot against everything that the protocol requires, and show how to fix what fails."""

import json
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.building import LIMIT_S, BuildLimit, BuildOption, said, unbuilt
from arena.cli.exits import Exit
from arena.cli.paragraphs import paragraph, quoted
from arena.cli.parameters import MEMORY_MB, PREPARE_MS, THREADS, AsJson, Memory, Prepare, Threads
from arena.cli.terminal import is_terminal, painter, say, takes_escapes
from arena.cli.trust import remember
from arena.texts import SHOWN, counted, meant, one_line, path

if TYPE_CHECKING:
    from arena.building.build import Way
    from arena.check.examiner import BotReport, ExamResult
    from arena.check.findings import Finding
    from arena.errors import RosterError
    from arena.roster.entries import Entry
    from arena.roster.trust import Whose

COLOURS = {"passed": "green", "failed": "red", "warned": "yellow", "skipped": "bold"}
LEVELS = {"error": "red", "warning": "yellow"}
INDENT = " " * 7
FEW = 3
"""Names of changed files that are shown."""
CLEAR, ERASE = "\x1b[H\x1b[J", "\r\x1b[K"
"""Begin at the top of the terminal; begin this line again."""
IN_TIER = {"none": "without a sandbox"}


def _tier(word: str) -> str:
    from arena.sandbox.policy import CHOICES

    choices = (*CHOICES, "all")
    if word not in choices:
        raise typer.BadParameter(f"{word}: choose one of {', '.join(choices)}")
    return word


def _exam(word: str) -> str:
    from arena.check.exams import EXAMS

    names = [exam.name for exam in EXAMS]
    if word not in names:
        choices = f"choose one of {', '.join(names)}.{meant(word, names)}"
        raise typer.BadParameter(f"--exam {one_line(word, 40)}: {choices}")
    return word


def explain(word: str | None) -> None:
    """Print a finding with its fixes, and exit; nothing if there is none to explain."""
    if word is None:
        return
    from arena.check.advice import BY_LANGUAGE, fix
    from arena.check.findings import FINDINGS
    from arena.check.languages import Language
    from arena.roster.kits import LANGUAGES, language

    if word not in FINDINGS:
        which = meant(word, FINDINGS) or f" Findings: {', '.join(FINDINGS)}."
        raise typer.BadParameter(f"there is no finding {one_line(word, 40)}.{which}")
    meaning = FINDINGS[word]
    typer.echo(f"{meaning.level}: {meaning.what} ({word})")
    fixes = {"Fix": fix(word, Language.UNKNOWN)}
    known = [one for one in Language if (word, one) in BY_LANGUAGE]
    fixes |= {f"In {LANGUAGES[language(one.value)].title}:": fix(word, one) for one in known}
    for title, text in {"Why": meaning.why, **fixes}.items():
        typer.echo("\n".join(paragraph(text, f"  {title:<4} ", INDENT)))
    raise typer.Exit


def check(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A folder with bot.toml, a built-in name, or a command line.")
    ],
    game: Annotated[
        str | None, typer.Option(metavar="NAME", help="Examine it only in this game. Default: all games that it plays.")
    ] = None,
    sandbox: Annotated[
        str,
        typer.Option(
            metavar="TIER",
            help="The sandbox: auto or all (the best tier, and one match in each other tier; in none only if the bot "
            "is yours), or only full, lite or none.",
            callback=_tier,
        ),
    ] = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    prepare_ms: Prepare = PREPARE_MS,
    build: BuildOption = None,
    no_build: Annotated[bool, typer.Option("--no-build", help="Do not run its build command.")] = False,
    build_limit: BuildLimit = LIMIT_S,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="This bot is yours: build it, and also run it without a sandbox. The arena remembers this."
        ),
    ] = False,
    exam: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Hold only this exam, such as clock, and those that it needs. Can be repeated."
        ),
    ] = None,
    _explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="FINDING",
            is_eager=True,
            callback=lambda word: explain(word),
            help="Print what a finding means and how to fix it in each language, and exit.",
        ),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Examine it again whenever one of its files changes, until you press Ctrl-C."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Examine a bot, and show everything that you should fix.

    Tests what few opponents do: messages in pieces, two messages at once, unknown fields, almost no time, many
    matches, sudden ends. Each finding shows what was seen, why it matters and how to fix it; `arena docs check` lists
    all.

    A bot that is not known as yours is not built, and runs only in the sandbox, unless you ask for it. A bot is yours
    if `arena new-bot` made it, or if you have used --trust on it. It is built first, and one match without a sandbox
    shows whether the sandbox makes it fail. Exit code 3 means that the bot failed; warnings alone do not fail it.
    """
    from arena import running
    from arena.building.build import Way
    from arena.check.examiner import BotReport, Terms, examine
    from arena.roster.entries import find
    from arena.roster.trust import Whose, whose
    from arena.sandbox.policy import Policy
    from engine.catalogue import game as find_game

    if no_build and build is not None:
        raise typer.BadParameter("use either --build or --no-build, not both")
    names = frozenset(_exam(word) for word in exam or [])
    if game is not None:
        find_game(game)  # UnknownGame, before anything is built
    options = {"--game": game, "--sandbox": None if sandbox == "auto" else sandbox, "--build": build}
    numbers = {"--memory-mb": memory_mb, "--threads": threads, "--prepare-ms": prepare_ms}
    usual = (MEMORY_MB, THREADS, PREPARE_MS)
    options |= {name: str(value) for (name, value), default in zip(numbers.items(), usual) if value != default}

    async def examined() -> BotReport:
        entry = find(bot)
        if trust:
            remember(entry.folder)
        known = Whose.YOURS if trust else whose(entry.folder)
        is_trusted = known is not Whose.STRANGERS
        way = Way("no" if no_build else build or ("yes" if is_trusted else "no"))
        for line in warnings(entry, known, sandbox, way):
            say(line)
        policy = Policy(memory_mb, threads=threads)
        terms = Terms(sandbox, is_trusted, way, build_limit, policy, prepare_ms, names)
        progress = ExamProgress()
        report = await examine(bot, game, terms, progress.show)
        progress.close()
        flags = {"--no-build": no_build and not unbuilt(entry), "--trust": trust}
        again = repeated(bot, options, flags) + "".join(f" --exam {shlex.quote(name)}" for name in exam or [])
        if as_json:
            typer.echo(json.dumps(plain(report), indent=None if watch else 2))
        else:
            for line in lines(report, "save it" if watch else f"run `{again}`"):
                typer.echo(line)
        return report

    if watch:
        from arena.check.watching import watch as watch_files

        running.run(lambda: watch_files(bot, examined, WatchWords(as_json)))
    report = running.run(examined)
    raise typer.Exit(Exit.OK if report.ok else Exit.BOT)


def warnings(entry: "Entry", known: "Whose", sandbox: str, way: "Way") -> Iterator[str]:
    """What a user should know first: what runs with all rights, and what does not run for that reason."""
    from arena.match.tiers import why_no_sandbox
    from arena.roster.platforms import is_unbuilt

    builds = way == "yes" and bool(entry.build)
    if sandbox == "none":
        yield "without a sandbox a bot can do all that you can do."
    elif known == "strangers":
        yield "this bot runs only in the sandbox. If it is your own, add --trust."
    elif known == "yours" and sandbox in ("auto", "all") and why_no_sandbox(entry):
        yield "this machine has no sandbox for this bot. It is yours, so it is examined without one."
    elif known == "yours" and sandbox in ("auto", "all"):
        what = (
            "its build runs without a sandbox, and so does one match" if builds else "one match runs without a sandbox"
        )
        yield f"this bot is yours: {what}, for comparison."
    if builds and known == "strangers":
        yield f"its build runs outside the sandbox, with your rights: {said(entry)}"
    if way == "no" and not is_unbuilt(entry) and (words := unbuilt(entry)):  # a finding says what is missing
        yield words


def repeated(bot: str, options: Mapping[str, str | None], flags: Mapping[str, bool]) -> str:
    """The command line that examines the bot again in the same way."""
    words = ["arena", "check", bot]
    words += [word for name, value in options.items() if value is not None for word in (name, value)]
    return shlex.join([*words, *(name for name, is_said in flags.items() if is_said)])


class ExamProgress:
    """A line on stderr for each exam; on a terminal also while it runs."""

    def __init__(self) -> None:
        self._is_live = takes_escapes(sys.stderr)
        self._is_over = False
        """Whether an exam failed that all others need."""
        self._alike = 0
        """Exams that failed in the way in which the plain match failed."""
        self._paint = painter() if is_terminal(sys.stdout) and self._is_live else lambda text, _colour: text

    def show(self, exam: str, result: "ExamResult | None") -> None:
        if self._is_over:
            return
        if result is None:
            if self._is_live:
                typer.echo(f"  {exam:<17}...", nl=False, err=True)
            return
        if result.outcome == "skipped" and str(result.reason).startswith("not examined"):
            self._is_over, exam = True, "all others"
        start = ERASE if self._is_live else ""
        if result.outcome == "failed" and result.is_known:
            self._alike += 1
            typer.echo(start, nl=False, err=True)
            return
        word = self._paint(f"{result.outcome:<8}", COLOURS[result.outcome])
        remark = f"  {one_line(result.reason)}" if result.reason else ""
        note = remark if result.outcome == "skipped" else f"{result.ms / 1000:6.1f} s{remark}"
        typer.echo(f"{start}  {exam:<17}{word}{note}", err=True)

    def close(self) -> None:
        """Show how many exams have no line of their own."""
        if self._alike:
            word = self._paint(f"{'failed':<8}", COLOURS["failed"])
            typer.echo(f"  {f'{self._alike} more':<17}{word}  for the same reason as `match`", err=True)


class WatchWords:
    """What is shown between two examinations of a bot that is watched."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def changed(self, names: Sequence[str]) -> None:
        words = f"{time.strftime('%H:%M:%S')}  {_few(names)} changed"
        if takes_escapes(sys.stderr):
            typer.echo(ERASE, nl=False, err=True)  # the exam that was interrupted
        if self._as_json:
            say(words)
        else:
            typer.echo(f"{CLEAR}{words}" if takes_escapes(sys.stdout) else f"\n--- {words} ---")

    def waiting(self, generated: Sequence[str]) -> None:
        if generated:
            say(f"changed in every examination, and so counts only between examinations: {_few(generated)}.")
        say("waiting for a change. Ctrl-C ends this.")

    def invalid(self, error: "RosterError") -> None:
        say(str(error))


def _few(names: Sequence[str]) -> str:
    """The first names of files, and how many more there are."""
    more = [f"{len(names) - FEW} more"] if len(names) > FEW else []
    return ", ".join([*(path(name, SHOWN) for name in names[:FEW]), *more])


# As text


def lines(report: "BotReport", then: str) -> Iterator[str]:
    """The findings and the verdict, with what to do after a fix."""
    for finding in report.findings:
        yield ""
        yield from _finding(finding)
    if report.findings:
        yield ""
    yield verdict(report, then)


def _finding(finding: "Finding") -> Iterator[str]:
    paint = painter()
    title = f"{finding.level}: {finding.what} ({finding.id})"
    yield paint(title, LEVELS[finding.level])
    yield from _paragraph("Seen", f"{_place(finding)}{one_line(finding.seen).rstrip('.')}.")
    yield from quoted(finding.stderr.splitlines(), f"{INDENT}| ")
    yield from _paragraph("Why", finding.why)
    yield from _paragraph("Fix", finding.fix)


def _place(finding: "Finding") -> str:
    """Where it was seen, in words."""
    where, parts = dict(finding.where), []
    if "game" in where:
        parts += [where.pop("game"), counted(where.pop("seats"), "player")]
        parts += [f"{name}={value}" for name, value in where.pop("options", {}).items()]
    if "tier" in where:
        parts.append(IN_TIER.get(where["tier"], f"in tier {where['tier']} of the sandbox"))
    parts += [f"{name.replace('_', ' ')} {value}" for name, value in where.items() if name not in ("seat", "tier")]
    around = f" ({', '.join(parts)})" if parts else ""
    also = f", and again in {', '.join(finding.also)}" if finding.also else ""
    return f"in the exam `{finding.exam}`{around}{also}: "


def _paragraph(title: str, text: str) -> list[str]:
    return paragraph(text, f"  {painter()(f'{title:<5}', 'bold')}", INDENT)


def verdict(report: "BotReport", then: str) -> str:
    """The last line: the result, and what to do next."""
    name = one_line(report.entry.name)
    held = sum(result.outcome != "skipped" for result in report.results)
    if report.ok:
        advice = len(report.findings)
        more = f" {counted(advice, 'warning')} above: fix {'it' if advice == 1 else 'them'} if you can." * bool(advice)
        return painter()(f"{name} passed {counted(held, 'exam')}.", "green") + more
    count = len(report.errors)
    start = f"{name} failed: {counted(count, 'thing')} to fix."
    return painter()(start, "red") + f" Next: fix `{report.errors[0].id}`, then {then}."


# As JSON


def plain(report: "BotReport") -> dict[str, Any]:
    """All that was found."""
    from arena.version import VERSION

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
