"""A record, played again: to check it, to show it, and to ask another bot its questions."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.errors import RecordError
from arena.match.faults import disqualifies
from arena.match.origin import first_state
from arena.match.record import Decision, FaultNote, MatchRecord, Status, Step
from arena.match.referee import Referee, ranked
from arena.texts import SENTENCE, SHOWN, one_line
from engine.catalogue import game as find_game
from engine.contract import Game, View, earlier
from engine.errors import EngineError
from protocol.messages import Decide, Ready, Start


def game_of(record: MatchRecord) -> Game[Any]:
    """The game that was played, in an edition that can play this record."""
    header = record.header
    try:
        game = find_game(header.game)
    except EngineError as error:
        raise RecordError(one_line(str(error), SENTENCE)) from None
    # A position leaves out options that have their defaults, so another edition reads it as another position.
    if earlier(game, header.edition) is None or (header.parent is not None and header.edition != game.edition):
        raise RecordError(
            f"{header.game} was played in edition {header.edition}, and this arena has edition {game.edition}. "
            f"Use arena {one_line(header.arena, SHOWN)} to read it."
        )
    return game


def as_of_now(record: MatchRecord) -> MatchRecord:
    """A record as the current edition of its game would have written it: options that were defaults then are listed."""
    game, header = game_of(record), record.header
    options = {**(earlier(game, header.edition) or {}), **header.options}
    return replace(record, header=replace(header, edition=game.edition, options=options))


def states(record: MatchRecord) -> list[Any]:
    """The state before the first step and after each one. RecordError if the record cannot be played."""
    game, record = game_of(record), as_of_now(record)
    try:
        found = [first_state(game, record.header)]
        for step in record.steps:
            found.append(game.apply(found[-1], step.actions))
    except EngineError as error:
        raise RecordError(one_line(str(error), SENTENCE)) from None
    return found


def disqualified(record: MatchRecord) -> set[int]:
    """The seats that were disqualified."""
    out = (fault for fault in record.verdict.faults if disqualifies(fault.kind))
    return {fault.seat for fault in out if fault.seat is not None}


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A recorded decision as it was asked."""

    number: int
    decision: Decision
    decide: Decide


def questions(record: MatchRecord) -> tuple[list[Start], list[RecordedQuestion]]:
    """How each seat's match began, and all questions, exactly as the bots received them.

    A match of an earlier edition is described as one of the current edition, with the options that were defaults then,
    because bots only know the current one.

    RecordError if the record does not follow the rules; `verify` names the place.
    """
    try:
        return _questions(record)
    except EngineError as error:
        raise RecordError(one_line(str(error), SENTENCE)) from None


def _questions(record: MatchRecord) -> tuple[list[Start], list[RecordedQuestion]]:
    referee = Referee(game_of(record), as_of_now(record).header)
    failed_at = {(fault.seat, fault.decision) for fault in record.verdict.faults}
    referee.begin(0.0, [None] * len(record.header.players))
    starts = [message for _, message in referee.outbox() if isinstance(message, Start)]
    for seat in range(len(starts)):
        referee.heard(seat, Ready(), 0.0, 0.0)
    found: list[RecordedQuestion] = []
    number = 0
    for index, step in enumerate(record.steps):
        if index < len(referee.steps):  # no bot was asked
            number += len(step.decisions)
            continue
        asked = {seat: message for seat, message in referee.outbox() if isinstance(message, Decide)}
        for decision in step.decisions:
            number += 1
            # An absent seat was not asked, except the last time, when it did not answer.
            was_asked = decision.status is not Status.ABSENT or (decision.seat, number) in failed_at
            if decision.seat in asked and was_asked:
                found.append(RecordedQuestion(number, decision, asked[decision.seat]))
        for decision in step.decisions:
            if decision.seat in asked:
                referee.repeat(decision)
    return starts, found


def boards(record: MatchRecord) -> Iterator[tuple[int, Step | None, Any]]:
    """Each moment of the match: its number, the step that led to it (None: the beginning), and the state."""
    for number, state in enumerate(states(record)):
        yield number, record.steps[number - 1] if number else None, state


def leads(game: Game[Any], state: Any, out: Collection[int] = ()) -> tuple[int, ...]:
    """The seats that would win if the game ended here; disqualified seats rank below all others."""
    found = ranked(game.tally(state), set(out))
    return tuple(seat for seat, rank in enumerate(found) if rank == 1)


def together(views: Sequence[View]) -> View:
    """What the seats know together: from every list by seat, what each seat knows about itself."""
    whole = {**views[0], "seat": None}
    for key, value in whole.items():
        if isinstance(value, list) and len(value) == len(views):
            whole[key] = [view[key][seat] for seat, view in enumerate(views)]
    return whole


@dataclass(frozen=True, slots=True)
class Moment:
    """One position of a match, and what led to it. Moment 0 is the beginning."""

    number: int
    step: Step | None
    state: Any
    first: int
    """The number that the first decision of the step has, or would have."""
    faults: tuple[FaultNote, ...]
    """What went wrong in the step."""
    out: frozenset[int]
    """Who is disqualified by now."""
    leaders: tuple[int, ...]

    @property
    def decisions(self) -> range:
        """The numbers of the step's decisions."""
        return range(self.first, self.first + (len(self.step.decisions) if self.step else 0))


def moments(record: MatchRecord) -> list[Moment]:
    """The match, position by position. RecordError if the record cannot be played."""
    game, found = game_of(record), []
    placed = _faults_by_moment(record)
    out: frozenset[int] = frozenset()
    first = 1
    for number, step, state in boards(record):
        faults = tuple(placed.get(number, ()))
        out |= {fault.seat for fault in faults if fault.seat is not None and disqualifies(fault.kind)}
        found.append(Moment(number, step, state, first, faults, out, leads(game, state, out)))
        first = found[-1].decisions.stop
    return found


def _faults_by_moment(record: MatchRecord) -> dict[int, list[FaultNote]]:
    """The faults by the moment after them; for those at no decision, the best guess that the record allows."""
    end, left = len(record.steps), _departures(record)
    after = {number: index + 1 for number, index, _ in record.decisions()}
    found: dict[int, list[FaultNote]] = {}
    for fault in record.verdict.faults:
        if fault.decision is not None:
            at = after.get(fault.decision, end)
        elif fault.seat is not None and not disqualifies(fault.kind):
            at = 0
        else:
            at = left.get(fault.seat, end)
        found.setdefault(at, []).append(fault)
    return found


def _departures(record: MatchRecord) -> dict[int | None, int]:
    """The moment of each seat's first decision as absent; 0 for a seat that never played."""
    left: dict[int | None, int] = {}
    present = set[int]()
    for _, index, decision in record.decisions():
        if decision.status is Status.ABSENT:
            left.setdefault(decision.seat, index + 1 if decision.seat in present else 0)
        present.add(decision.seat)
    return left
