"""The filter on a bot's system calls: what no bot needs answers an error, everything else passes.

Theory of operation. TABLE is a deny-list: groups of system calls, each with its reason, the tiers it belongs to, the
error it answers, and what must hold of the arguments (nothing, for most). `build` turns it into a program in classic
BPF, the language the kernel takes such filters in:

    foreign architecture, or x32    -> the process is killed: their numbers mean other calls
    newer than the table            -> ENOSYS, as on the older kernel that the table knows
    then a binary search over the ranges of numbers that share a fate, whose leaves are an answer
    or a block that looks at the arguments and then answers

The search keeps the way short, and decides a call without arguments by its number alone. Such calls the kernel finds
out when the filter is installed (it tries every number), and lets them pass from then on without running the program.

Registers have 64 bits, but of every argument that is looked at here the kernel heeds the low 32 only. So the low word
decides, and whatever is put into the high word changes nothing, here as there.

What a filter cannot see is what a pointer points to. Calls that hide such arguments are refused with ENOSYS where
runtimes fall back (clone3, openat2), and the others' danger is met at its source: an unconnected socket could be sent
from by sendmsg to an address in memory, so only socket pairs that have a peer for life can be made.
"""

import ctypes
import os
import struct
import sys
from errno import EACCES, ENOSYS, EPERM

from arena.sandbox.kernel import libc

MACHINES = ("x86_64", "aarch64")  # the order of the numbers in the table
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SECCOMP = {"x86_64": 317, "aarch64": 277}  # the number of seccomp() itself
NEWEST = 469  # file_setattr, of Linux 6.17: from 424 on the numbers are the same on both machines
X32 = 0x40000000  # set in the numbers of the x32 calls, which come under x86_64's name

# Tiers: which bots a group is for.
ALL, LITE, NO_FORK = "all", "lite", "no fork"

OWN_PID = -1  # stands in the table for the process that the filter is built for

# A test is (argument, mask, values, wanted): it holds if "argument & mask is one of the values" is as wanted.
# A call is refused if all tests of one of its groups hold.
Test = tuple[int, int, tuple[int, ...], bool]
ALWAYS: tuple[Test, ...] = ()
WORD = 0xFFFFFFFF


def one_of(argument: int, *values: int) -> Test:
    return argument, WORD, values, True


def none_of(argument: int, *values: int, mask: int = WORD) -> Test:
    return argument, mask, values, False


def any_bit(argument: int, bits: int) -> Test:
    return argument, bits, (0,), False


def no_bit(argument: int, bits: int) -> Test:
    return argument, bits, (0,), True


def all_bits(argument: int, bits: int) -> Test:
    return argument, bits, (bits,), True


class Group:
    """System calls that are refused for one reason."""

    __slots__ = ("calls", "error", "reason", "tests", "tier")

    def __init__(
        self, reason: str, tier: str, error: int, tests: tuple[Test, ...], *calls: tuple[str, int | None, int | None]
    ) -> None:
        self.reason = reason
        self.tier = tier
        self.error = error
        self.tests = tests
        self.calls = calls  # name, number on x86_64, number on aarch64; None where the machine has no such call


AF_UNIX = 1
SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE = 1, 5, 0xF
CLONE_THREAD = 0x00010000
CLONE_NEW = 0x7E020000  # NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET; NEWTIME is for unshare and clone3 only
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100  # MAP_SHARED_VALIDATE is 0x03
SETID = 0o6000
CREATES = 0o20000100  # O_CREAT, or the bit of its own of O_TMPFILE; without them open looks at no mode
F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY, F_SETDELEG = 6, 7, 37, 38, 1024, 1026, 1040
F_SETOWN, F_SETSIG, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP = 8, 10, 15, 0x8901, 0x8902
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION = 0x40086602, 0x40046602, 0x40087602
FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY = 0x401C5820, 0x40806685
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SCHED_CORE = 1, 4, 62
PRIO_PROCESS = 0

# fmt: off
TABLE = (
    Group(
        "no network: no socket of any family, be it IP, unix, netlink or vsock",
        ALL, EACCES, ALWAYS,
        ("socket", 41, 198), ("connect", 42, 203), ("bind", 49, 200), ("listen", 50, 201), ("accept", 43, 202),
        ("accept4", 288, 242),
    ),
    Group(
        "a pair of datagram sockets can be reconnected, or sent from, to any address: only streams and seqpackets",
        ALL, EACCES, (none_of(1, SOCK_STREAM, SOCK_SEQPACKET, mask=SOCK_TYPE),),
        ("socketpair", 53, 199),
    ),
    Group(
        "and of no family but unix",
        ALL, EACCES, (none_of(0, AF_UNIX),),
        ("socketpair", 53, 199),
    ),
    Group(
        "a descriptor that is on its way in a socket outlives its owner: files of the scratch space with their memory, "
        "pipes that others wait for the end of",
        ALL, EPERM, ALWAYS,
        ("sendmsg", 46, 211), ("sendmmsg", 307, 269),
    ),
    Group(
        "no look into other processes",
        ALL, EPERM, ALWAYS,
        ("ptrace", 101, 117), ("process_vm_readv", 310, 270), ("process_vm_writev", 311, 271), ("kcmp", 312, 272),
        ("pidfd_getfd", 438, 438), ("process_madvise", 440, 440), ("process_mrelease", 448, 448),
    ),
    Group(
        "no new namespaces: inside a user namespace of its own a bot would be root, and could mount",
        ALL, EPERM, ALWAYS,
        ("unshare", 272, 97), ("setns", 308, 268),
    ),
    Group(
        "nor by clone",
        ALL, EPERM, (any_bit(0, CLONE_NEW),),
        ("clone", 56, 220),
    ),
    Group(
        "the flags of clone3 are behind a pointer; runtimes then use clone",
        ALL, ENOSYS, ALWAYS,
        ("clone3", 435, 435),
    ),
    Group(
        "one process, so that its limits are the bot's limits and nobody is left when it ends; threads may be",
        NO_FORK, EPERM, ALWAYS,
        ("fork", 57, None), ("vfork", 58, None),
    ),
    Group(
        "nor by clone",
        NO_FORK, EPERM, (no_bit(0, CLONE_THREAD),),
        ("clone", 56, 220),
    ),
    Group(
        "no other view of the file system",
        ALL, EPERM, ALWAYS,
        ("mount", 165, 40), ("umount2", 166, 39), ("pivot_root", 155, 41), ("chroot", 161, 51),
        ("open_tree", 428, 428), ("move_mount", 429, 429), ("fsopen", 430, 430), ("fsconfig", 431, 431),
        ("fsmount", 432, 432), ("fspick", 433, 433), ("mount_setattr", 442, 442), ("statmount", 457, 457),
        ("listmount", 458, 458), ("open_tree_attr", 467, 467),
    ),
    Group(
        "the administrator's: modules, kernels, clocks, swap, quotas, ports, names, logs, all disks",
        ALL, EPERM, ALWAYS,
        ("init_module", 175, 105), ("finit_module", 313, 273), ("delete_module", 176, 106),
        ("create_module", 174, None), ("get_kernel_syms", 177, None), ("query_module", 178, None),
        ("kexec_load", 246, 104), ("kexec_file_load", 320, 294), ("reboot", 169, 142), ("settimeofday", 164, 170),
        ("clock_settime", 227, 112), ("clock_adjtime", 305, 266), ("adjtimex", 159, 171), ("swapon", 167, 224),
        ("swapoff", 168, 225), ("quotactl", 179, 60), ("quotactl_fd", 443, 443), ("acct", 163, 89),
        ("iopl", 172, None), ("ioperm", 173, None),
        ("sethostname", 170, 161), ("setdomainname", 171, 162), ("syslog", 103, 116), ("vhangup", 153, 58),
        ("sync", 162, 81), ("syncfs", 306, 267),
    ),
    Group(
        "old and odd, and of use to attacks only",
        ALL, EPERM, ALWAYS,
        ("personality", 135, 92), ("modify_ldt", 154, None), ("uselib", 134, None), ("_sysctl", 156, None),
        ("nfsservctl", 180, 42), ("lookup_dcookie", 212, 18),
    ),
    Group(
        "large and often attacked parts of the kernel",
        ALL, EPERM, ALWAYS,
        ("bpf", 321, 280), ("perf_event_open", 298, 241), ("userfaultfd", 323, 282), ("fanotify_init", 300, 262),
        ("fanotify_mark", 301, 263), ("name_to_handle_at", 303, 264), ("open_by_handle_at", 304, 265),
    ),
    Group(
        "io_uring does the work of other calls unseen by this filter; runtimes then use epoll",
        ALL, ENOSYS, ALWAYS,
        ("io_uring_setup", 425, 425), ("io_uring_enter", 426, 426), ("io_uring_register", 427, 427),
    ),
    Group(
        "keyrings are shared by all processes of a user",
        ALL, EPERM, ALWAYS,
        ("add_key", 248, 217), ("request_key", 249, 218), ("keyctl", 250, 219),
    ),
    Group(
        "System V's and POSIX's IPC: shared with others, and outlives the bot",
        ALL, EPERM, ALWAYS,
        ("shmget", 29, 194), ("shmat", 30, 196), ("shmctl", 31, 195), ("shmdt", 67, 197), ("semget", 64, 190),
        ("semop", 65, 193), ("semctl", 66, 191), ("semtimedop", 220, 192), ("msgget", 68, 186), ("msgsnd", 69, 189),
        ("msgrcv", 70, 188), ("msgctl", 71, 187), ("mq_open", 240, 180), ("mq_unlink", 241, 181),
        ("mq_timedsend", 242, 182), ("mq_timedreceive", 243, 183), ("mq_notify", 244, 184),
        ("mq_getsetattr", 245, 185),
    ),
    Group(
        "memory that RLIMIT_DATA does not count: files of memory",
        ALL, EPERM, ALWAYS,
        ("memfd_create", 319, 279), ("memfd_secret", 447, 447),
    ),
    Group(
        "shared anonymous memory",
        ALL, EPERM, (all_bits(3, MAP_SHARED | MAP_ANONYMOUS),),
        ("mmap", 9, 222),
    ),
    Group(
        "and memory that passes for a stack",
        ALL, EPERM, (any_bit(3, MAP_GROWSDOWN),),
        ("mmap", 9, 222),
    ),
    Group(
        "bots could talk by locks on files that all can read",
        ALL, EPERM, ALWAYS,
        ("flock", 73, 32),
    ),
    Group(
        "or by locks, leases and notices by fcntl",
        ALL, EPERM,
        (one_of(1, F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY, F_SETDELEG),),
        ("fcntl", 72, 25),
    ),
    Group(
        "or by watching who opens them; Landlock does not even ask whether the watcher may read",
        ALL, EPERM, ALWAYS,
        ("inotify_init", 253, None), ("inotify_init1", 294, 26), ("inotify_add_watch", 254, 27),
    ),
    Group(
        "or by looking which of their pages are in memory",
        ALL, ENOSYS, ALWAYS,
        ("cachestat", 451, 451),
    ),
    Group(
        "a descriptor can be made to send any signal to any process of the same user",
        ALL, EPERM, (one_of(1, F_SETOWN, F_SETSIG, F_SETOWN_EX),),
        ("fcntl", 72, 25),
    ),
    Group(
        "by ioctl too; and a terminal can be made to believe that somebody types",
        ALL, EPERM, (one_of(1, FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX),),
        ("ioctl", 16, 29),
    ),
    Group(
        "no set-user-ID or set-group-ID files, however they are made",
        ALL, EPERM, (any_bit(1, SETID),),
        ("chmod", 90, None), ("fchmod", 91, 52), ("mknod", 133, None), ("creat", 85, None),
    ),
    Group(
        "the same, where the mode is the third argument",
        ALL, EPERM, (any_bit(2, SETID),),
        ("fchmodat", 268, 53), ("fchmodat2", 452, 452), ("mknodat", 259, 33),
    ),
    Group(
        "the same for open",
        ALL, EPERM, (any_bit(1, CREATES), any_bit(2, SETID)),
        ("open", 2, None),
    ),
    Group(
        "the same for openat",
        ALL, EPERM, (any_bit(2, CREATES), any_bit(3, SETID)),
        ("openat", 257, 56),
    ),
    Group(
        "the mode of openat2 is behind a pointer; runtimes then use openat",
        ALL, ENOSYS, ALWAYS,
        ("openat2", 437, 437),
    ),
    Group(
        "which processors a bot has is the arena's to say, and so is what its input and output are worth",
        ALL, EPERM, ALWAYS,
        ("sched_setaffinity", 203, 122), ("ioprio_set", 251, 30), ("migrate_pages", 256, 238), ("move_pages", 279, 239),
    ),
    Group(
        "priorities and limits of oneself only",
        ALL, EPERM, (none_of(0, 0, OWN_PID),),
        ("sched_setparam", 142, 118), ("sched_setscheduler", 144, 119), ("sched_setattr", 314, 274),
        ("prlimit64", 302, 261),
    ),
    Group(
        "the same, where the process is the second argument",
        ALL, EPERM, (none_of(1, 0, OWN_PID),),
        ("setpriority", 141, 140),
    ),
    Group(
        "not of all processes of the user or of the group",
        ALL, EPERM, (none_of(0, PRIO_PROCESS),),
        ("setpriority", 141, 140),
    ),
    Group(
        "a bot may not take back that it dies with its parent, nor hide from those who look how much memory it has, "
        "nor choose whom it shares a core with",
        ALL, EPERM, (one_of(0, PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SCHED_CORE),),
        ("prctl", 157, 167),
    ),
    Group(
        "without a process namespace, no signals to others (the main thread has the number of its process)",
        LITE, EPERM, (none_of(0, OWN_PID),),
        ("kill", 62, 129), ("tkill", 200, 130), ("tgkill", 234, 131), ("rt_sigqueueinfo", 129, 138),
        ("rt_tgsigqueueinfo", 297, 240),
    ),
    Group(
        "nor by descriptors, which say nothing about the process that they stand for",
        LITE, EPERM, ALWAYS,
        ("pidfd_open", 434, 434), ("pidfd_send_signal", 424, 424),
    ),
    Group(
        "Landlock guards what is in files, not what is known about them: modes, owners, times, attributes",
        LITE, EPERM, ALWAYS,
        ("chmod", 90, None), ("fchmod", 91, 52), ("fchmodat", 268, 53), ("fchmodat2", 452, 452), ("chown", 92, None),
        ("fchown", 93, 55), ("lchown", 94, None), ("fchownat", 260, 54), ("utime", 132, None), ("utimes", 235, None),
        ("futimesat", 261, None), ("utimensat", 280, 88), ("setxattr", 188, 5), ("lsetxattr", 189, 6),
        ("fsetxattr", 190, 7), ("setxattrat", 463, 463), ("removexattr", 197, 14), ("lremovexattr", 198, 15),
        ("fremovexattr", 199, 16), ("removexattrat", 466, 466), ("file_setattr", 469, 469),
    ),
    Group(
        "flags of files by ioctl, among them the one that makes a file unchangeable for good",
        LITE, EPERM,
        (one_of(1, FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY),),
        ("ioctl", 16, 29),
    ),
)
# fmt: on

# Classic BPF, as far as it is used here.
LOAD, AND, JUMP, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
FARTHEST = 255  # instructions that a conditional jump can skip
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER, SECCOMP_GET_ACTION_AVAIL = 1, 2

Rules = tuple[tuple[int, tuple[Test, ...]], ...]  # what befalls one call: the error and the tests of each of its groups


def build(machine: str, lite: bool, may_fork: bool, own_pid: int = 0) -> bytes:
    """The program for a bot on this machine, as `uname -m` names it.

    `lite` is for a bot without a process namespace, which may signal none but own_pid, itself. In both tiers a bot
    may set its own limits and priorities, as process 0 or as own_pid if that is given.
    """
    if machine not in MACHINES:
        raise ValueError(f"no system call filter for {machine}, only for {' and '.join(MACHINES)}")
    if lite and own_pid <= 0:
        raise ValueError("a filter of tier lite needs own_pid, the process that the bot may signal")
    tiers = {ALL} | ({LITE} if lite else set()) | (set() if may_fork else {NO_FORK})
    program = Program(own_pid)
    fates = ranges(rules_by_number(machine, tiers))
    search = program.search(fates + [(NEWEST + 1, ((ENOSYS, ALWAYS),))])
    if machine == "x86_64":
        search = program.jump(JUMP_AT_LEAST, X32, program.answer(KILL_PROCESS), search)
    program.load(NUMBER)
    program.jump(JUMP_EQUAL, AUDIT_ARCH[machine], len(program.code) - 1, program.answer(KILL_PROCESS))
    program.load(ARCHITECTURE)
    return b"".join(reversed(program.code))


def rules_by_number(machine: str, tiers: set[str]) -> dict[int, Rules]:
    column = 1 + MACHINES.index(machine)
    rules: dict[int, Rules] = {}
    for group in TABLE:
        if group.tier in tiers:
            for call in group.calls:
                number = call[column]
                if isinstance(number, int):
                    others = rules.get(number, ()) if group.tests else ()  # refused always, whatever else holds
                    rules[number] = (*others, (group.error, group.tests))
    return rules


def ranges(rules: dict[int, Rules]) -> list[tuple[int, Rules]]:
    """The first number of each range of calls that share a fate, in order, with that fate; no rules is to pass."""
    fates: list[tuple[int, Rules]] = [(0, ())]
    for number in sorted(rules):
        for start, fate in ((number, rules[number]), (number + 1, ())):
            if fates[-1][0] == start:
                fates.pop()
            if not fates or fates[-1][1] != fate:
                fates.append((start, fate))
    return fates


class Program:
    """A program that is written from its end to its beginning, for jumps only go forward.

    A place in it is the index of an instruction in `code`, counted from the end.
    """

    def __init__(self, own_pid: int) -> None:
        self.own_pid = own_pid
        self.code: list[bytes] = []
        self.answers: dict[int, int] = {}
        self.blocks: dict[Rules, int] = {}

    def write(self, code: int, skip_if: int, skip_else: int, value: int) -> int:
        self.code.append(struct.pack("=HBBI", code, skip_if, skip_else, value))
        return len(self.code) - 1

    def load(self, offset: int) -> int:
        return self.write(LOAD, 0, 0, offset)

    def is_near(self, place: int) -> bool:
        return len(self.code) - place <= FARTHEST - 2  # two more instructions may come between, see jump

    def answer(self, action: int) -> int:
        """The place of an instruction that ends with this action, not too far to jump to."""
        place = self.answers.get(action)
        if place is None or not self.is_near(place):
            place = self.answers[action] = self.write(RETURN, 0, 0, action)
        return place

    def near(self, place: int) -> int:
        if self.is_near(place):
            return place
        return self.write(JUMP, 0, 0, len(self.code) - place - 1)

    def jump(self, code: int, value: int, place_if: int, place_else: int) -> int:
        place_if = self.near(place_if)
        place_else = self.near(place_else)
        here = len(self.code)
        return self.write(code, here - place_if - 1, here - place_else - 1, value)

    def search(self, fates: list[tuple[int, Rules]]) -> int:
        """The place where the number of the call, which is loaded, is looked up in these ranges."""
        if len(fates) == 1:
            return self.block(fates[0][1])
        middle = len(fates) // 2
        upper = self.search(fates[middle:])
        lower = self.search(fates[:middle])
        return self.jump(JUMP_AT_LEAST, fates[middle][0], upper, lower)

    def block(self, rules: Rules) -> int:
        """The place where a call with these rules is decided."""
        if not rules:
            return self.answer(ALLOW)
        if rules[0][1] == ALWAYS:
            return self.answer(ERRNO | rules[0][0])
        if rules not in self.blocks:
            self.blocks[rules] = self.alternatives(rules)
        return self.blocks[rules]

    def alternatives(self, rules: Rules) -> int:
        place = self.answer(ALLOW)
        for error, tests in reversed(rules):
            fails, place = place, self.answer(ERRNO | error)
            for test in reversed(tests):
                place = self.test(test, place, fails)
        return place

    def test(self, test: Test, holds: int, fails: int) -> int:
        argument, mask, values, wanted = test
        found, place = (holds, fails) if wanted else (fails, holds)
        for value in sorted({self.own_pid if value == OWN_PID else value for value in values}, reverse=True):
            place = self.jump(JUMP_EQUAL, value, found, place)
        if mask != WORD:
            self.write(AND, 0, 0, mask)
        return self.load(ARGUMENTS + 8 * argument)  # its low word, for both machines are little-endian


def install(program: bytes) -> None:
    """Put this process, and whatever it executes, under the filter for good. It can no longer gain privileges."""
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    number = SECCOMP[os.uname().machine]
    instructions = ctypes.cast(ctypes.c_char_p(program), ctypes.c_void_p).value
    filter = struct.pack("@HP", len(program) // 8, instructions)  # struct sock_fprog
    check(libc.syscall(number, SECCOMP_SET_MODE_FILTER, 0, filter), "seccomp")


def check(result: int, what: str) -> None:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def is_possible() -> str | None:
    """None if a filter can be installed here, or else why not."""
    if sys.platform != "linux":
        return f"system call filters are Linux's, this is {sys.platform}"
    machine = os.uname().machine
    if machine not in MACHINES:
        return f"no system call filter for {machine}, only for {' and '.join(MACHINES)}"
    if struct.calcsize("P") != 8:
        return f"this Python has 32 bits, the system call filter is for 64 bits of {machine}"
    action = struct.pack("=I", KILL_PROCESS)
    if libc.syscall(SECCOMP[machine], SECCOMP_GET_ACTION_AVAIL, 0, action) < 0:
        return f"the kernel refuses system call filters: {os.strerror(ctypes.get_errno())}"
    return None
