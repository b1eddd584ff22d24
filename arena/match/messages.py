"""The messages of a match to one seat: start, decide and end. The referee sends them, and so does `arena check`."""

from collections.abc import Sequence
from typing import Any, Final

from arena.match.bank import Clock
from arena.match.clock import TimeControl
from arena.match.faults import Fault
from arena.match.record import Decision, Header, Status
from engine.contract import Event, Outcome
from protocol.messages import Decide, End, Start

_WORDS: Final = {status: status.value for status in Status}


def start(header: Header, seat: int, bot_seed: int) -> Start:
    """The message that begins a match."""
    return Start(
        match=header.match,
        game=header.game,
        edition=header.edition,
        options=dict(header.options),
        seat=seat,
        seats=len(header.players),
        players=[player.name for player in header.players],
        clock=header.players[seat].clock.wire,
        bot_seed=bot_seed,
        tune=dict(header.players[seat].tune) or None,
    )


def decide(
    number: int,
    parts: tuple[dict[str, Any], dict[str, Any]],
    legal: Sequence[str],
    events: list[Event],
    clock: Clock | TimeControl,
    last: dict[str, Any] | None,
) -> Decide:
    """A question, with the view in two parts: the public one and the seat's own."""
    left = {"bank_ms": clock.bank_ms, "increment_ms": clock.increment_ms}
    return Decide(number, parts[0]["phase"], None, list(legal), events, left, last, parts)


def last(number: int, decision: Decision) -> dict[str, Any]:
    """What the next question says about this decision, which answered question `number`."""
    return {
        "id": number,
        "status": _WORDS[decision.status],
        "played": decision.action,
        "used_ms": decision.used_us // 1000,
        "reason": decision.reason,
    }


def end(seat: int, outcome: Outcome, ranks: Sequence[int], faults: Sequence[Fault], void: str | None) -> End:
    """The message that ends a match. Only a seat's own faults have details: these can reveal hidden cards."""
    shown = [
        {"seat": f.seat, "kind": f.kind.value, "text": f.text if f.seat == seat else f.policy.meaning}
        for f in faults
        if f.seat is not None
    ]
    breakdown = [dict(part) for part in outcome.breakdown]
    return End(list(outcome.scores), list(ranks), {"breakdown": breakdown}, shown, void)
