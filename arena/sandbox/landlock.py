"""Landlock: a process gives up, for good, all files but those it names, all TCP, and signals to others.

Theory of operation. A ruleset names the rights that are taken away everywhere; rules give some of them back beneath a
file or a folder; then the process puts itself, and whatever it executes, under the ruleset. Which rights there are
depends on the kernel's ABI number. Ours must be 3 at least (Linux 6.2), because before it files could be cut short.

    ABI 3  all ways to read, write, make, remove, rename, execute and truncate files
        4  TCP: bind and connect
        5  ioctl on devices: given back nowhere
        6  signals and abstract unix sockets: only among those under the same ruleset

Descriptors that are open already stay as they are. What Landlock does not cover (modes, owners, times, other sockets,
looking whether a file exists) is for the filter on system calls, or for nobody.
"""

import ctypes
import errno
import os
import stat
import struct

from arena.sandbox.kernel import libc

LEAST_ABI = 3

# The same numbers on every machine that we know.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
UP_TO_TRUNCATE = (TRUNCATE << 1) - 1

READ = EXECUTE | READ_FILE | READ_DIR
WRITE = UP_TO_TRUNCATE & ~(MAKE_CHAR | MAKE_BLOCK)  # no bot may make device nodes
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # the kernel refuses the others unless it is a folder

BIND_TCP, CONNECT_TCP = 1 << 0, 1 << 1
SCOPE_ABSTRACT_UNIX_SOCKET, SCOPE_SIGNAL = 1 << 0, 1 << 1


def abi() -> int:
    """The kernel's ABI number of Landlock, 0 if it has none (is_possible says why)."""
    version: int = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), CREATE_RULESET_VERSION)
    return max(0, version)


def is_possible() -> str | None:
    """None if `restrict` can work here, or else why not."""
    version = abi()
    if version >= LEAST_ABI:
        return None
    if version > 0:
        return f"Landlock has ABI {version}, too old: ABI {LEAST_ABI} came with Linux 6.2"
    error = ctypes.get_errno()
    if error == errno.EOPNOTSUPP:
        return "Landlock is not enabled: add it to the kernel's parameter lsm="
    if error == errno.ENOSYS:
        return "the kernel has no Landlock, or a container's filter hides it"
    return f"Landlock is refused: {os.strerror(error)}"


def restrict(read: list[str], write: list[str], listed: "list[str] | tuple[()]" = ()) -> None:
    """Give up everything but to read and execute at and beneath `read`, and all but devices at and beneath `write`.

    Of the folders `listed`, and of those beneath, the names can be listed, and nothing more by this. Files and folders
    can be named; what does not exist is skipped. Raises OSError if the kernel cannot do it, and then nothing has been
    given up except the gain of privileges.
    """
    reason = is_possible()
    if reason:
        raise OSError(errno.EOPNOTSUPP, reason)
    ruleset = call("create_ruleset", CREATE_RULESET, *of_ruleset(abi()), 0)
    try:
        for rights, paths in ((READ, read), (WRITE, write), (READ_DIR, listed)):
            for path in paths:
                allow(ruleset, path, rights)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), "no_new_privs refused")
        call("restrict_self", RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def of_ruleset(version: int) -> tuple[bytes, ctypes.c_size_t]:
    """struct landlock_ruleset_attr, as long as this ABI knows it: what is taken away."""
    fields = [UP_TO_TRUNCATE | (IOCTL_DEV if version >= 5 else 0)]
    if version >= 4:
        fields.append(BIND_TCP | CONNECT_TCP)
    if version >= 6:
        fields.append(SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL)
    packed = struct.pack(f"={len(fields)}Q", *fields)
    return packed, ctypes.c_size_t(len(packed))


def allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # what is not there, or is out of reach anyway
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= OF_FILES
        rule = struct.pack("=Qi", rights, fd)  # struct landlock_path_beneath_attr, which is packed
        call(f"add_rule for {path}", ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(fd)


def call(what: str, number: int, *arguments: int | bytes | ctypes.c_size_t) -> int:
    result: int = libc.syscall(number, *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"landlock {what}: {os.strerror(error)}")
    return result
