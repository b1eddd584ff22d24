"""The script that finds out which calls of a program the sandbox would refuse, on traces as strace writes them."""

import platform

import pytest

from tests.attacks.runtimes import trace_calls

LINES = """\
4711 [  59] execve(0x7fffb4743c40, 0x7fffb4745108, 0x7fffb4745118) = 0
4711 [ 435] clone3(0x7ffe1, 0x58) = 4712
4711 [  72] fcntl(0x3, 0x1, 0) = 0x1
4712 [  72] fcntl(0x3, 0x408, 0x100000 <unfinished ...>
4712 [  72] <... fcntl resumed>) = 0x100000
4711 [  62] kill(0x1267, 0) = 0
4711 [  62] kill(0x1, 0) = 0
4711 [  54] setsockopt(0x3, 0x1, 0x7, 0x7ffe2, 0x4) = 0
4711 [ 171] setdomainname(0xffff, 0) = ?
4711 +++ exited with 0 +++
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
def test_a_trace_shows_what_would_be_refused_and_how() -> None:
    assert list(trace_calls.refused(LINES.splitlines())) == [
        ("clone3(_, _)", "full: ENOSYS, lite: ENOSYS"),
        ("fcntl(_, 0x408, _)", "full: EPERM, lite: EPERM"),
        ("kill(0x1, _)", "full: passes, lite: EPERM"),
        ("setsockopt(_, 0x1, 0x7, _, _)", "full: does nothing, lite: does nothing"),
        ("setdomainname(_, _)", "full: ENOSYS, lite: ENOSYS"),
    ]
