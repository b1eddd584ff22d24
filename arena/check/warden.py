"""A program of its own that runs a bot and tells whom it leaves behind: python -I -S warden.py TOKEN COMMAND...

The spawner ends whatever a bot has started as soon as the bot ends. That is right for matches, and hides from authors
that their bots rely on it. The warden stands between the two: orphans of the bot become its children. When the bot has
ended, the others get a while to follow; then the warden writes to stderr who is left, after TOKEN, and ends as the bot
did. The spawner ends the rest, whatever tricks it knows.
"""

import os
import signal
import sys
import time

if __name__ == "__main__":  # -I leaves out the folder that holds the arena
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from arena.sandbox import kernel

LEAVE_S = 1.0
"""How long the others may take to follow the bot."""
SHOWN = 5


def main() -> None:
    """Run the command, wait for it and for its orphans, and end as it did."""
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
    """Wait until no child is left; False if the time is up first."""
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
    """Our children."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


def named(pid: int) -> str:
    """A process, for people."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{pid} ({os.fsdecode(file.read().replace(bytes(1), b' ')).strip()[:80]})"
    except OSError:
        return str(pid)


if __name__ == "__main__":
    main()
