"""Dask on the loopback interface, as a user starts it: a scheduler and workers, each a process of its own.

Most of them are forks of one that has imported Dask already (tests/prepared.py). Workers with a nanny, and those with
another PYTHONPATH, are started by an interpreter of their own.
"""

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests import prepared
from tests.prepared import Prepared, Staying

ROOT = Path(__file__).parents[2]
DASK = (
    "arena.cluster.duties",
    "distributed._signals",
    "distributed.cli.utils",
    "distributed.nanny",
    "distributed.preloading",
    "distributed.proctitle",
    "distributed.scheduler",
    "distributed.worker",
)
"""What a scheduler and a worker import: 0.6 s of CPU for each."""
PATIENCE_S = 90.0
"""For what has to happen at some time, on a machine that may be busy."""


def wait_for(what: str, is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {patience_s} s"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class DaskCluster:
    """A scheduler at a fixed address, and workers. All of them live in one folder, by which they are known."""

    def __init__(self, folder: Path, **config: str) -> None:
        self._folder = folder
        self._config = config
        self._port = free_port()
        self.address = f"tcp://127.0.0.1:{self._port}"
        self.scheduler: Program | None = None
        self.workers: list[Program] = []

    def start_scheduler(self) -> None:
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--no-show")

    def start_worker(self, *options: str, nthreads: int = 2, **environment: str) -> "Program":
        worker = self._start(
            "dask_worker", self.address, "--host", "127.0.0.1", "--nthreads", str(nthreads), "--memory-limit", "0",
            "--local-directory", str(self._folder / "scratch"), *(options or ("--no-nanny",)), **environment,
        )  # fmt: skip
        self.workers.append(worker)
        return worker

    def _start(self, program: str, *options: str, **environment: str) -> "Program":
        own = {"PYTHONPATH": str(ROOT), "ARENA_CACHE": str(self._folder / "cache"), **self._config, **environment}
        words, everything = [f"distributed.cli.{program}", *options, "--no-dashboard"], {**os.environ, **own}
        path = self._folder / f"{program}.log"
        if "--nworkers" not in options and "PYTHONPATH" not in environment:
            return prepared_dask().start(words, everything, self._folder, path)
        with open(path, "ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=self._folder,
                env=everything,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()


Program = subprocess.Popen[bytes] | Staying


@cache
def prepared_dask() -> Prepared:
    words = [sys.executable, prepared.__file__, *DASK]
    started = Prepared(words, {**os.environ, "PYTHONPATH": str(ROOT)})
    atexit.register(started.close)
    return started


@contextmanager
def dask_cluster(folder: Path, workers: int = 2, **config: str) -> Iterator[DaskCluster]:
    cluster = DaskCluster(folder, **config)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.end()


def kill(pid: int, how: signal.Signals = signal.SIGKILL) -> None:
    os.kill(pid, how)


def descendants(of: int) -> list[int]:
    """All processes below this one."""
    known: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                known[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [of]
    for above in found:
        found += [pid for pid, parent in known.items() if parent == above]
    return found[1:]


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
