"""One match from beginning to end: bots by name, processes, referee, record."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import SettingError
from arena.match.bot import Listener
from arena.match.clock import TimeControl
from arena.match.company import open_company, seated, with_last_words
from arena.match.launch import Launcher
from arena.match.record import MOST_SEED, MOST_STRIKES, Header, MatchRecord, Player
from arena.match.referee import Referee
from arena.match.seeds import BITS, bot_seed_of
from arena.match.tiers import choose
from arena.roster.entries import Entry, distinct, find
from arena.roster.seating import check_apart
from arena.sandbox.policy import Tier
from arena.version import VERSION
from engine.catalogue import game as find_game
from engine.contract import Game, Value, changed, settle


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
        options = changed(known, settle(game.name, known, self.options))
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
