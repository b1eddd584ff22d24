"""Landlock: what a process that has restricted itself can still do, beside what it could do otherwise."""

import errno
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox import landlock

ROOT = Path(__file__).parents[2]
ORDINARY = 65534  # a uid without privileges
ABI = landlock.abi() if sys.platform == "linux" else 0

needs_landlock = pytest.mark.skipif(ABI < landlock.LEAST_ABI, reason="no Landlock here")
users = pytest.mark.parametrize(
    "uid",
    [
        pytest.param(None, id="as we are"),
        pytest.param(ORDINARY, id="ordinary", marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root")),
    ],
)


def needs_abi(number: int) -> pytest.MarkDecorator:
    return pytest.mark.skipif(number > ABI, reason=f"Landlock here has ABI {ABI}, this came with {number}")


# Everything is imported while it can still be read.
CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
import errno, fcntl, json, os, signal, socket, stat
from arena.sandbox import landlock

case = json.loads(sys.argv[2])
os.chdir(case["top"])
if case["uid"]:
    os.setgroups([])
    os.setresgid(case["uid"], case["uid"], case["uid"])
    os.setresuid(case["uid"], case["uid"], case["uid"])
if case["restricted"]:
    landlock.restrict(case["read"], case["write"])
try:
    print(eval(case["code"]))
except OSError as error:
    print(errno.errorcode[error.errno])
"""


@pytest.fixture
def top() -> Iterator[str]:
    """A folder with the folders `in`, which the tests give, and `out`, which they do not; all may write to both."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to the ordinary user
        os.chmod(folder, 0o755)
        for name in ("in", "out"):
            made = Path(folder, name)
            made.mkdir()
            made.chmod(0o777)
            (made / "file").write_text("text")
            (made / "file").chmod(0o777)
        Path(folder, "in", "link").symlink_to("../out/file")
        yield folder


def outcomes(code: str, top: str, uid: int | None = None, **lists: list[str]) -> tuple[str, str]:
    """What this expression gives, or the error it ends with: without Landlock, and with it, which is tried first."""
    said = []
    for restricted in (True, False):
        case: dict[str, Any] = {"code": code, "top": top, "uid": uid, "restricted": restricted, "read": [], "write": []}
        command = [sys.executable, "-I", "-S", "-c", CHILD, str(ROOT), json.dumps(case | lists)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert done.stderr == ""
        said.append(done.stdout.strip())
    return said[1], said[0]


def test_the_abi_and_the_reason_agree() -> None:
    assert (landlock.is_possible() is None) == (ABI >= landlock.LEAST_ABI)


@pytest.mark.parametrize(("abi", "size"), [(3, 8), (4, 16), (5, 16), (6, 24), (7, 24)])
def test_a_ruleset_is_as_long_as_the_kernel_knows_it(abi: int, size: int) -> None:
    packed, length = landlock.of_ruleset(abi)
    assert len(packed) == length.value == size


@pytest.mark.parametrize("abi", [1, 2])
def test_too_old_a_landlock_is_refused(abi: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: abi)
    with pytest.raises(OSError, match=rf"Landlock has ABI {abi}, too old: ABI 3 came with Linux 6\.2") as raised:
        landlock.restrict([], [])
    assert raised.value.errno == errno.EOPNOTSUPP


@needs_landlock
@users
@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("open('out/file').read()", "text"),
        ("open('in/../out/file').read()", "text"),
        ("open('in/link').read()", "text"),
        ("os.listdir('out')", "['file']"),
        ("open('out/file', 'w').write('new')", "3"),
        ("open('out/other', 'w').write('new')", "3"),
        ("os.truncate('out/file', 1)", "None"),
        ("os.unlink('out/file')", "None"),
        ("os.mkdir('out/folder')", "None"),
        ("os.symlink('file', 'out/link')", "None"),
        ("os.mkfifo('out/pipe')", "None"),
        ("os.rename('out/file', 'out/other')", "None"),
    ],
)
def test_what_is_not_given_is_closed(code: str, without: str, top: str, uid: int | None) -> None:
    assert outcomes(code, top, uid, read=["in"], write=["in"]) == (without, "EACCES")


@needs_landlock
@users
@pytest.mark.parametrize("code", ["os.rename('out/file', 'in/other')", "os.link('out/file', 'in/other')"])
def test_nothing_is_brought_in_from_outside(code: str, top: str, uid: int | None) -> None:
    without, restricted = outcomes(code, top, uid, write=["in"])
    assert without in ("None", "EPERM")  # hard links to files of others may be forbidden anyway
    assert restricted in ("EXDEV", "EACCES", "EPERM")


@needs_landlock
@users
@pytest.mark.parametrize(
    ("code", "without", "restricted"),
    [
        ("open('in/file').read()", "text", "text"),
        ("sorted(os.listdir('in'))", "['file', 'link']", "['file', 'link']"),
        ("open('in/file', 'w').write('new')", "3", "EACCES"),
        ("open('in/other', 'w').write('new')", "3", "EACCES"),
        ("os.truncate('in/file', 1)", "None", "EACCES"),
        ("os.unlink('in/file')", "None", "EACCES"),
        ("os.mkdir('in/folder')", "None", "EACCES"),
        ("os.rename('in/file', 'in/other')", "None", "EACCES"),
    ],
)
def test_what_is_given_to_read_can_only_be_read(
    code: str, without: str, restricted: str, top: str, uid: int | None
) -> None:
    assert outcomes(code, top, uid, read=["in"]) == (without, restricted)


@needs_landlock
@users
def test_what_is_given_to_write_can_be_filled_and_emptied(top: str, uid: int | None) -> None:
    code = (
        "(os.mkdir('in/a'), open('in/a/b', 'w').write('new'), open('in/a/b').read(), os.truncate('in/a/b', 1),"
        " os.rename('in/a/b', 'in/c'), os.rmdir('in/a'), os.unlink('in/c'), os.mkfifo('in/d'), os.unlink('in/d'))"
    )
    done = "(None, 3, 'new', None, None, None, None, None, None)"
    assert outcomes(code, top, uid, write=["in"]) == (done, done)


@needs_landlock
@users
def test_a_single_file_can_be_given(top: str, uid: int | None) -> None:
    lists = {"read": ["out/file"], "write": ["in/file"]}
    assert (
        outcomes("(open('in/file', 'w').write('new'), open('out/file').read())", top, uid, **lists)[1] == "(3, 'text')"
    )
    assert outcomes("open('out/file', 'w')", top, uid, **lists)[1] == "EACCES"
    assert outcomes("open('in/other', 'w').close()", top, uid, **lists) == ("None", "EACCES")


@needs_landlock
def test_what_does_not_exist_is_skipped(top: str) -> None:
    lists = {"read": ["nowhere", "in/file/below", "in"], "write": ["nowhere/else"]}
    assert outcomes("open('in/file').read()", top, None, **lists) == ("text", "text")


@needs_landlock
@users
def test_only_what_can_be_read_can_be_executed(top: str, uid: int | None) -> None:
    code = "os.execv('/bin/sh', ['sh', '-c', 'echo runs'])"
    assert outcomes(code, top, uid) == ("runs", "EACCES")
    assert outcomes(code, top, uid, read=["/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache"]) == ("runs", "runs")


@needs_landlock
def test_nobody_makes_devices(top: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    code = "os.mknod('in/null', stat.S_IFCHR | 0o666, os.makedev(1, 3))"
    assert outcomes(code, top, write=["in"]) == ("None", "EACCES")


@needs_abi(4)
@users
def test_tcp_is_refused_and_the_listener_hears_nothing(top: str, uid: int | None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        code = f"socket.socket().connect({listener.getsockname()!r})"
        assert outcomes(code, top, uid) == ("None", "EACCES")
        listener.accept()[0].close()  # of the one without Landlock
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


@needs_abi(4)
@users
def test_nobody_listens_on_tcp(top: str, uid: int | None) -> None:
    assert outcomes("socket.socket().bind(('127.0.0.1', 0))", top, uid) == ("None", "EACCES")


@needs_abi(5)
@users
def test_devices_take_no_orders(top: str, uid: int | None) -> None:
    code = "fcntl.ioctl(os.open('/dev/zero', os.O_RDONLY), 0x5401, bytes(64))"  # TCGETS
    assert outcomes(code, top, uid, read=["/dev/zero"]) == ("ENOTTY", "EACCES")


@needs_abi(6)
def test_others_get_no_signals(top: str) -> None:
    assert outcomes("os.kill(os.getppid(), 0)", top) == ("None", "EPERM")
    assert outcomes("os.kill(os.getpid(), 0)", top) == ("None", "None")


@needs_abi(6)
@users
def test_abstract_sockets_of_others_are_out_of_reach(top: str, uid: int | None) -> None:
    name = f"\0landlock-{os.getpid()}-{uid}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(name)
        listener.settimeout(10)
        code = f"socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'hear', {name!r})"
        assert outcomes(code, top, uid) == ("4", "EPERM")
        assert listener.recv(9) == b"hear"
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.recv(9)
