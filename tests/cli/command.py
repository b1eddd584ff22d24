"""The command line, run for tests: as a real process, or in this one."""

import atexit
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from arena.cli import main
from arena.cli.exits import BUILD, MATCH, import_all
from tests import prepared
from tests.prepared import Prepared


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]
ROOT = Path(__file__).parents[2]


def arena(*words: object, **environment: str) -> Ended:
    """Run the command line in a process of its own."""
    command, everything = ["arena", *map(str, words)], {**os.environ, **environment}
    if any(name.startswith("PYTHON") for name in environment):  # which only an interpreter that starts looks at
        whole = [sys.executable, "-m", *command]
        ended = subprocess.run(whole, capture_output=True, text=True, env=everything)
    else:
        ended = prepared_arena().run(command, everything, os.getcwd())
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@cache
def prepared_arena() -> Prepared:
    """Where `arena` is started in other folders, with lines to read, or with little memory."""
    words = [sys.executable, prepared.__file__, *prepared.ARENA]
    started = Prepared(words, {**os.environ, "PYTHONPATH": str(ROOT)})
    atexit.register(started.close)
    return started


def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> Ended:
    """Run the command line as in a pipe, but in this process, which is faster."""
    import_all((*MATCH, *BUILD))  # a command that has to import them starts a process meanwhile
    monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return Ended(ended.value.code, *capsys.readouterr())


@contextmanager
def very_deep(folder: Path) -> Iterator[None]:
    """Folders nested so deep that neither Python nor pytest can remove them."""
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
    return re.sub(r" +(?:\d+\.\d\d|<0\.1)", " #", text)
