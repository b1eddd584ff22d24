"""The command line, run for tests: as a real process, or in this one."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


def arena(*words: object, **environment: str) -> Ended:
    """Run the command line."""
    command = [sys.executable, "-m", "arena", *map(str, words)]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> Ended:
    """Run the command line as in a pipe, but in this process, which is faster."""
    monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return Ended(ended.value.code, *capsys.readouterr())


@contextmanager
def very_deep(folder: Path) -> Iterator[None]:
    """So many folders within each other that Python cannot remove them again, nor can pytest."""
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(1900):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(here)
        yield
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", folder / "d"], check=True)


def without_times(text: str) -> str:
    """What is shown, apart from the milliseconds."""
    return re.sub(r" +\d+\.\d\d", " #", text)
