"""Commands that are run within limits, whose output goes to a log, and which can all be ended at once, by their ids."""

import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parents[2]
"""The checkout that is tried, where logs are kept."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; None: it was given up after so many seconds."""

    code: int | None
    output: str
    seconds: float

    def __str__(self) -> str:
        return f"took more than {self.seconds:.0f} s" if self.code is None else f"ended with {self.code}"


@dataclass
class Crew:
    """All commands that are running."""

    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    is_over: bool = False
    _lock: Lock = field(default_factory=Lock)

    def run(
        self, words: Sequence[str], log: Path, seconds: float, folder: Path, environment: Mapping[str, str]
    ) -> Ended:
        """Run a command to its end, or until its time is over. Its output is appended to the log.

        The output is a file and no pipe: a process that was left behind could hold a pipe open for ever.
        """
        with open(log, "ab", buffering=0) as file:
            file.write(f"$ {shlex.join(words)}\n".encode())
            start = log.stat().st_size
            code = self._wait(self._start(words, file.fileno(), folder, environment), seconds)
            end = log.stat().st_size
            file.write(f"[{'time is over' if code is None else code}]\n\n".encode())
        return Ended(code, log.read_bytes()[start:end].decode("utf-8", "replace"), seconds)

    def _start(
        self, words: Sequence[str], output: int, folder: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            if self.is_over:
                raise InterruptedError
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that its id is also the id of all that it starts
                umask=0o022,
            )
            self.running.add(process)
        return process

    def _wait(self, process: subprocess.Popen[bytes], seconds: float) -> int | None:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            end_session(process)
            return None
        except BaseException:  # Ctrl-C, if this is the main thread
            end_session(process)
            raise
        finally:
            with self._lock:
                self.running.discard(process)

    def end_all(self) -> None:
        """Nothing that was started goes on, and nothing more is started."""
        with self._lock:
            self.is_over = True
            for process in self.running:
                end_session(process)


def end_session(process: subprocess.Popen[bytes]) -> None:
    """End a command with all that it has started in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
