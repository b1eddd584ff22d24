"""The control group of a bot, version 2: what the kernel counts for all its processes together.

Theory of operation. The kernel limits memory, tasks and cores for a group of processes, and counts what no limit of a
single process does: socket buffers, page tables, rules of Landlock. So each bot gets a group of its own, a leaf in the
tree of its spawner; `delegation` finds the place for that tree. A bot is born in its leaf (clone3), as to move a
process later takes the kernel milliseconds; its own process confirms the limits right before it becomes the bot.

    memory.max        memory_mb + scratch_mb + SLACK_MB: what the spawner's look allows too, and here all is counted
    memory.swap.max   0
    memory.oom.group  1: the bot ends as a whole, and its init with it
    pids.max          threads + processes, and one for the init of `full`
    cpu.weight        the same for all, so that a bot with sixty busy threads gets no more than its opponent

The layer is called `cgroup`, with the names of the controllers that are in force. Without any controller a leaf can
still be killed and frozen at one stroke.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTROLLERS = ("memory", "pids", "cpu")
BOT_WEIGHT = 100
"""What the kernel gives to every group."""
SLACK_MB = 16
"""What a bot may have beyond its memory, for what the limit on a process does not count: stacks, relocations."""
OPTIONAL = ("memory.swap.max",)
"""Not there in a kernel that does not count swap."""


class Tree:
    """The groups of one spawner."""

    def __init__(self, path: str, lock: int, controllers: "tuple[str, ...]") -> None:
        self.path = path
        self.controllers = controllers
        """Those that are in force in its leaves."""
        self._files = os.listdir(path)
        self._lock = lock
        self._made = 0
        self._left: list[str] = []
        """Leaves that still had processes when their bot had ended."""

    def leaf(self, cell: "dict[str, Any]") -> "Leaf":
        """A group for a bot, with its limits."""
        self._remove_left()
        self._made += 1
        wanted = limits(cell, self.controllers)
        for name in OPTIONAL:
            if name not in self._files:
                wanted.pop(name, None)
        return Leaf(self, f"{self.path}/{self._made}", wanted)

    def remove(self, leaf: str) -> None:
        self._left.append(leaf)
        self._remove_left()

    def _remove_left(self) -> None:
        self._left = [leaf for leaf in self._left if not remove(leaf)]

    def close(self) -> None:
        """Remove it. What cannot be removed now, because its processes are still ending, the next spawner removes."""
        self._remove_left()
        remove(self.path)
        os.close(self._lock)


class Leaf:
    """The group of one bot."""

    def __init__(self, tree: Tree, path: str, wanted: "dict[str, int]") -> None:
        self.path = path
        self._tree = tree
        self._wanted = wanted
        make(path)
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name, value in wanted.items():
                write(f"{path}/{name}", str(value))
        except OSError:
            self.remove()
            raise

    def confirm(self) -> str:
        """In the bot's own process: that it is here, and under these limits. The name of the layer."""
        if str(os.getpid()) not in self._see("cgroup.procs").split():
            raise OSError(0, "the bot is not in its control group")
        for file, value in self._wanted.items():
            if self._see(file) != f"{value}\n":
                raise OSError(0, f"{file} does not hold: {self._see(file).strip()} instead of {value}")
        return " ".join(("cgroup", *self._tree.controllers))

    def _see(self, file: str) -> str:
        """What a file of it holds, for one that may not see its path."""
        fd = os.open(file, os.O_RDONLY, dir_fd=self.fd)
        try:
            return os.read(fd, 4096).decode()
        finally:
            os.close(fd)

    def thaw(self) -> None:
        """A bot that is killed while it is frozen can end, but a frozen init cannot report how."""
        write(f"{self.path}/cgroup.freeze", "0")

    def end(self) -> None:
        """Kill all that are left in it, at one stroke."""
        write(f"{self.path}/cgroup.kill", "1")

    def account(self) -> "tuple[bool, int]":
        """Whether the kernel has killed a process here for its memory, and the most that it had, in KB; 0: unknown."""
        events = dict(line.split() for line in read(f"{self.path}/memory.events").splitlines())
        return int(events.get("oom_kill", 0)) > 0, peak_kb(self.path)

    def remove(self) -> None:
        os.close(self.fd)
        self._tree.remove(self.path)


def limits(cell: "dict[str, Any]", controllers: "tuple[str, ...]") -> "dict[str, int]":
    """What is written into which file of a leaf."""
    init = 1 if cell["tier"] == "full" else 0
    wanted = {
        "memory.max": (cell["memory_mb"] + cell["scratch_mb"] + SLACK_MB) << 20,
        "memory.swap.max": 0,
        "memory.oom.group": 1,
        "pids.max": cell["threads"] + cell["processes"] + init,
        "cpu.weight": BOT_WEIGHT,
    }
    return {name: value for name, value in wanted.items() if name.partition(".")[0] in controllers}


# For referees, who may freeze a bot that is not asked


def peak_kb(leaf: str) -> int:
    """The most memory that a leaf has had; 0: unknown."""
    peak = read(f"{leaf}/memory.peak").strip()
    return int(peak) >> 10 if peak.isdigit() else 0


def open_freezer(leaf: str) -> int:
    """A descriptor for `freeze`, given the folder of a leaf."""
    return os.open(f"{leaf}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)


def freeze(freezer: int, is_frozen: bool) -> None:
    """Stop all processes of a leaf, or let them go on. A frozen bot can be killed; its spawner thaws it then."""
    os.pwrite(freezer, b"1" if is_frozen else b"0", 0)


# Files


def read(path: str) -> str:
    """What a small file holds; nothing if it is not there."""
    try:
        with open(path, "rb", buffering=0) as file:
            return os.fsdecode(file.read())
    except OSError:
        return ""


def write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def make(path: str) -> None:
    os.mkdir(path)


def remove(path: str) -> bool:
    """Whether it is gone."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True
