"""What a fix says, done in its language, ends the finding.

tests/fixes has a bot in each language that does what the fixes say. With the name of a finding as its argument it does not do
so in one place, and the examiner has to find just that. Of each fix the table has the words that the program follows.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import trio

from arena.check import farewell, plain, probe, special, talk
from arena.check.advice import BY_LANGUAGE
from arena.check.attribution import attribute
from arena.check.languages import Language
from arena.check.room import Room
from arena.match.launch import SpawnerLauncher
from arena.roster.entries import Entry
from arena.sandbox.policy import Tier
from tests.check.test_broken_bots import CASES

FIXES = Path(__file__).parents[1] / "fixes"
ExamOf = Callable[[Room], Awaitable[None]]


@dataclass(frozen=True)
class Followed:
    """A program in one language: how it is built and run, and words of each fix that it follows."""

    source: str
    command: tuple[str, ...]
    words: Mapping[str, str]
    build: tuple[str, ...] = ()
    others: tuple[tuple[str, ExamOf], ...] = field(default=())
    """Further arguments with which it follows fixes, and the exam that shows it."""


PROGRAMS = {
    Language.PYTHON: Followed(
        "bot.py",
        (sys.executable, "-I", "-S", "bot.py"),
        {
            "text": "file=sys.stderr", "truncated": "b'\\n'", "not-flushed": "sys.stdout.buffer.flush()",
            "silent": "hello", "crash": "['legal'][0]", "split-frames": "keep reading until the frame is complete",
            "unknown-fields": "Class(**message)", "null-fields": "message.get('last') is None", "bye-ignored": "daemon",
            "eof-ignored": "leave the loop", "exit-status": "EOFError", "children-left": "terminate() and wait()",
        },
        others=(("fixed-children", farewell.children),),
    ),
    Language.JAVASCRIPT: Followed(
        "bot.js",
        ("node", "bot.js"),
        {
            "text": "console.error", "crash": "question.legal[0]", "split-frames": "Buffer.concat",
            "merged-frames": "Buffer.concat", "ids": "| 0", "bye-ignored": "process.exit(0)",
            "eof-ignored": "process.exit(0)",
        },
    ),
    Language.GO: Followed(
        "bot.go",
        ("./bot",),
        {
            "text": "fmt.Fprintln(os.Stderr", "not-flushed": "Flush()", "crash": "recover()", "split-frames": "io.ReadFull",
            "merged-frames": "bufio.Reader for the whole life", "unknown-fields": "DisallowUnknownFields()",
            "large-message": "scanner.Buffer(nil, 1<<20 + 1)", "ids": "int64", "eof-ignored": "io.EOF",
            "null-fields": "pointers", "bye-ignored": "Return from main",
            "exit-status": "io.ErrUnexpectedEOF",
        },
        ("go", "build", "-o", "bot", "bot.go"),
        (("fixed-frames", special.framing), ("fixed-scanner", special.largest_message)),
    ),
    Language.JAVA: Followed(
        "Bot.java",
        ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "Bot"),
        {
            "text": "System.setOut(System.err)", "not-flushed": "flush()", "silent": "System.in", "crash": "RuntimeException",
            "split-frames": "readFully(", "merged-frames": "one reader for the whole life", "ids": "long",
            "bye-ignored": "daemon", "eof-ignored": "System.exit(0)", "exit-status": "EOFException",
        },
        ("javac", "-d", ".", "Bot.java"),
        (("fixed-frames", special.framing),),
    ),
    Language.RUST: Followed(
        "bot.rs",
        ("./bot",),
        {
            "text": "eprintln!", "not-flushed": "flush()", "crash": "unwrap()", "split-frames": "read_exact",
            "merged-frames": "one BufReader", "ids": "i64", "eof-ignored": "Ok(0)", "exit-status": "ErrorKind::UnexpectedEof",
        },
        ("rustc", "--edition", "2021", "-o", "bot", "bot.rs"),
        (("fixed-frames", special.framing),),
    ),
    Language.CPP: Followed(
        "bot.cpp",
        ("./bot",),
        {
            "text": "std::cerr", "truncated": "'\\n'", "not-flushed": "std::flush", "ids": "std::int64_t",
            "eof-ignored": "std::getline", "split-frames": "in a loop",
        },
        ("c++", "-std=c++17", "-o", "bot", "bot.cpp"),
        (("fixed-frames", special.framing),),
    ),
    Language.C: Followed(
        "bot.c",
        ("./bot",),
        {"text": "fprintf(stderr", "silent": "hello before any read", "split-frames": "read()", "ids": "PRId64"},
        ("cc", "-o", "bot", "bot.c"),
    ),
}  # fmt: skip
EXAMS_OF: Mapping[str, ExamOf] = {
    "split-frames": special.framing,
    "merged-frames": special.framing,
    "unknown-fields": special.unknown_fields,
    "null-fields": special.unknown_fields,
    "large-message": special.largest_message,
    "ids": special.ids,
    "bye-ignored": partial(farewell._goodbye, how="bye", stage="between matches"),
    "eof-ignored": partial(farewell._goodbye, how="eof", stage="between matches"),
    "exit-status": partial(farewell._goodbye, how="eof", stage="between matches"),
    "children-left": farewell.children,
}
"""Where a finding shows; the others show in the plain match."""
ROWS = [(language, finding) for language, program in PROGRAMS.items() for finding in program.words]
LIMIT_S = 120


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    """Where programs are built, once for all workers."""
    return tmp_path_factory.getbasetemp().parent


def built(language: Language, shop: Path) -> Entry:
    program = PROGRAMS[language]
    tool = (program.build or program.command)[0]
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")
    folder = shop / f"fixes-{language.name.lower()}"
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".built").exists():
            shutil.copy(FIXES / program.source, folder)
            if program.build:
                subprocess.run(program.build, cwd=folder, check=True, env={**os.environ, "GO111MODULE": "off"})
            (folder / ".built").touch()
    return Entry("fixed", "1", program.command, folder)


def found(entry: Entry, language: Language, argument: str, *exams: ExamOf) -> dict[str, str]:
    """What these exams find in the program with this argument: the fix of each finding."""
    command = (*entry.command, argument) if argument else entry.command
    launcher = SpawnerLauncher(Tier.NONE)
    room = Room(Entry("fixed", "1", command, entry.folder), {Tier.NONE: launcher}, "draftosaurus", False)

    if argument == "silent":
        room.hello_s = 0.5  # it never comes

    async def main() -> None:
        with trio.fail_after(LIMIT_S):
            for exam in exams:
                room.exam = getattr(exam, "__name__", "goodbye").replace("_", " ")
                await exam(room)
                if room.troubles:
                    return

    with ExitStack() as stack:
        stack.callback(launcher.close)
        trio.run(main)
    return {finding.id: finding.fix for finding in attribute(room.troubles, language)}


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has to come is waited for, however busy the machine is."""
    monkeypatch.setattr(plain, "SLOW_START_S", 60.0)
    monkeypatch.setattr(talk, "LEAVE_S", 30.0)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("language", PROGRAMS)
def test_a_bot_that_follows_all_fixes_passes(language, shop):
    entry = built(language, shop)
    exams = (
        plain.match,
        special.framing,
        special.unknown_fields,
        special.largest_message,
        special.ids,
        farewell.goodbye,
    )
    assert found(entry, language, "", plain.start, *exams) == {}
    for argument, exam in PROGRAMS[language].others:
        assert found(entry, language, argument, plain.start, exam) == {}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("language", "finding"), ROWS, ids=[f"{one.value}/{finding}" for one, finding in ROWS])
def test_without_the_fix_the_finding_is_there(language, finding, shop, monkeypatch):
    if finding.endswith("-ignored"):
        monkeypatch.setattr(talk, "LEAVE_S", 0.5)
    if finding in ("not-flushed", "truncated"):
        monkeypatch.setattr(talk, "BEYOND_S", -4.0)  # for an answer that never comes
        monkeypatch.setattr(probe, "FLUSH_S", 30.0)
    exam = EXAMS_OF.get(finding, plain.match)
    shown = found(built(language, shop), language, finding, plain.start, exam)
    assert list(shown) == [finding]
    assert PROGRAMS[language].words[finding] in shown[finding]
    assert BY_LANGUAGE[finding, language] in shown[finding]


UNFOLLOWED = {
    "memory-limit": "tests/cli/test_limits.py follows it in Python, tests/golden/mistakes has the words of all languages",
    "memory-growth": "it takes hundreds of matches; tests/broken_bots has a leak in C",
    "sandbox": "tests/broken_bots has a bot in Python, JavaScript and shell, tests/kits plays all kits in the sandbox",
    "cannot-start": "tests/broken_bots has one in C and shell",
    "slow-start": "tests/check/test_standby.py has slow starts",
}
"""Findings that this file leaves to others, in all languages."""
SINGLE = {
    "java/unknown-fields": "it is about Jackson, which is not here",
    "rust/unknown-fields": "it is about serde, which needs a build with packages",
    "rust/null-fields": "the same",
    "javascript/not-flushed": "what process.exit() drops depends on the load of the machine",
    "typescript/not-flushed": "the same",
    "javascript/hang": "the inspector of Node has one port, which tests that run at the same time would share",
    "typescript/hang": "the same",
    "rust/hang": "few machines that test let a debugger attach",
    "c++/crash": "a sanitizer, which needs a build of its own",
    "shell/crash": "no single line is the fix",
    "shell/not-flushed": "it is about programs, which a shell bot cannot start in a sandbox",
    "shell/eof-ignored": "the kit loops as it says",
    "shell/children-left": "a sandboxed shell cannot start programs",
}
"""Fixes that no test follows, each with the reason."""


def test_every_fix_for_a_language_is_followed_or_has_a_reason():
    broken = {(case.id, Language(case.language)) for case in CASES if case.id}
    followed = {(finding, language) for language, finding in ROWS} | broken
    same = {(finding, Language.TYPESCRIPT) for finding, language in followed if language is Language.JAVASCRIPT}
    rest = {pair for pair in BY_LANGUAGE if pair not in followed | same and pair[0] not in UNFOLLOWED}
    assert {f"{language.value}/{finding}" for finding, language in rest} == SINGLE.keys()
