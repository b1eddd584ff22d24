"""A raw conversation with one bot process: it can send any bytes, and keeps everything it receives with its time.

A Probe reads in the background from the start of the process. Each message waits in an inbox until an exam asks for it
with `expect`, which returns the expected message or raises Failed with what came instead. A Probe starts the bot and
makes its frames as a match does (arena/match/bot.py, protocol/session.py), but an exam can change what is sent: `twist`
changes messages, `pieces` cuts frames, `write` takes any bytes.

A bot cannot fill the examiner's memory: a Probe counts the bytes and messages that follow one message of ours, keeps
only the beginning and the end of stderr, and kills a bot that writes too much.
"""

import fcntl
import os
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import trio

from arena.check.remedies import lacks_memory
from arena.errors import LaunchError
from arena.match.bot import BUDGET, MUCH, NEARLY, READ, STDERR_BUDGET, command, memory_at_death, unread
from arena.match.clock import TimeControl, now
from arena.match.company import KILL_S
from arena.match.conversation import GRACE_S
from arena.match.excerpt import Excerpt
from arena.match.launch import Launcher, ProcessExit
from arena.match.telling import telling
from arena.roster.entries import Entry
from protocol.codec import JsonCodec
from protocol.errors import ErrorKind, RemoteProtocolError
from protocol.messages import Decide, Hello, Message, Move, Plain, Ready, Start, to_wire
from protocol.session import Refused, Role, Session, Stale

HELLO_S = TimeControl().hello_ms / 1000
PATIENCE_S = 5.0
"""How long the examiner waits for `ready` and for moves where no clock is examined."""
FLUSH_S = 1.5
"""How long after its stdin is closed a process may take to exit, which flushes its buffers."""
STACK_S = 1.0
"""How long a process that hangs may take to print its stack."""
TAKEN_S = 1.0
"""How long a message may stay unread before the next one is sent anyway."""
MOST_ITEMS = 1000
"""Messages that may follow one message of ours."""
PACE_S = 0.0005
"""Between pieces of a frame."""
PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
SHOWN = 60
READABLE = re.compile(r"b['\"](?:[^\\]|\\[nrt]){4}")
"""Quoted bytes that begin with text, and not with a length that happens to have letters in it."""
NO_TEXT = "If the bot prints nothing: the length of a frame must be big-endian, and counts only the payload."

T = TypeVar("T", Hello, Ready, Move)


class Failed(Exception):
    """The bot did not do what was expected: `kind` is the id of a finding. `fatal`: the conversation is over."""

    def __init__(self, kind: str, seen: str, fatal: bool = True, stderr: str = "", advice: str = "") -> None:
        super().__init__(seen)
        self.kind = kind
        self.seen = seen
        self.fatal = fatal
        self.stderr = stderr
        self.advice = advice
        self.where: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Flood:
    """It wrote far too much: the id of the finding, and what was seen."""

    kind: str
    seen: str


Item = Message | Stale | Refused | RemoteProtocolError | ProcessExit | LaunchError | Flood


def whole(data: bytes) -> Sequence[bytes]:
    """A frame in one piece."""
    return [data]


class Probe:
    """A bot under examination."""

    def __init__(self, entry: Entry, launcher: Launcher, hello_s: float = HELLO_S) -> None:
        self.entry = entry
        self.launcher = launcher
        self.hello_s = hello_s
        """How long it may take to start."""
        self.ready_s = PATIENCE_S * hello_s / HELLO_S
        self.process = launcher.start(command(entry))
        self.began = now()
        self.session = Session(Role.ARENA)
        self.stderr = Excerpt()
        self.stderr_before = 0
        """Its bytes before the current match."""
        self.twist: Callable[[Plain], Plain] | None = None
        """Changes every message before it is sent."""
        self.pieces: Callable[[bytes], Sequence[bytes]] = whole
        """Cuts what is sent; each piece is a write of its own."""
        self.asked_at = 0.0
        self.answered_twice: int | None = None
        """A question that got two answers."""
        self.exit: ProcessExit | None = None
        self.dismissed = trio.Event()
        """Set when no exam needs it any more."""
        self.heard = trio.Event()
        """Set when something has come from it: a message, an error, its exit."""
        self._answered = 0
        self._inbox: deque[tuple[float, Item]] = deque()
        self._news = trio.Event()
        self._mute = trio.Event()
        self._budget, self._items = BUDGET, MOST_ITEMS
        self._is_listening = True

    # What we send

    def frame(self, message: Message) -> bytes:
        """The bytes of a message as a match sends it, unless the exam twists it."""
        session = self.session
        if isinstance(message, Start):
            message = replace(message, tune=self.entry.values or None)
        frame = session.ask(message, {}) if isinstance(message, Decide) else session.send(message)
        if self.twist is None:
            return frame
        assert session.codec is not None, "it has said hello"
        return session.codec.encode(self.twist(to_wire(message)))

    @property
    def next_id(self) -> int:
        """The id of the next question, if it does not leave a gap."""
        return self.session.question + 1

    async def say(self, *messages: Message) -> None:
        """Send these messages in one write, or in the pieces that the exam wants."""
        frames = b"".join([self.frame(message) for message in messages])
        pieces = self.pieces(frames)
        for i, piece in enumerate(pieces):
            if i:
                await trio.sleep(PACE_S)  # so that the bot reads the pieces one by one
            await self.write(piece)

    async def write(self, data: bytes) -> None:
        """Send these bytes. A bot that does not read them in time has hung."""
        self._budget, self._items = BUDGET, MOST_ITEMS
        with trio.move_on_after(PATIENCE_S):
            while data and self._is_listening:
                try:
                    data = data[os.write(self.process.stdin, data) :]
                except BlockingIOError:
                    await trio.lowlevel.wait_writable(self.process.stdin)
                except BrokenPipeError:
                    self._is_listening = False
            self.asked_at = now()
            return
        raise self.failed("hang", f"it did not read for {PATIENCE_S:g} s, with {len(data)} bytes left to read")

    async def taken(self) -> None:
        """Wait until the bot has read what was sent, so that it reads the next message separately.

        A pipe of one page that holds anything is full, and the kernel reports when it is not. This does not wait for
        messages of more than a page.
        """
        with suppress(OSError):
            size = fcntl.fcntl(self.process.stdin, fcntl.F_GETPIPE_SZ)
            fcntl.fcntl(self.process.stdin, fcntl.F_SETPIPE_SZ, PAGE_KB * 1024)
            with trio.move_on_after(TAKEN_S):
                await trio.lowlevel.wait_writable(self.process.stdin)
            fcntl.fcntl(self.process.stdin, fcntl.F_SETPIPE_SZ, size)

    def hang_up(self) -> None:
        """Close its stdin. We keep the descriptor, so that its number is not used again."""
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        trio.lowlevel.notify_closing(self.process.stdin)
        os.dup2(null, self.process.stdin, inheritable=False)
        os.close(null)
        self._is_listening = False

    # What it sends

    async def expect(self, wanted: type[T], patience_s: float = PATIENCE_S) -> tuple[T, float]:
        """The expected message, and the seconds since the last one was sent. Failed says what came instead."""
        found = await self._next(wanted, patience_s)
        if found is not None:
            at, message = found
            if isinstance(message, Move):
                self._answered = message.id
            return cast("T", message), at - self._since
        raise await self._missing(wanted, patience_s)

    def put_back(self, message: Message, seconds: float) -> None:
        """Put back the first message, which came so many seconds after the start."""
        self._inbox.appendleft((self.began + seconds, message))

    async def _next(self, wanted: type[T], patience_s: float) -> tuple[float, Item] | None:
        """The next wanted item; None if it does not come in time. Raises whatever makes it impossible."""
        with trio.move_on_after(patience_s):
            while True:
                at, item = await self._take()
                if isinstance(item, wanted):
                    return at, item
                self._judge(item, wanted)
        return None

    async def _take(self) -> tuple[float, Item]:
        """The next item of any kind, and when it came."""
        while not self._inbox:
            self._news = trio.Event()
            await self._news.wait()
        return self._inbox.popleft()

    def _judge(self, item: Item, wanted: type[T] | None) -> None:
        """Raise Failed for an item that must not come."""
        if isinstance(item, Stale):
            if item.move.id == self._answered:
                self.answered_twice = item.move.id
        elif isinstance(item, Refused):
            raise self.failed(item.kind, item.text, fatal=False)
        elif isinstance(item, RemoteProtocolError):
            raise self.failed(item.kind, str(item))
        elif isinstance(item, Flood):
            raise self.failed(item.kind, item.seen)
        elif isinstance(item, ProcessExit):
            raise self._departed(item, wanted)
        elif isinstance(item, LaunchError):
            raise item

    def _departed(self, how: ProcessExit, wanted: type[T] | None) -> Failed:
        if how.failed is not None:
            return self.failed("cannot-start", f"{self.entry.command[0]!r} {how}")
        if (how.over or "").endswith("of memory") or self._lacked_memory():
            return self.failed("memory-limit", f"the process {how}")
        if used := memory_at_death(how, self.launcher, self.entry, NEARLY):
            return self.failed("memory-limit", f"the process {how}, {used}")
        if left := self._unfinished():
            return self.failed("truncated", f"the process {how}; {left}")
        if wanted is Hello:
            return self.failed("exits-early", f"the process {how} {self.age} after its start, before hello")
        used = memory_at_death(how, self.launcher, self.entry, MUCH)
        due = f", {used}" if used else ""
        due += "" if wanted is None else f", when {_article(wanted)} was expected"
        return self.failed("crash", f"the process {how}{due}")

    def _lacked_memory(self) -> bool:
        return self.launcher.tier != "none" and lacks_memory("\n".join(telling(self.stderr.text())))

    def _unfinished(self) -> str:
        try:
            self.session.receive_end()
        except RemoteProtocolError as error:
            return str(error) if error.kind is ErrorKind.TRUNCATED else ""
        return ""

    async def _missing(self, wanted: type[T], patience_s: float) -> Failed:
        """Why it has not come. Close stdin: a message in a buffer comes when the process exits."""
        waited = f"nothing came within {patience_s:g} s, when {_article(wanted)} was expected"
        left = unread(self.process.stdin)
        self.hang_up()
        self._budget, self._items = BUDGET, MOST_ITEMS
        try:
            found = await self._next(wanted, FLUSH_S)
        except Failed as failed:
            if failed.kind in ("truncated", "text", "undecodable"):
                return self.failed(failed.kind, f"{waited}. When its stdin was closed: {failed.seen}")
            found = None
        if found is not None:
            ms = round((found[0] - self._since - patience_s) * 1000)
            return self.failed("not-flushed", f"{waited}. When its stdin was closed, it came {max(0, ms)} ms later")
        kind = {Hello: "silent", Ready: "no-ready", Move: "hang"}[wanted]
        state = self._state()
        if wanted is not Hello and not state:
            state = f"; {left} bytes of what it was sent were never read" if left else "; it has read the whole message"
        await self._show_stack()
        return self.failed(kind, f"{waited}{state}")

    async def _show_stack(self) -> None:
        """Have a process that hangs print where it is, if its runtime does that on SIGQUIT."""
        if self.exit is None:
            self.process.ask_for_stack()
            with trio.move_on_after(STACK_S):
                await self._mute.wait()  # it has ended

    @property
    def _since(self) -> float:
        """When we last sent something, or else started it."""
        return self.asked_at or self.began

    def _state(self) -> str:
        if self._mute.is_set() and self.exit is None:
            return "; it has closed its stdout, but is still running"
        return "" if self.exit is None else f"; when its stdin was closed, it {self.exit}"

    async def leaves(self, patience_s: float) -> ProcessExit | None:
        """How it exits, if it does so in this time. Until then it may only send messages."""
        with trio.move_on_after(patience_s):
            while True:
                _, item = await self._take()
                if isinstance(item, ProcessExit):
                    if item.over or (left := self._unfinished()) == "":
                        return item
                    raise self.failed("truncated", left)
                self._judge(item, None)
        return None

    def failed(self, kind: str, seen: str, fatal: bool = True) -> Failed:
        """What went wrong, with the lines of its stderr that show why."""
        return Failed(kind, seen, fatal, "\n".join(telling(self.stderr.text())), self._advice(kind, seen))

    def _advice(self, kind: str, seen: str) -> str:
        """What to do with this bot, in addition to the general fix."""
        asked, most = self.entry.limits.memory_mb, self.launcher.policy.memory_mb
        if kind == "text" and not isinstance(self.session.codec, JsonCodec) and not READABLE.search(seen):
            return NO_TEXT
        if kind == "memory-limit" and asked < most:
            return f"bot.toml asks for only {asked} MB ([limits] memory_mb); it may ask for {most}."
        return ""

    @property
    def is_listening(self) -> bool:
        """Whether it runs, and its stdin is open."""
        return self._is_listening and self.exit is None

    @property
    def age(self) -> str:
        return f"{round((now() - self.began) * 1000)} ms"

    @property
    def rss_kb(self) -> int:
        """Its memory in use; 0 if that is unknown."""
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{self.process.pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE_KB
        return 0

    # In the background

    async def listen(self) -> None:
        """Read its stdout."""
        try:
            while await self._hear():
                pass
        finally:
            self._mute.set()

    async def _hear(self) -> bool:
        await trio.lowlevel.wait_readable(self.process.stdout)
        try:
            data = os.read(self.process.stdout, READ)
        except BlockingIOError:
            return True
        if not data:
            return False
        self._budget -= len(data)
        try:
            for item in self.session.receive(data):
                self._items -= 1
                self._put(item)
                if self._items < 0:
                    break
        except RemoteProtocolError as error:
            self._put(error)
            return False
        if self._budget < 0 or self._items < 0:
            self._put(Flood("hang", f"it wrote to stdout without end: {data[:SHOWN]!r}..."))
            self.process.end()
            return False
        return True

    async def drain(self) -> None:
        """Read its stderr, and keep the beginning and the end."""
        while self.stderr.total - self.stderr_before <= STDERR_BUDGET:
            await trio.lowlevel.wait_readable(self.process.stderr)
            with suppress(BlockingIOError):
                data = os.read(self.process.stderr, READ)
                if not data:
                    return
                self.stderr.add(data)
        self._put(Flood("stderr-flood", f"it wrote more than {STDERR_BUDGET >> 20} MiB to stderr in one match"))
        self.process.end()

    async def watch(self) -> None:
        """Wait for its exit. What it sent before that is put into the inbox first."""
        try:
            while self.exit is None:
                await trio.lowlevel.wait_readable(self.process.report)
                self.exit = self.process.news()
        except LaunchError as error:  # for the exam that waits for the bot; it is not the bot's fault
            self._put(error)
            return
        with trio.move_on_after(GRACE_S):
            await self._mute.wait()
        self._put(self.exit)

    async def close(self) -> None:
        """Kill it, and close its descriptors."""
        self.process.end()
        with trio.move_on_after(KILL_S, shield=True), suppress(LaunchError):
            while self.exit is None:
                await trio.lowlevel.wait_readable(self.process.report)
                self.exit = self.process.news()
        self.process.close()

    def _put(self, item: Item) -> None:
        self._inbox.append((now(), item))
        self._news.set()
        self.heard.set()


@asynccontextmanager
async def open_probe(entry: Entry, launcher: Launcher, hello_s: float = HELLO_S) -> AsyncIterator[Probe]:
    """A process of the bot. Nothing of it is left when the block ends."""
    probe = Probe(entry, launcher, hello_s)
    raised: Exception | None = None
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(probe.listen)
            nursery.start_soon(probe.drain)
            nursery.start_soon(probe.watch)
            try:
                yield probe
            except Exception as error:  # a nursery would wrap it in a group
                raised = error
            nursery.cancel_scope.cancel()
    finally:
        await probe.close()
    if raised is not None:
        raise raised


def _article(wanted: type[Hello] | type[Ready] | type[Move]) -> str:
    return f"a {wanted.__name__.lower()}"
