"""What viewers of a match may see and read of each moment: all of it, or what one seat could know."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from arena.match.bank import Clock
from arena.match.faults import POLICY, FaultKind, disqualifies
from arena.match.record import Decision, FaultNote, MatchRecord, Status
from arena.match.referee import ranked
from arena.replay.moments import Moment
from arena.texts import SENTENCE, one_line, safe
from arena.words.plain import Words
from engine.contract import Event, Game, Outcome, View, plain
from engine.dice import Seed

NOTE = 1100
"""Characters of a note, an answer or a reason. A referee keeps less."""
GUESSES = 6
"""How many positions that fit a seat's view must agree on a score before it counts as known."""
_LABEL = re.compile(r"(\S+(?: \S+)*) {2,}(.*)", re.DOTALL)

Json = dict[str, Any]


class Seen(Protocol):
    """What a kind of viewers gets of a match. Moments are asked for in their order."""

    def views(self, state: Any) -> list[View | None]:
        """The view of a spectator, then that of each seat; None for those that are not to be seen."""

    def tally(self, moment: Moment, is_last: bool) -> tuple[Outcome, Json]:
        """Points for a drawing, and all points that are known."""

    def said(self, before: Moment, after: Moment) -> list[str]:
        """What happened, in sentences."""

    def chance(self, action: str) -> str:
        """What chance did; "" if that is not known."""

    def decided(self, before: Moment, after: Moment, decision: Decision) -> Json:
        """A decision, without its number."""

    def fault(self, fault: FaultNote) -> Json:
        """A fault, in words."""


class OpenBook:
    """All of a match, with all hands."""

    def __init__(self, game: Game[Any], record: MatchRecord, words: Words) -> None:
        self._game = game
        self._words = words
        self._seats = range(len(record.header.players))
        self._clocks = [Clock(player.clock) for player in record.header.players]

    def views(self, state: Any) -> list[View | None]:
        public = self._game.public(state)  # once for all: it is most of a view
        return [public | self._game.private(state, seat) for seat in (None, *self._seats)]

    def tally(self, moment: Moment, is_last: bool) -> tuple[Outcome, Json]:  # noqa: ARG002
        tally = self._game.tally(moment.state)
        return tally, _points(tally, moment)

    def said(self, before: Moment, after: Moment) -> list[str]:
        return _sentences(self._words, self._game, before, after, None)

    def chance(self, action: str) -> str:
        return one_line(action, SENTENCE)

    def decided(self, _before: Moment, _after: Moment, decision: Decision) -> Json:
        return charged(decision, self._clocks[decision.seat])

    def fault(self, fault: FaultNote) -> Json:
        return _fault(fault, fault.text)


class OneSeat:
    """What one seat received, saw, did itself, or could work out."""

    def __init__(self, game: Game[Any], record: MatchRecord, words: Words, seat: int) -> None:
        self._game = game
        self._words = words
        self._seat = seat
        self._seats = range(len(record.header.players))
        self._clock = Clock(record.header.players[seat].clock)

    def views(self, state: Any) -> list[View | None]:
        return [self._game.view(state, seat) if seat == self._seat else None for seat in (None, *self._seats)]

    def tally(self, moment: Moment, is_last: bool) -> tuple[Outcome, Json]:
        game = self._game
        if is_last and game.outcome(moment.state) is not None:  # every seat receives the result
            tally = game.tally(moment.state)
            return tally, _points(tally, moment)
        view = game.view(moment.state, self._seat)
        guesses = [game.tally(game.determinize(view, Seed(number))) for number in range(GUESSES)]
        return guesses[0], agreed(guesses)

    def said(self, before: Moment, after: Moment) -> list[str]:
        return _sentences(self._words, self._game, before, after, self._seat)

    def chance(self, _action: str) -> str:
        return ""

    def decided(self, before: Moment, after: Moment, decision: Decision) -> Json:
        if decision.seat == self._seat:
            return charged(decision, self._clock)
        events = self._game.events(before.state, after.state, self._seat)
        action = decision.action if _is_told(decision, events) else None
        return {"seat": decision.seat, "action": action, **_status(decision, hidden=(Status.FORCED,))}

    def fault(self, fault: FaultNote) -> Json:
        """Details of other seats' faults can reveal hidden cards, so no bot receives them either."""
        if fault.seat in (None, self._seat) or fault.kind not in set(FaultKind):
            return _fault(fault, fault.text)
        return _fault(fault, POLICY[FaultKind(fault.kind)].meaning)


# Points


def _points(tally: Outcome, moment: Moment) -> Json:
    return {
        "scores": list(tally.scores),
        "ranks": list(ranked(tally, set(moment.out))),
        "leaders": list(moment.leaders),
        "breakdown": [dict(part) for part in tally.breakdown],
    }


def agreed(guesses: Sequence[Outcome]) -> Json:
    """The points in which all of these agree; None for all others."""
    scores = [_same(column) for column in zip(*(guess.scores for guess in guesses))]
    ranks = [_same(column) for column in zip(*(guess.ranks for guess in guesses))]
    parts = [_same_zones(column) for column in zip(*(guess.breakdown for guess in guesses))]
    leaders = [seat for seat, rank in enumerate(ranks) if rank == 1] if None not in ranks else []
    return {"scores": scores, "ranks": ranks, "leaders": leaders, "breakdown": parts}


def _same(values: Sequence[int]) -> int | None:
    return values[0] if len(set(values)) == 1 else None


def _same_zones(parts: Sequence[Mapping[str, int]]) -> dict[str, int | None]:
    return {zone: _same([part.get(zone, 0) for part in parts]) for zone in parts[0]}


# Words


def _sentences(words: Words, game: Game[Any], before: Moment, after: Moment, seat: int | None) -> list[str]:
    events = game.events(before.state, after.state, seat)
    return [sentence(text) for text in words.story(events, game.view(before.state, seat))]


def sentence(text: str) -> str:
    """A paragraph for a terminal as one sentence: a label becomes `Label: ...`."""
    found = _LABEL.match(text)
    whole = f"{found[1]}: {found[2]}" if found else text
    return one_line(" ".join(whole.split()), NOTE)


def headline(game: Game[Any], view: View, tally: Outcome) -> str:
    """The first line of a drawing: round, turn, phase."""
    return one_line(game.draw(view, tally, plain).partition("\n")[0], SENTENCE)


def _is_told(decision: Decision, events: Sequence[Event]) -> bool:
    """Whether an event about this seat has the whole action in it, so that it is not a secret."""
    own = (event for event in events if event.get("seat") == decision.seat)
    return any(value == decision.action for event in own for value in event.values())


# Decisions and faults


def charged(decision: Decision, clock: Clock) -> Json:
    """A decision with what is left in the bank after it, by the referee's own arithmetic."""
    clock.spend(decision.used_us)
    told: Json = {"seat": decision.seat, "action": one_line(decision.action, SENTENCE), **_status(decision)}
    told |= {"used_us": decision.used_us, "bank_ms": clock.bank_ms}
    for key in ("answer", "reason"):
        if getattr(decision, key) is not None:
            told[key] = one_line(getattr(decision, key), NOTE)
    if decision.note:
        told["note"] = safe(decision.note[:NOTE])
    return told


def _status(decision: Decision, hidden: Sequence[Status] = ()) -> Json:
    return {} if decision.status in (Status.ACCEPTED, *hidden) else {"status": decision.status.value}


def _fault(fault: FaultNote, text: str) -> Json:
    return {
        "seat": fault.seat,
        "kind": one_line(fault.kind),
        "text": one_line(text, SENTENCE),
        "out": disqualifies(fault.kind),
    }
