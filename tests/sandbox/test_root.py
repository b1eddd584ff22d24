"""What the root file system of a bot is planned to be made of, and what its bots share: nothing at the same time."""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from arena.errors import LaunchError
from arena.match.launch import Command, ProcessExit, SpawnedProcess, SpawnerLauncher, _pipes
from arena.sandbox import cell, kernel
from arena.sandbox.policy import Tier
from arena.sandbox.root import SCRATCH, RootPlan, plan_own, plan_system
from tests.machine import need_tier


@pytest.fixture
def base(tmp_path: Path) -> RootPlan:
    """A host that shows every bot `system`, and `bin` as a link into it."""
    (tmp_path / "system" / "bin").mkdir(parents=True)
    (tmp_path / "bin").symlink_to("system/bin")
    return RootPlan([str(tmp_path / name) for name in ("system", "bin", "missing")])


def test_a_folder_is_shown_a_link_is_copied_and_what_is_missing_is_left_out(base: RootPlan, tmp_path: Path) -> None:
    assert base.shown == [f"{tmp_path}/system"]
    assert base.links == {f"{tmp_path}/bin": "system/bin"}


def test_places_are_made_from_the_top(base: RootPlan, tmp_path: Path) -> None:
    above = [str(folder) for folder in reversed(tmp_path.parents)][1:]
    assert base.folders == [*above, str(tmp_path), f"{tmp_path}/system"]


def test_a_bot_gets_a_place_for_its_folder_and_for_a_single_file(base: RootPlan, tmp_path: Path) -> None:
    (tmp_path / "bots" / "mine").mkdir(parents=True)
    (tmp_path / "python").touch()
    own = RootPlan([f"{tmp_path}/python", f"{tmp_path}/bots/mine"], base)
    assert own.files == [f"{tmp_path}/python"]
    assert own.folders == [f"{tmp_path}/bots", f"{tmp_path}/bots/mine"]
    assert own.shown == [f"{tmp_path}/python", f"{tmp_path}/bots/mine"]


@pytest.mark.parametrize("within", ["system", "system/bin", "bin", "bin/"])
def test_what_lies_within_something_that_is_shown_is_not_shown_again(
    base: RootPlan, tmp_path: Path, within: str
) -> None:
    own = RootPlan([f"{tmp_path}/{within}"], base)
    assert (own.folders, own.files, own.links, own.shown) == ([], [], {}, [])


@pytest.mark.parametrize("path", ["tests", ".", "//usr", "//", "/usr/../home", "/tmp/", ""])
def test_a_path_that_is_not_plain_has_no_place(base: RootPlan, path: str) -> None:
    own = RootPlan([path], base)
    assert (own.folders, own.files, own.links, own.shown) == ([], [], {}, [])


def test_a_folder_may_lie_as_deep_as_there_are_folders(base: RootPlan, tmp_path: Path) -> None:
    deep = str(tmp_path / "/".join("d" * 1500))
    base.make(deep)
    assert base.folders[-1500:][0] == f"{tmp_path}/d"
    assert base.folders[-1] == deep


@pytest.mark.parametrize("path", ["/etc/passwd", "/etc", "/dev", "/dev/null", "/dev/fd", "/proc", SCRATCH])
def test_what_the_arena_makes_cannot_be_shown_instead(path: str) -> None:
    """Else it would write to the host's."""
    own = plan_own(plan_system(), [path])
    assert own.shown == []
    assert own.links == {"/tmp": SCRATCH}


def test_a_plan_is_kept_only_if_it_would_be_the_same_another_time(base: RootPlan, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert RootPlan([f"{tmp_path}/mine"], base).is_lasting
    assert not RootPlan([f"{tmp_path}/mine", f"{tmp_path}/later"], base).is_lasting
    assert not RootPlan([f"{tmp_path}/bin"], base).is_lasting


def test_what_one_bot_sees_is_not_in_the_next_ones_plan(base: RootPlan, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    RootPlan([f"{tmp_path}/one"], base)
    assert RootPlan([f"{tmp_path}/other"], base).folders == [f"{tmp_path}/other"]


def test_tmp_is_the_scratch_space_unless_the_bot_lies_there() -> None:
    base = plan_system()
    assert plan_own(base, ["/"]).links == {"/tmp": SCRATCH}
    assert plan_own(base, ["/tmp"]).links == {}


# Bots in a root of their own


@pytest.fixture
def launcher() -> Iterator[SpawnerLauncher]:
    need_tier(Tier.FULL)
    launcher = SpawnerLauncher(Tier.FULL)
    yield launcher
    launcher.close()


def start(launcher: SpawnerLauncher, *argv: str, folder: Path = Path("/usr")) -> SpawnedProcess:
    return launcher.start(Command(argv, folder, {}))


def sleeper(launcher: SpawnerLauncher) -> SpawnedProcess:
    process = start(launcher, "/bin/sleep", "60")
    while process.reported is None or process.pid is None:
        assert select.select([process.report], [], [], 5)[0]
        assert process.news() is None
    return process


def ended(process: SpawnedProcess) -> ProcessExit:
    while (how := process.news()) is None:
        assert select.select([process.report], [], [], 5)[0]
    process.close()
    return how


def end(process: SpawnedProcess) -> None:
    process.end()
    ended(process)


def network(process: SpawnedProcess | None) -> str:
    return os.readlink(f"/proc/{process.pid if process else 'self'}/ns/net")


def uid(process: SpawnedProcess) -> int:
    return os.stat(f"/proc/{process.pid}").st_uid


@pytest.mark.parametrize("word", ["//bin/true", "/usr/../bin/true", "/bin/../bin/true"])
def test_a_program_may_be_named_with_detours(launcher: SpawnerLauncher, word: str) -> None:
    assert ended(start(launcher, word)).status == 0


def test_a_folder_may_be_a_link_or_be_named_with_detours(launcher: SpawnerLauncher, tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "run").write_text("#!/bin/sh\n")
    (tmp_path / "bot" / "run").chmod(0o755)
    (tmp_path / "link").symlink_to("bot")
    for name in ("bot", "link", "link/../bot", "bot/."):
        assert ended(start(launcher, "./run", folder=Path(f"{tmp_path}/{name}"))).status == 0
    assert ended(start(launcher, "./run", folder=Path(f"/{tmp_path}/bot"))).status == 0


@pytest.mark.parametrize("tier", [Tier.FULL, Tier.LITE])
def test_results_that_come_while_an_arena_runs_are_not_seen_either(tier: Tier) -> None:
    """The plan of a bot's root is kept; what there is to cover in it is looked up for each start."""
    need_tier(tier)
    with tempfile.TemporaryDirectory() as name:  # which root's bots can reach
        folder, launcher = Path(name), SpawnerLauncher(tier)
        folder.chmod(0o755)
        (folder / "own").write_text("x")
        try:
            for names in ((), ("leagues", "records")):
                for hidden in names:
                    (folder / hidden).mkdir()
                    (folder / hidden / "secret").write_text("x")
                (folder / f"{len(names)}.match.jsonl.gz").write_text("x")
                assert ended(start(launcher, "/bin/cat", "own", folder=folder)).status == 0
                for path in ("leagues/secret", "records/secret"):
                    assert ended(start(launcher, "/bin/cat", path, folder=folder)).status == 1
                words = ("/usr/bin/cmp", "-s", "own", f"{len(names)}.match.jsonl.gz")
                assert ended(start(launcher, *words, folder=folder)).status in (1, 2), "empty, or closed"
        finally:
            launcher.close()


def test_a_bot_that_cannot_be_started_harms_no_other(launcher: SpawnerLauncher) -> None:
    other = sleeper(launcher)
    process = start(launcher, "/bin/true")
    launcher.tell(
        {"start": 7, "folder": None, "argv": [], "env": {}, "cpus": [], "cell": {"tier": "full", "uid": None}}
    )
    launcher.tell({"start": 8})
    assert ended(process).status == 0
    assert ended(start(launcher, "/bin/true")).status == 0
    assert other.news() is None
    end(other)


RENAMED = "import ctypes, time; ctypes.CDLL(None).prctl(15, '\u00b2\\r\\nRssAnon:\\t\u00b2'.encode()); time.sleep(60)"


def test_a_bot_may_call_itself_what_it_likes(launcher: SpawnerLauncher) -> None:
    """The spawner looks at what bots have, a few times a second; their names are among it."""
    bots = [start(launcher, "/usr/bin/python3", "-c", RENAMED), sleeper(launcher)]
    assert not select.select([bots[1].report], [], [], 1)[0], "it is still there"
    for bot in bots:
        assert bot.news() is None
        end(bot)


def test_what_is_missing_now_may_be_there_later(launcher: SpawnerLauncher, tmp_path: Path) -> None:
    request, _ = launcher._request(0, Command(("/bin/true",), Path("/usr"), {}))
    for is_there in (False, True):
        ours, theirs = _pipes()
        stdin, stdout, stderr, report = ours
        process = SpawnedProcess(launcher, is_there, stdin, stdout, stderr, report)
        launcher.tell({**request, "start": int(is_there), "folder": str(tmp_path / "bot")}, theirs)
        for fd in theirs:
            os.close(fd)
        if is_there:
            assert ended(process).status == 0
        else:
            with pytest.raises(LaunchError, match=rf"No such file or directory: {tmp_path}/bot"):
                ended(process)
            (tmp_path / "bot").mkdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's bots are that user")
def test_no_two_bots_are_the_same_user(launcher: SpawnerLauncher) -> None:
    """Else the threads of one would count for the other."""
    bots = [sleeper(launcher) for _ in range(3)]
    launcher._keys = count(256)
    bots += [sleeper(launcher) for _ in range(3)]
    assert len({uid(bot) for bot in bots}) == 6
    for bot in bots:
        end(bot)


def test_a_strict_umask_hides_nothing_from_a_bot() -> None:
    need_tier(Tier.FULL)
    before = os.umask(0o077)
    launcher = SpawnerLauncher(Tier.FULL)
    try:
        assert ended(start(launcher, "/bin/cat", "/etc/passwd")).status == 0
    finally:
        os.umask(before)
        launcher.close()


FULL_HOUSE = """
import itertools, resource, sys
from arena.errors import LaunchError
from tests.sandbox.test_root import SpawnerLauncher, Tier, end, sleeper
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
launcher, bots = SpawnerLauncher(Tier.FULL), []
try:
    while len(bots) < 60:
        bots.append(sleeper(launcher))
except (LaunchError, OSError) as error:
    print(error)
print(len(bots), sum(bot.news() is None for bot in bots))
for bot in bots[:5]:
    end(bot)
bots[:5] = [sleeper(launcher) for _ in range(3)]
print(sum(bot.news() is None for bot in bots))
launcher.close()
"""


def test_who_finds_no_room_for_another_bot_keeps_those_it_has() -> None:
    need_tier(Tier.FULL)
    words = [sys.executable, "-c", FULL_HOUSE]
    found = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60)
    *_, first, last = found.stdout.splitlines()
    started, alive = map(int, first.split())
    assert 20 < started < 60, found.stdout + found.stderr
    assert alive == started
    assert int(last) == started - 2


@pytest.mark.skipif(os.geteuid() != 0, reason="those of an ordinary user's bots are not used again")
def test_a_network_is_used_again_but_never_by_two_bots_at_a_time(launcher: SpawnerLauncher) -> None:
    bots = [sleeper(launcher) for _ in range(3)]
    networks = {network(bot) for bot in bots}
    assert len(networks | {network(None)}) == 4
    end(bots.pop())
    end(bots.pop(0))
    bots += [sleeper(launcher) for _ in range(2)]
    assert {network(bot) for bot in bots} == networks
    bots.append(sleeper(launcher))
    assert len({network(bot) for bot in bots} | {network(None)}) == 5
    for bot in bots:
        end(bot)


def test_a_spawner_forbids_capabilities_once_for_all_its_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(cell, "_forbidden", [])
    monkeypatch.setattr(kernel, "forbid_capabilities", lambda: done.append("forbidden"))
    cell._forbid_capabilities()
    cell._forbid_capabilities()
    assert done == ["forbidden"]
