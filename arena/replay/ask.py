"""Ask any bot the questions of a record: what would it have answered?

A bot with a memory must be in the same situation as the seat was. So a new process is started for each seat, receives
the seat's `start`, and is asked the seat's questions from the first one on, exactly as in the match. Whatever it
answers, the next question follows from the record, where another action may have been played.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from arena.errors import RecordError
from arena.match.agenda import Heard
from arena.match.bank import CPU_PATIENCE
from arena.match.bot import Bot
from arena.match.clock import TimeControl, now
from arena.match.company import Company, open_company, unfit
from arena.match.faults import Broken, FaultKind
from arena.match.record import Decision, MatchRecord, Status
from arena.match.referee import MOST_REASON, fault_of
from arena.match.tiers import choose
from arena.replay.moments import RecordedQuestion, game_of, questions, states
from arena.replay.verify import verify
from arena.roster.entries import Entry
from arena.sandbox.policy import AUTO, Policy, Tier
from engine.contract import Game, why_not
from protocol.messages import MOST_NOTE, Decide, Message, Move, Ready, Start
from protocol.session import Refused

PATIENCE = 3
"""After this many questions without an answer in time, the bot is asked no more."""


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """A recorded decision and what the bot does there: `given` is a Decision as the record would hold it.

    Its action is the bot's answer, or the game's fallback where that would have been played instead.
    """

    question: RecordedQuestion
    given: Decision

    @property
    def agrees(self) -> bool:
        """Whether the bot does what was done in the match, a fault included; but a crash agrees with nothing."""
        return self.given.status is not Status.ABSENT and _said(self.given) == _said(self.question.decision)


def _said(decision: Decision) -> tuple[Status, str | None]:
    return decision.status, decision.action if decision.status is Status.ACCEPTED else decision.answer


@dataclass(frozen=True, slots=True)
class Examined:
    """All answers of one bot, by the number of the decision, and what else went wrong."""

    answers: tuple[ComparedAnswer, ...]
    failure: Broken | None = None
    """Why it was not asked any further."""
    stderr: str = ""
    is_open: bool = False
    """Whether it had no sandbox."""

    @property
    def differing(self) -> tuple[ComparedAnswer, ...]:
        return tuple(answer for answer in self.answers if not answer.agrees)

    @property
    def has_failed(self) -> bool:
        """Whether the bot did anything that is a fault in a match."""
        return self.failure is not None or any(a.given.status is not Status.ACCEPTED for a in self.answers)


@dataclass(frozen=True, slots=True)
class AskTerms:
    """What a bot may use when it is asked."""

    time_ms: int | None = None
    """For each answer; None: as long as it might have taken in the match."""
    prepare_ms: int | None = None
    """For hello, and again for ready; None: as in the match."""
    sandbox: str = AUTO
    policy: Policy = field(default_factory=Policy)

    def clock(self, recorded: TimeControl) -> TimeControl:
        if self.prepare_ms is None:
            return recorded
        return replace(recorded, hello_ms=self.prepare_ms, prepare_ms=self.prepare_ms)


async def examine(
    record: MatchRecord, entry: Entry, asked: Sequence[RecordedQuestion], terms: AskTerms | None = None
) -> Examined:
    """Ask a bot these questions of a record, in a new process for each seat."""
    terms = terms or AskTerms()
    starts, _ = questions(record)
    found: list[Examined] = []
    async with open_company(choose(terms.sandbox, [entry], terms.policy)) as company:
        for seat in sorted({question.decision.seat for question in asked}):
            own = [question for question in asked if question.decision.seat == seat]
            start = replace(starts[seat], tune=entry.values or None)  # its own, whatever the seat had
            found.append(await _examine_seat(company, record, entry, start, own, terms))
            if found[-1].failure is not None and not found[-1].answers:
                break  # it could not be asked at all, and another seat would not change that
    answers = sorted((answer for one in found for answer in one.answers), key=lambda answer: answer.question.number)
    failed = next((one for one in found if one.failure is not None), None)
    stderr = failed.stderr if failed else "".join(one.stderr for one in found)
    is_open = any(one.is_open for one in found)
    return Examined(tuple(answers), failed.failure if failed else None, stderr, is_open)


def questions_of(record: MatchRecord) -> list[RecordedQuestion]:
    """All questions of a record. RecordError if it does not follow the rules."""
    divergence = verify(record)
    if divergence is not None:
        raise RecordError(f"the record does not follow the rules: {divergence}")
    return questions(record)[1]


async def _examine_seat(
    company: Company,
    record: MatchRecord,
    entry: Entry,
    start: Start,
    asked: Sequence[RecordedQuestion],
    terms: AskTerms,
) -> Examined:
    control = terms.clock(record.header.players[start.seat].clock)
    (bot,) = await company.hire([entry], control.hello_ms)
    examination = Examination(bot, start, [one.decide for one in asked], control, terms.time_ms)
    await company.converse([bot], examination)
    bot.drain()
    await company.dismiss([bot])
    given = _judged(record, asked, examination.given)
    is_open = bot.process.tier is Tier.NONE
    return Examined(tuple(map(ComparedAnswer, asked, given)), examination.failure, bot.stderr.text(), is_open)


class Examination:
    """One seat's questions to one bot. An Agenda of arena.match.conversation."""

    charges_cpu = False
    resting: Sequence[int] = ()

    def __init__(
        self, bot: Bot, start: Start, asked: Sequence[Decide], control: TimeControl, time_ms: int | None
    ) -> None:
        self.given: list[Decision] = []
        """What the bot did at each question so far; whether its answers are legal is not checked yet."""
        self.failure = unfit(bot, start.game)
        self._bot = bot
        self._seat = start.seat
        self._asked = asked
        self._patience = CPU_PATIENCE if control.charge == "cpu" else 1
        self._time_ms = time_ms
        self._prepare_ms = control.prepare_ms
        self._is_open = False
        self._asked_at = 0.0
        self._outbox: list[tuple[int, Message]] = [] if self.failure else [(0, start)]
        self.deadline = now() + control.prepare_ms / 1000

    @property
    def over(self) -> bool:
        return self.failure is not None or len(self.given) == len(self._asked)

    def outbox(self) -> list[tuple[int, Message]]:
        taken, self._outbox = self._outbox, []
        return taken

    def asked(self, _seat: int, at: float, _cpu: float) -> None:
        self._asked_at = at
        self.deadline = at + self._allowed_s

    def heard(self, _seat: int, item: Heard, at: float, _cpu: float) -> None:
        if isinstance(item, Ready):
            self._ask()
        elif isinstance(item, Broken):
            self._break(item, at)
        elif self._is_open and isinstance(item, Move):
            note = item.note[:MOST_NOTE] if item.note else None
            self._take(Decision(self._seat, item.action, Status.ACCEPTED, self._used_us(at), note=note))
        elif self._is_open and isinstance(item, Refused):
            self._take(Decision(self._seat, "", Status.MALFORMED, self._used_us(at), reason=item.text))

    def time_is_up(self, at: float) -> None:
        if not self._is_open:
            self._break(self._bot.fail(FaultKind.NOT_READY, f"no ready within {self._prepare_ms} ms"), at)
            return
        text = f"no answer within {round(self._allowed_s * 1000)} ms"
        late = Decision(self._seat, "", Status.LATE, self._used_us(at), reason=text)
        if sum(one.status is Status.LATE for one in self.given) + 1 < PATIENCE:
            self._take(late)
        else:
            self.given.append(late)
            self.failure = self._bot.fail(FaultKind.LATE, f"{text}, {PATIENCE} times by now")

    def delayed(self, _seconds: float) -> None:
        """No time is charged here."""

    @property
    def _allowed_s(self) -> float:
        if self._time_ms is not None:
            return self._time_ms / 1000
        clock = self._question.clock
        return float(clock["bank_ms"] + clock["increment_ms"]) * self._patience / 1000

    @property
    def _question(self) -> Decide:
        # Its id needs no change: the ids of one seat's questions count from 1, and the process is new.
        return self._asked[len(self.given)]

    def _ask(self) -> None:
        self.deadline = inf  # until it is asked
        self._is_open = not self.over
        if self._is_open:
            self._outbox.append((0, self._question))

    def _take(self, decision: Decision) -> None:
        self.given.append(decision)
        self._ask()

    def _used_us(self, at: float) -> int:
        return max(0, round((at - self._asked_at) * 1e6))

    def _break(self, broken: Broken, at: float) -> None:
        if self._is_open:
            text = f"{broken.kind}: {broken.text}"
            self.given.append(Decision(self._seat, "", Status.ABSENT, self._used_us(at), reason=text))
        self._is_open = False
        self.failure = broken


# Are the answers legal?


def _judged(record: MatchRecord, asked: Sequence[RecordedQuestion], given: Sequence[Decision]) -> list[Decision]:
    """The decisions as a referee would have recorded them."""
    game, positions = game_of(record), states(record)
    before = {number: positions[index] for number, index, _ in record.decisions()}
    return [_judge(game, before[question.number], question, one) for question, one in zip(asked, given)]


def _judge(game: Game[Any], state: Any, question: RecordedQuestion, given: Decision) -> Decision:
    if given.status is Status.ACCEPTED and given.action in question.decide.legal:
        return given
    fallback = game.fallback(state, given.seat)
    if given.status is not Status.ACCEPTED:
        return replace(given, action=fallback)
    error = why_not(game, state, given.seat, given.action)
    kind, reason = fault_of(error), str(error)
    return replace(given, action=fallback, status=Status(kind.value), answer=given.action[:MOST_REASON], reason=reason)
