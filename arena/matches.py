"""One match from beginning to end: bots by name, processes, referee, record."""

import hashlib
import secrets
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import trio

from arena.bot import Listener
from arena.clock import TimeControl
from arena.company import open_company, seated, with_last_words
from arena.errors import Interrupted, SettingError
from arena.launch import Launcher
from arena.packing import SUFFIX
from arena.record import MOST_SEED, MOST_STRIKES, Header, MatchRecord, Player
from arena.referee import Referee
from arena.roster import Entry, distinct, find
from arena.sandbox.policy import Tier
from arena.seating import check_apart
from arena.secret import BITS, bot_seed_of
from arena.tiers import choose
from arena.version import VERSION
from engine.catalogue import game as find_game
from engine.game import Game, Value, settle

T = TypeVar("T")
LONGEST_SEED = 40
"""Digits of a seed in the name of a file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played, by whom, and how."""

    entries: Sequence[Entry]
    game: str = "draftosaurus"
    options: Mapping[str, Value] = field(default_factory=dict)
    seed: int | None = None
    """None: a new one, so large that no bot can find it by trying. A small one can be found."""
    clocks: Sequence[TimeControl] = ()
    """By seat; none: the default for all."""
    strikes: int = 3
    ask_forced: bool = False
    bot_seed: int = 0
    """Another one changes what the bots receive, and not the deal."""
    sandbox: str = "auto"
    """`auto`, `full`, `lite` or `none`: what holds the bots back."""
    cpus: Sequence[int] = ()

    def __post_init__(self) -> None:
        for name, seed in (("seed", self.seed or 0), ("bot_seed", self.bot_seed)):
            if type(seed) is not int or abs(seed) >= MOST_SEED:
                raise SettingError(f"{name}: expected a whole number of at most 1,000 digits")
        if type(self.strikes) is not int or not 1 <= self.strikes <= MOST_STRIKES:
            raise SettingError(f"strikes: expected a whole number from 1 to {MOST_STRIKES}, got {self.strikes!r}")
        if self.sandbox not in ("auto", *Tier):
            raise SettingError(f"sandbox: expected auto, full, lite or none, got {self.sandbox!r}")

    def header(self, game: Game[Any], launcher: Launcher) -> Header:
        seats = len(self.entries)
        known = game.options()
        settled = settle(game.name, known, self.options)
        options = {name: value for name, value in settled.items() if value != known[name].default}
        names = distinct(self.entries)
        clocks = self.clocks or [TimeControl()] * seats
        seed = secrets.randbits(BITS) if self.seed is None else self.seed
        return Header(
            match=f"{self.game}-{seats}p",
            game=self.game,
            edition=game.edition,
            options=options,
            seed=seed,
            players=tuple(Player(n, e.version, e.digest, c) for n, e, c in zip(names, self.entries, clocks)),
            bot_seed=bot_seed_of(seed, self.bot_seed),
            strikes=self.strikes,
            ask_forced=self.ask_forced,
            policy=launcher.policy.digest,
            arena=VERSION,
        )


async def play(
    plan: Plan,
    launcher: Launcher | None = None,
    listener: Listener | None = None,
    watcher: Callable[[Referee], None] | None = None,
) -> MatchRecord:
    """Start the bots, play one match, see the bots off. `watcher` is shown the match after each step."""
    if (launcher.tier if launcher else plan.sandbox) != Tier.NONE:
        check_apart(plan.entries)
    game = find_game(plan.game)
    game.start(len(plan.entries), plan.options)  # SetupError, before any process is started
    launcher = launcher or choose(plan.sandbox, plan.entries)
    header = plan.header(game, launcher)
    async with open_company(launcher, plan.cpus, listener) as company:
        bots = await company.hire(plan.entries, max(player.clock.hello_ms for player in header.players))
        record = await company.play(game, seated(header, bots), bots, watcher)
    return with_last_words(record, bots)


def find_all(words: Sequence[str]) -> list[Entry]:
    """The bots that people mean by these words."""
    return [find(word) for word in words]


def fresh_path(folder: Path, header: Header) -> Path:
    """A new file for the record, still empty: nobody else gets this name, also of matches that end at the same time."""
    seed = str(header.seed)
    if len(seed) > LONGEST_SEED:
        seed = f"{seed[:LONGEST_SEED]}-{hashlib.sha256(seed.encode()).hexdigest()[:8]}"
    paths = (folder / f"{header.game}-{seed}{f'-{i}' if i else ''}{SUFFIX}" for i in count())
    return next(path for path in paths if _is_made(path))


def _is_made(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run this in trio; Ctrl-C and SIGTERM end every wait, and with it every bot."""
    try:
        if _loop_is_running():
            return _run_aside(main)
        return trio.run(_until_told_to_stop, main, restrict_keyboard_interrupt_to_checkpoints=True)
    except KeyboardInterrupt:
        raise Interrupted("interrupted") from None
    except BaseExceptionGroup as group:
        if group.subgroup(KeyboardInterrupt):
            raise Interrupted("interrupted") from None
        raise _innermost(group) from None


def _loop_is_running() -> bool:
    """Whether this thread belongs to asyncio, as in a notebook, or to trio."""
    if trio.lowlevel.in_trio_run():
        return True
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


def _run_aside(main: Callable[[], Awaitable[T]]) -> T:
    """Run this in a thread of its own, and stop it when we are interrupted while we wait."""
    scope, tokens, future = trio.CancelScope(), [], Future[T]()

    async def work() -> T:
        tokens.append(trio.lowlevel.current_trio_token())
        with scope:
            return await main()
        raise Interrupted("interrupted")

    def aside() -> None:
        try:
            future.set_result(trio.run(work))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=aside).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        for token in tokens:
            token.run_sync_soon(scope.cancel)
        raise


def _innermost(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one error in nested groups, or the first of one kind, as when two tasks meet a full disk; else the group."""
    errors = list(_leaves(group))
    return errors[0] if len({type(error) for error in errors}) == 1 else group


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _until_told_to_stop(main: Callable[[], Awaitable[T]]) -> T:
    if threading.current_thread() is not threading.main_thread():
        return await main()  # signals are not ours to hear
    results: list[T] = []
    async with trio.open_nursery() as nursery:
        with trio.open_signal_receiver(signal.SIGTERM) as signals:

            async def work() -> None:
                results.append(await main())
                nursery.cancel_scope.cancel()

            nursery.start_soon(work)
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break
    if not results:
        raise Interrupted("ended by SIGTERM")
    return results[0]
