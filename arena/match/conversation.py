"""Where the arena waits: bots around one epoll, and a host who decides what is said.

Theory of operation. A Host is a state machine without IO: it has messages to send, a deadline, and is told what arrives
and when. `run` is the only loop that moves bytes. Per turn it writes to every bot that the host addresses, then waits
once on one descriptor, an epoll that holds the pipes of all bots, and stamps what has come. There is no task, no
timeout and no thread per bot or per question. Its one cancel scope stands over many turns: its deadline is moved only
when it would be too late, and when it expires too early, it is simply renewed.

A fast bot answers in less time than a turn of trio's loop takes. So a conversation that is the only one first waits for
a moment by itself, and only then lets trio wait; and every few milliseconds everybody else in the loop has a turn.

When it comes to a long wait, bots that owe no answer are frozen until they are told something, so that they cannot take
the cores from those who think. A match between fast bots comes to no long wait, and pays nothing for this. Some times a
second, before a question is put, the kernel's counters of the cores are read, which tell later whose doing a delay was.
"""

import select
from collections.abc import Sequence
from contextlib import suppress
from math import inf

import trio

from arena.match.bot import Bot
from arena.match.clock import now
from arena.match.cores import RECENT_S, CoreCounters, Reading, Usage, between, held_s, is_ready
from arena.match.delays import DelayWatch
from arena.match.faults import FaultKind
from arena.match.host import Host
from protocol.messages import Decide

MOMENT_S = 0.001
"""How long nobody else in the loop gets a turn because we wait ourselves."""
TURN_S = 0.005
"""How long nobody else gets one because we find answers again and again."""
WORTH_S = 0.001
"""If we look later than this, we look for whose doing it was."""
GRACE_S = 0.5
"""How long a process may live on after its stdout has ended, before we call it alive."""


class Conversation:
    """The bots of one host and the epoll around them."""

    def __init__(self, bots: Sequence[Bot], host: Host, watch: DelayWatch, cores: CoreCounters) -> None:
        self.bots = bots
        self.host = host
        self._watch = watch
        self._cores = cores
        self._reading: Reading | None = None
        self._paused_s = 0.0
        """By the watch, at that reading."""
        self._idle_since = self._turn_ends = now()
        self._most = 3 * len(bots) + 1
        self._epoll = select.epoll()
        self._ears = {bot.process.stdout: seat for seat, bot in enumerate(bots)}
        self._reports = {bot.process.report: seat for seat, bot in enumerate(bots)}
        self._mouths = {bot.process.stdin: seat for seat, bot in enumerate(bots)}
        self._silent: dict[int, float] = {}
        """Seats whose stdout has ended, and until when their process may take to follow."""
        for seat, bot in enumerate(bots):
            if bot.is_speaking:
                self._epoll.register(bot.process.stdout, select.EPOLLIN)
            elif bot.failure is None:  # its stdout ended in an earlier conversation
                self._silent[seat] = now() + GRACE_S
            if bot.has_unsent:
                self._await_room(bot)
            if bot.exit is None:
                self._epoll.register(bot.process.report, select.EPOLLIN)
        watch.conversations += 1

    async def run(self) -> None:
        """Converse until the host is satisfied."""
        offset = trio.current_time() - now()
        self._tell()
        while not self.host.over:
            with trio.CancelScope() as scope:
                while not self.host.over:
                    due = min(self.host.deadline, *self._silent.values(), inf)
                    self._idle_since = now()
                    if self._idle_since > self._turn_ends:
                        await trio.lowlevel.checkpoint()
                        self._turn_ends = now() + TURN_S
                    news = self._wait_for_a_moment(due)
                    if not news:
                        self._settle_down()
                        if due + offset < scope.deadline:
                            scope.deadline = due + offset
                        await trio.lowlevel.wait_readable(self._epoll.fileno())
                        self._turn_ends = now() + TURN_S
                        news = self._epoll.poll(0, self._most)
                    self._listen(news)
                    self._tell()
            if scope.cancelled_caught:
                self._look_at_clock()
                self._tell()

    def _wait_for_a_moment(self, due: float) -> list[tuple[int, int]]:
        """What comes at once, if we may wait here; trio does not see this wait, so the watch is told of it."""
        if self._watch.conversations > 1 or self._idle_since + MOMENT_S > due:
            return []
        self._watch.before_io_wait(MOMENT_S)
        news = self._epoll.poll(MOMENT_S, self._most)
        self._watch.after_io_wait(MOMENT_S)
        return news

    def _settle_down(self) -> None:
        """Before a long wait: freeze those who rest."""
        for seat in self.host.resting:
            self.bots[seat].freeze()
        if self._reading is None:
            self._remember()

    def _remember(self) -> None:
        """Know who has used the cores up to now."""
        self._reading = self._cores.recent([bot.number for bot in self.bots])
        self._paused_s = self._watch.paused_s

    def usage(self) -> Usage | None:
        """Who has had the cores since the questions that are open were put; None if nobody was told anything."""
        if self._reading is None:
            return None
        numbers = [bot.number for bot in self.bots]
        ready = [seat for seat, number in enumerate(numbers) if number and is_ready(number)]
        paused_s = self._watch.paused_s - self._paused_s
        return between(self._reading, self._cores.read(numbers), self._cores.count, paused_s, ready)

    def _tell(self) -> None:
        """Say what the host has to say. All of it is worded first, so that all hear it at nearly the same time."""
        packed: dict[int, bytes] = {}
        said = [(seat, message, self.bots[seat].word(message, packed)) for seat, message in self.host.outbox()]
        if said and (self._reading is None or now() - self._reading.at > RECENT_S):
            self._remember()  # before the question: what we are late after it counts too
        for seat, message, frame in said:
            bot = self.bots[seat]
            if isinstance(message, Decide):
                self.host.asked(seat, now(), bot.cpu_s() if self.host.charges_cpu else 0.0)
            if not bot.write(frame):
                self._await_room(bot)

    def _await_room(self, bot: Bot) -> None:
        with suppress(FileExistsError):  # it is awaited already
            self._epoll.register(bot.process.stdin, select.EPOLLOUT)

    def _listen(self, news: Sequence[tuple[int, int]]) -> None:
        """Take in what has come. It came when the loop woke, unless a bot itself kept us from running since."""
        looked = now()
        behind = looked - self._watch.news_since
        self.host.delayed(min(behind, looked - self._idle_since))  # our own work for these bots is no delay
        usage = self.usage() if news and behind > WORTH_S else None
        queued = min(behind, self._watch.queued_s()) if usage else 0.0
        ended = []
        for fd, _ in news:
            if fd in self._ears:
                seat = self._ears[fd]
                own = max(0.0, queued - held_s(usage, seat)) if usage else 0.0
                self._hear(seat, looked - behind + own)
            elif fd in self._reports:
                ended.append(self._reports[fd])
            elif self.bots[self._mouths[fd]].tell_rest():
                self._epoll.unregister(fd)
        for seat in ended:  # after the streams: what a bot said before its end counts
            self._hear_end(seat, looked - behind)

    def _hear(self, seat: int, at: float) -> None:
        bot = self.bots[seat]
        cpu = bot.cpu_s() if self.host.charges_cpu else 0.0
        for item in bot.hear():
            self.host.heard(seat, item, at, cpu)
        if not bot.is_speaking:
            self._epoll.unregister(bot.process.stdout)
            if bot.failure is None:
                self._silent[seat] = at + GRACE_S

    def _hear_end(self, seat: int, at: float) -> None:
        bot = self.bots[seat]
        was_speaking = bot.is_speaking
        for item in bot.hear_end():
            self.host.heard(seat, item, at, 0.0)
        if bot.exit is not None:
            self._silent.pop(seat, None)
            self._epoll.unregister(bot.process.report)
            if was_speaking:
                self._epoll.unregister(bot.process.stdout)

    def _look_at_clock(self) -> None:
        """The scope has expired, perhaps too early. What has come meanwhile came before the deadline was looked at."""
        self._listen(self._epoll.poll(0, self._most))
        at = now()
        for seat in [seat for seat, until in self._silent.items() if until <= at]:
            del self._silent[seat]
            broken = self.bots[seat].fail(FaultKind.CLOSED, "it closed its stdout, but its process keeps running")
            self.host.heard(seat, broken, at, 0.0)
        if self.host.deadline <= at:
            self.host.time_is_up(at)

    def close(self) -> None:
        self._watch.conversations -= 1
        self._epoll.close()
