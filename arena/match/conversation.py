"""Where the arena waits for answers: bots around one epoll, and an agenda that decides what to send.

Theory of operation. An Agenda is a state machine without IO: it has messages to send, a deadline, and receives what
arrives and when. `run` is the only loop that waits for answers; stderr has its own (arena/match/company.py). In each
turn it writes to every bot that the agenda addresses, then waits once on one descriptor, an epoll that holds the pipes
of all bots, and takes the time of what has come. No answer has a task, timeout or thread of its own. One cancel scope
covers many turns: its deadline moves only when it would be too late, and if it expires too early, it is renewed.

A fast bot answers in less time than one turn of trio's loop takes. So a conversation that is the only one first waits
for a moment outside the loop, and only then lets trio wait. Every few milliseconds the other tasks have a turn.

Before a long wait, bots that owe no answer are frozen until they receive something, so that they cannot take the cores
from those who think. A match between fast bots has no long wait, and pays nothing for this. A few times a second,
before a question is sent, the kernel's counters of the cores are read: they show later who caused a delay. In a match,
arena/match/placement.py learns of questions and long waits, and decides on which cores the bots run.
"""

import select
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Final

import trio

from arena.match.agenda import Agenda
from arena.match.bot import Bot
from arena.match.clock import now
from arena.match.cores import RECENT_S, CoreCounters, Reading, Usage, between, held_s, is_ready
from arena.match.delays import DelayWatch
from arena.match.faults import FaultKind
from arena.match.placement import Placement
from protocol.messages import Decide

MOMENT_S: Final = 0.001
"""How long other tasks have no turn because we wait outside the loop."""
TURN_S: Final = 0.005
"""How long other tasks have no turn because there are always new answers."""
WORTH_S: Final = 0.001
"""If we look later than this, we find out who caused it."""
GRACE_S: Final = 0.5
"""How long a process may run after its stdout has ended, before that is a fault."""


class Conversation:
    """The bots of one agenda and the epoll around them."""

    def __init__(
        self,
        bots: Sequence[Bot],
        agenda: Agenda,
        watch: DelayWatch,
        cores: CoreCounters,
        placement: Placement | None = None,
        on_long_wait: Callable[[], None] | None = None,
    ) -> None:
        self.bots = bots
        self.agenda = agenda
        self._watch = watch
        self._cores = cores
        self._placement = placement
        self._on_long_wait = on_long_wait
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
        """Seats whose stdout has ended, and when their processes must have ended."""
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
        """Converse until the agenda is over."""
        offset = trio.current_time() - now()
        self._tell()
        while not self.agenda.over:
            with trio.CancelScope() as scope:
                while not self.agenda.over:
                    due = min(self.agenda.deadline, *self._silent.values(), inf)
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
        """What comes at once, if we may wait here. Trio does not see this wait, so we report it to the watch."""
        if self._watch.conversations > 1 or self._idle_since + MOMENT_S > due:
            return []
        self._watch.before_io_wait(MOMENT_S)
        news = self._epoll.poll(MOMENT_S, self._most)
        self._watch.after_io_wait(MOMENT_S)
        return news

    def _settle_down(self) -> None:
        """Before a long wait: give those who think the cores, and freeze the bots that owe no answer."""
        if self._on_long_wait is not None:
            self._on_long_wait()
        if self._placement is not None:
            self._placement.waiting()
        for seat in self.agenda.resting:
            self.bots[seat].freeze()
        if self._reading is None:
            self._remember()

    def _remember(self) -> None:
        """Read who has used the cores up to now."""
        self._reading = self._cores.recent([bot.number for bot in self.bots])
        self._paused_s = self._watch.paused_s

    def usage(self) -> Usage | None:
        """Who has had the cores since the open questions were sent; None if nothing was sent."""
        if self._reading is None:
            return None
        numbers = [bot.number for bot in self.bots]
        ready = [seat for seat, number in enumerate(numbers) if number and is_ready(number)]
        paused_s = self._watch.paused_s - self._paused_s
        return between(self._reading, self._cores.read(numbers), self._cores.count, paused_s, ready)

    def _tell(self) -> None:
        """Send the agenda's messages. All are encoded first, so that the bots receive them at nearly the same time."""
        packed: dict[int, bytes] = {}
        said = [(seat, message, self.bots[seat].word(message, packed)) for seat, message in self.agenda.outbox()]
        if said and (self._reading is None or now() - self._reading.at > RECENT_S):
            self._remember()  # before the question: what we are late after it counts too
        if self._placement is not None and said and isinstance(said[0][1], Decide):
            self._placement.asking(len(said), self._watch.conversations == 1)
        for seat, message, frame in said:
            bot = self.bots[seat]
            if isinstance(message, Decide):
                self.agenda.asked(seat, now(), bot.cpu_s() if self.agenda.charges_cpu else 0.0)
            if not bot.write(frame):
                self._await_room(bot)

    def _await_room(self, bot: Bot) -> None:
        with suppress(FileExistsError):  # we wait for it already
            self._epoll.register(bot.process.stdin, select.EPOLLOUT)

    def _listen(self, news: Sequence[tuple[int, int]]) -> None:
        """Read what has come. It came when the loop woke, unless the bot itself kept us from running since."""
        looked = now()
        behind = looked - self._watch.news_since
        self.agenda.delayed(min(behind, looked - self._idle_since))  # our own work for these bots is not a delay
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
        cpu = bot.cpu_s() if self.agenda.charges_cpu else 0.0
        for item in bot.hear():
            self.agenda.heard(seat, item, at, cpu)
        if not bot.is_speaking:
            self._epoll.unregister(bot.process.stdout)
            if bot.failure is None:
                self._silent[seat] = at + GRACE_S

    def _hear_end(self, seat: int, at: float) -> None:
        bot = self.bots[seat]
        was_speaking = bot.is_speaking
        for item in bot.hear_end():
            self.agenda.heard(seat, item, at, 0.0)
        if bot.exit is not None:
            self._silent.pop(seat, None)
            self._epoll.unregister(bot.process.report)
            if was_speaking:
                self._epoll.unregister(bot.process.stdout)

    def _look_at_clock(self) -> None:
        """The scope has expired, perhaps too early. What has come meanwhile counts as before the deadline."""
        self._listen(self._epoll.poll(0, self._most))
        at = now()
        for seat in [seat for seat, until in self._silent.items() if until <= at]:
            del self._silent[seat]
            broken = self.bots[seat].fail(FaultKind.CLOSED, "it closed its stdout, but its process keeps running")
            self.agenda.heard(seat, broken, at, 0.0)
        if self.agenda.deadline <= at:
            self.agenda.time_is_up(at)

    def close(self) -> None:
        self._watch.conversations -= 1
        self._epoll.close()
