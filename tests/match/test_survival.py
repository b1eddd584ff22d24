"""Nobody outlives the referee, whatever ends it, and no flood of a bot makes the referee swell.

Each test runs a referee as a process of its own, waits until the bots have come to the point, and then does it harm.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.command import prepared_arena
from tests.match import light_bot
from tests.sizes import sweep

ROOT = Path(__file__).parents[2]
BOT = Path(__file__).with_name("faulty_bot.py")
PATIENCE_S = 60
"""For what must happen, however busy the machine is. Nothing here would happen by itself: the bots hang for ever."""

PLAY = """
import sys, arena
from arena.match.clock import TimeControl
record = arena.play(*sys.argv[1:], seed=5, sandbox="none", clock=TimeControl(600_000, 600_000, 600_000, 1_000))
print("played", record.verdict.void, flush=True)
"""

SWELL = """
import sys, arena
from arena.match.clock import TimeControl
from arena.match.record_file import to_bytes
def peak():
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
good, *floods = sys.argv[1:]
clock = TimeControl(60_000, 60_000, 60_000, 1_000)
to_bytes(arena.play(good, good, good, seed=5, sandbox="none", clock=clock))
before = peak()
for flood in floods:
    record = arena.play(good, flood, good, seed=5, sandbox="none", clock=clock)
    to_bytes(record)
    print(record.verdict.faults[-1].kind, peak() - before, flush=True)
"""


def bot(fault: str, at: str, folder: Path | str = "", codec: str = "json") -> str:
    """The command line; the folder is what its processes are known by."""
    return f"{sys.executable} -I -S {BOT} {fault} {at} '{folder}' {codec}"


@contextmanager
def referee(script: str, *bots: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", script, *bots],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(what: str, is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, f"{what}: not within {patience_s} s"
        time.sleep(0.02)  # between two looks, so as not to keep the others from running


def marks(folder: Path) -> list[str]:
    """What has come to the point, and is there."""
    return sorted(path.name.partition(".")[0] for path in folder.iterdir())


def alive(folder: Path) -> list[int]:
    """The processes with this folder in their command line, the referee left out: bots, their children and daemons."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # it has just gone
            if str(folder).encode() in words:
                found.append(int(process.name))
    return found


def spawner_of(process: subprocess.Popen[str]) -> int:
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(child)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


BOTS = {
    "that hang": ([("hang", "1"), ("stubborn", "1"), ("stop", "1")], ["bot", "bot", "bot"]),
    "that have not said hello": ([("hang", "hello"), ("stubborn", "hello"), ("stop", "hello")], ["bot"] * 3),
    "that leave others behind": (
        [("daemon-and-hang", "1"), ("child-and-hang", "1"), ("daemon-and-hang", "1")],
        ["bot", "bot", "bot", "child", "daemon", "daemon", "hung", "hung", "hung"],
    ),
    "that never stop forking": ([("respawner-and-hang", "1")] * 3, ["bot"] * 3 + ["hung"] * 3),
}


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
EVERY = [(number, bots) for number in SIGNALS for bots in BOTS]
SOME = [
    (number, bots)
    for number, bots in EVERY
    if number in (signal.SIGINT, signal.SIGKILL) or bots == "that leave others behind"
]
"""SIGTERM and SIGHUP take the same ways as the other two."""


@pytest.mark.parametrize(("number", "bots"), sweep(SOME, EVERY), ids=str)
def test_nobody_outlives_the_referee(number: signal.Signals, bots: str, tmp_path: Path) -> None:
    faults, expected = BOTS[bots]
    with referee(PLAY, *(bot(fault, at, tmp_path) for fault, at in faults)) as process:
        wait_for("the bots are there", lambda: marks(tmp_path) == expected)
        spawner = spawner_of(process)
        assert len(alive(tmp_path)) >= 3
        process.send_signal(number)
        wait_for("they are gone", lambda: not alive(tmp_path) and not is_running(spawner))
        status = process.wait(PATIENCE_S)
        _, said = process.communicate()
    if number in (signal.SIGINT, signal.SIGTERM):
        assert status == 1
        assert "Interrupted: " in said.splitlines()[-1]
    else:
        assert status == -number


IGNORED = """
import signal
numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
for number in numbers:
    signal.signal(number, signal.SIG_IGN)
import tests.conftest
print([number.name for number in numbers if signal.getsignal(number) is signal.SIG_IGN])
"""


def test_tests_do_not_depend_on_signals_that_are_ignored_where_they_are_started() -> None:
    ended = subprocess.run([sys.executable, "-c", IGNORED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_a_second_interrupt_changes_nothing(tmp_path: Path) -> None:
    with referee(PLAY, *[bot("daemon-and-hang", "1", tmp_path)] * 3) as process:
        wait_for("the bots are there", lambda: marks(tmp_path).count("hung") == 3)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        wait_for("they are gone", lambda: not alive(tmp_path))
        assert process.wait(PATIENCE_S) != 0


def test_when_the_spawner_is_killed_nobody_is_blamed_but_the_arena(tmp_path: Path) -> None:
    with referee(PLAY, *(bot(fault, at, tmp_path) for fault, at in BOTS["that hang"][0])) as process:
        wait_for("the bots are there", lambda: marks(tmp_path) == ["bot"] * 3)
        os.kill(spawner_of(process), signal.SIGKILL)
        wait_for("they are gone", lambda: not alive(tmp_path))
        status = process.wait(PATIENCE_S)
        out, said = process.communicate()
    # Either a void match or an error that says so.
    told = out if status == 0 else said.splitlines()[-1]
    assert "LaunchError: the process that starts the bots " in told


FLOODS = [
    ("stale-moves", "3", "json", "flood"),
    ("junk", "3", "json", "strikes"),
    ("endless-line", "3", "json", "protocol"),
    ("four-gigabytes", "3", "msgpack", "protocol"),
    ("deep", "3", "json", "protocol"),
    ("deep", "3", "msgpack", "protocol"),
    ("stderr-flood", "3", "json", "flood"),
]
"""What the bot does, where, how it speaks, and what it is disqualified for."""


def test_no_flood_makes_the_referee_swell(tmp_path: Path) -> None:
    program = tmp_path / "swell.py"
    program.write_text(SWELL)
    floods = [bot(fault, at, tmp_path, codec) for fault, at, codec, _ in FLOODS]
    words = [str(program), shlex.join(light_bot.command(tmp_path)), *floods]
    ended = prepared_arena().run(words, os.environ, ROOT, timeout_s=4 * PATIENCE_S)
    assert not ended.stderr
    found = [line.split() for line in ended.stdout.splitlines()]
    assert [kind for kind, _ in found] == [kind for *_, kind in FLOODS]
    assert max(int(grown_kb) for _, grown_kb in found) <= 64 << 10, found
