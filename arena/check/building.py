"""A bot's build command, run with its output kept."""

import subprocess

import trio

from arena.excerpt import Excerpt
from arena.roster import Entry


async def build_output(entry: Entry) -> tuple[int | str, str]:
    """How the build ended, as a status or in words, and what it printed, its beginning and its end."""
    printed = Excerpt()
    try:
        process = await trio.lowlevel.open_process(
            entry.build, cwd=entry.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as error:
        return f"could not be executed: {error.strerror}", ""
    assert process.stdout is not None, "it is a pipe"
    try:
        async for data in process.stdout:
            printed.add(bytes(data))
        return await process.wait(), printed.text()
    except BaseException:
        process.kill()
        raise
