"""Exams of a process that plays several matches: does it continue, does it forget, does its memory grow?"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial

import trio

from arena.check.probe import Failed, Probe
from arena.check.questions import ExamSetting, ExamTable
from arena.check.room import Room
from arena.check.talk import ask, begin, blame, converse, greet, one_question, play_strictly
from protocol.messages import Decide, Ready

SHORT_MATCHES = 200
SUSPICIOUS_KB = 4 << 10
GROWN_KB = 16 << 10
MOST_MATCHES = 800
"""If its memory has grown, how many more short matches it plays, to see whether that stops."""
MOST_S = 20.0
"""How long that may take."""


async def matches(room: Room) -> None:
    await room.together(partial(several, room), partial(_owed_ready, room), partial(_ended_while_thinking, room))


async def several(room: Room) -> None:
    """Other seats, other numbers of players, other games, and the first match again."""
    known = [setting for setting in room.passed if not setting.options]
    firsts = {setting.game: setting for setting in reversed(known)}
    others = [setting for setting in known if setting.seats != room.base().seats][:2]
    queue = [room.brief(), *others, *list(firsts.values())[1:], room.brief(seat=room.last_seat, seed=3), room.brief()]
    with room.situation(None):
        async with room.open() as probe:
            await greet(probe)
            for number, setting in enumerate(queue, 1):
                most = None if number < 3 else 12
                try:
                    await play_strictly(probe, setting, most, f"check-{number}")
                except Failed as failed:
                    await blame(room, failed, number, partial(play_strictly, setting=setting, most=most))
                    return


async def _owed_ready(room: Room) -> None:
    with room.situation("owed-ready", ("split-frames", "merged-frames", "second-match")):
        await converse(room, partial(_end_before_ready, room))


async def _end_before_ready(room: Room, probe: Probe) -> ExamTable:
    first, second = ExamTable(room.brief()), ExamTable(room.brief(seed=2))
    await probe.say(first.start(), first.end())
    await probe.expect(Ready)
    await begin(probe, second)
    await one_question(probe, second)
    return second


async def _ended_while_thinking(room: Room) -> None:
    """The match ends while the bot thinks: its answer is stale, and the next match begins as usual."""
    with room.situation("second-match", ("split-frames", "merged-frames"), ended="while it had a question"):
        await converse(room, partial(_end_before_move, room))


async def _end_before_move(room: Room, probe: Probe) -> ExamTable:
    first, second = ExamTable(room.brief()), ExamTable(room.brief(seed=2))
    await begin(probe, first)
    question = first.question(probe.next_id)
    if question is not None:
        await probe.say(question)
        await probe.taken()
    await probe.say(first.end())
    await probe.taken()
    await begin(probe, second)
    await one_question(probe, second)
    return second


async def determinism(room: Room) -> None:
    answers: dict[str, list[str]] = {}
    await room.together(*(partial(_keep_answers, room, answers, key) for key in ("fresh", "fresh again", "second")))
    if "fresh" not in answers or "fresh again" not in answers:
        return
    if answers["fresh"] != answers["fresh again"]:
        at = _first_difference(answers["fresh"], answers["fresh again"])
        seen = f"two new processes answered differently, first at decision {at}"
        room.note("nondeterministic", seen, where=room.brief().where)
    elif answers.get("second", answers["fresh"]) != answers["fresh"]:
        await _confirm_memory(room, answers)


async def _confirm_memory(room: Room, answers: dict[str, list[str]]) -> None:
    """Repeat the comparison: a bot that remembers differs in the same way, one that uses the clock does not."""
    more: dict[str, list[str]] = {}
    await room.together(*(partial(_keep_answers, room, more, key) for key in ("fresh", "second")))
    at = _first_difference(answers["fresh"], answers["second"])
    where = {**room.brief().where, "decision": at}
    if more.get("fresh") == answers["fresh"] and more.get("second") == answers["second"]:
        pair = [
            repr(given[at - 1]) if at <= len(given) else "nothing" for given in (answers["fresh"], answers["second"])
        ]
        seen = f"decision {at} of the same match: a new process answers {pair[0]}, one that has played before {pair[1]}"
        room.note("remembers", seen, where=where)
    else:
        room.note("nondeterministic", f"equal matches got different answers, first at decision {at}", where=where)


def _first_difference(one: list[str], other: list[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other), 1) if a != b), min(len(one), len(other)) + 1)


async def _keep_answers(room: Room, answers: dict[str, list[str]], key: str) -> None:
    with room.situation(None):
        async with room.open() as probe:
            await greet(probe)
            number = 1
            if key == "second":
                await play_strictly(probe, room.brief(seat=room.last_seat, seed=4))
                number = 2
            try:
                answers[key] = await play_strictly(probe, room.brief())
            except Failed as failed:
                await blame(room, failed, number, partial(play_strictly, setting=room.brief()))


# Memory


async def memory(room: Room) -> None:
    with room.situation(None):
        async with room.open() as probe:
            await greet(probe)
            await _watch_memory(room, probe)


async def _watch_memory(room: Room, probe: Probe) -> None:
    scripts = [script_of(room.brief(seed=seed, seat=seed % (room.last_seat + 1))) for seed in range(4)]
    sizes: list[int] = []
    try:
        await _play_short_matches(probe, scripts, sizes, SHORT_MATCHES)
        if sizes[-1] - sizes[SHORT_MATCHES // 4] > SUSPICIOUS_KB:
            with trio.move_on_after(MOST_S):
                await _play_short_matches(probe, scripts, sizes, MOST_MATCHES)
    except Failed as failed:
        number = len(sizes) + 1
        if len(sizes) > 1 and sizes[-1] - sizes[0] > GROWN_KB:
            room.failed(failed, "memory-growth", match_number=number)
        else:
            await blame(room, failed, number, lambda fresh: _short_match(fresh, scripts[len(sizes) % len(scripts)]))
        return
    _judge_growth(room, sizes)


@dataclass(frozen=True, slots=True)
class Script:
    """The first questions of a match in which the bot plays the first legal action, and the table after them."""

    table: ExamTable
    asked: tuple[tuple[ExamTable, Decide], ...]
    """Each question with the table at that moment."""


async def _play_short_matches(probe: Probe, scripts: Sequence[Script], sizes: list[int], count: int) -> None:
    """Matches of three questions, prepared in advance because their contents do not matter."""
    for _ in range(count):
        await _short_match(probe, scripts[len(sizes) % len(scripts)])
        sizes.append(probe.rss_kb)


async def _short_match(probe: Probe, script: Script) -> None:
    await begin(probe, script.table)
    for table, question in script.asked:
        await ask(probe, table, question.again(probe.next_id))
    await probe.say(script.table.end())
    await probe.taken()


def script_of(setting: ExamSetting) -> Script:
    table = ExamTable(setting)
    asked: list[tuple[ExamTable, Decide]] = []
    while len(asked) < 3 and (question := table.question(1)) is not None:
        asked.append((copy(table), question))  # a state is never changed, but replaced
        table.take(question, question.legal[0])
    return Script(table, tuple(asked))


def _judge_growth(room: Room, sizes: list[int]) -> None:
    """A leak keeps growing; a garbage-collected heap grows at first and then stops."""
    third = len(sizes) // 3
    early, late = sizes[2 * third] - sizes[third], sizes[-1] - sizes[2 * third]
    grown = sizes[-1] - sizes[min(len(sizes), SHORT_MATCHES) // 4]
    if grown > GROWN_KB and late > SUSPICIOUS_KB and late > early // 2:
        each = grown / len(sizes)
        seen = (
            f"its memory grew from {sizes[0] >> 10} to {sizes[-1] >> 10} MiB in {len(sizes)} short matches, "
            f"by {each:.0f} KiB each, and did not stop growing"
        )
        room.note("memory-growth", seen, where=room.brief().where)
