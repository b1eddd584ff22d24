"""Leagues that began before there were secrets: their deals, ids and bots' seeds follow the rules of that time.

Everything follows from the seed in the tournament file, which usually is a small number. So a bot can find the deals of
such a league. It still goes on by the old rules, because other ids and deals would make its results worthless.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.dice import MOST_SIDES, Seed


@dataclass(frozen=True, slots=True)
class OldSeed:
    """The `Chance` of an old league."""

    seed: int

    @property
    def dice(self) -> int:
        return self.seed

    def deal(self, name: Sequence[str | int]) -> int:
        """64 bits for a block, the same for all rotations and attempts."""
        dice = Seed(self.seed)
        a, b, c, d = (dice.roll(str(name[0]), MOST_SIDES, index) for index in range(4))
        return a << 48 | b << 32 | c << 16 | d

    def bot_seed(self, name: Sequence[str | int]) -> int:  # noqa: ARG002 (no match had one)
        """0: these leagues derive the seeds of bots from the deal (old_bot_seed)."""
        return 0

    def match_id(self, played: Mapping[str, Any]) -> str:
        known = json.dumps({**played, "league": self.seed}, sort_keys=True)
        return hashlib.sha256(known.encode()).hexdigest()[:24]
