"""One match from beginning to end: bots by name, processes, referee, record."""

import logging
import secrets
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import SettingError
from arena.match.bot import Bot, Listener
from arena.match.clock import TimeControl
from arena.match.company import Company, FinishedMatch, open_company
from arena.match.cores import AFFINITIES, BY_USE
from arena.match.launch import Launcher
from arena.match.record import MOST_SEED, MOST_STRIKES, Header, Parent
from arena.match.referee import Referee
from arena.match.seeds import BITS, bot_seed_of
from arena.match.tiers import Trial, choose
from arena.roster.entries import Entry, distinct, find, named
from arena.roster.seating import check_apart
from arena.sandbox.policy import AUTO, CHOICES, Policy, Tier
from arena.texts import one_line
from engine.catalogue import game as find_game
from engine.contract import Game, Value, changed, settle

LOG = logging.getLogger(__name__)
"""What `--verbose` prints."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """What to play, with which bots, and how."""

    entries: Sequence[Entry]
    game: str = "draftosaurus"
    options: Mapping[str, Value] = field(default_factory=dict)
    seed: int | None = None
    """None: a new one, so large that no bot can find it by trying. A bot can find a small one."""
    clocks: Sequence[TimeControl] = ()
    """By seat; empty: the default for all."""
    strikes: int = 3
    ask_forced: bool = False
    bot_seed: int = 0
    """Another one changes the seeds that bots receive, but not the deal."""
    sandbox: str = AUTO
    """What holds the bots back: one of CHOICES in arena/sandbox/policy.py."""
    cpus: Sequence[int] = ()
    """The cores of referee and bots; none named: all."""
    affinity: str = BY_USE
    """Where the bots run on these cores: one of AFFINITIES in arena/match/cores.py."""
    policy: Policy = field(default_factory=Policy)
    """What each bot may use."""
    parent: Parent | None = None
    """If it continues another match: arena/replay/whatif.py makes such a setup."""

    def __post_init__(self) -> None:
        for name, seed in (("seed", self.seed or 0), ("bot_seed", self.bot_seed)):
            if type(seed) is not int or abs(seed) >= MOST_SEED:
                raise SettingError(f"{name}: expected a whole number of at most 1,000 digits")
        if type(self.strikes) is not int or not 1 <= self.strikes <= MOST_STRIKES:
            raise SettingError(f"strikes: expected a whole number from 1 to {MOST_STRIKES}, got {self.strikes!r}")
        if self.sandbox not in CHOICES:
            raise SettingError(f"sandbox: expected one of {', '.join(CHOICES)}, got {self.sandbox!r}")
        if self.affinity not in AFFINITIES:
            raise SettingError(f"affinity: expected one of {', '.join(AFFINITIES)}, got {self.affinity!r:.40}")

    def header(self, company: Company, game: Game[Any], bots: Sequence[Bot]) -> Header:
        """The header of a match between these bots, which the company runs for the entries."""
        known = game.options()
        seed = secrets.randbits(BITS) if self.seed is None else self.seed
        return company.header(
            game,
            bots,
            self.clocks or [TimeControl()] * len(bots),
            match=f"{game.name}-{len(bots)}p",
            options=changed(known, settle(game.name, known, self.options)),
            seed=seed,
            bot_seed=bot_seed_of(seed, self.bot_seed),
            strikes=self.strikes,
            ask_forced=self.ask_forced,
            parent=self.parent,
            names=distinct([named(bot.entry, bot.said_name) for bot in bots]),
        )


async def play(
    setup: MatchSetup,
    launcher: Launcher | None = None,
    listener: Listener | None = None,
    watcher: Callable[[Referee], None] | None = None,
    hired: Callable[[Sequence[Bot]], None] | None = None,
    trial: Trial | None = None,
) -> FinishedMatch:
    """Start the bots, play one match, stop the bots. `hired` sees the bots, `watcher` the match after each step.

    `trial` is the first one of a sandbox, if it has begun.
    """
    if (launcher.tier if launcher else setup.sandbox) != Tier.NONE:
        check_apart(setup.entries)
    game = find_game(setup.game)
    game.start(len(setup.entries), setup.options)  # SetupError, before any process is started
    launcher = launcher or choose(setup.sandbox, setup.entries, setup.policy, trial)
    hello_ms = max(clock.hello_ms for clock in setup.clocks or [TimeControl()])
    async with open_company(launcher, setup.cpus, listener, setup.affinity) as company:
        bots = await company.hire(setup.entries, hello_ms)
        if hired is not None:
            hired(bots)
        return await company.play(game, setup.header(company, game, bots), bots, watcher)


def find_all(words: Sequence[str]) -> list[Entry]:
    """The bots that these words name."""
    entries = [find(word) for word in words]
    for entry in entries:
        where = entry.folder, entry.digest[:12], shlex.join(entry.command)
        LOG.debug("%s is in %s, digest %s; its command: %s", one_line(entry.name), *map(one_line, map(str, where)))
    return entries
