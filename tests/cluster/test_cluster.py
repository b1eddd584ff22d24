"""A league on a real Dask cluster on the loopback interface: it gives what local workers give, whatever is killed."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from distributed import Client

from arena import running
from arena.cluster import shift, workers
from arena.cluster.contact import Contact
from arena.cluster.place import ClusterPlace
from arena.cluster.workers import on_cluster
from arena.errors import BotRefused, LaunchError
from arena.league import evidence
from arena.league import run as league
from arena.league.results import table
from arena.league.run import Progress
from arena.league.store import Store, open_store
from arena.league.tournament import read_tournament
from arena.match.record_file import load
from arena.replay.verify import verify
from tests.cluster.dask_processes import (
    PATIENCE_S,
    ROOT,
    DaskCluster,
    command_of,
    dask_cluster,
    descendants,
    kill,
    wait_for,
)
from tests.league.small_league import inhabitants, play, rows, small_bot, small_league, watch_nothing, ways
from tests.machine import need_tier
from tests.strange_programs import strange_bot

TWO = ("first", "second", "last")


def small(tmp_path: Path, blocks: int = 6) -> Path:
    """A league whose matches are the same whenever they are played again: deals are shared."""
    return small_league(tmp_path, TWO, blocks=blocks, processes="match", deals="shared")


def play_on(where: ClusterPlace | DaskCluster, path: Path, folder: Path, watch=watch_nothing, **changes) -> Progress:
    place = where if isinstance(where, ClusterPlace) else ClusterPlace(where.address)
    tournament = replace(read_tournament(path), **changes)
    manner = league.Manner(hire=on_cluster(place, max(tournament.seats)))
    return running.run(lambda: league.run(tournament, folder, watch, manner))


def standings(folder: Path) -> object:
    with open_store(folder) as store:
        return table(store)


def is_proved(folder: Path) -> bool:
    with open_store(folder) as store:
        return list(evidence.verify_league(store, lambda *_: None)) == []


class Once:
    """A watch that does something when this many matches have been played in this run.

    If that returns False, it was too early, and is done again after the next match.
    """

    def __init__(self, matches: int, act) -> None:
        self._matches = matches
        self._act = act
        self.is_done = False

    def __call__(self, progress: Progress, _store: Store) -> None:
        if progress.new >= self._matches and not self.is_done:
            self.is_done = self._act() is not False


@cache
def alone(blocks: int) -> tuple[object, object]:
    """What local workers give: every match of such a league, and the standings."""
    with TemporaryDirectory() as name:
        play(small(Path(name), blocks), Path(name, "alone"))
        return ways(Path(name, "alone")), standings(Path(name, "alone"))


def check_complete(tmp_path: Path, blocks: int = 6) -> None:
    """The league of the cluster is the same as one of local workers, and each match counts once."""
    assert (ways(tmp_path / "there"), standings(tmp_path / "there")) == alone(blocks)
    assert is_proved(tmp_path / "there")


def test_a_local_cluster_gives_what_local_workers_give_and_leaves_no_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    path = small(tmp_path)
    progress = play_on(ClusterPlace(local=2), path, tmp_path / "there")
    assert (progress.new, progress.void, progress.warnings) == (12, 0, [])
    check_complete(tmp_path)
    monkeypatch.chdir("/")
    wait_for("no process is left", lambda: inhabitants(tmp_path) == [])


def freeze_one(cluster: DaskCluster) -> list[int]:
    """A worker that has stopped in the middle of a match, if there is one: it cannot report what it plays any more.

    On a busy machine results come in heaps, and between two heaps it may be between two matches: so it is tried often.
    """
    for _ in range(100):
        for worker in cluster.workers:
            kill(worker.pid, signal.SIGSTOP)
            if any("bot.py" in command_of(one) for one in descendants(worker.pid)):
                return [worker.pid]
            kill(worker.pid, signal.SIGCONT)
        time.sleep(0.005)
    return []


def test_a_league_survives_a_worker_that_is_killed(tmp_path):
    path = small(tmp_path, blocks=9)
    with dask_cluster(tmp_path) as cluster:

        def kill_one() -> bool:
            frozen = freeze_one(cluster)
            for victim in frozen:
                kill(victim)
            return bool(frozen)

        once = Once(4, kill_one)
        progress = play_on(cluster, path, tmp_path / "there", once)
    assert once.is_done
    assert progress.done == 18
    assert progress.void, "the block that it played is an attempt"
    check_complete(tmp_path, blocks=9)


def test_a_worker_that_is_killed_leaves_no_bot_behind(tmp_path):
    """Neither if the Dask worker is killed, nor if the nanny that watches it is."""
    path = small_league(tmp_path, ("first", "asleep"), blocks=1, processes="match")
    with dask_cluster(tmp_path, workers=0) as cluster:
        runner = subprocess.Popen(
            [sys.executable, "-m", "arena", "league", "run", path.name, "--cluster", cluster.address],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            for options in (("--no-nanny",), ("--nworkers", "1")):
                worker = cluster.start_worker(*options)
                wait_for("a bot plays", lambda: bots_below(worker.pid))  # noqa: B023
                below = descendants(worker.pid)
                kill(worker.pid)
                wait_for("its processes are gone", lambda: not any(map(command_of, below)))  # noqa: B023
        finally:
            runner.kill()
            runner.wait()


def bots_below(pid: int) -> bool:
    return any("bot.py asleep" in command_of(one) for one in descendants(pid))


def test_a_league_survives_a_scheduler_that_is_restarted(tmp_path):
    path = small(tmp_path, blocks=9)
    with dask_cluster(tmp_path) as cluster:

        def restart() -> None:
            cluster.kill_scheduler()
            cluster.start_scheduler()
            cluster.start_worker()  # Dask's workers end with their scheduler

        progress = play_on(cluster, path, tmp_path / "there", Once(4, restart))
    assert progress.done == 18
    assert any("is gone; waiting for it" in warning for warning in progress.warnings)
    check_complete(tmp_path, blocks=9)


def test_a_scheduler_that_stays_away_ends_the_run_in_words_and_the_next_run_resumes(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "RECONNECT_S", 0.5)
    path = small(tmp_path)
    with dask_cluster(tmp_path) as cluster, pytest.raises(LaunchError, match=r"no Dask scheduler at tcp://.*are saved"):
        play_on(cluster, path, tmp_path / "there", Once(2, cluster.kill_scheduler))
    assert 2 <= len(rows(tmp_path / "there")) < 12
    with dask_cluster(tmp_path, workers=1) as cluster:
        play_on(cluster, path, tmp_path / "there")
    check_complete(tmp_path)


def test_a_block_that_two_workers_have_played_counts_once(tmp_path):
    """A worker freezes until Dask gives it up, and then goes on: another one has played its block by then."""
    path = small(tmp_path, blocks=9)
    with dask_cluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL="3 s") as cluster:
        frozen: list[int] = []

        def stop() -> bool:
            frozen.extend(freeze_one(cluster))
            return bool(frozen)

        freeze = Once(4, stop)
        thaw = Once(0, lambda: kill(frozen[0], signal.SIGCONT))

        def watch(progress: Progress, store: Store) -> None:
            freeze(progress, store)
            if progress.void:  # Dask has given it up
                thaw(progress, store)

        progress = play_on(cluster, path, tmp_path / "there", watch)
    assert thaw.is_done
    assert progress.void == 2, "the matches of the block that the frozen worker had are attempts"
    assert (progress.done, len(rows(tmp_path / "there"))) == (18, 18)
    check_complete(tmp_path, blocks=9)


def test_a_worker_that_joins_late_gets_work(tmp_path):
    path = small(tmp_path, blocks=9)
    with dask_cluster(tmp_path, workers=1) as cluster:
        progress = play_on(cluster, path, tmp_path / "there", Once(2, cluster.start_worker))
    assert (progress.done, progress.void) == (18, 0)


def test_a_worker_that_joins_is_noticed_however_late_dask_subscribes(tmp_path, monkeypatch):
    """Dask's client only sends its wish to hear of workers, and a question may overtake it: here it is never sent."""
    send, listen = Client._send_to_scheduler, Contact.listen

    async def then_one_joins(contact: Contact) -> None:
        await listen(contact)
        cluster.start_worker()

    monkeypatch.setattr(
        Client, "_send_to_scheduler", lambda self, msg: None if msg["op"] == "subscribe-topic" else send(self, msg)
    )
    monkeypatch.setattr(Contact, "listen", then_one_joins)
    with dask_cluster(tmp_path, workers=0) as cluster:
        assert play_on(cluster, small(tmp_path, blocks=1), tmp_path / "there").done == 2


class Warned(Exception):
    """The league has said something."""


def stop_at_warning(progress: Progress, _store: Store) -> None:
    if progress.warnings:
        raise Warned(progress.warnings[-1])


def test_a_worker_with_a_weak_sandbox_gets_no_work_and_is_named(tmp_path):
    weak = re.escape('gets no work: its best sandbox is of tier none, and the league needs full (min_tier = "full")')
    with dask_cluster(tmp_path, workers=1) as cluster, pytest.raises(Warned, match=f"on {socket.gethostname()} {weak}"):
        play_on(cluster, small(tmp_path), tmp_path / "there", stop_at_warning, sandbox="none", min_tier="full")
    assert rows(tmp_path / "there") == []


def test_a_worker_with_another_arena_gets_no_work_and_is_named(tmp_path):
    other = tmp_path / "other"
    for package in ("arena", "engine", "protocol", "bots"):
        shutil.copytree(ROOT / package, other / package, ignore=shutil.ignore_patterns("__pycache__"))
    info = other / "dino_arena-9.9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dino-arena\nVersion: 9.9.9\n")
    with dask_cluster(tmp_path, workers=0) as cluster:
        cluster.start_worker(PYTHONPATH=str(other))
        with pytest.raises(Warned, match=r"gets no work: it has arena 9\.9\.9, and this machine has"):
            play_on(cluster, small(tmp_path), tmp_path / "there", stop_at_warning)


def test_a_cluster_without_workers_ends_the_run_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(shift, "PATIENCE_S", 1.0)
    with dask_cluster(tmp_path, workers=0) as cluster, pytest.raises(LaunchError, match="for 1 s: none has joined"):
        play_on(cluster, small(tmp_path), tmp_path / "there")


# Exams


def test_bots_pass_their_exams_on_the_cluster_and_the_league_keeps_the_records(tmp_path):
    path = small_league(tmp_path, TWO, blocks=2, exam=True)
    with dask_cluster(tmp_path, workers=1) as cluster:
        progress = play_on(cluster, path, tmp_path / "there")
        assert (tmp_path / "cache" / "bots").exists(), "the bots have travelled"
    assert (progress.done, progress.void, progress.warnings) == (4, 0, [])
    records = [load(path) for path in (tmp_path / "there" / "exams").glob("*/*")]
    assert [verify(record) for record in records] == [None] * len(TWO)
    assert {player.name.partition("#")[0] for record in records for player in record.header.players} == {*TWO}
    assert is_proved(tmp_path / "there")


def test_a_bot_that_fails_its_exam_on_the_cluster_is_refused_in_words(tmp_path):
    path = small_league(tmp_path, ("first", "second", "crash"), blocks=2, exam=True)
    with (
        dask_cluster(tmp_path, workers=1) as cluster,
        pytest.raises(
            BotRefused, match=r"^crash did not get through its trial match: crash: it exited with status 1"
        ) as caught,
    ):
        play_on(cluster, path, tmp_path / "there")
    (record,) = re.findall(r"arena replay (\S+) \|", str(caught.value))
    assert load(Path(record)).header.players[0].name.startswith("crash")


# Which bots


def test_a_bot_that_joins_while_the_league_runs_plays_on_the_cluster(tmp_path):
    path = small(tmp_path)
    small_bot(tmp_path, "third")

    def join() -> None:
        path.write_text(path.read_text().replace('"last"]', '"last", "third"]'))
        command = [sys.executable, "-m", "arena", "league", "update", str(path), "--folder", str(tmp_path / "there")]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    with dask_cluster(tmp_path, workers=1) as cluster:
        once = Once(2, join)
        progress = play_on(cluster, path, tmp_path / "there", once)
    assert once.is_done
    assert progress.done == progress.total
    assert "third" in {bot for row in rows(tmp_path / "there") for bot in row.bots}
    assert is_proved(tmp_path / "there")


def test_built_in_bots_and_command_lines_play_on_a_cluster(tmp_path):
    script = small_bot(tmp_path / "own", "first") / "bot.py"
    path = small_league(tmp_path, ("first",), blocks=2)
    path.write_text(path.read_text().replace('["first"]', json.dumps(["greedy", f"{sys.executable} {script} last"])))
    with dask_cluster(tmp_path, workers=1) as cluster:
        progress = play_on(cluster, path, tmp_path / "there")
    assert (progress.done, progress.void, progress.warnings) == (4, 0, [])
    assert [fault for row in rows(tmp_path / "there") for fault in row.faults] == []
    assert is_proved(tmp_path / "there")


@pytest.mark.usefixtures("sandbox")
def test_bots_play_in_the_sandbox_of_a_worker(tmp_path):
    with dask_cluster(tmp_path, workers=1) as cluster:
        progress = play_on(cluster, small(tmp_path, blocks=2), tmp_path / "there", sandbox="auto", min_tier="lite")
    assert (progress.done, progress.warnings) == (4, [])
    assert [fault for row in rows(tmp_path / "there") for fault in row.faults] == []


def test_a_bot_from_a_machine_of_another_kind_is_built_on_the_worker_and_once(tmp_path):
    need_tier("full")
    path = small_league(tmp_path, ("last",), blocks=2)
    strange_bot(tmp_path)
    path.write_text(path.read_text().replace('["last"]', '["first", "last"]'))
    with dask_cluster(tmp_path, workers=2) as cluster:
        progress = play_on(cluster, path, tmp_path / "there")
    assert (progress.done, progress.void, progress.warnings) == (4, 0, [])
    assert [fault for row in rows(tmp_path / "there") for fault in row.faults] == []
    assert is_proved(tmp_path / "there")
    copies = [folder.name for folder in (tmp_path / "cache" / "unpacked").glob("*.*")]
    assert len(copies) == 1
    with open_store(tmp_path / "there") as store:
        assert copies[0].startswith(f"{store.lineup().current['first'].archive}.")


def test_a_worker_that_cannot_build_a_bot_gets_no_work_and_is_named(tmp_path):
    need_tier("full")
    path = small_league(tmp_path, ("last",), blocks=2)
    strange_bot(tmp_path, build="echo no compiler here; exit 1")
    path.write_text(path.read_text().replace('["last"]', '["first", "last"]'))
    words = r"gets no work: first cannot be built in the sandbox on this machine: .* printed: no compiler here$"
    with dask_cluster(tmp_path, workers=1) as cluster, pytest.raises(Warned, match=words):
        play_on(cluster, path, tmp_path / "there", stop_at_warning)


def test_an_interrupt_ends_a_league_on_a_cluster_soon(tmp_path):
    path = small_league(tmp_path, ("first", "asleep"), blocks=1, processes="match")
    runner = subprocess.Popen(
        [sys.executable, "-m", "arena", "league", "run", path.name, "--cluster", "local:2"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT), "ARENA_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    wait_for("a bot plays", lambda: bots_below(runner.pid))
    kill(runner.pid, signal.SIGINT)
    _, said = runner.communicate(timeout=PATIENCE_S)  # the bot would sleep for ten minutes
    assert runner.returncode == 130
    assert b"Traceback" not in said
    wait_for("no process is left", lambda: inhabitants(tmp_path) == [])
