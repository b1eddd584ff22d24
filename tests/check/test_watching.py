"""`arena check --watch`: a bot is examined again when its author has changed it, and only then."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
import trio
import trio.testing

from arena.check.watching import GENERATED, BotFiles, Picture, is_source, looks_at, makes, watch
from arena.errors import RosterError
from arena.roster.entries import Entry
from tests.cli.command import ROOT

TOML = 'name = "mine"\ncommand = ["{python}", "-I", "-S", "bot.py"]\n'
BOT = """
import sys
print('{"type":"hello","protocol":1,"name":"mine","version":"1","games":["draftosaurus"]}', flush=True)
sys.stdin.read()
"""


@contextmanager
def watched(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`arena check --watch` of this folder, with both streams in one pipe."""
    command = [sys.executable, "-m", "arena", "check", str(folder), "--watch", "--sandbox", "none", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(words: str, stream: IO[str] | None) -> str:
    """What is printed up to the line with these words."""
    assert stream is not None
    shown = ""
    for line in stream:
        shown += line
        if words in line:
            return shown
    raise AssertionError(f"{words!r} is not in:\n{shown}")


@pytest.mark.usefixtures("processes")
def test_every_change_is_examined_and_a_broken_description_is_waited_for(tmp_path):
    (tmp_path / "bot.toml").write_text(TOML)
    (tmp_path / "bot.py").write_text(BOT)
    with watched(tmp_path, "--exam", "start") as process:
        assert "mine passed 1 exam." in until("waiting for a change", process.stdout)
        (tmp_path / "bot.py").write_text("def hello(")
        shown = until("waiting for a change", process.stdout)
        assert "  bot.py changed ---" in shown
        assert "SyntaxError" in shown
        assert "Next: fix `exits-early`, then save it." in shown
        (tmp_path / "bot.toml").write_text("name =")
        assert "bot.toml: " in until("waiting for a change", process.stdout)
        (tmp_path / "bot.toml").unlink()
        assert "there is no bot.toml in it" in until("waiting for a change", process.stdout)
        (tmp_path / "bot.py").write_text(BOT)
        (tmp_path / "bot.toml").write_text(TOML)
        assert "mine passed 1 exam." in until("mine passed", process.stdout)
        until("waiting for a change", process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.read() == "arena: interrupted\n"
        assert process.wait() == 130


class Heard:
    """What is said, and an end after so many words."""

    def __init__(self, most: int) -> None:
        self.words: list[str] = []
        self._most = most
        self.scope = trio.CancelScope()

    def _hear(self, word: str) -> None:
        self.words.append(word)
        if len(self.words) >= self._most:
            self.scope.cancel()

    def changed(self, names: Sequence[str]) -> None:
        self._hear(" ".join(names))

    def waiting(self, generated: Sequence[str]) -> None:
        self._hear(" ".join(["waiting", *generated]))

    def invalid(self, error: RosterError) -> None:
        self._hear(str(error))


def heard(folder: Path, most: int, *steps: Callable[[], object]) -> list[str]:
    """What is said of examinations that do this, one after the other; those that do something last for ever."""
    told, queue = Heard(most), list(steps)

    async def examine() -> None:
        if queue:
            queue.pop(0)()
            await trio.sleep_forever()

    async def main() -> None:
        with told.scope:
            await watch(str(folder), examine, told)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return told.words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.toml").write_text(TOML)
    (tmp_path / "bot.py").write_text(BOT)
    return tmp_path


def test_an_edit_ends_the_examination_of_what_is_no_longer_there(folder):
    edits = [lambda: (folder / "bot.py").write_text("1"), lambda: (folder / "bot.py").write_text("22")]
    assert heard(folder, 3, *edits) == ["bot.py", "bot.py", "waiting"]


def test_a_source_that_every_examination_changes_is_generated(folder):
    edits = [lambda n=n: (folder / "tables.py").write_text("x" * n) for n in range(GENERATED)]
    words = heard(folder, GENERATED + 1, *edits)
    assert words == ["tables.py"] * GENERATED + ["waiting tables.py"]


def files(*pictures: Picture) -> BotFiles:
    """Files that look like this, one time after the other."""
    looks = list(pictures)
    return BotFiles(lambda: looks.pop(0) if len(looks) > 1 else looks[0])


def test_what_the_bot_itself_writes_counts_once():
    watched = files({"log": 1}, {"log": 2}, {"log": 3})
    assert watched.during(lambda _: False) == {"log"}
    assert watched.during(lambda _: False) == set()


def test_what_the_build_makes_does_not_count():
    made = makes(Entry("c", "1", ("./bot",), Path("/x"), build=("make",)))
    watched = files({}, {"bot": 1, "target/x": 1, "weights": 1})
    assert watched.during(made) == {"weights"}


def test_a_change_counts_when_it_is_complete():
    watched = files({"a": 1}, {"a": 1}, {}, {"a": 2}, {"a": 2, "b": 1}, {"a": 2, "b": 1})
    assert trio.run(watched.next, clock=trio.testing.MockClock(autojump_threshold=0)) == {"a", "b"}


def test_files_of_tools_are_not_watched(folder):
    before = looks_at(str(folder))()
    for name in ("lib/__pycache__/x.pyc", ".git/index", ".#bot.py", "#bot.py#", "bot.py~", "matches/1"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    assert looks_at(str(folder / "bot.toml"))() == before
    (folder / "lib" / "x.bin").touch()
    assert looks_at(str(folder))() != before


def test_a_command_line_is_watched_by_its_files(folder):
    look = looks_at(f"python3 {folder / 'bot.py'}")
    before = look()
    (folder / "bot.toml").unlink()
    assert look() == before
    (folder / "bot.py").write_text("1")
    assert look() != before
    with pytest.raises(RosterError):
        looks_at("no-such-bot")


@pytest.mark.parametrize(("name", "expected"), [("src/bot.rs", True), ("Makefile", True), ("dist/bot.js", False)])
def test_sources_are_told_from_what_is_built(name, expected):
    assert is_source(name) is expected
    assert not is_source("weights.bin")
