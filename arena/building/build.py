"""How bots are built. A build command is a stranger's program, like the bot itself.

Theory of operation. There are two ways. `yes` runs the command in the bot's folder, with your rights, because it may
have to fetch packages from the network and keep them in your home folder. `sandboxed` runs it in the tier full of the
sandbox, without a network, on a copy of the folder (arena/sandbox/workbench.py), and then puts the results into the
folder (arena/building/delivery.py). It does not work in lite, where a compiler cannot make a file executable.

In both cases the command gets a clean environment, an empty stdin and a time limit. A spawner starts it, so that all
its processes end with it (arena/match/launch.py).
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from arena.building.delivery import Delivery
from arena.building.toolchains import bench, environment
from arena.errors import LaunchError, RosterError
from arena.match.launch import Command, Process, ProcessExit, SpawnerLauncher
from arena.match.tiers import try_out
from arena.roster.entries import Entry
from arena.sandbox.policy import Policy, Tier

KILL_S = 10.0
GRACE_S = 0.5
"""How long we keep reading after the end, if another process still holds the output open."""
READ = 1 << 16
WORKBENCH = Path(__file__).parents[1] / "sandbox" / "workbench.py"
POLICY = Policy(
    memory_mb=2048,
    processes=256,
    threads=512,
    open_files=4096,
    file_mb=1024,
    scratch_mb=2048,
    scratch_inodes=200_000,
)
"""A compiler needs more than a bot. The copy of the folder is in the scratch space."""


class Way(StrEnum):
    """Whether a bot is built, and where."""

    NO = "no"
    YES = "yes"
    SANDBOXED = "sandboxed"


Hear = Callable[[bytes], None]


async def build(entry: Entry, way: Way, hear: Hear, limit_s: float) -> str | None:
    """Build a bot, and pass the command's output to `hear`. Returns None, or how the command failed.

    LaunchError if there is no sandbox to build it in.
    """
    if way is Way.NO or not entry.build:
        return None
    if way is Way.YES:
        return await _build_here(entry, hear, limit_s)
    try:
        return await _build_sandboxed(entry, hear, limit_s)
    except RosterError as error:
        return str(error)


# Outside of the sandbox


async def _build_here(entry: Entry, hear: Hear, limit_s: float) -> str | None:
    env = environment()
    program = entry.folder / entry.build[0] if "/" in entry.build[0] else entry.build[0]
    if shutil.which(program, path=env.get("PATH")) is None:
        return "could not be executed: program not found"
    # The shell merges both output streams in the right order, and then becomes the command.
    argv = ("/bin/sh", "-c", 'exec "$@" </dev/null 2>&1', "sh", *entry.build)
    launcher = SpawnerLauncher(Tier.NONE)
    try:
        return _words(await _run(launcher, Command(argv, entry.folder, env), hear, hear, limit_s), limit_s)
    finally:
        launcher.close()


# In the sandbox


async def _build_sandboxed(entry: Entry, hear: Hear, limit_s: float) -> str | None:
    launcher = SpawnerLauncher(Tier.FULL, POLICY)
    try:
        launcher.layers, reason = try_out(launcher)
        if reason is not None:
            raise LaunchError(
                f"a sandboxed build needs the tier full of the sandbox, which does not work on this machine: {reason}. "
                "`arena doctor` shows what is missing. For a bot that you trust, use --build."
            )
        with TemporaryDirectory(prefix="arena-build-") as shelf:
            return await _build_copy(launcher, entry, Delivery(Path(shelf)), hear, limit_s)
    finally:
        launcher.close()


async def _build_copy(
    launcher: SpawnerLauncher, entry: Entry, made: Delivery, hear: Hear, limit_s: float
) -> str | None:
    try:
        why = _words(await _run(launcher, _workbench(entry), made.take, hear, limit_s), limit_s)
        if why is None:
            made.install(entry.folder)
        return why
    finally:
        made.close()


def _workbench(entry: Entry) -> Command:
    """The program that copies the folder, builds the copy and sends back new files."""
    given = bench(entry.build[0], entry.folder)
    argv = (sys.executable, "-I", "-S", "-c", WORKBENCH.read_text("utf-8"), json.dumps(given.env), *entry.build)
    env = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TZ") if name in os.environ}
    return Command(argv, entry.folder, env, memory_mb=POLICY.memory_mb, shown=given.shown)


# Both


async def _run(launcher: SpawnerLauncher, command: Command, out: Hear, err: Hear, limit_s: float) -> ProcessExit | None:
    """Run this to its end. None after a timeout. None of its processes is left, whatever happens."""
    process, ended = launcher.start(command), None
    try:
        with trio.move_on_after(limit_s):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_read, process.stdout, out)
                nursery.start_soon(_read, process.stderr, err)
                ended = await _end(process)
                nursery.cancel_scope.deadline = trio.current_time() + GRACE_S
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(KILL_S):
            process.end()
            await _end(process)
        process.close()
    return ended


async def _read(fd: int, hear: Hear) -> None:
    """Pass on all output, to the end."""
    while True:
        try:
            data = os.read(fd, READ)
        except BlockingIOError:
            await trio.lowlevel.wait_readable(fd)
            continue
        if not data:
            return
        hear(data)
        await trio.lowlevel.checkpoint()


async def _end(process: Process) -> ProcessExit:
    while (ended := process.news()) is None:
        await trio.lowlevel.wait_readable(process.report)
    return ended


def _words(ended: ProcessExit | None, limit_s: float) -> str | None:
    """How the command failed, if it did."""
    if ended is None:
        return f"took longer than {limit_s:g} s and was killed"
    return None if ended.status == 0 and ended.over is None else str(ended)
