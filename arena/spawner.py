"""The spawner: a small process with a single thread that starts bots and ends them, and outlives no referee.

Theory of operation. The referee starts it as a program of its own and talks to it over a socket, its standard input,
one JSON object to a packet:

    {"start": KEY, "argv": [...], "env": {...}, "folder": "...", "cpus": [...]}   with four descriptors: the bot's
                                                      stdin, stdout and stderr, and a pipe for reports
    {"end": KEY}                                      kill that bot

It writes lines to the pipe for reports: {"pid": N} once, {"failed": "..."} if the program could not be executed,
{"unable": "..."} if there was no room for another process, and at the end {"status": wait status, "cpu_us": ...,
"rss_kb": ...}. The last line comes when nobody is left of the bot.

Nobody is left, because the spawner is the subreaper of all bots: whatever a bot leaves behind, daemons of other
sessions included, becomes a child of the spawner, which kills every child that is no bot whenever any child has ended.
When the referee goes, however it goes, the socket ends, and so do all bots. When the spawner itself is killed, the
kernel kills the bots (their parent-death signal; it follows a thread, and here there is only one).

Only the standard library, and little of it: it starts with `python -I -S`, and forks for each bot.
"""

import ctypes
import json
import os
import select
import signal
import socket

TYPE_CHECKING = False  # typing and contextlib would double the time to start
if TYPE_CHECKING:
    from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MOST_BYTES = 1 << 18

libc = ctypes.CDLL(None, use_errno=True)


class Child:
    """A bot that runs."""

    def __init__(self, pid: int, report: int) -> None:
        self.pid = pid
        self.report = report
        self.pidfd = os.pidfd_open(pid)  # it has not been waited for, so the number is still its own


def main() -> None:
    """Serve one referee until it goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    control = socket.socket(fileno=0)
    children: dict[int, Child] = {}
    poll = select.poll()
    poll.register(control, select.POLLIN)
    deaths = watch_deaths()
    poll.register(deaths, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == deaths:
                os.read(deaths, 4096)
                sweep({child.pid for child in children.values()})
            elif fd == control.fileno():
                packet, fds, _, _ = socket.recv_fds(control, MOST_BYTES, 4)
                for received in fds:  # recv_fds drops the flag for it, and no bot may have another's descriptors
                    os.set_inheritable(received, False)
                if not packet:
                    return end_all(children)
                obey(json.loads(packet), fds, children, poll)
            else:
                key = next(key for key, child in children.items() if child.pidfd == fd)
                poll.unregister(fd)
                bury(children.pop(key), children)


def watch_deaths() -> int:
    """A descriptor that is readable when some child has ended."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)  # or the next line would hear nothing
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read


def obey(request: "dict[str, Any]", fds: list[int], children: dict[int, Child], poll: "select.poll") -> None:
    if "end" in request:
        if request["end"] in children:
            kill(children[request["end"]])
        return
    *streams, report = fds
    spawner = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        tell(report, {"unable": error.strerror})
        for fd in fds:
            os.close(fd)
        return
    if pid == 0:
        become(request, streams, report, spawner)
    for fd in streams:
        os.close(fd)
    child = children[request["start"]] = Child(pid, report)
    poll.register(child.pidfd, select.POLLIN)


def become(request: "dict[str, Any]", streams: list[int], report: int, spawner: int) -> None:
    """In the forked process: turn into the bot."""
    try:
        signal.set_wakeup_fd(-1)
        tell(report, {"pid": os.getpid()})  # from here, so that it is known before the bot can say anything
        os.setsid()
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != spawner:  # it went before the line above
            os._exit(127)
        for target, fd in enumerate(streams):
            os.dup2(fd, target)
        for number in (
            signal.SIGCHLD,
            signal.SIGINT,
            signal.SIGPIPE,
            signal.SIGXFSZ,
        ):  # ignored here, and that would be inherited
            signal.signal(number, signal.SIG_DFL)
        if request["cpus"]:
            os.sched_setaffinity(0, request["cpus"])
        os.chdir(request["folder"])
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except BaseException as error:
        tell(report, {"failed": getattr(error, "strerror", None) or str(error)})
    finally:
        os._exit(127)


def kill(child: Child) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:  # it has not become a group leader yet
        os.kill(child.pid, signal.SIGKILL)


def bury(child: Child, children: dict[int, Child]) -> None:
    """The bot's process has ended: end what is left of its group and of its orphans, then report."""
    try:
        os.killpg(child.pid, signal.SIGKILL)  # not waited for yet, so nobody else can have this number
    except ProcessLookupError:
        pass
    _, status, usage = os.wait4(child.pid, 0)
    sweep({other.pid for other in children.values()})
    os.close(child.pidfd)
    spent = usage.ru_utime + usage.ru_stime
    tell(child.report, {"status": status, "cpu_us": round(spent * 1e6), "rss_kb": usage.ru_maxrss})
    os.close(child.report)


def sweep(bots: set[int]) -> None:
    """Kill every child that is no bot, and what these leave behind, until there is none."""
    while strangers := [pid for pid in own_children() if pid not in bots]:
        for pid in strangers:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def own_children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def end_all(children: dict[int, Child]) -> None:
    for child in children.values():
        kill(child)
    while children:
        _, child = children.popitem()
        bury(child, children)
    sweep(set())


def tell(report: int, line: "dict[str, Any]") -> None:
    try:
        os.write(report, json.dumps(line).encode() + b"\n")
    except OSError:
        pass  # nobody listens any more


if __name__ == "__main__":
    main()
