"""Which sandbox each seat gets, and who plays where there is none: the arena's own bots, and nobody who poses as one."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio

from arena import running
from arena.errors import HostError
from arena.match import play as matches
from arena.match import tiers
from arena.match.launch import Command, SpawnedProcess, SpawnerLauncher
from arena.match.record import MatchRecord
from arena.match.record_file import load
from arena.match.tiers import AutoLauncher, begun, choose, said_of, why_no_sandbox
from arena.roster.entries import Entry, built_in, find, is_built_in
from arena.roster.folders import KITS
from arena.sandbox.policy import Policy, Tier
from arena.version import RUN_OURS
from tests.cli.command import here

OURS = KITS / "python"
REFUSED = "this machine has no sandbox for "
WAY_OUT = 'For your own bots, and others that you trust, add --sandbox none, or sandbox = "none" in a tournament file.'


@pytest.fixture
def no_sandbox(monkeypatch):
    """A machine on which no tier works."""
    monkeypatch.setattr(tiers, "TIERS", ())


@pytest.fixture
def evil(tmp_path) -> Path:
    """A folder with a program that is called as ours is, and leaves a mark if anybody runs it."""
    folder = tmp_path / "downloads" / "greedy"
    folder.mkdir(parents=True)
    (folder / "greedy_bot.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w').close()\n")
    return folder


def play(*words: str) -> MatchRecord:
    setup = matches.MatchSetup(matches.find_all(words), seed=1)
    return running.run(lambda: matches.play(setup)).record()


# Those who come with the arena


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_the_bots_that_come_with_the_arena_are_ours(name):
    assert is_built_in(find(name))
    assert is_built_in(replace(find(name), name="another")), "what it is called does not matter"


@pytest.mark.usefixtures("no_sandbox")
def test_our_bots_play_where_there_is_no_sandbox_and_the_record_says_so_of_each_seat():
    record = play("greedy", "random")
    assert record.verdict.faults == ()
    assert [(player.sandbox, player.layers) for player in record.header.players] == [("none", ())] * 2


@pytest.mark.usefixtures("no_sandbox")
def test_people_are_told_in_one_line(monkeypatch, capsys, tmp_path):
    ended = here(monkeypatch, capsys, "play", "greedy", "random", "-o", tmp_path / "one.match.jsonl.gz")
    assert ended.code == 0
    assert ended.err.splitlines()[-1] == (
        "arena: no sandbox here: greedy and random, the arena's own, play without one"
    )


@pytest.mark.parametrize("sandbox", ["none", "auto"])
def test_nobody_is_told_what_was_asked_for_or_is_as_it_should_be(sandbox, monkeypatch, capsys, tmp_path):
    if sandbox == "auto" and why_no_sandbox(find("greedy")):
        pytest.skip("no sandbox works here for our own bots")
    ended = here(monkeypatch, capsys, "play", "greedy", "random", "--sandbox", sandbox, "-o", tmp_path / "one.gz")
    assert "no sandbox here" not in ended.err


def test_one_bot_plays():
    assert said_of(["greedy"]) == "no sandbox here: greedy, the arena's own, plays without one"


# Those who pose as them


def own_manifest(evil: Path) -> str:
    (evil / "bot.toml").write_text('name = "greedy"\ncommand = ["{python}", "greedy_bot.py"]\n')
    return str(evil)


def copied_manifest(evil: Path) -> str:
    shutil.copy(OURS / "greedy.toml", evil / "bot.toml")
    return str(evil)


def copied_file(evil: Path) -> str:
    shutil.copy(OURS / "greedy.toml", evil)
    return str(evil / "greedy.toml")


def linked_manifest(evil: Path) -> str:
    (evil / "greedy.toml").symlink_to(OURS / "greedy.toml")
    return str(evil / "greedy.toml")


def linked_folder(evil: Path) -> str:
    """The kit, which is there for people to change, is none of our bots."""
    (evil / "ours").symlink_to(OURS)
    return str(evil / "ours")


def way_out_of_ours(evil: Path) -> str:
    """Our interpreter is told of a program elsewhere."""
    detour = os.path.relpath(evil / "greedy_bot.py", OURS)
    (evil / "bot.toml").write_text(f'name = "greedy"\ncommand = ["{{python}}", "{detour}"]\n')
    return str(evil)


def command_line(_evil: Path) -> str:
    return shlex.join([sys.executable, str(OURS / "greedy_bot.py")])


def command_with_more(evil: Path) -> str:
    return shlex.join([sys.executable, str(evil / "greedy_bot.py"), str(OURS / "greedy_bot.py")])


POSERS = [
    own_manifest, copied_manifest, copied_file, linked_manifest, linked_folder, way_out_of_ours, command_line,
    command_with_more,
]  # fmt: skip


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("pose", POSERS)
def test_nobody_passes_for_one_of_ours(pose: Callable[[Path], str], evil, monkeypatch, capsys, tmp_path):
    word = pose(evil)
    assert not is_built_in(find(word))
    ended = here(monkeypatch, capsys, "play", "random", word, "-o", tmp_path / "one.match.jsonl.gz")
    assert (ended.code, ended.out) == (5, "")
    assert ended.err.startswith(f"arena: {REFUSED}{find(word).name}. {WAY_OUT}")
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "mark").exists()


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("pose", [own_manifest, copied_manifest])
def test_the_control_such_a_bot_runs_if_people_say_so(pose, evil, monkeypatch, capsys, tmp_path):
    here(monkeypatch, capsys, "play", "random", pose(evil), "--sandbox", "none", "-o", tmp_path / "one.match.jsonl.gz")
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_a_tournament_file_that_renames_makes_nobody_ours(name, evil):
    stranger = replace(find(own_manifest(evil)), name=name, version=find(name).version, digest=find(name).digest)
    assert not is_built_in(stranger)


def test_a_link_to_our_file_is_our_file(tmp_path):
    (tmp_path / "ours").symlink_to(OURS)
    assert is_built_in(find(str(tmp_path / "ours" / "greedy.toml"))), "what is executed is ours"


@pytest.mark.usefixtures("workers_without_sandbox")
def test_a_league_with_a_stranger_is_refused_before_its_first_match(evil, monkeypatch, capsys, tmp_path):
    file = tmp_path / "one.toml"
    file.write_text(
        f'name = "one"\nbots = ["random", {{ bot = {own_manifest(evil)!r}, name = "greedy" }}]\n'
        "[schedule]\nseats = [2]\nblocks = 1\n"
    )
    ended = here(monkeypatch, capsys, "league", "run", file, "--folder", tmp_path / "results")
    assert ended.code == 5
    assert f"{REFUSED}greedy. {WAY_OUT}" in ended.err
    assert not (tmp_path / "mark").exists()


@pytest.mark.usefixtures("no_sandbox")
def test_of_a_thousand_strangers_the_first_are_named():
    entries = [Entry(f"a{'b' * 40}{number}", "1", ("true",), Path("/srv")) for number in range(1000)]
    with pytest.raises(HostError) as caught:
        choose("auto", entries)
    said = str(caught.value)
    assert entries[0].name in said
    assert entries[-1].name not in said
    assert len(said) < 1000
    assert WAY_OUT in said


def test_of_a_thousand_players_without_a_sandbox_the_first_are_named():
    said = said_of([f"greedy{number}" for number in range(1000)])
    assert "greedy0, greedy1" in said
    assert len(said) < 600
    assert said.endswith(", the arena's own, play without one")


@pytest.mark.usefixtures("workers_without_sandbox")
def test_a_league_of_our_bots_is_played_and_says_so_once(monkeypatch, capsys, tmp_path):
    file = tmp_path / "two.toml"
    file.write_text('name = "two"\nbots = ["random", "greedy"]\n[schedule]\nseats = [2]\nblocks = 2\n')
    ended = here(monkeypatch, capsys, "league", "run", file, "--folder", tmp_path / "results")
    assert (ended.code, ended.err.count("no sandbox here: ")) == (0, 1)
    records = [load(path) for path in (tmp_path / "results" / "records").glob("*/*.gz")]
    assert {player.sandbox for record in records for player in record.header.players} == {"none"}


@pytest.fixture
def workers_without_sandbox(monkeypatch):
    """Workers on a machine where no tier works."""
    code = "import arena.match.tiers; arena.match.tiers.TIERS = (); from arena.league.worker import main; main()"
    usual = trio.lowlevel.open_process

    async def start(words: list[str], **how: Any) -> trio.Process:
        assert words == [*RUN_OURS, "arena.league.worker"]
        return await usual([words[0], "-c", code], **how)

    monkeypatch.setattr("arena.league.workers.trio.lowlevel.open_process", start)


# Each seat for itself


class NoPlace(SpawnerLauncher):
    """A tier that works, and in which no bot reaches its files."""

    def start(self, command: Command) -> SpawnedProcess:
        raise HostError(f"{command.argv[0]} is out of reach")


def test_where_a_tier_has_no_place_for_a_bot_only_ours_plays_without_one():
    best = NoPlace(Tier.LITE, layers=("landlock",))
    launcher = AutoLauncher(best, "", Policy())
    ours, theirs = find("greedy"), Entry("greedy", "1", (sys.executable, "greedy_bot.py"), Path("/srv/greedy"))
    try:
        process = launcher.start(Command(ours.command, ours.folder, {}, is_ours=is_built_in(ours)))
        assert (process.tier, process.layers) == (Tier.NONE, ())
        process.end()
        while process.news() is None:
            pass
        process.close()
        with pytest.raises(HostError, match="is out of reach"):
            launcher.start(Command(theirs.command, theirs.folder, {}, is_ours=is_built_in(theirs)))
    finally:
        launcher.close()


def test_a_stranger_is_not_started_even_if_nobody_has_asked_before():
    launcher = AutoLauncher(None, "full: no", Policy())
    with pytest.raises(HostError, match=r"this machine has no sandbox for /bin/true\. .* full: no"):
        launcher.start(Command(("/bin/true",), Path("/usr"), {}))
    launcher.close()


def test_a_tier_that_was_asked_for_is_never_less(monkeypatch):
    monkeypatch.setattr(tiers, "try_out", lambda _: ((), "it is broken"))
    for word in ("full", "lite"):
        with pytest.raises(HostError, match=f"no sandbox for bots.*{word}: it is broken"):
            choose(word, [find("greedy")])


def test_the_built_in_bots_are_just_those_of_our_folders():
    paths = set(built_in().values())
    assert {path.parent for path in paths} == {OURS, KITS / "cpp"}
    assert {path.name for path in paths if path.parent != OURS} == {
        "raptor.toml",
        "raptor-1000.toml",
        "raptor-8000.toml",
    }


def test_a_trial_that_has_begun_is_not_begun_again(monkeypatch):
    with begun("auto", Policy()) as trial:
        monkeypatch.setattr(trial, "result", lambda: (("walls",), None))
        monkeypatch.setattr(tiers, "try_out", lambda _: pytest.fail("tried out again"))
        assert choose("auto", [find("greedy")], Policy(), trial).tier is Tier.FULL
        assert trial.launcher.layers == ("walls",)


def test_a_trial_that_fails_leaves_the_next_tier(monkeypatch):
    with begun("auto", Policy()) as trial:
        monkeypatch.setattr(trial, "result", lambda: ((), "it is broken"))
        monkeypatch.setattr(tiers, "try_out", lambda launcher: (("walls",), None))
        launcher = choose("auto", [find("greedy")], Policy(), trial)
        assert launcher.tier is Tier.LITE
        launcher.close()


def test_no_process_of_a_trial_is_left():
    with begun("full", Policy()) as trial:
        spawner = trial.launcher._process
        assert spawner.poll() is None
    assert spawner.poll() is not None


def test_without_a_sandbox_nothing_is_tried_out():
    with begun("none", Policy()) as trial:
        assert trial is None
