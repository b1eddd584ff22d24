"""The arena survives bad bots: real matches of one bot that misbehaves between two good ones.

Whatever it does, the match ends with a result, the fault is told as what it was, the others play as if nothing had
happened, and nobody is left. Nothing here waits for anything but the arena itself.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena import running
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.excerpt import HALF
from arena.match.faults import POLICY, Blame, Consequence, FaultKind
from arena.match.record import Header, MatchRecord, Player
from arena.match.record_file import from_bytes, to_bytes
from arena.match.referee import Referee
from arena.replay.moments import disqualified
from arena.replay.verify import verify
from arena.roster.entries import Entry
from arena.texts import counted
from engine.draftosaurus import GAME
from protocol.errors import ErrorKind
from protocol.messages import Move, Ready
from protocol.session import Refused
from tests.machine import need_sandbox, why_not
from tests.match import light_bot

BOT = Path(__file__).with_name("faulty_bot.py")
SEAT = 1
SEED = 5
GENEROUS = TimeControl(hello_ms=60_000, prepare_ms=60_000, bank_ms=60_000, increment_ms=1_000)
SHORT = replace(GENEROUS, bank_ms=0)  # one second for each decision
LETTERS = {"accepted": "a", "late": "l", "illegal": "i", "malformed": "m", "absent": "x"}
KINDS = {"l": "late", "i": "illegal", "m": "malformed"}


@dataclass(frozen=True)
class Case:
    """A bot that misbehaves, and what has to come of it."""

    fault: str
    at: str
    course: str
    """What becomes of its decisions, those without a choice left out: a regular expression of LETTERS."""
    out: str | None = None
    """What it is disqualified for."""
    words: str = ""
    """Some of what the fault says."""
    besides: tuple[int, ...] = (0,)
    """How many strikes it may get while no answer of it is due."""
    codec: str = "json"
    strikes: int = 3
    clock: TimeControl = GENEROUS
    hello_ms: int = GENEROUS.hello_ms
    prepare_ms: int = GENEROUS.prepare_ms
    ending: str | None = None
    """How its process ended, if that is known."""
    neighbour: tuple[str, str] | None = None
    """What the bot at its other side does, unless that just plays."""

    def __str__(self) -> str:
        return f"{self.fault}@{self.at}" + (f"-{self.codec}" if self.codec != "json" else "")


def out(fault: str, at: str, kind: str, words: str, **more: Any) -> Case:
    """A fault for which the bot is disqualified there and then."""
    answered = {"hello": 0, "start": 0}.get(at, int(re.sub(r"\D", "", at) or 0) - (at[:1].isdigit()))
    course = "x+" if not answered else f"a{{{answered}}}x+"
    ending = words if kind == "crash" else "was ended by the arena"
    return Case(fault, at, **{"course": course, "out": kind, "words": words, "ending": ending, **more})


def strike(fault: str, kind: str, words: str, at: str = "7", **more: Any) -> Case:
    """A mistake that costs one strike."""
    return Case(fault, at, f"a{{{int(at) - 1}}}{kind}a+", words=words, **more)


def strikes(fault: str, kind: str, at: str = "7", **more: Any) -> Case:
    """A mistake that is made until the bot is disqualified."""
    most = more.get("strikes", 3)
    return Case(
        fault, at, f"a{{{int(at.rstrip('+')) - 1}}}{kind}{{{most}}}x+", "strikes", counted(most, "strike"), **more
    )


def hangs(fault: str, at: str = "7", **more: Any) -> Case:
    return strikes(fault, "l", at, strikes=2, clock=SHORT, **more)


def harmless(fault: str, at: str, **more: Any) -> Case:
    return Case(fault, at, "a+", **more)


CASES = [
    harmless("none", "1"),
    harmless("none", "1", codec="msgpack"),
    harmless("look-around", "1"),
    # Its process ends.
    out("crash", "hello", "crash", "exited with status 3"),
    out("crash", "start", "crash", "exited with status 3"),
    out("crash", "1", "crash", "exited with status 3"),
    out("crash", "7", "crash", "exited with status 3"),
    out("crash", "last", "crash", "exited with status 3", course="a+x+"),
    out("crash", "after7", "crash", "exited with status 3"),
    harmless("crash", "end"),
    out("segfault", "start", "crash", "was ended by signal 11 (SIGSEGV)"),
    out("segfault", "7", "crash", "was ended by signal 11 (SIGSEGV)"),
    out("half-a-frame", "hello", "crash", "exited with status 3"),
    out("half-a-frame", "start", "crash", "exited with status 3"),
    out("half-a-frame", "7", "crash", "exited with status 3"),
    out("half-a-frame", "7", "crash", "exited with status 3", codec="msgpack"),
    out("leave", "hello", "crash", "exited with status 0"),
    out("good-then-leave", "hello", "crash", "exited with status 0"),
    out("good-then-leave", "start", "crash", "exited with status 0"),
    out("good-then-leave", "7", "crash", "exited with status 0", course="a{7}x+"),
    harmless("leave", "end"),
    # It says nothing.
    out("hang", "hello", "no-hello", "no hello within 2500 ms", hello_ms=2_500),
    out("hang", "start", "not-ready", "no ready within 2000 ms", prepare_ms=2_000, ending=None),
    hangs("hang", "1"),
    hangs("hang", "7"),
    Case("hang", "last", "a+l", words="no answer within 10", strikes=2, clock=SHORT),
    harmless("hang", "after99"),
    harmless("hang", "end"),
    harmless("stubborn", "end"),
    harmless("stubborn", "bye"),
    hangs("stubborn", "1"),
    hangs("stop", "7"),
    harmless("stop", "bye"),
    hangs("drip", "7"),
    hangs("drip", "7", codec="msgpack"),
    strikes("deaf", "l", "1", strikes=15, clock=replace(GENEROUS, bank_ms=0, increment_ms=20)),
    strike("late", "l", "no answer within 10", clock=SHORT),
    out("close-stdout", "hello", "closed", "it closed its stdout, but its process keeps running"),
    out("close-stdout", "start", "closed", "it closed its stdout, but its process keeps running"),
    out("close-stdout", "7", "closed", "it closed its stdout, but its process keeps running"),
    out("good-then-close", "hello", "closed", "it closed its stdout", neighbour=("late", "hello")),
    harmless("close-stdout", "end"),
    out("close-stdin", "start", "not-ready", "no ready within 2000 ms", prepare_ms=2_000, ending=None),
    hangs("close-stdin", "7"),
    # It says too much.
    out("blank-lines", "7", "flood", "more than 2097152 bytes on stdout"),
    out("stale-moves", "7", "flood", "more than 2097152 bytes on stdout"),
    out("stale-moves", "7", "flood", "more than 2097152 bytes on stdout", codec="msgpack"),
    out("endless-line", "7", "protocol", "a line of more than 1048576 bytes"),
    out("endless-line", "hello", "protocol", "a line of more than 1048576 bytes"),
    out("four-gigabytes", "7", "protocol", "a frame of 4294967295 bytes", codec="msgpack"),
    out("deep", "7", "protocol", "a line that is not one JSON value"),
    out("deep", "7", "protocol", "not one MessagePack value", codec="msgpack"),
    out("junk", "7", "strikes", "3 strikes", course="a{6}m{1,3}x+", besides=(0, 1, 2), ending=None),
    out("stderr-flood", "hello", "flood", "more than 16777216 bytes on stderr"),
    out("stderr-flood", "start", "flood", "more than 16777216 bytes on stderr"),
    out("stderr-flood", "7", "flood", "more than 16777216 bytes on stderr"),
    harmless("stderr-and-on", "7"),
    # It keeps the referee busy, so that there may be no result.
    strikes("burst-of-nothing", "l", "1", strikes=1, clock=SHORT),
    strikes("crowd-of-stale", "l", "7", strikes=1, clock=SHORT),
    strikes("crowd-at-work", "l", "1", strikes=1, clock=SHORT),
    # It says what is no message.
    out("garbage", "hello", "protocol", r"no codec starts with this byte. Start with 00 (framed MessagePack) or {"),
    out("garbage", "start", "protocol", r"b'\xc1\xff\x9f\x00\xfe garbage{"),
    out("garbage", "7", "protocol", r"b'\xc1\xff\x9f\x00\xfe garbage{"),
    out("garbage", "7", "protocol", r"a frame of 3254755072 bytes", codec="msgpack"),
    out("print", "hello", "protocol", "print to stderr (SPEC 2.1): b'thinking...\\n"),
    out("print", "start", "protocol", "print to stderr (SPEC 2.1): b'thinking...'"),
    out("print", "7", "protocol", "print to stderr (SPEC 2.1): b'thinking...'"),
    out("print", "7", "protocol", "print to stderr (SPEC 2.1): b'thinking...\\n", codec="msgpack"),
    out("print", "after7", "protocol", "print to stderr (SPEC 2.1): b'thinking...'"),
    out("unframed", "hello", "protocol", "MessagePack without a frame"),
    out("wrong-revision", "hello", "protocol", "this arena speaks revision 1, the bot 99"),
    out("other-game", "hello", "wrong-game", "it does not play draftosaurus; its hello lists: chess, go", ending=None),
    # It says the wrong thing.
    strike("future-id", "m", "$.id: expected 7, the id of the latest decide, got 8"),
    strike("id-0", "m", "$.id: expected 7, the id of the latest decide, got 0"),
    strike("negative-id", "m", "$.id: expected an integer from 0 to 2^63 - 1, got an integer -1"),
    strike("string-id", "m", "$.id: expected an integer from 0 to 2^63 - 1, got a string '7'"),
    strike("too-deep", "m", "nested more than 32 deep"),
    strike("too-deep", "m", "nested more than 32 deep", codec="msgpack"),
    strike("action-of-wrong-type", "m", "$.action: expected a string of at most 4096 characters, got an array [1, 2]"),
    strike("no-action", "m", "$.action: a move needs this field"),
    strike("malformed", "m", "'I resign' is malformed"),
    strike("malformed", "m", "'I resign' is malformed", at="1", codec="msgpack"),
    strike("illegal", "i", "is not legal, the hand holds"),
    Case("illegal", "last", "a+i", words="is not legal"),
    strikes("illegal", "i", "7+"),
    strikes("malformed", "m", "1+"),
    strikes("future-id", "m", "7+"),
    harmless("twice", "7"),
    harmless("twice", "start", besides=(1,), words="a ready between decisions"),
    harmless("ahead", "start", besides=(1,), words="a move between decisions"),
    harmless("ahead", "7", besides=(1,), words="a move between decisions"),
    # It leaves somebody behind.
    harmless("child", "1"),
    harmless("daemon", "hello"),
    harmless("daemon", "7"),
    harmless("respawner", "1"),
    out("heir", "hello", "crash", "exited with status 0"),
    out("heir", "7", "crash", "exited with status 0"),
]


# Playing


def command(fault: str, at: str, folder: Path | str = "", codec: str = "json") -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", str(BOT), fault, at, str(folder), codec)


def entry(name: str, *words: str) -> Entry:
    return Entry(name, "1", words, BOT.parent)


def played(case: Case, folder: Path) -> MatchRecord:
    """The match. One that the machine was too busy for is played again, which is what the arena says to do."""
    at = str(decisions_in_a_good_match()) if case.at == "last" else case.at
    entries = [
        entry("left", *light_bot.command(folder)),
        entry("faulty", *command(case.fault, at, folder, case.codec)),
        entry("right", *(command(*case.neighbour, folder) if case.neighbour else light_bot.command(folder))),
    ]
    clocks = [
        replace(clock, hello_ms=case.hello_ms, prepare_ms=case.prepare_ms) for clock in (GENEROUS, case.clock, GENEROUS)
    ]
    setup = matches.MatchSetup(entries, seed=SEED, sandbox="none", clocks=clocks, strikes=case.strikes)
    for _ in range(3):
        record = running.run(lambda: matches.play(setup)).record()
        if not any(fault.kind == "overload" for fault in record.verdict.faults):
            break
    return record


@cache
def decisions_in_a_good_match() -> int:
    """How often the seat is asked when all play well, which is the same each time."""
    setup = matches.MatchSetup(
        [entry("good", *light_bot.command())] * 3, seed=SEED, sandbox="none", clocks=[GENEROUS] * 3
    )
    return len(course(running.run(lambda: matches.play(setup)).record(), SEAT))


def course(record: MatchRecord, seat: int) -> str:
    mine = (decision for _, _, decision in record.decisions() if decision.seat == seat)
    return "".join(LETTERS[decision.status] for decision in mine if decision.status != "forced")


# What is left


def survivors(folder: Path) -> list[int]:
    """The processes whose command line names this folder, as those of bots and of all their children do."""
    return [pid for pid, words in command_lines() if str(folder).encode() in words and pid != os.getpid()]


def command_lines() -> Iterator[tuple[int, list[bytes]]]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # it has just gone
                yield int(process.name), (process / "cmdline").read_bytes().split(b"\0")


def own_children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


# The tests


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_faulty_bot_harms_nobody_but_itself(case: Case, tmp_path: Path) -> None:
    decisions_in_a_good_match()  # whatever trio and the arena open once is open now
    children, descriptors = own_children(), open_descriptors()
    record = played(case, tmp_path)
    assert survivors(tmp_path) == []
    assert own_children() == children, "no zombie, no spawner"
    assert open_descriptors() == descriptors
    check_the_match(record)
    check_the_faults(record, case)
    check_what_the_author_gets(record, case)


def check_the_match(record: MatchRecord) -> None:
    """It counts, it can be kept and played again, and the others played as if nothing had happened."""
    verdict = record.verdict
    assert verdict.void is None
    assert from_bytes(to_bytes(record)) == record
    assert verify(record) is None
    assert {fault.seat for fault in verdict.faults} <= {SEAT}
    assert disqualified(record) <= {SEAT}
    for _, _, decision in record.decisions():
        assert decision.seat == SEAT or decision.status in ("accepted", "forced")
    if disqualified(record):
        assert verdict.ranks[SEAT] == 3 > max(verdict.ranks[seat] for seat in (0, 2))


def check_the_faults(record: MatchRecord, case: Case) -> None:
    """Each is of the right kind, has its consequence, and is told at the decision that it cost."""
    faults = record.verdict.faults
    found = course(record, SEAT)
    assert re.fullmatch(case.course, found), (found, faults)
    assert all(POLICY[FaultKind(fault.kind)].blame is Blame.BOT for fault in faults)
    by_decision = {number: decision for number, _, decision in record.decisions() if decision.seat == SEAT}
    costly = [(n, str(d.status)) for n, d in by_decision.items() if d.status in KINDS.values()]
    mistakes = [fault for fault in faults if POLICY[FaultKind(fault.kind)].consequence is Consequence.STRIKE]
    loose = Counter((fault.decision, fault.kind) for fault in mistakes) - Counter(costly)
    assert {kind for _, kind in loose} <= {"malformed"}
    assert loose.total() in case.besides
    assert len(mistakes) == len(costly) + loose.total()
    assert all(fault.decision in by_decision for fault in faults if fault.decision is not None)
    assert [fault.kind for fault in faults if fault not in mistakes] == ([case.out] if case.out else [])
    assert case.words in (faults[-1].text if faults else "")
    reasons = [(d.reason, str(d.status)) for d in by_decision.values() if d.reason]
    assert not Counter(reasons) - Counter((fault.text, fault.kind) for fault in mistakes), "the same words in both"


def check_what_the_author_gets(record: MatchRecord, case: Case) -> None:
    account = record.verdict.accounts[SEAT]
    if case.fault != "none" and case.at not in ("end", "bye", "after99"):
        assert f"{case.fault} at" in account.stderr
    assert len(account.stderr) <= 2 * HALF + 100
    if case.ending is not None:
        assert account.exit == case.ending
        last = (account.last_told or {}).get("type")
        assert last in {"hello": (None, "welcome", "start"), "start": ("start", "decide")}.get(case.at, ("decide",))
    if case.fault == "crash" and case.at != "end":
        assert "the sky is falling" in account.stderr
    if case.fault == "stderr-and-on":
        assert account.stderr_bytes > 200_000
        assert re.search(r"\nline 19999\n", account.stderr)
        assert re.search(r"line 0\n(.|\n)*\n\.\.\. \d+ bytes left out \.\.\.\n", account.stderr)
    if case.fault == "look-around":
        assert "descriptors: 0 1 2\n" in account.stderr, "it has no other's pipes, and cannot report its own end"
    if case.fault in ("child", "daemon", "heir"):
        assert "a child is there" in account.stderr


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize("at", ["hello", "start", "7"])
@pytest.mark.parametrize("number", range(3))
def test_no_noise_makes_a_match_void(number: int, at: str, codec: str, tmp_path: Path) -> None:
    case = Case(f"noise:{number}", at, ".*", codec=codec, strikes=1, clock=SHORT, hello_ms=2_500, prepare_ms=1_000)
    record = played(case, tmp_path)
    assert survivors(tmp_path) == []
    check_the_match(record)


@pytest.mark.parametrize("sandbox", ["none", "lite", "auto"])
@pytest.mark.parametrize("program", ["/no/such/program", "no-such-program"])
def test_a_command_that_does_not_exist_is_the_fault_of_its_seat(
    program: str, sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sandbox == "auto":
        need_sandbox()
    elif reason := why_not(sandbox):
        pytest.skip(reason)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700 if os.geteuid() == 0 else 0)  # of another user, if root's bots are others
    monkeypatch.setenv("PATH", f"{closed}:{os.environ['PATH']}")
    good = entry("good", *light_bot.command())
    setup = matches.MatchSetup(
        [good, entry("faulty", program, "x"), good], seed=SEED, sandbox=sandbox, clocks=[GENEROUS] * 3
    )
    record = running.run(lambda: matches.play(setup)).record()
    check_the_match(record)
    (fault,) = record.verdict.faults
    assert fault.kind == "not-started"
    assert f"'{program} x' in " in fault.text
    assert "could not be executed: No such file or directory" in fault.text


def test_what_a_bot_said_before_it_was_asked_is_no_answer() -> None:
    players = tuple(Player(f"good#{number}", "1", "", SHORT) for number in (1, 2, 3))
    referee = Referee(GAME, Header("m", GAME.name, GAME.edition, {}, SEED, players))
    referee.begin(0.0, [None] * 3)
    referee.outbox()
    for seat in range(3):
        referee.heard(seat, Ready(), 9.0, 0.0)
    referee.heard(SEAT, Refused(ErrorKind.WRONG_TIME, 16, "a ready between decisions"), 9.0, 0.0)
    assert [(fault.kind, fault.seat) for fault in referee.faults] == [("malformed", SEAT)]
    assert not referee.steps[-1].decisions, "the decision is still open"
    for seat, decide in referee.outbox():
        referee.asked(seat, 9.0, 0.0)
        referee.heard(seat, Move(decide.id, decide.legal[0]), 9.5, 0.0)
    assert {(d.status, d.used_us) for d in referee.steps[-1].decisions} == {("accepted", 500_000)}


def test_three_faulty_bots_at_one_table_end_their_match(tmp_path: Path) -> None:
    faults = [("crash", "hello"), ("stale-moves", "3"), ("illegal", "2+")]
    entries = [entry(fault, *command(fault, at, tmp_path)) for fault, at in faults]
    setup = matches.MatchSetup(entries, seed=SEED, sandbox="none", clocks=[GENEROUS] * 3)
    record = running.run(lambda: matches.play(setup)).record()
    assert survivors(tmp_path) == []
    assert record.verdict.void is None
    assert verify(record) is None
    assert disqualified(record) == {0, 1, 2}
