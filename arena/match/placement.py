"""Where the bots of a match run: on the referee's core as long as all of them think little, else on all cores.

Theory of operation. A message to a process on the same core costs a tenth of one that must wake another core. So bots
that answer at once are best kept on the referee's core, and bots that think need all cores. One rule decides for the
whole table, by what it does in the match:

- Bots start on all cores. If no wait for the first answers was longer than a moment, and no bot has used more CPU time
  than it takes to read a question and to answer, all bots and the referee share the core on which the referee runs.
- Before any wait that is longer than a moment, while the answer is still due, all bots get all cores again, and so they
  do if one of them begins to use more CPU time. To share a core once more, the table must be quick for twice as many
  turns as before.
- Bots that are kept for another match stay where they are. If all bots of a table share a core, they begin there.

So bots share a core for a millisecond of one decision at most before those who think have all cores. Where that could
cost a bot anything, because its increment is short, the rule never applies. What one bot does moves all bots, so none
can have a better place than another; and all cores are what every bot has without this rule.
"""

import os
from collections.abc import Sequence
from typing import Protocol

from arena.match.cores import BY_USE, REFEREE, current_core

TRIAL = 2
"""Turns in which the CPU time of the bots is measured."""
LITTLE_S = 50e-6
"""CPU time for a turn up to which sharing a core is quicker than waking another one."""
MOST_TURNS = 64
"""Most turns that a table must be quick before it is measured again."""
SHARED_TURNS = 16
"""Turns after which bots that share a core are measured again."""
ROOMY_MS = 10
"""If any bot has a shorter increment, a millisecond may cost it something, and no bots share a core."""


class Placeable(Protocol):
    """What a placement must know about a bot (arena/match/bot.py)."""

    core: int | None
    """The only core that it may use, if there is one."""

    @property
    def exit(self) -> object:
        """How its process ended; None: it runs."""

    def cpu_s(self) -> float:
        """The CPU seconds it has used so far."""

    def keep_on(self, cores: Sequence[int], /) -> bool:
        """Let it run on these cores only. Whether that is possible."""


class Placement:
    """The places of the bots of one match, and of its referee."""

    def __init__(self, bots: Sequence[Placeable], rule: str, cores: Sequence[int], increment_ms: int) -> None:
        self.shared = 0
        """How many questions were sent while the bots shared the referee's core."""
        self.is_shared = len(cores) == 1
        self._bots = bots
        self._cores = cores
        self._has_choice = len(cores) > 1
        self._is_forced = rule == REFEREE
        self._is_ruled = self._has_choice and rule == BY_USE and increment_ms >= ROOMY_MS
        """Whether what the bots do decides."""
        self._turns = 0
        """Turns in a row without a long wait."""
        self._patience = self._wanted = 1
        """How many of them there must be before the bots are measured: on all cores, and now."""
        self._used: list[float] = []

    def __enter__(self) -> None:
        if not self._has_choice:
            return
        known = {bot.core for bot in self._bots}
        core = next(iter(known)) if len(known) == 1 else None
        if self._is_forced and core is None:
            core = current_core()
        if core is not None and (self._is_forced or self._is_ruled):
            self._share(core)
        elif known != {None}:
            self._spread()

    def asking(self, questions: int, is_alone: bool) -> None:
        """The next questions are about to be sent; `is_alone`: no other match is played in this loop."""
        if self.is_shared:
            self.shared += questions
        if not self._is_ruled:
            return
        if not is_alone:
            self.waiting()
            return
        self._turns += 1
        if self._turns == self._wanted:
            self._used = [bot.cpu_s() for bot in self._bots]
        elif self._turns == self._wanted + TRIAL:
            self._judge()

    def waiting(self) -> None:
        """A bot thinks: an answer has not come within a moment."""
        self._turns = 0
        if self.is_shared and self._is_ruled:
            self._spread()

    def _judge(self) -> None:
        self._turns = 0
        most_s = max(bot.cpu_s() - used_s for bot, used_s in zip(self._bots, self._used)) / TRIAL
        if self.is_shared:
            if most_s > 2 * LITTLE_S:  # twice as much as before, or bots at the limit would move all the time
                self._spread()
            return
        core = current_core() if most_s <= LITTLE_S else None
        if core is None:
            self._try_later()
        else:
            self._share(core)

    def _try_later(self) -> None:
        self._patience = self._wanted = min(2 * self._patience, MOST_TURNS)

    def _share(self, core: int) -> None:
        """Keep the referee and all bots on one core. If any of them cannot be moved, none is."""
        present = [bot for bot in self._bots if bot.exit is None]
        if all(bot.keep_on((core,)) for bot in present if bot.core != core) and _keep_on((core,)):
            for bot in present:
                bot.core = core
            self.is_shared = True
            self._wanted = SHARED_TURNS
        else:
            self._is_forced = self._is_ruled = False
            self._spread()

    def _spread(self) -> None:
        """Let the referee and all bots have all cores."""
        self._leave()
        for bot in self._bots:
            if bot.exit is None:
                bot.keep_on(self._cores)
            bot.core = None
        self._try_later()

    def _leave(self) -> None:
        if self.is_shared:
            _keep_on(self._cores)
            self.is_shared = False

    def __exit__(self, *_error: object) -> None:
        """The match is over. The referee may run everywhere again: it starts processes, which get its cores."""
        if self._has_choice:
            self._leave()


def _keep_on(cores: Sequence[int]) -> bool:
    """Let this thread run on these cores only. Whether that is possible: they can be taken from it at any time."""
    try:
        os.sched_setaffinity(0, cores)
    except OSError:
        return False
    return True
