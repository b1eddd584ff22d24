"""The filter on system calls: what the kernel does with it, for single calls, whole programs and attacks."""

import errno
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.sandbox import seccomp
from arena.sandbox.calls import ALLOW, TABLE, Group
from arena.sandbox.seccomp import MACHINES
from tests.sandbox.interpreter import ME, decides, groups_by_number, telling_arguments

ROOT = Path(__file__).parents[2]
MACHINE = platform.machine()
ORDINARY = 65534  # a uid without privileges
KILLED = (None, signal.SIGSYS)

TIOCSTI = 0x5412  # types into a terminal

needs_kernel = pytest.mark.skipif(sys.platform != "linux" or bool(seccomp.is_possible()), reason="no seccomp here")
needs_x86 = pytest.mark.skipif(MACHINE != "x86_64", reason="x86_64 only")


# -- what the kernel does with it -------------------------------------------------------------------------------------

# One process with a single thread makes each call in a child of its own, with and without the filter.
CALLER = """
import ctypes, json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from arena.sandbox import seccomp
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def call(case, report):
    os.setsid()
    signal.alarm(10)
    if case["uid"]:
        os.setgroups([])
        os.setresgid(case["uid"], case["uid"], case["uid"])
        os.setresuid(case["uid"], case["uid"], case["uid"])
    pid = os.getpid()
    if case["filter"]:
        seccomp.install(seccomp.build(os.uname().machine, case["lite"], case["may_fork"], pid))
    arguments = [ctypes.c_long(pid if word == "own" else word) for word in case["arguments"]]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(case["number"]), *arguments)
    error = ctypes.get_errno() if result == -1 else 0
    if os.getpid() == pid:  # and not a child that the call has made
        os.write(report, json.dumps([result, error]).encode())
    os._exit(0)

for line in sys.stdin:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            call(json.loads(line), write)
        finally:
            os._exit(1)
    os.close(write)
    said = b"".join(iter(lambda: os.read(read, 4096), b""))
    os.close(read)
    _, status = os.waitpid(child, 0)
    print(said.decode() or json.dumps([None, os.waitstatus_to_exitcode(status)]), flush=True)
"""


class Case(NamedTuple):
    number: int
    arguments: tuple[int | str, ...]
    filter: bool = True
    lite: bool = False
    may_fork: bool = True
    uid: int = 0


Answer = tuple[int | None, int]  # what the call returned, and errno; or None, and minus the signal it died of


class Caller:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def __call__(self, case: Case) -> Answer:
        if case.uid and os.geteuid():
            pytest.skip("only root can become somebody else")
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(case._asdict()) + "\n")
        self.process.stdin.flush()
        result, error = json.loads(self.process.stdout.readline())
        return (None, -error) if result is None else (result, error)


@pytest.fixture(scope="module")
def answer() -> Iterator[Caller]:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", CALLER, str(ROOT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Caller(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@needs_kernel
def test_a_broken_program_is_refused_with_the_reason() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from arena.sandbox import seccomp; seccomp.install(bytes(8))"
    )
    done = python("none", code)
    assert "OSError: [Errno 22] seccomp: Invalid argument" in done.stderr


NOBODY = (1 << 22) + 1  # above the highest number that a process can have


CLOCK_OF_INIT = ~1 << 3 | 2
VALID = {
    # where the kernel's answer to what is invalid is also ours
    "madvise": (0, 0, 20), "membarrier": (1, 0), "pipe2": (-1, 0o40000), "timerfd_create": (8, 0),
    "clock_gettime": (CLOCK_OF_INIT, -1), "clock_getres": (CLOCK_OF_INIT, -1), "timer_create": (CLOCK_OF_INIT, -1, -1),
    "clock_nanosleep": (CLOCK_OF_INIT, 0, -1, -1),
}  # fmt: skip


def refused_arguments(name: str, number: int, group: Group) -> tuple[int, ...]:
    """Arguments that this group decides, and that are otherwise as invalid as can be: nothing happens without it."""
    if name in VALID:
        return VALID[name]
    groups = groups_by_number(MACHINE, lite=True, may_fork=False)[number]
    return next(a for a in telling_arguments(groups, others=-1) if decides(groups, a, ME) is group)


def error_of(group: Group) -> Answer:
    error = group.answer & 0xFFFF
    return (-1, error) if error else (0, 0)


REFUSED = [
    pytest.param(group, name, numbers[MACHINES.index(MACHINE)], id=f"{name}-{index}")
    for index, group in enumerate(TABLE)
    for name, *numbers in group.calls
    if group.answer != ALLOW and MACHINE in MACHINES and numbers[MACHINES.index(MACHINE)] is not None
]
# A child of vfork borrows the memory of its parent, so it cannot run Python, and this cannot be tried; and whoever
# calls has a session of its own already, so the kernel refuses setsid by itself.
CONTROLS = [case for case in REFUSED if case.values[1] not in ("vfork", "setsid")]


def is_unhindered() -> bool:
    """Whether the kernel refuses us nothing by itself: we are root, with all rights, and under no other filter."""
    if os.geteuid() != 0:
        return False
    words = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return words["Seccomp"] == "0" and int(words["CapEff"], 16) & 0x1FFFFFFFFF == 0x1FFFFFFFFF


@needs_kernel
@pytest.mark.parametrize(("group", "name", "number"), REFUSED)
def test_a_call_of_the_table_is_refused(answer: Caller, group: Group, name: str, number: int) -> None:
    case = Case(number, refused_arguments(name, number, group), lite=True, may_fork=False)
    assert answer(case) == error_of(group)
    if os.geteuid() == 0:
        assert answer(case._replace(uid=ORDINARY)) == error_of(group)


@needs_kernel
@pytest.mark.parametrize(("group", "name", "number"), CONTROLS)
def test_and_would_not_be_without_the_filter(answer: Caller, group: Group, name: str, number: int) -> None:
    found = answer(Case(number, refused_arguments(name, number, group), filter=False))
    if found == (-1, errno.ENOSYS) == error_of(group):
        pytest.skip("this kernel is older than the call")
    if found == error_of(group) and not is_unhindered():
        pytest.skip("the kernel refuses it by itself to all but root")
    assert found != error_of(group)


def number_of(name: str) -> int:
    numbers = {call: numbers[MACHINES.index(MACHINE)] for group in TABLE for call, *numbers in group.calls}
    number = numbers[name]
    assert number is not None
    return number


@needs_kernel
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fcntl", (0, 3)),  # F_GETFL
        ("fcntl", (0, 1030, 0)),  # F_DUPFD_CLOEXEC
        ("mmap", (0, 4096, 3, 0x22, -1, 0)),  # private and anonymous
        ("prlimit64", (0, 7, 0, 0)),
        ("prlimit64", ("own", 7, 0, 0)),
        ("getpriority", (0, 0)),
        ("getpriority", (0, "own")),
        ("sched_getscheduler", (0,)),
        ("sched_getscheduler", ("own",)),
        ("clock_gettime", (2, -1)),  # of the CPU time of oneself: that there is no room for it is found out later
        ("clock_gettime", (~0 << 3 | 2, -1)),
        ("clock_gettime", (~0 << 3 | 6, -1)),
        ("madvise", (0, 0, 4)),  # MADV_DONTNEED
        ("fadvise64", (-1, 0, 0, 2)),  # POSIX_FADV_SEQUENTIAL
        ("setsockopt", (-1, 1, 20, 0, 0)),  # SO_RCVTIMEO
        ("membarrier", (0, 0)),
        ("pipe2", (-1, 0o2000000)),
        ("prctl", (15, 0)),  # PR_SET_NAME, of nothing
        ("kill", ("own", 0)),
        ("tkill", ("own", 0)),
        ("tgkill", ("own", "own", 0)),
        ("fchmod", (-1, 0o755)),
        ("socketpair", (1, 1 | 0o2000000, 0, 0)),  # SOCK_STREAM | SOCK_CLOEXEC
        ("socketpair", (1, 5, 0, 0)),
        ("openat", (-1, -1, 0, 0o4755)),  # creates nothing, so there is no mode
        ("ioctl", (0, 0x541B, 0)),  # FIONREAD
    ],
)
def test_the_harmless_uses_of_a_call_pass(answer: Caller, name: str, arguments: tuple[int | str, ...]) -> None:
    lite = not name.startswith("fchmod")
    filtered = answer(Case(number_of(name), arguments, lite=lite, may_fork=False))
    assert filtered[1] not in (errno.EPERM, errno.ENOSYS)
    assert filtered[1] == answer(Case(number_of(name), arguments, filter=False))[1]


@needs_kernel
@pytest.mark.parametrize("pid", [0, -1, 1, NOBODY])
def test_lite_lets_a_bot_signal_nobody_else(answer: Caller, pid: int) -> None:
    assert answer(Case(number_of("kill"), (pid, 0), lite=True)) == (-1, errno.EPERM)


@needs_kernel
def test_bits_above_the_32_that_count_do_not_get_a_call_past_the_filter(answer: Caller) -> None:
    high = 1 << 40
    case = Case(number_of("ioctl"), (-1, TIOCSTI | high, 0))
    assert answer(case) == (-1, errno.EPERM)
    assert answer(case._replace(filter=False)) == (-1, errno.EBADF)
    shared = Case(number_of("mmap"), (0, 4096, 3, 0x21 | high, -1, 0))
    assert answer(shared) == (-1, errno.EPERM)


@needs_kernel
def test_a_call_that_is_not_in_the_table_does_not_exist(answer: Caller) -> None:
    setdomainname = {"x86_64": 171, "aarch64": 162}[MACHINE]
    assert answer(Case(setdomainname, (-1, -1))) == (-1, errno.ENOSYS)
    assert answer(Case(setdomainname, (-1, -1), filter=False))[1] in (errno.EINVAL, errno.EPERM)


@needs_kernel
@needs_x86
def test_a_call_of_x32_kills(answer: Caller) -> None:
    getpid = 39
    assert answer(Case(seccomp.X32 | getpid, ())) == KILLED
    assert answer(Case(seccomp.X32 | getpid, (), filter=False)) != KILLED


# -- whole programs under it ------------------------------------------------------------------------------------------

LAUNCHER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from arena.sandbox import seccomp
if sys.argv[2] != "none":
    lite, may_fork = "lite" in sys.argv[2], "fork" in sys.argv[2]
    seccomp.install(seccomp.build(os.uname().machine, lite, may_fork, os.getpid()))
os.execvp(sys.argv[3], sys.argv[3:])
"""


def launch(tier: str, *argv: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, str(ROOT), tier, *argv],
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    )


def python(tier: str, code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return launch(tier, sys.executable, "-I", "-c", code, *words)


TIERS = pytest.mark.parametrize("tier", ["full", "lite", "full, fork", "lite, fork"])

THREADS = """
import asyncio, os, socket, threading

async def main():
    reader, writer = await asyncio.open_connection(sock=mine)
    writer.write(b"ping\\n")
    other.sendall(b"pong\\n")
    return await reader.readline(), await asyncio.to_thread(other.recv, 5)

mine, other = socket.socketpair()
print(*asyncio.run(main()))
said = []
threads = [threading.Thread(target=said.append, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
read, write = os.pipe()
os.write(write, open(os.__file__, "rb").read(5))
print(len(said), len(os.read(read, 9)), len(os.urandom(4)), len(os.listdir("/")) > 0)
"""


@needs_kernel
@TIERS
def test_threads_files_pipes_and_socket_pairs_work(tier: str) -> None:
    done = python(tier, THREADS)
    assert (done.stdout, done.stderr) == ("b'pong\\n' b'ping\\n'\n8 5 4 True\n", "")


@needs_kernel
@TIERS
def test_a_shell_can_be_executed(tier: str) -> None:
    assert launch(tier, "sh", "-c", "echo $((6 * 7)); exec echo again").stdout == "42\nagain\n"


@needs_kernel
@pytest.mark.parametrize("start", ["os.fork()", "subprocess.run(['true'])", "os.posix_spawnp('true', ['true'], {})"])
def test_only_a_bot_that_may_can_start_processes(start: str) -> None:
    code = f"import os, subprocess; {start}"
    assert "Operation not permitted" in python("full", code).stderr
    assert python("full, fork", code).stderr == ""


@needs_kernel
def test_a_crash_is_still_a_crash() -> None:
    assert python("lite", "import os; os.abort()").returncode == -signal.SIGABRT


RUNTIMES = {
    "node": (
        "-e",
        "const { Worker } = require('worker_threads');"
        "new Worker('require(`worker_threads`).parentPort.postMessage(1)', { eval: true }).on('message', console.log)",
    ),
    "java": ("-XX:-UsePerfData", "-XX:+UseSerialGC", "-Xmx64m", "-version"),
    "go": ("version",),
    "perl": ("-e", "print 'runs'"),
}


@needs_kernel
@pytest.mark.parametrize("tier", ["full", "lite"])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_runtime_starts(runtime: str, tier: str, tmp_path: Path) -> None:
    if not shutil.which(runtime):
        pytest.skip(f"no {runtime} here")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = launch(tier, runtime, *RUNTIMES[runtime], cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr != ""


INT_80 = """
int main(void) {
    int pid;
    __asm__ volatile("int $0x80" : "=a"(pid) : "a"(20) : "memory");  /* getpid of i386, writev of x86_64 */
    return pid > 0 ? 0 : 1;
}
"""


@needs_kernel
@needs_x86
def test_a_call_of_i386_kills(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no cc")
    program = tmp_path / "int80"
    subprocess.run([compiler, "-x", "c", "-", "-o", str(program)], input=INT_80, text=True, check=True)
    if launch("none", str(program)).returncode != 0:
        pytest.skip("this kernel has no calls of i386")
    assert launch("full", str(program)).returncode == -signal.SIGSYS


# -- attacks that a list of the obvious calls would miss --------------------------------------------------------------

SIGNAL_BY_PIPE = """
import fcntl, os, sys
read, write = os.pipe()
fcntl.fcntl(read, fcntl.F_SETOWN, int(sys.argv[1]))
fcntl.fcntl(read, fcntl.F_SETSIG, 9)
fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
os.write(write, b"x")
"""


@needs_kernel
@pytest.mark.parametrize(("tier", "ends"), [("none", True), ("full", False), ("lite", False)])
def test_no_descriptor_sends_signals_to_others(tier: str, ends: bool) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as victim:
        done = python(tier, SIGNAL_BY_PIPE, str(victim.pid))
        victim.communicate(timeout=10)
    assert (victim.returncode == -signal.SIGKILL) == ends
    assert ("Operation not permitted" in done.stderr) == (not ends)


LETTER = """
import socket, sys
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"by sendto", sys.argv[1])
one.connect(sys.argv[1])
one.send(b"by connect")
"""


@needs_kernel
@pytest.mark.parametrize(("tier", "arrives"), [("none", True), ("full", False), ("lite", False)])
def test_no_socket_pair_reaches_a_socket_of_others(tier: str, arrives: bool, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.setblocking(False)
        done = python(tier, LETTER, str(tmp_path / "s"))
        if arrives:
            assert [listener.recv(99), listener.recv(99)] == [b"by sendto", b"by connect"]
        else:
            assert "Permission denied" in done.stderr
            with pytest.raises(BlockingIOError):
                listener.recv(99)


UNCOUNTED = """
import ctypes, resource, sys
megabytes = 1 << 20
resource.setrlimit(resource.RLIMIT_DATA, (64 * megabytes, 64 * megabytes))
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_long
libc.mmap.argtypes = [ctypes.c_long] * 6
print(libc.mmap(0, 256 * megabytes, 3, int(sys.argv[1]), -1, 0) != -1)
"""


@needs_kernel
@pytest.mark.parametrize("flags", [0x21, 0x23, 0x122], ids=["shared", "shared and validated", "grows down"])
def test_no_memory_escapes_the_limit(flags: int) -> None:
    if flags != 0x23:  # which the kernel allows for files only
        assert python("none", UNCOUNTED, str(flags)).stdout == "True\n"
    assert python("none", UNCOUNTED, str(0x22)).stdout == "False\n"
    assert python("full", UNCOUNTED, str(flags)).stdout == "False\n"
