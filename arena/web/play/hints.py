"""Hints: what a bot would do at a person's question.

The bot is a new process in the sandbox. It receives what the person's seat has received, from the start of the match,
so that it may rely on its memory, and nothing else. Only its clock differs, because a person has a year.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import trio

from arena.errors import SettingError
from arena.match.clock import TimeControl
from arena.match.company import open_company
from arena.match.record import Status
from arena.match.tiers import choose
from arena.replay.ask import Examination
from arena.roster.entries import Entry
from arena.texts import SENTENCE, one_line
from protocol.messages import Decide, Start

CLOCK = TimeControl(hello_ms=5_000, prepare_ms=5_000, bank_ms=2_000, increment_ms=200)
LIMIT_S = 20.0
"""How long all answers of a bot may take together."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A legal action, and what the bot notes about it."""

    action: str
    note: str


async def advise(entry: Entry, start: Start, questions: Sequence[Decide], sandbox: str) -> Advice:
    """What this bot answers to the last of a seat's questions. SettingError if it has no usable answer."""
    clock = {"bank_ms": CLOCK.bank_ms, "increment_ms": CLOCK.increment_ms}
    asked = [question.again(question.id, clock) for question in questions]
    with trio.move_on_after(LIMIT_S):
        async with open_company(choose(sandbox, [entry])) as company:
            (bot,) = await company.hire([entry], CLOCK.hello_ms)
            examination = Examination(bot, replace(start, clock=CLOCK.wire), asked, CLOCK, None)
            await company.converse([bot], examination)
        last = examination.given[-1] if len(examination.given) == len(asked) else None
        if last is not None and last.status is Status.ACCEPTED and last.action in asked[-1].legal:
            return Advice(last.action, one_line(last.note or "", SENTENCE))
    raise SettingError(f"{entry.name} has no usable answer here.")
