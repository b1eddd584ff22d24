"""The simulator: what it takes away is gone, what it leaves is there, and the command's exit code is its own."""

import json
import os
import subprocess
import sys

import pytest

from tests.anywhere import container
from tests.anywhere.container import AUDIT_ARCH, NOT_EXECUTABLE, NOT_FOUND, answers, program, words

MACHINE = os.uname().machine
needs_linux = pytest.mark.skipif(
    sys.platform != "linux" or MACHINE not in AUDIT_ARCH or subprocess.run([*words(), "true"]).returncode != 0,
    reason="no container can be simulated here",
)
LOOK = """
import json
from tests.anywhere.look import *
print(json.dumps({
    "sys_admin": has_sys_admin(), "user_and_mounts": outcome(lambda: libc.unshare(CLONE_NEWUSER | CLONE_NEWNS)),
    "landlock": outcome(landlock), "prctl": outcome(lambda: add_filter(by_prctl)),
    "seccomp": outcome(lambda: add_filter(by_seccomp)), "cores": len(os.sched_getaffinity(0)), "user": os.getuid(),
}))
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*words(), *command], capture_output=True, text=True, timeout=20)


def seen(*flags: str) -> dict[str, object]:
    """What a program sees that runs with these flags."""
    ended = run(*flags, sys.executable, "-c", LOOK)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, object] = json.loads(ended.stdout)
    return found


@pytest.fixture(scope="module")
def here() -> dict[str, object]:
    """What a program sees without anything taken away."""
    return seen("--host")


@needs_linux
def test_in_a_container_nobody_makes_namespaces():
    found = seen()
    assert (found["user_and_mounts"], found["sys_admin"]) == ("EPERM", False)


@needs_linux
def test_a_container_alone_has_what_its_host_has_of_landlock_and_filters(here):
    assert {name: seen()[name] for name in ("landlock", "prctl", "seccomp", "cores", "user")} == {
        name: here[name] for name in ("landlock", "prctl", "seccomp", "cores", "user")
    }


@needs_linux
def test_landlock_can_be_missing_alone(here):
    found = seen("--host", "--no-landlock")
    assert found == {**here, "landlock": "ENOSYS"}


@needs_linux
def test_where_seccomp_is_missing_no_filter_can_be_added():
    found = seen("--no-seccomp")
    assert (found["prctl"], found["seccomp"]) == ("EINVAL", "ENOSYS")


@needs_linux
def test_all_can_be_missing_at_once():
    found = seen("--no-landlock", "--no-seccomp", "--cores", "1")
    assert {**found, "user": 0} == {
        "sys_admin": False,
        "user_and_mounts": "EPERM",
        "landlock": "ENOSYS",
        "prctl": "EINVAL",
        "seccomp": "ENOSYS",
        "cores": 1,
        "user": 0,
    }


@needs_linux
def test_root_becomes_an_ordinary_user_for_good_and_nobody_else_becomes_another():
    ended = run("--user", "54321", "sh", "-c", "id -u; id -g; id -G")
    if os.geteuid() == 0:
        assert ended.stdout.split() == ["54321"] * 3
    else:
        assert (ended.returncode, ended.stderr) == (1, "container.py: Operation not permitted\n")


@needs_linux
def test_threads_and_processes_can_be_started():
    code = "import subprocess, threading; t = threading.Thread(target=print); t.start(); t.join(); subprocess.run(['true'])"
    assert run(sys.executable, "-c", code).returncode == 0


@needs_linux
@pytest.mark.parametrize("code", [0, 3, 130])
def test_the_exit_code_is_the_commands(code):
    assert run("sh", "-c", f"exit {code}").returncode == code


@needs_linux
def test_what_follows_the_command_is_the_commands():
    assert run("echo", "--no-landlock", "--user").stdout == "--no-landlock --user\n"


@needs_linux
def test_a_command_that_cannot_be_executed_is_named(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir(mode=0)
    monkeypatch.setenv("PATH", f"{tmp_path}/closed:{os.environ['PATH']}")
    missing, folder = run("no-such-program"), run("/usr")
    assert (missing.returncode, missing.stderr) == (
        NOT_FOUND,
        "container.py: no-such-program: No such file or directory\n",
    )
    assert (folder.returncode, folder.stderr) == (NOT_EXECUTABLE, "container.py: /usr: Permission denied\n")


def test_a_command_has_to_be_named():
    assert run("--no-landlock").returncode == 2


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_every_machine_has_a_filter(machine):
    refused = answers(machine, like_container=True, landlock=False, seccomp=False)
    assert len(refused) == len(container.REFUSED) + 1 + 3 + 1
    assert len(program(machine, refused, like_container=True, seccomp=False)) % 8 == 0


def test_nothing_is_refused_if_nothing_is_taken_away():
    assert answers("x86_64", like_container=False, landlock=True, seccomp=True) == {}
