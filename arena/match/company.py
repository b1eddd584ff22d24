"""Running bots: started, greeted, given one match after the other, and stopped.

    async with open_company(launcher) as company:
        bots = await company.hire(entries)
        match = await company.play(game, company.header(game, bots, ...), bots)
    record = match.record()

No process of the company is left when the block ends, however it ends.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import trio

from arena.errors import LaunchError
from arena.match.agenda import Agenda, Heard
from arena.match.bot import Bot, Listener
from arena.match.clock import TimeControl, now
from arena.match.conversation import Conversation
from arena.match.cores import BY_USE, CoreCounters, Usage, kept_s
from arena.match.delays import DelayWatch, RunDelay
from arena.match.excerpt import Excerpt
from arena.match.faults import Broken, FaultKind
from arena.match.hosts import Host
from arena.match.launch import Launcher, usable_cpus
from arena.match.placement import Placement
from arena.match.record import BRANCH_FORMAT, FORMAT, Account, Header, MatchRecord, Parent, Player
from arena.match.referee import MOST_PATIENCE, MOST_REASON, Referee, Seat
from arena.roster.entries import UNVERSIONED, Entry, distinct
from arena.roster.tunables import Number
from arena.texts import cut
from arena.version import VERSION
from engine.contract import Game, Value
from protocol.codec import MOST_DEEP
from protocol.framing import MOST_BYTES
from protocol.messages import MOST_NOTE, REVISION, Bye, Hello, Message, Welcome
from protocol.session import Stage

PLAYING = (Stage.PREPARING, Stage.PLAYING, Stage.THINKING)
BYE_S = 0.5
"""How long a process may take to end after `bye`."""
STDERR_S, FULL_S = 0.1, 0.005
"""How long stderr is left alone after a look at it, and after one that found it half full. Each look can delay the
next answer, and a bot could keep the loop busy with it. A pipe has room for 64 KiB; a bot that fills it waits."""
HALF = 32 << 10
TOO_LATE = (FaultKind.LATE, FaultKind.NOT_READY)
KILL_S = 5.0
"""How long a killed process may take to end."""
LISTED = 200
"""Characters that are kept of the games that a bot lists."""
WELCOME = Welcome(REVISION, VERSION, {"max_frame_bytes": MOST_BYTES, "max_depth": MOST_DEEP, "note_chars": MOST_NOTE})


@asynccontextmanager
async def open_company(
    launcher: Launcher, cpus: Sequence[int] = (), listener: Listener | None = None, affinity: str = BY_USE
) -> AsyncIterator["Company"]:
    """A company to hire bots into. All of its processes have ended when the block ends, however it ends.

    `cpus` are the cores of referee and bots; none named: all. `affinity` is one of AFFINITIES in arena/match/cores.py.
    """
    places = tuple(cpus or usable_cpus())
    run_delay, cores = RunDelay(), CoreCounters(places)
    watch = DelayWatch(run_delay)
    trio.lowlevel.add_instrument(watch)
    bots: list[Bot] = []
    try:
        async with trio.open_nursery() as nursery:
            company = Company(launcher, tuple(cpus), affinity, places, listener, nursery, watch, cores, bots)
            try:
                with watch.noticing_stops():
                    yield company
                with suppress(LaunchError):  # what was played counts, and the next line ends all bots
                    await company.dismiss(bots)
            finally:
                launcher.close()  # ends the bots that are left
                nursery.cancel_scope.cancel()
    finally:
        for bot in bots:
            bot.close()
        trio.lowlevel.remove_instrument(watch)
        run_delay.close()
        cores.close()


@dataclass(slots=True)
class Company:
    """Bots that are running."""

    launcher: Launcher
    _cpus: tuple[int, ...]
    """The cores of its bots when they start; none named: those of this process."""
    affinity: str
    places: tuple[int, ...]
    """The cores on which its matches are played."""
    _listener: Listener | None
    _nursery: trio.Nursery
    _watch: DelayWatch
    _cores: CoreCounters
    _bots: list[Bot]
    on_long_wait: Callable[[], None] | None = None
    """Called before each wait for bots that may be longer than a moment."""

    async def hire(self, entries: Sequence[Entry], hello_ms: int = 10_000) -> list[Bot]:
        """Start these bots and wait for their hello. A bot that fails is returned too, with its `failure`."""
        bots = []
        for entry in entries:
            bots.append(Bot(entry, self.launcher, self._cpus, self._listener))
            self._bots.append(bots[-1])
            self._nursery.start_soon(self._drain, bots[-1])
        greeting = Greeting(bots, hello_ms)
        with self._around(bots, greeting) as conversation:
            greeting.inquire = conversation.usage
            await conversation.run()
        return bots

    async def play(
        self, game: Game[Any], header: Header, bots: Sequence[Bot], watcher: Callable[[Referee], None] | None = None
    ) -> "FinishedMatch":
        """One match between these bots, in the order of seats."""
        for bot in bots:
            bot.begin_match()
        referee = Referee(game, header, [bot.next_id for bot in bots], watcher)
        shortest_ms = min(player.clock.increment_ms for player in header.players)
        placement = Placement(bots, self.affinity, self.places, shortest_ms)
        try:
            referee.begin(now(), [unfit(bot, header.game) for bot in bots])
            with placement, self._around(bots, referee, placement) as conversation:
                referee.inquire = conversation.usage
                await conversation.run()
        except Exception as error:  # no bot causes an exception here, so the match is void if it is not over
            if not referee.over:
                referee.fail(f"{type(error).__name__}: {error}"[:MOST_REASON])
            for seat, message in referee.outbox():
                if bots[seat].is_listening and bots[seat].session.stage in PLAYING:
                    bots[seat].tell(message)
        faulty = {fault.seat for fault in referee.faults}
        for seat in {fault.seat for fault in referee.faults if fault.kind in TOO_LATE and fault.seat is not None}:
            bots[seat].was_late = True
        accounts = [_account(bot, seat, seat.index in faulty) for bot, seat in zip(bots, referee.seats)]
        return FinishedMatch(referee, accounts, [bot.stderr for bot in bots], placement.shared)

    def header(
        self,
        game: Game[Any],
        bots: Sequence[Bot],
        clocks: Sequence[TimeControl],
        *,
        match: str,
        options: Mapping[str, Value],
        seed: int,
        bot_seed: int,
        strikes: int,
        ask_forced: bool = False,
        record_format: int = FORMAT,
        host: Host | None = None,
        parent: Parent | None = None,
        names: Sequence[str] = (),
        tune: Sequence[Mapping[str, Number] | None] = (),
    ) -> Header:
        """The header of a match: what was settled before it, and what is known of the bots now that they run.

        Players have the names of their entries, or these. `tune` has, by seat, values for parameters that differ from
        those of the entries, if some do.
        """
        chosen = tune or [None] * len(bots)
        names = names or distinct([bot.entry for bot in bots])
        return Header(
            match=match,
            game=game.name,
            edition=game.edition,
            options=options,
            seed=seed,
            players=tuple(map(_player, names, bots, clocks, chosen)),
            bot_seed=bot_seed,
            strikes=strikes,
            ask_forced=ask_forced,
            policy=self.launcher.policy.digest,
            arena=VERSION,
            affinity=self.affinity,
            format=BRANCH_FORMAT if parent else record_format,
            host=host,
            parent=parent,
        )

    async def dismiss(self, bots: Sequence[Bot]) -> None:
        """Send `bye`, and kill those that do not end."""
        await self.converse(bots, Farewell(bots))
        for bot in list(bots):
            bot.is_gone.set()
            await bot.drained.wait()
            bot.close()
            self._bots.remove(bot)

    async def converse(self, bots: Sequence[Bot], agenda: Agenda) -> None:
        """Follow an agenda with these bots until it is over."""
        with self._around(bots, agenda) as conversation:
            await conversation.run()

    @contextmanager
    def _around(
        self, bots: Sequence[Bot], agenda: Agenda, placement: Placement | None = None
    ) -> Iterator[Conversation]:
        conversation = Conversation(bots, agenda, self._watch, self._cores, placement, self.on_long_wait)
        try:
            yield conversation
        finally:
            conversation.close()

    async def _drain(self, bot: Bot) -> None:
        """Read its stderr, so that it is not full for long."""
        while (found := bot.drain()) is not None:
            if found and not bot.is_watched:
                with trio.move_on_after(FULL_S if found >= HALF else STDERR_S):
                    await bot.is_gone.wait()
            else:
                await trio.lowlevel.wait_readable(bot.process.stderr)
        bot.drained.set()


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that is over."""

    referee: Referee
    _accounts: Sequence[Account]
    _stderr: Sequence[Excerpt]
    _shared: int = 0
    """Questions that were sent while the bots shared the referee's core."""

    @property
    def state(self) -> Any:
        """The last state of the game."""
        return self.referee.state

    def record(self) -> MatchRecord:
        """The record. It has the bots' stderr up to now, so it has all of it once they have been dismissed."""
        pairs = zip(self._accounts, self._stderr)
        accounts = (replace(account, stderr=kept.text(), stderr_bytes=kept.total) for account, kept in pairs)
        return self.referee.record(tuple(accounts), self._shared)


def _player(name: str, bot: Bot, clock: TimeControl, chosen: Mapping[str, Number] | None) -> Player:
    process = bot.process
    entry, walls = bot.entry, tuple(process.layers)
    values = entry.values | dict(chosen or {})
    return Player(name, bot.version, entry.digest, clock, process.tier.value, walls, entry.env, values)


def unfit(bot: Bot, game: str) -> Broken | None:
    """Why a bot cannot play a game, if it cannot."""
    if bot.failure is None and game not in bot.games:
        listed = cut(", ".join(bot.games), LISTED) or "none"
        return Broken(FaultKind.WRONG_GAME, f"it does not play {game}; its hello lists: {listed}")
    return bot.failure


def _account(bot: Bot, seat: Seat, is_faulty: bool) -> Account:
    """What is known of a bot when its match is over; its stderr may still grow."""
    bot.drain()
    return Account(
        cpu_us=bot.match_cpu_us(),
        exit=_ending(bot),
        last_told=bot.plain_last() if is_faulty else None,
        peak_kb=bot.peak_kb(),
        spared_us=seat.spared_us,
    )


def _ending(bot: Bot) -> str | None:
    if bot.failure is not None and bot.failure.kind not in (FaultKind.CRASH, FaultKind.NOT_STARTED):
        return "was ended by the arena"
    return str(bot.exit) if bot.exit else None


class Greeting:
    """Hello and welcome. An Agenda of arena.match.conversation."""

    charges_cpu = False
    resting: Sequence[int] = ()

    def __init__(self, bots: Sequence[Bot], hello_ms: int) -> None:
        self._bots = bots
        self._hello_ms = hello_ms
        self.inquire: Callable[[], Usage | None] = lambda: None
        self._awaited = set(range(len(bots)))
        self._outbox: list[tuple[int, Message]] = []
        self._began = now()
        self.deadline = self._began + hello_ms / 1000

    @property
    def over(self) -> bool:
        return not self._awaited and not self._outbox

    def outbox(self) -> list[tuple[int, Message]]:
        taken, self._outbox = self._outbox, []
        return taken

    def heard(self, seat: int, item: Heard, _at: float, _cpu: float) -> None:
        if isinstance(item, Hello):
            self._bots[seat].games = item.games
            self._bots[seat].said_name = item.name
            if self._bots[seat].entry.version == UNVERSIONED and item.version and item.version.isprintable():
                self._bots[seat].version = item.version  # what its hello says is better than nothing
            self._bots[seat].process.news()  # its pid is known by now
            self._outbox.append((seat, WELCOME))
            self._awaited.discard(seat)
        elif isinstance(item, Broken):
            self._awaited.discard(seat)

    def time_is_up(self, at: float) -> None:
        usage = self.inquire()
        most = self._began + MOST_PATIENCE * self._hello_ms / 1000
        dues = {}
        for seat in self._awaited:
            kept = kept_s(usage, seat) if usage else 0.0
            dues[seat] = min(most, self._began + self._hello_ms / 1000 + kept)
        for seat in [seat for seat, due in dues.items() if due <= at]:
            self._bots[seat].fail(FaultKind.NO_HELLO, f"no hello within {self._hello_ms} ms")
            self._awaited.discard(seat)
        self.deadline = min((dues[seat] for seat in self._awaited), default=inf)

    def asked(self, _seat: int, _at: float, _cpu: float) -> None:
        """No question is sent."""

    def delayed(self, _seconds: float) -> None:
        """Delays do not matter here."""


class Farewell:
    """Bye, and the end of every process. An Agenda of arena.match.conversation."""

    charges_cpu = False
    resting: Sequence[int] = ()

    def __init__(self, bots: Sequence[Bot]) -> None:
        self._bots = bots
        self._left = {seat for seat, bot in enumerate(bots) if bot.exit is None}
        self._outbox: list[tuple[int, Message]] = []
        for seat in self._left:
            if bots[seat].is_hung:
                bots[seat].process.ask_for_stack()  # it has as long for that as others for their way out
            elif bots[seat].is_listening and bots[seat].session.stage not in (Stage.HELLO, Stage.CLOSED):
                self._outbox.append((seat, Bye()))
            else:
                bots[seat].end()
        self._is_last_call = False
        self.deadline = now() + BYE_S

    @property
    def over(self) -> bool:
        return not self._left

    def outbox(self) -> list[tuple[int, Message]]:
        taken, self._outbox = self._outbox, []
        return taken

    def heard(self, seat: int, _item: Heard, _at: float, _cpu: float) -> None:
        if self._bots[seat].exit is not None:
            self._left.discard(seat)

    def time_is_up(self, at: float) -> None:
        if self._is_last_call:
            raise LaunchError(
                "killed processes do not end; the process that starts the bots does not respond. Run it again; if it "
                "happens again, `arena doctor` shows what is wrong."
            )
        self._is_last_call = True
        for seat in self._left:
            self._bots[seat].end()
        self.deadline = at + KILL_S

    def asked(self, _seat: int, _at: float, _cpu: float) -> None:
        """No question is sent."""

    def delayed(self, _seconds: float) -> None:
        """Delays do not matter here."""
