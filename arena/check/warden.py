"""A program that runs a bot and reports the processes that it leaves behind: python -I -S warden.py TOKEN COMMAND...

The spawner kills all processes of a bot when the bot exits. That is right for matches, but hides from authors that
their bots rely on it. The warden runs between the two: orphans of the bot become its children. When the bot has exited,
the others get some time to follow; then the warden writes TOKEN and those that are left to stderr, and exits with the
bot's status. The spawner then kills the rest.
"""

import os
import signal
import sys
import time

if __name__ == "__main__":  # -I leaves out the folder that holds the arena
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from arena.sandbox import kernel

LEAVE_S = 1.0
"""How long the other processes may take to follow the bot."""
SHOWN = 5


def main() -> None:
    """Run the command, wait for it and for its orphans, and exit with its status."""
    token, *command = sys.argv[1:]
    kernel.prctl("subreaper", kernel.PR_SET_CHILD_SUBREAPER, 1)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    bot = os.fork()
    if bot == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        try:
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    for fd in (0, 1):  # these are the bot's
        os.close(fd)
    _, status = os.waitpid(bot, 0)
    if not all_follow(time.monotonic() + LEAVE_S):
        os.write(2, os.fsencode(f"\n{token} {'; '.join(map(named, children()[:SHOWN]))}\n"))
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def all_follow(deadline: float) -> bool:
    """Wait until no child is left. False if the deadline passes first."""
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                if time.monotonic() > deadline:
                    return False
        except ChildProcessError:
            return True
        left = deadline - time.monotonic()
        if left <= 0 or signal.sigtimedwait([signal.SIGCHLD], left) is None:
            return False


def children() -> "list[int]":
    """The pids of our children."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


def named(pid: int) -> str:
    """A process, as a reader should see it."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{pid} ({os.fsdecode(file.read().replace(bytes(1), b' ')).strip()[:80]})"
    except OSError:
        return str(pid)


if __name__ == "__main__":
    main()
