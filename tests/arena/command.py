"""The command line, run for tests: as a real process, or in this one."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

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


def without_times(text: str) -> str:
    """What is shown, apart from the milliseconds."""
    return re.sub(r" +\d+\.\d\d", " #", text)
