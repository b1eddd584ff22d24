"""All exams for one bot, and the report about it."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import trio

from arena.building.build import Way
from arena.check.attribution import REFUSED, attribute, level_of
from arena.check.exams import EXAMS, Exam
from arena.check.findings import Finding, Level
from arena.check.languages import Language, guess
from arena.check.places import with_names
from arena.check.probe import HELLO_S, Failed, open_probe
from arena.check.room import Room, Skipped, Trouble
from arena.check.standby import Standby
from arena.errors import HostError
from arena.match.clock import now
from arena.match.launch import Launcher, SpawnerLauncher
from arena.match.tiers import TIERS, choose, in_tier, why_no_place
from arena.roster.entries import UNVERSIONED, Entry, built_in, find, named
from arena.sandbox.policy import AUTO, Policy, Tier


class ExamOutcome(StrEnum):
    """How an exam ended."""

    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class ExamResult:
    """An exam that is over."""

    exam: str
    outcome: ExamOutcome
    ms: int
    reason: str | None = None
    is_known: bool = False
    """Whether it showed only what the plain match had shown."""


@dataclass(frozen=True, slots=True)
class BotReport:
    """All that was found."""

    entry: Entry
    version: str
    language: Language
    tiers: tuple[Tier, ...]
    results: tuple[ExamResult, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level is Level.ERROR)

    @property
    def ok(self) -> bool:
        return not self.errors


UNDISTURBED = ("build", "start", "hello", "match")
"""Exams that measure time, or that show whether it plays at all: no other process starts meanwhile."""
Watcher = Callable[[str, ExamResult | None], None]
"""watcher(exam, None) when one begins, watcher(exam, result) when it is over."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a bot is examined."""

    sandbox: str = AUTO
    """A tier; or auto or all: the exams in the best tier, and one match in each of the others."""
    is_trusted: bool = False
    """Whether it may also run without a sandbox; auto and all then try that too."""
    way: Way = Way.NO
    """Whether it is built, and where."""
    build_s: int = 0
    policy: Policy = field(default_factory=Policy)
    """What it may use."""
    prepare_ms: int = round(HELLO_S * 1000)
    """How long hello may take, and again ready."""
    only: frozenset[str] = frozenset()
    """The exams to hold, with those that they need; empty: all."""


async def examine(word: str, game: str | None, terms: Terms, watcher: Watcher) -> BotReport:
    """Hold all exams. RosterError and LaunchError mean that this is impossible, which is not the bot's fault."""
    entry = find(word)  # once: it reads all files, and a model may be large
    launchers = open_tiers(entry, terms)
    try:
        room = Room(entry, launchers, game, is_described(word))
        room.way, room.build_s, room.hello_s = terms.way, terms.build_s, terms.prepare_ms / 1000
        results: list[ExamResult] = []
        async with with_standby(room):
            exams = chosen_exams(terms.only)
            for i, exam in enumerate(exams):
                watcher(exam.name, None)
                if room.standby is not None and exam.name not in UNDISTURBED:
                    room.standby.start_ahead(sum(one.starts for one in exams[i:]))
                results.append(await hold_exam(exam, room, results))
                if exam.name == "build" and results[-1].outcome is not ExamOutcome.SKIPPED:
                    room.entry = find(word)  # its files may have changed
                watcher(exam.name, results[-1])
        language = guess(room.entry)
        if terms.is_trusted:
            room.troubles = [with_lines(trouble, room.entry.folder) for trouble in room.troubles]
        findings = attribute(room.troubles, language)
        version = room.hello.version if room.hello and room.entry.version == UNVERSIONED else room.entry.version
        entry = named(room.entry, room.hello.name) if room.hello else room.entry
        return BotReport(entry, version, language, tuple(launchers), tuple(settled(results, findings)), findings)
    finally:
        for launcher in launchers.values():
            launcher.close()


@asynccontextmanager
async def with_standby(room: Room) -> AsyncIterator[None]:
    """Let processes wait in this room. None is left when the block ends."""
    raised: Exception | None = None
    async with trio.open_nursery() as nursery:
        room.standby = Standby(nursery, lambda: open_probe(room.entry, room.launchers[room.home], room.hello_s))
        try:
            yield
        except Exception as error:  # a nursery would wrap it in a group
            raised = error
        nursery.cancel_scope.cancel()
    if raised is not None:
        raise raised


def chosen_exams(names: frozenset[str]) -> list[Exam]:
    """The exams of these names and all that they need, in their order; without names all exams."""
    needed = names.union(*(exam.needs for exam in EXAMS if exam.name in names))
    return [exam for exam in EXAMS if not names or exam.name in needed]


def is_described(word: str) -> bool:
    """Whether a bot.toml describes this bot; a command line has no name to compare."""
    return word.endswith(".toml") or word in built_in() or Path(word).expanduser().is_dir()


def open_tiers(entry: Entry, terms: Terms) -> Mapping[Tier, Launcher]:
    """The tiers to examine in, the best first: all that work here for this bot, or the one that was asked for.

    `none` is among them only if it was asked for or the bot is trusted.
    """
    if terms.sandbox not in (AUTO, "all"):
        launcher = choose(terms.sandbox, policy=terms.policy)
        return {launcher.tier: launcher}
    opened: dict[Tier, SpawnerLauncher] = {}
    for tier in TIERS:
        with suppress(HostError):  # `arena doctor` shows why
            opened[tier] = in_tier(tier, terms.policy)
    if terms.is_trusted:
        for tier in [tier for tier, launcher in opened.items() if why_no_place(launcher, entry)]:
            opened.pop(tier).close()  # it can play without a sandbox
        return {**opened, Tier.NONE: SpawnerLauncher(Tier.NONE, terms.policy)}
    return opened or {
        (launcher := choose(AUTO, [entry], terms.policy)).tier: launcher
    }  # raises, and says why there is none


async def hold_exam(exam: Exam, room: Room, before: Sequence[ExamResult]) -> ExamResult:
    """Hold one exam, unless an earlier one failed that it needs."""
    began, known = now(), len(room.troubles)
    room.exam, room.remark = exam.name, None
    reason = why_skipped(exam, before, room)
    if reason is None:
        try:
            await _hold_once(exam, room)
        except Skipped as skipped:
            reason = str(skipped)
        await _hold_again(exam, room, known)
    outcome = ExamOutcome.PASSED if reason is None else ExamOutcome.SKIPPED
    if new := room.troubles[known:]:
        outcome = ExamOutcome.FAILED if Level.ERROR in map(level_of, new) else ExamOutcome.WARNED
    is_known = bool(new) and {one.raw for one in new} <= {
        one.raw for one in room.troubles[:known] if one.exam == "match"
    }
    return ExamResult(exam.name, outcome, round((now() - began) * 1000), reason or room.remark, is_known)


async def _hold_once(exam: Exam, room: Room) -> None:
    try:
        await exam.hold(room)
    except Failed as failed:
        room.failed(failed)


async def _hold_again(exam: Exam, room: Room, known: int) -> None:
    """Repeat an exam that crashed in a special situation: is the situation really the cause?"""
    found, passed = room.troubles[known:], list(room.passed)
    if not any(is_doubtful(trouble) for trouble in found):
        return
    del room.troubles[known:]
    await _hold_once(exam, room)
    again = [_situation(trouble) for trouble in room.troubles[known:]]
    room.passed = passed
    room.troubles[known:] = [
        now_and_then(trouble) if is_doubtful(trouble) and _situation(trouble) not in again else trouble
        for trouble in found
    ]


def is_doubtful(trouble: Trouble) -> bool:
    """Whether the crash may have come here by chance. Not for hangs, because a repeat would take too long."""
    is_confirmed = trouble.is_retreat or trouble.id == "memory-growth"
    return trouble.id != trouble.raw == "crash" and not is_confirmed


def with_lines(trouble: Trouble, folder: Path) -> Trouble:
    """The trouble with lines of code in its stack, which has only addresses. For bots that are trusted."""
    return replace(trouble, stderr=with_names(trouble.stderr, folder))


def _situation(trouble: Trouble) -> tuple[str, dict[str, Any]]:
    """Where it happened, without the question: bots that play at random get other questions."""
    return trouble.id, {name: what for name, what in trouble.where.items() if name not in ("decision", "phase")}


def now_and_then(trouble: Trouble) -> Trouble:
    """The crash without the situation in which it happened by chance."""
    seen = f"{trouble.seen}. This happens only sometimes: when the exam was repeated, it did not happen again"
    return replace(trouble, id=trouble.raw, seen=seen, follows=())


UNHELD: Mapping[str, str] = {
    "build": "not examined: the build failed",
    "start": "not examined: it did not send hello",
    "hello": "not examined: it does not play any game of this arena",
    "match": "not examined: it did not finish a plain match",
}


def why_skipped(exam: Exam, before: Sequence[ExamResult], room: Room) -> str | None:
    """Why an exam cannot be held: another exam that it needs failed so badly that play could not continue."""
    for result in before:
        if result.exam not in exam.needs or result.outcome is not ExamOutcome.FAILED:
            continue
        troubles = [trouble for trouble in room.troubles if trouble.exam == result.exam]
        if any(_is_stopping(trouble) for trouble in troubles):
            return UNHELD[result.exam]
    return None


def _is_stopping(trouble: Trouble) -> bool:
    """Whether nothing more can be tested after this. Before hello every error is of this kind."""
    goes_on = trouble.is_retreat or (trouble.exam == "match" and trouble.id in REFUSED)
    return level_of(trouble) is Level.ERROR and not goes_on


def settled(results: Sequence[ExamResult], findings: Sequence[Finding]) -> list[ExamResult]:
    """The results, each with an outcome that agrees with the findings."""
    levels: dict[str, set[Level]] = {}
    for finding in findings:
        for exam in (finding.exam, *finding.also):
            levels.setdefault(exam, set()).add(finding.level)
    return [_settle(result, levels.get(result.exam, set())) for result in results]


def _settle(result: ExamResult, levels: set[Level]) -> ExamResult:
    if result.outcome is ExamOutcome.SKIPPED:
        return result
    if not levels:
        return replace(result, outcome=ExamOutcome.PASSED)
    return replace(result, outcome=ExamOutcome.FAILED if Level.ERROR in levels else ExamOutcome.WARNED)
