"""The system calls that bots may make: one table, which `seccomp` turns into a filter.

Groups of system calls, each with its reason, the bots it is for, its answer, and what must hold of the arguments
(nothing, for most). Of the groups that name a call, the first one whose tests all hold decides. A call that no group
decides answers ENOSYS, as on a kernel that does not have it: runtimes know what to do then. Groups that refuse stand in
the table for two reasons only: another answer than ENOSYS, or a reason that must not be forgotten.

Registers have 64 bits, but of every argument that is looked at here the kernel heeds the low 32 only. So the low word
decides, and whatever is put into the high word changes nothing, here as there.

What a filter cannot see is what a pointer points to. Calls that hide such arguments are left out where runtimes fall
back (clone3, openat2), and the others' danger is met at its source: an unconnected socket could be sent from by sendmsg
to an address in memory, so only socket pairs that have a peer for life can be made.

The table was made from traces. `tests/attacks/runtimes/trace_calls.py` shows which calls of a program it refuses, and
`tests/golden/sandbox` what passes, call by call.
"""

from errno import EACCES, EINVAL, ENOPROTOOPT, ENOSYS, EOPNOTSUPP, EPERM

# Which bots a group is for: all; those with a process namespace of their own, or without; those that may fork.
ALL, FULL, LITE, FORK = "all", "full", "lite", "fork"

# These stand in the table for the process that the filter is built for, and for the clock of its CPU time.
OWN = OWN_PID, OWN_CLOCK = -1, -2

# Answers, as the program returns them. NOTHING pretends: the call returns 0, and nothing has happened.
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
NOTHING = 0

# A test is (argument, mask, values, wanted): it holds if "argument & mask is one of the values" is as wanted.
Test = tuple[int, int, tuple[int, ...], bool]
Call = tuple[str, int | None, int | None]  # name, number on x86_64, number on aarch64; None where there is none
ALWAYS: tuple[Test, ...] = ()
WORD = 0xFFFFFFFF


def one_of(argument: int, *values: int, mask: int = WORD) -> Test:
    return argument, mask, values, True


def no_bit(argument: int, bits: int) -> Test:
    return argument, bits, (0,), True


def some_bit_missing(argument: int, bits: int) -> Test:
    return argument, bits, (bits,), False


def all_bits(argument: int, bits: int) -> Test:
    return argument, bits, (bits,), True


class Group:
    """System calls that have the same answer for one reason."""

    __slots__ = ("answer", "calls", "reason", "tests", "tier")

    def __init__(self, answer: int, reason: str, tier: str, tests: tuple[Test, ...], calls: tuple[Call, ...]) -> None:
        self.answer = answer
        self.reason = reason
        self.tier = tier
        self.tests = tests
        self.calls = calls


def allow(reason: str, tier: str, tests: tuple[Test, ...], *calls: Call) -> Group:
    return Group(ALLOW, reason, tier, tests, calls)


def refuse(reason: str, tier: str, error: int, tests: tuple[Test, ...], *calls: Call) -> Group:
    return Group(ERRNO | error, reason, tier, tests, calls)


SETID = 0o6000
S_IFMT, S_IFIFO, S_IFREG = 0o170000, 0o010000, 0o100000
CREATES = 0o20000100  # O_CREAT, or the bit of its own of O_TMPFILE; without them open looks at no mode
O_NONBLOCK, O_CLOEXEC = 0o4000, 0o2000000
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW = 5, 6, 7, 36, 37, 38
TCGETS, TCGETS2, TIOCGPGRP, TIOCGWINSZ = 0x5401, 0x802C542A, 0x540F, 0x5413
FIONREAD, FIONBIO, FIONCLEX, FIOCLEX = 0x541B, 0x5421, 0x5450, 0x5451
AF_UNIX, SOL_SOCKET, MSG_OOB = 1, 1, 1
SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE = 1, 5, 0xF
SO_SNDBUF, SO_RCVBUF, SO_RCVTIMEO, SO_SNDTIMEO, SO_RCVTIMEO_NEW, SO_SNDTIMEO_NEW = 7, 8, 20, 21, 66, 67
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x01, 0x20, 0x100, 0x40000  # MAP_SHARED_VALIDATE is 0x03
MADV_DONTNEED, MADV_FREE, MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE, MADV_NOHUGEPAGE = 4, 8, 10, 11, 14, 15
MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK = 16, 17, 18, 19
MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_GUARD_INSTALL, MADV_GUARD_REMOVE = 22, 23, 102, 103
NORMAL, RANDOM, SEQUENTIAL, WILLNEED, NOREUSE = 0, 1, 2, 3, 5  # advice on files; the first four also on memory
CLONE_THREAD = 0x00010000
CLONE_NEW = 0x7E020000  # NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET; NEWTIME is for unshare and clone3 only
PRIVATE_BARRIERS = (0, 8, 16, 32, 64, 128, 256)  # query; expedited, of one process, and to register for it
PRIO_PROCESS = 0
PR_SET_NAME, PR_GET_NAME, PR_CAPBSET_READ, PR_GET_DUMPABLE, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK = 15, 16, 23, 3, 29, 30
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE = 38, 39, 41, 42
PR_SVE_SET_VL, PR_SVE_GET_VL, PR_PAC_RESET_KEYS, PR_SET_TAGGED_ADDR_CTRL, PR_GET_TAGGED_ADDR_CTRL = 50, 51, 54, 55, 56
PR_SET_VMA, PR_SET_PTRACER = 0x53564D41, 0x59616D61
# Clocks have small numbers. A negative one means a process or thread: its number, inverted, then three bits, of which
# the highest says that it is a thread, and the others what is counted.
CLOCKS = (0, 1, 2, 3, 4, 5, 6, 7, 11)  # real, monotonic, CPU of process and thread, raw, two coarse, boot, TAI
CLOCK_KIND, CPU_OF_PROCESS, CPU_OF_THREAD = 0x80000007, 0x80000002, 0x80000006
CPU_OF_PROCESS_0 = 0xFFFFFFFA  # which means oneself


def of_process(pid: int, meaning: int) -> int:
    """What one of OWN stands for in the filter of this process."""
    return pid if meaning == OWN_PID else ~pid << 3 & WORD | CPU_OF_PROCESS


# fmt: off
TABLE = (
    # -- descriptors and files ----------------------------------------------------------------------------------------
    allow(
        "read, write and close what is open: what every program does",
        ALL, ALWAYS,
        ("read", 0, 63), ("write", 1, 64), ("readv", 19, 65), ("writev", 20, 66), ("pread64", 17, 67),
        ("pwrite64", 18, 68), ("preadv", 295, 69), ("pwritev", 296, 70), ("lseek", 8, 62), ("close", 3, 57),
        ("close_range", 436, 436), ("dup", 32, 23), ("dup2", 33, None), ("dup3", 292, 24),
    ),
    allow(
        "look for programs, libraries and own files; the file system, or Landlock, says what is there",
        ALL, ALWAYS,
        ("stat", 4, None), ("fstat", 5, 80), ("lstat", 6, None), ("newfstatat", 262, 79), ("statx", 332, 291),
        ("access", 21, None), ("faccessat", 269, 48), ("faccessat2", 439, 439), ("readlink", 89, None),
        ("readlinkat", 267, 78), ("getdents", 78, None), ("getdents64", 217, 61), ("getcwd", 79, 17),
        ("chdir", 80, 49), ("fchdir", 81, 50), ("statfs", 137, 43), ("fstatfs", 138, 44),
    ),
    allow(
        "open files, without a mode",
        ALL, (no_bit(1, CREATES),),
        ("open", 2, None),
    ),
    allow(
        "or with one that has no set-user-ID and no set-group-ID bit",
        ALL, (no_bit(2, SETID),),
        ("open", 2, None),
    ),
    allow(
        "the same for openat",
        ALL, (no_bit(2, CREATES),),
        ("openat", 257, 56),
    ),
    allow(
        "the same for openat",
        ALL, (no_bit(3, SETID),),
        ("openat", 257, 56),
    ),
    allow(
        "the same for creat, which always creates",
        ALL, (no_bit(1, SETID),),
        ("creat", 85, None),
    ),
    allow(
        "make, change and copy files of the scratch space; elsewhere the file system, or Landlock, refuses it",
        ALL, ALWAYS,
        ("umask", 95, 166), ("mkdir", 83, None), ("mkdirat", 258, 34), ("rmdir", 84, None), ("unlink", 87, None),
        ("unlinkat", 263, 35), ("rename", 82, None), ("renameat", 264, 38), ("renameat2", 316, 276),
        ("link", 86, None), ("linkat", 265, 37), ("symlink", 88, None), ("symlinkat", 266, 36),
        ("truncate", 76, 45), ("ftruncate", 77, 46), ("fallocate", 285, 47), ("fsync", 74, 82),
        ("fdatasync", 75, 83), ("sendfile", 40, 71), ("copy_file_range", 326, 285),
    ),
    allow(
        "their times, which standard libraries copy with a file; in lite there are no files of one's own, and Landlock "
        "does not guard times",
        FULL, ALWAYS,
        ("utime", 132, None), ("utimes", 235, None), ("futimesat", 261, None), ("utimensat", 280, 88),
    ),
    allow(
        "and their modes, but no set-user-ID and no set-group-ID bit",
        FULL, (no_bit(1, SETID),),
        ("chmod", 90, None), ("fchmod", 91, 52),
    ),
    allow(
        "the same, where the mode is the third argument",
        FULL, (no_bit(2, SETID),),
        ("fchmodat", 268, 53), ("fchmodat2", 452, 452),
    ),
    refuse(
        "programs that copy files expect this answer where they may not set modes, times or owners",
        ALL, EPERM, ALWAYS,
        ("open", 2, None), ("openat", 257, 56), ("creat", 85, None),
        ("chmod", 90, None), ("fchmod", 91, 52), ("fchmodat", 268, 53), ("fchmodat2", 452, 452),
        ("utime", 132, None), ("utimes", 235, None), ("futimesat", 261, None), ("utimensat", 280, 88),
        ("chown", 92, None), ("fchown", 93, 55), ("lchown", 94, None), ("fchownat", 260, 54),
    ),
    refuse(
        "and this one from a file system without attributes; Landlock guards no attributes either",
        ALL, EOPNOTSUPP, ALWAYS,
        ("setxattr", 188, 5), ("lsetxattr", 189, 6), ("fsetxattr", 190, 7), ("getxattr", 191, 8),
        ("lgetxattr", 192, 9), ("fgetxattr", 193, 10), ("listxattr", 194, 11), ("llistxattr", 195, 12),
        ("flistxattr", 196, 13), ("removexattr", 197, 14), ("lremovexattr", 198, 15), ("fremovexattr", 199, 16),
    ),
    allow(
        "flags and copies of descriptors",
        ALL, (one_of(1, F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC),),
        ("fcntl", 72, 25),
    ),
    allow(
        "locks between the processes of a build",
        FORK, ALWAYS,
        ("flock", 73, 32),
    ),
    allow(
        "the same by fcntl",
        FORK, (one_of(1, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW),),
        ("fcntl", 72, 25),
    ),
    refuse(
        "bots could talk by locks, leases and notices on files that all can read, and by the sizes of pipes, whose sum "
        "the kernel bounds for each user; and by F_SETOWN a descriptor sends any signal to any process of the user",
        ALL, EPERM, ALWAYS,
        ("fcntl", 72, 25), ("flock", 73, 32),
        ("inotify_init", 253, None), ("inotify_init1", 294, 26), ("inotify_add_watch", 254, 27),
    ),
    allow(
        "whether a descriptor is a terminal, and how large; how much can be read; flags of descriptors",
        ALL, (one_of(1, TCGETS, TCGETS2, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX),),
        ("ioctl", 16, 29),
    ),
    refuse(
        "every driver has commands of its own; some of them send signals, type into terminals, or lock files for good",
        ALL, EPERM, ALWAYS,
        ("ioctl", 16, 29),
    ),

    # -- pipes, events and socket pairs -------------------------------------------------------------------------------
    allow(
        "wait for descriptors, as event loops do",
        ALL, ALWAYS,
        ("poll", 7, None), ("ppoll", 271, 73), ("select", 23, None), ("pselect6", 270, 72),
        ("epoll_create", 213, None), ("epoll_create1", 291, 20), ("epoll_ctl", 233, 21), ("epoll_wait", 232, None),
        ("epoll_pwait", 281, 22), ("epoll_pwait2", 441, 441), ("eventfd", 284, None), ("eventfd2", 290, 19),
        ("signalfd", 282, None), ("signalfd4", 289, 74), ("timerfd_settime", 286, 86), ("timerfd_gettime", 287, 87),
        ("pipe", 22, None),
    ),
    allow(
        "pipes by which threads wake each other, but none that carries the kernel's notices",
        ALL, (no_bit(1, WORD & ~(O_NONBLOCK | O_CLOEXEC)),),
        ("pipe2", 293, 59),
    ),
    allow(
        "pairs of unix sockets, for asyncio, trio and Java; a pair for datagrams could be reconnected to any address",
        ALL, (one_of(0, AF_UNIX), one_of(1, SOCK_STREAM, SOCK_SEQPACKET, mask=SOCK_TYPE)),
        ("socketpair", 53, 199),
    ),
    allow(
        "what is done with such a pair",
        ALL, ALWAYS,
        ("shutdown", 48, 210), ("getsockname", 51, 204), ("getpeername", 52, 205), ("getsockopt", 55, 209),
    ),
    allow(
        "send and receive by it, but nothing out of band, an unused part of the kernel with bugs",
        ALL, (no_bit(3, MSG_OOB),),
        ("sendto", 44, 206), ("recvfrom", 45, 207),
    ),
    allow(
        "the same, where the flags are the third argument",
        ALL, (no_bit(2, MSG_OOB),),
        ("recvmsg", 47, 212),
    ),
    allow(
        "time limits of a socket, which Rust sets by this",
        ALL, (one_of(1, SOL_SOCKET), one_of(2, SO_RCVTIMEO, SO_SNDTIMEO, SO_RCVTIMEO_NEW, SO_SNDTIMEO_NEW)),
        ("setsockopt", 54, 208),
    ),
    refuse(
        "socket buffers are memory that no limit counts; trio asks for small ones, and must believe that it got them",
        ALL, NOTHING, (one_of(1, SOL_SOCKET), one_of(2, SO_SNDBUF, SO_RCVBUF)),
        ("setsockopt", 54, 208),
    ),
    refuse(
        "the other options are those of networks, or programs for the kernel",
        ALL, ENOPROTOOPT, ALWAYS,
        ("setsockopt", 54, 208),
    ),
    refuse(
        "no network: no socket of any family, whether IP, unix, netlink or vsock; programs print `Permission denied`",
        ALL, EACCES, ALWAYS,
        ("socket", 41, 198), ("socketpair", 53, 199), ("connect", 42, 203), ("bind", 49, 200), ("listen", 50, 201),
        ("accept", 43, 202), ("accept4", 288, 242),
    ),
    refuse(
        "a descriptor that is on its way in a socket outlives its owner: files of the scratch space with their memory, "
        "pipes that others wait for the end of",
        ALL, EPERM, ALWAYS,
        ("sendmsg", 46, 211), ("sendmmsg", 307, 269), ("sendto", 44, 206), ("recvfrom", 45, 207), ("recvmsg", 47, 212),
    ),

    # -- memory -------------------------------------------------------------------------------------------------------
    allow(
        "memory of one's own, which RLIMIT_DATA counts",
        ALL, ALWAYS,
        ("munmap", 11, 215), ("mprotect", 10, 226), ("mremap", 25, 216), ("brk", 12, 214), ("msync", 26, 227),
    ),
    allow(
        "keys for it, by which V8 guards the code that it compiles",
        ALL, ALWAYS,
        ("pkey_mprotect", 329, 288), ("pkey_alloc", 330, 289), ("pkey_free", 331, 290),
    ),
    allow(
        "files and private memory; RLIMIT_DATA does not count shared anonymous memory, nor what passes for a stack; "
        "and the pool of huge pages belongs to the whole machine",
        ALL, (some_bit_missing(3, MAP_SHARED | MAP_ANONYMOUS), no_bit(3, MAP_GROWSDOWN | MAP_HUGETLB)),
        ("mmap", 9, 222),
    ),
    refuse(
        "the answer to all other memory",
        ALL, EPERM, ALWAYS,
        ("mmap", 9, 222),
    ),
    allow(
        "advice on memory that concerns this process alone; others would see what is made cold, paged out or merged",
        ALL,
        (one_of(2, NORMAL, RANDOM, SEQUENTIAL, WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_DONTFORK, MADV_DOFORK,
                MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK,
                MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_GUARD_INSTALL, MADV_GUARD_REMOVE),),
        ("madvise", 28, 233),
    ),
    allow(
        "advice on reading; DONTNEED takes a page of a file out of memory, which later matches could see",
        ALL, (one_of(3, NORMAL, RANDOM, SEQUENTIAL, WILLNEED, NOREUSE),),
        ("fadvise64", 221, 223),
    ),
    allow(
        "barriers between the threads of this process; others would make all processors stop for a moment",
        ALL, (one_of(0, *PRIVATE_BARRIERS),),
        ("membarrier", 324, 283),
    ),
    refuse(
        "the kernel's own answer to advice, flags and commands that it does not know",
        ALL, EINVAL, ALWAYS,
        ("madvise", 28, 233), ("fadvise64", 221, 223), ("pipe2", 293, 59), ("membarrier", 324, 283),
    ),
    refuse(
        "whether a page of a file is in memory outlives a match, and can be seen by all: no call shows it",
        ALL, ENOSYS, ALWAYS,
        ("mincore", 27, 232), ("cachestat", 451, 451), ("preadv2", 327, 286), ("pwritev2", 328, 287),
        ("readahead", 187, 213), ("sync_file_range", 277, 84),
    ),
    refuse(
        "files of memory, and pages lent to pipes: memory that no limit counts; runtimes then read and write",
        ALL, ENOSYS, ALWAYS,
        ("memfd_create", 319, 279), ("memfd_secret", 447, 447), ("splice", 275, 76), ("tee", 276, 77),
        ("vmsplice", 278, 75),
    ),
    refuse(
        "where memory lies is the kernel's to say; libraries for NUMA machines take this answer for a small machine",
        ALL, ENOSYS, ALWAYS,
        ("get_mempolicy", 239, 236), ("set_mempolicy", 238, 237), ("mbind", 237, 235), ("migrate_pages", 256, 238),
        ("move_pages", 279, 239),
    ),
    refuse(
        "locked memory; cryptographic libraries then go without",
        ALL, EPERM, ALWAYS,
        ("mlock", 149, 228), ("mlock2", 325, 284), ("mlockall", 151, 230), ("munlock", 150, 229),
        ("munlockall", 152, 231),
    ),

    # -- threads and processes ----------------------------------------------------------------------------------------
    allow(
        "threads, but no new namespaces: inside a user namespace of its own a bot would be root, and could mount",
        ALL, (all_bits(0, CLONE_THREAD), no_bit(0, CLONE_NEW)),
        ("clone", 56, 220),
    ),
    allow(
        "what threads need to start, wait for each other and end; futex_waitv and later are the newer forms of futex",
        ALL, ALWAYS,
        ("set_tid_address", 218, 96), ("set_robust_list", 273, 99), ("rseq", 334, 293), ("arch_prctl", 158, None),
        ("futex", 202, 98), ("futex_waitv", 449, 449), ("futex_wake", 454, 454), ("futex_wait", 455, 455),
        ("futex_requeue", 456, 456), ("sched_yield", 24, 124), ("gettid", 186, 178), ("getpid", 39, 172),
        ("exit", 60, 93), ("exit_group", 231, 94),
    ),
    allow(
        "become another program, as the bot itself does at its start, and wait for children, who may not exist",
        ALL, ALWAYS,
        ("execve", 59, 221), ("wait4", 61, 260), ("waitid", 247, 95),
    ),
    allow(
        "children, if the bot may have more than one process",
        FORK, ALWAYS,
        ("fork", 57, None), ("vfork", 58, None), ("setsid", 112, 157), ("setpgid", 109, 154),
    ),
    allow(
        "the same by clone",
        FORK, (no_bit(0, CLONE_NEW),),
        ("clone", 56, 220),
    ),
    allow(
        "become the user that one is, as make does before it starts a command; without capabilities there is no other",
        FORK, ALWAYS,
        ("setuid", 105, 146), ("setgid", 106, 144), ("setreuid", 113, 145), ("setregid", 114, 143),
        ("setresuid", 117, 147), ("setresgid", 119, 149),
    ),
    allow(
        "named pipes between the processes of a build, and files; devices are not allowed",
        FORK, (one_of(1, 0, S_IFIFO, S_IFREG, mask=S_IFMT | SETID),),
        ("mknod", 133, None),
    ),
    allow(
        "the same, where the mode is the third argument",
        FORK, (one_of(2, 0, S_IFIFO, S_IFREG, mask=S_IFMT | SETID),),
        ("mknodat", 259, 33),
    ),
    refuse(
        "one process, so that its limits are the bot's limits and no process is left when it ends",
        ALL, EPERM, ALWAYS,
        ("fork", 57, None), ("vfork", 58, None), ("clone", 56, 220), ("setsid", 112, 157), ("setpgid", 109, 154),
        ("unshare", 272, 97), ("setns", 308, 268),
    ),
    refuse(
        "what these would do is behind a pointer; runtimes then use clone and openat",
        ALL, ENOSYS, ALWAYS,
        ("clone3", 435, 435), ("openat2", 437, 437),
    ),

    # -- signals, timers and clocks -----------------------------------------------------------------------------------
    allow(
        "handle and await signals; restart_syscall goes on with a wait after a stop",
        ALL, ALWAYS,
        ("rt_sigaction", 13, 134), ("rt_sigprocmask", 14, 135), ("rt_sigreturn", 15, 139), ("rt_sigpending", 127, 136),
        ("rt_sigtimedwait", 128, 137), ("rt_sigsuspend", 130, 133), ("sigaltstack", 131, 132), ("pause", 34, None),
        ("restart_syscall", 219, 128),
    ),
    allow(
        "send signals; in a process namespace of its own there is only the bot",
        FULL, ALWAYS,
        ("kill", 62, 129), ("tkill", 200, 130), ("tgkill", 234, 131), ("rt_sigqueueinfo", 129, 138),
        ("rt_tgsigqueueinfo", 297, 240),
    ),
    allow(
        "send signals to oneself; the main thread has the number of its process",
        LITE, (one_of(0, OWN_PID),),
        ("kill", 62, 129), ("tkill", 200, 130), ("tgkill", 234, 131), ("rt_sigqueueinfo", 129, 138),
        ("rt_tgsigqueueinfo", 297, 240),
    ),
    refuse(
        "and to no other process",
        LITE, EPERM, ALWAYS,
        ("kill", 62, 129), ("tkill", 200, 130), ("tgkill", 234, 131), ("rt_sigqueueinfo", 129, 138),
        ("rt_tgsigqueueinfo", 297, 240),
    ),
    allow(
        "time, sleep and timers",
        ALL, ALWAYS,
        ("gettimeofday", 96, 169), ("time", 201, None), ("nanosleep", 35, 101), ("alarm", 37, None),
        ("setitimer", 38, 103), ("getitimer", 36, 102), ("timer_settime", 223, 110), ("timer_gettime", 224, 108),
        ("timer_getoverrun", 225, 109), ("timer_delete", 226, 111),
    ),
    allow(
        "by the clocks that all have, and that of the CPU time of this process",
        ALL, (one_of(0, *CLOCKS, CPU_OF_PROCESS_0, OWN_CLOCK),),
        ("clock_gettime", 228, 113), ("clock_getres", 229, 114), ("clock_nanosleep", 230, 115),
        ("timer_create", 222, 107), ("timerfd_create", 283, 85),
    ),
    allow(
        "by the clocks of threads, as Java does; the kernel gives only those of the own process",
        ALL, (one_of(0, CPU_OF_THREAD, mask=CLOCK_KIND),),
        ("clock_gettime", 228, 113), ("clock_getres", 229, 114), ("clock_nanosleep", 230, 115),
        ("timer_create", 222, 107),
    ),
    allow(
        "by the clocks of processes, where there are none but the bot's own",
        FULL, (one_of(0, CPU_OF_PROCESS, mask=CLOCK_KIND),),
        ("clock_gettime", 228, 113), ("clock_getres", 229, 114), ("clock_nanosleep", 230, 115),
        ("timer_create", 222, 107),
    ),
    refuse(
        "the clock of another process shows to the nanosecond how long it has thought",
        ALL, EINVAL, ALWAYS,
        ("clock_gettime", 228, 113), ("clock_getres", 229, 114), ("clock_nanosleep", 230, 115),
        ("timer_create", 222, 107), ("timerfd_create", 283, 85),
    ),

    # -- what a process may know and say of itself --------------------------------------------------------------------
    allow(
        "who one is and what one has used; how large and how busy the machine is, which sizes of heaps and pools need",
        ALL, ALWAYS,
        ("getppid", 110, 173), ("getuid", 102, 174), ("getgid", 104, 176), ("geteuid", 107, 175), ("getegid", 108, 177),
        ("getresuid", 118, 148), ("getresgid", 120, 150), ("getgroups", 115, 158), ("getpgrp", 111, None),
        ("uname", 63, 160), ("sysinfo", 99, 179), ("getrusage", 98, 165), ("times", 100, 153), ("getcpu", 309, 168),
        ("getrandom", 318, 278), ("getrlimit", 97, 163), ("setrlimit", 160, 164),
        ("sched_get_priority_max", 146, 125), ("sched_get_priority_min", 147, 126),
    ),
    allow(
        "the cores that one may use; of threads too, so of all processes, but only the arena sets them",
        ALL, ALWAYS,
        ("sched_getaffinity", 204, 123),
    ),
    allow(
        "limits, groups and priorities of oneself",
        ALL, (one_of(0, 0, OWN_PID),),
        ("prlimit64", 302, 261), ("getpgid", 121, 155), ("getsid", 124, 156), ("sched_getparam", 143, 121),
        ("sched_getscheduler", 145, 120), ("sched_getattr", 315, 275),
    ),
    allow(
        "the same, where the process is the second argument, and the first says what the number means",
        ALL, (one_of(0, PRIO_PROCESS), one_of(1, 0, OWN_PID)),
        ("getpriority", 140, 141),
    ),
    allow(
        "groups and priorities of one's threads and children, where there are no others",
        FULL, ALWAYS,
        ("getpgid", 121, 155), ("getsid", 124, 156), ("sched_getparam", 143, 121), ("sched_getscheduler", 145, 120),
        ("sched_getattr", 315, 275),
    ),
    refuse(
        "what others have is not the bot's to know, and which cores and priority it has itself is the arena's to say",
        ALL, EPERM, ALWAYS,
        ("prlimit64", 302, 261), ("getpgid", 121, 155), ("getsid", 124, 156), ("sched_getparam", 143, 121),
        ("sched_getscheduler", 145, 120), ("sched_getattr", 315, 275), ("getpriority", 140, 141),
        ("setpriority", 141, 140), ("sched_setaffinity", 203, 122), ("sched_setparam", 142, 118),
        ("sched_setscheduler", 144, 119), ("sched_setattr", 314, 274), ("ioprio_set", 251, 30),
    ),
    allow(
        "names of threads and of memory; huge pages, timer slack, vectors, pointer keys and tags of one's own; to give "
        "up privileges; to let a debugger in, which no bot can be",
        ALL,
        (one_of(0, PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_GET_DUMPABLE, PR_CAPBSET_READ, PR_SET_TIMERSLACK,
                PR_GET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE,
                PR_SVE_SET_VL, PR_SVE_GET_VL, PR_PAC_RESET_KEYS, PR_SET_TAGGED_ADDR_CTRL, PR_GET_TAGGED_ADDR_CTRL,
                PR_SET_PTRACER),),
        ("prctl", 157, 167),
    ),
    refuse(
        "a bot may not take back that it dies with its parent, nor hide how much memory it has, nor choose whom it "
        "shares a core or equal pages with",
        ALL, EPERM, ALWAYS,
        ("prctl", 157, 167),
    ),

    # -- left out on purpose ------------------------------------------------------------------------------------------
    refuse(
        "one number for the whole machine bounds asynchronous reads: bots could use it up, and talk by it",
        ALL, ENOSYS, ALWAYS,
        ("io_setup", 206, 0), ("io_destroy", 207, 1), ("io_submit", 209, 2), ("io_cancel", 210, 3),
        ("io_getevents", 208, 4), ("io_pgetevents", 333, 292),
    ),
    refuse(
        "io_uring does the work of other calls unseen by this filter; runtimes then use epoll",
        ALL, ENOSYS, ALWAYS,
        ("io_uring_setup", 425, 425), ("io_uring_enter", 426, 426), ("io_uring_register", 427, 427),
    ),
    refuse(
        "rules and filters of a bot's own are kernel memory that no limit counts; the arena has put up the walls",
        ALL, ENOSYS, ALWAYS,
        ("landlock_create_ruleset", 444, 444), ("landlock_add_rule", 445, 445), ("landlock_restrict_self", 446, 446),
        ("seccomp", 317, 277),
    ),
    refuse(
        "no look into other processes, and no handle on them",
        ALL, EPERM, ALWAYS,
        ("ptrace", 101, 117), ("process_vm_readv", 310, 270), ("process_vm_writev", 311, 271), ("kcmp", 312, 272),
        ("get_robust_list", 274, 100), ("pidfd_getfd", 438, 438),
    ),
    refuse(
        "runtimes then use process numbers",
        ALL, ENOSYS, ALWAYS,
        ("pidfd_open", 434, 434), ("pidfd_send_signal", 424, 424),
    ),
    refuse(
        "no other view of the file system",
        ALL, EPERM, ALWAYS,
        ("mount", 165, 40), ("umount2", 166, 39), ("pivot_root", 155, 41), ("chroot", 161, 51),
    ),
    refuse(
        "keyrings are shared by all processes of a user",
        ALL, EPERM, ALWAYS,
        ("add_key", 248, 217), ("request_key", 249, 218), ("keyctl", 250, 219),
    ),
    refuse(
        "large and often attacked parts of the kernel",
        ALL, EPERM, ALWAYS,
        ("bpf", 321, 280), ("perf_event_open", 298, 241), ("userfaultfd", 323, 282),
    ),
)
# fmt: on
