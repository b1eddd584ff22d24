"""The root file system of a bot in the tier `full`: planned by the spawner, built by the process that becomes the bot.

After a fork, a process must copy all memory that it touches. So the spawner finds out everything that it can before the
fork, and what is the same for all bots only once.
"""

import os

from arena.sandbox import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
ETC = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/ssl/openssl.cnf",
)
ETC_FAMILIES = ("java", "python")
"""Debian keeps parts of these runtimes in /etc/java-17-openjdk, /etc/python3.11 ..."""
DEVICES = ("null", "full", "random", "urandom")
"""Not zero: what is mapped from it is memory that no limit counts."""
STREAMS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "fd/0", "/dev/stdout": "fd/1", "/dev/stderr": "fd/2"}
PASSWD = "/etc/passwd"
"""A file of the bot's own, which names only the bot."""
EMPTY_FOLDER, EMPTY_FILE = "/dev/empty", "/dev/nothing"
"""They cover the parts of a bot's folder that it does not see."""
SCRATCH = "/scratch"
NO_TRICKS = kernel.MS_NOSUID | kernel.MS_NODEV
ROOT = "/tmp"
"""Where the new root is built: a folder that every machine has."""


def system() -> "list[str]":
    """What every bot sees of the host, as far as it exists."""
    families = [f"/etc/{name}" for name in os.listdir("/etc") if name.startswith(ETC_FAMILIES)]
    return [*SYSTEM, *ETC, *families]


class RootPlan:
    """The places of a root file system, and which of them show what is there on the host.

    The paths come from strangers: what is not a plain absolute path is left out.
    """

    def __init__(self, paths: "Iterable[str]", base: "RootPlan | None" = None) -> None:
        """A plan for those of the paths that exist; given another plan, only what they add to it."""
        self.folders: list[str] = []
        self.files: list[str] = []
        self.links: dict[str, str] = {}
        self.shown: list[str] = []
        self._made: set[str] = {*base._made} if base else {"/"}
        self._covered: set[str] = {*base._covered} if base else set()
        """Paths below which everything is the host's."""
        self.is_lasting = True
        """Whether all paths existed and none was a link, so that a second plan would be the same."""
        for path in paths:
            self.is_lasting &= os.path.exists(path) and not os.path.islink(path)
            if is_plain(path) and os.path.lexists(path) and not self.has(path):
                self._show(path)

    def has(self, path: str) -> bool:
        """Whether it is planned, or is within something that is shown."""
        return path in self._made or any(path.startswith(f"{above}/") for above in self._covered)

    def make(self, *paths: str) -> None:
        """Plan folders, with those above them."""
        for path in paths:
            missing = []
            while path not in self._made:
                self._made.add(path)
                missing.append(path)
                path = os.path.dirname(path)
            self.folders += reversed(missing)

    def put(self, path: str) -> None:
        """Plan an empty file in a folder that is planned."""
        self._made.add(path)
        self.files.append(path)

    def link(self, path: str, target: str) -> None:
        """Plan a link in a folder that is planned."""
        self._made.add(path)
        self.links[path] = target

    def _show(self, path: str) -> None:
        """Plan a place for a file, folder or link of the host."""
        self.make(os.path.dirname(path))
        self._covered.add(path)
        if os.path.islink(path):
            self.link(path, os.readlink(path))
            return
        self.shown.append(path)
        if os.path.isdir(path):
            self.make(path)
        else:
            self.put(path)


def is_plain(path: str) -> bool:
    """Whether it is absolute and without detours, as `..` and `//`."""
    return path.startswith("/") and not path.startswith("//") and os.path.normpath(path) == path


def plan_system() -> RootPlan:
    """What is the same for all bots."""
    plan = RootPlan(system())
    plan.make("/dev", "/etc", "/proc", EMPTY_FOLDER, SCRATCH)
    for path in (PASSWD, EMPTY_FILE, *(f"/dev/{name}" for name in DEVICES)):
        plan.put(path)
    for path, target in STREAMS.items():
        plan.link(path, target)
    return plan


def plan_own(base: RootPlan, paths: "Iterable[str]") -> RootPlan:
    """What one bot sees in addition."""
    plan = RootPlan(paths, base)
    if not plan.has("/tmp"):  # unless the bot itself is there
        plan.link("/tmp", SCRATCH)
    return plan


def build(base: RootPlan, own: RootPlan, cell: "dict[str, Any]", covered: "list[str]", uid: int, gid: int) -> None:
    """Make the root of this process's mount namespace, for all who are at the old one.

    First come all places. When the first thing of the host is shown there, nothing is written any more: it is made
    read-only, all at one stroke; and then come the places to write.
    """
    os.umask(0o022)  # the bot must be able to read all of it, whatever its user is
    kernel.mount("none", "/", "none", kernel.MS_REC | kernel.MS_PRIVATE)
    # What is below /tmp will be covered, so open it first.
    held = {path: os.open(path, os.O_PATH | os.O_NOFOLLOW) for path in own.shown}
    kernel.mount("tmpfs", ROOT, "tmpfs", NO_TRICKS, "size=1m,nr_inodes=1024,mode=755")
    _furnish(base)
    _furnish(own)
    _name_bot(uid, gid)
    for path in base.shown:
        try:
            kernel.mount(path, ROOT + path, "none", kernel.MS_BIND | kernel.MS_REC)
        except FileNotFoundError:
            continue  # it has gone since it was planned
    for path, fd in held.items():
        kernel.mount(f"/proc/self/fd/{fd}", ROOT + path, "none", kernel.MS_BIND | kernel.MS_REC)
    for path in covered:
        _cover(ROOT + path)
    kernel.make_read_only(ROOT)
    for name in DEVICES:
        kernel.mount(f"/dev/{name}", f"{ROOT}/dev/{name}", "none", kernel.MS_BIND)
    size = f"size={cell['scratch_mb']}m,nr_inodes={cell['scratch_inodes']},mode=700,uid={uid},gid={gid}"
    kernel.mount("tmpfs", ROOT + SCRATCH, "tmpfs", NO_TRICKS, size)
    # Before the old root goes: the kernel gives a new /proc only to those who can see an old one.
    kernel.mount("proc", f"{ROOT}/proc", "proc", NO_TRICKS, "subset=pid")
    os.chdir(ROOT)
    kernel.pivot_root(".", ".")  # the old root is then mounted over the new one
    kernel.unmount(".")
    os.chdir("/")


def _cover(path: str) -> None:
    if os.path.lexists(path) and not os.path.islink(path):
        empty = EMPTY_FOLDER if os.path.isdir(path) else EMPTY_FILE
        kernel.mount(ROOT + empty, path, "none", kernel.MS_BIND)


def _furnish(plan: RootPlan) -> None:
    for path in plan.folders:
        os.mkdir(ROOT + path)
    for path in plan.files:
        os.mknod(ROOT + path, 0o644)
    for path, target in plan.links.items():
        os.symlink(target, ROOT + path)


def _name_bot(uid: int, gid: int) -> None:
    fd = os.open(ROOT + PASSWD, os.O_WRONLY | os.O_NOFOLLOW)
    os.write(fd, f"bot:x:{uid}:{gid}:bot:{SCRATCH}:/bin/false\n".encode())
    os.close(fd)
