"""Programs of ours, started by a process that has imported the arena already: 0.4 s of CPU less for each.

A `Prepared` process waits for orders and forks for each. The fork has arguments, environment, folder and streams of its
own, and then is the program. This file is what that process runs. Tests of imports, and those that start Python by
themselves, do without it.
"""

import atexit
import fcntl
import gc
import json
import os
import resource
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

ARENA = (
    "arena.building.build",
    "arena.check.examiner",
    "arena.cli.app",
    "arena.doctor.resources",
    "arena.league.evidence",
    "arena.league.run",
    "arena.match.person",
    "arena.match.play",
    "arena.replay.verify",
    "arena.roster.kits",
    "arena.roster.trust",
    "engine.dinodocus",
    "engine.draftosaurus",
    "tabulate",
    "typer._adapters",
    *(f"arena.cli.{path.stem}" for path in Path(__file__).parents[1].glob("arena/cli/[a-z]*.py")),
)
"""What most of the time of a start goes into, with all that these import. A match takes 70 ms less with its game here.
Typer imports its adapters, and with them pydantic, when a command has parameters."""


# In that process


def serve(control: socket.socket) -> None:
    """Fork for each order: its number, and how it ended, unless it stays."""
    while True:
        data, fds, _, _ = socket.recv_fds(control, 1 << 20, 3)
        if not data:
            return
        order = json.loads(data)
        child = os.fork()
        if child == 0:
            control.close()
            become(order, fds)
        for fd in fds:
            os.close(fd)
        control.send(b"%d" % child)
        if not order["stays"]:
            _, status = os.waitpid(child, 0)
            control.send(b"%d" % os.waitstatus_to_exitcode(status))


def become(order: Mapping[str, Any], fds: Sequence[int]) -> NoReturn:
    """Be the program."""
    if order["has_own_session"]:
        os.setsid()
    if order["most_bytes"]:
        resource.setrlimit(resource.RLIMIT_AS, (order["most_bytes"],) * 2)
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    if "dask.config" in sys.modules:
        sys.modules["dask.config"].refresh()  # it has read the environment
    sys.argv = order["words"]
    try:
        run_program()
        leave(0)
    except SystemExit as ended:
        if isinstance(ended.code, int):
            leave(ended.code)
        raise


def run_program() -> None:
    if sys.argv[0].endswith(".py"):
        sys.path[0] = os.path.dirname(sys.argv[0])
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        sys.path[0] = os.getcwd()
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def leave(code: int) -> NoReturn:
    """As Python ends, but for the modules: to take them to pieces copies all that the fork shares."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


# In the tests


class Prepared:
    """Starts programs of ours. What is given to Popen is the user whose programs they are."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], **popen: Any) -> None:
        """The words are an interpreter, this file, and what it imports, which has to be on its path."""
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                words,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=dict(environment),
                **popen,
            )

    def run(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        folder: Path | str,
        stdin: str = "",
        has_own_session: bool = False,
        timeout_s: float | None = None,
        most_bytes: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a module, or a file whose name ends with .py, to the end of its output.

        Its standard input is a pipe that holds all that it will ever get. `most_bytes` limits its address space.
        """
        order = {
            "words": list(words),
            "environment": dict(environment),
            "folder": str(folder),
            "has_own_session": has_own_session,
            "most_bytes": most_bytes,
            "stays": False,
        }
        given = filled_pipe(stdin.encode())
        pipes = [os.pipe() for _ in range(2)]
        number = self._fork(order, [given, *(write for _, write in pipes)])
        try:
            out, err = read_all([read for read, _ in pipes], timeout_s)
        except TimeoutError:
            os.kill(number, signal.SIGKILL)
            raise
        finally:
            code = int(self.control.recv(64))
        return subprocess.CompletedProcess(words, code, out.decode(), err.decode())

    def start(self, words: Sequence[str], environment: Mapping[str, str], folder: Path, output: Path) -> "Staying":
        """Start a module that goes on, in a session of its own. What it says is added to a file."""
        order = {
            "words": list(words),
            "environment": dict(environment),
            "folder": str(folder),
            "has_own_session": True,
            "most_bytes": None,
            "stays": True,
        }
        said = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return Staying(self._fork(order, [filled_pipe(b""), said, os.dup(said)]))

    def _fork(self, order: Mapping[str, Any], fds: Sequence[int]) -> int:
        """The number of a process that follows an order, and has these streams; they are closed here."""
        socket.send_fds(self.control, [json.dumps(order).encode()], list(fds))
        for fd in fds:
            os.close(fd)
        return int(self.control.recv(64))

    def close(self) -> None:
        self.control.close()
        self.process.wait()


class Staying:
    """A program that was started and goes on: what tests need of a Popen, for a process that is no child of ours."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._end: int | None = os.pidfd_open(pid)  # it can be read when the process has ended

    def kill(self) -> None:
        if self._end is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def wait(self) -> None:
        """Until it has ended."""
        if self._end is not None:
            select.select([self._end], [], [])
            os.close(self._end)
            self._end = None


def filled_pipe(data: bytes) -> int:
    """The end from which this can be read, and then nothing."""
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, max(len(data), 1 << 16))
    with open(write, "wb") as pipe:
        pipe.write(data)
    return read


def read_all(fds: Sequence[int], timeout_s: float | None) -> list[bytes]:
    """What comes from each until its end; they are closed."""
    read = {fd: bytearray() for fd in fds}
    end = None if timeout_s is None else time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        for fd in fds:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(None if end is None else max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"it takes longer than {timeout_s} s")
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                read[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return list(map(bytes, read.values()))


if __name__ == "__main__":
    sys.path[0] = "/"  # and not the folder of this file, which has one that is called arena, too
    for name in sys.argv[1:]:
        __import__(name)
    with socket.socket(fileno=os.dup(0)) as orders, open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
        nothing.close()
        gc.freeze()  # or each fork would copy what it looks through
        serve(orders)
