"""A bot that attacks its arena, says what it got in the notes of its moves, and plays the first legal action.

    python3 -I -S hostile_bot.py ATTACK,ATTACK,...

With the answer to its N-th decision it makes the N-th attack; its note is what came of it, in JSON. Whom and what to
attack it reads from targets.json in its own folder. `witness` is the harmless one: a sibling to be attacked, which says
in each note how many signals have reached it; `witness,slow` takes 0.8 s for each of its first answers.

It is a program of its own: nothing but the standard library.
"""

import ctypes
import errno
import fcntl
import hashlib
import json
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import pairwise

HERE = os.path.dirname(os.path.abspath(__file__))
ATTACKS = sys.argv[1].split(",")
IS_WITNESS = ATTACKS[0] == "witness"
SLOW_S, SLOW_ANSWERS = 0.8, 3
SECRET = ctypes.create_string_buffer(b"what the witness knows")
TARGETS: dict = {}
MEGA = 1 << 20
FAR = b"x" * (8 * MEGA)
NUMBERS = {
    # on x86_64, on aarch64
    "clone": (56, 220), "vfork": (58, -1), "ptrace": (101, 117), "rt_sigqueueinfo": (129, 138), "pivot_root": (155, 41),
    "tgkill": (234, 131), "add_key": (248, 217), "keyctl": (250, 219), "unshare": (272, 97), "perf": (298, 241),
    "setns": (308, 268), "process_vm_readv": (310, 270), "kcmp": (312, 272), "bpf": (321, 280), "userfaultfd": (323, 282),
    "timer_create": (222, 107), "get_robust_list": (274, 100), "sched_getattr": (315, 275), "io_setup": (206, 0),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445), "mincore": (27, 232), "madvise": (28, 233),
    "preadv2": (327, 286), "cachestat": (451, 451), "readahead": (187, 213), "get_mempolicy": (239, 236),
    "shmget": (29, 194), "shmctl": (31, 195), "exit": (60, 93), "io_uring": (425, 425), "pidfd_getfd": (438, 438),
}  # fmt: skip
libc = ctypes.CDLL(None, use_errno=True)
STORM = bytes.fromhex(
    "5341544889fb4531e44885db7425bf000f010031f631d24531d24531c0b8380000000f054885c07411780849ffc448ffcbebd64c89e0415c5bc3"
    "31ff31f631d24531d2b80f0100000f05b83c0000000f05"
)
"""A function for x86_64: clone() that many threads, which need no stack as each sleeps in ppoll() and then exits."""
kept: list = []
"""What has to stay open, mapped or alive until the end."""


# The course of a match


def main():
    signals = []
    if IS_WITNESS:
        signal.signal(signal.SIGURG, lambda *_: signals.append(1))
        libc.prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)  # PR_SET_PTRACER_ANY, where Yama asks for it
    version = str(ctypes.addressof(SECRET))
    say(type="hello", protocol=1, name="hostile", version=version, games=["draftosaurus"])
    due = list(ATTACKS)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            say(type="ready")
        elif message["type"] == "decide":
            if IS_WITNESS:
                if "slow" in ATTACKS and message["id"] <= SLOW_ANSWERS:
                    time.sleep(SLOW_S)
                note = {"signals": len(signals)}
            else:
                note = attack(due.pop(0)) if due else {}
            say(type="move", id=message["id"], action=message["legal"][0], note=json.dumps(note))
        elif message["type"] == "bye":
            return


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def attack(name):
    with open(os.path.join(HERE, "targets.json")) as file:
        TARGETS.update(json.load(file))
    return {name: globals()[name]()}


def attempt(action, *arguments):
    """What it gives, `ok` if that is nothing; or the name of the error."""
    try:
        value = action(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    except (MemoryError, RuntimeError) as error:
        return type(error).__name__
    return "ok" if value is None else value


def done(_value):
    """What was given does not matter."""


def call(name, *arguments):
    number = NUMBERS[name][platform.machine() == "aarch64"]
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return checked(libc.syscall(ctypes.c_long(number), *words))


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


# Network


def network():
    def send(family, kind, address):
        with socket.socket(family, kind) as sock:
            sock.settimeout(2)
            if kind == socket.SOCK_STREAM:
                sock.connect(address)
                sock.sendall(b"hello from a bot")
            else:
                sock.sendto(b"hello from a bot", address)

    ways = {
        "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", TARGETS["tcp"])),
        "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", TARGETS["udp"])),
        "stream": (socket.AF_UNIX, socket.SOCK_STREAM, TARGETS["stream"]),
        "dgram": (socket.AF_UNIX, socket.SOCK_DGRAM, TARGETS["dgram"]),
        "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + TARGETS["abstract"]),
    }
    return {name: attempt(send, *way) for name, way in ways.items()}


def families():
    def make(family, kind):
        socket.socket(family, kind).close()

    made: set = set()
    errors: dict = {}
    for family in range(46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            result = attempt(make, family, kind)
            if result == "ok":
                made.add(family)
            else:
                errors[result] = errors.get(result, 0) + 1
    return {"made": sorted(made), "errors": errors, "pair": attempt(pair), "sent": attempt(send_descriptor)}


def pair():
    one, other = socket.socketpair()
    one.sendall(b"across")
    return other.recv(10).decode()


def send_descriptor():
    """What is on its way in a socket outlives who has sent it."""
    one, other = socket.socketpair()
    kept.extend((one, other))
    return socket.send_fds(one, [b"x"], [other.fileno(), 1])


# Files


def looks(paths):
    def look(path):
        if os.path.isdir(path):
            return len(os.listdir(path))
        with open(path, "rb") as file:
            return len(file.read(4096))

    return {name: attempt(look, path) for name, path in paths.items()}


def read():
    return looks(TARGETS["secrets"])


def processes_of_others():
    return looks(
        {
            f"{who}/{what}": f"/proc/{TARGETS[who]}/{what}"
            for who in ("arena", "sibling")
            for what in ("environ", "cmdline", "maps", "fd", "root", "cwd", "task")
        }
    )


def environment():
    """Who knows the secret of the arena's environment?"""

    def knows(path):
        with open(path, "rb") as file:
            return TARGETS["secret"].encode() in file.read()

    paths = (
        "/proc/self/environ",
        "/proc/1/environ",
        f"/proc/{os.getppid()}/environ",
        f"/proc/{TARGETS['arena']}/environ",
    )
    own = TARGETS["secret"] in json.dumps(dict(os.environ))
    return {"own": own, "keys": sorted(os.environ)} | {path.split("/")[2]: attempt(knows, path) for path in paths}


def write():
    def put(path):
        with open(path, "w") as file:
            file.write("a bot was here")

    def append(path):
        with open(path, "a") as file:
            file.write("# a bot was here\n")

    found = {name: attempt(put, path) for name, path in TARGETS["writes"].items()}
    found["append"] = attempt(append, os.path.join(HERE, "victim.txt"))
    found["cut"] = attempt(os.truncate, os.path.join(HERE, "victim.txt"), 0)
    found["rename"] = attempt(os.rename, os.path.join(HERE, "victim.txt"), os.path.join(HERE, "renamed.txt"))
    found["link"] = attempt(os.link, os.path.join(HERE, "other.txt"), os.path.join(HERE, "linked.txt"))
    found["delete"] = attempt(os.unlink, os.path.join(HERE, "other.txt"))
    found["scratch"] = attempt(put, os.path.join(os.environ.get("TMPDIR", "/tmp"), TARGETS["token"] + "-scratch"))
    return found


def metadata():
    path = TARGETS["secrets"]["league"]
    return {
        "chmod": attempt(os.chmod, path, 0o600),
        "chown": attempt(os.chown, path, os.getuid(), os.getgid()),
        "utime": attempt(os.utime, path, (1, 1)),
        "xattr": attempt(os.setxattr, path, "user.bot", b"was here"),
        "own": attempt(os.chmod, os.path.join(HERE, "hostile_bot.py"), 0o600),
    }


def fifo():
    """A pipe in a folder that two bots share."""

    def put():
        fd = os.open(os.path.join(HERE, "fifo"), os.O_WRONLY | os.O_NONBLOCK)
        os.write(fd, b"psst")

    return attempt(put)


def scratch():
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), TARGETS["token"] + "-fill")
    result = {"made": attempt(os.mkdir, folder), "mb": 0, "files": 0}
    if result["made"] != "ok":
        return result
    try:
        for number in range(TARGETS["fill_mb"] // 8):
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                result["mb"] += file.write(FAR) / MEGA
    except OSError as error:
        result["bytes"] = errno.errorcode[error.errno]
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")
    try:
        for number in range(TARGETS["fill_files"]):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
            result["files"] += 1
    except OSError as error:
        result["inodes"] = errno.errorcode[error.errno]
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")
    os.rmdir(folder)
    return result


def set_user_id():
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), TARGETS["token"] + "-suid")

    def make():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755))

    def open_with_bit():
        os.close(os.open(path + "2", os.O_CREAT | os.O_WRONLY, 0o4755))

    def mode():
        return oct(os.stat(path).st_mode & 0o7777)

    return {
        "make": attempt(make),
        "chmod": attempt(os.chmod, path, 0o4755),
        "open": attempt(open_with_bit),
        "mode": attempt(mode),
    }


def locks():
    def lock(command):
        file = open(os.path.join(HERE, "victim.lock"))  # noqa: SIM115 it has to stay open
        kept.append(file)
        command(file)

    return {
        "flock": attempt(lock, lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)),
        "posix": attempt(lock, lambda file: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)),
        "inotify": attempt(lambda: done(checked(libc.inotify_init1(0)))),
    }


# Processes


def processes():
    def fork(make=os.fork):
        pid = make()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)

    def run():
        subprocess.run(["/bin/true"], check=True)

    def spawn():
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)

    found = {
        "fork": attempt(fork),
        "clone": attempt(fork, lambda: call("clone", signal.SIGCHLD, 0, 0, 0, 0)),
        "subprocess": attempt(run),
        "posix_spawn": attempt(spawn),
    }
    if TARGETS["tier"] != "none":  # where it works, no Python survives it; the two above are vfork in glibc
        found["vfork"] = attempt(call, "vfork")
    return found


def bomb():
    """As many children as there may be."""
    count = 0
    try:
        while count < TARGETS["most_children"]:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            count += 1
    except OSError as error:
        return {"children": count, "error": errno.errorcode[error.errno]}
    return {"children": count}


def daemon():
    """A grandchild in a session of its own holds stdout open, and the bot goes."""
    result = attempt(os.fork)
    if isinstance(result, str):
        return result
    if result == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sleep", [TARGETS["token"] + "-daemon", "60"])
        os._exit(0)
    os.waitpid(result, 0)
    os._exit(0)


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(60)


def stubborn():
    for number in range(1, 65):
        with suppress(OSError, ValueError):  # some belong to the kernel or to the C library
            signal.signal(number, signal.SIG_IGN)
    time.sleep(60)


def descriptors():
    found = []
    for fd in range(3, 4096):
        try:
            os.fstat(fd)
        except OSError:
            continue
        found.append(fd)
    return found


def signals():
    def own_a_pipe(pid):
        read, write = os.pipe()
        kept.extend((read, write))
        fcntl.fcntl(read, fcntl.F_SETOWN, pid)
        fcntl.fcntl(read, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(write, b"x")

    def own_a_socket(pid):
        one, other = socket.socketpair()
        kept.extend((one, other))
        fcntl.ioctl(one, 0x8901, struct.pack("i", pid))  # FIOSETOWN

    def queue(pid):
        info = struct.pack("iii4xiIq96x", signal.SIGURG, 0, -1, os.getpid(), os.getuid(), 0)
        call("rt_sigqueueinfo", pid, int(signal.SIGURG), info)

    def by_descriptor(pid):
        signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGURG)

    ways = {
        "kill": lambda pid: os.kill(pid, signal.SIGURG),
        "group": lambda pid: os.killpg(pid, signal.SIGURG),
        "sigqueue": queue,
        "tgkill": lambda pid: done(call("tgkill", pid, pid, int(signal.SIGURG))),
        "pidfd": by_descriptor,
        "setown": own_a_pipe,
        "ioctl": own_a_socket,
    }
    found = {who: {name: attempt(way, TARGETS[who]) for name, way in ways.items()} for who in ("arena", "sibling")}
    found["parent"] = attempt(os.kill, os.getppid(), signal.SIGURG)
    found["spawner"] = attempt(os.kill, TARGETS["spawner"], signal.SIGURG)
    if TARGETS["tier"] != "none":  # there it would reach every process of the machine
        found["all"] = attempt(os.kill, -1, signal.SIGURG)
    return found


def spy():
    pid = TARGETS["sibling"]

    def trace():
        call("ptrace", 0x4206, pid, 0, 0)  # PTRACE_SEIZE
        call("ptrace", 0x4207, pid, 0, 0)  # PTRACE_INTERRUPT
        os.waitpid(pid, 0)
        call("ptrace", 17, pid, 0, 0)  # PTRACE_DETACH

    def read_by_call():
        there = ctypes.create_string_buffer(22)
        ours = struct.pack("PL", ctypes.addressof(there), 22)
        theirs = struct.pack("PL", TARGETS["sibling_secret"], 22)
        call("process_vm_readv", pid, ours, 1, theirs, 1, 0)
        return there.raw.decode()

    def read_by_file():
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            file.seek(TARGETS["sibling_secret"])
            return file.read(22).decode()

    return {
        "ptrace": attempt(trace),
        "readv": attempt(read_by_call),
        "mem": attempt(read_by_file),
        "getfd": attempt(lambda: done(call("pidfd_getfd", os.pidfd_open(pid), 1, 0))),
        "kcmp": attempt(lambda: done(min(0, call("kcmp", os.getpid(), pid, 0, 0, 0)))),
    }


def scheduling():
    pid, one = TARGETS["sibling"], {min(os.sched_getaffinity(0))}
    return {
        "nice": attempt(os.setpriority, os.PRIO_PROCESS, pid, 5),
        "nice of user": attempt(os.setpriority, os.PRIO_USER, 2_000_000_000, 5),
        "cores": attempt(os.sched_setaffinity, pid, one),
        "own cores": attempt(os.sched_setaffinity, 0, one),
        "limit": attempt(lambda: done(resource.prlimit(pid, resource.RLIMIT_NOFILE, (200, 200)))),
        "real time": attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)),
        "first": attempt(os.setpriority, os.PRIO_PROCESS, 0, -5),
    }


def watch_others():
    """What can be seen of a sibling's priority and of the time that it has thought."""
    pid = TARGETS["sibling"]
    clock, room = ~pid << 3 | 2, ctypes.create_string_buffer(64)
    return {
        "attributes": attempt(lambda: done(call("sched_getattr", pid, room, 56, 0))),
        "parameter": attempt(lambda: done(os.sched_getparam(pid))),
        "policy": attempt(lambda: done(os.sched_getscheduler(pid))),
        "nice": attempt(lambda: done(os.getpriority(os.PRIO_PROCESS, pid))),
        "session": attempt(lambda: done(os.getsid(pid))),
        "group": attempt(lambda: done(os.getpgid(pid))),
        "clock": attempt(lambda: done(time.clock_gettime(clock))),
        "resolution": attempt(lambda: done(time.clock_getres(clock))),
        "timer": attempt(lambda: done(call("timer_create", clock, 0, room))),
    }


def watch_oneself():
    """The same of oneself, by thread and by process, which runtimes do."""
    pid, room = os.getpid(), ctypes.create_string_buffer(64)
    clocks = [time.CLOCK_MONOTONIC, time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID, ~pid << 3 | 2]
    return {
        "attributes": attempt(lambda: done(call("sched_getattr", pid, room, 56, 0))),
        "policy": attempt(lambda: done(os.sched_getscheduler(0))),
        "nice": attempt(lambda: done(os.getpriority(os.PRIO_PROCESS, 0))),
        "session": attempt(lambda: done(os.getsid(0))),
        "limit": attempt(lambda: done(resource.prlimit(pid, resource.RLIMIT_NOFILE))),
        "clocks": attempt(lambda: done([time.clock_gettime(clock) for clock in clocks])),
        "thread": attempt(lambda: done(time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident())))),
    }


# Memory and time


def kernel_memory():
    """What the kernel keeps for a bot without counting it."""

    def in_a_pipe():
        read, write = os.pipe()
        kept.extend((read, write))
        return fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, MEGA)

    def force():
        socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, 32, 4 * MEGA)  # SO_SNDBUFFORCE

    def rules():
        ruleset = call("landlock_create_ruleset", struct.pack("=Q", 1), 8, 0)
        kept.append(ruleset)
        call("landlock_add_rule", ruleset, 1, struct.pack("=Qi", 1, os.open("/usr", os.O_PATH)), 0)

    return {
        "plain": attempt(in_sockets, 0, 1),
        "wide": attempt(in_sockets, 4 * MEGA, 1),
        "all": attempt(in_sockets, 4 * MEGA, TARGETS["sockets_mb"] * MEGA) >> 20,
        "in a pipe": attempt(in_a_pipe),
        "size of a pipe": attempt(fcntl.fcntl, kept[-1], 1032),  # F_GETPIPE_SZ
        "force": attempt(force),
        "rules": attempt(rules),
    }


def in_sockets(size, wanted):
    """How many bytes are in socket pairs with buffers of this size, when it is enough or there are no descriptors."""
    sockets: list = []
    sent = 0
    try:
        while sent < wanted:
            sockets += socket.socketpair()
            for sock in sockets[-2:]:
                sock.setblocking(False)
                if size:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
                with suppress(BlockingIOError):
                    while True:
                        sent += sock.send(FAR[:65536])
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
    for sock in sockets:
        sock.close()
    return sent


def asynchronous_io():
    """Some of what the whole machine shares; /proc shows on the other side whether it was got."""
    context = ctypes.c_ulong(0)
    return attempt(lambda: done(call("io_setup", 5000, ctypes.byref(context))))


def page_cache():
    """The calls that ask, or change, which pages of a file are in memory."""
    fd = os.open(os.path.join(HERE, "hostile_bot.py"), os.O_RDONLY)
    page, room = mmap.PAGESIZE, ctypes.create_string_buffer(mmap.PAGESIZE)
    mapped = mmap.mmap(fd, page, mmap.MAP_SHARED, mmap.PROT_READ)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(page), 1, mmap.MAP_SHARED, fd, ctypes.c_long(0))
    kept.append(mapped)
    vector = struct.pack("PL", ctypes.addressof(room), page)
    return {
        "advice": attempt(os.posix_fadvise, fd, 0, 0, os.POSIX_FADV_DONTNEED),
        "cold": attempt(lambda: done(call("madvise", address, page, 20))),
        "out": attempt(lambda: done(call("madvise", address, page, 21))),
        "mincore": attempt(lambda: done(call("mincore", address, page, room))),
        "nowait": attempt(lambda: done(call("preadv2", fd, vector, 1, 0, 0, 8))),
        "cachestat": attempt(lambda: done(call("cachestat", fd, struct.pack("QQ", 0, page), room, 0))),
        "readahead": attempt(lambda: done(call("readahead", fd, 0, page))),
        "harmless advice": attempt(os.posix_fadvise, fd, 0, 0, os.POSIX_FADV_SEQUENTIAL),
        "harmless": attempt(lambda: done(call("madvise", address, page, 4))),
    }


def memory():  # noqa: C901 it is a list
    """Megabytes, by each way to get them; what was got is given back."""
    cap, some = TARGETS["cap_mb"], 96 * MEGA

    def in_steps():
        got: list = []
        try:
            while len(got) * 8 < cap:
                got.append(bytearray(FAR))
        except MemoryError:
            pass
        return len(got) * 8

    def fill(mapped):
        for at in range(0, some, len(FAR)):
            mapped[at : at + len(FAR)] = FAR
        return some // MEGA

    def at_once():
        mmap.mmap(-1, cap * MEGA, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        return cap

    def shared():
        return fill(mmap.mmap(-1, some, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))

    def in_a_file():
        fd = os.memfd_create("x")
        os.ftruncate(fd, some)
        return fill(mmap.mmap(fd, some))

    def from_zero():
        return fill(mmap.mmap(os.open("/dev/zero", os.O_RDWR), some, mmap.MAP_SHARED))

    def as_a_stack():
        return fill(mmap.mmap(-1, some, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100))

    def in_a_child():
        pid = os.fork()
        if pid == 0:
            os._exit(fill(mmap.mmap(-1, some, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)) != some // MEGA)
        return some // MEGA if os.waitpid(pid, 0)[1] == 0 else 0

    def system_v():
        number = call("shmget", 0, some, 0o1600)
        call("shmctl", number, 0, 0)
        return some // MEGA

    ways = (in_steps, at_once, shared, in_a_file, from_zero, as_a_stack, in_a_child, system_v)
    return {way.__name__: attempt(way) for way in ways}


def made_read_only():
    """Fill memory, make it read-only, so that it is no `data` any more, and go on."""
    size, got = 4 * MEGA, 0
    while got < TARGETS["hidden_mb"]:
        try:
            mapped = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError:
            break
        mapped.write(FAR[:size])
        address = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
        checked(libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), mmap.PROT_READ))
        kept.append(mapped)
        got += size // MEGA
        if TARGETS["tier"] != "none":
            time.sleep(0.005)  # what is tested is that somebody looks, not how fast this machine is
    wait_for_the_end()
    return got


def wait_for_the_end():
    """Where there is somebody to bring it."""
    if TARGETS["tier"] != "none":
        time.sleep(20)


def headless():
    """The same, by a second thread after the first one has ended, and with it what /proc tells of the process."""
    if TARGETS["tier"] == "none":
        return made_read_only()  # a control that has to answer
    thread = threading.Thread(target=lambda: (time.sleep(0.1), made_read_only()))
    thread.start()
    call("exit", 0)
    return None


def page_tables():
    """Look at one byte of every second megabyte: read-only memory that costs a page of page tables each."""
    libc.mmap.restype = ctypes.c_void_p
    step, count = 2 * MEGA, TARGETS["tables_mb"] * MEGA // 4096
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
    start = libc.mmap(None, ctypes.c_size_t(step * count), mmap.PROT_READ, flags, -1, ctypes.c_long(0))
    for number in range(count):
        ctypes.c_char.from_address(start + step * number).value  # noqa: B018 to look is the attack
    wait_for_the_end()
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) >> 10 for line in file if line.startswith("VmPTE"))


def thread_storm():
    threading.stack_size(32768)
    started = 0
    end = threading.Event()
    try:
        while started < 300:
            threading.Thread(target=end.wait, args=(30,), daemon=True).start()
            started += 1
    except (RuntimeError, MemoryError):
        pass
    if started > 100:
        wait_for_the_end()
    end.set()
    return started


def clone_storm():
    """As many threads as there may be before anybody can look, and how many there are so far, on stderr."""
    if platform.machine() != "x86_64":
        return thread_storm()
    anything = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, anything)
    page.write(STORM)
    kept.append(page)
    start = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    started, last = 0, 100
    while started < TARGETS["most_threads"] and last == 100:
        last = start(100)
        started += last
        os.write(2, f"{started} ".encode())
    if started > TARGETS["threads"]:
        wait_for_the_end()
    return started


def sockets():
    """Megabytes in the buffers of sockets, which are the kernel's and nobody's memory."""
    got, letter = 0, b"x" * 65536
    for _ in range(60):
        one, other = socket.socketpair()
        kept.extend((one, other))
        with suppress(OSError):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        one.setblocking(False)
        with suppress(BlockingIOError):
            while got < TARGETS["kernel_mb"] * MEGA:
                got += one.send(letter)
    return got // MEGA


def spin(threads=1):
    """Nothing but work; in the control only a little more than the tiers allow."""
    for _ in range(threads - 1):
        threading.Thread(target=burn, daemon=True).start()
    burn()
    return round(time.process_time(), 1)


def burn():
    while time.process_time() < TARGETS["cpu_s"]:
        hashlib.sha256(FAR).digest()  # which lets other threads run


def spin_in_four_threads():
    return spin(4)


def spin_deaf_to_warnings():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    return spin(1)


# The clock

is_noisy = threading.Event()
worked: list = []
"""When threads went on with their work."""


def crowd(threads=4):
    """Threads that work, and one that writes a byte to stderr whenever the referee could sleep."""
    if not kept:
        threading.stack_size(1 << 16)
        for loop in (*[work_loudly] * threads, babble):
            kept.append(threading.Thread(target=loop, daemon=True))
            kept[-1].start()
    is_noisy.set()


def work_loudly():
    while is_noisy.wait():
        worked.append(time.monotonic())
        hashlib.pbkdf2_hmac("sha256", b"noise", b"noise", 2_000)  # which lets other threads run


def babble():
    while is_noisy.wait():
        os.write(2, b".")
        time.sleep(50e-6)


def crowd_and_stay_silent():
    """Make the referee late again and again, have it notice that, and then answer nothing."""
    crowd()
    time.sleep(0.4)
    os.write(1, b" ")
    time.sleep(600)


def crowd_and_think():
    """The same while it thinks; how long it has thought, in microseconds.

    A thought takes a millisecond. If it takes a hundred, the whole machine stood still, as a virtual one does now and
    then: then the referee could not count either.
    """
    thoughts = []
    began = late = time.monotonic()
    crowd()
    while late - began < 0.4:
        hashlib.pbkdf2_hmac("sha256", b"thought", b"thought", 1_000)
        early, late = late, time.monotonic()
        thoughts.append(late - early)
    is_noisy.clear()
    return round(sum(s for s in thoughts if s < 0.1) * 1e6)


def leave_threads_behind():
    """Threads that work on after the answer."""
    crowd()


def longest_rest():
    """For how long none of them did, up to the next question."""
    times = [*sorted(worked), time.monotonic()]
    is_noisy.clear()
    return max(late - early for early, late in pairwise(times))


# The kernel


def kernel():
    """Calls that only attackers make. What works for the control works in namespaces of its own."""
    spaces = 0x20000 if os.geteuid() == 0 else 0x10020000  # NEWNS, NEWUSER
    found = {
        "io_uring": attempt(lambda: done(call("io_uring", 1, bytes(120)))),
        "add_key": attempt(lambda: done(call("add_key", b"user", b"bot", b"x", 1, -2))),
        "keyctl": attempt(lambda: done(call("keyctl", 0, -3, 0, 0, 0))),
        "bpf": attempt(lambda: done(call("bpf", 0, struct.pack("IIIII", 2, 4, 4, 1, 0) + bytes(100), 72))),
        "userfaultfd": attempt(lambda: done(call("userfaultfd", 1))),
        "perf": attempt(lambda: done(call("perf", struct.pack("IIQQQQQ", 1, 112, 0, 0, 0, 0, 0x61) + bytes(64), 0, -1, -1, 0))),
        "unshare": attempt(lambda: done(call("unshare", spaces))),
    }  # fmt: skip
    if found["unshare"] == "ok" or TARGETS["tier"] != "none":
        attempt(lambda: checked(libc.mount(b"none", b"/", b"none", ctypes.c_ulong(0x44000), None)))
        found["mount"] = attempt(lambda: done(checked(libc.mount(b"none", b"/usr", b"tmpfs", ctypes.c_ulong(0), None))))
        found["setns"] = attempt(lambda: done(call("setns", os.open("/proc/self/ns/mnt", os.O_RDONLY), 0)))
        found["chroot"] = attempt(os.chroot, "/")
        os.chdir("/usr")
        found["pivot_root"] = attempt(lambda: done(call("pivot_root", b".", b".")))
    return found


def escapes():
    """What makes a terminal forget itself, on stderr, and then the end."""
    os.write(2, b"\x1b]0;pwned\x07\x1b[2J\x1b[31m\xc2\x9b31m\xff\xfe\x08\x08\rpwned\n")
    os._exit(3)


def who_am_i():
    def shadow():
        with open("/etc/shadow", "rb") as file:
            return len(file.read())

    return {"euid": os.geteuid(), "shadow": attempt(shadow)}


if __name__ == "__main__":
    main()
