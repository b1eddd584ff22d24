"""The walls around a bot, built between fork and exec.

Theory of operation. There are three tiers:

    none   a session of its own, and nothing else
    lite   Landlock, seccomp and resource limits: for machines that refuse namespaces
    full   a root file system of its own in namespaces of its own, then seccomp and resource limits

In `full` the process that the spawner starts is the first of a new pid namespace, its init: it forks the one that
builds the file system and becomes the bot, waits for it, and reports to the spawner how it ended. When init ends, the
kernel ends all processes of the namespace. The bot can then see: the system's programs and libraries, its own folder
and the folder of its interpreter, all read-only; a scratch space in memory; /proc with itself alone; four devices. It
has no network, and is not a user of the host: if root runs the arena, every bot has its own user number. Landlock is
there too, if the kernel has it, because a process can write into a named pipe of a read-only file system.

If a layer does not work, OSError is raised, and the bot is not started: that is the arena's fault, never the bot's. The
layers that were really set up are reported from inside, right before exec.
"""

import _signal as signal  # type: ignore[import-not-found]
import os
import resource

from arena.sandbox import kernel, landlock, root, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

ABOUT_MACHINE = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
"""Where runtimes look up the size of the machine, in `lite`; `full` has none of it.

Not /sys/fs/cgroup: it would show a bot how much memory and CPU time its opponents use."""
NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWCGROUP
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
)
FORKED = b"f"
"""A bot's process sends this first, so that the spawner knows its number. Init adds a wait status, four bytes."""
MEGA = 1 << 20
SPARE = 1024
"""Tasks that an ordinary user's other programs, other bots included, may start while a bot of `lite` runs: without
them it could not start a thread. A bot that uses them itself is ended at the next check."""
STEP, MOST_TASKS = 256, 1 << 20
"""The precision with which the tasks of a user are counted, and the limit."""


def start(request: "dict[str, Any]", streams: "list[int]", report: int, fates: "tuple[int, int]", tell: "Any") -> int:
    """Fork, in the tier of the request, and become the bot. The process number of the bot, or of its init.

    An init writes to the second of the `fates` what happens to the bot; the first is the spawner's end.
    """
    spawner = os.getpid()
    cell = request["cell"]
    group = request["leaf"].fd if request["leaf"] else None
    if cell["tier"] != "none" and os.geteuid() == 0:
        _forbid_capabilities()
    if cell["tier"] != "none":
        _filter(cell)  # which makes its template, for all bots to come
    if cell["tier"] == "lite" and cell["uid"] is None:
        cell["tasks"] = _tasks_of_user()
    if cell["tier"] != "full":
        pid = os.fork() if group is None else kernel.clone(0, group)
        if pid == 0:
            _guarded(_enter, request, streams, report, spawner, tell)
        return pid
    plans = _plan(), _plan(*cell["read"], request["folder"])
    flags = NAMESPACES if request["network"] is None else NAMESPACES & ~kernel.CLONE_NEWNET
    pid = kernel.clone(flags | (0 if os.geteuid() == 0 else kernel.CLONE_NEWUSER), group)
    if pid == 0:
        _guarded(_be_init, request, streams, report, fates, plans, tell)
    return pid


_counted: "list[int]" = [0]


def _tasks_of_user() -> int:
    """How many tasks this user has now, rounded up to whole steps; 0 if the kernel does not limit this user.

    No file has this number: /proc shows what this container may see, and the kernel counts for all of them. So ask for
    a process under one limit after the other, beginning with the last answer. There is nothing to execute at /.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    tasks = _counted[0]
    while _is_over(tasks, most):
        tasks += STEP
    while tasks and not _is_over(tasks - STEP, most):
        tasks -= STEP
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    _counted[0] = tasks
    return tasks


def _is_over(tasks: int, most: int) -> bool:
    """Whether this user has more tasks than these, so that there may be no other."""
    if tasks > (MOST_TASKS if most == resource.RLIM_INFINITY else most):
        return False  # something else keeps us from starting a process, and will say so
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, most))
    try:
        os.posix_spawn("/", ["/"], {})
    except BlockingIOError:
        return True
    except OSError:
        return False
    raise AssertionError("a folder has been executed")


_forbidden: "list[bool]" = []


def _forbid_capabilities() -> None:
    """The spawner of root's bots does it once, and they inherit it. It keeps those it has, as it executes nothing."""
    if not _forbidden:
        kernel.forbid_capabilities()
        _forbidden.append(True)


def _guarded(become: "Any", request: "dict[str, Any]", streams: "list[int]", report: int, *rest: "Any") -> "NoReturn":
    """In the new process: what goes wrong is reported, and nothing of the spawner's own code runs here."""
    tell = rest[-1]
    try:
        signal.set_wakeup_fd(-1)
        become(request, streams, report, *rest)
    except BaseException as error:
        tell(report, {"unable": f"{request['cell']['tier']} sandbox: {why(error)}"})
    finally:
        os._exit(127)


def why(error: BaseException) -> str:
    """The words of an error, and the file that it is about."""
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    path = getattr(error, "filename", None)
    return f"{words}: {path}" if path else str(words)


# Full


def _be_init(
    request: "dict[str, Any]",
    streams: "list[int]",
    report: int,
    fates: "tuple[int, int]",
    plans: "tuple[root.RootPlan, root.RootPlan]",
    tell: "Any",
) -> None:
    """The first process of the new namespaces: fork the one that becomes the bot, wait, report."""
    cell = request["cell"]
    spawners_end, fate = fates
    kernel.prctl("parent-death signal", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.close(spawners_end)  # if the spawner ended before the line above, the bot's first byte now has no reader
    os.setsid()
    if request["network"] is not None:
        kernel.enter_network(request["network"])
    os.chdir("/")  # who is there follows when another becomes the root
    uid, gid = _identity(cell)
    kernel.prctl("not dumpable", kernel.PR_SET_DUMPABLE, 0)
    bot = os.fork()  # as early as possible, because memory that init has touched by then is copied again
    if bot == 0:
        os.write(fate, FORKED)
        os.close(fate)
        os.setsid()
        kernel.libc.sethostname(b"arena", 5)
        root.build(*plans, cell, [f"{request['folder']}/{name}" for name in cell["covered"]], uid, gid)
        _go(request, streams, report, (uid, gid), tell)
    os.closerange(0, fate)
    kernel.close_from(fate + 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # else each stop of the bot would wake this process
    while True:
        pid, status = os.wait()
        if pid == bot:
            os.write(fate, status.to_bytes(4))
            os._exit(0)


_plans: "dict[tuple[str, ...], root.RootPlan]" = {}


def _plan(*own: str) -> root.RootPlan:
    """What a bot with these paths of its own sees; without paths, what all bots see. Made once, before the fork."""
    if own in _plans:
        return _plans[own]
    plan = root.plan_own(_plan(), own) if own else root.plan_system()
    if plan.is_lasting or not own:
        _plans[own] = plan
    return plan


def _identity(cell: "dict[str, Any]") -> "tuple[int, int]":
    """Who the bot will be: a number of its own if we are root, else ourselves, mapped into the new user namespace."""
    if cell["uid"] is not None:
        return cell["uid"], cell["uid"]
    uid, gid = cell["me"]
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    return uid, gid


# Every tier


def _enter(request: "dict[str, Any]", streams: "list[int]", report: int, spawner: int, tell: "Any") -> None:
    """`none` and `lite`: the forked process is the bot."""
    tell(report, {"pid": os.getpid()})  # from here, so that it is known before the bot can write anything
    os.setsid()
    kernel.prctl("parent-death signal", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != spawner:  # it went before the line above
        os._exit(127)
    uid = request["cell"]["uid"]
    _go(request, streams, report, None if uid is None else (uid, uid), tell)


def _go(
    request: "dict[str, Any]", streams: "list[int]", report: int, identity: "tuple[int, int] | None", tell: "Any"
) -> "NoReturn":
    """Give up everything that the tier takes away, report what is in force, and execute the bot."""
    for target, fd in enumerate(streams):
        os.dup2(fd, target)
    group = [request["leaf"].confirm()] if request["leaf"] else []
    report = _alone(report)
    try:
        layers = _give_up(request, identity)
        tell(report, {"layers": [*group, *layers]})
    except OSError as error:
        tell(report, {"unable": f"{request['cell']['tier']} sandbox: {why(error)}"})
        os._exit(127)
    try:
        _execute(request["argv"], request["env"])
    except OSError as error:
        tell(report, {"failed": error.strerror})
    os._exit(127)


def _execute(argv: "list[str]", env: "dict[str, str]") -> None:
    """As os.execvpe, which imports a module behind the walls, where the interpreter's library may be out of sight.

    A folder of PATH that is closed to the bot is passed over: it has no program that the bot could mean.
    """
    if "/" in argv[0]:
        os.execve(argv[0], argv, env)
    refused = None
    for folder in env.get("PATH", "").split(":"):
        path = os.path.join(folder, argv[0])
        try:
            os.execve(path, argv, env)
        except OSError as error:
            if os.path.lexists(path):
                refused = refused or error
    raise refused or FileNotFoundError(2, os.strerror(2))


def _give_up(request: "dict[str, Any]", identity: "tuple[int, int] | None") -> "list[str]":
    """The layers, by name, in the order in which they were put on."""
    cell = request["cell"]
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # not as the spawner has them
        signal.signal(number, signal.SIG_DFL)
    if request["cpus"]:
        os.sched_setaffinity(0, request["cpus"])
    if cell["tier"] == "none":
        os.chdir(request["folder"])
        return []
    parent = os.getppid()
    layers = ["namespaces", "private root"] if cell["tier"] == "full" else []
    layers += _limit(cell)
    layers += _drop(identity if cell["uid"] is not None else None)
    kernel.prctl("parent-death signal", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # a new user number takes it back
    if os.getppid() != parent:
        os._exit(127)
    os.chdir(request["folder"])
    if cell["tier"] == "lite" or landlock.is_possible() is None:
        layers.append(_fence(request))
    seccomp.install(_filter(cell))
    return [*layers, "seccomp"]


def _alone(report: int) -> int:
    """Close all descriptors but the first three and this one, which is not to survive exec."""
    if report != 3:
        os.dup2(report, 3, inheritable=False)
    kernel.close_from(4)
    return 3


def _filter(cell: "dict[str, Any]") -> bytes:
    """The seccomp program for this process."""
    return seccomp.build(os.uname().machine, cell["tier"] == "lite", cell["processes"] > 1, os.getpid())


def _limit(cell: "dict[str, Any]") -> "list[str]":
    """Resource limits, set and read back."""
    wanted = {
        "RLIMIT_DATA": cell["memory_mb"] * MEGA,  # never RLIMIT_AS, under which Go, Node and Java do not start
        "RLIMIT_CPU": cell["cpu_s"],
        "RLIMIT_NOFILE": cell["open_files"],
        "RLIMIT_FSIZE": cell["file_mb"] * MEGA,
        "RLIMIT_CORE": 0,
        # The main stack is not part of RLIMIT_DATA; and this is also the stack of each thread, which is.
        "RLIMIT_STACK": 8 * MEGA,
        "RLIMIT_SIGPENDING": 1024,  # an ordinary user's bots share the user's signals and timers
        "RLIMIT_MEMLOCK": 64 * 1024,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NICE": 0,
        "RLIMIT_RTPRIO": 0,
    }
    tasks = cell["threads"] + cell["processes"]
    if cell["uid"] is not None:
        wanted["RLIMIT_NPROC"] = tasks
    elif cell["tier"] == "full":
        wanted["RLIMIT_NPROC"] = tasks + 1  # for init, which is the same user
    elif cell["tasks"]:  # it counts all that the user runs
        wanted["RLIMIT_NPROC"] = tasks + cell["tasks"] + SPARE
    for name, value in wanted.items():
        number = getattr(resource, name)
        _, most = resource.getrlimit(number)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        both = (value, value)
        if name == "RLIMIT_CPU" and value != most:
            both = (value, value + 1)  # the first is a signal that has a name
        resource.setrlimit(number, both)
        if resource.getrlimit(number) != both:
            raise OSError(0, f"{name} does not hold")
    return ["limits"]


def _drop(identity: "tuple[int, int] | None") -> "list[str]":
    """Become this user, forever; None: stay the user that we are, which is not root."""
    if identity is None:  # or the spawner has done it; but a new user namespace would have undone that
        kernel.forbid_capabilities()
    else:
        uid, gid = identity
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    kernel.drop_capabilities()
    kernel.prctl("no new privileges", kernel.PR_SET_NO_NEW_PRIVS, 1)
    if kernel.prctl("no new privileges", kernel.PR_GET_NO_NEW_PRIVS) != 1:
        raise OSError(0, "no_new_privs does not hold")
    if 0 in os.getresuid():
        raise OSError(0, "the bot would still be root")
    return ["no capabilities" if identity is None else "own uid", "no new privileges"]


def _fence(request: "dict[str, Any]") -> str:
    """Landlock: read the system, the bot's folder and its interpreter; write nowhere, or into the scratch space."""
    if request["cell"]["tier"] == "full":
        landlock.restrict(["/"], [root.SCRATCH, "/dev/null"])
        return f"landlock {landlock.abi()}"
    read = [*root.system(), *ABOUT_MACHINE, "/proc/self", *(f"/dev/{name}" for name in root.DEVICES)]
    folder, covered = request["folder"], request["cell"]["covered"]
    own = _in_sight(folder, covered) if covered else [folder]
    landlock.restrict([*read, *request["cell"]["read"], *own], ["/dev/null"], [folder])
    return f"landlock {landlock.abi()}"


def _in_sight(folder: str, covered: "list[str]") -> "list[str]":
    """All in a folder but what is out of sight. A right to a link would be one to where it leads."""
    paths = [f"{folder}/{name}" for name in os.listdir(folder) if name not in covered]
    return [path for path in paths if not os.path.islink(path)]
