"""Kept copies that do not run on this machine are built here, in the sandbox, once."""

import os
from pathlib import Path

import pytest
import trio

from arena.building.copies import built_here
from arena.errors import BuildFailed
from arena.roster.archive import is_intact
from arena.roster.copies import kept
from arena.roster.entries import Entry, find
from arena.roster.platforms import misfit
from tests.machine import need_tier
from tests.strange_programs import COPIED, strange_bot

NOTED = f"{COPIED}; od -An -N8 -tx8 /dev/urandom > noted"
"""A build that never makes the same twice."""


@pytest.fixture(autouse=True)
def _full(processes) -> None:  # noqa: ARG001
    need_tier("full")


def kept_bot(tmp_path: Path, build: str = COPIED, files: str = "") -> Entry:
    return kept(find(str(strange_bot(tmp_path, build=build, files=files))), tmp_path / "bots", tmp_path / "unpacked")


def built(entry: Entry) -> tuple[Entry, list[str]]:
    """The bot that plays here, and what was said."""
    said: list[str] = []
    return trio.run(built_here, entry, said.append), said


def test_a_copy_from_another_machine_is_built_here_and_keeps_its_version(tmp_path):
    entry = kept_bot(tmp_path)
    found, said = built(entry)
    assert said == ["first is built in the sandbox: runs/env was built for s390x"]
    assert misfit(found) is None
    assert found.folder.name.startswith(f"{entry.digest}.")
    assert (found.digest, found.command, found.is_copy) == (entry.digest, entry.command, True)
    assert is_intact(entry.folder, entry.digest), "what was kept is as it was"
    assert {path.stat().st_mode & 0o222 for path in (found.folder, *found.folder.rglob("*"))} == {0}


def test_a_copy_is_built_once(tmp_path):
    entry = kept_bot(tmp_path, NOTED)
    first, _ = built(entry)
    assert built(entry) == (first, [])


def test_of_several_that_want_a_copy_one_builds_it(tmp_path):
    entry, said, found = kept_bot(tmp_path, NOTED), list[str](), list[Entry]()

    async def want() -> None:
        found.append(await built_here(entry, said.append))

    async def all_at_once() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(want)

    trio.run(all_at_once)
    assert len(said) == len({one.folder for one in found}) == 1


def test_a_built_copy_that_has_changed_is_built_again(tmp_path):
    entry = kept_bot(tmp_path)
    first, _ = built(entry)
    os.chmod(first.folder / "bot.py", 0o644)
    (first.folder / "bot.py").write_text("print('not what was built')")
    again, said = built(entry)
    assert len(said) == 1
    assert (again.folder / "bot.py").read_bytes() == (entry.folder / "bot.py").read_bytes()


def test_what_files_leaves_out_is_built(tmp_path):
    entry = kept_bot(tmp_path, f"mkdir -p runs; {COPIED}", 'files = ["bot.py"]\n')
    assert not (entry.folder / "runs").exists()
    found, said = built(entry)
    assert said == ["first is built in the sandbox: runs/env is missing"]
    assert misfit(found) is None


def test_a_build_that_trusts_what_is_there_does_not_find_the_strange_program(tmp_path):
    found, _ = built(kept_bot(tmp_path, f"[ -e runs/env ] || {COPIED}"))
    assert misfit(found) is None


def test_a_bot_that_runs_here_is_not_built(tmp_path):
    home = strange_bot(tmp_path)
    (home / "runs" / "env").write_bytes(Path("/usr/bin/env").read_bytes())
    entry = kept(find(str(home)), tmp_path / "bots", tmp_path / "unpacked")
    assert built(entry) == (entry, [])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        ("echo one; echo no compiler >&2; exit 3", r"`sh -c .*` exited with status 3. It printed: no compiler$"),
        ("echo x.c:1: error: why; echo ended; exit 3", r".* exited with status 3. It printed: x.c:1: error: why$"),
        ("true", r"`sh -c true` has ended without an error, and yet runs/env is missing$"),
    ],
)
def test_a_build_that_fails_is_named_and_leaves_nothing(build, words, tmp_path):
    entry = kept_bot(tmp_path, build)
    with pytest.raises(BuildFailed, match=f"^first cannot be built in the sandbox on this machine: {words}"):
        built(entry)
    assert os.listdir(tmp_path / "unpacked") == [entry.digest]


def test_a_strange_program_without_a_build_is_named(tmp_path):
    home = strange_bot(tmp_path)
    lines = (home / "bot.toml").read_text().splitlines(keepends=True)
    (home / "bot.toml").write_text("".join(line for line in lines if not line.startswith("build")))
    with pytest.raises(BuildFailed, match=r"runs/env was built for s390x, and its bot.toml has no `build`"):
        built(kept(find(str(home)), tmp_path / "bots", tmp_path / "unpacked"))
