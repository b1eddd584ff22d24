"""A bot's build command, run with its output kept, and what is to be said of it if it fails."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

import trio

from arena import kits
from arena.check.languages import Language
from arena.check.probe import ERRORS
from arena.errors import LaunchError
from arena.excerpt import Excerpt
from arena.roster import Entry

GRACE_S = 0.5
"""How long the output is read on after the build has ended: a daemon that it has started may hold the pipe for ever."""
LAST_LINES = 8
FIRST_ERRORS = 4


async def build_output(entry: Entry) -> tuple[int | str, str]:
    """How the build ended, as a status or in words, and what it printed, its beginning and its end."""
    printed = Excerpt()
    try:
        process = await trio.lowlevel.open_process(
            entry.build,
            cwd=entry.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"could not be executed: {error.strerror}", ""
    assert process.stdout is not None, "it is a pipe"
    try:
        async with process.stdout, trio.open_nursery() as nursery:
            nursery.start_soon(_read, process.stdout, printed)
            status = await process.wait()
            nursery.cancel_scope.deadline = trio.current_time() + GRACE_S
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with trio.CancelScope(shield=True):
            await process.wait()
        raise
    return status, printed.text()


async def _read(stream: trio.abc.ReceiveStream, printed: Excerpt) -> None:
    async for data in stream:
        printed.add(bytes(data))


def telling(lines: Sequence[str]) -> list[str]:
    """The last lines, and before them the first errors: those that follow are often consequences."""
    filled = [line for line in lines if line.strip()]
    errors = [line for line in filled[:-LAST_LINES] if any(word in line for word in ERRORS)][:FIRST_ERRORS]
    return [*errors, *(["..."] if errors else []), *filled[-LAST_LINES:]]


def lacking(language: Language) -> str:
    """Which programs of a language are not installed, and how to get them; nothing if all are there."""
    if language is Language.UNKNOWN:
        return ""
    try:
        kits.check_tools(kits.language(language.value))
    except LaunchError as error:
        return f"{error}."
    return ""
