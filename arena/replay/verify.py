"""Whether a referee can have written a record: the match is refereed again, by what the record says.

Theory of operation. A referee receives what must have been sent and done for this record, in the order in which its
faults are noted: an accepted answer comes after the time that it took, a late one too late, a crash is a crash. The
referee must come to the same result as the record. So clocks, strikes, disqualifications and the order of events follow
the referee's own rules, and there is no second version of them here. Texts are not compared, because the wording of a
fault is not a rule.

An event has no time of its own in a record, so each comes as late as it can: answers without consequences come last in
their step. A message that was refused while no answer was due comes before its seat's answer, as if the bot had
written it before it was asked.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

from arena.errors import RecordError
from arena.match.faults import Broken, Consequence, FaultKind, consequence
from arena.match.origin import first_state
from arena.match.record import Decision, FaultNote, MatchRecord, Status, Step
from arena.match.record_file import check_form
from arena.match.referee import Referee, digest, ranked
from arena.replay.moments import as_of_now, disqualified, game_of
from arena.texts import SENTENCE, SHOWN, cut, one_line, quoted
from engine.contract import CHANCE, Game, earlier
from engine.dice import Seed
from engine.errors import EngineError
from protocol.errors import ErrorKind
from protocol.messages import Move, Ready
from protocol.session import Refused

OUT = Consequence.DISQUALIFIED
BEFORE = frozenset(
    (FaultKind.NOT_STARTED, FaultKind.NO_HELLO, FaultKind.WRONG_GAME, FaultKind.NOT_READY, FaultKind.HOG)
)
"""Faults that can only happen before the first step."""
ENDED = frozenset((FaultKind.NOT_STARTED, FaultKind.CRASH))
"""Faults after which the process has ended, and its account says how."""
VALUE = 120
"""Characters that are shown of a value that differs between record and rules."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where a record does not follow the rules. Step 0 is what comes before the first step."""

    step: int
    text: str

    def __str__(self) -> str:
        text = one_line(self.text, SENTENCE)
        return f"step {self.step}: {text}" if self.step else text


def differs(what: str, recorded: object, played: object) -> str | None:
    """The difference in words, if there is one."""
    if recorded == played:
        return None
    return f"{what}: the record says {cut(str(recorded), VALUE)}, the rules say {cut(str(played), VALUE)}"


def verify(record: MatchRecord) -> Divergence | None:
    """Play every step again, and compare; then referee the match again. None: the record is true."""
    try:
        check_form(record)
        game, now = game_of(record), as_of_now(record)
        state = first_state(game, now.header)
    except (RecordError, EngineError) as error:
        return Divergence(0, str(error))
    text = setting(record, game)
    if text:
        return Divergence(0, text)
    record = now
    dice = Seed(record.header.seed)
    for number, step in enumerate(record.steps, 1):
        try:
            text = _fault_of(game, state, step, dice)
            state = game.apply(state, step.actions)
        except EngineError as error:
            return Divergence(number, str(error))
        text = text or differs("the digest of the state", step.state, digest(game, state))
        if text:
            return Divergence(number, text)
    text = _fault_of_verdict(record, game, state)
    return Divergence(len(record.steps), text) if text else conduct(game, record)


def _fault_of(game: Game[Any], state: Any, step: Step, dice: Seed) -> str | None:
    """What is wrong with a step, apart from where it leads."""
    actors, actions = game.to_act(state), step.actions
    if tuple(actions) != actors:
        return differs("who acts", tuple(actions), actors)
    if actors == (CHANCE,):
        return differs("chance", step.chance, game.deal(state, dice))
    for decision in step.decisions:
        if decision.status is Status.FORCED:
            due: tuple[str, ...] = game.legal(state, decision.seat)
        elif decision.status is Status.ACCEPTED:
            continue  # `apply` checks whether it is legal
        else:
            due = (game.fallback(state, decision.seat),)
        if due != (decision.action,):
            return differs(f"seat {decision.seat}, {decision.status}", decision.action, " or ".join(due))
    return None


def _fault_of_verdict(record: MatchRecord, game: Game[Any], state: Any) -> str | None:
    verdict = record.verdict
    outcome = game.outcome(state)
    if outcome is None and verdict.void is None:
        return "the record ends, but the game does not"
    outcome = outcome or game.tally(state)
    return (
        ending(record, game.outcome(state) is not None)
        or differs("the scores", verdict.scores, outcome.scores)
        or differs("the ranks", verdict.ranks, ranked(outcome, disqualified(record)))
        or differs("the breakdown", tuple(map(dict, verdict.breakdown)), tuple(map(dict, outcome.breakdown)))
    )


# What needs no match


def setting(record: MatchRecord, game: Game[Any]) -> str | None:
    """What is wrong with the header, whose options the game takes."""
    now = {name: option.default for name, option in game.options().items()}
    then = {**now, **(earlier(game, record.header.edition) or {})}
    for name, value in record.header.options.items():
        if value in (now[name], then[name]):
            return f"option {name}: {cut(repr(value))} is the default, which a header does not list"
    return None


def ending(record: MatchRecord, is_over: bool) -> str | None:
    """What is wrong with how the match ended, as far as the verdict alone shows."""
    verdict = record.verdict
    for fault in verdict.faults:
        if consequence(fault.kind) is None:
            arena = one_line(record.header.arena, SHOWN)
            return f"unknown fault {quoted(fault.kind)}. Use arena {arena} or a newer one to read it."
        if (consequence(fault.kind) is Consequence.VOID) != (fault.seat is None):
            return f"fault {fault.kind} of seat {fault.seat}: the arena's own faults have no seat, all others have one"
        if fault.kind in ENDED and verdict.accounts and verdict.accounts[fault.seat or 0].exit is None:
            return f"fault {fault.kind} of seat {fault.seat}, whose process did not end"
    called_off = [fault.text for fault in verdict.faults if fault.seat is None]
    if called_off != ([] if verdict.void is None else [verdict.void]):
        void = None if verdict.void is None else cut(verdict.void, VALUE)
        return f"void: the record says {void!r}, its faults say {cut(' and '.join(called_off), VALUE) or None!r}"
    if is_over and verdict.void is not None:
        return "the match is void, but the game is over"
    return None


# The match again


class _Impossible(Exception):
    """What the record says cannot have happened."""


def conduct(game: Game[Any], record: MatchRecord) -> Divergence | None:
    """Where a record whose steps follow the rules differs from what a referee can have written."""
    again = _Again(game, record)
    try:
        again.play()
    except _Impossible as found:
        return Divergence(min(again.at + 1, len(record.steps)), str(found))
    return None


class _Again:
    """A match that is refereed again."""

    def __init__(self, game: Game[Any], record: MatchRecord) -> None:
        self.at = 0
        """The step that is being played, from 0."""
        self._steps = record.steps
        self._notes = record.verdict.faults
        self._is_void = record.verdict.void is not None
        self._last = {_at(note): number for number, note in enumerate(self._notes)}
        """The last fault of each kind at each decision of a seat."""
        self._own = _decisions_by_seat(record)
        self._referee = Referee(game, record.header)
        self._is_prepared = False
        self._known = 0  # of the noted faults
        self._decided = 0  # decisions in the steps before

    def play(self) -> None:
        self._prepare()
        while self.at < len(self._steps):
            if len(self._referee.steps) == self.at:
                self._play_step()
            self._compare()
        if self._is_void:
            self._check_open_step()
        elif self._known < len(self._notes):
            raise _Impossible(f"{_named(self._notes[self._known])}: nothing in the match fits it")

    # One step

    def _prepare(self) -> None:
        """Before the first step all seats prepare; faults then are at no decision."""
        self._referee.begin(0.0, [None] * len(self._referee.seats))
        while (fault := self._next()) is not None and fault.decision is None and self._fits_here(fault):
            self._befall(fault, None)
        for seat in self._referee.seats:
            if seat.is_asked:
                self._hear(seat.index, Ready())
        self._is_prepared = True

    def _play_step(self) -> None:
        """The referee waits for answers."""
        decisions = {decision.seat: decision for decision in self._steps[self.at].decisions}
        while len(self._referee.steps) == self.at and (fault := self._next()) is not None and self._is_of_step(fault):
            assert fault.seat is not None
            self._befall(fault, decisions.get(fault.seat))
        for decision in decisions.values():
            if len(self._referee.steps) == self.at and self._referee.seats[decision.seat].is_asked:
                self._answer(decision)

    def _next(self) -> FaultNote | None:
        """The next fault of a seat."""
        fault = self._notes[self._known] if self._known < len(self._notes) else None
        return None if fault is None or fault.seat is None else fault

    def _is_of_step(self, fault: FaultNote) -> bool:
        seats = [decision.seat for decision in self._steps[self.at].decisions]
        if fault.decision is None:
            return fault.seat not in seats and self._fits_here(fault)
        return self._decided < fault.decision <= self._decided + len(seats)

    def _fits_here(self, fault: FaultNote) -> bool:
        """Whether a fault at no decision can have happened now: a seat that goes out decides nothing afterwards."""
        if not self._goes_out(fault):
            return True
        steps, statuses = self._own.get(fault.seat, ([], []))
        following = bisect_left(steps, self.at)
        return following == len(steps) or statuses[following] is Status.ABSENT

    def _goes_out(self, fault: FaultNote) -> bool:
        """Whether the next fault disqualifies its seat, directly or as the last strike."""
        after = self._notes[self._known + 1 : self._known + 2]
        strikes = any(other.kind == FaultKind.STRIKES and other.seat == fault.seat for other in after)
        return strikes or consequence(fault.kind) is OUT

    def _compare(self) -> None:
        """The decisions of a step, as they are recorded and as the referee took them."""
        recorded = self._steps[self.at].decisions
        for number, (decision, taken) in enumerate(zip(recorded, self._referee.steps[self.at].decisions), 1):
            if _facts(decision) != _facts(taken):
                where = f"seat {decision.seat}, decision {self._decided + number}"
                raise _Impossible(f"{where}: the record says {_told(decision)}, the referee {_told(taken)}")
        self._decided += len(recorded)
        self.at += 1

    # What happens

    def _befall(self, fault: FaultNote, decision: Decision | None) -> None:
        """Let this fault happen."""
        assert fault.seat is not None
        before = self._known
        is_open = decision is not None and self._referee.seats[fault.seat].is_asked
        if decision is not None and is_open and decision.status == fault.kind and not self._comes_again(fault):
            self._answer(decision)
        elif (item := self._said(fault)) is not None:
            if decision is not None and is_open and decision.status is Status.ACCEPTED and self._goes_out(fault):
                self._answer(decision)  # before it went
            self._hear(fault.seat, item)
        if self._known == before:
            raise _Impossible(f"{_named(fault)}: nothing in the match fits it")

    def _said(self, fault: FaultNote) -> Refused | Broken | None:
        """What the referee receives for a fault that is not an answer."""
        kind = FaultKind(fault.kind)
        if kind is FaultKind.MALFORMED:
            return Refused(ErrorKind.WRONG_TIME, 0, fault.text)
        if consequence(kind) is not OUT or kind is FaultKind.STRIKES or (kind in BEFORE and self._is_prepared):
            return None
        return Broken(kind, fault.text)

    def _comes_again(self, fault: FaultNote) -> bool:
        """Whether the seat has another such fault at this decision; the last one is the answer."""
        return self._last[_at(fault)] > self._known

    def _answer(self, decision: Decision) -> None:
        """Let a seat answer as it is recorded; a seat that was not asked, by the record, sends nothing."""
        index, used = decision.seat, decision.used_us
        question = self._referee.seats[index].question
        self._referee.asked(index, 0.0, 0.0)
        if decision.status is Status.ACCEPTED:
            self._hear(index, Move(question, decision.action, decision.note), used)
        elif decision.status is Status.LATE:
            self._referee.time_is_up(used * 1e-6)
            self._catch_up()
            if self._referee.seats[index].is_asked and len(self._referee.steps) == self.at:
                self._hear(index, Move(question, decision.action), used)
        elif decision.status is Status.MALFORMED and decision.answer is None:
            self._hear(index, Refused(ErrorKind.WRONG_TYPE, 0, decision.reason or ""), used)
        elif decision.status in (Status.ILLEGAL, Status.MALFORMED):
            self._hear(index, Move(question, decision.answer or "", decision.note), used)
        else:
            number = f"decision {self._decided + 1 + [d.seat for d in self._steps[self.at].decisions].index(index)}"
            raise _Impossible(f"seat {index}, {number}: {decision.status}, but the seat was asked")

    def _hear(self, seat: int, item: Move | Ready | Refused | Broken, used_us: int = 0) -> None:
        at = (used_us + 0.5) * 1e-6  # the referee rounds down
        self._referee.heard(seat, item, at, at)
        self._catch_up()

    def _catch_up(self) -> None:
        """Every fault that the referee finds must be noted, in this order."""
        for fault in self._referee.faults[self._known :]:
            found = FaultNote(fault.kind.value, fault.seat, fault.decision, "")
            noted = self._notes[self._known : self._known + 1]
            if [replace(note, text="") for note in noted] != [found]:
                says = _named(noted[0]) if noted else "nothing more"
                raise _Impossible(f"the faults: the record says {says}, the referee {_named(found)}: {fault.text}")
            self._known += 1

    # A void match

    def _check_open_step(self) -> None:
        """The faults of a step that was not finished; what was decided in it is not recorded."""
        *others, last = self._notes[self._known :] or [FaultNote("", None, None, "")]
        is_waiting = any(seat.is_asked for seat in self._referee.seats)
        if last.kind == FaultKind.OVERLOAD and (last.decision != self._decided + 1 or not is_waiting):
            raise _Impossible(f"{_named(last)}: no answer was due there")
        for fault in others:
            if fault.decision is not None and fault.decision <= self._decided:
                raise _Impossible(f"{_named(fault)}: nothing in the match fits it")
        if last.seat is not None or (last.kind == FaultKind.ARENA and last.decision is not None):
            raise _Impossible(f"{_named(last)}: nothing in the match fits it")


def _at(fault: FaultNote) -> tuple[str, int | None, int | None]:
    return fault.kind, fault.seat, fault.decision


def _decisions_by_seat(record: MatchRecord) -> dict[int | None, tuple[list[int], list[Status]]]:
    """The steps in which each seat decides, and how it did."""
    found: dict[int | None, tuple[list[int], list[Status]]] = {}
    for _, index, decision in record.decisions():
        steps, statuses = found.setdefault(decision.seat, ([], []))
        steps.append(index)
        statuses.append(decision.status)
    return found


def _named(fault: FaultNote) -> str:
    seat = "" if fault.seat is None else f" of seat {fault.seat}"
    return f"{fault.kind}{seat} at " + ("no decision" if fault.decision is None else f"decision {fault.decision}")


def _facts(decision: Decision) -> tuple[object, ...]:
    has_reason = decision.reason is not None
    return decision.seat, decision.action, decision.status, decision.used_us, decision.answer, has_reason, decision.note


def _told(decision: Decision) -> str:
    answer = "" if decision.answer is None else f", answer {decision.answer[:40]!r}"
    note = "" if decision.note is None else f", note {decision.note[:40]!r}"
    because = "" if decision.reason is None else ", with a reason"
    return f"{decision.action} {decision.status} after {decision.used_us} us{answer}{because}{note}"
