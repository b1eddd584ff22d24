"""What the root file system of a bot is planned to be made of, and what its bots share: nothing at the same time."""

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.launch import Command, SpawnedProcess, SpawnerLauncher, probe
from arena.sandbox.policy import Policy, Tier
from arena.sandbox.root import SCRATCH, Plan, plan_own, plan_system


@pytest.fixture
def base(tmp_path: Path) -> Plan:
    """A host that shows every bot `system`, and `bin` as a link into it."""
    (tmp_path / "system" / "bin").mkdir(parents=True)
    (tmp_path / "bin").symlink_to("system/bin")
    return Plan([str(tmp_path / name) for name in ("system", "bin", "missing")])


def test_a_folder_is_shown_a_link_is_copied_and_what_is_missing_is_left_out(base: Plan, tmp_path: Path) -> None:
    assert base.shown == [f"{tmp_path}/system"]
    assert base.links == {f"{tmp_path}/bin": "system/bin"}


def test_places_are_made_from_the_top(base: Plan, tmp_path: Path) -> None:
    above = [str(folder) for folder in reversed(tmp_path.parents)][1:]
    assert base.folders == [*above, str(tmp_path), f"{tmp_path}/system"]


def test_a_bot_gets_a_place_for_its_folder_and_for_a_single_file(base: Plan, tmp_path: Path) -> None:
    (tmp_path / "bots" / "mine").mkdir(parents=True)
    (tmp_path / "python").touch()
    own = Plan([f"{tmp_path}/python", f"{tmp_path}/bots/mine"], base)
    assert own.files == [f"{tmp_path}/python"]
    assert own.folders == [f"{tmp_path}/bots", f"{tmp_path}/bots/mine"]
    assert own.shown == [f"{tmp_path}/python", f"{tmp_path}/bots/mine"]


@pytest.mark.parametrize("within", ["system", "system/bin", "bin", "bin/"])
def test_what_lies_within_something_that_is_shown_is_not_shown_again(base: Plan, tmp_path: Path, within: str) -> None:
    own = Plan([f"{tmp_path}/{within}"], base)
    assert (own.folders, own.files, own.links, own.shown) == ([], [], {}, [])


def test_a_path_that_is_not_absolute_has_no_place(base: Plan) -> None:
    assert Plan(["tests", "."], base).folders == []


def test_what_one_bot_sees_is_not_in_the_next_ones_plan(base: Plan, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    Plan([f"{tmp_path}/one"], base)
    assert Plan([f"{tmp_path}/other"], base).folders == [f"{tmp_path}/other"]


def test_tmp_is_the_scratch_space_unless_the_bot_lies_there() -> None:
    base = plan_system()
    assert plan_own(base, ["/"]).links == {"/tmp": SCRATCH}
    assert plan_own(base, ["/tmp"]).links == {}


# Network namespaces


@pytest.fixture
def launcher() -> Iterator[SpawnerLauncher]:
    reason = probe(Tier.FULL, Policy())[1]
    if reason:
        pytest.skip(reason)
    launcher = SpawnerLauncher(Tier.FULL)
    yield launcher
    launcher.close()


def sleeper(launcher: SpawnerLauncher) -> SpawnedProcess:
    process = launcher.start(Command(("/bin/sleep", "60"), Path("/usr"), {}))
    while process.layers is None or process.pid is None:
        assert select.select([process.report], [], [], 5)[0]
        assert process.news() is None
    return process


def end(process: SpawnedProcess) -> None:
    process.end()
    while process.news() is None:
        assert select.select([process.report], [], [], 5)[0]
    process.close()


def network(process: SpawnedProcess | None) -> str:
    return os.readlink(f"/proc/{process.pid if process else 'self'}/ns/net")


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
