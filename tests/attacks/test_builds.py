"""Builds of hostile bots, by root and by an ordinary user: outside of the sandbox, which is documented, and inside."""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.theatre import NOBODY, put_up, run_as
from tests.machine import is_confined

WAYS = ("yes", "sandboxed")
SCRIPT = """
echo "environment: $(env | tr '\\n' ' ')"
echo "no new privileges: $(grep NoNewPrivs /proc/self/status)"
echo "secret: $(cat {home}/secret 2>&1)"
echo planted > {home}/planted
(echo hello > /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo connected
setsid sleep {token} </dev/null >/dev/null 2>&1 &
(setsid sleep {token} </dev/null >/dev/null 2>&1 &)
echo made > made
mkdir -p out && printf '#!/bin/sh\\n' > out/program && chmod 4755 out/program 2>/dev/null || chmod 755 out/program
ln -s /etc/passwd link
mkfifo pipe
"""
SECRET = "the-secret-of-the-home-folder"


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Where the bot is built."""
    name: str = request.param
    return name


@pytest.fixture
def base(user: str) -> Iterator[Path]:
    """A folder for the bot, and a home with a secret."""
    with put_up(user) as folder:
        secret = folder / "home" / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        if os.geteuid() == 0 and user == "ordinary":
            os.chown(secret, NOBODY, NOBODY)
        yield folder


def built(user: str, base: Path, way: str, build: list[str], **task: Any) -> dict[str, Any]:
    """What came of this build in the hostile bot's folder."""
    task = {"folder": str(base / "bots" / "hostile"), "build": build, "way": way, **task}
    found: dict[str, Any] = json.loads(run_as(user, ["builder.py"], base, json.dumps(task)))
    return found


def is_running(token: str) -> bool:
    """Whether a process has this word in its command line."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if token.encode() in path.read_bytes():
                return True
        except OSError:
            continue
    return False


def test_what_a_build_can_reach_and_what_it_leaves_behind(user: str, way: str, base: Path) -> None:
    token = f"98765.{os.getpid()}{os.urandom(3).hex().translate(str.maketrans('abcdef', '123456'))}"
    folder = base / "bots" / "hostile"
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = SCRIPT.format(home=base / "home", port=server.getsockname()[1], token=token)
        bash = shutil.which("bash") or "sh"
        found = built(user, base, way, [bash, "-c", script], env={"GITHUB_TOKEN": "a-decoy", "GOPROXY": "a-proxy"})
    printed = found["printed"]
    assert found["why"] is None, printed
    assert (folder / "made").read_text() == "made\n"
    assert "GITHUB_TOKEN" not in printed
    assert "ARENA_SECRET" not in printed
    assert not is_running(token)
    assert (folder / "out" / "program").stat().st_mode & 0o111
    is_outside = way == "yes"
    assert (SECRET in printed) is is_outside, "outside of the sandbox it can, and docs/check.md says so"
    assert ("a-proxy" in printed) is is_outside, "outside it needs the network, and the way there"
    assert (base / "home" / "planted").exists() is is_outside
    assert ("connected" in printed) is (is_outside and bash != "sh")
    assert ("NoNewPrivs:\t1" in printed) is (not is_outside or is_confined())
    if not is_outside:
        assert not (folder / "out" / "program").stat().st_mode & 0o7000
        assert not os.path.lexists(folder / "link")
        assert not os.path.lexists(folder / "pipe")


def test_a_build_that_hangs_is_ended_with_all_that_it_has_started(user: str, way: str, base: Path) -> None:
    token = f"87654.{os.getpid()}"
    found = built(user, base, way, ["sh", "-c", f"(setsid sleep {token} &); echo waiting; sleep {token}"], limit_s=2)
    assert found["why"] == "took longer than 2 s and was killed"
    assert found["printed"] == "waiting\n"
    assert not is_running(token)


def test_a_build_reads_nothing_and_a_flood_of_output_fills_nothing(user: str, way: str, base: Path) -> None:
    found = built(user, base, way, ["sh", "-c", "cat; yes flood | head -c 50000000; exit 3"])
    assert (found["why"], found["bytes"]) == ("exited with status 3", 50_000_000)
    assert len(found["printed"]) < 70_000


def test_a_sandboxed_build_leaves_no_file_outside_of_the_folder(user: str, base: Path) -> None:
    folder, outside = base / "bots" / "hostile", base / "league"
    (folder / "out").symlink_to(outside)
    found = built(user, base, "sandboxed", ["sh", "-c", "rm out && mkdir out && echo planted > out/planted"])
    assert found["why"] == "'out/planted' cannot be put into the bot's folder: Not a directory"
    assert list(outside.iterdir()) == []


def test_a_sandboxed_build_never_writes_into_a_file_that_is_there(user: str, base: Path) -> None:
    folder, mine = base / "bots" / "hostile", base / "league" / "mine"
    mine.write_text("mine")
    os.link(mine, folder / "bot")
    assert built(user, base, "sandboxed", ["sh", "-c", "echo theirs > bot"])["why"] is None
    assert (mine.read_text(), (folder / "bot").read_text()) == ("mine", "theirs\n")


def test_a_sandboxed_build_that_fills_its_space_is_told_and_changes_nothing(user: str, base: Path) -> None:
    fill = "head -c 6000000 /dev/urandom > one && head -c 6000000 /dev/urandom > two"
    found = built(user, base, "sandboxed", ["sh", "-c", fill], policy={"scratch_mb": 8})
    assert found["why"] == "exited with status 1"
    assert "No space left" in found["printed"]
    assert sorted(os.listdir(base / "bots" / "hostile")) == ["hostile_bot.py"]


def test_special_files_in_a_folder_do_not_keep_a_sandboxed_build_waiting(user: str, base: Path) -> None:
    folder = base / "bots" / "hostile"
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / "away").symlink_to("/etc")
    found = built(user, base, "sandboxed", ["sh", "-c", "ls; echo made > made"])
    assert (found["why"], found["printed"].split()) == (None, ["away", "hostile_bot.py", "loop"])
    assert (folder / "made").read_text() == "made\n"


def test_a_folder_that_is_cannot_be_read_is_told_and_not_built(user: str, base: Path) -> None:
    folder = base / "bots" / "hostile"
    closed = folder / "closed"
    closed.write_text("x")
    closed.chmod(0)
    found = built(user, base, "sandboxed", ["sh", "-c", "echo made > made"])
    assert found["why"] == "exited with status 125"
    assert found["printed"].startswith("The bot's folder cannot be copied into the sandbox: ")
    assert found["printed"].count("\n") == 1
    assert not (folder / "made").exists()
