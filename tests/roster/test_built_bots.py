"""A built-in bot that must be compiled: when and where it is built, what is said if it cannot be, and that it is ours."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cluster import duties
from arena.errors import Interrupted, LaunchError
from arena.match.bot import command
from arena.match.compiling import make_ready
from arena.roster import compiled, entries
from arena.roster.digests import digest_now
from arena.roster.entries import Entry, built_in, find, is_built_in, is_ready, read
from arena.roster.folders import KITS
from tests.cli.command import arena

MISSING = "raptor needs make and a C++ compiler: sudo apt install g++ make"


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Iterator[Path]:
    """Nothing has been built, and what is built goes here."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    entries._our_commands.cache_clear()
    yield tmp_path / "cache" / "built"
    entries._our_commands.cache_clear()


@pytest.fixture
def tools(tmp_path, monkeypatch) -> Path:
    """A PATH with a compiler that takes no time, and a make that calls it."""
    folder = tmp_path / "tools"
    folder.mkdir()
    put(folder / "g++", "")
    put(folder / "make", "echo '#!/bin/sh' > raptor; chmod 700 raptor; echo built >> $LOG")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.delenv("CXX", raising=False)
    return folder


def put(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def built() -> Entry:
    bot = find("raptor")
    make_ready(bot)
    return bot


@pytest.mark.usefixtures("tools")
def test_to_name_it_builds_nothing(cache):
    bot = find("raptor")
    assert is_built_in(bot)
    assert digest_now(bot) == bot.digest
    assert not is_ready("raptor")
    assert not cache.exists()


@pytest.mark.usefixtures("tools")
def test_it_is_built_once_outside_of_the_arena_and_is_ours(cache, tmp_path, capsys):
    bot = find("raptor")
    assert (bot.name, bot.command, bot.folder.parent) == ("raptor", ("./raptor",), cache)
    assert command(bot).folder == bot.folder, "who starts it has it built"
    assert is_ready("raptor")
    assert is_built_in(bot)
    assert built() == bot
    assert (tmp_path / "log").read_text() == "built\n"
    assert capsys.readouterr().err == f"arena: raptor is built, once: {bot.folder}\n"
    assert [path.name for path in bot.folder.iterdir()] == ["raptor"], "it sees no sources"
    assert [path.name for path in cache.iterdir()] == [bot.folder.name], "nothing else is left"


@pytest.mark.usefixtures("tools", "cache")
def test_others_may_read_and_execute_it_whatever_the_umask_is():
    before = os.umask(0o077)
    try:
        folder = built().folder
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / "raptor")] == [0o755, 0o755]


@pytest.mark.usefixtures("tools", "cache")
def test_it_is_the_same_bot_whatever_the_compiler_made_and_another_one_with_other_sources(tmp_path):
    assert find("raptor").digest == compiled.digest_of_sources(KITS / "cpp")
    shutil.copytree(KITS / "cpp", tmp_path / "other")
    with (tmp_path / "other" / "raptor_policy.hpp").open("a") as source:
        source.write("// different\n")
    assert compiled.digest_of_sources(tmp_path / "other") != compiled.digest_of_sources(KITS / "cpp")


@pytest.mark.usefixtures("tools", "cache")
def test_a_file_that_names_it_is_the_bot_that_was_built(tmp_path):
    (tmp_path / "mine.toml").write_text('bot = "raptor"\nname = "mine"\n')
    assert find(str(tmp_path / "mine.toml")) == replace(find("raptor"), name="mine")


@pytest.mark.usefixtures("tools", "cache")
def test_a_league_that_runs_knows_it_again():
    bot = built()
    assert digest_now(bot) == bot.digest
    assert digest_now(find("greedy")) == find("greedy").digest


@pytest.mark.usefixtures("tools", "cache")
def test_nobody_else_passes_for_it(tmp_path):
    ours = built()
    copy = shutil.copytree(ours.folder, tmp_path / ours.folder.name)
    assert not is_built_in(replace(ours, folder=copy))
    assert not is_built_in(read(KITS / "cpp" / "raptor.toml")), "what a checkout has there may be anybody's"
    assert not is_built_in(replace(ours, command=("./raptor", "--ms", "7")))


@pytest.mark.parametrize("lacks", ["make", "g++"])
def test_what_is_missing_is_told_in_one_line_and_nothing_is_made(lacks, cache, tmp_path):
    for name in {"make", "g++"} - {lacks}:
        put(tmp_path / name, "")
    ended = arena("play", "raptor", "greedy", PATH=str(tmp_path), ARENA_CACHE=str(cache.parent))
    assert (ended.code, ended.out, ended.err) == (5, "", f"arena: {MISSING}\n")
    assert not cache.exists()


def test_a_league_says_so_before_it_starts_anything(cache, tmp_path):
    (tmp_path / "cup.toml").write_text(
        'name = "cup"\nbots = ["raptor", "greedy"]\n[schedule]\nseats = [2]\nblocks = 1\n'
    )
    ended = arena("league", "run", tmp_path / "cup.toml", PATH=str(tmp_path), ARENA_CACHE=str(cache.parent))
    assert (ended.code, ended.out, ended.err) == (5, "", f"arena: {MISSING}\n")


def test_a_machine_of_a_cluster_says_so_and_gets_no_work(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    order = {"entries": {"raptor": {"built_in": "raptor", "digest": find("raptor").digest}}, "setting": {}}
    assert duties.prepare(json.dumps(order)) == {"refused": MISSING}
    assert not cache.exists()


@pytest.mark.usefixtures("cache")
def test_a_machine_without_a_compiler_knows_the_other_bots(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find("greedy").name == "greedy"
    assert not is_ready("raptor")
    assert is_ready("greedy")
    assert "raptor" in built_in()
    with pytest.raises(LaunchError, match=r"^raptor needs make and a C\+\+ compiler"):
        built()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo working; echo 'raptor.cpp:1:1: error: no'; exit 2", "raptor.cpp:1:1: error: no"),
        ("exit 3", "status 3"),
        ("exit 0", "status 0"),
    ],
)
def test_a_build_that_fails_is_told_and_leaves_nothing(script, said, cache, tools):
    put(tools / "make", script)
    with pytest.raises(LaunchError) as caught:
        built()
    assert str(caught.value) == f"raptor cannot be built: make --silent -f raptor.mk: {said}"
    assert list(cache.iterdir()) == []


def test_a_build_that_is_interrupted_is_no_failure(cache, tools):
    put(tools / "make", f"kill -{signal.SIGINT} $$")
    with pytest.raises(Interrupted):
        built()
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("tools")
def test_a_folder_that_others_can_write_to_is_not_used(cache):
    built()
    cache.chmod(0o777)
    with pytest.raises(LaunchError, match=r"is not a folder that only this user can write to\. Set ARENA_CACHE"):
        built()


@pytest.mark.usefixtures("tools")
def test_a_place_that_cannot_be_written_to_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "file"))
    with pytest.raises(
        LaunchError, match=r"raptor cannot be built in .*: Not a directory\. Set ARENA_CACHE to a folder"
    ):
        built()
