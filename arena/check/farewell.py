"""The exam of how a bot exits: after bye and after end-of-file, at every stage, leaving no processes behind."""

import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from uuid import uuid4

from arena.check.probe import Failed, Probe, open_probe
from arena.check.questions import ExamTable
from arena.check.room import Room
from arena.check.talk import BYE, LEAVE_S, answer, converse, greet, one_question, play, see_off
from arena.sandbox.policy import Tier
from protocol.messages import Hello, Ready

WARDEN = Path(__file__).with_name("warden.py")
WARDEN_S = 2.0
"""How much longer it takes with the warden, which waits for the bot's other processes."""
STAGES = ("before welcome", "between matches", "before ready", "between decisions", "before move", "after a match")
FOLLOWS: Mapping[str, tuple[str, ...]] = {
    "before ready": ("split-frames", "merged-frames"),
    "before move": ("split-frames", "merged-frames"),
    "after a match": ("second-match",),
}
"""What else may be wrong with a bot that does not exit at a stage."""


async def goodbye(room: Room) -> None:
    ways = [(how, stage) for how, stage in product(("bye", "eof"), STAGES)]
    await room.together(*(partial(_goodbye, room, how, stage) for how, stage in ways), partial(children, room))


async def _goodbye(room: Room, how: str, stage: str) -> None:
    with room.situation(None, FOLLOWS.get(stage, ()), stage=stage):
        if stage == STAGES[0]:
            async with room.open() as probe:
                await probe.expect(Hello, probe.hello_s)
                await _leave(probe, how)
        else:
            await converse(room, partial(_leave_at, room, how, stage))


async def _leave_at(room: Room, how: str, stage: str, probe: Probe) -> None:
    async with aclosing(_stages(room, probe)) as stages:
        async for reached in stages:
            if reached == stage:
                break
    await _leave(probe, how)


async def _leave(probe: Probe, how: str) -> None:
    if how == "bye":
        await probe.say(BYE)
    else:
        probe.hang_up()
    await see_off(probe, how)


async def _stages(room: Room, probe: Probe) -> AsyncGenerator[str, None]:
    """A conversation after welcome that yields at each of the other STAGES."""
    yield "between matches"
    table = ExamTable(room.brief())
    await probe.say(table.start())
    await probe.taken()
    yield "before ready"
    await probe.expect(Ready)
    await one_question(probe, table)
    yield "between decisions"
    question = table.question(probe.next_id)
    if question is not None:  # else it is a short game
        await probe.say(question)
        await probe.taken()
    yield "before move"
    if question is not None:
        await answer(probe, table, question)
    await probe.say(table.end())
    await probe.taken()
    yield "after a match"


async def children(room: Room) -> None:
    """Which processes it leaves behind, where it may start any."""
    if Tier.NONE not in room.launchers:
        return
    token = f"left-{uuid4().hex}"
    command = (sys.executable, "-I", "-S", str(WARDEN), token, *room.entry.command)
    watched = replace(room.entry, command=command)
    with room.situation(None, ("bye-ignored",)):
        async with open_probe(watched, room.launchers[Tier.NONE]) as probe:
            try:
                await greet(probe)
                await play(probe, room.brief(), most=4)
                await probe.say(BYE)
                await probe.leaves(LEAVE_S + WARDEN_S)
            except Failed:
                return  # other exams report it
            left = probe.stderr.text().partition(token)[2].partition("\n")[0].strip()
            if left:
                raise Failed("children-left", f"after bye some of its processes kept running: {left}")
