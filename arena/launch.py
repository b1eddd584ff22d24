"""How bots are started: the seam behind which a process may be plain, sandboxed, or no process at all.

A Launcher starts a Command and gives back a Process: three pipes, a fourth on which the end is reported, and a way to
end it at once. SpawnerLauncher is the plain one: a helper process (spawner.py) starts the bots, so that neither a
bot nor anything it has started can outlive its match or this process.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Protocol

from arena.errors import LaunchError

SPAWNER = Path(__file__).with_name("spawner.py")


@dataclass(frozen=True, slots=True)
class Command:
    """What to execute, where, with which environment (nothing is inherited), on which cores (none named: all)."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    cpus: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended, and what it used. `failed` says why the program could not be executed at all."""

    status: int | None = None
    signal: int | None = None
    cpu_us: int = 0
    rss_kb: int = 0
    failed: str | None = None

    def __str__(self) -> str:
        if self.failed is not None:
            return f"could not be executed: {self.failed}"
        if self.signal is not None:
            return f"was ended by signal {self.signal} ({_signal_name(self.signal)})"
        return f"exited with status {self.status}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


class Process(Protocol):
    """A running bot: descriptors that do not block, ours to read, write and close, and a pipe that reports its end."""

    pid: int | None
    """Whose CPU clock to read; None where there is none."""
    stdin: int
    stdout: int
    stderr: int
    report: int
    """Readable when there is news of the process: call `news`."""

    def news(self) -> Exit | None:
        """Take in what is reported; the end, once it has come. LaunchError if it never can."""

    def end(self) -> None:
        """Kill it now, with all that it has started. Its end is reported."""

    def close(self) -> None:
        """Let go of the descriptors."""


class Launcher(Protocol):
    """A way to start processes."""

    layers: Sequence[str]
    """What holds the processes back, by name; kept in records."""

    def start(self, command: Command) -> Process:
        """Start it. LaunchError if that is impossible here; a program that does not exist is an Exit."""

    def close(self) -> None:
        """End all that were started."""


@dataclass(slots=True)
class SpawnedProcess:
    """A process that the spawner has started."""

    launcher: "SpawnerLauncher"
    key: int
    stdin: int
    stdout: int
    stderr: int
    report: int
    pid: int | None = None
    _failed: str | None = None
    _exit: Exit | None = None
    _lines: bytes = b""

    def news(self) -> Exit | None:
        while self._exit is None:
            try:
                data = os.read(self.report, 4096)
            except BlockingIOError:
                return None
            if not data:
                raise LaunchError("the process that starts the bots has ended before its bots")
            *lines, self._lines = (self._lines + data).split(b"\n")
            for line in lines:
                self._hear(json.loads(line))
        return self._exit

    def _hear(self, line: dict[str, int | str]) -> None:
        if "pid" in line:
            self.pid = int(line["pid"])
        elif "failed" in line:
            self._failed = str(line["failed"])
        elif "unable" in line:
            raise LaunchError(f"no process could be started for a bot: {line['unable']}")
        else:
            code = os.waitstatus_to_exitcode(int(line["status"]))
            how = {"status": code} if code >= 0 else {"signal": -code}
            self._exit = Exit(**how, cpu_us=int(line["cpu_us"]), rss_kb=int(line["rss_kb"]), failed=self._failed)

    def end(self) -> None:
        if self._exit is None:
            with suppress(LaunchError):  # nobody is left to tell, and `news` will say so
                self.launcher.tell({"end": self.key})

    def close(self) -> None:
        for fd in (self.stdin, self.stdout, self.stderr, self.report):
            os.close(fd)


@dataclass(slots=True)
class SpawnerLauncher:
    """Starts bots by way of one spawner process, which is started with the first bot."""

    layers: Sequence[str] = ()
    _control: socket.socket | None = None
    _process: subprocess.Popen[bytes] | None = None
    _keys: "count[int]" = field(default_factory=count)

    def start(self, command: Command) -> SpawnedProcess:
        key = next(self._keys)
        ours, theirs = _pipes()
        request = {
            "start": key,
            "argv": list(command.argv),
            "env": dict(command.env),
            "folder": str(command.folder),
            "cpus": list(command.cpus),
        }
        try:
            self.tell(request, theirs)
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        stdin, stdout, stderr, report = ours
        return SpawnedProcess(self, key, stdin, stdout, stderr, report)

    def tell(self, request: Mapping[str, object], fds: Sequence[int] = ()) -> None:
        """Send the spawner a request."""
        if self._control is None:
            self._control = self._begin()
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], fds)
        except OSError as error:
            raise LaunchError(f"the process that starts the bots does not listen: {error}") from error

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # Its own session: a Ctrl-C in the terminal is ours to handle, and our end is what it waits for.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SPAWNER)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={},
            )
        return ours

    def close(self) -> None:
        if self._control is not None and self._process is not None:
            self._control.close()
            self._process.wait()
            self._control = self._process = None


def _pipes() -> tuple[list[int], list[int]]:
    """Descriptors for stdin, stdout, stderr and reports: ours, which do not block, and theirs."""
    ours, theirs = [], []
    for ours_reads in (False, True, True, True):
        read, write = os.pipe()
        ours.append(read if ours_reads else write)
        theirs.append(write if ours_reads else read)
        os.set_blocking(ours[-1], False)
    return ours, theirs


def usable_cpus() -> list[int]:
    """The cores that this process may use."""
    with suppress(AttributeError):
        return sorted(os.sched_getaffinity(0))
    return []
