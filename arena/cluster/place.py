"""Where the workers are: a scheduler's address, or `local:N` for N worker processes of Dask on this machine.

The local cluster is a program of its own, `python -m arena.cluster.local`, in its own session: Ctrl-C does not reach
it, and it ends, with all its workers, when its standard input does or it is killed. So none of it outlives the runner,
even if the runner is killed.
"""

import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import trio

from arena.errors import LaunchError, SettingError
from arena.texts import quoted
from arena.version import RUN_OURS

ADDRESS = re.compile(r"(?:tcp|tls)://(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.%]+\]):[0-9]{1,5}")
LOCAL = re.compile(r"local:([1-9][0-9]{0,2})")
START_S = 60.0
"""How long a local cluster may take to start."""


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """A scheduler's address, or how many workers to start on this machine."""

    address: str = ""
    local: int = 0


def located(word: str) -> ClusterPlace:
    """What the user means with --cluster. SettingError says what it may be."""
    if found := LOCAL.fullmatch(word):
        return ClusterPlace(local=int(found[1]))
    if ADDRESS.fullmatch(word):
        return ClusterPlace(word)
    raise SettingError(
        f"--cluster {quoted(word)}: expected the address of a Dask scheduler, such as tcp://host:8786 or "
        "tls://host:8786, or local:4 for four Dask workers on this machine."
    )


@asynccontextmanager
async def scheduler_at(place: ClusterPlace) -> AsyncIterator[str]:
    """The address of the scheduler, which runs at least for the body of the `async with`."""
    if place.address:
        yield place.address
        return
    with TemporaryDirectory(prefix="arena-cluster-", ignore_cleanup_errors=True) as folder:
        process = await trio.lowlevel.open_process(
            [*RUN_OURS, "arena.cluster.local", str(place.local), folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            yield await _address(process)
        finally:
            process.kill()  # its workers notice that at once, and end
            with trio.CancelScope(shield=True):
                await process.wait()


async def _address(process: trio.Process) -> str:
    said = b""
    assert process.stdout is not None
    with trio.move_on_after(START_S) as patience:
        while not said.endswith(b"\n") and (data := await process.stdout.receive_some()):
            said += data
    if said.endswith(b"\n"):
        return said.decode().strip()
    how = f"did not start within {START_S:g} s" if patience.cancelled_caught else "ended while it started"
    raise LaunchError(f"Dask {how} on this machine. Run it again, or use --workers; its own messages are above.")
