"""A process that plays blocks of a league: `python -m arena.league.worker`.

It reads JSON lines from stdin: first the setting, then blocks. For each match it writes the record and one line to
stdout: a result, or why there is none. If there is no folder for records, the line includes the record. If a record
cannot be written, or this machine cannot start bots, it reports that and exits, because every further match would fail
too. When stdin ends, the worker stops at once and ends its bots; so no process is left, even if the runner is killed.
"""

import gc
import hashlib
import json
import os
import signal
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Container, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    gc.disable()  # until all is imported: that takes a fifth less, and so does the end

import trio

from arena.errors import HostError, StoreError
from arena.files import write_soon
from arena.league.clocks import LeagueClock
from arena.league.turns import Turn
from arena.league.wire import Setting, record_path, unwritten
from arena.match.bot import Bot
from arena.match.company import Company, open_company
from arena.match.faults import FaultKind
from arena.match.hosts import Host
from arena.match.record import MatchRecord
from arena.match.record_file import to_bytes
from arena.match.speed import this_host
from arena.match.tiers import choose
from arena.sandbox.policy import Policy, Tier
from engine.catalogue import game as find_game

READ = 1 << 16
MOST_IDLE = 64
"""Bots that wait for their next match. Each takes memory, descriptors and a user number, of which there are 256."""


class Crew:
    """The running bots, which are kept for one match, for one block, or until they have a fault.

    If too many would wait for their next match, the one that has waited longest is stopped.
    """

    def __init__(self, company: Company, setting: Setting, host: Host, most_idle: int = MOST_IDLE) -> None:
        self._company = company
        self.turn = Turn(setting.turn)
        company.on_long_wait = self.turn.give_back
        self._most_idle = most_idle
        self._host = host
        self._setting = setting
        self._entries = {name: setting.entry(name) for name in setting.entries}
        self._idle: list[tuple[str, Bot]] = []
        """Those that wait, with their names, in the order in which they came."""
        self._clock = LeagueClock.from_plain(setting.clock).on(host)

    async def play(self, fixture: dict[str, Any]) -> MatchRecord:
        """One match."""
        bots = await self._seat(fixture["bots"])
        for seat in fixture.get("barred", ()):
            bots[seat].fail(FaultKind.HOG, "it used far more than its share of the cores in attempts that were void")
        game = find_game(self._setting.game)
        header = self._company.header(
            game,
            bots,
            [self._clock] * len(bots),
            match=fixture["match"],
            options=self._setting.options,
            seed=fixture["seed"],
            bot_seed=fixture["bot_seed"],
            strikes=self._setting.strikes,
            record_format=self._setting.format,
            host=self._host,
            tune=fixture.get("tune", ()),
        )
        await self.turn.take()
        match = await self._company.play(game, header, bots)
        await self._release(fixture["bots"], bots, {fault.seat for fault in match.referee.faults})
        return match.record()

    async def _seat(self, names: Sequence[str]) -> list[Bot]:
        """A running bot for each seat, a new one where none is idle."""
        bots = {seat: bot for seat, name in enumerate(names) if (bot := self._take(name))}
        missing = [seat for seat in range(len(names)) if seat not in bots]
        self.rest()
        if missing:
            for bot in bots.values():  # while the others start
                bot.freeze()
            entries = [self._entries[names[seat]] for seat in missing]
            bots |= zip(missing, await self._company.hire(entries, self._clock.hello_ms))
        return [bots[seat] for seat in range(len(names))]

    def _take(self, name: str) -> Bot | None:
        """The bot of this name that came last, if one is idle."""
        for place in reversed(range(len(self._idle))):
            if self._idle[place][0] == name:
                return self._idle.pop(place)[1]
        return None

    async def _release(self, names: Sequence[str], bots: Sequence[Bot], faulty: Container[int | None]) -> None:
        """Stop bots that are not kept for another match. A bot that had a fault is never kept."""
        gone = []
        for seat, (name, bot) in enumerate(zip(names, bots)):
            if self._setting.processes != "match" and bot.is_usable and seat not in faulty:
                self._idle.append((name, bot))
            else:
                gone.append(bot)
        await self._dismiss(gone + self._let_go(self._most_idle))

    def _let_go(self, left: int) -> list[Bot]:
        """Take out those that have waited longest, until so many are left."""
        count = max(0, len(self._idle) - left)
        gone, self._idle = self._idle[:count], self._idle[count:]
        return [bot for _, bot in gone]

    async def _dismiss(self, bots: Sequence[Bot]) -> None:
        if bots:
            await self._company.dismiss(bots)

    def rest(self) -> None:
        """Freeze the bots that wait, until their next match.

        It is not done at once when their match is over: most of them play in the next one, and to freeze and thaw a
        bot takes as long as several decisions.
        """
        for _, bot in self._idle:
            bot.freeze()

    async def end_block(self) -> None:
        if self._setting.processes == "block":
            await self._dismiss(self._let_go(0))
        self.rest()
        self.turn.end_block()


def match_message(fixture: dict[str, Any], record: MatchRecord) -> dict[str, Any]:
    """What the runner needs to know about a match."""
    verdict = record.verdict
    if verdict.void is not None:
        return {"match": fixture["match"], "void": verdict.void, "suspects": verdict.suspects}
    states = "".join(step.state for step in record.steps)
    return {
        "match": fixture["match"],
        "ranks": verdict.ranks,
        "scores": verdict.scores,
        "breakdown": [dict(part) for part in verdict.breakdown],
        "faults": [{"kind": f.kind, "seat": f.seat, "decision": f.decision, "text": f.text} for f in verdict.faults],
        "times": list(_times(record)),
        "steps": len(record.steps),
        "digest": hashlib.sha256(states.encode()).hexdigest()[:16],
        "host": record.header.host.id if record.header.host else "",
    }


def _open_seats(setting: Setting, record: MatchRecord) -> dict[str, list[str]]:
    """Bots that played without a sandbox although the user did not choose that: built-in ones, where no tier works."""
    if setting.sandbox != "auto":
        return {}
    return {"open": [one.name for one in record.header.players if one.sandbox == Tier.NONE]}


def _times(record: MatchRecord) -> Iterator[dict[str, int]]:
    used: list[list[int]] = [[] for _ in record.header.players]
    for step in record.steps:
        for decision in step.decisions:
            if decision.status.is_timed:
                used[decision.seat].append(decision.used_us)
    for seat, times in enumerate(used):
        times.sort()
        yield {
            "decisions": len(times),
            "total_us": sum(times),
            "p99_us": times[len(times) * 99 // 100] if times else 0,
            "most_us": times[-1] if times else 0,
            "cpu_us": record.verdict.accounts[seat].cpu_us if record.verdict.accounts else 0,
        }


async def work(lines: trio.MemoryReceiveChannel[bytes]) -> None:
    """Play block after block until stdin ends."""
    setting = Setting(**json.loads(await anext(lines)))
    host = Host.from_plain(setting.host) if setting.host else await find_host()
    if setting.cpus:
        os.sched_setaffinity(0, setting.cpus)
    launcher = choose(
        setting.sandbox, map(setting.entry, setting.entries), Policy(setting.memory_mb, threads=setting.threads)
    )
    async with open_company(launcher, setting.cpus, affinity=setting.affinity) as company:
        crew = Crew(company, setting, host)
        say({"ready": launcher.tier.value, "host": host.plain()})
        while True:
            for _ in range(2):  # for trio to see that there is another block, and for `lines_of` to read it
                await trio.lowlevel.checkpoint()
            if lines.statistics().current_buffer_used == 0:
                crew.turn.give_back()
            for fixture in json.loads(await lines.receive()):
                record = await crew.play(fixture)
                kept = _keep(record, setting.records, fixture["match"]) if record.verdict.void is None else {}
                say({**match_message(fixture, record), **_open_seats(setting, record), **kept})
            await crew.end_block()


async def find_host() -> Host:
    """This machine. If its speed is not known yet, that takes a moment, and a runner may stop meanwhile."""
    return await trio.to_thread.run_sync(this_host, abandon_on_cancel=True)


def _keep(record: MatchRecord, folder: str, match: str) -> dict[str, str]:
    """Write the record; if there is no folder for it, the runner receives it with the result.

    The runner syncs the folder before the result counts.
    """
    if not folder:
        return {"record": b64encode(to_bytes(record)).decode()}
    path = record_path(Path(folder), match)
    try:
        write_soon(path, to_bytes(record))
    except OSError as error:
        raise unwritten(path, error) from None
    return {}


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


@asynccontextmanager
async def lines_of(fd: int) -> AsyncIterator[trio.MemoryReceiveChannel[bytes]]:
    """The lines of a pipe. When the pipe ends, the body of the `async with` is cancelled."""
    send, receive = trio.open_memory_channel[bytes](1 << 16)
    async with trio.lowlevel.FdStream(os.dup(fd)) as stream, trio.open_nursery() as nursery:

        async def read() -> None:
            rest = b""
            while data := await stream.receive_some(READ):
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    await send.send(line)
            nursery.cancel_scope.cancel()

        nursery.start_soon(read)
        yield receive
        nursery.cancel_scope.cancel()


async def _main() -> None:
    async with lines_of(0) as lines:
        await work(lines)


def main() -> None:
    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides, and closes our stdin
    try:
        trio.run(_main)
    except BaseException as error:
        while isinstance(error, BaseExceptionGroup) and error.exceptions:
            error = error.exceptions[0]
        with suppress(OSError):  # the runner may be gone
            if isinstance(error, StoreError | HostError):
                say({"stop": str(error), "kind": type(error).__name__})
            else:
                say({"failed": f"{type(error).__name__}: {error}"})
        os._exit(1)  # at once: a normal exit would flush stdout, which no process may read any more


if __name__ == "__main__":
    main()
