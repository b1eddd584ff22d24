"""Where the control groups of bots may be: the group that was delegated to us, and how it is arranged.

Theory of operation. What is made below the group that we are in, called BASE here:

    BASE                  delegated to us, or the root of all groups
      arena-referees      processes that were in BASE before: a group with controllers may have no processes of its own
      arena-PID-N         one for each spawner, which holds a lock on it; a lock ends with its owner, however that ends
        1, 2, ...         the leaves of its bots (arena/sandbox/cgroup.py)

A group of systemd's is ours only if systemd has delegated it: the system's manager marks such groups, a user's does
not and is asked. Any other is ours if we may write there. What is in a delegated group is ours to arrange, so every
process of BASE moves to arena-referees; in the root of all groups, which may have processes and controllers, no process
is moved. Several spawners share one BASE: every step may be done twice, and one that comes too early, because another
process was just forked, is done again.

All of this is optional. Where it is not possible, `settle` says why, and the spawner's own checks must do.
"""

import errno
import fcntl
import os

from arena.sandbox import kernel
from arena.sandbox.cgroup import CONTROLLERS, Tree, make, read, remove, write

REFEREES = "arena-referees"
TREE = "arena-"
WEIGHT = 1000
"""Of the referees, ten times a bot's: a referee must not be late itself."""
SYSTEMD = (".scope", ".service", ".slice")
MARKS = ("user.delegate", "trusted.delegate")
"""What the system's manager writes on a group that it has delegated; the second is for root to read."""
ASK = ("systemctl", "--user", "show", "--property=Delegate", "--value", "--")
ATTEMPTS = 8


# Which group is ours


def find(groups: str, mounts: str) -> "tuple[str, str]":
    """The group that this process is in, as a folder, given its /proc/self/cgroup and mountinfo; and why there is none.

    The reason is one of Lack in arena/doctor/resources.py.
    """
    own = next((line[3:] for line in groups.splitlines() if line.startswith("0::")), "")
    for line in mounts.splitlines():
        words, _, kind = line.partition(" - ")
        root, point = words.split()[3:5]
        if kind.startswith("cgroup2 ") and own and "/.." not in own:
            below = own.removeprefix(root) if root != "/" and f"{own}/".startswith(f"{root}/") else own
            return f"{point}{below}".rstrip("/"), ""
    return "", "no version 2"


def is_root_of_all(group: str) -> bool:
    """Which may have processes and controllers. The root of a container's groups is none."""
    return not os.path.exists(f"{group}/cgroup.type")


def refusal(group: str) -> str:
    """Why we may not arrange this group, in a word; empty if we may."""
    if not os.access(group, os.W_OK):
        return "read-only" if os.geteuid() == 0 else "not delegated"
    if not os.access(f"{group}/cgroup.procs", os.W_OK) or not os.access(f"{group}/cgroup.subtree_control", os.W_OK):
        return "not delegated"
    if is_root_of_all(group) or not group.endswith(SYSTEMD) or os.path.isdir(f"{group}/{REFEREES}"):
        return ""  # in the last case another of us has found that it is delegated
    return "" if is_marked(group) or is_delegated_by_user(group) else "not delegated"


def is_marked(group: str) -> bool:
    for mark in MARKS:
        try:
            return os.getxattr(group, mark) == b"1"
        except OSError:
            continue
    return False


def is_delegated_by_user(group: str) -> bool:
    """What the manager of a user says of its own unit: in no version does it mark the group of one."""
    user = group.rpartition("/user@")[2].partition(".service/")[0]
    if not user.isdigit():
        return False
    read_end, write_end = os.pipe()
    words, environment = (*ASK, os.path.basename(group)), {"XDG_RUNTIME_DIR": f"/run/user/{user}"}
    streams = ((os.POSIX_SPAWN_DUP2, write_end, 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))
    try:
        pid = os.posix_spawnp(words[0], words, environment, file_actions=streams)
    except OSError:
        os.close(read_end)
        return False
    finally:
        os.close(write_end)
    with open(read_end, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return said == b"yes\n"


def base() -> "tuple[str, str]":
    """The group below which bots get theirs, and why there is none, in a word."""
    group, why = find(read("/proc/self/cgroup"), read("/proc/self/mountinfo"))
    if why:
        return "", why
    if os.path.basename(group) == REFEREES:  # another of us has arranged it
        group = os.path.dirname(group)
    why = refusal(group)
    return ("", why) if why else (group, "")


# The tree of one spawner


def settle() -> "tuple[Tree | None, str]":
    """A tree for this process, tried out; or why there is none."""
    group, why = base()
    if why:
        return None, why
    try:
        controllers = arrange(group)
        sweep(group)
        tree = plant(group, controllers)
    except OSError as error:
        return None, f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror)
    try:
        try_out(tree)
    except OSError as error:
        tree.close()
        return None, str(error.strerror)
    return tree, ""


def arrange(group: str) -> "tuple[str, ...]":
    """Empty a group of its processes and switch the controllers on that it has. Those that are on then."""
    offered = read(f"{group}/cgroup.controllers").split()
    wanted = [name for name in CONTROLLERS if name in offered]
    for _ in range(ATTEMPTS):
        if not is_root_of_all(group) and wanted:
            move_all(group, f"{group}/{REFEREES}")
        if switch_on(group, wanted):
            break
    on = read(f"{group}/cgroup.subtree_control").split()
    if "cpu" in on and os.path.isdir(f"{group}/{REFEREES}"):
        write(f"{group}/{REFEREES}/cpu.weight", str(WEIGHT))
    return tuple(name for name in wanted if name in on)


def move_all(group: str, target: str) -> None:
    try:
        make(target)
    except FileExistsError:
        pass
    for pid in read(f"{group}/cgroup.procs").split():
        try:
            write(f"{target}/cgroup.procs", pid)
        except ProcessLookupError:
            pass  # it has just ended


def switch_on(group: str, wanted: "list[str]") -> bool:
    """Switch on these controllers for the groups below, as far as possible. False: try again."""
    on = read(f"{group}/cgroup.subtree_control").split()
    for name in wanted:
        try:
            if name not in on:
                write(f"{group}/cgroup.subtree_control", f"+{name}")
        except OSError as error:
            if error.errno == errno.EBUSY:
                return False  # a process was forked here after all had moved
    return True


def plant(group: str, controllers: "tuple[str, ...]") -> Tree:
    """A tree of our own, locked. One that is swept away before we have locked it is made again."""
    for number in range(ATTEMPTS):
        path = f"{group}/{TREE}{os.getpid()}-{number}"
        try:
            make(path)
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except (FileExistsError, FileNotFoundError):
            continue
        if is_locked(lock) and os.path.isdir(path):
            switch_on(path, list(controllers))
            on = read(f"{path}/cgroup.subtree_control").split()
            return Tree(path, lock, tuple(name for name in controllers if name in on))
        os.close(lock)
    raise OSError(0, f"no group can be made: {group}")


def is_locked(fd: int) -> bool:
    """Whether it is ours from now on."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sweep(group: str) -> None:
    """Remove the trees of spawners that are gone."""
    for name in os.listdir(group):
        path = f"{group}/{name}"
        if not name.startswith(TREE) or name == REFEREES or not os.path.isdir(path):
            continue
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue  # another has been faster
        if is_locked(fd):
            fell(path)
        os.close(fd)


def fell(path: str) -> None:
    """Kill what is left in a tree without an owner, and remove it, as far as possible."""
    try:
        write(f"{path}/cgroup.kill", "1")
    except OSError:
        pass
    for name in os.listdir(path):
        if os.path.isdir(f"{path}/{name}"):
            remove(f"{path}/{name}")
    remove(path)


def try_out(tree: Tree) -> None:
    """Start a process in a leaf with the tightest limits that a bot can have."""
    cell = {"tier": "lite", "memory_mb": 16, "scratch_mb": 0, "threads": 1, "processes": 1}
    leaf = tree.leaf(cell)
    try:
        pid = kernel.clone(0, leaf.fd)
        if pid == 0:
            try:
                leaf.confirm()
                os._exit(0)
            finally:
                os._exit(1)
        if os.waitpid(pid, 0)[1]:
            raise OSError(0, "a process in a group of its own does not find itself there")
    finally:
        leaf.remove()
