"""`arena play --debug`: who plays in which process, and how to attach a debugger to it."""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from arena.cli.terminal import is_terminal
from arena.texts import one_line

if TYPE_CHECKING:
    from arena.match.bot import Bot
    from arena.roster.entries import Entry

NO_CLOCK_MS = 86_400_000
"""A day, which nobody spends at one breakpoint."""
NATIVE = "gdb -p {pid}", "lldb -p {pid}"
WAYS: Mapping[str, Sequence[str]] = {
    "python": (
        "pdb: put this where the bot should stop:",
        "  import pdb; pdb.Pdb(stdin=open('{tty}'), stdout=open('{tty}', 'w')).set_trace()",
        "an editor: pip install debugpy, then  import debugpy; debugpy.listen(5678); debugpy.wait_for_client()",
    ),
    "javascript": ("kill -USR1 {pid}, then  node inspect 127.0.0.1:9229  or chrome://inspect",),
    "typescript": ("kill -USR1 {pid}, then  node inspect 127.0.0.1:9229  or chrome://inspect",),
    "go": ("dlv attach {pid}",),
    "java": (
        "jstack {pid} shows its threads. To step, add this after java in `command`:",
        "  -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005,quiet=y",
        "and run  jdb -attach 127.0.0.1:5005",
    ),
    "c": NATIVE,
    "c++": NATIVE,
    "rust": ("rust-gdb -p {pid}, of a build with debug information (`arena docs debugging rust`)", *NATIVE),
    "shell": ("add  set -x  to the script: stderr then has every command",),
}
"""How to attach, by the name of the language."""
ELSE = NATIVE


def wait_for_debugger(bots: "Sequence[Bot]") -> None:
    """Print the processes of the bots and how to attach to each, and wait until the user presses Enter."""
    from arena.roster.entries import is_built_in

    own = [bot for bot in bots if not is_built_in(bot.entry)] or bots
    for bot in own:
        typer.echo(f"{one_line(bot.entry.name)}: process {bot.number or 'has ended'}", err=True)
        for line in ways(bot.entry, bot.number or 0):
            typer.echo(f"  {line}", err=True)
    typer.echo("No clock, no sandbox. Set breakpoints, then press Enter here: the match begins.", err=True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # trio's would wait until Enter
    try:
        sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, before)


def ways(entry: "Entry", pid: int) -> list[str]:
    """How to debug this bot."""
    from arena.check.languages import guess

    return [way.format(pid=pid, tty=_terminal()) for way in WAYS.get(guess(entry).value, ELSE)]


def _terminal() -> str:
    """The terminal by a name that also works in a process of another session, where /dev/tty does not."""
    return os.ttyname(0) if is_terminal(sys.stdin) else "/dev/tty"
