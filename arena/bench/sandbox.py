"""What the sandbox costs: how much later a bot says hello, and how much longer a message takes.

Every tier starts the same bots, in turn, so that a busy moment of the machine disturbs all tiers. What a tier adds is
the median of its differences from no sandbox within a round.
"""

import os
import select
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from arena.errors import LaunchError
from arena.match.launch import Command, Launcher, Process, ProcessExit, SpawnerLauncher, usable_cpus
from arena.match.tiers import probe
from arena.roster.entries import find
from arena.sandbox.policy import STRENGTH, Policy, Tier
from protocol.codec import MSGPACK
from protocol.messages import Decide, Hello, to_wire
from protocol.session import Role, Session

ROUNDS = 28
C_STARTS = 4
"""Starts of the C bot in each round. It has more, because the check looks at it."""
TRIPS = 2000
"""Round trips of a message in a slice."""
PATIENCE_S = 5.0
ADDED_MS, RATIO = 12.0, 1.05
"""The budgets."""
VIEW = {"hand": "DCGPST", "zoos": [{"FS": "DDD", "WT": "CG", "RV": "T"}] * 4}
QUESTION = Decide(1, "pick", VIEW, legal=list("DCGPST"), events=[], clock={"bank_ms": 10_000})
"""About as long as a question of a real game."""
Samples = dict[Tier, list[float]]


@dataclass(slots=True)
class TimedBot:
    """A bot that is started many times, and how long it took to say hello."""

    name: str
    argv: Sequence[str] = ()
    folder: Path = Path()
    starts: int = 1
    """How often it starts in each round."""
    times_ms: Samples = field(default_factory=dict)
    skipped: dict[Tier, str] = field(default_factory=dict)
    """Why it was not measured in some tiers."""


def measure(rounds: int = ROUNDS, trips: int = TRIPS) -> dict[str, Any]:
    """Start-to-hello of bots in four languages and the round trip of a message, in each tier."""
    tiers, missing = _tiers()
    with TemporaryDirectory() as name, _launchers(tiers) as launchers:
        folder = Path(name)
        folder.chmod(0o755)  # bots of a root arena are not root
        bots = _bots(folder, missing)
        for _ in range(rounds):
            for bot in bots:
                for _ in range(bot.starts):
                    _start_everywhere(bot, launchers)
        c = bots[0]
        trips_us = {} if c.skipped.keys() >= launchers.keys() else _round_trips(c, launchers, rounds, trips)
    rows = [
        *(row for bot in bots for row in _rows(f"{bot.name} bot, start to hello", "ms", bot.times_ms, bot.skipped)),
        *_rows("question and answer, C bot", "us", trips_us, c.skipped),
    ]
    return {"rows": rows, "checks": _checks(c, trips_us)}


def _tiers() -> tuple[list[Tier], dict[Tier, str]]:
    """The tiers that work here, and why the others do not."""
    reasons: dict[Tier, str | None] = {tier: probe(tier, Policy())[1] for tier in STRENGTH if tier != Tier.NONE}
    missing = {tier: reason for tier, reason in reasons.items() if reason is not None}
    return [tier for tier in STRENGTH if tier not in missing], missing


@contextmanager
def _launchers(tiers: Sequence[Tier]) -> Iterator[Mapping[Tier, SpawnerLauncher]]:
    launchers = {tier: SpawnerLauncher(tier) for tier in tiers}
    try:
        yield launchers
    finally:
        for launcher in launchers.values():
            launcher.close()


# The bots


def _bots(folder: Path, missing: Mapping[Tier, str]) -> list[TimedBot]:
    entry = find("random")
    bots = [
        _built(folder, TimedBot("C", ("./bot",), folder, C_STARTS), "bot.c", "cc", "-O2", "-o", "bot"),
        TimedBot("Python", entry.command, entry.folder),
        _built(folder, TimedBot("Node", ("node", "hello.js"), folder), "hello.js", "node", "--check"),
        _built(folder, TimedBot("Java", ("java", "-cp", ".", "Hello"), folder), "Hello.java", "javac"),
    ]
    for bot in bots:
        bot.skipped = {**missing, **bot.skipped}
    return bots


def _built(folder: Path, bot: TimedBot, source: str, *command: str) -> TimedBot:
    """The bot, built from a source of this package. If a program is missing, the bot says so in `skipped`."""
    if shutil.which(command[0]) is None:
        bot.skipped = dict.fromkeys(STRENGTH, f"there is no {command[0]}")
        return bot
    (folder / source).write_text((files("arena.bench") / source).read_text("utf-8"))
    subprocess.run([*command, source], cwd=folder, check=True)
    return bot


# Start to hello


def _start_everywhere(bot: TimedBot, launchers: Mapping[Tier, SpawnerLauncher]) -> None:
    for tier, launcher in launchers.items():
        if tier not in bot.skipped:
            try:
                bot.times_ms.setdefault(tier, []).append(_time_to_hello(launcher, bot))
            except LaunchError as error:
                bot.skipped[tier] = str(error)


def _time_to_hello(launcher: SpawnerLauncher, bot: TimedBot) -> float:
    start = time.perf_counter()
    with running(launcher, bot, ()) as process:
        hear_hello(process)
        return (time.perf_counter() - start) * 1e3


@contextmanager
def running(launcher: Launcher, bot: TimedBot, cpus: Sequence[int]) -> Iterator[Process]:
    """A process of the bot, which is ended afterwards. Without a sandbox its runtime gets the same settings."""
    env = {"PATH": os.environ.get("PATH", ""), **launcher.policy.hints()}
    process = launcher.start(Command(bot.argv, bot.folder, env, cpus))
    try:
        yield process
    finally:
        process.end()
        _end(process)
        process.close()


def hear_hello(process: Process) -> Session:
    """Wait for the bot's hello, and return the session that it starts."""
    session = Session(Role.ARENA)
    while True:
        _wait(process.stdout)
        data = os.read(process.stdout, 1 << 16)
        if not data:
            raise LaunchError(f"the bot {_end(process)} before it said hello")
        if any(isinstance(message, Hello) for message in session.receive(data)):
            return session


def _end(process: Process) -> ProcessExit:
    while (ended := process.news()) is None:
        _wait(process.report)
    return ended


def _wait(fd: int) -> None:
    if not select.select([fd], [], [], PATIENCE_S)[0]:
        raise LaunchError(f"the bot said nothing for {PATIENCE_S} s")


# Round trips


def _round_trips(bot: TimedBot, launchers: Mapping[Tier, SpawnerLauncher], rounds: int, trips: int) -> Samples:
    """Microseconds of a question and its answer, slice by slice, on one core, so that no other has to wake up."""
    cores = usable_cpus()
    samples: Samples = {tier: [] for tier in launchers if tier not in bot.skipped}
    frame = MSGPACK.encode(to_wire(QUESTION))
    try:
        os.sched_setaffinity(0, cores[-1:])
        for _ in range(rounds):
            for tier, times in samples.items():
                with running(launchers[tier], bot, cores[-1:]) as process:
                    hear_hello(process)
                    times.append(_trip_us(process, frame, trips))
    finally:
        os.sched_setaffinity(0, cores)
    return samples


def _trip_us(process: Process, frame: bytes, trips: int) -> float:
    for fd in (process.stdin, process.stdout):
        os.set_blocking(fd, True)
    _trips(process, frame, trips // 10)
    start = time.perf_counter()
    _trips(process, frame, trips)
    return (time.perf_counter() - start) * 1e6 / trips


def _trips(process: Process, frame: bytes, trips: int) -> None:
    for _ in range(trips):
        os.write(process.stdin, frame)
        answer = os.read(process.stdout, 1 << 12)  # it is written in one piece, and shorter than a pipe's
        if struct.unpack(">I", answer[:4])[0] != len(answer) - 4:
            raise LaunchError("the bot's answer came in pieces")


# What is shown


def _rows(what: str, unit: str, samples: Samples, skipped: Mapping[Tier, str]) -> Iterator[dict[str, Any]]:
    for tier in STRENGTH:
        row: dict[str, Any] = {"what": what, "tier": tier.value}
        if tier in skipped:
            yield {**row, "skipped": skipped[tier]}
            continue
        row |= {"median": round(median(samples[tier]), 2), "unit": unit}
        with_none = tier is not Tier.NONE and Tier.NONE not in skipped
        yield {**row, "added": round(_added(samples, tier), 2)} if with_none else row


def _added(samples: Samples, tier: Tier) -> float:
    return median(inside - outside for inside, outside in zip(samples[tier], samples[Tier.NONE]))


def _ratio(samples: Samples, tier: Tier) -> float:
    return median(inside / outside for inside, outside in zip(samples[tier], samples[Tier.NONE]))


def _checks(bot: TimedBot, trips_us: Samples) -> list[dict[str, Any]]:
    reason = bot.skipped.get(Tier.NONE) or bot.skipped.get(Tier.FULL)
    added = None if reason else _added(bot.times_ms, Tier.FULL)
    ratio = None if reason else _ratio(trips_us, Tier.FULL)
    return [
        _check("sandbox.start_added_ms", added, "ms", ADDED_MS, reason),
        _check("sandbox.roundtrip_ratio", ratio, "ratio", RATIO, reason),
    ]


def _check(name: str, value: float | None, unit: str, budget: float, reason: str | None) -> dict[str, Any]:
    check = {"name": name, "value": None, "unit": unit, "budget": budget, "better": "lower", "ok": None}
    if value is None:
        return {**check, "reason": reason}
    return {**check, "value": round(value, 3), "ok": value <= budget}
