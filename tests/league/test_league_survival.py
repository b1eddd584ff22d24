"""A league survives whatever ends it, and nobody survives a league. Each test is a runner as a process of its own."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.errors import StoreError
from tests.league.small_league import inhabitants, play, rows, small_league
from tests.sizes import sweep

ROOT = Path(__file__).parents[2]
BECOME = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes standard input the terminal that Ctrl-C comes from."""
PATIENCE_S = 60.0
"""For what has to happen at some time."""
PROMPT_S = 10.0
"""For what has to happen within seconds, on a machine that may be busy."""
CONTROL_C = b"\x03"


def wait_for(what: str, is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {patience_s} s"
        time.sleep(0.05)  # between two looks, so as not to keep the others from running


def results(folder: Path) -> int:
    """How many matches there are."""
    try:
        return len(rows(folder))
    except StoreError:
        return 0  # it has not begun


def runner_command(path: Path) -> list[str]:
    return [sys.executable, "-m", "arena", "league", "run", path.name]


@contextmanager
def running(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A runner in the folder of its league, by which its processes are known."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    runner = subprocess.Popen(
        runner_command(path),
        cwd=path.parent,
        env=environment,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield runner
    finally:
        runner.kill()
        runner.communicate()


@pytest.fixture
def stuck(tmp_path):
    """A league in which two matches are played, and then all workers wait for a bot that hangs."""
    return small_league(tmp_path, ("first", "second", "hang"), workers=3, processes="match", blocks=3)


def wait_until_stuck(path: Path) -> None:
    def is_so() -> bool:
        if results(path.parent / "leagues" / "small") < 2:
            return False
        return sum("bot.py" in command_of(pid) for pid in inhabitants(path.parent)) == 4

    wait_for("two matches are played, and two go on", is_so)


def command_of(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "ended by SIGTERM")],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_league_that_is_told_to_stop_ends_says_how_to_go_on_and_leaves_nobody(stuck, number, words):
    with running(stuck) as runner:
        wait_until_stuck(stuck)
        os.killpg(runner.pid, number)
        out, said = runner.communicate(timeout=PROMPT_S)
        wait_for("all are gone", lambda: inhabitants(stuck.parent) == [], PROMPT_S)
    assert (runner.returncode, out) == (130, b"")
    assert (
        said.decode().splitlines()[1] == f"arena: {words}. 2 matches are kept. Continue:  arena league run small.toml"
    )
    assert len(rows(stuck.parent / "leagues" / "small")) == 2


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP], ids=lambda number: number.name)
def test_nobody_outlives_a_runner_that_cannot_say_goodbye(stuck, number):
    with running(stuck) as runner:
        wait_until_stuck(stuck)
        runner.send_signal(number)
        assert runner.wait(PROMPT_S) == -number
        wait_for("all are gone", lambda: inhabitants(stuck.parent) == [], PROMPT_S)
    assert len(rows(stuck.parent / "leagues" / "small")) == 2


def test_control_c_at_a_terminal_leaves_a_clean_line(stuck):
    """The line of progress is wiped, and a second Ctrl-C does no harm."""
    outer, inner = os.openpty()
    command = [sys.executable, "-c", BECOME, *runner_command(stuck)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    runner = subprocess.Popen(
        command, cwd=stuck.parent, env=environment, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
    )
    os.close(inner)
    try:
        wait_until_stuck(stuck)
        drawn = b""
        while not re.search(rb"\d+ %  \d/6  [\d.]+/s  .* left  ", drawn):  # somebody who looks sees how far it is
            assert select.select([outer], [], [], PATIENCE_S)[0], drawn
            drawn += os.read(outer, 1 << 16)
        os.write(outer, CONTROL_C)
        os.write(outer, CONTROL_C)
        assert runner.wait(PROMPT_S) == 130
        wait_for("all are gone", lambda: inhabitants(stuck.parent) == [], PROMPT_S)
        shown = all_of(outer)
    finally:
        runner.kill()
        runner.wait()
        os.close(outer)
    words = "arena: interrupted. 2 matches are kept. Continue:  arena league run small.toml"
    assert re.search(rf"\r\x1b\[K(\r?\n)?{re.escape(words)}\r?\n", shown), (
        "the line of progress is gone when it says so"
    )
    assert "Traceback" not in shown


def all_of(terminal: int) -> str:
    """What was written to a terminal that nobody has open any more."""
    shown = b""
    while select.select([terminal], [], [], PROMPT_S)[0]:
        try:
            shown += os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
    return shown.decode(errors="replace")


def test_a_second_runner_is_refused_while_the_first_is_at_work(stuck):
    with running(stuck) as runner:
        wait_until_stuck(stuck)
        with pytest.raises(StoreError, match="another process is running this league"):
            play(stuck, stuck.parent / "leagues" / "small")
        assert runner.poll() is None


def test_a_league_that_is_killed_again_and_again_ends_like_one_that_was_left_alone():
    """A short form of benchmarks/kill_league.py, whose documentation tells what is compared."""
    script, kills = ROOT / "benchmarks" / "kill_league.py", sweep(3, 50)
    words = [sys.executable, str(script), "--kills", f"{kills}", "--blocks", f"{kills + 2}", "--seed", "4"]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{kills} kills (" in ended.stdout
    assert ended.stdout.endswith("standings are equal, all records verify, no process is left\n")


def test_a_worker_that_cannot_read_its_orders_says_why_and_fails():
    words = [sys.executable, "-m", "arena.league.worker"]
    ended = subprocess.run(words, input=b"nonsense\n", capture_output=True, cwd=ROOT, timeout=PATIENCE_S)
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["failed"].startswith("JSONDecodeError: ")
    assert ended.stderr == b""
