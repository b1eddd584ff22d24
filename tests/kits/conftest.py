"""A bot of every language, made as the guide says, once for all tests."""

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import gettempdir

import pytest

from arena.errors import LaunchError
from arena.roster.kits import check_tools
from benchmarks.newcomer import GuideStep, walk
from tests.machine import at_best


@dataclass(frozen=True)
class Made:
    """Where the guide's bot of a language is, and how each command went."""

    folder: Path
    steps: list[GuideStep]

    def alone(self) -> AbstractContextManager[None]:
        """For a test that changes its files: no other test uses them meanwhile."""
        return locked(self.folder.name, fcntl.LOCK_EX)

    def unchanged(self) -> AbstractContextManager[None]:
        """For a test that needs its files as they are."""
        return locked(self.folder.name, fcntl.LOCK_SH)


RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", os.getpid())
SHARED = Path(gettempdir()) / f"dino-arena-kits-{RUN}"
"""Where all processes of a test run have their bots. Pytest's own folders are closed to those of a root user."""


@contextmanager
def locked(name: str, how: int) -> Iterator[None]:
    """Among all processes of a test run."""
    with (SHARED / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, how)
        yield


@pytest.fixture(autouse=True, scope="session")
def _short_lived_maven() -> Iterator[None]:
    """Maven builds a small bot: to optimize Maven itself takes as long again."""
    with pytest.MonkeyPatch.context() as patch:
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
        patch.setenv("MAVEN_OPTS", f"{quick} -Duser.home={Path('~').expanduser()}")  # also of a user without a name
        yield


@pytest.fixture(scope="session")
def made() -> Iterator[Callable[[str], Made]]:
    """made(language) walks the guide's path, unless another process of the tests has done so."""

    def make(language: str) -> Made:
        skip_without_tools(language)
        told = SHARED / f"{language}.json"
        folder = SHARED / f"my-{language}-bot"
        with locked(folder.name, fcntl.LOCK_EX):
            if not told.exists():
                told.write_text(json.dumps([asdict(step) for step in walk(language, SHARED, at_best())]))
        return Made(folder, [GuideStep(**step) for step in json.loads(told.read_text())])

    users = SHARED.with_name(f"{SHARED.name}.lock")
    with users.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        SHARED.mkdir(mode=0o755, exist_ok=True)
        yield make
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody else is left
            shutil.rmtree(SHARED)
            users.unlink()


def skip_without_tools(language: str) -> None:
    """On CI that is a failure, as every skip is."""
    try:
        check_tools(language)
    except LaunchError as missing:
        pytest.skip(str(missing))
