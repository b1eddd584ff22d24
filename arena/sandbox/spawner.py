"""The spawner: a small process with a single thread that starts bots and ends them, and outlives no referee.

Theory of operation. The referee starts it as a program of its own and talks to it over a socket, its standard input,
one marshalled dict to a packet:

    {"start": KEY, "argv": [...], "env": {...}, "folder": "...", "cpus": [...], "cell": {...}}
                      with four descriptors: the bot's stdin, stdout and stderr, and a pipe for reports
    {"end": KEY}      kill that bot

It writes dicts to the pipe for reports, each after its length in two bytes: {"pid": N}; {"layers": [...]}, what holds
the bot back, said by the bot's own process right before it executes the program; {"failed": "..."} if the program could
not be executed; {"unable": "..."} if there was no room for another process or a wall of its cell could not be built;
{"cgroup": "..."}, the folder of its control group, if it has one; {"over": "..."} if it was ended for using more of
something than its cell allows; {"killed": "..."} if another process has killed it: what is known of that; and last
{"status": wait status, "cpu_us": ..., "rss_kb": ..., "peak_kb": ...}, with the most memory that its group has had, 0
without a group. The last comes when no process of the bot is left.

The kernel's limits on the memory and threads of a process are not exact: pages that were filled and then made
read-only, page tables, and, for an ordinary user in `lite`, some threads are not counted. So the spawner looks at every
sandboxed bot from time to time, and ends the one that has too much. Where bots have control groups
(arena/sandbox/cgroup.py), the kernel itself counts everything, and ends the bot at once.

No process is left, because the spawner is the subreaper of all bots: whatever a bot leaves behind, also a daemon in
another session, becomes a child of the spawner, which kills every child that is not a bot whenever any child has ended.
When the referee goes, however it goes, the socket ends, and so do all bots. When the spawner itself is killed, the
kernel kills the bots (their parent-death signal; it follows a thread, and here there is only one).

Only the standard library, and little of it: it starts with `python -I -S`, and forks for each bot. That is also why it
speaks marshal, which is built in, where JSON would be read by more eyes: the Python at both ends is the same.
"""

import _signal as signal  # type: ignore[import-not-found]  # this and the next without their enums
import _socket as socket
import marshal
import os
import resource
import select
import time

from arena.sandbox import cell, delegation, kernel
from arena.sandbox.cgroup import SLACK_MB, read

TYPE_CHECKING = False  # typing and contextlib would double the time to start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from arena.sandbox.cgroup import Leaf, Tree

MOST_BYTES = 1 << 18
FDS_BYTES = socket.CMSG_SPACE(4 * 4)
UCRED_BYTES = socket.CMSG_SPACE(3 * 4)  # process, user and group of the sender
UIDS = 256
"""User numbers of the bots of one spawner."""
COUNTED = frozenset((b"RssAnon", b"RssShmem", b"Threads", b"VmPTE", b"VmSwap"))
"""Lines of /proc/PID/status."""
LOOK_S = 0.2
"""How often a sandboxed bot is looked at."""
OOM = "the kernel's out-of-memory killer has ended a process of this machine, more likely than not this one"
OTHERS = "the arena has not done it: another process, the bot itself or the kernel's out-of-memory killer has"


class Child:
    """A bot that runs, or the init of its sandbox."""

    def __init__(self, request: "dict[str, Any]", pid: int, report: int, fate: "socket.socket") -> None:
        self.cell = request["cell"]
        self.pid = pid
        self.bot = 0 if self.cell["tier"] == "full" else pid
        """The bot itself; 0 while its init has not forked it."""
        self.over = ""
        """What it had too much of."""
        self.is_killed = False
        """By us."""
        self.report = report
        self.fate = fate
        """Where the bot of an init says that it is there, and init how that ended."""
        self.pidfd = os.pidfd_open(pid)  # it has not been waited for, so the number is still its own
        self.bot_pidfd: int | None = None
        """The bot's, where that is a child of init."""
        self.leaf: Leaf | None = request["leaf"]
        self.network: int | None = request["network"]
        """Its network namespace, if another may have it afterwards."""
        if self.network is None and self.cell["tier"] == "full" and self.cell["uid"] is not None:
            self.network = open_network(pid)


class Spawner:
    """What runs, and what is waited for."""

    def __init__(self) -> None:
        self.control = socket.socket(fileno=0)
        self.children: dict[int, Child] = {}
        self._networks: list[int] = []
        """Namespaces of root's bots that have ended. To make and to clean up one takes the kernel longer than all other
        namespaces of a bot; and nothing is left in it, because sockets end with their processes, and a bot may not
        change anything else there. An ordinary user's belong to the user namespace of one bot, and end with it."""
        self._room = bytearray(MOST_BYTES)
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self.is_wanted = True
        self._next_look = 0.0
        self._tree: Tree | None = None
        """Where each bot gets a control group, if it can be had."""
        self._has_settled = False
        self._oom_kills = oom_kills()

    def run(self) -> None:
        """Serve one referee until it goes."""
        deaths = watch_deaths()
        self._await(self.control.fileno(), self.take_request)
        self._await(deaths, lambda: self.note_death(deaths))
        while self.is_wanted:
            held = [child for child in self.children.values() if child.cell["tier"] != "none"]
            for fd, _ in self._poll.poll(LOOK_S * 1000 if held else None):
                if fd in self._handlers:
                    self._handlers[fd]()
            self.look()
        self.end_all()

    def look(self) -> None:
        """End the bots that have more than they may."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + LOOK_S
        for child in self.children.values():
            if child.bot and not child.over and child.cell["tier"] != "none":
                child.over = excess(child)
                if child.over:
                    kill(child)

    def _await(self, fd: int, handler: "Callable[[], None]") -> None:
        self._handlers[fd] = handler
        self._poll.register(fd, select.POLLIN)

    def _forget(self, fd: int) -> None:
        if self._handlers.pop(fd, None):
            self._poll.unregister(fd)

    def take_request(self) -> None:
        cloexec = socket.MSG_CMSG_CLOEXEC  # no bot may have another's descriptors
        size, attached, _, _ = self.control.recvmsg_into([self._room], FDS_BYTES, cloexec)
        fds = [fd for _, _, data in attached for fd in memoryview(data).cast("i")]
        try:
            request = marshal.loads(memoryview(self._room)[:size]) if size else {}
        except (EOFError, TypeError, ValueError):  # it was cut off; the arena sees the pipes end
            for fd in fds:
                os.close(fd)
            return
        if "start" in request:
            self.start(request, fds)
        elif "end" in request:
            if request["end"] in self.children:
                kill(self.children[request["end"]])
        elif "quit" in request:
            if request["quit"] in self.children:
                ask_for_stack(self.children[request["quit"]])
        else:
            self.is_wanted = False

    def start(self, request: "dict[str, Any]", fds: "list[int]") -> None:
        """Start a bot. If that fails in any way, the others go on."""
        if len(fds) < 4:  # no descriptors are left; the arena sees these pipes end
            for fd in fds:
                os.close(fd)
            return
        *streams, report = fds
        request["network"] = self._networks.pop() if self._networks else None
        request["leaf"] = None
        try:
            self._start(request, streams, report)
        except Exception as error:
            tell(report, {"unable": cell.why(error)})
            os.close(report)
            self._take_back(request["network"])
            if request["leaf"]:
                request["leaf"].remove()
        for fd in streams:
            os.close(fd)

    def _start(self, request: "dict[str, Any]", streams: "list[int]", report: int) -> None:
        if request["cell"]["uid"] is not None:
            request["cell"]["uid"] = self._free_uid(request["cell"]["uid"], request["start"])
        tree = self._find_tree() if request["cell"]["tier"] != "none" else None
        if tree:
            request["leaf"] = tree.leaf(request["cell"])
            tell(report, {"cgroup": request["leaf"].path})
        fate, told = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        fate.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        pid = cell.start(request, streams, report, (fate.fileno(), told.fileno()), tell)
        told.close()
        child = self.children[request["start"]] = Child(request, pid, report, fate)
        self._await(child.pidfd, lambda: self.bury(request["start"]))
        self._await(fate.fileno(), lambda: self.find_bot(child))

    def _find_tree(self) -> "Tree | None":
        if not self._has_settled:
            self._has_settled = True
            self._tree, _ = delegation.settle()  # `arena doctor` shows why there is none
        return self._tree

    def _free_uid(self, first: int, key: int) -> int:
        """A number that no bot of any arena has, because all processes of a user share one limit of threads."""
        first += os.getpid() * UIDS
        taken = {child.cell["uid"] for child in self.children.values()}
        free = [uid for uid in range(first, first + UIDS) if uid not in taken]
        if not free:
            raise OSError(0, f"{UIDS} bots are running already")
        return free[key % len(free)]

    def find_bot(self, child: Child) -> None:
        """The bot of a sandbox with an init says that it is there: which process is it?"""
        try:
            _, attached, _, _ = child.fate.recvmsg(1, UCRED_BYTES)
        except BlockingIOError:
            return  # what there was to hear was for one whose descriptor had this number before
        self._forget(child.fate.fileno())
        for _, _, sender in attached:
            pid = memoryview(sender).cast("i")[0]
            if pid:
                tell(child.report, {"pid": pid})
                try:
                    child.bot_pidfd = os.pidfd_open(pid)
                except OSError:
                    continue  # it has just ended
                child.bot = pid

    def bury(self, key: int) -> None:
        """A bot's process has ended: end what is left of its group and of its orphans, then report."""
        child = self.children.pop(key)
        self._forget(child.pidfd)
        self._forget(child.fate.fileno())
        try:
            os.killpg(child.pid, signal.SIGKILL)  # not waited for yet, so no other process can have this number
        except ProcessLookupError:
            pass
        _, status, usage = os.wait4(child.pid, 0)
        told = last_word(child.fate)
        if told:  # it was an init, and knows how the bot ended; if it was killed, so was the bot
            status = int.from_bytes(told)
        is_oom, peak_kb = child.leaf.account() if child.leaf else (False, 0)
        if child.leaf:
            child.leaf.end()
        self.sweep()
        if child.leaf:
            child.leaf.remove()
        spent = usage.ru_utime + usage.ru_stime
        if is_oom:
            child.over = over_memory(child)
        child.over = child.over or excess_cpu(child, status, spent)
        if child.over:
            tell(child.report, {"over": child.over})
        elif is_killed_by_others(child, status):
            tell(child.report, {"killed": self._guess(child, max(peak_kb, usage.ru_maxrss))})
        used = {"cpu_us": round(spent * 1e6), "rss_kb": usage.ru_maxrss, "peak_kb": peak_kb}
        tell(child.report, {"status": status, **used})
        child.fate.close()
        for fd in (child.pidfd, child.report, child.bot_pidfd):
            if fd is not None:
                os.close(fd)
        self._take_back(child.network)  # no process is left: an init ends after all others of its namespace

    def _guess(self, child: Child, peak_kb: int) -> str:
        """Who may have killed a bot that none of us has killed, and whether it was over its own limit."""
        before, self._oom_kills = self._oom_kills, oom_kills()
        who = OOM if self._oom_kills > before else OTHERS
        if child.cell["tier"] == "none":
            return f"{who}; it had {peak_kb >> 10} MB of memory at most"
        return f"{who}; it had {peak_kb >> 10} MB of memory at most, and may have {child.cell['memory_mb']} MB"

    def _take_back(self, network: "int | None") -> None:
        if network is not None:
            self._networks.append(network)

    def note_death(self, deaths: int) -> None:
        os.read(deaths, 4096)
        self.sweep()

    def sweep(self) -> None:
        """Kill every child that is not a bot, and what these leave behind, until there is none."""
        bots = {child.pid for child in self.children.values()}
        while strangers := [pid for pid in children_of(os.getpid()) if pid not in bots]:
            for pid in strangers:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

    def end_all(self) -> None:
        for child in self.children.values():
            kill(child)
        for key in list(self.children):
            self.bury(key)
        self.sweep()
        if self._tree:
            self._tree.close()


def open_network(pid: int) -> "int | None":
    try:
        return os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    except OSError:
        return None  # it has just ended


def last_word(fate: "socket.socket") -> bytes:
    """What an init has said of its bot's end, if it has."""
    word = cell.FORKED
    while word == cell.FORKED:
        try:
            word = fate.recv(8)
        except BlockingIOError:
            return b""
    return word


def watch_deaths() -> int:
    """A descriptor that is readable when some child has ended."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)  # or the next line would hear nothing
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read


def kill(child: Child) -> None:
    """End a bot. Its init stays to report how it ended and what it used, and then ends with all that are left."""
    child.is_killed = True
    if child.leaf:
        child.leaf.thaw()
    try:
        if child.bot_pidfd is not None:
            signal.pidfd_send_signal(child.bot_pidfd, signal.SIGKILL)
            return
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended, or has not become a group leader yet
    signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)


def ask_for_stack(child: Child) -> None:
    """Send SIGQUIT, on which many runtimes print where they are; others end. Whoever asks for it kills the bot soon."""
    if child.leaf:
        child.leaf.thaw()
    try:
        signal.pidfd_send_signal(child.pidfd if child.bot_pidfd is None else child.bot_pidfd, signal.SIGQUIT)
    except ProcessLookupError:
        pass  # it has just ended


def excess(child: Child) -> str:
    """The limit that a bot exceeds, in words, if it does."""
    cell, family = child.cell, family_of(child.bot, child.cell["processes"])
    found = [status_of(pid) for pid in family]
    private = sum(f.get("RssAnon", 0) + f.get("VmSwap", 0) + f.get("VmPTE", 0) for f in found) >> 10
    shared = sum(f.get("RssShmem", 0) for f in found) >> 10
    memory = cell["memory_mb"] + SLACK_MB
    if private > memory or private + shared > memory + cell["scratch_mb"]:
        return over_memory(child)
    if sum(f.get("Threads", 0) for f in found) > cell["threads"] + cell["processes"]:
        return f"{cell['threads']} threads"
    return ""


def over_memory(child: Child) -> str:
    return f"{child.cell['memory_mb']} MB of memory"


def is_killed_by_others(child: Child, status: int) -> bool:
    return not child.is_killed and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def oom_kills() -> int:
    """How many processes of this machine the kernel has ended for want of memory."""
    lines = read("/proc/vmstat").partition("\noom_kill ")[2].split(maxsplit=1)
    return int(lines[0]) if lines else 0


def excess_cpu(child: Child, status: int, spent: float) -> str:
    """The same for a bot that the kernel has ended for its limit of CPU time, first with SIGXCPU, then with SIGKILL."""
    if child.cell["tier"] == "none" or child.is_killed or not os.WIFSIGNALED(status):
        return ""
    number, limit = os.WTERMSIG(status), child.cell["cpu_s"]
    # What the kernel counts for the limit are ticks, which can be far from what it says was spent.
    is_over = number == signal.SIGXCPU or (number == signal.SIGKILL and spent > limit / 2)
    return f"{limit} s of CPU time" if is_over else ""


def family_of(pid: int, processes: int) -> "list[int]":
    """A process and its descendants, if it may have any."""
    family = [pid]
    for parent in family if processes > 1 else []:
        for thread in threads_of(parent):
            family += children_of(parent, thread)  # the loop comes to them too
    return family


def status_of(pid: int) -> "dict[str, int]":
    """The numbers in /proc/PID/status: kilobytes, mostly. Where the main thread has ended, another one knows them."""
    for thread in (pid, *threads_of(pid)):
        try:
            with open(f"/proc/{pid}/task/{thread}/status", "rb", buffering=0) as file:
                lines = file.read().split(b"\n")
        except OSError:
            continue  # it has just ended
        pairs = (line.partition(b":") for line in lines)  # the first is its name, and may be anything
        numbers = {str(key, "ascii"): int(value.split()[0]) for key, _, value in pairs if key in COUNTED}
        if "RssAnon" in numbers:
            return numbers
    return {}


def threads_of(pid: int) -> "list[int]":
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def children_of(pid: int, thread: int = 0) -> "list[int]":
    try:
        with open(f"/proc/{pid}/task/{thread or pid}/children", "rb", buffering=0) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []  # it has just ended


def tell(report: int, line: "dict[str, Any]") -> None:
    try:
        packet = marshal.dumps(line)
        os.write(report, len(packet).to_bytes(2) + packet)
    except OSError:
        pass  # the arena does not read any more


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each bot takes five descriptors here
    kernel.prctl("subreaper", kernel.PR_SET_CHILD_SUBREAPER, 1)
    Spawner().run()
