"""How fast this machine is: the program in calibration.py on all cores at once, in about a quarter of a second.

The speed is remembered until the machine starts again, because every run of a league needs it, and because one machine
should have one speed. Only one process at a time measures it: two at once would each find half of it.
"""

import fcntl
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arena.errors import FileError, LaunchError
from arena.files import read, write_whole
from arena.match import calibration
from arena.match.hosts import MOST_CORES, MOST_SPEED, MOST_WORD, REFERENCE_SPEED, Host
from arena.match.launch import usable_cpus
from arena.state import state_folder
from arena.texts import cut

LEAD_S = 0.01
"""From the last process that is ready to the window, so that all of them work when it begins."""
WINDOW_S = 0.1
PATIENCE_S = 60.0
"""A machine on which a process needs longer than this cannot play."""
MOST_NOTE = 4096
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
NAME = "ARENA_HOST"
"""The environment variable that gives this machine another name in leagues."""


def this_host() -> Host:
    """This machine. LaunchError says why its speed cannot be measured."""
    cores = usable_cpus()
    return Host(
        name=(os.environ.get(NAME) or platform.node() or "unnamed")[:MOST_WORD],
        cores=min(MOST_CORES, len(cores) or os.cpu_count() or 1),
        speed=speed(cores),
        python=platform.python_version()[:MOST_WORD],
        machine=platform.machine()[:MOST_WORD],
        calibration=calibration.VERSION,
    )


def speed(cores: Sequence[int]) -> int:
    """The speed of these cores, as it was measured since the machine started; else as it is measured now."""
    state, key = state_folder(), _key(cores)
    if state is None or key is None:
        return measure(cores)
    note = state / f"speed-{hashlib.sha256(platform.node().encode()).hexdigest()[:12]}.json"  # homes can be shared
    with _alone(note):
        known = _remembered(note, key)
        if known is None:
            known = measure(cores)
            with suppress(OSError):  # then the next process measures it again
                write_whole(note, json.dumps({"key": key, "speed": known}).encode())
    return known


def _key(cores: Sequence[int]) -> list[object] | None:
    """What a measurement is valid for; None if it is not known when this machine started."""
    with suppress(OSError):
        boot = BOOT_ID.read_text("ascii").strip()
        return [boot, list(cores), platform.python_implementation(), platform.python_version(), calibration.VERSION]
    return None


def _remembered(note: Path, key: list[object]) -> int | None:
    try:
        found = json.loads(read(note, MOST_NOTE))
        value = found["speed"] if found["key"] == key else None
    except (FileError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return value if type(value) is int and 1 <= value <= MOST_SPEED else None


@contextmanager
def _alone(note: Path) -> Iterator[None]:
    """Wait for other processes that measure. Where no file can be locked, do not."""
    with ExitStack() as stack:
        with suppress(OSError):
            note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(note.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# Measuring


def measure(cores: Sequence[int]) -> int:
    """The mean speed of these cores while all of them are busy; without cores, of as many as there are."""
    numbers = list(cores) or [-1] * (os.cpu_count() or 1)
    with ExitStack() as stack:
        try:
            running = [stack.enter_context(_Calibrating(number)) for number in numbers]
            for one in running:
                one.wait()
            begin = time.monotonic() + LEAD_S
            for one in running:
                one.begin(begin)
            shares = [calibration.REFERENCE_US / one.shortest_us() for one in running]
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise LaunchError(
                f"the speed of this machine cannot be measured: {cut(str(error))}. Run it again; if it happens again, "
                "`arena doctor` shows what is wrong."
            ) from None
    return max(1, min(MOST_SPEED, round(REFERENCE_SPEED * sum(shares) / len(shares))))


class _Calibrating:
    """One process that measures one core, and ends with the body of the `with`."""

    def __init__(self, core: int) -> None:
        words = [sys.executable, "-I", "-S", calibration.__file__, str(core)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "_Calibrating":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def wait(self) -> None:
        """Until it is ready."""
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            raise ValueError("a process that measures a core ended at once")

    def begin(self, begin: float) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # `shortest_us` finds that it has ended
            self._process.stdin.write(f"{begin} {WINDOW_S}\n")
            self._process.stdin.flush()

    def shortest_us(self) -> float:
        said, _ = self._process.communicate(timeout=PATIENCE_S)
        try:
            shortest, checksum = said.split()
            found = float(shortest)
        except ValueError:
            raise ValueError("a process that measures a core ended early") from None
        if checksum != calibration.CHECKSUM or not found > 0:
            raise ValueError("a core calculates wrong results")
        return found
