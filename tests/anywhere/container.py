#!/usr/bin/env python3
"""Run a command as if this machine were a container, or lacked what sandboxes are made of.

    python tests/anywhere/container.py [--host] [--no-landlock] [--no-seccomp] [--user N] [--cores N] COMMAND...

Theory of operation. A process can give up capabilities and system calls for good, for itself and for all that it
starts. So this program gives up what an ordinary container does not have, and then executes the command, whose exit
code is its own:

    capabilities   only those that container engines leave to root by default; CAP_SYS_ADMIN is not among them
    system calls   new namespaces, mounts, keyrings, BPF and the like: EPERM. clone3, whose flags no filter can
                   read: ENOSYS, so that C libraries use clone
    --host         leaves both as they are, for a machine that is no container but lacks something else
    --no-landlock  Landlock's calls: ENOSYS, as on kernels before 5.13
    --no-seccomp   no filter can be added to this one: ENOSYS for seccomp, EINVAL for prctl, as on kernels without it
    --user N       become this user and group (root only), as `docker run --user N`
    --cores N      use only the first N of the cores

What it cannot imitate is what needs mounts: a masked /proc, a read-only /sys, another system's files. It needs Linux
on x86_64 or aarch64, and nothing but Python's standard library.
"""

import argparse
import ctypes
import os
import shutil
import struct
import sys
from collections.abc import Mapping, Sequence
from errno import EINVAL, ENOENT, ENOSYS, EPERM
from pathlib import Path
from typing import NoReturn

ME = Path(__file__).resolve()
KEPT = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
"""Capabilities: chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, net_raw,
sys_chroot, mknod, audit_write, setfcap."""
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
REFUSED = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "request_key": (249, 218),
    "setns": (308, 268),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""What a container without CAP_SYS_ADMIN may not call: the numbers on x86_64 and on aarch64."""
CLONE, CLONE3, PRCTL, SECCOMP = (56, 220), (435, 435), (157, 167), (317, 277)
LANDLOCK = ((444, 444), (445, 445), (446, 446))
NEW_NAMESPACES = 0x7E020000
PR_SET_SECCOMP, PR_CAPBSET_READ, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 22, 23, 24, 38
FILTER_MODE, CAPABILITY_VERSION = 2, 0x20080522
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
"""Classic BPF, as far as it is used here."""
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Offsets in struct seccomp_data."""
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NOT_EXECUTABLE, NOT_FOUND = 126, 127
"""Exit codes of a shell whose command cannot be executed."""

Step = tuple[int, int, int, int]
"""An instruction: code, value, how many to skip if it holds, and if not."""


def words(*flags: str) -> list[str]:
    """The words to put before a command that a test wants to run in here."""
    return [sys.executable, str(ME), *flags]


def answers(machine: str, like_container: bool, landlock: bool, seccomp: bool) -> dict[int, int]:
    """The error for each system call that is refused, whatever its arguments are."""
    column = COLUMN[machine]
    found: dict[int, int] = {}
    if like_container:
        found |= {numbers[column]: EPERM for numbers in REFUSED.values()} | {CLONE3[column]: ENOSYS}
    if not landlock:
        found |= {numbers[column]: ENOSYS for numbers in LANDLOCK}
    if not seccomp:
        found[SECCOMP[column]] = ENOSYS
    return found


def program(machine: str, refused: Mapping[int, int], like_container: bool, seccomp: bool) -> bytes:
    """The filter. Calls of another architecture pass: no program here makes any."""
    column = COLUMN[machine]
    steps: list[Step] = [
        (LOAD, ARCHITECTURE, 0, 0),
        (EQUAL, AUDIT_ARCH[machine], 1, 0),
        (RETURN, ALLOW, 0, 0),
        (LOAD, NUMBER, 0, 0),
    ]
    for number, error in refused.items():
        steps += [(EQUAL, number, 0, 1), (RETURN, ERRNO | error, 0, 0)]
    if like_container:
        steps += _by_argument(CLONE[column], (ANY_BIT, NEW_NAMESPACES, 0, 1), EPERM)
    if not seccomp:
        steps += _by_argument(PRCTL[column], (EQUAL, PR_SET_SECCOMP, 0, 1), EINVAL)
    steps.append((RETURN, ALLOW, 0, 0))
    return b"".join(struct.pack("=HBBI", code, then, other, value) for code, value, then, other in steps)


def _by_argument(number: int, test: Step, error: int) -> list[Step]:
    """Refuse one call if the low word of its first argument passes a test."""
    decide: list[Step] = [(LOAD, FIRST_ARGUMENT, 0, 0), test, (RETURN, ERRNO | error, 0, 0), (RETURN, ALLOW, 0, 0)]
    return [(EQUAL, number, 0, len(decide)), *decide]


def give_up_capabilities(libc: ctypes.CDLL) -> None:
    """Nothing that is executed from here on has more than a container's root; nor have we."""
    kept = sum(1 << number for number in KEPT)
    for number in range(64):
        if not kept >> number & 1 and _prctl(libc, PR_CAPBSET_READ, number) == 1:
            _prctl(libc, PR_CAPBSET_DROP, number)  # refused to ordinary users, who have none to lose
    kept &= _permitted()
    halves = [kept >> shift & 0xFFFFFFFF for shift in (0, 32)]
    sets = b"".join(struct.pack("=3I", half, half, 0) for half in halves)  # effective, permitted, inheritable
    if libc.capset(struct.pack("=Ii", CAPABILITY_VERSION, 0), sets) != 0:
        raise OSError(ctypes.get_errno(), "capset is refused")


def _permitted() -> int:
    """The capabilities that we have."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("CapPrm:")), 16)


def _prctl(libc: ctypes.CDLL, option: int, value: int, pointed: bytes | None = None) -> int:
    return int(libc.prctl(option, ctypes.c_ulong(value), pointed, ctypes.c_ulong(0), ctypes.c_ulong(0)))


def install(libc: ctypes.CDLL, instructions: bytes) -> None:
    """Put this process, and whatever it executes, under a filter for good."""
    code = ctypes.create_string_buffer(instructions, len(instructions))
    sock_fprog = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(code))
    _prctl(libc, PR_SET_NO_NEW_PRIVS, 1)
    if _prctl(libc, PR_SET_SECCOMP, FILTER_MODE, sock_fprog) != 0:
        raise OSError(ctypes.get_errno(), "the kernel refuses a filter on system calls")


def become(user: int) -> None:
    """This user, with no other group."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def read(argv: Sequence[str]) -> argparse.Namespace:
    """The command line. What follows the first word of the command is the command's."""
    parser = argparse.ArgumentParser(prog="container.py", description="Run a command as if in a container.")
    parser.add_argument("--host", action="store_true", help="no container: take away only what the flags name")
    parser.add_argument("--no-landlock", action="store_true", help="Landlock's calls are ENOSYS")
    parser.add_argument("--no-seccomp", action="store_true", help="no filter on system calls can be added")
    parser.add_argument("--user", type=int, metavar="N", help="become this user and group (root only)")
    parser.add_argument("--cores", type=int, metavar="N", help="use only so many cores")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args(argv)
    if not asked.command:
        parser.error("name a command")
    return asked


def execute(command: Sequence[str]) -> NoReturn:
    """Become the command."""
    try:
        os.execvp(command[0], [*command])
    except OSError as error:
        # A closed folder of PATH gives "Permission denied" for a program that is nowhere.
        is_missing = "/" not in command[0] and shutil.which(command[0], os.F_OK) is None
        why = os.strerror(ENOENT) if is_missing else error.strerror
        print(f"container.py: {command[0]}: {why}", file=sys.stderr)  # noqa: T201 it is a program
        sys.exit(NOT_FOUND if is_missing or isinstance(error, FileNotFoundError) else NOT_EXECUTABLE)


def main() -> None:
    asked, machine = read(sys.argv[1:]), os.uname().machine
    if machine not in AUDIT_ARCH:
        sys.exit(f"container.py: knows the system calls of {' and '.join(AUDIT_ARCH)}, and this is {machine}")
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        if asked.cores is not None:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: asked.cores])
        if not asked.host:
            give_up_capabilities(libc)
        if asked.user is not None:
            become(asked.user)
        refused = answers(machine, not asked.host, not asked.no_landlock, not asked.no_seccomp)
        if refused:
            install(libc, program(machine, refused, not asked.host, not asked.no_seccomp))
    except OSError as error:
        sys.exit(f"container.py: {error.strerror}")
    execute(asked.command)


if __name__ == "__main__":
    main()
