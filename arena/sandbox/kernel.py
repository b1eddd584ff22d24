"""The calls of Linux that Python does not have. Each raises OSError, named for what was asked."""

import _signal as signal  # type: ignore[import-not-found]  # as signal, without enums: who has imported less forks faster
import ctypes
import os
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_INTO_CGROUP = 0x200000000

MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
MNT_DETACH = 2
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4
READ_ONLY = struct.pack("=4Q", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, 0, 0)  # struct mount_attr
AT_FDCWD, AT_RECURSIVE = -100, 0x8000

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
PR_GET_NO_NEW_PRIVS = 39
CAPABILITY_VERSION = 0x20080522

NUMBERS = {
    # clone, pivot_root, capset, setns, mount_setattr, close_range, clone3
    "x86_64": (56, 155, 126, 308, 442, 436, 435),
    "aarch64": (220, 41, 91, 268, 442, 436, 435),
}
_CLONE, _PIVOT_ROOT, _CAPSET, _SETNS, _MOUNT_SETATTR, _CLOSE_RANGE, _CLONE3 = NUMBERS.get(os.uname().machine, (0,) * 7)

libc = ctypes.CDLL(None, use_errno=True)
CALLS = [name for name in ("mount", "prctl", "sethostname", "syscall", "umount2") if hasattr(libc, name)]
"""Looked up here, once, and not again after each fork."""


def _check(what: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _syscall(what: str, *arguments: object) -> int:
    return _check(what, libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))


def prctl(what: str, option: int, value: int = 0) -> int:
    return _check(what, libc.prctl(option, *(ctypes.c_ulong(word) for word in (value, 0, 0, 0))))


def clone(flags: int, group: "int | None" = None) -> int:
    """fork() into new namespaces and, if one is given, into a control group.

    For a process with a single thread, as Python is told nothing of it.
    """
    if not _CLONE:
        raise OSError(38, f"clone: the system call numbers of {os.uname().machine} are not known here")
    if group is None:
        return _syscall("new namespaces", _CLONE, flags | signal.SIGCHLD, 0, 0, 0, 0)
    asked = struct.pack("=11Q", flags | CLONE_INTO_CGROUP, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, group)
    return _syscall("new namespaces" if flags else "new process in a control group", _CLONE3, asked, len(asked))


def enter_network(namespace: int) -> None:
    _syscall("setns", _SETNS, namespace, CLONE_NEWNET)


def mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    result = libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())
    _check(f"mount {target}", result)


def make_read_only(target: str) -> None:
    """For a mount and all mounts below it: nothing can be written, no program runs as its owner, no device works."""
    _syscall(f"mount_setattr {target}", _MOUNT_SETATTR, AT_FDCWD, target.encode(), AT_RECURSIVE, READ_ONLY, 32)


def pivot_root(new: str, old: str) -> None:
    _syscall("pivot_root", _PIVOT_ROOT, new.encode(), old.encode())


def unmount(target: str) -> None:
    _check(f"umount {target}", libc.umount2(target.encode(), MNT_DETACH))


def close_from(lowest: int) -> None:
    """Close every descriptor from this one on."""
    _syscall("close_range", _CLOSE_RANGE, lowest, 0xFFFFFFFF, 0)


def forbid_capabilities() -> None:
    """Nothing that is executed from here on can gain a capability."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break  # the kernel has no more of them, or we may not drop them, and then we have none


def drop_capabilities() -> None:
    """This process has no capability any more."""
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    _syscall("capset", _CAPSET, header, bytes(24))
