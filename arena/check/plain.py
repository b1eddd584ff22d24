"""Exams without a special situation: build, start, hello, a match, all other matches, and the tiers of the sandbox."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial

from arena.building import build as building
from arena.building.build import Way
from arena.check.building import lacking
from arena.check.code import with_code
from arena.check.languages import guess
from arena.check.probe import Failed, Probe
from arena.check.questions import ExamSetting, ExamTable, rare, scripted, settings
from arena.check.room import Room, Skipped
from arena.check.talk import LEAVE_S, ask, begin, blame, converse, greet, play, play_strictly
from arena.errors import LaunchError
from arena.match.excerpt import HALF, Excerpt
from arena.match.telling import telling_of_build
from arena.roster.entries import MANIFEST
from arena.roster.platforms import is_unbuilt
from arena.sandbox.policy import Tier
from engine.catalogue import names
from protocol.messages import Hello

SLOW_START_S = 1.5
STARTS = 3
"""A start is slow if each of this many is slow; a busy machine is slow only sometimes."""
STDERR_KEPT = 2 * HALF
"""Bytes of stderr that an arena keeps per match."""
STAY_S = 0.2
"""How long it is watched after a match."""
LED = 2
"""How many questions a bot gets in a phase to which the examiner leads its match."""
UNBUILT = "Its build command was not run: add --build sandboxed (no network) or --build (with your rights)."
OFFLINE = "A sandboxed build has no network: fetch what it needs first, or put it into the folder (`arena docs check`)."
MOST_FAILURES = 3
"""Stop after this many matches that fail in the same way."""


async def build(room: Room) -> None:
    if not room.entry.build:
        raise Skipped("it has no build command")
    if room.way is Way.NO:
        raise Skipped("its build command was not run")
    printed = Excerpt()
    why = await building.build(room.entry, room.way, printed.add, room.build_s)
    if why is not None:
        advice = lacking(guess(room.entry)) or (OFFLINE if room.way is Way.SANDBOXED else "")
        lines = with_code(telling_of_build(printed.text()), room.entry.folder)
        room.note("build-failed", f"`{' '.join(room.entry.build)}` {why}", stderr="\n".join(lines), advice=advice)


async def start(room: Room) -> None:
    if room.way is Way.NO and is_unbuilt(room.entry):
        room.note("not-built", f"`{' '.join(room.entry.build)}` was not run, and what it makes is missing")
        return
    try:
        await _time_starts(room)
    except Failed as failed:
        if room.way is Way.NO and room.entry.build:
            failed.advice = UNBUILT
        if not await _retreat(room, failed, lambda tier: _hear_hello(room, tier)):
            room.failed(failed)


async def _time_starts(room: Room) -> None:
    """Start it, and if that is slow, again. These processes are for the next exams, so each stays open."""
    times: list[float] = []
    async with AsyncExitStack() as processes:
        while not times or (min(times) > SLOW_START_S and len(times) < STARTS):
            times.append(await _hear(room, await processes.enter_async_context(room.open())))
    if min(times) <= SLOW_START_S:
        room.starts_fast()
        return
    room.remark = "slow: some exams share processes" if room.standby else None
    room.note("slow-start", f"hello came {min(times):.1f} s after the start, in the fastest of {len(times)} starts")


async def _hear_hello(room: Room, tier: Tier) -> None:
    async with room.open(tier) as probe:
        await _hear(room, probe)


async def _hear(room: Room, probe: Probe) -> float:
    """When its hello came. An exam can read it again."""
    room.hello, seconds = await probe.expect(Hello, probe.hello_s)
    probe.put_back(room.hello, seconds)
    return seconds


async def _retreat(room: Room, failed: Failed, again: Callable[[Tier], Awaitable[object]]) -> bool:
    """Whether it works without a sandbox. Then the other exams are held without one."""
    if Tier.NONE not in room.launchers or room.home is Tier.NONE:
        return False
    if not await _is_well(again, Tier.NONE):
        return False
    if failed.kind in ("crash", "exits-early") and await _is_well(again, room.home):
        return False  # it fails only sometimes, and the sandbox is not the reason
    room.retreat(failed)
    return True


async def _is_well(again: Callable[[Tier], Awaitable[object]], tier: Tier) -> bool:
    try:
        await again(tier)
    except Failed:
        return False
    return True


async def hello(room: Room) -> None:
    assert room.hello is not None, "it has started"
    entry, said = room.entry, room.hello
    if room.is_described and said.name != entry.name:
        room.note("name-differs", f"hello has {said.name[:64]!r}, {MANIFEST} has {entry.name!r}")
    if not room.games:
        wanted = room.only or " or ".join(names())
        room.note("games-differ", f"hello lists {_listed(said.games)}, but not {wanted}", level="error")
    elif entry.games is not None and set(entry.games) != set(said.games):
        seen = f"hello lists {_listed(sorted(said.games))}, {MANIFEST} lists {_listed(sorted(entry.games))}"
        room.note("games-differ", seen)


def _listed(games: Sequence[str]) -> str:
    return ", ".join(map(repr, games[:8])) or "none"


# The plain match, and all others


async def match(room: Room) -> None:
    try:
        await _plain_match(room, room.home)
    except Failed as failed:
        if not await _retreat(room, failed, lambda tier: _plain_match(room, tier)):
            room.failed(failed)


async def _plain_match(room: Room, tier: Tier) -> None:
    setting = room.base()
    async with room.open(tier) as probe:
        await greet(probe)
        played = await play(probe, setting)
        with _located(setting):
            await _stay_after(probe)
        if tier is room.home:
            for mistake in played.mistakes:
                room.failed(mistake)
            _note_manners(room, probe, setting)
        elif played.mistakes:
            raise played.mistakes[0]


async def _stay_after(probe: Probe) -> None:
    """After the end it must wait silently. Without bye, because a session ignores everything after that."""
    ended = await probe.leaves(STAY_S)
    if ended is None:
        probe.hang_up()
        await probe.leaves(LEAVE_S)
    elif ended.status != 0:
        raise probe.failed("crash", f"at the end of the match the process {ended}")


@contextmanager
def _located(setting: ExamSetting) -> Iterator[None]:
    try:
        yield
    except Failed as failed:
        failed.where = {**setting.where, **failed.where}
        raise


def _note_manners(room: Room, probe: Probe, setting: ExamSetting) -> None:
    """What has no cost in a match, but should be different."""
    if probe.answered_twice is not None:
        seen = f"two moves came for decide {probe.answered_twice}"
        room.note("double-answer", seen, where=setting.where)
    if probe.stderr.total > STDERR_KEPT:
        seen = f"{probe.stderr.total} bytes on stderr in one match of {setting}"
        room.note("stderr-flood", seen, where=setting.where)


async def phases(room: Room) -> None:
    queue = [setting for game in room.games for setting in settings(game)]
    failures: dict[str, int] = {}
    while queue:
        queue = await _play_on(room, queue, failures)
        if any(count >= MOST_FAILURES for count in failures.values()):
            return
    await rare_phases(room)


async def rare_phases(room: Room) -> None:
    """Phases that the bot's own play did not reach: the examiner leads a match there, whatever the bot answers."""
    wanted = {
        phase: setting
        for game in room.games
        for phase, setting in rare(game).items()
        if (game, phase) not in room.phases
    }
    await room.together(*(partial(_lead_to, room, *pair) for pair in wanted.items()))


async def _lead_to(room: Room, phase: str, setting: ExamSetting) -> None:
    with room.situation(None, ("after-fault",)):
        await converse(room, partial(_lead, phase, setting))


async def _lead(phase: str, setting: ExamSetting, probe: Probe) -> ExamTable:
    table, choose = ExamTable(setting), scripted(setting)
    await begin(probe, table)
    asked = 0
    while asked < LED and (question := table.question(probe.next_id)) is not None:
        await ask(probe, table, question)
        asked += question.phase == phase
        table.overrule(question, choose(tuple(question.legal)))
    return table


async def _play_on(room: Room, queue: list[ExamSetting], failures: dict[str, int]) -> list[ExamSetting]:
    """Play these one after the other in one process, until it fails. Returns those that are left."""
    async with room.open() as probe:
        await greet(probe)
        for i, setting in enumerate(queue):
            try:
                played = await play(probe, setting)
            except Failed as failed:
                await _blame(room, setting, failed, i + 1, failures)
                return queue[i + 1 :]
            for mistake in played.mistakes[:1]:
                await _blame(room, setting, mistake, i + 1, failures)
            room.phases |= {(setting.game, phase) for phase in played.phases}
            if not played.mistakes:
                room.passed.append(setting)
    return []


async def _blame(room: Room, setting: ExamSetting, failed: Failed, number: int, failures: dict[str, int]) -> None:
    """Note what failed. A setting that works in a new process counts as passed."""
    failures[failed.kind] = failures.get(failed.kind, 0) + 1
    if await blame(room, failed, number, lambda probe: play_strictly(probe, setting)):
        room.passed.append(setting)


# The sandbox


async def sandbox(room: Room) -> None:
    others = [tier for tier in room.launchers if tier is not room.home]
    reasons: dict[Tier, str | None] = {}

    async def play_in(tier: Tier) -> None:
        reasons[tier] = await _play_in(room, tier)

    if room.standby is None:
        for tier in others:
            await play_in(tier)
    else:
        await room.together(*(partial(play_in, tier) for tier in others))
    refused = [reason for tier in others if (reason := reasons[tier]) is not None]
    if len(refused) == len(others):
        raise Skipped("; ".join(refused) or "this machine has no other tier, or --sandbox excludes it")
    room.remark = "; ".join(refused) or None


async def _play_in(room: Room, tier: Tier) -> str | None:
    """Play in this tier. Returns why that is impossible, which is not the bot's fault."""
    try:
        await _plain_match(room, tier)
    except Failed as failed:
        special = "sandbox" if tier is not Tier.NONE and failed.kind != "memory-limit" else None
        better = {"plays_in": "full"} if (room.home, tier) == (Tier.FULL, Tier.LITE) else {}
        room.failed(failed, special, (), tier=tier.value, **better)
    except LaunchError as error:
        return f"{tier}: {error}"
    return None
