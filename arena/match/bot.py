"""A bot: a child process and the session with it. Nothing here waits; conversation.py does."""

import fcntl
import os
import shlex
import signal
import termios
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import trio

from arena.match.agenda import Heard
from arena.match.clock import cpu_clock
from arena.match.compiling import make_ready
from arena.match.excerpt import Excerpt
from arena.match.faults import Broken, FaultKind
from arena.match.launch import Command, Launcher, ProcessExit
from arena.roster.entries import Entry, is_built_in
from arena.roster.platforms import is_unbuilt
from arena.sandbox.cgroup import peak_kb
from arena.sandbox.policy import Tier
from protocol.errors import RemoteProtocolError
from protocol.messages import Decide, End, Message
from protocol.session import Role, Session, Stage

READ: Final = 1 << 16
READS: Final = 4
"""Reads of stderr at a time, because a bot can write faster than we read."""
READ_ANSWER: Final = 448
"""An answer has about thirty bytes. Python keeps memory for objects of up to 512 bytes: a longer buffer takes longer to
allocate than an answer to read."""
BUDGET: Final = 2 << 20
"""Bytes of stdout after one message of ours: twice the longest answer."""
STDERR_BUDGET: Final = 16 << 20
"""Bytes of stderr in one match."""
DIED: Final = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)
MUCH: Final = 0.4
NEARLY: Final = 0.75
"""Of its memory. A process that asks for a large block fails long before it has used all."""
NOT_BUILT: Final = "It has not been built"
MOST_UNREAD: Final = 16
"""Messages that are remembered, because a bot that hangs may not have read the last ones."""
PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR")
"""What a bot sees of our environment: what interpreters need to start, and no secrets."""


Listener = Callable[["Bot", str, object], None]
"""listener(bot, "<" or ">", message) sees every message that a bot sends (<) and receives (>); "!" comes with bytes of
its stderr, before the message that it wrote after them."""


def command(entry: Entry, cpus: tuple[int, ...] = ()) -> Command:
    """How a bot is started. One of ours that must be compiled is built first: LaunchError says why it cannot be."""
    make_ready(entry)
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    env |= dict(word.split("=", 1) for word in entry.env)
    return Command(entry.command, entry.folder, env, cpus, entry.limits.memory_mb, is_ours=is_built_in(entry))


def memory_at_death(how: ProcessExit, launcher: Launcher, entry: Entry, least: float) -> str:
    """How much memory a process had that died of a signal, if that was at least this part of what it may have.

    A program in C that does not ask whether malloc has failed is ended by SIGSEGV, not by the limit.
    """
    most_mb = min(entry.limits.memory_mb, launcher.policy.memory_mb)
    used_mb = max(how.rss_kb, how.peak_kb) >> 10
    if launcher.tier is Tier.NONE or how.signal not in DIED or used_mb < least * most_mb:
        return ""
    return f"with {used_mb} MB of the {most_mb} MB of memory that it may use"


def unread(pipe: int) -> int:
    """How many bytes are in a pipe that its other end has not read."""
    count = array("i", [0])
    with suppress(OSError):
        fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


class Bot:
    """A process that speaks the protocol."""

    def __init__(self, entry: Entry, launcher: Launcher, cpus: tuple[int, ...] = (), listener: Listener | None = None):
        self.entry = entry
        self._launcher = launcher
        self.process = launcher.start(command(entry, cpus))
        self.session = Session(Role.ARENA)
        self.stderr = Excerpt()
        self.drained = trio.Event()
        """Its stderr has ended."""
        self.is_gone = trio.Event()
        """Its process has ended, and the rest of its stderr can be read at once."""
        self.games: list[str] = []
        self.said_name = ""
        """The name in its hello."""
        self.version = entry.version
        self.failure: Broken | None = None
        """Why nothing more will come from it."""
        self.exit: ProcessExit | None = None
        self.is_listening = self.is_speaking = True
        self.is_frozen = False
        self.core: int | None = None
        """The only core that it may use, if there is one (arena/match/placement.py)."""
        self.was_late = False
        """Whether it let its time run out in its match."""
        self._told: deque[tuple[int, bytes]] = deque(maxlen=MOST_UNREAD)
        """The last messages before the end of the match, each with how much had been sent with it. As bytes, because a
        message that is kept keeps its view and its events: then they leave the caches of the core."""
        self._sent = 0
        self._is_owing = False
        self._listener = listener
        self._unsent = b""
        self._budget = BUDGET
        self._cpu_before = 0.0
        self._has_played = False

    def begin_match(self) -> None:
        """From now on its stderr belongs to a new match. What it wrote at its start belongs to its first match."""
        if self._has_played:
            self.stderr = Excerpt()
        self._has_played = True
        self.was_late = False
        self._cpu_before = self.cpu_s()

    def match_cpu_us(self) -> int:
        """The CPU time used since begin_match."""
        total = self.exit.cpu_us if self.exit else self.cpu_s() * 1e6
        return max(0, round(total - self._cpu_before * 1e6))

    # What we send

    def tell(self, message: Message) -> bool:
        """Send a message, as far as the pipe takes it now. Whether all of it is sent."""
        return self.write(self.word(message, {}))

    def word(self, message: Message, packed: dict[int, bytes]) -> bytes:
        """The bytes of the next message; none if it does not listen. Messages sent at the same time share `packed`."""
        if not self.is_listening:
            return b""
        if self.is_frozen:
            self.thaw()
        self._budget = BUDGET
        if self._listener:
            self.drain()
            self._listener(self, ">", message)
        frame = self.session.ask(message, packed) if isinstance(message, Decide) else self.session.send(message)
        self._sent += len(frame)
        if not isinstance(message, End):
            self._told.append((self._sent, frame))
            self._is_owing = True
        return frame

    def write(self, frame: bytes) -> bool:
        """Send these bytes, as far as the pipe takes them now. Whether everything is sent."""
        self._unsent += frame
        return self.tell_rest() if frame else True

    def tell_rest(self) -> bool:
        """Send what the pipe did not take. Whether all of it is sent now."""
        try:
            self._unsent = self._unsent[os.write(self.process.stdin, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.is_listening = False
            self._unsent = b""
        return not self._unsent

    @property
    def is_watched(self) -> bool:
        """Whether its stderr is wanted as soon as it comes."""
        return self._listener is not None

    @property
    def has_unsent(self) -> bool:
        return self.is_listening and bool(self._unsent)

    # What we hear

    def hear(self) -> Sequence[Heard]:
        """What can be read from its stdout now."""
        if self.failure is not None:
            return ()
        try:
            data = os.read(self.process.stdout, READ_ANSWER)
        except BlockingIOError:
            return ()
        if not data:
            self.is_speaking = False
            return ()
        self._budget -= len(data)
        self._is_owing = False
        answer = self.session.answer(data)
        if answer is None:
            return list(self._understand(data))
        if self._listener:
            self.drain()
            self._listener(self, "<", answer)
        return (answer,)

    def _understand(self, data: bytes) -> Iterator[Heard]:
        if self._listener:
            self.drain()
        try:
            for item in self.session.receive(data):
                if self._listener:
                    self._listener(self, "<", item)
                yield item
            if self._budget < 0:
                yield self.fail(FaultKind.FLOOD, f"more than {BUDGET} bytes on stdout where one answer is due")
        except RemoteProtocolError as error:
            if self._listener:
                self._listener(self, "<", data)
            yield self.fail(FaultKind.PROTOCOL, str(error))

    def hear_end(self) -> Iterator[Heard]:
        """The process has a report: if it has ended, all that is left to read, and how it ended."""
        self.exit = self.process.news()
        if self.exit is None:
            return
        for _ in range(BUDGET // READ_ANSWER + 2):  # more than fits into a pipe
            if self.is_speaking:
                yield from self.hear()
        yield self.failure or self._departed(self.exit)

    def _departed(self, how: ProcessExit) -> Broken:
        if how.failed is not None:
            where = f"{shlex.join(self.entry.command)!r} in {self.entry.folder}"
            return self.fail(FaultKind.NOT_STARTED, f"{where} {how}{self._unbuilt()}")
        used = memory_at_death(how, self._launcher, self.entry, MUCH)
        return self.fail(FaultKind.CRASH, f"it {how}{f', {used}' if used else ''}{self._cut_off()}")

    def _unbuilt(self) -> str:
        return f". {NOT_BUILT}: add --build" if is_unbuilt(self.entry) else ""

    def _cut_off(self) -> str:
        if self.session.stage is Stage.HELLO:
            return f" before it said hello{self._unbuilt()}"
        try:
            self.session.receive_end()
        except RemoteProtocolError as error:
            return f", and left this unfinished: {error}"
        return ""

    def fail(self, kind: FaultKind, text: str) -> Broken:
        """Note the failure, and end the process."""
        self.failure = Broken(kind, text)
        self.is_speaking = self.is_listening = False
        self.end()
        return self.failure

    def drain(self) -> int | None:
        """Read its stderr, up to a limit. How many bytes; None when it has ended."""
        before = self.stderr.total
        with suppress(BlockingIOError):
            for _ in range(READS):
                data = os.read(self.process.stderr, READ)
                if not data:
                    return None
                self.stderr.add(data)
                if self._listener:
                    self._listener(self, "!", data)
        if self.stderr.total > STDERR_BUDGET and self.failure is None:
            self.fail(FaultKind.FLOOD, f"more than {STDERR_BUDGET} bytes on stderr in one match")
        return self.stderr.total - before

    # Its process

    def freeze(self) -> None:
        """Stop it until it receives something, if its tier can do that."""
        if not self.is_frozen and self.exit is None:
            self.is_frozen = self.process.freeze()

    def thaw(self) -> None:
        self.is_frozen = False
        self.process.thaw()

    def keep_on(self, cores: Sequence[int]) -> bool:
        """Let it run on these cores only. Whether that is possible."""
        return self.process.keep_on(cores)

    @property
    def is_usable(self) -> bool:
        """Whether it can play another match."""
        is_there = self.failure is None and self.exit is None and self.is_listening
        return is_there and self.session.stage is Stage.LOBBY

    @property
    def number(self) -> int | None:
        """The number of its process; None if there is none yet, or none any more."""
        if self.process.pid is None:
            self.process.news()
        return None if self.exit else self.process.pid

    def cpu_s(self) -> float:
        """The CPU seconds it has used so far."""
        return cpu_clock(self.number) if self.number else 0.0

    def peak_kb(self) -> int:
        """The most memory that its control group has had; 0 if it has no group."""
        if self.exit:
            return self.exit.peak_kb
        return peak_kb(self.process.cgroup) if self.process.cgroup else 0

    def end(self) -> None:
        """Kill it, with all that it has started."""
        self.process.end()

    @property
    def is_hung(self) -> bool:
        """Whether it let its time run out, and has not said anything since."""
        return self.was_late and self._is_owing and self.failure is None and self.exit is None

    def plain_last(self) -> dict[str, Any] | None:
        """The message at which it failed, if it did, as on the wire: the last one before the end of its match.

        For a bot that hangs, the last one that it has read.
        """
        read = self._sent - unread(self.process.stdin) - len(self._unsent) if self.is_hung else self._sent
        last = next((frame for sent, frame in reversed(self._told) if sent <= read), None)
        return None if last is None else self.session.plain(last)

    @property
    def next_id(self) -> int:
        """The number of the next question to it."""
        return self.session.question + 1

    def close(self) -> None:
        """Close its descriptors, after it has ended."""
        self.is_speaking = self.is_listening = False
        self.process.close()
