"""Workers on the same core take turns, and nothing that happens to one of them takes the core from the others."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio

from arena.league import fixtures
from arena.league import turns as turning
from arena.league import workers as executors
from arena.league.tournament import read_tournament
from arena.league.turns import Turn, turns
from arena.league.worker import Crew
from arena.match.bot import Bot
from arena.match.company import Company, open_company
from arena.match.launch import SpawnerLauncher, usable_cpus
from protocol.messages import Decide
from tests.league.small_league import HOST, plan_of, play, rows, small_league

PLAYER = """
import sys, trio
from arena.league.turns import Turn

async def play():
    turn = Turn(int(sys.argv[1]))
    for _ in range(2):
        await turn.take()
        print("plays", flush=True)
        sys.stdin.readline()
        turn.give_back()

trio.run(play)
"""
PROBE = "import fcntl, sys; fcntl.lockf(int(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)"


@pytest.fixture
def file() -> Iterator[int]:
    """The turn of a core that two workers have."""
    with turns([(0,), (0,)]) as (first, second):
        assert first == second is not None
        yield first


@contextmanager
def player(file: int) -> Iterator[subprocess.Popen[str]]:
    """A process that takes its turn twice, and ends each at a line of stdin."""
    with subprocess.Popen(
        [sys.executable, "-c", PLAYER, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[file],
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end_turn(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def is_taken(file: int) -> bool:
    """Whether it is this process's turn."""
    probe = subprocess.run([sys.executable, "-c", PROBE, str(file)], pass_fds=[file], capture_output=True, text=True)
    assert probe.returncode == 0 or "BlockingIOError" in probe.stderr
    return probe.returncode != 0


def has_to_wait(process: subprocess.Popen[str]) -> bool:
    """Whether it waits for a lock, according to the kernel. It may take a moment to get there."""
    for _ in range(3000):
        waiting = [line.split() for line in Path("/proc/locks").read_text().splitlines() if "->" in line]
        if any(str(process.pid) in line for line in waiting):
            return True
        if process.poll() is not None:
            return False
        trio.run(trio.sleep, 0.01)
    return False


def test_who_has_ended_a_turn_comes_after_who_has_waited(file):
    with player(file) as one:
        assert heard(one) == "plays"
        with player(file) as other:
            assert has_to_wait(other)
            end_turn(one)
            assert has_to_wait(one)
            assert heard(other) == "plays"
            end_turn(other)
            assert has_to_wait(other)
            assert heard(one) == "plays"


def test_the_turn_of_a_worker_that_is_killed_is_free(file):
    with player(file) as one:
        assert heard(one) == "plays"
        with player(file) as other:
            assert has_to_wait(other)
            one.kill()
            assert heard(other) == "plays"


def test_only_workers_on_the_same_core_have_a_turn():
    with turns([(0,), (1,), (0,), (2, 3)]) as files:
        assert files[0] == files[2] is not None
        assert files[1] is files[3] is None
    turn = Turn(None)
    trio.run(turn.take)
    turn.give_back()


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("long_s", [0, 600])
def test_a_turn_lasts_for_whole_blocks_and_ends_when_a_bot_thinks(tmp_path, file, monkeypatch, long_s):
    monkeypatch.setattr(turning, "TURN_S", long_s)
    tournament = read_tournament(small_league(tmp_path, ("first", "second", "asleep"), blocks=1))
    fixture = next(iter(fixtures.blocks_of(tournament, plan_of(tournament))))[0]
    setting = replace(fixtures.setting(tournament, tmp_path), processes="worker", turn=file)
    at_beginnings, asked = list[bool](), list[str]()

    def listen(bot: Bot, _direction: str, message: object) -> None:
        if isinstance(message, Decide):
            asked.append(bot.entry.name)

    async def play_all() -> None:
        async with open_company(SpawnerLauncher(), listener=listen) as company:
            crew = Crew(company, setting, HOST)
            play_one = company.play

            async def watched_play(*args):
                at_beginnings.append(is_taken(file))
                return await play_one(*args)

            crew._company = cast(Company, SimpleNamespace(hire=company.hire, header=company.header, play=watched_play))
            await crew.play({**fixture, "bots": ["first", "second"]})
            await crew.turn.take()  # a bot may have made us wait
            await crew.end_block()
            assert is_taken(file) == (long_s > 0)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crew.play, {**fixture, "bots": ["first", "asleep"]})
                with trio.fail_after(60):
                    while "asleep" not in asked or is_taken(file):
                        await trio.sleep(0.01)
                nursery.cancel_scope.cancel()

    trio.run(play_all)
    assert at_beginnings == [True, True]


@pytest.mark.usefixtures("processes")
def test_a_league_of_more_workers_than_cores_plays_everything(tmp_path, monkeypatch):
    core = min(usable_cpus())
    monkeypatch.setattr(executors, "usable_cpus", lambda: [core])
    progress = play(small_league(tmp_path, blocks=6, workers=3, processes="worker"), tmp_path / "results")
    assert (progress.done, progress.void, progress.warnings) == (12, 0, [])
    assert len(rows(tmp_path / "results")) == 12
