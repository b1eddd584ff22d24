"""Exams with messages that no ordinary match sends, and with almost no time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from arena.check.probe import Failed, Probe
from arena.check.questions import ExamSetting, ExamTable
from arena.check.room import Room
from arena.check.talk import BYE, answer, ask, begin, converse, greet, one_question, play_strictly, see_off
from arena.match.clock import TimeControl
from arena.match.company import WELCOME
from arena.match.faults import FaultKind
from protocol.framing import MOST_BYTES
from protocol.messages import Hello, Plain, Ready


async def framing(room: Room) -> None:
    await room.together(partial(_split, room), partial(_merged, room))


async def _split(room: Room) -> None:
    with room.situation("split-frames"):
        async with room.open() as probe:
            probe.pieces = _bytewise
            await greet(probe)
            await play_strictly(probe, room.brief(), most=2)


SINGLE = 120


def _bytewise(data: bytes) -> list[bytes]:
    """Byte by byte; of a long message only the beginning, because each piece takes a millisecond."""
    rest = data[SINGLE:]
    size = max(7, len(rest) // 40)
    return [data[i : i + 1] for i in range(len(data[:SINGLE]))] + [
        rest[i : i + size] for i in range(0, len(rest), size)
    ]


async def _merged(room: Room) -> None:
    with room.situation("merged-frames", ("split-frames",), pair="welcome+start"):
        async with room.open() as probe:
            await probe.expect(Hello, probe.hello_s)
            table = ExamTable(room.brief())
            await probe.say(WELCOME, table.start())
            await probe.expect(Ready)
            await _merge_questions(room, probe, table)


async def _merge_questions(room: Room, probe: Probe, table: ExamTable) -> None:
    for _ in range(2):
        await one_question(probe, table)
    with room.situation(
        "merged-frames", ("split-frames", "after-fault", "ids", "wrong-id", "wrong-time"), pair="decide+decide"
    ):
        first = table.question(probe.next_id)
        if first is None:  # a short game
            return
        table.refuse(first, FaultKind.LATE, "no answer within 0 ms")
        second = table.question(probe.next_id + 1)
        if second is None:
            return
        await probe.say(first, second)
        action, _ = await answer(probe, table, second)
        table.take(second, action)
        with room.situation("merged-frames", ("split-frames", "second-match"), pair="end+start"):
            another = ExamTable(room.brief(seed=2))
            await probe.say(table.end(), another.start())
            await probe.expect(Ready)
            await one_question(probe, another)
            with room.situation("merged-frames", ("split-frames", "bye-ignored", "exit-status"), pair="end+bye"):
                await probe.say(another.end(), BYE)
                await see_off(probe, "bye")


async def unknown_fields(room: Room) -> None:
    await room.together(
        partial(_twisted, room, "unknown-fields", strange), partial(_twisted, room, "null-fields", nulls)
    )


async def _twisted(room: Room, special: str, twist: Callable[[Plain], Plain]) -> None:
    with room.situation(special):
        async with room.open() as probe:
            probe.twist = twist
            await greet(probe)
            await play_strictly(probe, room.brief(), most=4)
            with room.situation(special, ("second-match",)):  # did `end` break it?
                await play_strictly(probe, room.brief(seed=2), most=1)


NEW: Plain = {"later_revision": {"nested": [1, None, "ünknown", {"deep": True}]}, "also_new": 3.5, "new_null": None}
OPEN = ("limits", "clock", "last", "outcome", "view")
"""The maps in messages that may get new keys (SPEC 2.3 and 7)."""


def strange(wire: Plain) -> Plain:
    """A message with fields that no bot knows."""
    twisted = {**NEW, **wire}
    for name in OPEN:
        if isinstance(twisted.get(name), dict):
            twisted[name] = {**NEW, **twisted[name]}
    if "events" in twisted:
        twisted["events"] = [{**event, **NEW} for event in twisted["events"]] + [{"event": "comet", "size": 10}]
    if "faults" in twisted:
        twisted["faults"] = [{"seat": 0, "kind": "daydream", "text": "a kind of fault from a later arena", **NEW}]
    return twisted


def nulls(wire: Plain) -> Plain:
    """A message whose optional fields are null instead of missing."""
    optional = {"decide": "last", "end": "void"}.get(wire["type"])
    return wire if optional is None or optional in wire else {**wire, optional: None}


async def largest_message(room: Room) -> None:
    with room.situation("large-message", ("split-frames", "unknown-fields")):
        await converse(room, partial(_ask_at_length, room))


async def _ask_at_length(room: Room, probe: Probe) -> ExamTable:
    table = ExamTable(room.brief())
    await begin(probe, table)
    question = table.question(probe.next_id)
    if question is not None:
        probe.twist = partial(_swollen, probe)
        action, _ = await ask(probe, table, question)
        probe.twist = None
        table.take(question, action)
        await one_question(probe, table)  # does the bot still know its place in the stream?
    return table


def _swollen(probe: Probe, question: Plain) -> Plain:
    """This question with an event so long that the payload is almost 1 MiB; the fields that matter follow it."""
    assert probe.session.codec is not None, "it has said hello"
    event = {"event": "chronicle", "text": ""}
    others = {key: value for key, value in question.items() if key != "events"}
    wire = {"type": "decide", "events": [*question["events"], event], **others}
    event["text"] = "dinosaur " * ((MOST_BYTES - len(probe.session.codec.encode(wire)) - 64) // 9)
    return wire


async def ids(room: Room) -> None:
    with room.situation("ids"):
        async with room.open() as probe:
            await greet(probe)
            table = ExamTable(room.brief())
            await begin(probe, table)
            for number in (2, 129, 65_536, 2**31, 2**32 + 5, 2**53 - 1):
                question = table.question(number)
                if question is not None:
                    with _asked_with(number):
                        table.take(question, (await ask(probe, table, question))[0])


@contextmanager
def _asked_with(number: int) -> Iterator[None]:
    try:
        yield
    except Failed as failed:
        failed.where["id"] = number
        raise


async def order_of_legal(room: Room) -> None:
    await room.together(partial(_reversed, room), partial(_forced, room))


async def _reversed(room: Room) -> None:
    async def play_reversed(probe: Probe) -> None:
        probe.twist = lambda wire: {**wire, "legal": wire["legal"][::-1]} if "legal" in wire else wire
        await play_strictly(probe, room.brief())

    with room.situation("order-of-legal", order="reversed"):
        await converse(room, play_reversed)


async def _forced(room: Room) -> None:
    """Some arenas also ask when only one action is legal."""
    with room.situation("order-of-legal", order="a single action"):
        await converse(room, partial(_whole_match, room.brief(ask_forced=True)))


async def _whole_match(setting: ExamSetting, probe: Probe) -> None:
    await play_strictly(probe, setting)


# Time


async def clock(room: Room) -> None:
    cases = [partial(_low_clock, room, TimeControl(bank_ms=0, increment_ms=increment)) for increment in (0, 1)]
    await room.together(*cases, partial(_after_faults, room))


async def _low_clock(room: Room, control: TimeControl) -> None:
    with room.situation("low-clock", bank_ms=control.bank_ms, increment_ms=control.increment_ms):
        await converse(room, partial(_first_questions, room.brief(clock=control)))


async def _first_questions(setting: ExamSetting, probe: Probe) -> None:
    await play_strictly(probe, setting, most=8)


async def _after_faults(room: Room) -> None:
    reasons = {
        FaultKind.LATE: "no answer within 100 ms, with 100 ms for each decision and 0 ms left in the bank",
        FaultKind.ILLEGAL: "it is not legal now",
        FaultKind.MALFORMED: "byte 92: $.action: a move needs this field: b'\\x82\\xa4type'",
    }
    for kind, reason in reasons.items():
        with room.situation("after-fault", status=kind.value):
            await converse(room, partial(_refuse_second, room, kind, reason))


async def _refuse_second(room: Room, kind: FaultKind, reason: str, probe: Probe) -> ExamTable:
    table = ExamTable(room.brief())
    await begin(probe, table)
    for i in range(4):
        question = table.question(probe.next_id)
        if question is not None:
            action, _ = await ask(probe, table, question)
            if i == 1:
                table.refuse(question, kind, reason)
            else:
                table.take(question, action)
    return table
