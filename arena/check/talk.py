"""A conversation with a bot, step by step: welcome, start, questions, end. Failed says what the bot did instead."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from arena.check.probe import PATIENCE_S, Failed, Probe
from arena.check.questions import MATCH_CLOCK, ExamSetting, ExamTable
from arena.check.room import Room
from arena.match.company import WELCOME
from arena.match.faults import FaultKind
from protocol.messages import Bye, Decide, Hello, Move, Ready

BYE = Bye()
MOST_MISTAKES = 3
"""Mistakes after which a match is stopped: this many strikes disqualify."""
LEAVE_S = 2.0
"""How long a bot may take to exit on a busy machine; a match kills it after half a second."""
BEYOND_S = 5.0
"""How long the examiner waits after the clock has run out, to separate slow bots from those that hang."""


async def greet(probe: Probe) -> tuple[Hello, float]:
    """Its hello, and the seconds until it came. Sends welcome."""
    hello, seconds = await probe.expect(Hello, probe.hello_s)
    await probe.say(WELCOME)
    await probe.taken()
    return hello, seconds


async def converse(room: Room, case: Callable[[Probe], Awaitable[ExamTable | None]]) -> None:
    """Hold this with a process that waits for a match. It returns the match that it leaves open, if it does.

    If the bot starts slowly, that may be a process that has played before. What fails there is held again in a new one.
    """
    used = room.standby.used() if room.standby else None
    if room.standby is not None and used is not None:
        try:
            await _close(used, await case(used))
        except Failed:
            used.dismissed.set()
        except BaseException:
            used.dismissed.set()
            raise
        else:
            room.standby.give_back(used)
            return
    async with room.open() as probe:
        await greet(probe)
        left = await case(probe)
        if room.standby is not None:
            await _close(probe, left)


async def _close(probe: Probe, left: ExamTable | None) -> None:
    """End the match that was left open, so that the process can be used again."""
    if left is not None:
        await probe.say(left.end())
        await probe.taken()


async def begin(probe: Probe, table: ExamTable, match: str = "check") -> None:
    """Start a match, and wait for ready."""
    probe.stderr_before = probe.stderr.total
    await probe.say(table.start(match))
    await _ready(probe, table)


async def _ready(probe: Probe, table: ExamTable) -> None:
    try:
        await probe.expect(Ready, probe.ready_s)
    except Failed as failed:
        failed.where = {**table.setting.where, **failed.where}
        raise


async def ask(probe: Probe, table: ExamTable, question: Decide, patience_s: float = PATIENCE_S) -> tuple[str, float]:
    """Ask one question. Returns a legal action, and the seconds until it came."""
    await probe.say(question)
    return await answer(probe, table, question, patience_s)


async def answer(probe: Probe, table: ExamTable, question: Decide, patience_s: float = PATIENCE_S) -> tuple[str, float]:
    """The answer to a question that has been sent."""
    try:
        move, seconds = await probe.expect(Move, patience_s)
        if move.action not in question.legal:
            reason = table.why_not(move.action) if move.action not in _legal(table) else "it was not in `legal`"
            shown = repr(move.action if len(move.action) <= 60 else f"{move.action[:60]}...")
            raise probe.failed("illegal-action", f"it answered {shown}: {reason}", fatal=False)
    except Failed as failed:
        failed.where = {**table.setting.where, "decision": table.asked, "phase": question.phase, **failed.where}
        raise
    return move.action, seconds


def _legal(table: ExamTable) -> Sequence[str]:
    return table.game.legal(table.state, table.setting.seat)


@dataclass(slots=True)
class ExamMatch:
    """How a match went."""

    answers: list[str] = field(default_factory=list)
    phases: set[str] = field(default_factory=set)
    """In which the bot was asked."""
    mistakes: list[Failed] = field(default_factory=list)
    """Those after which the match continued."""


async def play(probe: Probe, setting: ExamSetting, most: int | None = None, match: str = "check") -> ExamMatch:
    """A match, or its first questions, up to `end`. Bad answers are noted, and the match continues as in an arena."""
    table, played = ExamTable(setting), ExamMatch()
    await begin(probe, table, match)
    bank_s = MATCH_CLOCK.bank_ms / 1000
    while (most is None or table.asked < most) and len(played.mistakes) < MOST_MISTAKES:
        bank_ms = round(bank_s * 1000) if setting.clock == MATCH_CLOCK else None
        question = table.question(probe.next_id, bank_ms)
        if question is None:
            break
        played.phases.add(question.phase)
        allowed_s = bank_s + MATCH_CLOCK.increment_ms / 1000
        try:
            patience_s = allowed_s + BEYOND_S if setting.clock == MATCH_CLOCK else PATIENCE_S
            action, seconds = await ask(probe, table, question, patience_s)
        except Failed as failed:
            if failed.fatal:
                raise
            played.mistakes.append(failed)
            kind = FaultKind.ILLEGAL if failed.kind == "illegal-action" else FaultKind.MALFORMED
            table.refuse(question, kind, failed.seen)
            continue
        if seconds > allowed_s:
            raise _too_slow(probe, table, question, seconds, allowed_s)
        bank_s -= max(0.0, seconds - MATCH_CLOCK.increment_ms / 1000)
        played.answers.append(action)
        table.take(question, action)
    await probe.say(table.end())
    await probe.taken()
    return played


def _too_slow(probe: Probe, table: ExamTable, question: Decide, seconds: float, allowed_s: float) -> Failed:
    allowed = f"a bank of {MATCH_CLOCK.bank_ms} ms for the match and {MATCH_CLOCK.increment_ms} ms for each decision"
    seen = f"an answer came after {seconds:.1f} s, with {allowed_s:.1f} s left (of {allowed})"
    failed = probe.failed("slow", seen)
    failed.where = {**table.setting.where, "decision": table.asked, "phase": question.phase}
    return failed


async def play_strictly(probe: Probe, setting: ExamSetting, most: int | None = None, match: str = "check") -> list[str]:
    """A match in which every mistake is raised."""
    played = await play(probe, setting, most, match)
    if played.mistakes:
        raise played.mistakes[0]
    return played.answers


async def blame(room: Room, failed: Failed, number: int, again: Callable[[Probe], Awaitable[object]]) -> bool:
    """Note what failed in match `number` of a process.

    The same match is played in a new process. True if it works there, so that the cause is `second-match`.
    """
    if number == 1:
        room.failed(failed)
        return False
    try:
        async with room.open() as probe:
            await greet(probe)
            await again(probe)
    except Failed as again_failed:
        room.failed(again_failed)
        return False
    room.failed(failed, "second-match", match_number=number)
    return True


async def one_question(probe: Probe, table: ExamTable) -> None:
    """Ask the next question of a match, if there is one, and play the answer."""
    question = table.question(probe.next_id)
    if question is not None:
        action, _ = await ask(probe, table, question)
        table.take(question, action)


async def see_off(probe: Probe, how: str) -> None:
    """Wait until it exits after `bye` or `eof`, which must be with status 0."""
    cause = "bye" if how == "bye" else "its stdin was closed"
    ended = await probe.leaves(LEAVE_S)
    if ended is None:
        raise probe.failed(f"{how}-ignored", f"{LEAVE_S:g} s after {cause} the process was still running")
    if ended.status != 0:
        raise probe.failed("exit-status", f"after {cause} the process {ended}")
