"""What a machine really is, as one line of JSON, seen by a program that runs in it: python -m tests.anywhere.look

Nothing here believes what a simulation promises: namespaces, Landlock and filters are tried, programs are looked for,
and the doctor is asked what it finds. A row of the matrix compares this with what the machine is said to be.
"""

import ctypes
import errno
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.anywhere.container import (
    ALLOW,
    COLUMN,
    FILTER_MODE,
    LANDLOCK,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_SECCOMP,
    RETURN,
    SECCOMP,
)
from tests.anywhere.debian import MARK
from tests.anywhere.toolchains import TOOLCHAINS

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
CREATE_RULESET_VERSION = SECCOMP_SET_MODE_FILTER = 1
CAP_SYS_ADMIN = 21
DOCTOR_S = 60
WORKS = "works"

libc = ctypes.CDLL(None, use_errno=True)


def outcome(attempt: Callable[[], int]) -> str:
    """What becomes of a system call, in a child of its own: `works`, or the name of the error."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        failed = attempt() < 0
        os.write(writing, (errno.errorcode[ctypes.get_errno()] if failed else WORKS).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading) as pipe:
        return pipe.read()


def add_filter(way: Callable[[bytes], int]) -> int:
    """Try to add a filter that lets everything pass."""
    code = ctypes.create_string_buffer(struct.pack("=HBBI", RETURN, 0, 0, ALLOW), 8)
    libc.prctl(PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    return way(struct.pack("@HP", 1, ctypes.addressof(code)))


def by_prctl(fprog: bytes) -> int:
    return int(libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(FILTER_MODE), fprog, ctypes.c_ulong(0), ctypes.c_ulong(0)))


def by_seccomp(fprog: bytes) -> int:
    number = SECCOMP[COLUMN[os.uname().machine]]
    return int(libc.syscall(number, SECCOMP_SET_MODE_FILTER, 0, fprog))


def landlock() -> int:
    return int(libc.syscall(LANDLOCK[0][0], None, ctypes.c_size_t(0), CREATE_RULESET_VERSION))


def has_sys_admin() -> bool:
    lines = Path("/proc/self/status").read_text().splitlines()
    effective = next(line.split()[1] for line in lines if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> CAP_SYS_ADMIN & 1)


def doctor() -> dict[str, Any]:
    """What `arena doctor` says, in its JSON."""
    command = [sys.executable, "-m", "arena", "doctor", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=DOCTOR_S)
    if ended.returncode not in (0, 5):
        raise SystemExit(f"arena doctor ended with {ended.returncode}: {ended.stderr}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def look() -> dict[str, Any]:
    """All that a row may want to know."""
    found, folder = doctor(), str(Path(__file__).parents[2])
    return {
        "is_root": os.geteuid() == 0,
        "python": "{}.{}".format(*sys.version_info),
        "cores": len(os.sched_getaffinity(0)),
        "has_sys_admin": has_sys_admin(),
        "new_namespaces": outcome(lambda: libc.unshare(CLONE_NEWNS | (0 if os.geteuid() == 0 else CLONE_NEWUSER))),
        "landlock": outcome(landlock),
        "filter_by_prctl": outcome(lambda: add_filter(by_prctl)),
        "filter_by_seccomp": outcome(lambda: add_filter(by_seccomp)),
        "toolchains": [name for name in TOOLCHAINS if shutil.which(name)],
        "home": os.environ.get("HOME"),
        "locale": os.environ.get("LC_ALL"),
        "term": os.environ.get("TERM"),
        "is_bare": Path("/", MARK).exists(),
        "is_folder_odd": " " in folder and not folder.isascii(),
        "tier": found["auto"],
        "doctor_landlock": found["machine"]["landlock_abi"],
        "doctor_seccomp": found["machine"]["seccomp"] is None,
        "doctor_cores": found["machine"]["cores"],
        "doctor_toolchains": [name for name, version in found["toolchains"].items() if version],
    }


if __name__ == "__main__":
    print(json.dumps(look()))  # noqa: T201 it is a program
