"""One worker process of the arena, `python -m arena.league.worker`, as a Dask worker drives it, from a thread."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from arena.league.wire import Block
from arena.version import RUN_OURS

GRACE_S = 5.0
"""How long it may take to stop its bots."""


class WorkerEnded(Exception):
    """It ended, or failed, and another may do better."""

    def __init__(self, reason: str, was_ready: bool = True) -> None:
        super().__init__(reason)
        self.was_ready = was_ready


class WorkerRefused(Exception):
    """This machine cannot play the league, however often it is tried."""


class ArenaProcess:
    """Plays the blocks of one league. It exits when its stdin closes, so also when this process ends."""

    def __init__(self, setting: dict[str, Any]) -> None:
        self._tier = ""
        self._process = subprocess.Popen(
            [*RUN_OURS, "arena.league.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._send(setting)

    def tier(self) -> str:
        """Of its sandbox, as soon as it is ready."""
        if not self._tier:
            self._tier = self._next()["ready"]
        return self._tier

    def play(self, block: Block) -> Iterator[dict[str, Any]]:
        """A message for each match."""
        self.tier()
        self._send(block)
        for _ in block:
            yield self._next()

    def end(self) -> None:
        """Close its stdin, so that it ends its bots and exits; kill it if it does not."""
        with suppress(OSError, ValueError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # `_next` reports that it has ended
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerEnded("the worker process ended", bool(self._tier))
        message: dict[str, Any] = json.loads(line)
        if "stop" in message:
            raise WorkerRefused(message["stop"])
        if "failed" in message:
            raise WorkerEnded(message["failed"], bool(self._tier))
        return message
