"""The filter on system calls: its numbers, what its program decides, and what the kernel does with it."""

import errno
import json
import os
import platform
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.sandbox import seccomp
from arena.sandbox.seccomp import ALL, LITE, MACHINES, NO_FORK, OWN_PID, TABLE, Group, Test

ROOT = Path(__file__).parents[2]
MACHINE = platform.machine()
ORDINARY = 65534  # a uid without privileges
KILLED = (None, signal.SIGSYS)

needs_kernel = pytest.mark.skipif(sys.platform != "linux" or bool(seccomp.is_possible()), reason="no seccomp here")
needs_x86 = pytest.mark.skipif(MACHINE != "x86_64", reason="x86_64 only")


# -- the numbers, against the kernel's headers ------------------------------------------------------------------------


def numbers_of_headers(machine: str) -> dict[str, int]:
    header = "asm/unistd.h" if machine == MACHINE else "asm-generic/unistd.h"
    if machine == "x86_64" != MACHINE:
        pytest.skip("the numbers of x86_64 are in the headers of x86_64 only")
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no cc")
    wanted = ["-D__ARCH_WANT_SYS_CLONE3", "-D__ARCH_WANT_MEMFD_SECRET", "-D__ARCH_WANT_RENAMEAT"]
    lines = f"#include <{header}>\n#include <asm/bitsperlong.h>\n"
    made = subprocess.run([compiler, "-E", "-dM", *wanted, "-"], input=lines, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no {header}")
    words = [line.split() for line in made.stdout.splitlines() if line.startswith("#define __NR")]
    values = {word[1]: word[2] for word in words if len(word) == 3}
    values.pop("__NR_syscalls", None)  # how many there are
    values |= {name: values.get(value, value) for name, value in values.items()}  # __NR_mmap is __NR3264_mmap
    return {name.removeprefix("__NR_"): int(value) for name, value in values.items() if value.isdecimal()}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_the_one_of_the_kernels_headers(machine: str) -> None:
    known = numbers_of_headers(machine)
    column = 1 + MACHINES.index(machine)
    newest = max(known.values())
    checked = 0
    for call in (call for group in TABLE for call in group.calls):
        if call[column] is None or call[column] <= newest:
            assert known.get(call[0]) == call[column], call
            checked += 1
    assert checked > 150
    assert known["seccomp"] == seccomp.SECCOMP[machine]


def test_numbers_from_424_on_are_the_same_on_both_machines() -> None:
    for _, one, other in (call for group in TABLE for call in group.calls):
        if max(one or 0, other or 0) >= 424:
            assert one == other <= seccomp.NEWEST


def test_a_name_has_one_pair_of_numbers() -> None:
    pairs = {call for group in TABLE for call in group.calls}
    assert len({call[0] for call in pairs}) == len(pairs)


# -- what the program decides, by an interpreter of our own: also for the machine that we are not on ------------------


def decide(program: bytes, machine: str, number: int, arguments: tuple[int, ...] = (), arch: int | None = None) -> int:
    """The action that the program ends with for this call."""
    return run(program, machine, number, arguments, arch)[0]


def run(
    program: bytes, machine: str, number: int, arguments: tuple[int, ...] = (), arch: int | None = None
) -> tuple[int, int]:
    """Run a program in classic BPF on one call: the action, and after how many instructions."""
    registers = [value & 0xFFFFFFFFFFFFFFFF for value in (*arguments, *[0] * 6)[:6]]
    data = struct.pack("=IIQ6Q", number, seccomp.AUDIT_ARCH[machine] if arch is None else arch, 0, *registers)
    place = accumulator = steps = 0
    while True:
        steps += 1
        code, skip_if, skip_else, value = struct.unpack_from("=HBBI", program, 8 * place)
        place += 1
        if code == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == seccomp.AND:
            accumulator &= value
        elif code == seccomp.JUMP:
            place += value
        elif code == seccomp.JUMP_EQUAL:
            place += skip_if if accumulator == value else skip_else
        elif code == seccomp.JUMP_AT_LEAST:
            place += skip_if if accumulator >= value else skip_else
        else:
            assert code == seccomp.RETURN
            return int(value), steps


def holds(test: Test, arguments: tuple[int, ...], own_pid: int) -> bool:
    argument, mask, values, wanted = test
    return (arguments[argument] & mask in [own_pid if value == OWN_PID else value for value in values]) == wanted


def groups_by_number(machine: str, lite: bool, may_fork: bool) -> dict[int | None, list[Group]]:
    column = 1 + MACHINES.index(machine)
    tiers = {ALL} | ({LITE} if lite else set()) | (set() if may_fork else {NO_FORK})
    found: dict[int | None, list[Group]] = {}
    for group in TABLE:
        for call in group.calls if group.tier in tiers else ():
            found.setdefault(call[column], []).append(group)
    return found


def actions(groups: list[Group], arguments: tuple[int, ...], own_pid: int) -> set[int]:
    refusing = [group for group in groups if all(holds(test, arguments, own_pid) for test in group.tests)]
    return {seccomp.ERRNO | group.error for group in refusing} or {seccomp.ALLOW}


def telling_arguments() -> Iterator[tuple[int, ...]]:
    """Arguments that make every test of the table hold, and fail."""
    words = {0, 1, 2, 4711, 0xFFFFFFFF}
    for _, mask, values, _ in (test for group in TABLE for test in group.tests):
        words |= {value & 0xFFFFFFFF for value in values} | {mask, 0o4755, 0o755}
    for word in words:
        yield (word,) * 6
    for pair in product((0, 1, 0x40, 0x400000, 4711), (0, 2, 5, 0o4755, 4711), repeat=2):
        yield (*pair, 0, 0)


@pytest.mark.parametrize("may_fork", [False, True])
@pytest.mark.parametrize("lite", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_program_decides_as_the_table_says(machine: str, lite: bool, may_fork: bool) -> None:
    program = seccomp.build(machine, lite, may_fork, own_pid=4711)
    groups = groups_by_number(machine, lite, may_fork)
    cases = list(telling_arguments())
    for number in range(seccomp.NEWEST + 1):
        refused_by = groups.get(number, [])
        for arguments in cases if any(group.tests for group in refused_by) else cases[:2]:
            wanted = actions(refused_by, arguments, 4711)
            assert decide(program, machine, number, arguments) in wanted, (number, arguments)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_high_words_of_arguments_change_nothing(machine: str) -> None:
    program = seccomp.build(machine, lite=True, may_fork=False, own_pid=4711)
    for number in range(seccomp.NEWEST + 1):
        for word in (0, 1, 0x21, 0o4755, 4711, seccomp.TIOCSTI, seccomp.CLONE_THREAD):
            low = decide(program, machine, number, (word,) * 6)
            assert decide(program, machine, number, (word | 0xABCD << 32,) * 6) == low


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_newer_than_the_table_do_not_exist(machine: str) -> None:
    program = seccomp.build(machine, lite=False, may_fork=True)
    for number in (seccomp.NEWEST + 1, 512, 547, 1000, seccomp.X32 - 1):
        assert decide(program, machine, number) == seccomp.ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_foreign_architectures_kill(machine: str) -> None:
    program = seccomp.build(machine, lite=False, may_fork=True)
    i386, arm, other = 0x40000003, 0x40000028, seccomp.AUDIT_ARCH[MACHINES[1 - MACHINES.index(machine)]]
    for arch in (i386, arm, other, 0):
        assert decide(program, machine, 0, arch=arch) == seccomp.KILL_PROCESS


def test_x32_kills() -> None:
    program = seccomp.build("x86_64", lite=False, may_fork=True)
    assert decide(program, "x86_64", seccomp.X32) == seccomp.KILL_PROCESS
    assert decide(program, "x86_64", 0xFFFFFFFF) == seccomp.KILL_PROCESS


def test_without_an_own_pid_only_process_0_is_oneself() -> None:
    program = seccomp.build("x86_64", lite=False, may_fork=True)
    prlimit64 = 302
    assert decide(program, "x86_64", prlimit64, (0,)) == seccomp.ALLOW
    assert decide(program, "x86_64", prlimit64, (4711,)) == seccomp.ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_is_decided_in_few_steps(machine: str) -> None:
    program = seccomp.build(machine, lite=True, may_fork=False, own_pid=4711)
    assert max(run(program, machine, number)[1] for number in range(seccomp.NEWEST + 1)) <= 25
    looked_at = {call[1 + MACHINES.index(machine)] for group in TABLE if group.tests for call in group.calls}
    others = set(range(seccomp.NEWEST + 1)) - looked_at
    assert max(run(program, machine, number)[1] for number in others) <= 13


def test_unknown_machines_are_refused() -> None:
    with pytest.raises(ValueError, match="no system call filter for riscv64, only for x86_64 and aarch64"):
        seccomp.build("riscv64", lite=False, may_fork=False)


def test_lite_needs_to_know_the_process() -> None:
    with pytest.raises(ValueError, match="needs own_pid"):
        seccomp.build("x86_64", lite=True, may_fork=False)


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


def refused_arguments(name: str, group: Group) -> tuple[int, ...]:
    """Arguments that the filter refuses, and that are otherwise as invalid as can be: nothing happens without it."""
    if name == "setpriority":
        return (0, NOBODY, 0) if group.tests[0][0] == 1 else (3, 0, 0)
    arguments = [-1] * 6
    for argument, mask, values, wanted in group.tests:
        if wanted:
            arguments[argument] = values[0]
        elif values == (0,):
            arguments[argument] = mask
        else:
            arguments[argument] = NOBODY if OWN_PID in values else 2
    return tuple(arguments)


REFUSED = [
    pytest.param(group, name, numbers[MACHINES.index(MACHINE)], id=f"{name}-{index}")
    for index, group in enumerate(TABLE)
    for name, *numbers in group.calls
    if MACHINE in MACHINES and numbers[MACHINES.index(MACHINE)] is not None
]
# A child of vfork borrows the memory of its parent, so it cannot run Python, and this cannot be tried.
CONTROLS = [case for case in REFUSED if case.values[1] != "vfork"]


def is_unhindered() -> bool:
    """Whether the kernel refuses us nothing by itself: we are root, with all rights, and under no other filter."""
    if os.geteuid() != 0:
        return False
    words = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return words["Seccomp"] == "0" and int(words["CapEff"], 16) & 0x1FFFFFFFFF == 0x1FFFFFFFFF


@needs_kernel
@pytest.mark.parametrize(("group", "name", "number"), REFUSED)
def test_a_call_of_the_table_is_refused(answer: Caller, group: Group, name: str, number: int) -> None:
    case = Case(number, refused_arguments(name, group), lite=group.tier == LITE, may_fork=group.tier != NO_FORK)
    assert answer(case) == (-1, group.error)
    if os.geteuid() == 0:
        assert answer(case._replace(uid=ORDINARY)) == (-1, group.error)


@needs_kernel
@pytest.mark.parametrize(("group", "name", "number"), CONTROLS)
def test_and_would_not_be_without_the_filter(answer: Caller, group: Group, name: str, number: int) -> None:
    found = answer(Case(number, refused_arguments(name, group), filter=False))
    if found == (-1, errno.ENOSYS) == (-1, group.error):
        pytest.skip("this kernel is older than the call")
    if found == (-1, group.error) and not is_unhindered():
        pytest.skip("the kernel refuses it by itself to all but root")
    assert found != (-1, group.error)


def number_of(name: str) -> int:
    numbers = {call[0]: call[1 + MACHINES.index(MACHINE)] for group in TABLE for call in group.calls}
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
        ("setpriority", (0, 0, 19)),
        ("sched_setscheduler", (0, -1, 0)),
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
    case = Case(number_of("ioctl"), (-1, seccomp.TIOCSTI | high, 0))
    assert answer(case) == (-1, errno.EPERM)
    assert answer(case._replace(filter=False)) == (-1, errno.EBADF)
    shared = Case(number_of("mmap"), (0, 4096, 3, 0x21 | high, -1, 0))
    assert answer(shared) == (-1, errno.EPERM)


@needs_kernel
def test_a_call_that_is_newer_than_the_table_does_not_exist(answer: Caller) -> None:
    assert answer(Case(seccomp.NEWEST + 1, (-1,) * 6)) == (-1, errno.ENOSYS)


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
